#include "toolchain/native.h"

#include <string.h>

#include "base/file.h"
#include "code/functions.h"
#include "toolchain/memory.h"
#include "toolchain/native_words.h"
#include "toolchain/probe_code.h"

static const char *const levels[] = {"-O2", "-O3"};
enum { LEVELS = 2 };

/* --- the explicit words, tried --- */

/* One side at one level. */
struct compiled {
	char hash[HASH_HEX];
	const char *object;
};

static const char *compile(const struct native_work *x, const char *label, const char *level,
	const struct words *flags, struct compiled *c)
{
	struct words all = {0};

	words_add(&all, x->arena, level);
	words_add_all(&all, x->arena, flags);
	return probe_code_compile(&x->asker, label, &all, c->hash, &c->object);
}

/* Names the functions that are not the same; what is in no function (constants) is named as that. */
static void add_differing(const struct native_work *x, const char *level, const struct compiled *native,
	const struct compiled *words)
{
	struct words *differing = &x->out->differing;
	struct code_functions a = {0}, b = {0};
	const size_t before = differing->n;
	struct error e = {0};

	if (code_functions(&native->object, 1, NULL, x->arena, &a, &e) != 0 ||
		code_functions(&words->object, 1, NULL, x->arena, &b, &e) != 0) {
		words_addf(differing, x->arena, "some function at %s", level);
		return;
	}
	for (size_t i = 0; i < a.n; i++)
		for (size_t k = 0; k < b.n; k++)
			if (strcmp(a.v[i].name, b.v[k].name) == 0 && !text_same(a.v[i].hash, b.v[k].hash))
				words_addf(differing, x->arena, "%s at %s", a.v[i].name, level);
	if (differing->n == before)
		words_addf(differing, x->arena, "%s at %s",
			a.n == b.n ? "constants" : "the number of functions", level);
}

static size_t count_functions(const struct native_work *x, const char *object)
{
	struct code_functions functions = {0};

	return code_functions(&object, 1, NULL, x->arena, &functions, NULL) == 0 ? functions.n : 0;
}

/* Native at each level: the same, whatever words are tried against it. Returns NULL, or why one does not compile. */
static const char *compile_native(
	const struct native_work *x, const struct words *flags, struct compiled natives[LEVELS])
{
	const char *problem = NULL;

	for (size_t l = 0; l < LEVELS && problem == NULL; l++)
		problem = compile(
			x, arena_printf(x->arena, "native%s", levels[l]), levels[l], flags, &natives[l]);
	if (problem == NULL)
		x->out->functions = count_functions(x, natives[0].object);
	return problem;
}

/* Compares at each level; what differs is listed. Returns false with the reason when one does not compile. */
static bool compare(struct native_work *x, const struct compiled natives[LEVELS], const struct words *words)
{
	struct native *out = x->out;

	out->differing = (struct words){0};
	for (size_t l = 0; l < LEVELS; l++) {
		struct compiled tried;

		out->tried_reason = compile(x, "words", levels[l], words, &tried);
		if (out->tried_reason != NULL)
			return false;
		if (strcmp(natives[l].hash, tried.hash) != 0)
			add_differing(x, levels[l], &natives[l], &tried);
	}
	out->tried = out->differing.n == 0 ? NATIVE_SAME : NATIVE_DIFFERS;
	return true;
}

/* Only whether they are the same: the first level that differs, or is refused, ends it. */
static bool is_same(
	const struct native_work *x, const struct compiled natives[LEVELS], const struct words *words)
{
	for (size_t l = 0; l < LEVELS; l++) {
		struct compiled tried;

		x->out->tried_reason = compile(x, "words", levels[l], words, &tried);
		if (x->out->tried_reason != NULL || strcmp(natives[l].hash, tried.hash) != 0)
			return false;
	}
	return true;
}

/* gcc's native also sets the cache sizes; the code of the probes mostly does not depend on them, so they come last. */
static struct words with_cache_sizes(const struct native_work *x)
{
	const char *params = facts_value(&x->out->resolved.facts, "resolved.params");
	struct words all = {0}, list = {0};

	words_add_all(&all, x->arena, &x->out->command);
	if (params != NULL)
		(void)words_split(&list, x->arena, params, NULL, NULL);
	for (size_t i = 0; i < list.n; i++) {
		if (strstr(list.v[i], "cache-size") == NULL)
			continue;
		words_add(&all, x->arena, "--param");
		words_add(&all, x->arena, list.v[i]);
	}
	return all;
}

static void try_command(struct native_work *x, const struct words *native)
{
	struct words more = with_cache_sizes(x);
	struct compiled natives[LEVELS];
	struct native *out = x->out;

	out->tried_reason = compile_native(x, native, natives);
	if (out->tried_reason != NULL || !compare(x, natives, &out->command) || out->tried == NATIVE_SAME ||
		more.n == out->command.n || !is_same(x, natives, &more))
		return;
	out->differing = (struct words){0};
	out->tried = NATIVE_SAME;
	out->command = more;
	out->with_cache_sizes = true;
}

