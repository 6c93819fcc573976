#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "compare/sources.h"

enum { NAMED = 6 }; /* functions */

static const char *kept(struct buf *out, struct arena *arena)
{
	const char *text = arena_strdup(arena, buf_text(out));

	buf_release(out);
	return text;
}

/* Counts as they are while they are short, all else with four digits. */
static void add_value(struct buf *out, double x, const char *unit)
{
	char text[NUM_SIZE];

	if (unit[0] != '\0' || x >= 100000) {
		num_quantity(out, x, x, unit);
	} else if (x == floor(x)) {
		buf_addf(out, "%.0f", x);
	} else {
		num_significant(x, 4, text);
		buf_adds(out, text);
	}
}

/* ", +12.3 %": nothing where there is no ratio. */
static void add_change(struct buf *out, double a, double b)
{
	double percent = 100 * (b / a - 1);

	if (a > 0)
		buf_addf(out, ", %+.*f %%", fabs(percent) < 10 ? 2 : fabs(percent) < 1000 ? 1 : 0, percent);
}

static void tell_measure(const struct sources *sources, const struct source_measure *m, struct arena *arena,
	struct words *lines)
{
	struct buf out = {0};

	buf_addf(&out, "%s%s: ", m->what, m->per_unit ? " a unit of work" : "");
	add_value(&out, m->a, m->unit);
	buf_addf(&out, " in %s, ", sources->a);
	add_value(&out, m->b, m->unit);
	buf_addf(&out, " in %s", sources->b);
	add_change(&out, m->a, m->b);
	buf_addf(&out, " (medians; outside the noise over %zu and %zu %s, p = %.2g)", m->n_a, m->n_b, m->over,
		m->p_adjusted);
	words_add(lines, arena, kept(&out, arena));
}

static void tell_measures(
	const struct sources *sources, bool counters, struct arena *arena, struct words *lines)
{
	static const char *const direct[] = {"instructions", "cycles", "branch_misses"};

	for (size_t i = 0; i < sources->measure_count; i++) {
		const struct source_measure *m = &sources->measures[i];
		bool is_direct = false;

		for (size_t k = 0; k < sizeof(direct) / sizeof(direct[0]); k++)
			is_direct |= strcmp(m->column, direct[k]) == 0;
		if (m->outside && is_direct == counters)
			tell_measure(sources, m, arena, lines);
	}
}

static void add_named(struct buf *out, const struct source_function *v, size_t n)
{
	for (size_t i = 0; i < n && i < NAMED; i++)
		buf_addf(out, "%s%s", i > 0 ? ", " : "", v[i].b != NULL ? v[i].b : v[i].a);
	if (n > NAMED)
		buf_addf(out, " and %zu more", n - NAMED);
}

static size_t total(const struct source_functions *f)
{
	return f->same + f->differ_count + f->only_a_count + f->only_b_count + f->unread + f->untold;
}

const char *sources_brief(const struct source_functions *f, struct arena *arena)
{
	struct buf out = {0};

	if (f->reason != NULL)
		return arena_printf(arena, "which functions differ is unknown: %s", f->reason);
	if (f->differ_count + f->only_a_count + f->only_b_count == 0 && f->unread + f->untold == 0)
		return arena_printf(arena, "all %zu functions are the same", f->same);
	buf_addf(&out, "%zu of %zu functions differ", f->differ_count, total(f));
	if (f->differ_count > 0) {
		buf_adds(&out, ": ");
		add_named(&out, f->differ, f->differ_count);
	}
	if (f->only_a_count > 0) {
		buf_adds(&out, "; inlined or removed: ");
		add_named(&out, f->only_a, f->only_a_count);
	}
	if (f->only_b_count > 0) {
		buf_adds(&out, "; new: ");
		add_named(&out, f->only_b, f->only_b_count);
	}
	if (f->unread + f->untold > 0)
		buf_addf(&out, "; %zu cannot be told", f->unread + f->untold);
	return kept(&out, arena);
}

