#include "cli/options.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

static const struct cli_option everywhere[] = {
	{.name = "project",
		.letter = 'C',
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(session.project),
		.value = "DIR",
		.help = "The project's folder; else the nearest one upwards with workloads/ and matrices/"},
	{.name = "archive",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(session.archive),
		.value = "DIR",
		.help = "The archive's folder; else archive/ in the project"},
	{.name = "quiet",
		.letter = 'q',
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(quiet),
		.help = "No progress and no remarks: results and errors only"},
	{.name = "verbose",
		.letter = 'v',
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(verbose),
		.help = "More details"},
	{.name = "help",
		.letter = 'h',
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(help),
		.help = "Say what the command does and which options it has"},
};
const struct option_table options_everywhere = OPTION_TABLE(everywhere);

static const struct cli_option before[] = {
	{.name = "version",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(show_version),
		.help = "The same as the command version"},
};
const struct option_table options_before = OPTION_TABLE(before);

/* Room for the value of an option: its member. */
static void *member(struct arguments *arguments, const struct cli_option *option)
{
	return (char *)arguments + option->offset;
}

static bool within(const struct cli_option *option, double x)
{
	return x >= option->min && x <= option->max;
}

static bool set_count(const struct cli_option *option, const char *text, uint32_t *count)
{
	uint64_t n;

	if (!num_parse_u64(text, &n) || !within(option, (double)n))
		return false;
	*count = (uint32_t)n;
	return true;
}

static bool set_range(const struct cli_option *option, const char *text, uint32_t *range)
{
	uint64_t low, high;

	if (!num_parse_range(text, &low, &high) || !within(option, (double)low) ||
		!within(option, (double)high))
		return false;
	range[0] = (uint32_t)low;
	range[1] = (uint32_t)high;
	return true;
}

static bool set_duration(const struct cli_option *option, const char *text, int64_t *duration_ns)
{
	int64_t ns;

	if (!num_parse_duration(text, &ns) || !within(option, (double)ns))
		return false;
	*duration_ns = ns;
	return true;
}

static bool set_percent(const struct cli_option *option, const char *text, double *fraction)
{
	double x;

	if (!num_parse_percent(text, &x) || !within(option, x))
		return false;
	*fraction = x;
	return true;
}

static bool set_hex(const struct cli_option *option, const char *text, const char **hex)
{
	if (strlen(text) != (size_t)option->max || strspn(text, "0123456789abcdef") != strlen(text))
		return false;
	*hex = text;
	return true;
}

/* A text that is given must say something: an empty one comes from an unset variable of a script. */
static bool set_text(const char *text, const char **value)
{
	*value = text;
	return text[0] != '\0';
}

static bool set_value(const struct cli_option *option, const char *text, struct arena *arena, void *value)
{
	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)value = true;
		return true;
	case OPTION_OPTIONAL:
		*(const char **)value = text != NULL ? text : "";
		return true;
	case OPTION_TEXT:
		return set_text(text, value);
	case OPTION_LIST:
		words_add(value, arena, text);
		return text[0] != '\0';
	case OPTION_COUNT:
		return set_count(option, text, value);
	case OPTION_RANGE:
		return set_range(option, text, value);
	case OPTION_DURATION:
		return set_duration(option, text, value);
	case OPTION_PERCENT:
		return set_percent(option, text, value);
	case OPTION_HEX:
		return set_hex(option, text, value);
	}
	return false;
}

static bool takes_word(const struct cli_option *option)
{
	return option->kind != OPTION_FLAG && option->kind != OPTION_OPTIONAL;
}

static const struct cli_option *find_long(const struct option_table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table->n; i++)
		if (strlen(table->v[i].name) == length && memcmp(table->v[i].name, name, length) == 0)
			return &table->v[i];
	return NULL;
}

static const struct cli_option *find_letter(const struct option_table *table, char letter)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->v[i].letter != '\0' && table->v[i].letter == letter)
			return &table->v[i];
	return NULL;
}

