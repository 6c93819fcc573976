#include "toolchain/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "toolchain/features.h"
#include "toolchain/macros.h"

/* What macros and the compiler's own command line tell: options as one word each. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* "-O" is -O1, and above -O3 there is nothing (GCC manual; clang's -O4 "is currently equivalent to -O3"). */
static const char *level_of(const struct words *options, struct arena *arena)
{
	const char *level = NULL;

	for (size_t i = 0; i < options->n; i++)
		if (text_starts(options->v[i], "-O"))
			level = options->v[i] + 2;
	if (level == NULL)
		return "O0";
	if (level[0] == '\0')
		return "O1";
	if (level[0] >= '0' && level[0] <= '9')
		return strlen(level) > 1 || level[0] > '3' ? "O3" : arena_printf(arena, "O%s", level);
	return arena_printf(arena, "O%s", level);
}

/* The last option that matches one of a table's patterns decides. */
struct meaning {
	const char *pattern, *means;
};

static const char *last_meaning(
	const struct words *options, const struct meaning *table, size_t count, const char *none)
{
	const char *means = none;

	for (size_t i = 0; i < options->n; i++)
		for (size_t k = 0; k < count; k++)
			if (text_glob(table[k].pattern, options->v[i])) {
				means = table[k].means;
				break;
			}
	return means;
}

static const char *lto_of(const struct words *options)
{
	static const struct meaning table[] = {
		{"-fno-lto", "none"}, {"-flto=thin", "thin"}, {"-flto", "full"}, {"-flto=*", "full"}};

	return last_meaning(options, table, COUNT(table), "none");
}

/* gcc's words, then what clang's driver makes of the same for -cc1. */
static const char *pgo_of(const struct words *options)
{
	static const struct meaning table[] = {{"-fprofile-generate*", "generate"},
		{"-fprofile-arcs", "generate"}, {"-fprofile-use*", "use"}, {"-fbranch-probabilities", "use"},
		{"-fauto-profile*", "auto"}, {"-fno-profile-generate", "none"}, {"-fno-profile-arcs", "none"},
		{"-fno-profile-use", "none"}, {"-fno-auto-profile", "none"},
		{"-fprofile-instrument=none", "none"}, {"-fprofile-instrument=*", "generate"},
		{"-fprofile-instrument-use-path=*", "use"}, {"-fprofile-sample-use=*", "auto"}};

	return last_meaning(options, table, COUNT(table), "none");
}

static void drop(struct words *words, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->v[i], word) != 0)
			words->v[kept++] = words->v[i];
	words->n = kept;
	if (words->v != NULL)
		words->v[kept] = NULL;
}

/* clang's driver writes a group out (UndefinedBehaviorSanitizer, "Available checks"), gcc's hands it on as a group. */
static void join_undefined(struct words *names, struct arena *arena)
{
	static const char *const core[] = {"alignment", "bool", "enum", "null", "return", "shift-base",
		"shift-exponent", "signed-integer-overflow", "unreachable", "vla-bound"};
	static const char *const more[] = {"array-bounds", "builtin", "function", "integer-divide-by-zero",
		"nonnull-attribute", "pointer-overflow", "returns-nonnull-attribute", "float-cast-overflow",
		"object-size", "vptr"};

	for (size_t i = 0; i < COUNT(core); i++)
		if (!words_have(names, core[i]))
			return;
	for (size_t i = 0; i < COUNT(core); i++)
		drop(names, core[i]);
	for (size_t i = 0; i < COUNT(more); i++)
		drop(names, more[i]);
	words_add(names, arena, "undefined");
}

