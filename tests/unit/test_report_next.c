/* What `compare --next` prints: the sentence, the table, what is unknown, formats, and names that want to be markup. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "report/comparison_next.h"
#include "report_fixture.h"

static struct comparison comparisons[8];
static struct next next;
static const struct comparison_options options = {.gate = -1, .path = "archive/x.json.gz"};

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

/* Two open comparisons of a workload: the first needs rounds, the second cannot be reached. */
static void scene(struct fixture *f, const char *name, bool clock)
{
	cf_begin(f);
	cf_build(f, name, "gcc", "O2", true);
	cf_build(f, name, "gcc", "O3", false);
	cf_build(f, name, "gcc", "lto", false);
	for (uint32_t r = 0; r < 64; r++)
		for (uint32_t b = 0; b < 3; b++) {
			size_t index = cf_sample(f, b, r, r % 16, 100);
			f->record->samples.v[index].elapsed_ns = 5000000;
			f->record->samples.v[index].start_offset_ns =
				clock ? (3 * r + b) * INT64_C(100000000) : 0;
		}
	for (uint32_t b = 1; b < 3; b++)
		comparisons[b - 1] = (struct comparison){.b = b,
			.answer = ANSWER_CANT_TELL,
			.has_effect = true,
			.effect = 0.002,
			.lo = -0.018,
			.hi = 0.022,
			.x = 0.022,
			.effort = b == 1 ? 6.25 : 40,
			.layouts = 16,
			.rounds = 64,
			.placement_share = b == 1 ? 0 : 0.9};
	f->result = (struct result){.comparisons = comparisons, .comparison_count = 2, .lambda = 1};
}

static void make(struct fixture *f)
{
	static const struct next_options none;

	next_plan(f->record, &f->result, &f->record->plan.settings, &none, &f->arena, &next);
}

static void print(struct fixture *f, bool unicode, struct buf *out)
{
	struct report_options how = {.width = 100, .unicode = unicode};

	buf_clear(out);
	make(f);
	document_terminal(comparison_next(f->record, &f->result, &next, &options, &f->arena), &how, out);
}

static void comparison_next__terminal__sentence_table_and_command(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	scene(&f, "sort", true);
	print(&f, true, &out);
	/* 400 rounds are needed, a run has 512; two cells of 100 ms: 102 s, 1.7 min */
	has(&out, "About 2 min more would settle 1 of 2 open comparisons; what would settle the other is not "
		  "in "
		  "reach\nor not known: see below.\n");
	has(&out, "                     now         to reach  layouts  rounds  alone\n"
		  "sort/gcc/O3/1   ~ ±2.2 %    within ±1.0 %       16     400   80 s\n");
	has(&out, "sort/gcc/lto/1  ~ ±2.2 %  within ±1.0 % ¹\n");
	has(&out, "¹ no run would do: placement dominates");
	has(&out, "1. 512 rounds over 16 layouts, about 2 min, for sort/gcc/O3/1:\n"
		  "  flagstone run quick --only sort/gcc/O3/1 --rounds 512 --layouts 16 --budget 3m");
	has(&out, ": an assumption");
	has(&out, "Record:\n  archive/x.json.gz\n");
	has_not(&out, "as large as it seems");
	comparisons[0].effect = -0.05; /* the nearer answer is now to show that */
	comparisons[0].effort = 2;
	print(&f, true, &out);
	has(&out, "show -4.9 %");
	has(&out, "All of that holds if the difference is as large as it seems now.");
	buf_release(&out);
	cf_end(&f);
}

static void comparison_next__nothing_open__says_so(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	scene(&f, "sort", true);
	comparisons[0].answer = comparisons[1].answer = ANSWER_NO_DIFFERENCE;
	print(&f, true, &out);
	has(&out, "Nothing is open");
	has_not(&out, "rests on");
	comparisons[0].answer = ANSWER_NONE; /* the run ended before */
	print(&f, true, &out);
	has(&out, "1 comparison has no samples yet");
	buf_release(&out);
	cf_end(&f);
}

static void comparison_next__no_clock__times_are_unknown(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	scene(&f, "sort", false);
	print(&f, false, &out);
	has(&out, "A run of 512 rounds (16 layouts) would settle 1 of 2 open comparisons");
	has(&out, "400  unknown\n");
	has(&out, "512 rounds over 16 layouts, time unknown, for");
	has(&out, "times are unknown");
	has_not(&out, "nan");
	for (const char *p = buf_text(&out); *p != '\0'; p++)
		assert_true((unsigned char)*p < 0x80);
	buf_release(&out);
	cf_end(&f);
}

static void comparison_next__json__null_where_unknown(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	scene(&f, "sort", false);
	make(&f);
	comparison_next_json(f.record, &f.result, &next, &options, &out);
	json_t *root = json_loads(buf_text(&out), 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "flagstone.next/1");
	json_t *first = json_array_get(json_object_get(root, "open"), 0);
	json_t *second = json_array_get(json_object_get(root, "open"), 1);
	assert_int_equal(json_integer_value(json_object_get(first, "rounds")), 400);
	assert_int_equal(json_integer_value(json_object_get(first, "step")), 1);
	assert_true(json_is_null(json_object_get(first, "seconds")));
	assert_true(json_is_null(json_object_get(second, "rounds")));
	assert_true(json_is_null(json_object_get(second, "rounds_alone"))); /* however many */
	assert_true(json_is_null(json_object_get(second, "step")));
	assert_true(json_is_string(json_object_get(second, "reason")));
	assert_int_equal(json_array_size(json_object_get(root, "steps")), 1);
	json_decref(root);
	buf_release(&out);
	cf_end(&f);
}

static void comparison_next__csv__a_line_a_comparison(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	scene(&f, "sort", true);
	make(&f);
	comparison_next_csv(f.record, &f.result, &next, &out);
	/* bound: exp(0.022) - 1; goal: exp(0.01) - 1; 400 rounds of two cells, 100 ms each as they were spaced */
	has(&out, "baseline,cell,bound_percent,goal,goal_percent,layouts,rounds,rounds_alone,rounds_if_none,"
		  "seconds,"
		  "step,reason\r\nsort/gcc/O2/1,sort/gcc/O3/1,2.22437");
	has(&out, ",narrow,1.005016");
	has(&out, ",16,400,400,,80");
	has(&out, "sort/gcc/O2/1,sort/gcc/lto/1,");
	buf_release(&out);
	cf_end(&f);
}

static void comparison_next__hostile_names__escaped(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	scene(&f, RF_HOSTILE, true);
	print(&f, true, &out);
	has_not(&out, "\x1b");
	buf_clear(&out);
	document_markdown(comparison_next(f.record, &f.result, &next, &options, &f.arena), &out);
	has_not(&out, "\x1b");
	has_not(&out, "\n<");
	buf_clear(&out);
	comparison_next_json(f.record, &f.result, &next, &options, &out);
	has_not(&out, "</script");
	buf_release(&out);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparison_next__terminal__sentence_table_and_command),
		cmocka_unit_test(comparison_next__nothing_open__says_so),
		cmocka_unit_test(comparison_next__no_clock__times_are_unknown),
		cmocka_unit_test(comparison_next__json__null_where_unknown),
		cmocka_unit_test(comparison_next__csv__a_line_a_comparison),
		cmocka_unit_test(comparison_next__hostile_names__escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