static int unknown_option(
	const struct option_table *own, const char *word, size_t length, struct arena *arena, struct error *e)
{
	VEC(const char *) names = {0};
	const char *nearest;

	for (size_t i = 0; i < own->n; i++)
		vec_push(&names, arena_printf(arena, "--%s", own->v[i].name));
	for (size_t i = 0; i < options_everywhere.n; i++)
		vec_push(&names, arena_printf(arena, "--%s", options_everywhere.v[i].name));
	nearest = text_nearest(arena_strndup(arena, word, length), names.v, names.n);
	vec_release(&names);
	error_set(e, EXIT_USAGE, "there is no option %.*s here", (int)length, word);
	if (nearest != NULL)
		error_advice(e, "did you mean %s?", nearest);
	return -1;
}

static int missing_value(const struct cli_option *option, struct arena *arena, struct error *e)
{
	return error_set(e, EXIT_USAGE, "%s has no value; write %s",
		option->name[0] == '\0' ? "?" : option->name, option_usage(option, arena));
}

static int bad_value(const struct cli_option *option, const char *text, struct error *e)
{
	return error_set(e, EXIT_USAGE, "--%s: \"%s\" is not a value it takes; allowed: %s", option->name,
		text, option->allowed != NULL ? option->allowed : "any text that is not empty");
}

/* Takes the value that is joined to the option (NULL: none), or else the next word. */
static int take_option(const struct cli_option *option, const char *joined, int argc, char **argv, int *at,
	struct arena *arena, struct arguments *arguments, struct error *e)
{
	const char *text = joined;

	if (option->kind == OPTION_FLAG && joined != NULL)
		return error_set(e, EXIT_USAGE, "--%s takes no value, found \"%s\"", option->name, joined);
	if (takes_word(option) && text == NULL) {
		if (*at + 1 >= argc)
			return missing_value(option, arena, e);
		text = argv[++*at];
	}
	if (!set_value(option, text, arena, member(arguments, option)))
		return bad_value(option, text, e);
	return 0;
}

static int take_long(const struct option_table *own, int argc, char **argv, int *at, struct arena *arena,
	struct arguments *arguments, struct error *e)
{
	const char *word = argv[*at];
	const char *name = word + 2;
	size_t length = strcspn(name, "=");
	const struct cli_option *option = find_long(own, name, length);

	if (option == NULL)
		option = find_long(&options_everywhere, name, length);
	if (option == NULL)
		return unknown_option(own, word, length + 2, arena, e);
	return take_option(
		option, name[length] == '=' ? name + length + 1 : NULL, argc, argv, at, arena, arguments, e);
}

/* Letters may be joined: -qv, -Cdir. */
static int take_letters(const struct option_table *own, int argc, char **argv, int *at, struct arena *arena,
	struct arguments *arguments, struct error *e)
{
	for (const char *p = argv[*at] + 1; *p != '\0'; p++) {
		const struct cli_option *option = find_letter(own, *p);
		const char *joined;

		if (option == NULL)
			option = find_letter(&options_everywhere, *p);
		if (option == NULL)
			return unknown_option(own, arena_printf(arena, "-%c", *p), 2, arena, e);
		joined = takes_word(option) && p[1] != '\0' ? p + 1 : NULL;
		if (take_option(option, joined, argc, argv, at, arena, arguments, e) != 0)
			return -1;
		if (takes_word(option))
			return 0;
	}
	return 0;
}

int options_parse(const struct option_table *own, int argc, char **argv, int *at, bool first_word,
	struct arena *arena, struct arguments *arguments, struct error *e)
{
	bool only_words = false;

	for (; *at < argc; ++*at) {
		const char *word = argv[*at];
		int result = 0;

		if (only_words || word[0] != '-' || word[1] == '\0') {
			if (first_word)
				return 0;
			words_add(&arguments->words, arena, word);
			arguments->after_dashes += only_words;
		} else if (strcmp(word, "--") == 0) {
			only_words = true;
		} else if (word[1] == '-') {
			result = take_long(own, argc, argv, at, arena, arguments, e);
		} else {
			result = take_letters(own, argc, argv, at, arena, arguments, e);
		}
		if (result != 0)
			return -1;
	}
	return 0;
}

char *option_usage(const struct cli_option *option, struct arena *arena)
{
	const char *letter = option->letter != '\0' ? arena_printf(arena, "-%c, ", option->letter) : "";

	if (option->kind == OPTION_FLAG)
		return arena_printf(arena, "%s--%s", letter, option->name);
	if (option->kind == OPTION_OPTIONAL)
		return arena_printf(arena, "%s--%s[=%s]", letter, option->name, option->value);
	return arena_printf(arena, "%s--%s %s", letter, option->name, option->value);
}
