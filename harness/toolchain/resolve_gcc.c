#include "toolchain/resolve.h"

#include <stdlib.h>
#include <string.h>

/* gcc's own lists of its options and what they are set to: -Q --help=. */

/* One line: "  -mavx2   [enabled]" gives "-mavx2 [enabled]"; NULL: it is none. */
static const char *option_line(struct arena *arena, const char *line, size_t length)
{
	const char *name = line + 2, *value;
	size_t name_length;

	if (length < 4 || strncmp(line, "  -", 3) != 0)
		return NULL;
	name_length = strcspn(name, " \t\n");
	value = name + name_length;
	value += strspn(value, " \t");
	length -= (size_t)(value - line) < length ? (size_t)(value - line) : length;
	while (length > 0 && strchr(" \t\r", value[length - 1]) != NULL)
		length--;
	return arena_printf(arena, "%.*s %.*s", (int)name_length, name, (int)length, value);
}

void resolve_help_section(struct arena *arena, const char *text, const char *section, struct words *lines)
{
	bool inside = false;

	*lines = (struct words){0};
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");
		const char *line = option_line(arena, text, length);

		/* "The following options are target specific:", "The following options control optimizations:" */
		if (length > 0 && text[0] != ' ')
			inside = strstr(arena_strndup(arena, text, length), section) != NULL;
		else if (inside && line != NULL)
			words_add(lines, arena, line);
		text += length + (text[length] == '\n');
	}
	if (lines->n > 0)
		qsort(lines->v, lines->n, sizeof(*lines->v), text_compare);
}

static void hash_lines(struct resolving *r, const struct words *lines, const char *key)
{
	struct hash hash;
	char hex[HASH_HEX];

	hash_init(&hash);
	for (size_t i = 0; i < lines->n; i++)
		hash_add_field(&hash, lines->v[i]);
	hash_final_hex(&hash, hex);
	hash_add_field(&r->hash, hex);
	resolve_set(r, key, hex, "-Q --help=");
}

const char *resolve_help_value(const struct words *lines, const char *name)
{
	const bool joined = text_ends(name, "=");

	for (size_t i = 0; i < lines->n; i++) {
		const char *value = strchr(lines->v[i], ' ');

		if (!text_starts(lines->v[i], name) || value == NULL)
			continue;
		/* "-ffp-contract=[off|on|fast] fast": what stands behind the = is a placeholder */
		if (joined || lines->v[i] + strlen(name) == value)
			return value[1] != '\0' ? value + 1 : NULL;
	}
	return NULL;
}

/*
 * What is on, or has a value, as one would write it: "-mavx2 -march=haswell". Placeholders in names are dropped
 * ("-mbranch-cost=<0,5>"), and so are lines that only name another option ("-mfused-madd  -ffp-contract=fast").
 */
static const char *enabled(struct arena *arena, const struct words *lines)
{
	struct words on = {0};

	for (size_t i = 0; i < lines->n; i++) {
		const char *value = strchr(lines->v[i], ' ') + 1;
		const int name = (int)strcspn(lines->v[i], " <");

		if (strcmp(value, "[enabled]") == 0)
			words_addf(&on, arena, "%.*s", name, lines->v[i]);
		else if (value[0] != '\0' && value[0] != '[' && value[0] != '-')
			words_addf(&on, arena, "%.*s%s", name, lines->v[i], value);
	}
	return words_join(&on, arena);
}

static void set_cache_line(const struct resolving *r)
{
	const char *bytes = resolve_help_value(&r->params, "--param=l1-cache-line-size=");

	if (bytes != NULL)
		resolve_set(r, "resolved.cache_line", bytes, "-Q --help=params");
	else
		facts_unknown(&r->out->facts, "resolved.cache_line", "-Q --help=params",
			"this gcc does not list its parameters with their values");
}

int resolve_gcc_help(struct resolving *r)
{
	const char *text = r->answers[ASK_HELP].out;

	if (!r->answers[ASK_HELP].ok)
		return resolve_refuse(r, "-Q --help=target", ASK_HELP);
	resolve_help_section(r->arena, text, "target specific", &r->target);
	resolve_help_section(r->arena, text, "optimizations", &r->optimizers);
	resolve_help_section(r->arena, text, "parameters", &r->params);
	hash_lines(r, &r->target, "resolved.target_options.sha256");
	hash_lines(r, &r->optimizers, "resolved.optimizers.sha256");
	resolve_set(r, "resolved.target_options", enabled(r->arena, &r->target), "-Q --help=target");
	r->out->march = resolve_help_value(&r->target, "-march=");
	r->out->mtune = resolve_help_value(&r->target, "-mtune=");
	r->out->mcpu = resolve_help_value(&r->target, "-mcpu=");
	set_cache_line(r);
	return 0;
}
