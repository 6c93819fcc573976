#include "host/probe.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

/* cpuinfo of a machine with some thousand CPUs is the longest of these files */
enum { FILE_LIMIT = 64 << 20 };

static char *trimmed(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* The errors of base/file read "doing PATH: why"; here only the why is of interest, as the path is the source. */
static const char *why_alone(struct probe *probe, const char *path, const struct error *e)
{
	const char *at = strstr(e->text, path);

	if (at != NULL && strncmp(at + strlen(path), ": ", 2) == 0)
		at += strlen(path) + 2;
	else
		at = e->text;
	return arena_strdup(probe->arena, at);
}

char *probe_text(struct probe *probe, const char *path, const char **reason)
{
	char *full = arena_printf(probe->arena, "%s%s", probe->root, path);
	struct buf bytes = {0};
	struct error e = {0};
	char *text = NULL;

	if (file_read(full, FILE_LIMIT, &bytes, &e) == 0)
		text = trimmed(arena_strdup(probe->arena, buf_text(&bytes)));
	else if (reason != NULL)
		*reason = why_alone(probe, full, &e);
	buf_release(&bytes);
	return text;
}

char *probe_textf(struct probe *probe, const char **reason, const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = arena_vprintf(probe->arena, fmt, ap);
	va_end(ap);
	return probe_text(probe, path, reason);
}

bool probe_file(struct probe *probe, const char *key, const char *path)
{
	const char *reason = NULL;
	const char *text = probe_text(probe, path, &reason);

	if (text != NULL)
		facts_set(probe->facts, key, text, path);
	else
		facts_unknown(probe->facts, key, path, reason);
	return text != NULL;
}

void probe_files(struct probe *probe, const struct probe_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		probe_file(probe, entries[i].key, entries[i].path);
}

bool probe_exists(struct probe *probe, const char *path)
{
	return file_exists(arena_printf(probe->arena, "%s%s", probe->root, path));
}

bool probe_list(struct probe *probe, const char *path, struct words *names, const char **reason)
{
	char *full = arena_printf(probe->arena, "%s%s", probe->root, path);
	struct error e = {0};

	if (file_list(full, probe->arena, names, &e) == 0)
		return true;
	if (reason != NULL)
		*reason = why_alone(probe, full, &e);
	return false;
}

char *probe_line(struct probe *probe, const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, name, length) == 0)
			return trimmed(
				arena_strndup(probe->arena, line + length, strcspn(line + length, "\n")));
	}
	return NULL;
}

void spread_add(struct spread *spread, struct probe *probe, const char *value, int cpu)
{
	struct spread_part *part = NULL;

	for (size_t i = 0; i < spread->n && part == NULL; i++)
		if (strcmp(spread->v[i].value, value) == 0)
			part = &spread->v[i];
	if (part == NULL) {
		if (spread->n == spread->cap) {
			size_t cap = mem_grown(spread->cap, spread->n + 1);
			struct spread_part *v = arena_array(probe->arena, cap, sizeof(*v));

			if (spread->n > 0)
				memcpy(v, spread->v, spread->n * sizeof(*v));
			spread->v = v;
			spread->cap = cap;
		}
		part = &spread->v[spread->n++];
		part->value = value;
	}
	/* capacity is the next power of two, so that it need not be kept */
	if ((part->cpus.n & (part->cpus.n - 1)) == 0) {
		int *v = arena_array(probe->arena, part->cpus.n > 0 ? 2 * part->cpus.n : 1, sizeof(*v));

		if (part->cpus.n > 0)
			memcpy(v, part->cpus.v, part->cpus.n * sizeof(*v));
		part->cpus.v = v;
	}
	part->cpus.v[part->cpus.n++] = cpu;
}

char *spread_text(const struct spread *spread, struct probe *probe)
{
	struct buf out = {0};
	char *text;

	if (spread->n == 0)
		return NULL;
	if (spread->n == 1)
		return arena_strdup(probe->arena, spread->v[0].value);
	for (size_t i = 0; i < spread->n; i++) {
		const struct spread_part *part = &spread->v[i];

		buf_addf(&out, "%s%s (cpus %s)", i > 0 ? ", " : "", part->value,
			cpu_list_text(&part->cpus, probe->arena));
	}
	text = arena_strdup(probe->arena, buf_text(&out));
	buf_release(&out);
	return text;
}

bool probe_per_cpu(struct probe *probe, const char *key, const char *suffix)
{
	char *source = arena_printf(probe->arena, "/sys/devices/system/cpu/cpu*/%s", suffix);
	const char *reason = "no CPU is online";
	struct spread spread = {0};
	bool found = false;

	for (size_t i = 0; i < probe->online.n; i++) {
		int cpu = probe->online.v[i];
		const char *why = NULL;
		char *text = probe_textf(probe, &why, "/sys/devices/system/cpu/cpu%d/%s", cpu, suffix);

		found = found || text != NULL;
		if (text == NULL && i == 0)
			reason = why;
		spread_add(&spread, probe, text != NULL ? text : "unreadable", cpu);
	}
	if (found)
		facts_set(probe->facts, key, spread_text(&spread, probe), source);
	else
		facts_unknown(probe->facts, key, source, reason);
	return found;
}

char *probe_private_hash(struct arena *arena, const char *label, const char *text)
{
	struct hash hash;
	char hex[HASH_HEX];

	hash_init(&hash);
	hash_add_field(&hash, "flagstone private 1");
	hash_add_field(&hash, label);
	hash_add_field(&hash, text);
	hash_final_hex(&hash, hex);
	return arena_strndup(arena, hex, 12);
}
