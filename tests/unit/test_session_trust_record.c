/*
 * What `make trust` measured: judged by the same rules as what it simulates, split by placement, kept in one record
 * and taken out of it again. Records are built by hand, so the truth is known.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compare_fixture.h"
#include "record/json.h"
#include "report/trust.h"
#include "session/trust.h"

static bool near_to(double a, double b, double by)
{
	if (fabs(a - b) <= by)
		return true;
	print_message("%.9g is not within %g of %.9g\n", a, by, b);
	return false;
}

/* Cells of one workload with the looks of a block. */
static void begin_cells(struct fixture *f, const struct trust_block *block)
{
	cf_begin(f);
	for (size_t c = 0; c < block->cells; c++)
		cf_build(f, "work", "gcc", arena_printf(&f->arena, "v%zu", c), c == 0);
	f->record->plan.look_count = block->look_count;
	memcpy(f->record->plan.looks, block->looks, sizeof(block->looks));
	f->record->plan.settings.rounds_max = block->looks[block->look_count - 1];
	f->record->sessions = arena_new(&f->arena, struct record_session);
	f->record->session_count = 1;
}

/*
 * trust_simulate() judges by stats/, trust_judge() by all that a run's table goes through. From the same draws both
 * must say the same. Without luck of layouts a simulation draws its noise first, then a permutation a pass.
 */
static void judge__same_draws__as_simulated(void **state)
{
	(void)state;
	struct trust_block block = trust_planted_block(200);
	struct trust_outcome simulated[TRUST_CELLS_MAX], judged[TRUST_CELLS_MAX];
	struct trust_pair pairs[TRUST_CELLS_MAX];
	double *noise = mem_alloc_array(block.rounds * block.cells, sizeof(*noise));
	uint32_t order[16];
	struct fixture f;
	struct rng rng;

	block.placement = 0;
	rng_seed_text(&rng, "both");
	trust_simulate(&block, TRUST_MODES, NULL, &rng, simulated);
	rng_seed_text(&rng, "both");
	trust_noise(TRUST_MODES, NULL, &rng, block.rounds, block.cells, noise);
	begin_cells(&f, &block);
	for (uint32_t i = 0; i < 16; i++)
		order[i] = i;
	for (uint32_t r = 0; r < block.rounds; r++) {
		if (r % 16 == 0)
			rng_shuffle(&rng, order, 16);
		for (uint32_t c = 0; c < block.cells; c++)
			cf_sample(&f, c, r, order[r % 16], exp(block.truth[c] - noise[r * block.cells + c]));
	}
	for (uint32_t c = 1; c < block.cells; c++)
		pairs[c - 1] = (struct trust_pair){0, c, block.truth[c]};
	trust_judge(f.record, pairs, block.cells - 1, block.matters, block.precision, judged);
	for (size_t i = 0; i + 1 < block.cells; i++) {
		assert_int_equal(judged[i].answer, simulated[i].answer);
		assert_int_equal(judged[i].rounds, simulated[i].rounds);
		assert_true(near_to(judged[i].effect, simulated[i].effect, 1e-9));
		assert_true(near_to(judged[i].lo, simulated[i].lo, 1e-9));
		assert_true(near_to(judged[i].p_adjusted, simulated[i].p_adjusted, 1e-6));
	}
	/* some closed at a look, and some went on */
	assert_true(judged[4].rounds < 200);
	assert_true(judged[0].rounds == 200);
	assert_int_equal(f.record->plan.comparison_count, 0);
	cf_end(&f);
	mem_free(noise);
}

/* Identical code is judged, as the names of one build are what this is about. */
static void judge__identical_code__is_not_passed_over(void **state)
{
	(void)state;
	struct trust_block block = trust_aa_block(64);
	struct trust_pair pair = {0, 1, 0};
	struct trust_outcome outcome;
	struct fixture f;

	begin_cells(&f, &block);
	f.record->builds[0].code_hash = f.record->builds[1].code_hash = "the same";
	cf_pair(&f, 0, 1, 64, 0.02, 0.001);
	trust_judge(f.record, &pair, 1, 0.005, 0.01, &outcome);
	assert_true(outcome.answered);
	assert_int_equal(outcome.answer, ANSWER_FASTER);
	cf_end(&f);
}

static void judge__nothing_measured__no_answer(void **state)
{
	(void)state;
	struct trust_block block = trust_aa_block(64);
	struct trust_pair pair = {0, 1, -0.01};
	struct trust_outcome outcome;
	struct trust_tally tally = {0};
	struct fixture f;

	begin_cells(&f, &block);
	trust_judge(f.record, &pair, 1, 0.005, 0.01, &outcome);
	assert_false(outcome.answered);
	trust_add(&tally, &outcome);
	assert_int_equal(tally.missing, 1);
	cf_end(&f);
}

/*
 * Half-way through, a neighbour makes every sample 20 to 100 % slower, each by its own amount. Nothing is called
 * different that is not, and 5 % more work is not called faster.
 */
