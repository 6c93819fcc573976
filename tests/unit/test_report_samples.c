/* The pictures of a record's samples: what is said above them, second arms, copies, failures, hostile names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/text.h"
#include "report_fixture.h"

static const struct report_options ascii = {.width = 90};

static void has(const struct buf *out, const char *part)
{
	if (strstr(buf_text(out), part) == NULL)
		fail_msg("no \"%s\" in:\n%s", part, buf_text(out));
}

static void has_not(const struct buf *out, const char *part)
{
	if (strstr(buf_text(out), part) != NULL)
		fail_msg("\"%s\" in:\n%s", part, buf_text(out));
}

static void report_samples__two_modes__named_and_seen(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	for (uint32_t r = 0; r < 40; r++)
		cf_sample(&f, 0, r, 0, r % 2 ? 100 : 110);
	report_samples(f.record, &ascii, &out);
	/* alternating values: median of deviations from 105 is 5, times 1.4826, over 105: 7.1 %; lag-1 is near -1 */
	assert_string_equal(buf_text(&out),
		"sort/gcc/O2/1: 40 rounds; min 100.0 lps, median 105.0 lps, max 110.0 lps; spread 7.1 %;\n"
		"  two modes, at 100.0 lps and 110.0 lps; neighbours alternate, lag-1 autocorrelation\n"
		"  -0.97; very noisy\n"
		"   max 110.0 lps |. . . . . . . . . . . . . . . . . . . .\n"
		"                 |\n"
		"                 |\n"
		"                 |\n"
		"median 105.0 lps |\n"
		"                 |\n"
		"                 |\n"
		"                 |\n"
		"   min 100.0 lps | . . . . . . . . . . . . . . . . . . . .\n"
		"                  round 0                               39\n"
		"\n"
		"A place in the pictures is . one sample; a column is a round, or several.\n");
	buf_release(&out);
	cf_end(&f);
}

static void report_samples__all_attempts__drawn_and_told_apart(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	size_t row;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	for (uint32_t r = 0; r < 6; r++) {
		row = cf_sample(&f, 0, r, 0, r == 3 ? 50 : 100);
		if (r != 3)
			continue;
		f.record->samples.v[row].marks = MARK_SHARED;
		size_t again = cf_sample(&f, 0, r, 0, 100);
		f.record->samples.v[again].repeat_of = (uint32_t)row;
	}
	row = cf_sample(&f, 0, 6, 0, NAN);
	f.record->samples.v[row].marks = MARK_SIGNAL;
	report_samples(f.record, &ascii, &out);
	has(&out, "sort/gcc/O2/1: 6 rounds; min 50.00 lps, median 100.0 lps, max 100.0 lps; spread 0 %; 1\n"
		  "  measured again, drawn too; 1 failed\n");
	has(&out, "max 100.0 lps |......\n");
	has(&out, "min 50.00 lps |   x\n");
	has(&out, "x half of them or more were disturbed");
	has_not(&out, "nan");
	buf_release(&out);
	cf_end(&f);
}

static void report_samples__second_arm_and_copies__their_own_words(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	f.record->builds[1].copies = 2;
	for (uint32_t r = 0; r < 4; r++) {
		cf_sample(&f, 0, r, 0, 7);
		size_t row = cf_sample(&f, 0, r, 0, 8);
		f.record->samples.v[row].arm = 1;
		cf_sample(&f, 1, r, 0, 3);
		row = cf_sample(&f, 1, r, 0, 4);
		f.record->samples.v[row].copy = 1;
	}
	report_samples(f.record, &ascii, &out);
	has(&out, "sort/gcc/O2/1, second arm: 4 rounds; min 8.000 lps, median 8.000 lps, max 8.000 lps;");
	has(&out, "a\n  sample is all 2 copies together\n7.000 lps |....\n"); /* 3 + 4 */
	buf_release(&out);
	cf_end(&f);
}

static void report_samples__nothing_measured__the_reason(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct words only = {0};
	struct report_options options = ascii;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	f.record->builds[1].status = CELL_BUILD_FAILED;
	f.record->builds[1].reason = "cc1: error";
	words_add(&only, &f.arena, "//O3");
	options.only = &only;
	report_samples(f.record, &options, &out);
	assert_string_equal(buf_text(&out), "sort/gcc/O3/1: no sample with a value: cc1: error\n");
	buf_release(&out);
	cf_end(&f);
}

static void report_samples__hostile_names__harmless(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_hostile(&f);
	for (int unicode = 0; unicode < 2; unicode++) {
		struct report_options options = {.width = 60, .unicode = unicode};
		buf_clear(&out);
		report_samples(f.record, &options, &out);
		has_not(&out, "\x1b");
		has_not(&out, "\a");
		has(&out, "|u"); /* the unit, what is harmless of it */
		for (const char *p = buf_text(&out); *p != '\0' && !unicode; p++)
			assert_true((unsigned char)*p < 0x80);
	}
	buf_release(&out);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_samples__two_modes__named_and_seen),
		cmocka_unit_test(report_samples__all_attempts__drawn_and_told_apart),
		cmocka_unit_test(report_samples__second_arm_and_copies__their_own_words),
		cmocka_unit_test(report_samples__nothing_measured__the_reason),
		cmocka_unit_test(report_samples__hostile_names__harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
