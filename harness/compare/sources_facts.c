#include <stdlib.h>
#include <string.h>

#include "compare/sources_work.h"

enum { WORDS_SHOWN = 12 };

/* Facts of a build that are compared as they are, in this order. */
static const struct {
	const char *key, *what;
	bool list; /* of words: what one side has and the other has not */
} plain[] = {
	{"build.cflags", "flags asked for", false},
	{"build.cxxflags", "C++ flags asked for", false},
	{"build.ldflags", "flags asked for at the link", false},
	{"resolved.march", "instruction set (-march)", false},
	{"resolved.mtune", "tuned for (-mtune)", false},
	{"resolved.mcpu", "CPU (-mcpu)", false},
	{"resolved.params", "cache sizes and parameters that native stands for", true},
	{"resolved.optimizers.sha256", "the compiler's list of optimizations (its hash)", false},
	{"isa.levels", "instruction set levels that the linker noted", false},
	{"run.env", "environment", false},
	{"run.runner", "runner", false},
	{"code.static", "statically linked", false},
	{"code.needed", "libraries", false},
};

static const struct {
	const char *key, *what;
} sizes[] = {{"size.text_bytes", "the whole program's code"}, {"size.rodata_bytes", "its constants"},
	{"size.data_bytes", "its initialised data"}, {"size.bss_bytes", "its zeroed data"}};

/* Macros that say how wide a vector the compiler may use, the widest first. */
static const struct {
	const char *macro, *bits;
} vectors[] = {{"__AVX512F__", "512"}, {"__AVX__", "256"}, {"__SSE__", "128"}, {"__SSE2__", "128"},
	{"__ARM_FEATURE_SVE", "scalable"}, {"__ARM_NEON", "128"}, {"__riscv_vector", "scalable"},
	{"__ALTIVEC__", "128"}, {"__VX__", "128"}};

struct facing {
	const struct record_build *a, *b;
	struct arena *arena;
	struct sources *out;
};

static void add(struct facing *f, enum source_kind kind, const char *key, const char *what, const char *a,
	const char *b)
{
	if (f->out->fact_count < SOURCE_FACTS)
		f->out->facts[f->out->fact_count++] =
			(struct source_fact){.kind = kind, .key = key, .what = what, .a = a, .b = b};
}

/* Words of the first list that the second does not have. */
static const char *without(const char *list, const char *other, struct arena *arena)
{
	struct words words = {0}, others = {0}, left = {0};
	size_t count = 0;

	/* a foreign record's text may be no words: then it is one */
	if (words_split(&words, arena, list, NULL, NULL) != 0 ||
		words_split(&others, arena, other, NULL, NULL) != 0)
		return strcmp(list, other) == 0 ? "" : list;
	for (size_t i = 0; i < words.n; i++)
		if (!words_have(&others, words.v[i]) && count++ < WORDS_SHOWN)
			words_add(&left, arena, words.v[i]);
	if (count > left.n)
		words_addf(&left, arena, "and %zu more", count - left.n);
	return words_between(&left, " ", arena);
}

static bool differ(const struct facing *f, const char *key, const char **a, const char **b)
{
	*a = facts_value(&f->a->facts, key);
	*b = facts_value(&f->b->facts, key);
	return !text_same(*a, *b);
}

static void compare_words(struct facing *f, const char *key, const char *what)
{
	const char *a, *b, *only_a, *only_b;

	if (!differ(f, key, &a, &b) || f->out->fact_count == SOURCE_FACTS)
		return;
	if ((a == NULL || b == NULL) && !text_starts(key, "resolved.params"))
		return;
	only_a = without(a != NULL ? a : "", b != NULL ? b : "", f->arena);
	only_b = without(b != NULL ? b : "", a != NULL ? a : "", f->arena);
	if (only_a[0] == '\0' && only_b[0] == '\0')
		return;
	add(f, SOURCE_SETTING, key, what, only_a, only_b);
	f->out->facts[f->out->fact_count - 1].words = true;
}

