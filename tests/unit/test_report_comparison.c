/* The documents, JSON and CSV of compare: golden files of a scene, and foreign text that wants to be markup. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/json.h"
#include "compare_runs.h"
#include "report/comparison.h"
#include "report/comparison_verdict.h"
#include "report_fixture.h"

static const struct report_options terminal = {.width = 100, .unicode = true};
static const struct comparison_options no_gate = {.gate = -1, .path = "archive/h/2026/03/x.json.gz"};

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

static void compare_scene(struct fixture *f, struct within *w, enum within_axis by)
{
	struct error e = {0};

	if (within_compare(f->record, &(struct within_options){.by = by}, &f->arena, w, &e) != 0)
		fail_msg("%s", e.text);
}

static void comparison_within__by_slot__golden(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct tally tally;
	struct buf out = {0};
	rf_scene(&f);
	compare_scene(&f, &w, WITHIN_SLOT);
	document_terminal(comparison_within(&w, &no_gate, &f.arena, &tally), &terminal, &out);
	rf_golden("compare-slot.txt", &out);
	rf_no_control(&out, "");
	assert_int_equal(tally.all, 24);
	buf_release(&out);
	cf_end(&f);
}

static void comparison_within__gate__cells_named_first(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct tally tally;
	struct buf out = {0};
	struct comparison_options gate = {.gate = 0.03};
	rf_scene(&f);
	compare_scene(&f, &w, WITHIN_VARIANT);
	document_terminal(comparison_within(&w, &gate, &f.arena, &tally), &terminal, &out);
	/* native is made 4.5 % slower in every workload; the last one is too noisy to say so */
	assert_int_equal(tally.beyond, 6);
	assert_int_equal(tally_code(&tally, false), EXIT_NO);
	has(&out, "! Gate: 6 cells are significantly slower by more than 3 %: dhrystone/gcc/native/1,");
	buf_clear(&out);
	gate.gate = 0.2;
	document_terminal(comparison_within(&w, &gate, &f.arena, &tally), &terminal, &out);
	has(&out, "Gate: no cell is significantly slower by more than 20 %.");
	assert_int_equal(tally_code(&tally, false), EXIT_YES);
	buf_clear(&out);
	gate.gate = 0.03;
	comparison_within_json(&w, &gate, &out);
	json_t *root = parsed(&out);
	assert_string_equal(json_text(root, "schema", ""), "flagstone.comparison/1");
	assert_int_equal(json_array_size(json_object_get(json_object_get(root, "gate"), "beyond")), 6);
	assert_int_equal(json_array_size(json_object_get(root, "comparisons")), 40);
	assert_string_equal(json_text(json_object_get(root, "comparable"), "verdict", ""), "comparable");
	json_decref(root);
	buf_release(&out);
	cf_end(&f);
}

static void comparison_within__csv__a_line_a_comparison(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct buf out = {0};
	size_t lines = 0;
	rf_scene(&f);
	compare_scene(&f, &w, WITHIN_SLOT);
	comparison_within_csv(&w, &out);
	for (size_t i = 0; i < out.n; i++)
		lines += out.data[i] == '\n';
	assert_int_equal(lines, 25);
	has(&out, "baseline,cell,baseline_median,median,answer,");
	has(&out, "\r\ndhrystone/gcc/O2/1,dhrystone/clang/O2/1,27");
	buf_release(&out);
	cf_end(&f);
}

static void comparison_within__hostile_names__harmless(void **state)
{
	(void)state;
	struct fixture f;
	struct within w;
	struct tally tally;
	struct buf out = {0};
	struct words steps = {0};
	rf_hostile(&f);
	compare_scene(&f, &w, WITHIN_VARIANT);
	struct document *document = comparison_within(&w, &no_gate, &f.arena, &tally);
	document_terminal(document, &terminal, &out);
	rf_no_control(&out, "");
	buf_clear(&out);
	document_markdown(document, &out);
	rf_no_control(&out, "");
	assert_null(strstr(buf_text(&out), "<img"));
	buf_clear(&out);
	comparison_within_csv(&w, &out);
	rf_no_control(&out, "\r");
	buf_clear(&out);
	comparison_within_json(&w, &no_gate, &out);
	json_decref(parsed(&out));
	assert_null(strstr(buf_text(&out), "</script"));
	buf_clear(&out);
	words_add(&steps, &f.arena, RF_HOSTILE);
	document_terminal(comparison_explained(RF_HOSTILE, &steps, &f.arena), &terminal, &out);
	rf_no_control(&out, "");
	buf_release(&out);
	cf_end(&f);
}