const char *resolve_sanitizers(const struct words *options, struct arena *arena)
{
	static const char yes[] = "-fsanitize=", no[] = "-fno-sanitize=";
	struct words names = {0};

	for (size_t i = 0; i < options->n; i++) {
		const bool on = text_starts(options->v[i], yes);
		const char *list = options->v[i] + (on ? strlen(yes) : strlen(no));

		if (!on && !text_starts(options->v[i], no))
			continue;
		if (!on && strcmp(list, "all") == 0)
			names = (struct words){0};
		while (*list != '\0') {
			const size_t length = strcspn(list, ",");
			const char *name = arena_strndup(arena, list, length);

			drop(&names, name);
			if (on)
				words_add(&names, arena, name);
			list += length + (list[length] == ',');
		}
	}
	join_undefined(&names, arena);
	if (names.n == 0)
		return "none";
	qsort(names.v, names.n, sizeof(*names.v), text_compare);
	return words_between(&names, ",", arena);
}

static void set_hardening(const struct resolving *r)
{
	static const struct {
		const char *macro, *means;
	} guards[] = {{"__SSP_ALL__", "all"}, {"__SSP_STRONG__", "strong"}, {"__SSP__", "weak"}};
	const char *guard = "none", *cet = macros_value(r->arena, r->macros, "__CET__");
	const char *fortify = macros_value(r->arena, r->macros, "_FORTIFY_SOURCE");

	for (size_t i = COUNT(guards); i-- > 0;)
		if (macros_have(r->macros, guards[i].macro))
			guard = guards[i].means;
	resolve_set(r, "resolved.hardening",
		arena_printf(r->arena, "ssp=%s cet=%s fortify=%s", guard, cet != NULL ? cet : "0",
			fortify != NULL ? fortify : "0"),
		"-dM -E");
}

const char *resolve_tune_name(const char *name)
{
	/* Names that the GCC manual ("x86 Options", -march) or LLVM's X86TargetParser list as the same CPU. */
	static const struct {
		const char *other, *name;
	} names[] = {{"corei7", "nehalem"}, {"corei7-avx", "sandybridge"}, {"core-avx-i", "ivybridge"},
		{"core-avx2", "haswell"}, {"atom", "bonnell"}, {"slm", "silvermont"},
		{"skx", "skylake-avx512"}, {"athlon64", "k8"}, {"athlon-fx", "k8"}, {"opteron", "k8"},
		{"athlon64-sse3", "k8-sse3"}, {"opteron-sse3", "k8-sse3"}, {"barcelona", "amdfam10"}};

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i].other, name) == 0)
			return names[i].name;
	return name;
}

static void set_tune(const struct resolving *r)
{
	const struct resolved *out = r->out;

	switch (r->t->memory->style) {
	case STYLE_TCC:
		resolve_set(r, "resolved.tune", "none", "tcc has no optimizer");
		break;
	case STYLE_CLANG:
		/* LLVM tunes for the target CPU when -cc1 gets no -tune-cpu (X86Subtarget) */
		if (out->mtune != NULL || out->march != NULL)
			resolve_set(r, "resolved.tune",
				resolve_tune_name(out->mtune != NULL ? out->mtune : out->march), "-###");
		else
			facts_unknown(&r->out->facts, "resolved.tune", "-###", "its command names no CPU");
		break;
	case STYLE_GCC:
		if (out->mtune != NULL || out->mcpu != NULL)
			resolve_set(r, "resolved.tune",
				resolve_tune_name(out->mtune != NULL ? out->mtune : out->mcpu),
				"-Q --help=target");
		else
			facts_unknown(&r->out->facts, "resolved.tune", "-Q --help=target",
				"it lists neither -mtune nor -mcpu for this target");
		break;
	}
}

/* The driver's own view of its options, with those of specs: COLLECT_GCC_OPTIONS='-O2' '-march=native' ... */
static bool gcc_options(const struct resolving *r, const char *said, struct words *words)
{
	const char *at = strstr(said, "COLLECT_GCC_OPTIONS=");

	if (at == NULL)
		return false;
	at += strlen("COLLECT_GCC_OPTIONS=");
	return words_split(words, r->arena, arena_strndup(r->arena, at, strcspn(at, "\n")), NULL, NULL) == 0;
}

