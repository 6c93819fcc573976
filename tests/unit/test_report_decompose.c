/* What `compare --decompose` prints: a golden file of a scene, sentences of every answer, JSON and CSV. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/json.h"
#include "decompose_fixture.h"
#include "report/comparison_decompose.h"
#include "report_fixture.h"

static const struct report_options terminal = {.width = 100, .unicode = true};
static const struct comparison_options plain = {.gate = -1, .path = "archive/h/2026/03/x.json.gz"};

static void has(const struct buf *out, const char *part)
{
	if (strstr(buf_text(out), part) == NULL)
		fail_msg("no \"%s\" in:\n%s", part, buf_text(out));
}

static json_t *parsed(const struct buf *out)
{
	struct error e = {0};
	json_t *root = json_parse(buf_text(out), out->n, "test", &e);

	if (root == NULL)
		fail_msg("%s", e.text);
	return root;
}

/*
 * Two workloads under opt x link: in sort O3 gives 2 %, lto nothing but beside O3, where it gives 1.2 % more; in hash lto
 * changes no code, and O3+static failed. clang has one workload, too noisy to tell.
 */
static void scene(struct fixture *f)
{
	static const char *const names[6] = {"O2+p", "O2+lto", "O2+static", "O3+p", "O3+lto", "O3+static"};
	static const double sort[6] = {0, 0, 0.004, 0.02, 0.032, 0.034};
	static const double hash[6] = {0, 0, 0.01, 0.05, 0.05, 0.06};

	cf_begin(f);
	rf_toolchain(f, "gcc", "gcc", "12.2.0");
	f->record->plan.matrix_text =
		DF_HEAD "baseline: O2+p\naxes:\n  opt: {O2: {cflags: -O2}, O3: {cflags: -O3}}\n"
			"  link: {p: {}, lto: {cflags: -flto, ldflags: -flto}, static: {ldflags: -static}}\n";
	for (int i = 0; i < 6; i++)
		df_cell(f, "sort", "gcc", names[i], i == 0, sort[i], i == 0 ? 0 : 0.0005 + 0.0001 * i, 16);
	for (int i = 0; i < 6; i++)
		df_cell(f, "hash", "gcc", names[i], i == 0, hash[i], i == 0 ? 0 : 0.0008 - 0.0001 * i, 16);
	for (int i = 0; i < 6; i++)
		df_cell(f, "sort", "clang", names[i], i == 0, sort[i], i == 0 ? 0 : 0.1, 16);
	f->record->builds[7].code_hash = f->record->builds[6].code_hash;
	f->record->builds[10].code_hash = f->record->builds[9].code_hash;
	f->record->builds[11].status = CELL_BUILD_FAILED;
	f->record->builds[11].reason = "cannot find -lc";
}

static void split_scene(struct fixture *f, const char *target, struct decomposition *d)
{
	scene(f);
	df_split_as(f, (struct decompose_options){.target = target}, d);
}

static void comparison_decompose__scene__golden(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct tally tally;
	struct buf out = {0};
	split_scene(&f, "O3+lto", &d);
	document_terminal(comparison_decompose(&d, &plain, &f.arena, &tally), &terminal, &out);
	rf_golden("compare-decompose.txt", &out);
	rf_no_control(&out, "");
	/* three terms of the split, three main effects, two interactions; three rows and a mean */
	assert_int_equal(tally.all, 8 * 4);
	assert_int_equal(tally_code(&tally, false), EXIT_YES);
	assert_int_equal(tally_code(&tally, true), EXIT_UNDECIDED);
	buf_clear(&out);
	document_markdown(comparison_decompose(&d, &plain, &f.arena, &tally), &out);
	has(&out, "| workload | O3 | lto | all together |");
	buf_release(&out);
	cf_end(&f);
}

static void sentence_has(
	const struct decomposition *d, const struct decompose_effect *effects, const char *part)
{
	struct arena arena = {0};
	const char *text = comparison_decompose_sentence(d, effects, &arena);

	if (strstr(text, part) == NULL)
		fail_msg("no \"%s\" in: %s", part, text);
	arena_release(&arena);
}