/* Three runs a side, another kernel, a cell that one side does not have. */
static void two_sides(struct runs *runs)
{
	memset(runs, 0, sizeof(*runs));
	cr_side(runs, "latest~1", (const double[]){99.8, 100, 100.2}, 3);
	cr_side(runs, "latest", (const double[]){94.8, 95, 95.2}, 3);
	for (size_t i = 3; i < 6; i++) {
		facts_set(&runs->f[i].record->host, "kernel.release", "6.12", "uname");
		facts_set(&runs->f[i].record->host, "freq.governor", "powersave", "sysfs");
		runs->f[i].record->builds[1].cell = "sort/gcc/Os/1";
	}
}

static void comparison_between__two_sides__golden(void **state)
{
	(void)state;
	struct runs runs;
	struct tally tally;
	struct buf out = {0};
	struct error e = {0};
	struct comparison_options gate = {.gate = 0.02};
	two_sides(&runs);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	document_terminal(comparison_between(&runs.between, &gate, &runs.arena, &tally), &terminal, &out);
	rf_golden("compare-records.txt", &out);
	assert_int_equal(tally_code(&tally, false), EXIT_NO);
	buf_clear(&out);
	comparison_between_json(&runs.between, &gate, &out);
	json_t *root = parsed(&out);
	json_t *sides = json_object_get(root, "sides");
	json_t *axis = json_object_get(json_array_get(sides, 1), "axis");
	assert_string_equal(json_text(axis, "name", ""), "kernel");
	assert_false(json_is_true(json_object_get(axis, "declared")));
	assert_int_equal(json_array_size(json_object_get(json_array_get(sides, 0), "records")), 3);
	assert_int_equal(json_array_size(json_object_get(root, "missing")), 2);
	assert_int_equal(json_array_size(json_object_get(json_object_get(root, "gate"), "beyond")), 1);
	json_decref(root);
	buf_clear(&out);
	comparison_between_csv(&runs.between, &gate, &out);
	has(&out, "\r\nsort/gcc/O2/1,latest~1,latest,caveat,lps,3,100,3,95,");
	buf_release(&out);
	cr_end(&runs);
}

static void comparison_between__incomparable__no_ratio_unless_forced(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct tally tally;
	struct buf out = {0};
	struct error e = {0};
	struct comparison_options options = {.gate = -1};
	cr_side(&runs, "one", (const double[]){100}, 1);
	cr_side(&runs, "other", (const double[]){200}, 1);
	facts_set(&runs.f[1].record->host, "host.arch", "aarch64", "uname");
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	document_terminal(comparison_between(&runs.between, &options, &runs.arena, &tally), &terminal, &out);
	assert_int_equal(tally_code(&tally, false), EXIT_NOTHING);
	assert_int_equal(strncmp(buf_text(&out), "INCOMPARABLE: host.arch: x86_64 against aarch64", 47), 0);
	assert_null(strstr(buf_text(&out), "+100"));
	buf_clear(&out);
	assert_int_equal(cr_compare(&runs, (struct between_options){.force = true}, &e), 0);
	options.forced = true;
	document_markdown(comparison_between(&runs.between, &options, &runs.arena, &tally), &out);
	has(&out, "+100");
	has(&out, "**FORCED: ");
	buf_release(&out);
	cr_end(&runs);
}

