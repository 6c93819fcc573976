#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "toolchain/command_line.h"
#include "toolchain/hint.h"
#include "toolchain/macros.h"
#include "toolchain/memory.h"

struct resolving {
	struct arena *arena;
	const struct toolchain *t;
	const struct words *cflags;
	struct asker asker;
	struct resolved *out;
	struct hash hash;
	struct error *e;
};

static int refuse(const struct resolving *r, const char *what, const struct answer *answer)
{
	return error_set(r->e, EXIT_CANNOT, "asking %s what %s means (%s): %s%s", r->t->cc.v[0],
		r->cflags->n > 0 ? words_join(r->cflags, r->arena) : "no flag", what, answer->problem,
		hint_refused(r->t, r->cflags, r->arena));
}

/* The flags, then the words of the question. */
static struct answer ask_with(const struct resolving *r, const char *const *question)
{
	struct words words = {0};

	words_add_all(&words, r->arena, r->cflags);
	for (; *question != NULL; question++)
		words_add(&words, r->arena, *question);
	return ask_words(&r->asker, &words);
}

static int ask_macros(struct resolving *r)
{
	const struct answer answer =
		ask_with(r, (const char *const[]){"-dM", "-E", "-x", "c", "/dev/null", NULL});
	char hex[HASH_HEX];

	if (!answer.ok)
		return refuse(r, "-dM -E", &answer);
	macros_hash(r->arena, answer.out, hex);
	hash_add_field(&r->hash, hex);
	facts_set(&r->out->facts, "resolved.macros.sha256", hex, "-dM -E");
	facts_set(&r->out->facts, "resolved.features", macros_features(r->arena, answer.out), "-dM -E");
	return 0;
}

/* One line of --help=: "  -mavx2   [enabled]" gives "-mavx2 [enabled]"; NULL: it is none. */
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

static struct words option_lines(struct arena *arena, const char *text)
{
	struct words lines = {0};

	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");
		const char *line = option_line(arena, text, length);

		if (line != NULL)
			words_add(&lines, arena, line);
		text += length + (text[length] == '\n');
	}
	if (lines.n > 0)
		qsort(lines.v, lines.n, sizeof(*lines.v), text_compare);
	return lines;
}

static void hash_lines(struct resolving *r, const struct words *lines, const char *key, const char *source)
{
	struct hash hash;
	char hex[HASH_HEX];

	hash_init(&hash);
	for (size_t i = 0; i < lines->n; i++)
		hash_add_field(&hash, lines->v[i]);
	hash_final_hex(&hash, hex);
	hash_add_field(&r->hash, hex);
	facts_set(&r->out->facts, key, hex, source);
}

