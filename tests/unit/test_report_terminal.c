#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "report_fixture.h"

static const struct report_options plain = {
	.width = 100, .unicode = true, .path = "archive/h/2026/03/x.json.gz"};

static void print(struct fixture *f, struct report_options options, struct buf *out)
{
	buf_clear(out);
	report_terminal(f->record, &f->result, &options, out);
}

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

/* Every line fits, but those that hold one word or a command (after two blanks) which must not be broken. */
static void fits(const struct buf *out, size_t width)
{
	char *text = strdup(buf_text(out)), *state = NULL;

	for (char *line = strtok_r(text, "\n", &state); line != NULL; line = strtok_r(NULL, "\n", &state)) {
		const char *word = line + strspn(line, " ");
		bool kept = strncmp(word, "flagstone ", 10) == 0 || strchr(word, ' ') == NULL;

		if (text_width(line) > width && !kept)
			fail_msg("wider than %zu: %s", width, line);
	}
	free(text);
}

static void report_terminal__run_100_columns__golden(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_scene(&f);
	print(&f, plain, &out);
	rf_golden("terminal-100.txt", &out);
	fits(&out, 100);
	rf_no_control(&out, "");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__wide_verbose__golden(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	rf_scene(&f);
	options.width = 160;
	options.verbose = true;
	print(&f, options, &out);
	rf_golden("terminal-160-verbose.txt", &out);
	fits(&out, 160);
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__40_columns_ascii__golden(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	rf_scene(&f);
	options.width = 40;
	options.unicode = false;
	print(&f, options, &out);
	rf_golden("terminal-40-ascii.txt", &out);
	fits(&out, 40);
	for (size_t i = 0; i < out.n; i++)
		assert_true((unsigned char)out.data[i] < 0x80);
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__every_width__fits_and_has_all_numbers(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	rf_scene(&f);
	for (options.width = 40; options.width <= 200; options.width += 7) {
		print(&f, options, &out);
		fits(&out, options.width);
		has(&out, "27.3"); /* the baseline's rate */
		has(&out, "+12.");
		has(&out, "same code");
	}
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__colour__only_repeats_what_is_said(void **state)
{
	(void)state;
	struct fixture f;
	struct buf without = {0}, with = {0}, stripped = {0};
	struct report_options options = plain;
	rf_scene(&f);
	print(&f, options, &without);
	options.colour = true;
	print(&f, options, &with);
	has(&with, "\033[32m+");
	has(&with, "\033[31m-");
	for (const char *p = buf_text(&with); *p != '\0';) {
		if (*p == '\033')
			p = strchr(p, 'm') + 1;
		else
			buf_addc(&stripped, *p++);
	}
	assert_string_equal(buf_text(&stripped), buf_text(&without));
	buf_release(&without);
	buf_release(&with);
	buf_release(&stripped);
	cf_end(&f);
}

static void report_terminal__hostile_strings__escaped(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	rf_hostile(&f);
	options.path = RF_HOSTILE;
	print(&f, options, &out);
	rf_no_control(&out, "");
	options.unicode = false;
	print(&f, options, &out);
	rf_no_control(&out, "");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__empty_record__says_so(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	cf_begin(&f);
	f.record->complete = false;
	f.record->incomplete_reason = "interrupted in round 0";
	cf_answer(&f);
	options.path = NULL;
	print(&f, options, &out);
	has(&out, "! This run is not complete: interrupted in round 0.");
	has(&out, "nothing to show");
	has(&out, "not archived");
	has_not(&out, "nan");
	has_not(&out, "0 layouts");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__all_cells_failed__no_number_but_reasons(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	for (uint32_t i = 0; i < 5; i++) {
		cf_build(&f, i < 3 ? "sort" : "matmul", "gcc",
			i == 0 || i == 3 ? "O2"
			: i == 1	 ? "O3"
					 : "lto",
			i == 0);
		f.record->builds[i].status = i == 1 ? CELL_CHECK_FAILED : CELL_BUILD_FAILED;
	}
	record_add_failure(f.record, -1, 1, "check", "gave 41 instead of 42");
	for (uint32_t i = 0; i < 5; i++)
		f.record->builds[i].reason = i == 1 ? NULL : "cc1: out of memory";
	cf_compare(&f, 0, 1);
	cf_compare(&f, 0, 2);
	cf_answer(&f);
	print(&f, plain, &out);
	has(&out, "failed ¹");
	has(&out, "¹ build failed: cc1: out of memory (sort/gcc/O2/1, sort/gcc/lto/1, matmul/gcc/O2/1 and 1 "
		  "more)");
	has(&out, "² check failed: gave 41 instead of 42 (sort/gcc/O3/1)");
	has(&out, "O3 n/a (0 of 1)");
	has_not(&out, "0.0 %");
	has_not(&out, "nan");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__failed_baseline__rate_without_comparison(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	cf_pair(&f, 1, 1, 16, 0, 0.001);
	f.record->builds[0].status = CELL_BUILD_FAILED;
	f.record->builds[0].reason = "internal compiler error";
	cf_answer(&f);
	print(&f, plain, &out);
	has(&out, "100.0 lps ²");
	has(&out, "² not compared: baseline build failed: internal compiler error");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__long_names__numbers_stay_whole(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	static const char name[] = "a-name-of-sixty-four-letters-is-the-longest-one-that-is-allowed-x";
	cf_begin(&f);
	cf_build(&f, name, "gcc", "O2", true);
	cf_build(&f, name, "gcc", "opt3+march-v3+lto+static", false);
	cf_compare(&f, 0, 1);
	cf_pair(&f, 0, 1, 16, 0.05, 0.001);
	cf_answer(&f);
	options.width = 40;
	print(&f, options, &out);
	has(&out, name);
	has(&out, "opt3+march-v3+lto+static");
	has(&out,
		"+5.13 % ±0.06"); /* 100 (e^0.05 - 1) = 5.127; half width 2.1314 * 0.001 / sqrt(15) * e^0.05 */
	fits(&out, 40);
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__names_beyond_ascii__as_wide_as_shown(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	cf_begin(&f);
	cf_build(&f, "größe-λ", "gcc", "O2", true);
	cf_build(&f, "sort-st", "gcc", "O2", true); /* as many letters: the columns must line up */
	cf_pair(&f, 0, 1, 16, 0, 0);
	cf_answer(&f);
	print(&f, options, &out);
	has(&out, "größe-λ  100.0 lps\nsort-st  100.0 lps\n");
	options.unicode = false;
	print(&f, options, &out);
	has(&out, "gr\\xc3\\xb6\\xc3\\x9fe-\\xce\\xbb");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__copies_and_parameters__told_apart(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "none", "none", true);
	f.record->builds[0].args = "n=4,m=2";
	f.record->builds[1].copies = 2;
	cf_pair(&f, 0, 2, 16, 0, 0);
	cf_answer(&f);
	print(&f, plain, &out);
	has(&out, "sort n=4,m=2  100.0 lps");
	has(&out, "slot gcc, toolchain not known, 1 copy");
	has(&out, "slot gcc, toolchain not known, 2 copies");
	has(&out, "no toolchain: flags don't act here, 1 copy");
	has(&out, "not measured ¹");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__suspect_run__said_at_the_top(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	cf_answer(&f);
	f.result.aa = AA_SUSPECT;
	f.result.aa_pairs = 14;
	f.result.lambda = 3.25;
	f.result.p_aa = 0.0004;
	f.record->complete = true;
	print(&f, plain, &out);
	has(&out, "! This run is suspect: it finds differences between pairs of identical code (14 pairs, p "
		  "= 0.0004).");
	buf_release(&out);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_terminal__run_100_columns__golden),
		cmocka_unit_test(report_terminal__wide_verbose__golden),
		cmocka_unit_test(report_terminal__40_columns_ascii__golden),
		cmocka_unit_test(report_terminal__every_width__fits_and_has_all_numbers),
		cmocka_unit_test(report_terminal__colour__only_repeats_what_is_said),
		cmocka_unit_test(report_terminal__hostile_strings__escaped),
		cmocka_unit_test(report_terminal__empty_record__says_so),
		cmocka_unit_test(report_terminal__all_cells_failed__no_number_but_reasons),
		cmocka_unit_test(report_terminal__failed_baseline__rate_without_comparison),
		cmocka_unit_test(report_terminal__long_names__numbers_stay_whole),
		cmocka_unit_test(report_terminal__names_beyond_ascii__as_wide_as_shown),
		cmocka_unit_test(report_terminal__copies_and_parameters__told_apart),
		cmocka_unit_test(report_terminal__suspect_run__said_at_the_top),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
