/*
 * What must hold for the verdicts of any record, over thousands of random ones: the unit does not matter, nor the
 * order of rows, nor which side is called the baseline; and no NaN comes out of finite samples. Values: those of
 * test_stats_random.h, from 1e-300 to 1e300, with ties and with few rounds.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare_fixture.h"
#include "test_stats_random.h"

#define CASES 1500
#define CELLS 3 /* a baseline, two variants, the second of them with the baseline's code */

struct scene {
	struct random_case c; /* x: the values of all rows */
	uint32_t layouts, rounds;
	bool lower_is_better;
	double value[RANDOM_MOST * 4];
	uint32_t marks[RANDOM_MOST * 4];
	size_t n;
};

/* One layout, too few of them, or enough; few rounds or many; now and then a disturbed sample. */
static void draw_scene(struct scene *s, const char *name, size_t number)
{
	static const uint32_t layouts[] = {1, 4, 8, 16};

	random_draw(&s->c, name, number);
	s->layouts = layouts[rng_below(&s->c.rng, 4)];
	s->rounds = 1 + (uint32_t)rng_below(&s->c.rng, number % 3 == 0 ? 8 : 40);
	s->lower_is_better = rng_below(&s->c.rng, 2) == 0;
	double shift = rng_below(&s->c.rng, 2) ? 1 : 1.25;
	s->n = 0;
	for (uint32_t r = 0; r < s->rounds; r++)
		for (uint32_t cell = 0; cell < CELLS; cell++) {
			double drawn = random_value(&s->c.rng, s->c.kind);
			s->marks[s->n] = rng_below(&s->c.rng, cell == 1 ? 4 : 12) == 0 ? MARK_SHARED : 0;
			s->value[s->n++] = cell == 1 && drawn < 1e299 ? drawn * shift : drawn;
		}
	s->c.n = s->n < RANDOM_MOST ? s->n : RANDOM_MOST; /* as much as is shown on failure */
	memcpy(s->c.x, s->value, s->c.n * sizeof(double));
	s->c.m = 0;
}

/* Builds the record; `swap` makes the variant the baseline. */
static void build_scene(const struct scene *s, double factor, bool swap, struct fixture *f)
{
	size_t at = 0;

	cf_begin(f);
	cf_workload(f, "sort", s->lower_is_better ? "s" : "lps", s->lower_is_better);
	for (uint32_t cell = 0; cell < CELLS; cell++)
		cf_build(f, "sort", "gcc", arena_printf(&f->arena, "v%u", cell), cell == 0);
	f->record->builds[2].code_hash = f->record->builds[0].code_hash;
	cf_compare(f, swap ? 1 : 0, swap ? 0 : 1);
	cf_compare(f, 0, 2);
	for (uint32_t r = 0; r < s->rounds; r++)
		for (uint32_t cell = 0; cell < CELLS; cell++, at++) {
			size_t row = cf_sample(f, cell, r, r % s->layouts, factor * s->value[at]);
			f->record->samples.v[row].marks = s->marks[at];
		}
}

static const struct comparison *judge(struct fixture *f)
{
	/* identical code, too, is judged */
	effect_of_record(f->record, &(struct effect_options){.no_same_code = true}, &f->arena, &f->result);
	return f->result.comparisons;
}

/* As in struct stats_pair, effects of 1e-12 and less are rounding: logarithms of 1e300 are known to 1e-13. */
static bool alike(double a, double b)
{
	return fabs(a - b) <= 1e-11 + 1e-7 * fmax(fabs(a), fabs(b));
}