static void judge__load_from_half_way__no_wrong_verdict(void **state)
{
	(void)state;
	struct trust_block block = trust_planted_block(64);
	struct trust_tally tally = {0};
	struct rng rng;

	rng_seed_text(&rng, "neighbour");
	for (int run = 0; run < 40; run++) {
		struct trust_pair pairs[2] = {{0, 1, 0}, {0, 2, trust_more_work(50)}};
		struct trust_outcome outcomes[2];
		struct fixture f;

		begin_cells(&f, &block);
		for (uint32_t r = 0; r < 64; r++) {
			for (uint32_t c = 0; c < 3; c++) {
				double slower = r < 32 ? 0 : log(1.2 + 0.8 * rng_unit(&rng));

				cf_sample(&f, c, r, r % 16,
					exp((c == 2 ? trust_more_work(50) : 0) - slower +
						0.01 * trust_normal(&rng)));
			}
		}
		trust_judge(f.record, pairs, 2, 0.005, 0.01, outcomes);
		trust_add(&tally, &outcomes[0]);
		trust_add(&tally, &outcomes[1]);
		cf_end(&f);
	}
	assert_int_equal(tally.pairs, 80);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.holding >= 72);
}

/* Two names of one build with 30 layouts each; sd of a layout, a process and a round as given. */
static void place(struct fixture *f, double placement, double process, double round, const char *seed)
{
	enum { LAYOUTS = 30, ROUNDS = LAYOUTS * 24 };
	double luck[2][LAYOUTS];
	struct rng rng;

	cf_begin(f);
	cf_build(f, "work", "gcc", "a", true);
	cf_build(f, "work", "gcc", "b", false);
	rng_seed_text(&rng, seed);
	for (size_t k = 0; k < LAYOUTS; k++)
		for (size_t c = 0; c < 2; c++)
			luck[c][k] = placement * trust_normal(&rng);
	for (uint32_t r = 0; r < ROUNDS; r++) {
		double common = round * trust_normal(&rng);

		for (uint32_t c = 0; c < 2; c++)
			cf_sample(f, c, r, r % LAYOUTS,
				1000 * exp(-common - luck[c][r % LAYOUTS] - process * trust_normal(&rng)));
	}
}

static void placement__known_luck__found_again(void **state)
{
	(void)state;
	struct trust_placement p;
	struct fixture f;

	place(&f, 0.02, 0.01, 0.03, "lucky");
	assert_true(
		trust_placement(f.record, (struct trust_side){0, 0}, (struct trust_side){1, 0}, 0.005, &p));
	assert_int_equal(p.layouts, 30);
	assert_int_equal(p.rounds, 720);
	/* a standard deviation of 30 draws is known to 13 %, twice that is allowed */
	assert_true(near_to(p.placement, 0.02, 0.0052));
	assert_true(near_to(p.process, 0.01, 0.001));
	assert_true(near_to(p.round, 0.03, 0.003));
	assert_true(near_to(p.placement_share, 0.0004 / 0.0014, 0.12));
	assert_true(near_to(p.median_sd, 0.02, 0.006));
	assert_true(p.median_range > 0.06);
	/* both halves see the same layouts: 8 / (8 + 2 * 0.01^2 * pi / 2 / 12) of the variance is theirs */
	assert_true(p.repeatability > 0.9);
	/* a layout's difference spreads by 2.8 %, and 24 rounds tell it to 0.3 %: four of five are beyond 0.6 % */
	assert_true(p.claims >= 20);
	assert_true(p.refuted >= 15 && p.refuted <= p.claims);
	assert_int_equal(p.averaged.answer, ANSWER_CANT_TELL);
	cf_end(&f);
}

static void placement__none__claims_by_chance_only(void **state)
{
	(void)state;
	struct trust_placement p;
	struct fixture f;

	place(&f, 0, 0.01, 0.03, "plain");
	assert_true(
		trust_placement(f.record, (struct trust_side){0, 0}, (struct trust_side){1, 0}, 0.005, &p));
	assert_true(p.placement < 0.0025);
	assert_true(p.placement_share < 0.01);
	assert_true(fabs(p.repeatability) < 0.5);
	assert_true(p.claims <= 5);
	assert_true(near_to(p.process, 0.01, 0.001));
	cf_end(&f);
}

static void placement__too_little__says_so(void **state)
{
	(void)state;
	struct trust_placement p;
	struct fixture f;

	cf_begin(&f);
	cf_build(&f, "work", "gcc", "a", true);
	cf_build(&f, "work", "gcc", "b", false);
	cf_pair(&f, 0, 1, 16 * 5, 0, 0.01); /* five rounds of each layout */
	assert_false(
		trust_placement(f.record, (struct trust_side){0, 0}, (struct trust_side){1, 0}, 0.005, &p));
	assert_false(
		trust_placement(f.record, (struct trust_side){0, 0}, (struct trust_side){1, 1}, 0.005, &p));
	cf_end(&f);
}