/* Where a compiler or linker does not tell, nothing is known to differ; what was asked for is absent if it was not. */
static void compare_plain(struct facing *f, const char *key, const char *what)
{
	const char *a, *b;
	bool asked = text_starts(key, "build.") || text_starts(key, "run.");

	if (!differ(f, key, &a, &b) || (!asked && (a == NULL || b == NULL)))
		return;
	if (text_ends(key, "sha256")) {
		a = arena_printf(f->arena, "%.12s", a);
		b = arena_printf(f->arena, "%.12s", b);
	}
	add(f, SOURCE_SETTING, key, what, a != NULL ? a : "", b != NULL ? b : "");
}

/* The toolchain's family and version. */
static const char *compiler_of(const struct source_run *run, struct arena *arena)
{
	const char *slot = run->record->builds[run->build].slot;
	const struct record_toolchain *toolchain = record_toolchain(run->record, slot);
	const char *family = toolchain != NULL ? facts_value(&toolchain->facts, "toolchain.family") : NULL;
	const char *version = toolchain != NULL ? facts_value(&toolchain->facts, "toolchain.version") : NULL;

	return family != NULL && version != NULL ? arena_printf(arena, "%s %s", family, version) : NULL;
}

static const char *widest(const struct record_build *build)
{
	const char *features = facts_value(&build->facts, "resolved.features");

	for (size_t i = 0; features != NULL && i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		size_t n = strlen(vectors[i].macro);

		for (const char *at = features; (at = strstr(at, vectors[i].macro)) != NULL; at += n)
			if ((at == features || at[-1] == ' ') &&
				(at[n] == '\0' || at[n] == ' ' || at[n] == '='))
				return vectors[i].bits;
	}
	return NULL;
}

static void compare_vectors(struct facing *f)
{
	static const char key[] = "resolved.vector_width", what[] = "preferred vector width in bits";
	const char *a = facts_value(&f->a->facts, key), *b = facts_value(&f->b->facts, key);
	const char *widest_a = widest(f->a), *widest_b = widest(f->b);

	if (widest_a != NULL && widest_b != NULL && strcmp(widest_a, widest_b) != 0)
		add(f, SOURCE_SETTING, "vectors.widest_bits", "widest vectors allowed, in bits", widest_a,
			widest_b);
	if (a != NULL && b != NULL && strcmp(a, b) != 0)
		add(f, SOURCE_SETTING, key, what, a, b);
	if (a != NULL && b != NULL)
		return;
	sources_unknown(f->out, what,
		a == NULL && b == NULL ? "the compiler of neither tells it"
		: a == NULL ? arena_printf(f->arena, "the compiler of %s does not tell it", f->out->a)
			    : arena_printf(f->arena, "the compiler of %s does not tell it", f->out->b),
		f->arena);
}

static void compare_sizes(struct facing *f)
{
	bool missing = false;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *a, *b;
		bool differs = differ(f, sizes[i].key, &a, &b);

		if (a == NULL || b == NULL)
			missing = true;
		else if (differs)
			add(f, SOURCE_SIZE, sizes[i].key, sizes[i].what, a, b);
	}
	if (missing)
		sources_unknown(f->out, "sizes of the program", "the record does not have them", f->arena);
}

void sources_facts(
	const struct source_run *a, const struct source_run *b, struct arena *arena, struct sources *out)
{
	struct facing f = {.a = &a->record->builds[a->build],
		.b = &b->record->builds[b->build],
		.arena = arena,
		.out = out};
	const char *compiler_a = compiler_of(a, arena), *compiler_b = compiler_of(b, arena);
	const char *features_a, *features_b;

	compare_vectors(&f);
	if (compiler_a != NULL && compiler_b != NULL && strcmp(compiler_a, compiler_b) != 0)
		add(&f, SOURCE_SETTING, "toolchain.version", "compiler", compiler_a, compiler_b);
	compare_words(&f, "resolved.features", "CPU features allowed");
	if (!differ(&f, "resolved.features", &features_a, &features_b))
		compare_words(&f, "resolved.target_options", "the compiler's options for the target");
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (plain[i].list)
			compare_words(&f, plain[i].key, plain[i].what);
		else
			compare_plain(&f, plain[i].key, plain[i].what);
	}
	compare_sizes(&f);
}