static void tell_differing(const struct source_functions *f, struct arena *arena, struct words *lines)
{
	struct buf out = {0};

	buf_addf(&out, "code of functions: %zu of %zu differ: ", f->differ_count, total(f));
	for (size_t i = 0; i < f->differ_count && i < 2 * NAMED; i++) {
		const struct source_function *v = &f->differ[i];

		buf_addf(&out, "%s%s", i > 0 ? ", " : "", v->a);
		if (strcmp(v->a, v->b) != 0)
			buf_addf(&out, ", now %s", v->b);
		if (v->size_a == v->size_b)
			buf_addf(&out, " (%llu bytes in both)", (unsigned long long)v->size_a);
		else
			buf_addf(&out, " (%llu to %llu bytes)", (unsigned long long)v->size_a,
				(unsigned long long)v->size_b);
	}
	if (f->differ_count > 2 * NAMED)
		buf_addf(&out, " and %zu more", f->differ_count - 2 * NAMED);
	words_add(lines, arena, kept(&out, arena));
}

static void tell_only(const struct source_function *v, size_t n, const char *has, const char *lacks,
	const char *why, struct arena *arena, struct words *lines)
{
	struct buf out = {0};

	if (n == 0)
		return;
	add_named(&out, v, n);
	buf_addf(&out, ": in %s, not in %s as %s: %s", has, lacks,
		n == 1 ? "a function of its own" : "functions of their own", why);
	words_add(lines, arena, kept(&out, arena));
}

static void tell_functions(const struct sources *sources, struct arena *arena, struct words *lines)
{
	const struct source_functions *f = &sources->functions;

	if (f->reason != NULL)
		return;
	if (f->differ_count > 0)
		tell_differing(f, arena, lines);
	tell_only(f->only_a, f->only_a_count, sources->a, sources->b, "inlined or removed", arena, lines);
	tell_only(f->only_b, f->only_b_count, sources->b, sources->a,
		"inlined there, or a copy that the compiler made here", arena, lines);
	if (f->differ_count + f->only_a_count + f->only_b_count == 0 && f->same > 0)
		words_addf(lines, arena,
			"code of functions: all %zu that can be told have the same code; if the programs "
			"differ, then in data, "
			"in the libraries or in how they were linked",
			f->same);
	if (f->unread > 0)
		words_addf(lines, arena,
			"code of functions: %zu of equal size are not known to be the same or not",
			f->unread);
	if (f->untold > 0)
		words_addf(lines, arena,
			"code of functions: %zu may be on both sides or on one: the records keep the "
			"largest ones only (%zu and %zu there are)",
			f->untold, f->count_a, f->count_b);
}

static void tell_words(const struct sources *sources, const struct source_fact *fact, struct arena *arena,
	struct words *lines)
{
	struct buf out = {0};

	buf_addf(&out, "%s: ", fact->what);
	if (fact->a[0] != '\0')
		buf_addf(&out, "only in %s %s", sources->a, fact->a);
	if (fact->b[0] != '\0')
		buf_addf(&out, "%sonly in %s %s", fact->a[0] != '\0' ? "; " : "", sources->b, fact->b);
	words_add(lines, arena, kept(&out, arena));
}

static const char *shown(const char *value)
{
	return value[0] != '\0' ? value : "(none)";
}

static void tell_facts(
	const struct sources *sources, enum source_kind kind, struct arena *arena, struct words *lines)
{
	for (size_t i = 0; i < sources->fact_count; i++) {
		const struct source_fact *fact = &sources->facts[i];
		uint64_t a, b;
		struct buf out = {0};

		if (fact->kind != kind)
			continue;
		if (fact->words) {
			tell_words(sources, fact, arena, lines);
			continue;
		}
		if (kind == SOURCE_SETTING || !num_parse_u64(fact->a, &a) || !num_parse_u64(fact->b, &b)) {
			words_addf(lines, arena, "%s: %s in %s, %s in %s", fact->what, shown(fact->a),
				sources->a, shown(fact->b), sources->b);
			continue;
		}
		buf_addf(&out, "size of %s: %s bytes in %s, %s in %s", fact->what, fact->a, sources->a,
			fact->b, sources->b);
		add_change(&out, (double)a, (double)b);
		words_add(lines, arena, kept(&out, arena));
	}
}

void sources_tell(const struct sources *sources, struct arena *arena, struct words *lines)
{
	tell_measures(sources, true, arena, lines);
	tell_functions(sources, arena, lines);
	tell_facts(sources, SOURCE_SETTING, arena, lines);
	tell_measures(sources, false, arena, lines);
	tell_facts(sources, SOURCE_SIZE, arena, lines);
	if (lines->n == 0)
		words_add(lines, arena, "nothing that was recorded differs by more than the noise");
	for (size_t i = 0; i < sources->unknown_count; i++)
		words_addf(lines, arena, "not known: %s: %s", sources->unknown[i].what,
			sources->unknown[i].reason);
}
