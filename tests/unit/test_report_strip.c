/* The pictures of samples: each expected one was drawn by hand from the rule in report/strip.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/strip.h"
#include "report_fixture.h"

enum { MOST = 512 };

static struct strip_sample samples[MOST];

static struct strip strip_of(const double *values, size_t n, unsigned width)
{
	for (size_t i = 0; i < n; i++)
		samples[i] = (struct strip_sample){(uint32_t)i, values[i], false};
	return (struct strip){.v = samples, .n = n, .unit = "lps", .width = width};
}

static void draws(const struct strip *strip, const char *expected, unsigned expected_signs)
{
	struct buf out = {0};
	unsigned signs = 0;

	strip_draw(strip, &out, &signs);
	assert_string_equal(buf_text(&out), expected);
	assert_int_equal(signs, expected_signs);
	buf_release(&out);
}

static void strip_draw__two_modes__both_are_seen_and_labelled(void **state)
{
	(void)state;
	const double values[] = {100, 110, 110, 100, 110, 100, 100, 110};
	struct strip strip = strip_of(values, 8, 60);
	strip.median = 105;
	strip.has_modes = true;
	strip.mode_low = 100;
	strip.mode_high = 110;
	/* 110 is the top row and 100 the lowest of nine; the ends' labels come before those of modes; 105 is half-way */
	draws(&strip,
		"   max 110.0 lps | .. .  .\n"
		"                 |\n"
		"                 |\n"
		"                 |\n"
		"median 105.0 lps |\n"
		"                 |\n"
		"                 |\n"
		"                 |\n"
		"   min 100.0 lps |.  . ..\n"
		"                  round 0 7\n",
		STRIP_ONE);
}

static void strip_draw__modes_inside__have_labels_of_their_own(void **state)
{
	(void)state;
	const double values[] = {100, 120, 120, 140, 160, 160, 180};
	struct strip strip = strip_of(values, 7, 60);
	strip.median = 140;
	strip.has_modes = true;
	strip.mode_low = 120;
	strip.mode_high = 160;
	/* 80 over nine rows: 10 each */
	draws(&strip,
		"   max 180.0 lps |      .\n"
		"                 |\n"
		"  mode 160.0 lps |    ..\n"
		"                 |\n"
		"median 140.0 lps |   .\n"
		"                 |\n"
		"  mode 120.0 lps | ..\n"
		"                 |\n"
		"   min 100.0 lps |.\n"
		"                  round 0 6\n",
		STRIP_ONE);
}

static void strip_draw__all_equal__one_row(void **state)
{
	(void)state;
	const double values[] = {5, 5, 5, 5};
	struct strip strip = strip_of(values, 4, 40);
	strip.median = 5;
	draws(&strip, "5.000 lps |....\n           round 0 3\n", STRIP_ONE);
}

static void strip_draw__one_sample__one_dot(void **state)
{
	(void)state;
	const double values[] = {5};
	struct strip strip = strip_of(values, 1, 40);
	strip.median = 5;
	samples[0].round = 12;
	draws(&strip, "5.000 lps |.\n           round 12\n", STRIP_ONE);
	samples[0].marked = true;
	draws(&strip, "5.000 lps |x\n           round 12\n", STRIP_MARKED);
}

static void strip_draw__nothing__nothing(void **state)
{
	(void)state;
	struct strip strip = {.width = 80, .unit = ""};
	draws(&strip, "", 0);
}

/* 40 equal rounds in 10 columns: four a place; marks count from half on. */
static void strip_draw__more_rounds_than_columns__bins(void **state)
{
	(void)state;
	double values[40];
	for (size_t i = 0; i < 40; i++)
		values[i] = 5;
	struct strip strip = strip_of(values, 40, 21); /* label 9, blank, bar: 10 columns */
	strip.median = 5;
	samples[0].marked = true;		      /* 1 of 4 */
	samples[4].marked = samples[7].marked = true; /* 2 of 4 */
	samples[38].round = samples[37].round = samples[36].round =
		35; /* the last place has one, that before it 7 */
	draws(&strip, "5.000 lps |@x@@@@@@@.\n           round 0 39\n",
		STRIP_MANY | STRIP_MARKED | STRIP_ONE);
}

static void strip_draw__marked_and_many__told_apart_without_colour(void **state)
{
	(void)state;
	struct strip strip = {.v = samples, .n = 7, .unit = "lps", .width = 40, .median = 5};
	for (size_t i = 0; i < 7; i++)
		samples[i] = (struct strip_sample){i < 4 ? 0 : i < 6 ? 1 : 2, 5, i == 6};
	draws(&strip, "5.000 lps |@ox\n           round 0 2\n", STRIP_MANY | STRIP_SOME | STRIP_MARKED);
	strip.unicode = true;
	draws(&strip, "5.000 lps │●•×\n           round 0 2\n", STRIP_MANY | STRIP_SOME | STRIP_MARKED);
}