static void effect_of_record__any_finite_values__no_nan(void **state)
{
	(void)state;
	static struct scene s;
	for (size_t i = 0; i < CASES; i++) {
		struct fixture f;
		draw_scene(&s, "record nan", i);
		build_scene(&s, 1, false, &f);
		const struct comparison *c = judge(&f);
		for (size_t k = 0; k < f.result.comparison_count; k++) {
			NO_NAN(&s.c, c[k].effect, c[k].lo, c[k].hi, c[k].se, c[k].df, c[k].p, c[k].p_adjusted,
				c[k].x, c[k].effort, c[k].placement_share);
			HOLDS(&s.c, c[k].p >= 0 && c[k].p <= c[k].p_adjusted && c[k].p_adjusted <= 1);
			HOLDS(&s.c, !c[k].has_effect || (c[k].lo <= c[k].effect && c[k].effect <= c[k].hi));
			HOLDS(&s.c, c[k].has_effect || c[k].reason != NULL);
			HOLDS(&s.c, c[k].answer != ANSWER_CANT_TELL || c[k].reason != NULL);
		}
		for (size_t k = 0; k < f.result.cell_count; k++) {
			const struct cell_summary *cell = &f.result.cells[k];
			NO_NAN(&s.c, cell->median, cell->lo, cell->hi, cell->spread, cell->trend, cell->lag1,
				cell->user_ns, cell->system_ns);
			HOLDS(&s.c, cell->has_value && cell->samples == s.rounds && cell->spread >= 0);
		}
		NO_NAN(&s.c, f.result.lambda, f.result.p_aa);
		cf_end(&f);
	}
}

static void effect_of_record__unit_by_a_power_of_two__bit_for_bit(void **state)
{
	(void)state;
	static struct scene s;
	for (size_t i = 0; i < CASES; i++) {
		struct fixture f, g;
		draw_scene(&s, "record unit", i);
		bool wide = s.c.kind == RANDOM_EXTREME;
		double factor = ldexp(1, wide ? 1 : (int)rng_below(&s.c.rng, 200) - 100);
		build_scene(&s, 1, false, &f);
		build_scene(&s, factor, false, &g);
		const struct comparison *a = judge(&f), *b = judge(&g);
		for (size_t k = 0; k < f.result.comparison_count; k++) {
			HOLDS(&s.c, a[k].answer == b[k].answer && a[k].has_effect == b[k].has_effect);
			HOLDS(&s.c, a[k].effect == b[k].effect && a[k].lo == b[k].lo && a[k].hi == b[k].hi);
			HOLDS(&s.c, a[k].p == b[k].p && a[k].p_adjusted == b[k].p_adjusted);
		}
		for (size_t k = 0; k < f.result.cell_count; k++) {
			const struct cell_summary *x = &f.result.cells[k], *y = &g.result.cells[k];
			HOLDS(&s.c, y->median == factor * x->median && y->lo == factor * x->lo);
			HOLDS(&s.c, y->spread == x->spread && y->outliers == x->outliers);
			HOLDS(&s.c, y->two_modes == x->two_modes && y->trending == x->trending);
		}
		cf_end(&f);
		cf_end(&g);
	}
}

/* Other factors round each value, which can tell apart what was a tie: there only p may differ, and that a little. */
static void effect_of_record__any_unit__same_effects_and_answers(void **state)
{
	(void)state;
	static struct scene s;
	for (size_t i = 0; i < CASES; i++) {
		struct fixture f, g;
		draw_scene(&s, "record any unit", i);
		double factor = s.c.kind == RANDOM_EXTREME ? 0.7 : pow(10, 40 * rng_unit(&s.c.rng) - 20);
		bool ties = s.c.kind == RANDOM_TIES || s.c.kind == RANDOM_CLOSE;
		build_scene(&s, 1, false, &f);
		build_scene(&s, factor, false, &g);
		const struct comparison *a = judge(&f), *b = judge(&g);
		for (size_t k = 0; k < f.result.comparison_count; k++) {
			HOLDS(&s.c, a[k].answer == b[k].answer && a[k].has_effect == b[k].has_effect);
			HOLDS(&s.c, alike(a[k].effect, b[k].effect) && alike(a[k].lo, b[k].lo));
			HOLDS(&s.c, alike(a[k].hi, b[k].hi) && alike(a[k].x, b[k].x));
			HOLDS(&s.c, ties || alike(a[k].p, b[k].p));
		}
		cf_end(&f);
		cf_end(&g);
	}
}

