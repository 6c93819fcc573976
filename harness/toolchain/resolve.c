#include "toolchain/resolve.h"

#include <string.h>

#include "base/file.h"
#include "toolchain/cache.h"
#include "toolchain/hint.h"
#include "toolchain/macros.h"

/* Raise it when facts mean something else, or others are found: builds made by older answers are then others. */
static const char *const meaning = "flagstone resolved 2";

int resolve_refuse(const struct resolving *r, const char *what, enum resolve_question question)
{
	return error_set(r->e, EXIT_CANNOT, "asking %s what %s means (%s): %s%s", r->t->cc.v[0],
		r->cflags->n > 0 ? words_join(r->cflags, r->arena) : "no flag", what,
		r->answers[question].problem, hint_refused(r->t, r->cflags, r->arena));
}

/* The flags, then the words of the question; the list ends with NULL. */
static struct words question_of(const struct resolving *r, const char *const *question)
{
	struct words words = {0};

	words_add_all(&words, r->arena, r->cflags);
	for (; *question != NULL; question++)
		words_add(&words, r->arena, *question);
	return words;
}

/* The assembly of the widths' question is kept by its own words: many sets of flags share it. */
static bool recall_width(struct resolving *r, const struct words *words)
{
	const struct words *const lists[] = {words, NULL};
	json_t *document;

	memory_key(r->t, "resolve width", lists, r->width_key);
	document = memory_get(r->t, r->width_key);
	if (document != NULL)
		r->answers[ASK_WIDTH] = (struct answer){.ok = true,
			.out = arena_strdup(r->arena, json_text(document, "assembly", "")),
			.err = ""};
	json_decref(document);
	return r->answers[ASK_WIDTH].ok;
}

static void keep_width(const struct resolving *r)
{
	json_t *document = json_object();

	json_object_set_new(document, "assembly", json_safe_string(r->answers[ASK_WIDTH].out));
	memory_put(r->t, r->width_key, document);
	json_decref(document);
}

/* All at once, since each waits mostly for the compiler to start. Returns why widths cannot be asked, or NULL. */
static const char *ask_compiler(struct resolving *r)
{
	static const char *const macros[] = {"-dM", "-E", "-x", "c", "/dev/null", NULL};
	static const char *const command[] = {"-###", "-c", "-x", "c", "/dev/null", "-o", "x.o", NULL};
	static const char *const help[] = {"-Q", "--help=target", "--help=optimizers", "--help=params", NULL};
	const enum spec_family_style style = r->t->memory->style;
	enum resolve_question asked[ASK_COUNT] = {ASK_MACROS};
	struct words questions[ASK_COUNT] = {question_of(r, macros)};
	struct answer answers[ASK_COUNT];
	const char *unasked = NULL;
	size_t n = 1;

	if (style != STYLE_TCC) {
		asked[n] = ASK_COMMAND;
		questions[n++] = question_of(r, command);
		unasked = resolve_width_question(r, &questions[n]);
		if (unasked == NULL && !recall_width(r, &questions[n]))
			asked[n++] = ASK_WIDTH;
	}
	if (style == STYLE_GCC) {
		asked[n] = ASK_HELP;
		questions[n++] = question_of(r, help);
	}
	ask_several(&r->asker, questions, n, answers);
	for (size_t i = 0; i < n; i++) {
		r->answers[asked[i]] = answers[i];
		if (asked[i] == ASK_WIDTH && answers[i].ok)
			keep_width(r);
	}
	return unasked;
}

void resolve_set(const struct resolving *r, const char *key, const char *value, const char *source)
{
	facts_set(&r->out->facts, key, value, source);
}

static int read_macros(struct resolving *r)
{
	char hex[HASH_HEX];

	if (!r->answers[ASK_MACROS].ok)
		return resolve_refuse(r, "-dM -E", ASK_MACROS);
	r->macros = r->answers[ASK_MACROS].out;
	macros_hash(r->arena, r->macros, hex);
	hash_add_field(&r->hash, hex);
	resolve_set(r, "resolved.macros.sha256", hex, "-dM -E");
	return 0;
}

static void hash_words(struct hash *hash, const struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		hash_add_field(hash, words->v[i]);
	hash_add_field(hash, NULL);
}

/* What stands behind the beginning of each line that has it. */
static void lines_behind(struct arena *arena, const char *text, const char *beginning, struct words *rest)
{
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");

		if (text_starts(text, beginning))
			words_add(rest, arena,
				arena_strndup(arena, text + strlen(beginning), length - strlen(beginning)));
		text += length + (text[length] == '\n');
	}
}

/*
 * Files that say more than the command line: gcc's specs (-specs=, or beside it), clang's configuration files, which it
 * looks for in folders that it names. Their content counts.
 */
static void read_config_files(struct resolving *r, const char *said)
{
	struct arena *arena = r->arena;
	struct words shown = {0};

	lines_behind(arena, said, "Configuration file: ", &r->config_files);
	lines_behind(arena, said, "Reading specs from ", &r->config_files);
	words_add_all(&r->watch, arena, &r->config_files);
	lines_behind(arena, said, "System configuration file directory: ", &r->watch);
	lines_behind(arena, said, "User configuration file directory: ", &r->watch);
	for (size_t i = 0; i < r->config_files.n; i++) {
		const char *path = file_join(arena, r->asker.folder, r->config_files.v[i]);
		char hex[HASH_HEX];

		words_add(&shown, arena, r->config_files.v[i]);
		words_add(&shown, arena, hash_file_hex(path, hex, NULL) == 0 ? hex : "unreadable");
	}
	hash_words(&r->hash, &shown);
	resolve_set(r, "resolved.config_files", words_join(&shown, arena), "-###");
}