/* One sample at seven times the rest must not flatten it: the scale ends at what is not far out. */
static void strip_draw__far_out__an_arrow_at_the_edge(void **state)
{
	(void)state;
	const double values[] = {100, 104, 108, 100, 104, 108, 700, 1};
	struct strip strip = strip_of(values, 8, 40);
	strip.median = 104;
	draws(&strip,
		"       108.0 lps |  .  .^\n"
		"                 |\n"
		"                 |\n"
		"                 |\n"
		"median 104.0 lps | .  .\n"
		"                 |\n"
		"                 |\n"
		"                 |\n"
		"       100.0 lps |.  .   v\n"
		"                  round 0 7\n",
		STRIP_ONE | STRIP_ABOVE | STRIP_BELOW);
}

/* Of five values three are equal: the quartiles say nothing of what is far, so the scale holds all. */
static void strip_draw__mostly_equal__the_rest_stays_on_the_scale(void **state)
{
	(void)state;
	const double values[] = {100, 100, 180, 100, 100};
	struct strip strip = strip_of(values, 5, 40);
	struct buf out = {0};
	unsigned signs = 0;
	strip.median = 100;
	strip_draw(&strip, &out, &signs);
	assert_int_equal(signs, STRIP_ONE);
	assert_true(text_starts(buf_text(&out), "max 180.0 lps |  .\n"));
	buf_release(&out);
}

static void strip_draw__narrow__labels_lose_their_unit_then_go(void **state)
{
	(void)state;
	const double values[] = {5, 5};
	struct strip strip = strip_of(values, 2, 40);
	strip.unit = "furlongs-a-fortnight";
	strip.median = 5;
	draws(&strip, "5.000 |..\n       round 0 1\n", STRIP_ONE);
	strip.width = 0; /* as 20 */
	strip.unit = "lps";
	draws(&strip, "5.000 lps |..\n           round 0 1\n", STRIP_ONE);
	strip.median = 1e-300; /* a prefix for that size would need hundreds of digits */
	struct buf out = {0};
	unsigned signs = 0;
	strip_draw(&strip, &out, &signs);
	assert_non_null(strstr(buf_text(&out), "|..\n"));
	buf_release(&out);
}

/* Whatever the numbers: no line is wider than asked for, and no number is none. */
static void strip_draw__any_finite_values__fit_and_have_no_nan(void **state)
{
	(void)state;
	static const double extremes[] = {5e-324, 1e-300, 1e-9, 1, 3.5, 1e15, 1e308, 1.7976931348623157e308};
	struct rng rng;
	rng_seed_text(&rng, "strip");
	for (int round = 0; round < 2000; round++) {
		double values[64];
		size_t n = 1 + (size_t)rng_below(&rng, 64);
		unsigned width = 20 + (unsigned)rng_below(&rng, 100), signs = 0;
		struct buf out = {0};
		size_t lines = 0;
		for (size_t i = 0; i < n; i++)
			values[i] = round % 2 == 0 ? extremes[rng_below(&rng, 8)] : 1 + rng_unit(&rng);
		struct strip strip = strip_of(values, n, width);
		strip.median = values[0];
		strip.has_modes = round % 3 == 0;
		strip.mode_low = strip.mode_high = values[n - 1];
		strip.unicode = round % 5 == 0;
		samples[n - 1].round = n > 1 ? (uint32_t)rng_below(&rng, UINT32_MAX) : 7;
		strip_draw(&strip, &out, &signs);
		assert_null(strstr(buf_text(&out), "nan"));
		assert_null(strstr(buf_text(&out), "inf"));
		for (char *line = out.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
			*end = '\0';
			/* of one column or few only the rounds' numbers may stand out */
			if (text_width(line) > width && strstr(line, "round") == NULL)
				fail_msg("wider than %u: %s", width, line);
			lines++;
		}
		assert_true(lines == 2 || lines == STRIP_ROWS + 1);
		assert_true(signs != 0);
		buf_release(&out);
	}
}

static void strip_legend__signs_used__only_these(void **state)
{
	(void)state;
	struct buf out = {0};
	strip_legend(STRIP_ONE | STRIP_MARKED, false, &out);
	assert_string_equal(buf_text(&out),
		"A place in the pictures is . one sample, x half of them or more were "
		"disturbed; a column is a round, or several.");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strip_draw__two_modes__both_are_seen_and_labelled),
		cmocka_unit_test(strip_draw__modes_inside__have_labels_of_their_own),
		cmocka_unit_test(strip_draw__all_equal__one_row),
		cmocka_unit_test(strip_draw__one_sample__one_dot),
		cmocka_unit_test(strip_draw__nothing__nothing),
		cmocka_unit_test(strip_draw__more_rounds_than_columns__bins),
		cmocka_unit_test(strip_draw__marked_and_many__told_apart_without_colour),
		cmocka_unit_test(strip_draw__far_out__an_arrow_at_the_edge),
		cmocka_unit_test(strip_draw__mostly_equal__the_rest_stays_on_the_scale),
		cmocka_unit_test(strip_draw__narrow__labels_lose_their_unit_then_go),
		cmocka_unit_test(strip_draw__any_finite_values__fit_and_have_no_nan),
		cmocka_unit_test(strip_legend__signs_used__only_these),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
