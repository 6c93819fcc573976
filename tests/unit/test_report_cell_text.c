/* Expected texts: 100 (e^x - 1) and its rounding by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "report/cell_text.h"

static void is(const char *text, const char *expected)
{
	assert_string_equal(text, expected);
}

static void cell_text_effect__interval__decimals_follow_it(void **state)
{
	(void)state;
	struct arena arena = {0};
	is(cell_text_effect(log(1.123), log(1.115), log(1.131), &arena), "+12.3 % ±0.8");
	is(cell_text_effect(log(0.958), log(0.956), log(0.960), &arena), "-4.2 % ±0.2");
	is(cell_text_effect(log(1.946), log(1.646), log(2.246), &arena), "+95 % ±30");
	is(cell_text_effect(log(1.0512), log(1.0507), log(1.0517), &arena), "+5.12 % ±0.05");
	arena_release(&arena);
}

static void cell_text_effect__small_numbers__never_shown_as_zero(void **state)
{
	(void)state;
	struct arena arena = {0};
	is(cell_text_effect(log(1.000004), log(0.999), log(1.001008), &arena), "+0.0004 % ±0.1004");
	is(cell_text_effect(log(1.1), log(1.1) - 1e-8, log(1.1) + 1e-8, &arena), "+10.000000 % ±0.000001");
	is(cell_text_effect(log(1.1), log(1.1), log(1.1), &arena), "+10.0 % ±0.0");
	is(cell_text_percent(log(1.0004), &arena), "+0.04 %");
	is(cell_text_percent(0, &arena), "0.0 %");
	arena_release(&arena);
}

static void cell_text_percent__nearly_all_or_very_much__stays_readable(void **state)
{
	(void)state;
	struct arena arena = {0};
	is(cell_text_percent(log(0.0002), &arena), "-99.98 %"); /* not -100.0 % */
	is(cell_text_percent(log(10.04), &arena), "+904.0 %");
	is(cell_text_percent(log(2.5e7), &arena), "+25000000 times");
	is(cell_text_percent(-log(2.5e7), &arena), "1/25000000 times");
	is(cell_text_effect(log(2.5e7), 1, 600, &arena), "+25000000 times");
	arena_release(&arena);
}

static void cell_text_bound__any__two_digits(void **state)
{
	(void)state;
	struct arena arena = {0};
	is(cell_text_bound(log(1.009), &arena), "0.9");
	is(cell_text_bound(log(1.0996), &arena), "10"); /* 9.96 is no longer 9.something */
	is(cell_text_bound(log(1.0994), &arena), "9.9");
	is(cell_text_bound(log(1.0004), &arena), "0.04");
	is(cell_text_bound(0, &arena), "0.0");
	is(cell_text_bound(log(4), &arena), "300");
	arena_release(&arena);
}

static void cell_text__rates__leading_digits_stay(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct cell_summary summary = {.has_value = true};
	struct doc_cell cell = {.kind = DOC_RATE, .summary = &summary, .unit = "lps"};
	summary.median = 94.6;
	is(cell_text(&cell, false, &arena), "94.60 lps");
	summary.median = 0.0004;
	is(cell_text(&cell, false, &arena), "400.0 u lps");
	summary.median = 9996.4;
	is(cell_text(&cell, false, &arena), "9.996 k lps");
	cell.unit = "KBps";
	is(cell_text(&cell, false, &arena), "9996 KBps");
	cell.unit = "";
	is(cell_text(&cell, false, &arena), "9.996 k");
	arena_release(&arena);
}

static void cell_text__cant_tell__long_and_brief(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct comparison c = {.answer = ANSWER_CANT_TELL, .has_effect = true, .x = log(1.023)};
	struct doc_cell cell = {.kind = DOC_CANT_TELL, .comparison = &c, .unit = ""};
	is(cell_text(&cell, false, &arena), "~ can't tell ±2.3 %");
	is(cell_text(&cell, true, &arena), "~ ±2.3 %");
	c.has_effect = false;
	is(cell_text(&cell, false, &arena), "~ can't tell");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cell_text_effect__interval__decimals_follow_it),
		cmocka_unit_test(cell_text_effect__small_numbers__never_shown_as_zero),
		cmocka_unit_test(cell_text_percent__nearly_all_or_very_much__stays_readable),
		cmocka_unit_test(cell_text_bound__any__two_digits),
		cmocka_unit_test(cell_text__rates__leading_digits_stay),
		cmocka_unit_test(cell_text__cant_tell__long_and_brief),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