static void comparison_decompose_sentence__each_answer__in_words(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	split_scene(&f, "O3+lto", &d);
	/* the shares are (0.02 + 0.032) / 2 and (0 + 0.012) / 2 */
	sentence_has(
		&d, d.groups[0].rows[0].effects, "O3 gave +2.6 %, lto gave +0.6 %; all together +3.25 % ±");
	sentence_has(&d, d.groups[0].rows[0].effects, " Beyond the sum of their own: O3 x lto gave +1.2 %");
	sentence_has(
		&d, d.groups[0].rows[1].effects, "O3 gave +5.1 %, lto nothing (same code); all together");
	sentence_has(&d, d.groups[1].rows[0].effects, "can't be told (+");
	cf_end(&f);
	split_scene(&f, "O3+static", &d);
	sentence_has(&d, d.groups[0].rows[1].effects, "O3 n/a, static n/a; all together n/a.");
	sentence_has(&d, d.groups[0].means, "(partial: 1 of 2 workloads)");
	cf_end(&f);
	split_scene(&f, "O2+static", &d);
	sentence_has(&d, d.groups[0].rows[0].effects, "static too little to matter (at most 0.4 %)");
	f.record->plan.settings.matters = 0.5;
	f.record->builds[3].status = CELL_CHECK_FAILED;
	df_split_as(&f, (struct decompose_options){.target = "O3+lto"}, &d);
	sentence_has(&d, d.groups[0].rows[0].effects, "(partial: from 1 of 2 orders).");
	cf_end(&f);
}

static void comparison_decompose_sentence__nothing_shown__within_what(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	cf_begin(&f);
	f.record->plan.matrix_text = DF_HEAD "baseline: O2\naxes:\n  opt: {O2: {}, O3: {}}\n";
	df_cell(&f, "sort", "gcc", "O2", true, 0, 0, 16);
	df_cell(&f, "sort", "gcc", "O3", false, 1e-4, 0.002, 16);
	df_split(&f, &d);
	/* 1e-4 + 2.13 * 0.002 / sqrt(15) is 0.0012 */
	sentence_has(&d, d.groups[0].rows[0].effects,
		"O3 nothing shown (±0.1 %); all together nothing shown (±0.1 %).");
	cf_end(&f);
}

static void comparison_decompose__verbose_and_notes__all_said(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct tally tally;
	struct buf out = {0};
	struct comparison_options verbose = {.gate = -1, .verbose = true};
	split_scene(&f, "O3+static", &d);
	document_terminal(comparison_decompose(&d, &verbose, &f.arena, &tally), &terminal, &out);
	has(&out, "gcc 12.2.0 (slot gcc), hash: O3 n/a");
	has(&out, "no value: O3+static: build failed: cannot find -lc");
	has(&out, "sort/clang, part O3: ±");
	buf_clear(&out);
	document_terminal(comparison_decompose(&d, &plain, &f.arena, &tally), &terminal, &out);
	has(&out, "more; --verbose lists them");
	buf_release(&out);
	cf_end(&f);
}

