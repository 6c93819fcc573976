#include "toolchain/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "toolchain/macros.h"

/*
 * The floating-point model as one text, in the order that toolchain.h gives. gcc lists each piece among its optimizers
 * (GCC manual, "Options That Control Optimization"); clang says on its -cc1 line what differs from nothing asked for
 * (clang's "Controlling Floating Point Behavior"); __FINITE_MATH_ONLY__ and __FLT_EVAL_METHOD__ are macros of both.
 */
struct model {
	const char *contract, *denormals;
	bool finite, associative, reciprocal, unsigned_zeros, errors, traps, any_rounding;
	int evaluation;
};

/*
 * clang 14's release notes: -ffp-contract=on is the default; before: off. GCC's manual up to 13: "-ffp-contract=on ... is
 * currently not implemented and treated equal to -ffp-contract=off"; 14 has it.
 */
enum { CLANG_ON_SINCE = 14, GCC_ON_SINCE = 14 };

static bool is_on(const struct words *lines, const char *name)
{
	const char *value = resolve_help_value(lines, name);

	return value != NULL && strcmp(value, "[enabled]") == 0;
}

/* The value behind the last word with this beginning; NULL: there is none. */
static const char *last_value(const struct words *words, const char *prefix)
{
	const char *value = NULL;

	for (size_t i = 0; i < words->n; i++)
		if (text_starts(words->v[i], prefix))
			value = words->v[i] + strlen(prefix);
	return value;
}

/* ISO C (-std=c11, not gnu11) rules contraction out, and the list of options was made before gcc knew that. */
static bool is_iso(const struct words *options)
{
	const char *standard = last_value(options, "-std=");

	if (standard != NULL)
		return !text_starts(standard, "gnu");
	return words_have(options, "-ansi");
}

static void of_gcc(const struct resolving *r, struct model *m)
{
	const struct words *lines = &r->optimizers;
	const char *contract = resolve_help_value(lines, "-ffp-contract=");

	m->contract = contract != NULL ? contract : "fast";
	if (r->has_line && is_iso(&r->line.options) &&
		last_value(&r->line.options, "-ffp-contract=") == NULL &&
		!is_on(lines, "-funsafe-math-optimizations"))
		m->contract = "off";
	if (strcmp(m->contract, "on") == 0 && r->t->major < GCC_ON_SINCE)
		m->contract = "off";
	m->associative = is_on(lines, "-fassociative-math");
	m->reciprocal = is_on(lines, "-freciprocal-math");
	m->unsigned_zeros = !is_on(lines, "-fsigned-zeros");
	m->errors = is_on(lines, "-fmath-errno");
	m->traps = is_on(lines, "-ftrapping-math");
	m->any_rounding = is_on(lines, "-frounding-math");
}

static void of_clang(const struct resolving *r, struct model *m)
{
	const struct words *options = &r->line.options;
	const char *contract = last_value(options, "-ffp-contract=");
	const char *denormals = last_value(options, "-fdenormal-fp-math=");
	const char *exceptions = last_value(options, "-ffp-exception-behavior=");

	m->contract = contract != NULL ? contract : r->t->major >= CLANG_ON_SINCE ? "on" : "off";
	if (text_starts(m->contract, "fast")) /* "fast-honor-pragmas" */
		m->contract = "fast";
	m->associative = words_have(options, "-mreassociate");
	m->reciprocal = words_have(options, "-freciprocal-math");
	m->unsigned_zeros = words_have(options, "-fno-signed-zeros");
	m->errors = words_have(options, "-fmath-errno");
	m->traps = exceptions != NULL && strcmp(exceptions, "ignore") != 0;
	m->any_rounding = words_have(options, "-frounding-math");
	/* "preserve-sign,preserve-sign": what comes out, what goes in */
	if (denormals != NULL)
		m->denormals = arena_strndup(r->arena, denormals, strcspn(denormals, ","));
}

static void set(const struct resolving *r, const struct model *m, const char *source)
{
	const bool fast = m->finite || m->associative || m->reciprocal || m->unsigned_zeros;
	const char *text = arena_printf(r->arena,
		"%s contract=%s finite=%s associative=%s reciprocal=%s zeros=%s errno=%s traps=%s "
		"rounding=%s "
		"denormals=%s",
		fast ? "fast" : "precise", m->contract, m->finite ? "yes" : "no",
		m->associative ? "yes" : "no", m->reciprocal ? "yes" : "no",
		m->unsigned_zeros ? "unsigned" : "signed", m->errors ? "yes" : "no", m->traps ? "yes" : "no",
		m->any_rounding ? "any" : "nearest", m->denormals);

	if (m->evaluation > 0)
		text = arena_printf(r->arena, "%s evaluation=%d", text, m->evaluation);
	resolve_set(r, "resolved.fp_model", text, source);
}

void resolve_fp(const struct resolving *r)
{
	const enum spec_family_style style = r->t->memory->style;
	const char *finite, *evaluation;
	struct model m = {.contract = "off", .denormals = "ieee", .errors = true, .traps = true};

	finite = macros_value(r->arena, r->macros, "__FINITE_MATH_ONLY__");
	evaluation = macros_value(r->arena, r->macros, "__FLT_EVAL_METHOD__");
	m.finite = finite != NULL && strcmp(finite, "1") == 0;
	m.evaluation = evaluation != NULL ? atoi(evaluation) : 0;
	switch (style) {
	case STYLE_GCC:
		of_gcc(r, &m);
		set(r, &m, "-Q --help=optimizers, -dM -E");
		break;
	case STYLE_CLANG:
		if (!r->has_line) {
			facts_unknown(&r->out->facts, "resolved.fp_model", "-###",
				"it prints no command of the compiler proper");
			break;
		}
		of_clang(r, &m);
		set(r, &m, "-###, -dM -E");
		break;
	case STYLE_TCC:
		set(r, &m, "tcc computes as written: it has no optimizer");
		break;
	}
}