/* A configuration file of clang: words, one or several a line, # begins a comment. */
static void config_words(const struct resolving *r, const char *path, struct words *words)
{
	struct buf text = {0};

	if (file_read(path, 1 << 20, &text, NULL) == 0) {
		for (const char *line = buf_text(&text); *line != '\0';) {
			const size_t length = strcspn(line, "\n");

			if (line[strspn(line, " \t")] != '#')
				(void)words_split(
					words, r->arena, arena_strndup(r->arena, line, length), NULL, NULL);
			line += length + (line[length] == '\n');
		}
	}
	buf_release(&text);
}

/* Edits of CCC_OVERRIDE_OPTIONS that add words: "+-march=native" at the end, "^-march=native" at the front. */
static void override_words(const struct resolving *r, struct words *first, struct words *last)
{
	static const char name[] = "CCC_OVERRIDE_OPTIONS=";

	for (size_t i = 0; i < r->t->env.n; i++) {
		const char *edits = r->t->env.v[i];

		if (!text_starts(edits, name))
			continue;
		for (edits += strlen(name); *edits != '\0';) {
			const size_t length = strcspn(edits, " ");

			if (edits[0] == '+' || edits[0] == '^')
				words_add(edits[0] == '+' ? last : first, r->arena,
					arena_strndup(r->arena, edits + 1, length - 1));
			edits += length + (edits[length] == ' ');
		}
	}
}

static void set_native_requested(const struct resolving *r, const char *said)
{
	struct words words = {0}, last = {0};
	const char *source = "-###";

	if (r->t->memory->style != STYLE_GCC || !gcc_options(r, said, &words)) {
		source = "flags, command and configuration files";
		words = (struct words){0};
		override_words(r, &words, &last);
		for (size_t i = 0; i < r->config_files.n; i++)
			config_words(r, r->config_files.v[i], &words);
		for (size_t i = 1; i < r->t->cc.n; i++)
			words_add(&words, r->arena, r->t->cc.v[i]);
		words_add_all(&words, r->arena, r->cflags);
		words_add_all(&words, r->arena, &last);
	}
	resolve_set(r, "resolved.native_requested", toolchain_flags_native(&words) ? "yes" : "no", source);
}

static void set_command_options(const struct resolving *r)
{
	static const char *const keys[] = {
		"resolved.opt_level", "resolved.lto", "resolved.pgo", "resolved.sanitizers"};
	const struct words *options = &r->line.options;
	const char *const values[] = {r->has_line ? level_of(options, r->arena) : NULL,
		r->has_line ? lto_of(options) : NULL, r->has_line ? pgo_of(options) : NULL,
		r->has_line ? resolve_sanitizers(options, r->arena) : NULL};

	for (size_t i = 0; i < COUNT(keys); i++) {
		if (r->t->memory->style == STYLE_TCC)
			resolve_set(r, keys[i], "none", "tcc has none");
		else if (values[i] != NULL)
			resolve_set(r, keys[i], values[i], "-###");
		else
			facts_unknown(&r->out->facts, keys[i], "-###",
				"it prints no command of the compiler proper");
	}
}

void resolve_options(const struct resolving *r, const char *said)
{
	struct features features;
	const char *pic = macros_have(r->macros, "__PIE__")   ? "pie"
			  : macros_have(r->macros, "__PIC__") ? "pic"
							      : "no";

	features_of(r->arena, r->macros, &features);
	resolve_set(r, "resolved.arch", macros_arch(r->arena, r->macros), "-dM -E");
	resolve_set(r, "resolved.features", words_between(&features.own, " ", r->arena), "-dM -E");
	resolve_set(r, "resolved.features_other", words_between(&features.other, " ", r->arena), "-dM -E");
	resolve_set(r, "resolved.pic", pic, "-dM -E");
	set_hardening(r);
	set_tune(r);
	set_command_options(r);
	set_native_requested(r, said);
	if (r->t->memory->style != STYLE_GCC)
		resolve_set(r, "resolved.cache_line", "tune", "it has no parameter for it");
}
