#include "toolchain/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* Dropped with the word behind them: names of files and folders, which differ from one compile to the next. */
static const char *const dropped_pairs[] = {"-o", "-x", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-auxbase",
	"-auxbase-strip", "-main-file-name", "-resource-dir", "-internal-isystem",
	"-internal-externc-isystem", "-fdebug-compilation-dir", "-fcoverage-compilation-dir", "-iprefix",
	"-header-include-file", "-dependency-file"};
/* Dropped alone. */
static const char *const dropped[] = {"-quiet", "/dev/null", "-cc1", "-fdebug-compilation-dir=*",
	"-fcoverage-compilation-dir=*", "-emit-obj"};

static bool in_list(const char *const *list, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (text_glob(list[i], word))
			return true;
	return false;
}

/* Is it the line that starts the compiler proper? */
static bool is_compiler(const struct words *words)
{
	if (words->n < 2)
		return false;
	return strcmp(file_name(words->v[0]), "cc1") == 0 || strcmp(words->v[1], "-cc1") == 0;
}

static bool find_line(struct arena *arena, const char *text, struct words *found)
{
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");
		struct words words = {0};

		/* Commands are indented; all else is about the driver. */
		if (text[0] == ' ' &&
			words_split(&words, arena, arena_strndup(arena, text, length), NULL, NULL) == 0 &&
			is_compiler(&words)) {
			*found = words;
			return true;
		}
		text += length + (text[length] == '\n');
	}
	return false;
}

static int by_name(const void *left, const void *right)
{
	const char *a = *(char *const *)left, *b = *(char *const *)right;

	return strcmp(a + 1, b + 1);
}

/* "+avx2" or "-avx2": the later one wins. */
static void add_feature(struct words *features, struct arena *arena, const char *feature)
{
	for (size_t i = 0; i < features->n; i++)
		if (strcmp(features->v[i] + 1, feature + 1) == 0) {
			features->v[i] = arena_strdup(arena, feature);
			return;
		}
	words_add(features, arena, feature);
}

/* A word that has its value behind it; true: both were used up. */
static bool take_pair(struct command_line *line, struct arena *arena, const char *word, const char *value)
{
	if (strcmp(word, "-target-feature") == 0 && value[0] != '\0')
		add_feature(&line->features, arena, value);
	else if (strcmp(word, "-target-cpu") == 0)
		line->cpu = arena_strdup(arena, value);
	else if (strcmp(word, "-tune-cpu") == 0)
		line->tune = arena_strdup(arena, value);
	else if (strcmp(word, "--param") == 0)
		words_add(&line->params, arena, value);
	else if (!in_list(dropped_pairs, sizeof(dropped_pairs) / sizeof(dropped_pairs[0]), word))
		return false;
	return true;
}

/* Of several -O only the last one counts. */
static void keep_last_level(struct words *options)
{
	size_t last = options->n, kept = 0;

	for (size_t i = 0; i < options->n; i++)
		if (text_starts(options->v[i], "-O"))
			last = i;
	for (size_t i = 0; i < options->n; i++)
		if (i == last || !text_starts(options->v[i], "-O"))
			options->v[kept++] = options->v[i];
	options->n = kept;
	if (options->v != NULL)
		options->v[kept] = NULL;
}

bool command_line_parse(struct arena *arena, const char *text, struct command_line *line)
{
	struct words words = {0};

	*line = (struct command_line){0};
	if (!find_line(arena, text, &words))
		return false;
	for (size_t i = 1; i < words.n; i++) {
		const char *word = words.v[i];

		if (i + 1 < words.n && take_pair(line, arena, word, words.v[i + 1]))
			i++;
		else if (text_starts(word, "--param="))
			words_add(&line->params, arena, word + strlen("--param="));
		else if (!in_list(dropped, sizeof(dropped) / sizeof(dropped[0]), word))
			words_add(&line->options, arena, word);
	}
	keep_last_level(&line->options);
	if (line->features.n > 0)
		qsort(line->features.v, line->features.n, sizeof(*line->features.v), by_name);
	return true;
}