static void set_level(const struct native_work *x)
{
	struct native *out = x->out;
	const struct words all = native_features(x, &out->resolved);

	out->features = (struct features){.own = all};
	out->level = features_level(&out->features);
	for (size_t i = 0; i < all.n; i++)
		if (!features_in_level(all.v[i], out->level) && strcmp(all.v[i], "__MMX__") != 0 &&
			strcmp(all.v[i], "__FXSR__") != 0)
			words_add(&out->beyond, x->arena, features_flag(x->arena, all.v[i]));
}

/* What was tried, kept for the next time. */
static void save(const struct native *native, const char *key)
{
	json_t *document = json_object();
	const struct words *const lists[] = {&native->command, &native->differing};
	static const char *const names[] = {"command", "differing"};

	for (size_t i = 0; i < 2; i++) {
		json_t *list = json_array();

		for (size_t k = 0; k < lists[i]->n; k++)
			json_array_append_new(list, json_safe_string(lists[i]->v[k]));
		json_object_set_new(document, names[i], list);
	}
	json_object_set_new(document, "tried", json_integer((json_int_t)native->tried));
	json_object_set_new(document, "functions", json_integer((json_int_t)native->functions));
	json_object_set_new(document, "cache_sizes", json_boolean(native->with_cache_sizes));
	memory_put(native->toolchain, key, document);
	json_decref(document);
}

static void restore_words(struct words *words, struct arena *arena, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *word = json_string_value(json_array_get(list, i));

		words_add(words, arena, word != NULL ? word : "");
	}
}

static bool restore(struct native *native, struct arena *arena, const char *key)
{
	json_t *document = memory_get(native->toolchain, key);
	const int64_t tried = json_int(document, "tried", NATIVE_UNTRIED);
	const bool known = tried == NATIVE_SAME || tried == NATIVE_DIFFERS;

	if (known) {
		restore_words(&native->command, arena, json_object_get(document, "command"));
		restore_words(&native->differing, arena, json_object_get(document, "differing"));
		native->tried = (enum native_tried)tried;
		native->functions = (size_t)json_int(document, "functions", 0);
		native->with_cache_sizes = json_flag(document, "cache_sizes", false);
	}
	json_decref(document);
	return known;
}

static void find_command(struct native_work *x, const struct words *flags)
{
	struct words hash = {0};
	const struct words *const lists[] = {flags, &hash, NULL};
	struct native *native = x->out;
	char key[HASH_HEX];
	struct error e = {0};
	const char *folder;

	words_add(&hash, x->arena, native->resolved.hash);
	memory_key(x->t, "native in words", lists, key);
	if (restore(native, x->arena, key))
		return;
	folder = ask_folder(x->arena, x->t->memory->scratch, &e);
	if (folder == NULL) {
		native->tried_reason = arena_strdup(x->arena, e.text);
		return;
	}
	x->asker = memory_asker(x->t, x->arena, folder);
	native_words(x, flags);
	try_command(x, flags);
	(void)file_remove_tree(folder, NULL);
	if (native->tried_reason == NULL)
		save(native, key);
}

void native_ask(const struct toolchain *t, struct arena *arena, struct native *native)
{
	const bool arm = strcmp(t->arch, "aarch64") == 0 || strcmp(t->arch, "arm") == 0;
	struct native_work x = {.arena = arena, .t = t, .out = native};
	struct words flags = {0};
	struct error e = {0};

	*native = (struct native){.toolchain = t, .flag = arm ? "-mcpu=native" : "-march=native"};
	words_add(&flags, arena, native->flag);
	if (native_resolve(&x, &flags, &native->resolved, &e) != 0) {
		native->reason = arena_strdup(arena, e.text);
		return;
	}
	if (t->memory->style == STYLE_TCC) {
		native->reason = arena_printf(arena, "tcc takes %s and ignores it", native->flag);
		return;
	}
	set_level(&x);
	if (native->resolved.march == NULL && native->resolved.mcpu == NULL) {
		native->tried_reason = "it names no CPU that could be written instead";
		return;
	}
	find_command(&x, &flags);
}

const char *native_common(const struct native *natives, size_t count, struct arena *arena, const char **why)
{
	const char *lowest = NULL, *flags;
	struct words words = {0};

	*why = "there is no toolchain to which native means something";
	for (size_t i = 0; i < count; i++) {
		if (natives[i].reason != NULL)
			continue;
		if (natives[i].level == NULL) {
			*why = "there are levels of instruction sets for x86-64 only";
			return NULL;
		}
		/* "x86-64" < "x86-64-v2" < ... also as texts */
		if (lowest == NULL || strcmp(natives[i].level, lowest) < 0)
			lowest = natives[i].level;
	}
	if (lowest == NULL)
		return NULL;
	flags = arena_printf(arena, "-march=%s -mtune=generic", lowest);
	(void)words_split(&words, arena, flags, NULL, NULL);
	for (size_t i = 0; i < count; i++) {
		struct flag_probe probe;

		if (natives[i].reason != NULL)
			continue;
		probe = toolchain_probe_flags(natives[i].toolchain, &words, NULL, arena);
		/* what it says beside it may be about other things */
		if (probe.answer == FLAG_TAKEN || probe.answer == FLAG_WARNED)
			continue;
		*why = arena_printf(
			arena, "%s does not take %s: %s", natives[i].toolchain->own_slot, flags, probe.text);
		return NULL;
	}
	*why = NULL;
	return flags;
}
