#include "toolchain/native_words.h"

#include <string.h>

#include "toolchain/memory.h"
#include "toolchain/resolve.h"

/* The words of native, or of the explicit command, as flags of a compile. */
static struct words with_level(const struct native_work *x, const struct words *flags)
{
	struct words all = {0};

	words_add(&all, x->arena, "-O2");
	words_add_all(&all, x->arena, flags);
	return all;
}

int native_resolve(
	const struct native_work *x, const struct words *flags, struct resolved *resolved, struct error *e)
{
	const struct words all = with_level(x, flags);

	*resolved = (struct resolved){.facts = {.arena = x->arena}};
	return toolchain_resolve(x->t, &all, x->arena, resolved, e);
}

struct words native_features(const struct native_work *x, const struct resolved *resolved)
{
	static const char *const keys[] = {"resolved.features", "resolved.features_other"};
	struct words words = {0};

	for (size_t i = 0; i < 2; i++) {
		const char *value = facts_value(&resolved->facts, keys[i]);

		if (value != NULL)
			(void)words_split(&words, x->arena, value, NULL, NULL);
	}
	return words;
}

/* --- gcc: the lines of -Q --help=target that differ --- */

static struct words target_lines(const struct native_work *x, const struct words *flags)
{
	struct words question = {0}, lines;
	struct answer answer;

	words_add_all(&question, x->arena, flags);
	words_add(&question, x->arena, "-Q");
	words_add(&question, x->arena, "--help=target");
	answer = ask_words(&x->asker, &question);
	resolve_help_section(x->arena, answer.ok ? answer.out : "", "target specific", &lines);
	return lines;
}

static void add_gcc_difference(const struct native_work *x, const char *line)
{
	const char *value = strchr(line, ' ') + 1;
	const int length = (int)strcspn(line, " <[");
	const char *name = arena_strndup(x->arena, line, (size_t)length);

	if (strcmp(name, "-march=") == 0 || strcmp(name, "-mtune=") == 0 || strcmp(name, "-mcpu=") == 0)
		return;
	if (strcmp(value, "[enabled]") == 0)
		words_add(&x->out->command, x->arena, name);
	else if (strcmp(value, "[disabled]") == 0 && text_starts(name, "-m"))
		words_addf(&x->out->command, x->arena, "-mno-%s", name + 2);
	else if (value[0] != '\0' && value[0] != '[' && value[0] != '-')
		words_addf(&x->out->command, x->arena, "%s%s", name, value);
}

static void add_gcc_differences(const struct native_work *x, const struct words *native)
{
	const struct words wanted = target_lines(x, native), had = target_lines(x, &x->out->command);
	const char *line = facts_value(&x->out->resolved.facts, "resolved.cache_line"), *other;
	struct resolved named;
	struct error e = {0};

	for (size_t i = 0; i < wanted.n; i++)
		if (!words_have(&had, wanted.v[i]))
			add_gcc_difference(x, wanted.v[i]);
	if (line == NULL || native_resolve(x, &x->out->command, &named, &e) != 0)
		return;
	other = facts_value(&named.facts, "resolved.cache_line");
	if (!text_same(line, other)) {
		words_add(&x->out->command, x->arena, "--param");
		words_addf(&x->out->command, x->arena, "l1-cache-line-size=%s", line);
	}
}

/* --- clang: features, by the names of -target-feature --- */

static char *squeezed(struct arena *arena, const char *name)
{
	char *text = arena_strdup(arena, name), *to = text;

	for (; *name != '\0'; name++)
		if (strchr("-_.", *name) == NULL)
			*to++ = *name;
	*to = '\0';
	return text;
}

/* "avx512bf16" as the compiler's own list has it ("amx-tile", "sse4.2"); NULL: it has no such. */
static const char *target_feature(const struct native_work *x, const struct words *known, const char *feature)
{
	const char *flag = squeezed(x->arena, features_flag(x->arena, feature));

	for (size_t i = 0; i < known->n; i++)
		if (strcmp(squeezed(x->arena, known->v[i] + 1), flag) == 0)
			return known->v[i] + 1;
	return NULL;
}

static void add_missing(const struct native_work *x, const struct words *known, const struct words *wanted,
	const struct words *had, const char *form)
{
	for (size_t i = 0; i < wanted->n; i++) {
		const char *name;

		if (words_have(had, wanted->v[i]))
			continue;
		name = target_feature(x, known, wanted->v[i]);
		words_addf(&x->out->command, x->arena, "%s%s", form,
			name != NULL ? name : features_flag(x->arena, wanted->v[i]));
	}
}

static void add_clang_differences(const struct native_work *x)
{
	const char *listed = facts_value(&x->out->resolved.facts, "resolved.target_options");
	const struct words wanted = native_features(x, &x->out->resolved);
	struct words known = {0}, had;
	struct resolved named;
	struct error e = {0};

	if (listed == NULL || words_split(&known, x->arena, listed, NULL, NULL) != 0 ||
		native_resolve(x, &x->out->command, &named, &e) != 0)
		return;
	had = native_features(x, &named);
	/* first what must go: taking away AVX after adding what builds on it would take that, too */
	add_missing(x, &known, &had, &wanted, "-mno-");
	add_missing(x, &known, &wanted, &had, "-m");
}

void native_words(const struct native_work *x, const struct words *native)
{
	const struct resolved *r = &x->out->resolved;
	const bool x86 = strcmp(x->t->arch, "x86_64") == 0 || strcmp(x->t->arch, "i386") == 0 ||
			 strcmp(x->t->arch, "x32") == 0;
	const char *tune = r->mtune != NULL ? r->mtune : r->march;

	if (x86 || r->mcpu == NULL)
		words_addf(&x->out->command, x->arena, "%s=%s", x86 ? "-march" : "-mcpu", r->march);
	else
		words_addf(&x->out->command, x->arena, "-mcpu=%s", r->mcpu);
	if (x86)
		words_addf(&x->out->command, x->arena, "-mtune=%s", tune);
	if (x->t->memory->style == STYLE_GCC)
		add_gcc_differences(x, native);
	else
		add_clang_differences(x);
}
