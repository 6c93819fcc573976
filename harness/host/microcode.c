#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "host/fitness_probe.h"

/*
 * How old the microcode is. The kernel tells its revision only; the date stands in the update's header, in the file of
 * this processor below /lib/firmware/intel-ucode, if it is installed. Header: Intel SDM volume 3A, 10.11.1 (little
 * endian words: version 1, revision, date as the digits mmddyyyy, signature, checksum, loader, platform flags, data
 * size, total size; a data size of 0 means 2000 bytes and a total of 2048).
 */

enum { HEADER = 48, WORD_REVISION = 1, WORD_DATE = 2, WORD_FLAGS = 6, WORD_DATA = 7, WORD_TOTAL = 8 };
enum { TOTAL_OLD = 2048, FILE_MOST = 32 << 20 };

static uint32_t word_at(const struct buf *bytes, size_t at, int word)
{
	const unsigned char *p = (const unsigned char *)bytes->data + at + 4 * word;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* 0x02272023 is 2023-02-27; NULL: no date. */
static const char *date_text(struct arena *arena, uint32_t date)
{
	unsigned int month = date >> 24, day = date >> 16 & 0xff, year = date & 0xffff;

	if (month < 1 || month > 0x12 || day < 1 || day > 0x31 || year < 0x1995 || year > 0x2100)
		return NULL;
	return arena_printf(arena, "%04x-%02x-%02x", year, month, day);
}

struct found {
	const char *running; /* date of the revision that runs */
	uint32_t newest;     /* revision; 0: none for this platform */
	const char *newest_date;
};

static void read_updates(
	struct probe *probe, const struct buf *bytes, uint32_t running, uint32_t flags, struct found *found)
{
	for (size_t at = 0; at + HEADER <= bytes->n;) {
		uint32_t revision = word_at(bytes, at, WORD_REVISION),
			 its_flags = word_at(bytes, at, WORD_FLAGS);
		uint32_t total =
			word_at(bytes, at, WORD_DATA) == 0 ? TOTAL_OLD : word_at(bytes, at, WORD_TOTAL);
		const char *date = date_text(probe->arena, word_at(bytes, at, WORD_DATE));

		if (word_at(bytes, at, 0) != 1 || total < HEADER || date == NULL)
			return; /* no such header: nothing behind it can be found */
		if (revision == running)
			found->running = date;
		/* signed: test revisions have the top bit set and are older than all others */
		if ((its_flags == 0 || flags == 0 || (its_flags & flags) != 0) &&
			(found->newest == 0 || (int32_t)revision > (int32_t)found->newest)) {
			found->newest = revision;
			found->newest_date = date;
		}
		at += total;
	}
}

static void set_both_unknown(struct probe *probe, const char *source, const char *reason)
{
	facts_unknown(probe->facts, "microcode.date", source, reason);
	facts_unknown(probe->facts, "microcode.newest", source, reason);
}

static int number_of(const struct facts *facts, const char *key)
{
	const char *text = facts_value(facts, key);

	return text != NULL ? (int)strtol(text, NULL, 10) : -1;
}

void fitness_microcode(struct probe *probe)
{
	const struct facts *facts = probe->facts;
	const char *vendor = facts_value(facts, "cpu.vendor"),
		   *trust = facts_value(facts, "cpu.microcode.trust");
	const char *running = facts_value(facts, "cpu.microcode");
	const char *flags = probe_text(probe, "/sys/devices/system/cpu/cpu0/microcode/processor_flags", NULL);
	int family = number_of(facts, "cpu.family"), model = number_of(facts, "cpu.model");
	int stepping = number_of(facts, "cpu.stepping");
	struct buf bytes = {0};
	struct found found = {0};
	char *path;

	if (running == NULL || vendor == NULL || strcmp(vendor, "GenuineIntel") != 0 || family < 0 ||
		model < 0 || stepping < 0) {
		set_both_unknown(probe, "/lib/firmware",
			"only Intel's updates are read here, and only where revision, family, model and "
			"stepping are known");
		return;
	}
	if (trust == NULL || strcmp(trust, "trusted") != 0) {
		set_both_unknown(probe, "/proc/cpuinfo", trust != NULL ? trust : "the revision is not known");
		return;
	}
	path = arena_printf(
		probe->arena, "/lib/firmware/intel-ucode/%02x-%02x-%02x", family, model, stepping);
	if (file_read(arena_printf(probe->arena, "%s%s", probe->root, path), FILE_MOST, &bytes, NULL) != 0) {
		const char *reason = "it cannot be read";

		probe_text(probe, path, &reason);
		set_both_unknown(probe, path, reason);
		buf_release(&bytes);
		return;
	}
	read_updates(probe, &bytes, (uint32_t)strtoul(running, NULL, 16),
		flags != NULL ? (uint32_t)strtoul(flags, NULL, 16) : 0, &found);
	buf_release(&bytes);
	if (found.running != NULL)
		facts_set(probe->facts, "microcode.date", found.running, path);
	else
		facts_unknown(
			probe->facts, "microcode.date", path, "it has no update of the revision that runs");
	if (found.newest != 0)
		facts_setf(probe->facts, "microcode.newest", path, "0x%x of %s", found.newest,
			found.newest_date);
	else
		facts_unknown(probe->facts, "microcode.newest", path, "it has no update for this platform");
}