/* The value of "-march=" among the lines; NULL: absent or empty. */
static const char *line_value(const struct words *lines, const char *name)
{
	for (size_t i = 0; i < lines->n; i++)
		if (text_starts(lines->v[i], name) && lines->v[i][strlen(name)] == ' ')
			return lines->v[i][strlen(name) + 1] != '\0' ? lines->v[i] + strlen(name) + 1 : NULL;
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

static int ask_gcc_help(struct resolving *r)
{
	const struct answer target = ask_with(r, (const char *const[]){"-Q", "--help=target", NULL});
	const struct answer optimizers = ask_with(r, (const char *const[]){"-Q", "--help=optimizers", NULL});
	struct words lines;
	const char *width;

	if (!target.ok)
		return refuse(r, "-Q --help=target", &target);
	lines = option_lines(r->arena, target.out);
	hash_lines(r, &lines, "resolved.target_options.sha256", "-Q --help=target");
	facts_set(&r->out->facts, "resolved.target_options", enabled(r->arena, &lines), "-Q --help=target");
	r->out->march = line_value(&lines, "-march=");
	r->out->mtune = line_value(&lines, "-mtune=");
	r->out->mcpu = line_value(&lines, "-mcpu=");
	width = line_value(&lines, "-mprefer-vector-width=");
	if (width != NULL)
		facts_set(&r->out->facts, "resolved.vector_width", width, "-Q --help=target");
	if (optimizers.ok) {
		lines = option_lines(r->arena, optimizers.out);
		hash_lines(r, &lines, "resolved.optimizers.sha256", "-Q --help=optimizers");
	}
	return 0;
}

static void hash_words(struct hash *hash, const struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		hash_add_field(hash, words->v[i]);
	hash_add_field(hash, NULL);
}

static int ask_command(struct resolving *r)
{
	const struct answer answer =
		ask_with(r, (const char *const[]){"-###", "-c", "-x", "c", "/dev/null", "-o", "x.o", NULL});
	struct command_line line;
	const char *options;

	if (!answer.ok)
		return refuse(r, "-###", &answer);
	if (!command_line_parse(r->arena, answer.err, &line)) {
		facts_unknown(&r->out->facts, "resolved.cc1", "-###",
			"it prints no command of the compiler proper");
		return 0;
	}
	hash_words(&r->hash, &line.options);
	hash_words(&r->hash, &line.features);
	hash_add_field(&r->hash, line.cpu);
	hash_add_field(&r->hash, line.tune);
	options = words_join(&line.options, r->arena);
	facts_set(&r->out->facts, "resolved.cc1", options, "-###");
	if (line.features.n > 0)
		facts_set(&r->out->facts, "resolved.target_options", words_join(&line.features, r->arena),
			"-###");
	if (line.params.n > 0)
		facts_set(&r->out->facts, "resolved.params", words_join(&line.params, r->arena), "-###");
	if (r->t->memory->style == STYLE_CLANG) {
		r->out->march = line.cpu;
		r->out->mtune = line.tune;
	}
	return 0;
}

/* Was native asked for, and what did it become? */
static void judge_native(struct resolving *r)
{
	const char *asked = NULL, *became;

	for (size_t i = 0; i < r->cflags->n; i++)
		if (text_starts(r->cflags->v[i], "-march=") || text_starts(r->cflags->v[i], "-mcpu="))
			asked = r->cflags->v[i];
	if (asked == NULL || !text_ends(asked, "=native") || r->t->memory->style == STYLE_TCC)
		return;
	became = text_starts(asked, "-mcpu=") && r->out->mcpu != NULL ? r->out->mcpu : r->out->march;
	r->out->native_is_generic = became == NULL || hint_is_generic(became);
	facts_set(&r->out->facts, "resolved.native_is_generic", r->out->native_is_generic ? "yes" : "no",
		asked);
}

static void set_model(struct resolving *r, const char *key, const char *value)
{
	const char *source = r->t->memory->style == STYLE_CLANG ? "-###" : "-Q --help=target";

	if (value != NULL)
		facts_set(&r->out->facts, key, value, source);
}

static int ask_all(struct resolving *r)
{
	const enum spec_family_style style = r->t->memory->style;

	hash_init(&r->hash);
	if (ask_macros(r) != 0)
		return -1;
	if (style == STYLE_GCC && ask_gcc_help(r) != 0)
		return -1;
	if (style != STYLE_TCC && ask_command(r) != 0)
		return -1;
	judge_native(r);
	set_model(r, "resolved.march", r->out->march);
	set_model(r, "resolved.mtune", r->out->mtune);
	set_model(r, "resolved.mcpu", r->out->mcpu);
	hash_final_hex(&r->hash, r->out->hash);
	return 0;
}

static void save(const struct toolchain *t, const char *key, const struct resolved *resolved)
{
	json_t *document = json_object();

	json_object_set_new(document, "hash", json_safe_string(resolved->hash));
	json_object_set_new(document, "facts", facts_to_json(&resolved->facts));
	memory_put(t, key, document);
	json_decref(document);
}

static bool restore(
	const struct toolchain *t, const char *key, struct arena *arena, struct resolved *resolved)
{
	json_t *document = memory_get(t, key);
	const char *hash = json_text(document, "hash", "");
	struct resolved known = {.facts = {.arena = arena}};
	const char *generic;

	if (strlen(hash) != HASH_HEX - 1 ||
		facts_from_json(&known.facts, json_object_get(document, "facts"), "the cache", NULL) != 0) {
		json_decref(document);
		return false;
	}
	memcpy(known.hash, hash, HASH_HEX);
	json_decref(document);
	known.march = facts_value(&known.facts, "resolved.march");
	known.mtune = facts_value(&known.facts, "resolved.mtune");
	known.mcpu = facts_value(&known.facts, "resolved.mcpu");
	generic = facts_value(&known.facts, "resolved.native_is_generic");
	known.native_is_generic = generic != NULL && strcmp(generic, "yes") == 0;
	*resolved = known;
	return true;
}

int toolchain_resolve(const struct toolchain *t, const struct words *cflags, struct arena *arena,
	struct resolved *resolved, struct error *e)
{
	const struct words *const lists[] = {cflags, NULL};
	struct resolved fresh = {.facts = {.arena = arena}};
	struct resolving r = {.arena = arena, .t = t, .cflags = cflags, .out = &fresh, .e = e};
	const char *folder;
	char key[HASH_HEX];
	int result;

	memory_key(t, "resolve", lists, key);
	if (restore(t, key, arena, resolved))
		return 0;
	folder = ask_folder(arena, t->memory->scratch, e);
	if (folder == NULL)
		return -1;
	r.asker = memory_asker(t, arena, folder);
	result = ask_all(&r);
	(void)file_remove_tree(folder, NULL);
	if (result != 0)
		return -1;
	save(t, key, &fresh);
	*resolved = fresh;
	return 0;
}
