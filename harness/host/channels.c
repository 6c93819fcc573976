#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "host/fitness_probe.h"

/*
 * Memory channels, from what the firmware calls its slots (facts memory.module.N.*). SMBIOS itself has no field for
 * the channel, so the names must tell it; where they don't, it is unknown: counting modules instead would take two in
 * one channel for twice the bandwidth.
 */

enum { CHANNELS = 256 };

struct channel {
	const char *name;
	double bytes_per_s; /* 0: no module in it */
};

struct channels {
	struct channel v[CHANNELS];
	size_t n;
	const char *reason; /* why they are unknown; NULL: they are not */
};

/* "CHANNEL A", "ChannelA-DIMM0", "P0_Node0_Channel1_Dimm0": all up to the letter or number behind the word. */
static char *by_word(struct arena *arena, const char *text)
{
	const char *word = text != NULL ? strcasestr(text, "channel") : NULL;
	const char *at, *end;

	if (word == NULL)
		return NULL;
	at = word + strlen("channel");
	at += strspn(at, " _-:");
	end = at;
	if (isdigit((unsigned char)*end))
		end += strspn(end, "0123456789");
	else if (isalpha((unsigned char)*end))
		end++;
	return end > at ? arena_strndup(arena, text, (size_t)(end - text)) : NULL;
}

/* "DIMM_A1", "CPU1_DIMM_A1", "P1-DIMMA1": the letter is the channel. Without the word it may be a socket. */
static char *by_letter(struct arena *arena, const char *text)
{
	const char *word = text != NULL ? strcasestr(text, "DIMM") : NULL;
	const char *at;

	if (word == NULL)
		return NULL;
	at = word + strlen("DIMM");
	at += strspn(at, " _-");
	return isalpha((unsigned char)at[0]) && isdigit((unsigned char)at[1])
		       ? arena_strndup(arena, text, (size_t)(at + 1 - text))
		       : NULL;
}

char *channel_name(struct arena *arena, const char *locator, const char *bank)
{
	char *name = by_word(arena, locator);

	if (name == NULL)
		name = by_word(arena, bank);
	return name != NULL ? name : by_letter(arena, locator);
}

static const char *module_value(const struct facts *facts, unsigned int slot, const char *name)
{
	return facts_value(facts, arena_printf(facts->arena, "memory.module.%u.%s", slot, name));
}

static bool module_number(const struct facts *facts, unsigned int slot, const char *name, double *value)
{
	const char *text = module_value(facts, slot, name);

	return text != NULL && num_parse_double(text, value);
}

static struct channel *channel_named(struct channels *channels, const char *name)
{
	for (size_t i = 0; i < channels->n; i++)
		if (strcmp(channels->v[i].name, name) == 0)
			return &channels->v[i];
	if (channels->n == CHANNELS)
		return NULL;
	channels->v[channels->n] = (struct channel){.name = name};
	return &channels->v[channels->n++];
}

static void add_slot(const struct facts *facts, struct channels *channels, unsigned int slot)
{
	struct arena *arena = facts->arena;
	const char *locator = module_value(facts, slot, "locator");
	char *name = channel_name(arena, locator, module_value(facts, slot, "bank"));
	struct channel *channel = name != NULL ? channel_named(channels, name) : NULL;
	double size, mts, bits;

	if (!module_number(facts, slot, "size_bytes", &size)) {
		channels->reason = arena_printf(arena, "the firmware does not say what is in slot %u", slot);
		return;
	}
	if (channel == NULL) {
		/* a slot that is empty and has no name makes no difference to what the others give */
		if (size > 0)
			channels->reason = arena_printf(arena,
				"the firmware calls a slot \"%s\", which tells no channel",
				locator != NULL ? locator : "nothing");
		return;
	}
	if (size == 0)
		return;
	if (!module_number(facts, slot, "configured_mts", &mts) ||
		!module_number(facts, slot, "data_width_bits", &bits) || mts <= 0 || bits < 8) {
		channels->reason = arena_printf(
			arena, "the firmware does not say speed and width of the module in slot %u", slot);
		return;
	}
	/* two modules in a channel take turns: it is as fast as the slower one */
	if (channel->bytes_per_s == 0 || mts * 1e6 * bits / 8 < channel->bytes_per_s)
		channel->bytes_per_s = mts * 1e6 * bits / 8;
}

void fitness_channels(struct facts *facts)
{
	static const char *const keys[] = {
		"memory.channels", "memory.channels.empty", "memory.peak_bytes_per_s"};
	const struct fact *fact = facts_find(facts, "memory.slots");
	struct channels channels = {0};
	struct words empty = {0};
	double slots = 0, peak = 0;
	size_t used = 0;

	if (fact == NULL || fact->value == NULL || !num_parse_double(fact->value, &slots)) {
		for (size_t i = 0; i < 3; i++)
			facts_unknown(facts, keys[i], fact != NULL ? fact->source : "SMBIOS",
				fact != NULL && fact->value == NULL ? fact->reason
								    : "the firmware lists no slots");
		return;
	}
	for (unsigned int i = 0; i < (unsigned int)slots && channels.reason == NULL; i++)
		add_slot(facts, &channels, i);
	for (size_t i = 0; i < channels.n; i++) {
		used += channels.v[i].bytes_per_s > 0;
		peak += channels.v[i].bytes_per_s;
		if (channels.v[i].bytes_per_s == 0)
			words_add(&empty, facts->arena, channels.v[i].name);
	}
	if (channels.reason == NULL && used == 0)
		channels.reason = "the firmware lists no module";
	if (channels.reason != NULL) {
		for (size_t i = 0; i < 3; i++)
			facts_unknown(facts, keys[i], fact->source, channels.reason);
		return;
	}
	facts_setf(facts, keys[0], fact->source, "%zu", used);
	facts_set(facts, keys[1], empty.n > 0 ? words_between(&empty, ", ", facts->arena) : "none",
		fact->source);
	facts_setf(facts, keys[2], fact->source, "%.0f", peak);
}