static int read_command(struct resolving *r)
{
	const char *said = r->answers[ASK_COMMAND].err;
	const struct command_line *line = &r->line;

	if (!r->answers[ASK_COMMAND].ok)
		return resolve_refuse(r, "-###", ASK_COMMAND);
	read_config_files(r, said);
	r->has_line = command_line_parse(r->arena, said, &r->line);
	if (!r->has_line) {
		facts_unknown(&r->out->facts, "resolved.cc1", "-###",
			"it prints no command of the compiler proper");
		return 0;
	}
	hash_words(&r->hash, &line->options);
	hash_words(&r->hash, &line->features);
	hash_add_field(&r->hash, line->cpu);
	hash_add_field(&r->hash, line->tune);
	resolve_set(r, "resolved.cc1", words_join(&line->options, r->arena), "-###");
	if (line->features.n > 0)
		resolve_set(r, "resolved.target_options", words_join(&line->features, r->arena), "-###");
	if (line->params.n > 0)
		resolve_set(r, "resolved.params", words_join(&line->params, r->arena), "-###");
	if (r->t->memory->style == STYLE_CLANG) {
		r->out->march = line->cpu;
		r->out->mtune = line->tune;
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
	resolve_set(r, "resolved.native_is_generic", r->out->native_is_generic ? "yes" : "no", asked);
}

static void set_model(struct resolving *r, const char *key, const char *value)
{
	const char *source = r->t->memory->style == STYLE_CLANG ? "-###" : "-Q --help=target";

	if (value != NULL)
		resolve_set(r, key, value, source);
}

static int ask_all(struct resolving *r)
{
	const enum spec_family_style style = r->t->memory->style;
	const char *unasked = ask_compiler(r);

	hash_init(&r->hash);
	hash_add_field(&r->hash, meaning);
	if (read_macros(r) != 0)
		return -1;
	if (style == STYLE_GCC && resolve_gcc_help(r) != 0)
		return -1;
	if (style != STYLE_TCC && read_command(r) != 0)
		return -1;
	judge_native(r);
	set_model(r, "resolved.march", r->out->march);
	set_model(r, "resolved.mtune", r->out->mtune);
	set_model(r, "resolved.mcpu", r->out->mcpu);
	resolve_options(r, style != STYLE_TCC ? r->answers[ASK_COMMAND].err : "");
	resolve_fp(r);
	resolve_width(r, unasked);
	resolve_ignored(r);
	hash_final_hex(&r->hash, r->out->hash);
	return 0;
}

static void save(const struct resolving *r, const char *key)
{
	json_t *document = json_object(), *watch = json_array();
	char stamp[HASH_HEX];

	for (size_t i = 0; i < r->watch.n; i++)
		json_array_append_new(watch, json_safe_string(r->watch.v[i]));
	cache_stamp_files(&r->watch, stamp);
	json_object_set_new(document, "hash", json_safe_string(r->out->hash));
	json_object_set_new(document, "facts", facts_to_json(&r->out->facts));
	json_object_set_new(document, "watch", watch);
	json_object_set_new(document, "stamp", json_safe_string(stamp));
	memory_put(r->t, key, document);
	json_decref(document);
}

/* Are the configuration files that it rests on still the same? */
static bool is_current(const json_t *document, struct arena *arena)
{
	const json_t *list = json_object_get(document, "watch");
	struct words watch = {0};
	char stamp[HASH_HEX];

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *path = json_string_value(json_array_get(list, i));

		words_add(&watch, arena, path != NULL ? path : "");
	}
	cache_stamp_files(&watch, stamp);
	return strcmp(json_text(document, "stamp", ""), stamp) == 0;
}

static bool restore(
	const struct toolchain *t, const char *key, struct arena *arena, struct resolved *resolved)
{
	json_t *document = memory_get(t, key);
	const char *hash = json_text(document, "hash", "");
	struct resolved known = {.facts = {.arena = arena}};
	const char *generic;

	if (strlen(hash) != HASH_HEX - 1 || !is_current(document, arena) ||
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

/*
 * The flags as they are asked about, over an empty C file in a folder of its own: without those of C++ that clang
 * refuses for C, and without files to include, which are not there and say nothing about options.
 */
static struct words to_ask(const struct words *cflags, struct arena *arena)
{
	static const char *const for_cxx[] = {"-std=c++*", "-std=gnu++*", "-stdlib=*"};
	static const char *const with_file[] = {"-include", "-imacros"};
	struct words kept = {0};

	for (size_t i = 0; i < cflags->n; i++) {
		bool keep = true;

		for (size_t k = 0; k < sizeof(for_cxx) / sizeof(for_cxx[0]); k++)
			keep &= !text_glob(for_cxx[k], cflags->v[i]);
		if (strcmp(cflags->v[i], with_file[0]) == 0 || strcmp(cflags->v[i], with_file[1]) == 0)
			i++;
		else if (keep)
			words_add(&kept, arena, cflags->v[i]);
	}
	return kept;
}

int toolchain_resolve(const struct toolchain *t, const struct words *cflags, struct arena *arena,
	struct resolved *resolved, struct error *e)
{
	const struct words asked = to_ask(cflags, arena);
	const struct words *const lists[] = {&asked, NULL};
	struct resolved fresh = {.facts = {.arena = arena}};
	struct resolving r = {.arena = arena, .t = t, .cflags = &asked, .out = &fresh, .e = e};
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
	save(&r, key);
	*resolved = fresh;
	return 0;
}