/* A run of two workloads, with a repeated sample and a failed one. */
static void make_run(struct fixture *f, double first)
{
	struct trust_block block = trust_aa_block(64);
	size_t row;

	begin_cells(f, &block);
	f->record->build_count = f->record->workload_count = 0;
	cf_build(f, "one", "gcc", "a", true);
	cf_build(f, "one", "gcc", "b", false);
	cf_build(f, "two", "gcc", "a", true);
	row = cf_sample(f, 0, 0, 3, first);
	cf_sample(f, 2, 0, 3, first + 2);
	cf_sample(f, 1, 0, 3, first + 1);
	f->record->samples.v[cf_sample(f, 0, 0, 3, first + 3)].repeat_of = (uint32_t)row;
	record_add_failure(f->record, 2, 1, "run", "exit code 1");
	record_note(f->record, "the machine was busy");
}

static void record__append_and_view__every_run_comes_back(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct record *trust = record_new(&arena), *view;
	struct fixture a, b;
	struct error e = {0};

	make_run(&a, 10);
	make_run(&b, 20);
	trust->kind = "trust";
	trust->plan.seed = "0";
	trust_append(trust, a.record, "aa", 0, 0);
	trust_append(trust, b.record, "aa", 1, 5000);
	trust_append(trust, a.record, "placement", 0, 9000);
	assert_int_equal(record_check(trust, "trust", &e), 0);
	assert_int_equal(trust->build_count, 9);
	assert_int_equal(trust->workload_count, 2);
	assert_int_equal(trust->session_count, 3);
	assert_int_equal(trust->samples.n, 12);
	assert_int_equal(trust->samples.v[7].repeat_of, 4);
	assert_int_equal(trust->samples.v[7].start_offset_ns, 5000);
	assert_int_equal(trust->samples.v[8].session, 2);
	assert_int_equal(trust->failures[1].sample, 6);
	assert_int_equal(trust->failures[1].build, 4);
	assert_string_equal(trust->notes.v[1], "aa, run 2: the machine was busy");
	assert_int_equal(trust_runs(trust, "aa"), 2);
	assert_int_equal(trust_runs(trust, "placement"), 1);
	assert_int_equal(trust_runs(trust, "planted"), 0);

	view = trust_view(trust, "aa", 1, NULL, &arena);
	assert_int_equal(view->build_count, 3);
	assert_int_equal(view->samples.n, 4);
	assert_true(view->samples.v[0].value == 20);
	assert_int_equal(view->samples.v[3].repeat_of, 0);
	assert_int_equal(view->plan.look_count, a.record->plan.look_count);
	assert_int_equal(view->plan.looks[1], a.record->plan.looks[1]);
	assert_int_equal(view->plan.settings.rounds_max, a.record->plan.settings.rounds_max);
	assert_int_equal(record_check(view, "view", &e), 0);
	record_release(view);

	view = trust_view(trust, "aa", 1, "two", &arena);
	assert_int_equal(view->build_count, 1);
	assert_int_equal(view->samples.n, 1);
	assert_true(view->samples.v[0].value == 22);
	record_release(view);
	/* the run itself was not touched */
	assert_null(facts_value(&a.record->builds[0].facts, "trust.part"));
	cf_end(&a);
	cf_end(&b);
	record_release(trust);
	arena_release(&arena);
}

static void record__figures__shown_with_limit_and_verdict(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct record *trust = record_new(&arena);
	struct report_options options = {.path = "archive/x.json.gz"};
	const struct trust_figure aa = {
		"aa", 0.5, "%", "<=1", TRUST_KEPT, "1 of 200 pairs | called different"};
	struct buf text = {0}, markdown = {0};

	trust->kind = "trust";
	trust->complete = true;
	facts_set(&trust->harness, "trust.other", "no figure", "test");
	trust_set_figure(trust, &aa);
	assert_string_equal(facts_value(&trust->harness, "trust.aa.limit"), "<=1");
	assert_string_equal(facts_value(&trust->harness, "trust.aa.verdict"), "kept");
	assert_true(report_is_trust(trust));
	report_trust(trust, &options, false, &text);
	assert_non_null(strstr(buf_text(&text), "aa"));
	assert_non_null(strstr(buf_text(&text), "kept"));
	assert_non_null(strstr(buf_text(&text), "1 of 200 pairs"));
	assert_non_null(strstr(buf_text(&text), "archive/x.json.gz"));
	assert_null(strstr(buf_text(&text), "no figure"));
	report_trust(trust, &options, true, &markdown);
	assert_non_null(strstr(buf_text(&markdown), "1 of 200 pairs \\| called different |"));
	trust->kind = "run";
	assert_false(report_is_trust(trust));
	buf_release(&text);
	buf_release(&markdown);
	record_release(trust);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judge__same_draws__as_simulated),
		cmocka_unit_test(judge__identical_code__is_not_passed_over),
		cmocka_unit_test(judge__nothing_measured__no_answer),
		cmocka_unit_test(judge__load_from_half_way__no_wrong_verdict),
		cmocka_unit_test(placement__known_luck__found_again),
		cmocka_unit_test(placement__none__claims_by_chance_only),
		cmocka_unit_test(placement__too_little__says_so),
		cmocka_unit_test(record__append_and_view__every_run_comes_back),
		cmocka_unit_test(record__figures__shown_with_limit_and_verdict),
	};

	return cmocka_run_group_tests_name("session_trust_record", tests, NULL, NULL);
}