static void effect_of_record__rows_in_any_order__bit_for_bit(void **state)
{
	(void)state;
	static struct scene s;
	for (size_t i = 0; i < CASES; i++) {
		struct fixture f;
		draw_scene(&s, "record order", i);
		build_scene(&s, 1, false, &f);
		struct comparison before = judge(&f)[0];
		struct cell_summary cell = f.result.cells[1];
		for (size_t k = s.n; k > 1; k--) {
			size_t other = (size_t)rng_below(&s.c.rng, k);
			struct sample swap = f.record->samples.v[k - 1];
			f.record->samples.v[k - 1] = f.record->samples.v[other];
			f.record->samples.v[other] = swap;
		}
		struct comparison after = judge(&f)[0];
		HOLDS(&s.c, before.answer == after.answer && before.effect == after.effect);
		HOLDS(&s.c, before.lo == after.lo && before.hi == after.hi && before.p == after.p);
		HOLDS(&s.c, cell.median == f.result.cells[1].median && cell.lo == f.result.cells[1].lo);
		cf_end(&f);
	}
}

static enum answer turned(enum answer answer)
{
	return answer == ANSWER_FASTER ? ANSWER_SLOWER : answer == ANSWER_SLOWER ? ANSWER_FASTER : answer;
}

static void effect_of_record__baseline_and_variant_swapped__sign_turns(void **state)
{
	(void)state;
	static struct scene s;
	size_t found = 0;
	for (size_t i = 0; i < CASES; i++) {
		struct fixture f, g;
		draw_scene(&s, "record sides", i);
		build_scene(&s, 1, false, &f);
		build_scene(&s, 1, true, &g);
		const struct comparison *a = judge(&f), *b = judge(&g);
		HOLDS(&s.c, a->answer == turned(b->answer) && a->has_effect == b->has_effect);
		HOLDS(&s.c, alike(a->effect, -b->effect) && alike(a->lo, -b->hi) && alike(a->hi, -b->lo));
		HOLDS(&s.c, alike(a->x, b->x) && alike(a->se, b->se) && a->has_p == b->has_p);
		HOLDS(&s.c, s.c.kind == RANDOM_CLOSE || alike(a->p, b->p));
		found += a->answer == ANSWER_FASTER || a->answer == ANSWER_SLOWER;
		cf_end(&f);
		cf_end(&g);
	}
	assert_in_range(found, CASES / 20, CASES / 2); /* so that the claim is about something */
}

/* Whichever way better is: a rate and the time that is its inverse tell the same. */
static void effect_of_record__rates_or_times__same_answers(void **state)
{
	(void)state;
	static struct scene s;
	for (size_t i = 0; i < CASES; i++) {
		struct fixture f, g;
		draw_scene(&s, "record inverse", i);
		build_scene(&s, 1, false, &f);
		for (size_t k = 0; k < s.n; k++)
			s.value[k] = 1 / s.value[k];
		s.lower_is_better = !s.lower_is_better;
		build_scene(&s, 1, false, &g);
		const struct comparison *a = judge(&f), *b = judge(&g);
		HOLDS(&s.c, a->answer == b->answer && alike(a->effect, b->effect) && alike(a->lo, b->lo));
		cf_end(&f);
		cf_end(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effect_of_record__any_finite_values__no_nan),
		cmocka_unit_test(effect_of_record__unit_by_a_power_of_two__bit_for_bit),
		cmocka_unit_test(effect_of_record__any_unit__same_effects_and_answers),
		cmocka_unit_test(effect_of_record__rows_in_any_order__bit_for_bit),
		cmocka_unit_test(effect_of_record__baseline_and_variant_swapped__sign_turns),
		cmocka_unit_test(effect_of_record__rates_or_times__same_answers),
	};
	return cmocka_run_group_tests_name("compare_properties", tests, NULL, NULL);
}
