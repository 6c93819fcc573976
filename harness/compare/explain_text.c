#include "compare/explain_text.h"

#include <math.h>

#include "base/mem.h"
#include "base/num.h"
#include "plan/plan.h"
#include "stats/verdict.h"

enum { LISTED = 8 };

const char *explain_percent(double effect, struct arena *arena)
{
	char text[NUM_SIZE];
	double percent = fabs(100 * expm1(effect));

	num_effect(effect, percent < 0.1 ? 4 : percent < 1 ? 3 : percent < 100 ? 2 : 1, text);
	return arena_strdup(arena, text);
}

const char *explain_value(double x, const char *unit, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	num_quantity(&out, x, x, unit);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static int no_match(const char *const *names, size_t n, const char *pattern, struct error *e)
{
	const char *nearest = text_nearest(pattern, names, n);

	error_set(e, EXIT_USAGE, "no compared cell matches \"%s\"", pattern);
	if (nearest != NULL)
		error_advice(e, "did you mean %s?", nearest);
	return error_advice(e, "the table lists them: flagstone compare without --explain");
}

int explain_match(const char *const *names, size_t n, const char *pattern, struct arena *arena, size_t *index,
	struct error *e)
{
	struct words found = {0};
	size_t count = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		if (!plan_cell_matches(pattern, names[i]))
			continue;
		if (count++ == 0)
			first = i;
		if (count <= LISTED)
			words_add(&found, arena, names[i]);
	}
	if (count == 0)
		return no_match(names, n, pattern, e);
	if (count > 1) {
		error_set(e, EXIT_USAGE, "\"%s\" matches %zu compared cells, and one is explained at a time",
			pattern, count);
		return error_advice(
			e, "%s%s", words_join(&found, arena), count > LISTED ? " and others" : "");
	}
	*index = first;
	return 0;
}

void explain_p(
	const struct comparison *c, unsigned looks, size_t family, struct arena *arena, struct words *steps)
{
	const char *times = looks > 1 ? arena_printf(arena, ", times %u planned looks", looks) : "";

	if (!c->has_p) {
		words_add(steps, arena,
			"Chance: p is n/a, since neither side scatters and both are alike: nothing can be "
			"tested.");
		return;
	}
	words_addf(steps, arena,
		"Chance: if there were no difference, noise would give one as large in a share p = %.3g of "
		"all "
		"runs%s; adjusted by Holm over the %zu comparison%s of this table: p = %.3g.",
		c->p, times, family, family == 1 ? "" : "s", c->p_adjusted);
}

void explain_answer(const struct comparison *c, double matters, double precision, struct arena *arena,
	struct words *steps)
{
	const char *limit = arena_printf(arena, "%.3g %%", 100 * matters);
	const char *narrow = arena_printf(arena, "%.3g %%", 100 * precision);
	const char *x = explain_percent(c->x, arena);
	bool significant = c->p_adjusted <= STATS_ALPHA, large = fabs(c->effect) >= matters;

	words_addf(steps, arena,
		"Question 1: is the adjusted p at most %g, and the effect at least as large as what matters "
		"(%s)? %s, %s: %s.",
		STATS_ALPHA, limit, significant ? "yes" : "no", large ? "yes" : "no",
		significant && large ? (c->effect > 0 ? "faster" : "slower")
				     : "so it is neither faster nor slower");
	if (!(significant && large))
		words_addf(steps, arena,
			"Question 2: the interval allows an effect of at most ±%s; is that within the "
			"precision asked for (±%s)? %s.",
			x + 1, narrow,
			c->x > precision ? "No: can't tell"
			: significant	 ? "Yes, and there is some effect: too small to matter"
					 : "Yes: no difference larger than that");
	words_addf(steps, arena, "Answer: %s.", answer_text(c->answer));
	if (c->reason != NULL)
		words_addf(steps, arena, "Why, and what it would take: %s", c->reason);
}