static void comparison_decompose_json__scene__numbers_and_reasons(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct buf out = {0};
	split_scene(&f, "O3+static", &d);
	comparison_decompose_json(&d, &plain, &out);
	json_t *root = parsed(&out);
	json_t *group = json_array_get(json_object_get(root, "groups"), 0);
	json_t *rows = json_object_get(group, "rows");
	json_t *part = json_array_get(json_object_get(json_array_get(rows, 0), "effects"), 0);
	json_t *failed = json_array_get(json_object_get(json_array_get(rows, 1), "effects"), 0);
	assert_string_equal(json_text(root, "schema", ""), "flagstone.decomposition/1");
	assert_string_equal(json_text(root, "target", ""), "O3+static");
	assert_int_equal(json_int(json_object_get(root, "method"), "family", -1), (int64_t)d.result.family);
	assert_string_equal(json_text(part, "kind", ""), "part");
	assert_string_equal(json_text(part, "value", ""), "O3");
	df_near(json_num(part, "log_effect", 0), (0.02 + 0.03) / 2);
	assert_string_equal(json_text(failed, "answer", ""), "n/a");
	assert_string_equal(json_text(failed, "reason", ""), "O3+static: build failed: cannot find -lc");
	assert_true(json_is_null(json_object_get(failed, "log_effect")));
	json_t *mean = json_array_get(json_object_get(json_object_get(group, "mean"), "effects"), 0);
	df_near(json_num(mean, "used", 0), 1);
	df_near(json_num(mean, "possible", 0), 2);
	assert_true(
		json_is_null(json_object_get(json_array_get(json_object_get(root, "groups"), 1), "mean")));
	json_decref(root);
	buf_release(&out);
	cf_end(&f);
}

static void comparison_decompose_csv__scene__a_line_an_effect(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct buf out = {0};
	size_t lines = 0;
	split_scene(&f, "O3+lto", &d);
	comparison_decompose_csv(&d, &out);
	for (size_t i = 0; i < out.n; i++)
		lines += out.data[i] == '\n';
	assert_int_equal(lines, 1 + 8 * 4);
	has(&out, "slot,copies,of,workload,args,kind,name,axis,value,axis_b,value_b,used,possible,answer,");
	has(&out, "\r\ngcc,1,workload,hash,,part,lto,link,lto,,,2,2,same code,,,");
	has(&out, "\r\ngcc,1,mean,,,interaction,O3 x lto,opt,O3,link,lto,2,2,");
	buf_release(&out);
	cf_end(&f);
}

static void comparison_decompose__hostile_names__harmless(void **state)
{
	(void)state;
	struct fixture f;
	struct decomposition d;
	struct tally tally;
	struct buf out = {0};
	cf_begin(&f);
	f.record->plan.matrix_text =
		DF_HEAD "baseline: O2\naxes:\n  opt: {O2: {}, O3: {cflags: '-D\"</script>|`\"'}}\n";
	df_cell(&f, RF_HOSTILE, "=cmd", "O2", true, 0, 0, 16);
	df_cell(&f, RF_HOSTILE, "=cmd", "O3", false, 0.01, 0.001, 16);
	df_cell(&f, "=cmd", "=cmd", "O2", true, 0, 0, 16);
	cf_build(&f, "=cmd", "=cmd", "O3", false);
	f.record->builds[3].status = CELL_BUILD_FAILED;
	f.record->builds[3].reason = RF_HOSTILE;
	cf_build(&f, "@sum", "=cmd", RF_HOSTILE, false);
	df_split(&f, &d);
	struct document *document = comparison_decompose(&d, &plain, &f.arena, &tally);
	document_terminal(document, &terminal, &out);
	rf_no_control(&out, "");
	buf_clear(&out);
	document_markdown(document, &out);
	rf_no_control(&out, "");
	assert_null(strstr(buf_text(&out), "<img"));
	buf_clear(&out);
	comparison_decompose_csv(&d, &out);
	rf_no_control(&out, "\r");
	has(&out, "\r\n\"'=cmd\",");
	buf_clear(&out);
	comparison_decompose_json(&d, &plain, &out);
	json_decref(parsed(&out));
	assert_null(strstr(buf_text(&out), "</script"));
	buf_release(&out);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparison_decompose__scene__golden),
		cmocka_unit_test(comparison_decompose_sentence__each_answer__in_words),
		cmocka_unit_test(comparison_decompose_sentence__nothing_shown__within_what),
		cmocka_unit_test(comparison_decompose__verbose_and_notes__all_said),
		cmocka_unit_test(comparison_decompose_json__scene__numbers_and_reasons),
		cmocka_unit_test(comparison_decompose_csv__scene__a_line_an_effect),
		cmocka_unit_test(comparison_decompose__hostile_names__harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
