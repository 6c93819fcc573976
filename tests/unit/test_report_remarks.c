/* What a report says around its tables: hints, selections, slots that are not here, what disturbed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "compare/select.h"
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

/* What the user gave must stand in what is to be typed next. */
static void report_terminal__hints__carry_folder_selection_and_aa(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	struct words only = {0};
	rf_scene(&f);
	words_add(&only, &f.arena, "sort-strings//O?");
	words_add(&only, &f.arena, "pipe");
	options.where = " -C 'my project' --archive /a";
	options.only = &only;
	print(&f, options, &out);
	has(&out, "flagstone run quick --only 'sort-strings//O?' --only pipe --rounds 256 --budget 4m "
		  "--precision 1% -C 'my project' --archive /a\n");
	has(&out, "flagstone show aaaaaaaaaaaa -C 'my project' --archive /a\n");
	f.record->plan.aa = true;
	cf_answer(&f);
	print(&f, options, &out);
	has(&out, "flagstone show aaaaaaaaaaaa --aa -C 'my project' --archive /a\n");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__verbose__a_command_for_each_verdict(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	rf_scene(&f);
	print(&f, options, &out);
	has_not(&out, "Each verdict again:");
	options.verbose = true;
	print(&f, options, &out);
	has(&out, "  pipe/gcc/v3/1: same code\n    flagstone show aaaaaaaaaaaa --only pipe/gcc/v3/1\n");
	has(&out, "    flagstone show aaaaaaaaaaaa --only sort-strings/clang/lto/1\n");
	has_not(&out, "--only matmul/clang/lto/1"); /* failed: no verdict */
	options.path = NULL;			    /* not archived: nothing to show again */
	print(&f, options, &out);
	has_not(&out, "Each verdict again:");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__selection__rows_and_baselines_with_the_verdicts_of_all(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct words only = {0};
	size_t family;
	double p_adjusted;
	rf_scene(&f);
	family = f.result.family;
	p_adjusted = f.result.comparisons[1].p_adjusted;
	words_add(&only, &f.arena, "dhrystone/gcc/v3");
	select_cells(f.record, &f.result, &only);
	assert_int_equal(f.result.family, family);
	assert_true(f.result.comparisons[1].p_adjusted == p_adjusted);
	print(&f, plain, &out);
	has(&out, "                    O2          v3\ndhrystone  27.30 M lps  = (±0.6 %)\n");
	has(&out, "Holm over 30 comparisons");
	has_not(&out, "clang");
	has_not(&out, "matmul");
	has_not(&out, "Geometric means");
	cf_end(&f);
	rf_scene(&f);
	only = (struct words){0};
	words_add(&only, &f.arena,
		"*/*"); /* as with `run --only`, whose record has what was asked for: nothing is hidden */
	select_cells(f.record, &f.result, &only);
	print(&f, plain, &out);
	has(&out, "Geometric means");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__slot_that_is_not_here__one_line_and_no_table(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct record_toolchain *t;
	cf_begin(&f);
	rf_toolchain(&f, "gcc", "gcc", "12.2.0");
	t = &f.record->toolchains[f.record->toolchain_count++];
	t->facts.arena = &f.arena;
	words_add(&t->slots, &f.arena, "gcc-9");
	facts_unknown(&t->facts, "toolchain.family", "PATH", "no gcc-9 in PATH");
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	cf_pair(&f, 0, 1, 16, 0.05, 0.001);
	for (uint32_t i = 2; i < 8; i++) {
		cf_build(&f, i < 5 ? "sort" : "matmul", "gcc-9", "O2", i == 2);
		f.record->builds[i].status = CELL_IMPOSSIBLE;
		f.record->builds[i].reason = "no gcc-9 in PATH";
		f.record->builds[i].copies = i % 2 + 1;
	}
	cf_answer(&f);
	print(&f, plain, &out);
	has(&out, "\ngcc-9: no gcc-9 in PATH; 6 cells\n");
	has_not(&out, "n/a");
	has_not(&out, "slot gcc-9");
	buf_clear(&out);
	report_markdown(f.record, &f.result, &plain, &out);
	has(&out, "\ngcc-9: no gcc-9 in PATH; 6 cells\n");
	f.record->builds[7].status = CELL_BUILD_FAILED; /* something was tried: there is a table */
	cf_answer(&f);
	print(&f, plain, &out);
	has(&out, "slot gcc-9");
	buf_release(&out);
	cf_end(&f);
}

/* Layouts are those of the samples: nothing need have been compared. */
static void report_terminal__only_a_baseline__its_layouts_are_counted(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	for (uint32_t r = 0; r < 32; r++) {
		size_t row = cf_sample(&f, 0, r, 100 + r % 16, 100);
		f.record->samples.v[row].arm = 1; /* of a second arm: not counted */
		cf_sample(&f, 0, r, r % 16, 100);
	}
	cf_answer(&f);
	print(&f, plain, &out);
	has(&out, "This run used 16 layouts and 32 of at most 64 rounds");
	has_not(&out, "To see finer");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__two_modes_trend_and_neighbours__said_by_default(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = plain;
	options.width = 200;
	cf_begin(&f);
	for (uint32_t i = 0; i < 9; i++)
		cf_build(&f, arena_printf(&f.arena, "w%u", i), "gcc", "O2", true);
	for (uint32_t i = 0; i < 9; i++)
		for (uint32_t r = 0; r < 64; r++)
			cf_sample(&f, i, r, r % 16, i < 7 ? 100 + r + 2.5 * cf_sign(r) : r % 2 ? 100 : 110);
	cf_answer(&f);
	print(&f, options, &out);
	/* 100 + r + 2.5 in turns: medians of the first and the last 21 rounds, 110.5 and 152.5: 42 over 131.5 */
	has(&out, "  a trend within the run, from the first third of the rounds to the last: w0/gcc/O2/1 "
		  "(+32 %), "
		  "w1/gcc/O2/1 (+32 %), w2/gcc/O2/1 (+32 %)");
	has(&out, "w5/gcc/O2/1 (+32 %)\n    and 1 more\n");
	has(&out, "  two modes, one median speaks for neither: w7/gcc/O2/1 (at 100.0 lps and 110.0 lps, 50 "
		  "and 50 % "
		  "of its samples), w8/gcc/O2/1 (at");
	has(&out, "  neighbouring rounds are alike (lag-1 autocorrelation)");
	has(&out, "  neighbouring rounds alternate (lag-1 autocorrelation): w7/gcc/O2/1 (-0.98), w8");
	/* the command names first what has two modes */
	memset(f.record->id, 'a', HASH_HEX - 1);
	options.where = " -C 'my project'";
	print(&f, options, &out);
	has(&out, "\n  flagstone show aaaaaaaaaaaa --samples --only w7/gcc/O2/1 --only w8/gcc/O2/1 --only "
		  "w0/gcc/O2/1 "
		  "--only w1/gcc/O2/1 --only w2/gcc/O2/1 --only w3/gcc/O2/1 -C 'my project'\n");
	buf_release(&out);
	cf_end(&f);
}

static void report_terminal__small_values__readable_and_alike_in_a_row(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	cf_begin(&f);
	cf_workload(&f, "sort", "s/op", true);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", true);
	for (uint32_t r = 0; r < 16; r++) {
		cf_sample(&f, 0, r, r, 2.944e-7);
		cf_sample(&f, 1, r, r, 1.1e-6);
	}
	cf_answer(&f);
	print(&f, plain, &out);
	has(&out, "sort  294.4 ns/op  1100 ns/op\n");
	buf_release(&out);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_terminal__hints__carry_folder_selection_and_aa),
		cmocka_unit_test(report_terminal__verbose__a_command_for_each_verdict),
		cmocka_unit_test(report_terminal__selection__rows_and_baselines_with_the_verdicts_of_all),
		cmocka_unit_test(report_terminal__slot_that_is_not_here__one_line_and_no_table),
		cmocka_unit_test(report_terminal__only_a_baseline__its_layouts_are_counted),
		cmocka_unit_test(report_terminal__two_modes_trend_and_neighbours__said_by_default),
		cmocka_unit_test(report_terminal__small_values__readable_and_alike_in_a_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
