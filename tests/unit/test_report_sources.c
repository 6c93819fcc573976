/* What differs between two cells, as text and JSON: foreign names stay harmless, and nothing is lost. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "compare_runs.h"
#include "report/comparison.h"
#include "report/comparison_sources.h"
#include "report/result_json.h"
#include "report_fixture.h"

static const struct report_options terminal = {.width = 100, .unicode = true};

static void set_functions(struct record_build *build, const char *name, uint64_t size, const char *hash)
{
	build->functions = arena_array(build->facts.arena, 1, sizeof(*build->functions));
	build->functions[0] = (struct record_function){name, size, hash};
	build->function_count = 1;
	facts_set(&build->facts, "build.functions", "1", "symbols");
	facts_set(&build->facts, "build.function_hash", "1", "flagstone");
}

static void scene(struct fixture *f, struct within *w, const char *name)
{
	struct error e = {0};

	cf_begin(f);
	cf_build(f, "sort", "gcc", "O2", true);
	cf_build(f, "sort", "gcc", "O3", false);
	cf_compare(f, 0, 1);
	cf_pair(f, 0, 1, 16, 0.05, 0.01);
	set_functions(&f->record->builds[0], name, 10, "aa");
	set_functions(&f->record->builds[1], name, 12, "ab");
	facts_set(&f->record->builds[0].facts, "build.cflags", name, "matrix");
	facts_unknown(&f->record->host, "counters.cycles", "perf_event_open(2)", name);
	assert_int_equal(within_compare(f->record, &(struct within_options){0}, &f->arena, w, &e), 0);
}

static void comparison_add_sources__hostile_names__harmless(void **state)
{
	struct fixture f;
	struct within w;
	struct sources sources;
	struct words steps = {0};
	struct document *document;
	struct buf out = {0};
	struct tally tally;
	struct error e = {0};

	(void)state;
	scene(&f, &w, RF_HOSTILE);
	sources_within(&w, 0, &f.arena, &sources);
	words_add(&steps, &f.arena, "step");
	document = comparison_explained("sort/gcc/O3/1", &steps, &f.arena);
	comparison_add_sources(document, &sources, 1, &f.arena);
	document_terminal(document, &terminal, &out);
	rf_no_control(&out, "");
	assert_non_null(
		strstr(buf_text(&out), "What differs between the two (evidence, no proof of a cause):"));
	assert_non_null(strstr(buf_text(&out), "(10 to 12 bytes)"));
	buf_clear(&out);
	document_markdown(comparison_within(&w, &(struct comparison_options){.gate = -1, .verbose = true},
				  &f.arena, &tally),
		&out);
	rf_no_control(&out, "");
	assert_null(strstr(buf_text(&out), "<img"));
	assert_non_null(strstr(buf_text(&out), "Functions that differ"));
	buf_clear(&out);
	comparison_explained_json("x", &steps, comparison_sources_json(&sources, 1, true), &out);
	assert_null(strstr(buf_text(&out), "</script"));
	json_decref(json_parse(buf_text(&out), out.n, "test", &e));
	assert_int_equal(e.code, EXIT_YES);
	buf_release(&out);
	cf_end(&f);
}

static void comparison_sources_json__one_function__all_members(void **state)
{
	struct fixture f;
	struct within w;
	struct sources sources;
	json_t *all, *functions, *function, *unknown;

	(void)state;
	scene(&f, &w, "multiply");
	sources_within(&w, 0, &f.arena, &sources);
	all = comparison_sources_json(&sources, 1, true);
	assert_int_equal(json_array_size(all), 1);
	assert_true(json_is_null(json_object_get(json_array_get(all, 0), "side")));
	functions = json_object_get(json_array_get(all, 0), "functions");
	assert_true(json_is_null(json_object_get(functions, "unknown")));
	function = json_array_get(json_object_get(functions, "differ"), 0);
	assert_string_equal(json_text(function, "baseline_name", ""), "multiply");
	assert_int_equal(json_int(function, "baseline_bytes", 0), 10);
	assert_int_equal(json_int(function, "bytes", 0), 12);
	unknown = json_object_get(json_array_get(all, 0), "unknown");
	assert_string_equal(
		json_text(json_array_get(unknown, 0), "what", ""), "preferred vector width in bits");
	json_decref(all);
	cf_end(&f);
}

static void comparison_between__verbose__a_line_a_cell_and_side(void **state)
{
	struct runs runs = {0};
	struct tally tally;
	struct buf out = {0};
	struct error e = {0};

	(void)state;
	cr_side(&runs, "old", (const double[]){100}, 1);
	cr_side(&runs, "new", (const double[]){105}, 1);
	set_functions(&runs.f[0].record->builds[0], "multiply", 10, "aa");
	set_functions(&runs.f[1].record->builds[0], "multiply", 12, "ab");
	assert_int_equal(cr_compare(&runs, (struct between_options){0}, &e), 0);
	document_terminal(
		comparison_between(&runs.between, &(struct comparison_options){.gate = -1, .verbose = true},
			&runs.arena, &tally),
		&terminal, &out);
	assert_non_null(strstr(buf_text(&out), "sort/gcc/O2/1 (new): 1 of 1 functions differ: multiply"));
	assert_non_null(
		strstr(buf_text(&out), "sort/gcc/O3/1 (new): which functions differ is unknown: the record"));
	buf_release(&out);
	cr_end(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparison_add_sources__hostile_names__harmless),
		cmocka_unit_test(comparison_sources_json__one_function__all_members),
		cmocka_unit_test(comparison_between__verbose__a_line_a_cell_and_side),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