/* Facts are foreign text: a kernel's name, a compiler's version, a unit. */
static void comparison_between__hostile_facts__harmless(void **state)
{
	(void)state;
	struct runs runs;
	struct tally tally;
	struct buf out = {0};
	struct error e = {0};
	struct words elsewhere[2] = {{0}, {0}};
	struct comparison_options options = {.gate = -1, .elsewhere = elsewhere};
	two_sides(&runs);
	for (size_t i = 3; i < 6; i++) {
		struct record *r = runs.f[i].record;

		facts_set(&r->host, "kernel.cmdline", RF_HOSTILE, RF_HOSTILE);
		facts_unknown(&r->host, "bios.version", "dmi", RF_HOSTILE);
		facts_set(&r->toolchains[0].facts, "toolchain.version", RF_HOSTILE, "gcc");
		facts_set(&r->builds[0].facts, "build.cflags", RF_HOSTILE, "matrix");
		facts_set(&r->builds[0].facts, "run.runner", RF_HOSTILE, "matrix");
		r->builds[0].code_hash = RF_HOSTILE;
	}
	words_add(&elsewhere[1], &runs.arena, RF_HOSTILE);
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	document_terminal(comparison_between(&runs.between, &options, &runs.arena, &tally), &terminal, &out);
	rf_no_control(&out, "");
	buf_clear(&out);
	document_terminal(comparison_why(&runs.between, elsewhere, true, &runs.arena), &terminal, &out);
	rf_no_control(&out, "");
	has(&out, "FORCED: ");
	buf_clear(&out);
	document_markdown(comparison_why(&runs.between, elsewhere, false, &runs.arena), &out);
	rf_no_control(&out, "");
	assert_null(strstr(buf_text(&out), "<img"));
	buf_clear(&out);
	comparison_between_csv(&runs.between, &options, &out);
	rf_no_control(&out, "\r");
	buf_clear(&out);
	comparison_between_json(&runs.between, &options, &out);
	json_decref(parsed(&out));
	assert_null(strstr(buf_text(&out), "</script"));
	buf_release(&out);
	cr_end(&runs);
}

/* Seven sides and more: groups and a line each. */
static void comparison_between__seven_sides__groups_and_an_overview(void **state)
{
	(void)state;
	struct runs runs = {0};
	struct tally tally;
	struct buf out = {0};
	struct error e = {0};
	struct comparison_options options = {.gate = -1};
	for (int i = 0; i < 7; i++)
		cr_side(&runs, arena_printf(&runs.arena, "run%d", i), (const double[]){100 + i}, 1);
	facts_set(&runs.f[6].record->host, "cgroup.cpu.quota_cpus", "2", "cgroup");
	for (int i = 0; i < 6; i++)
		facts_set(&runs.f[i].record->host, "cgroup.cpu.quota_cpus", "none", "cgroup");
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	document_terminal(comparison_between(&runs.between, &options, &runs.arena, &tally), &terminal, &out);
	assert_int_equal(
		strncmp(buf_text(&out), "6 of 7 records compare with one another; 1 does not.", 52), 0);
	has(&out, "does not compare with A: cgroup.cpu.quota_cpus: none against");
	has(&out, "A run0");
	has(&out, "INCOMPARABLE");
	assert_null(strstr(buf_text(&out), "sort/gcc/O2/1  "));
	buf_release(&out);
	cr_end(&runs);
}

static void comparison_recommend__scene__says_what_to_use(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation advice;
	struct buf out = {0};
	struct error e = {0};
	rf_scene(&f);
	assert_int_equal(recommend(f.record, &(struct within_options){0}, &f.arena, &advice, &e), 0);
	document_terminal(comparison_recommend(f.record, &advice, &no_gate, &f.arena), &terminal, &out);
	rf_golden("compare-recommend.txt", &out);
	buf_clear(&out);
	comparison_recommend_json(f.record, &advice, &out);
	json_t *root = parsed(&out);
	assert_int_equal(json_array_size(json_object_get(root, "candidates")), 12);
	json_decref(root);
	buf_clear(&out);
	comparison_recommend_csv(&advice, &out);
	has(&out, "slot,variant,state,");
	has(&out, "O3,best,,0");
	buf_release(&out);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparison_within__by_slot__golden),
		cmocka_unit_test(comparison_within__gate__cells_named_first),
		cmocka_unit_test(comparison_within__csv__a_line_a_comparison),
		cmocka_unit_test(comparison_within__hostile_names__harmless),
		cmocka_unit_test(comparison_between__two_sides__golden),
		cmocka_unit_test(comparison_between__incomparable__no_ratio_unless_forced),
		cmocka_unit_test(comparison_between__hostile_facts__harmless),
		cmocka_unit_test(comparison_between__seven_sides__groups_and_an_overview),
		cmocka_unit_test(comparison_recommend__scene__says_what_to_use),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
