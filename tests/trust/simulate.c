#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "stats/effect.h"
#include "trust.h"

/* Families that were never measured: noise from recordings and of synthetic kinds, with known effects. */

enum { COLUMNS = 12, SAME_COLUMNS = 9, SIZES = 5 }; /* a recording's columns, and those with equal work */
static const double issue_pair_s = 60;		    /* seconds a pair, for which 95 % are asked */
static const char *const size_names[SIZES] = {"0", "0.5", "1", "2", "5"};

/* What one kind of noise came to. */
struct simulated {
	const char *kind;
	uint32_t rounds;
	double sample_s;		   /* that its seconds are counted with */
	struct trust_tally none;	   /* rows of five pairs without effect */
	struct trust_tally of_size[SIZES]; /* blocks with planted work; 0: their arms without */
};

static size_t size_of(double truth)
{
	static const unsigned permille[SIZES] = {0, 5, 10, 20, 50};

	for (size_t i = 0; i < SIZES; i++)
		if (fabs(truth - trust_more_work(permille[i])) < 1e-9)
			return i;
	return 0;
}

uint32_t trust_rounds_of(double pair_s, double sample_s)
{
	double rounds = pair_s / 2 / (sample_s > 0 ? sample_s : TRUST_SAMPLE_S);

	return rounds < 32 ? 32 : (uint32_t)rounds;
}

static void simulate_block(const struct trust_block *block, const char *what, enum trust_kind kind,
	const struct trust_recording *recording, size_t families, struct simulated *out)
{
	struct trust_outcome outcomes[TRUST_CELLS_MAX];
	struct rng rng;
	char seed[128];
	bool is_aa = strcmp(what, "a/a") == 0;

	snprintf(seed, sizeof(seed), "%s: %s, %s, %u rounds", TRUST_SEED, what, out->kind, block->rounds);
	rng_seed_text(&rng, seed);
	for (size_t f = 0; f < families; f++) {
		trust_simulate(block, kind, recording, &rng, outcomes);
		for (size_t i = 0; i + 1 < block->cells; i++)
			trust_add(
				is_aa ? &out->none : &out->of_size[size_of(outcomes[i].truth)], &outcomes[i]);
	}
}

/* Both blocks; a recording with fewer columns than a block has cells serves for its first ones. */
static struct simulated simulate(const char *name, enum trust_kind kind,
	const struct trust_recording *recording, uint32_t rounds, size_t families)
{
	struct simulated out = {.kind = name, .rounds = rounds, .sample_s = TRUST_SAMPLE_S};
	struct trust_block blocks[] = {trust_aa_block(rounds), trust_planted_block(rounds)};

	for (size_t i = 0; i < 2; i++) {
		struct trust_block *block = &blocks[i];

		block->family = block->cells - 1;
		if (recording != NULL && recording->columns < block->cells)
			block->cells = recording->columns;
		simulate_block(block, i == 0 ? "a/a" : "planted", kind, recording, families, &out);
	}
	return out;
}

/* A recording of tests/golden/stats: rounds of twelve times, of which the first nine are of equal work. */
static int read_recording(struct trust *t, const char *name, struct trust_recording *out, struct error *e)
{
	const char *path = arena_printf(&t->arena, "%s/tests/golden/stats/noise/%s.txt", t->top, name);
	VEC(double) v = {0};
	FILE *file = fopen(path, "re");
	double time;
	size_t read = 0;

	if (file == NULL)
		return error_set(e, EXIT_CANNOT, "reading recorded noise: cannot open %s", path);
	for (; fscanf(file, "%lf", &time) == 1 && time > 0; read++)
		if (read % COLUMNS < SAME_COLUMNS)
			vec_push(&v, log(time));
	fclose(file);
	if (read == 0 || read % COLUMNS != 0) {
		vec_release(&v);
		return error_set(e, EXIT_CANNOT, "reading recorded noise: %s has no whole rounds of %d times",
			path, COLUMNS);
	}
	out->columns = SAME_COLUMNS;
	out->rounds = v.n / SAME_COLUMNS;
	out->log_time = memcpy(arena_array(&t->arena, v.n, sizeof(double)), v.v, v.n * sizeof(double));
	vec_release(&v);
	return 0;
}

static void add_row(struct trust *t, const struct simulated *s)
{
	const struct trust_tally *none = &s->none;
	struct trust_tally planted = {0};
	double share[SIZES];

	for (size_t i = 1; i < SIZES; i++) {
		const struct trust_tally *tally = &s->of_size[i];

		share[i] = 100 * stats_proportion(tally->found, tally->pairs).share;
		trust_add_tally(&planted, tally);
	}
	trust_row(t, TABLE_SIMULATED,
		"%s|%.0f s|%u|%zu|%.2f %%|%.1f %%|%.0f %%|%.0f %%|%.0f %%|%.0f %%|%.1f %%|%.2f %%", s->kind,
		2 * s->sample_s * s->rounds, s->rounds, none->pairs,
		100 * stats_proportion(none->different, none->pairs).share,
		100 * stats_proportion(none->excluding, none->pairs).share, share[1], share[2], share[3],
		share[4], 100 * stats_proportion(planted.holding, planted.pairs).share,
		100 * trust_half_width(&planted));
}

/* Everything simulated so far. */
struct sums {
	struct trust_tally none, planted;
	struct trust_tally of_size[SIZES];
	struct trust_tally long_pairs[SIZES]; /* recordings, in the budget of the issue */
};

static void add_sums(struct sums *sums, const struct simulated *s)
{
	trust_add_tally(&sums->none, &s->none);
	for (size_t i = 1; i < SIZES; i++) {
		trust_add_tally(&sums->planted, &s->of_size[i]);
		trust_add_tally(&sums->of_size[i], &s->of_size[i]);
	}
}

static double held(const struct trust_tally *tally)
{
	return 100 * stats_proportion(tally->holding, tally->pairs).share;
}

static void judge_sums(struct trust *t, const struct sums *sums)
{
	const struct trust_tally *none = &sums->none, *planted = &sums->planted;

	trust_share(t, "aa-simulated", none->different, none->pairs, NAN, 1,
		"simulated pairs without effect called different, in rows of five, over all kinds of noise");
	trust_share(t, "aa-intervals-simulated", none->excluding, none->pairs, 2, 9,
		"of their 95 % intervals exclude 0");
	trust_share(t, "coverage-simulated", planted->holding, planted->pairs, 90, 99,
		arena_printf(&t->arena,
			"of the 95 %% intervals of simulated effects hold the truth (0.5 %%: %.1f, 1 %%: "
			"%.1f, 2 %%: "
			"%.1f, 5 %%: %.1f %%)",
			held(&sums->of_size[1]), held(&sums->of_size[2]), held(&sums->of_size[3]),
			held(&sums->of_size[4])));
	trust_share(t, "wrong-simulated", planted->wrong, planted->pairs, NAN, 1,
		"simulated slowdowns called faster");
	for (size_t i = 1; i < SIZES; i++) {
		const struct trust_tally *tally = &sums->long_pairs[i];

		trust_share(t, arena_printf(&t->arena, "planted-%s-simulated", size_names[i]), tally->found,
			tally->pairs, strcmp(size_names[i], "1") == 0 ? 95 : NAN, NAN,
			arena_printf(&t->arena, "pairs of %s %% found in recorded noise with %.0f s a pair",
				size_names[i], issue_pair_s));
	}
}

/* The noise of the planted part itself, in its own budget and in that of the issue. */
static void simulate_here(struct trust *t)
{
	double sample = trust_sample_seconds(t);
	double budgets[] = {t->size.pair_s, issue_pair_s};
	struct trust_recording here;

	if (!trust_recording_here(t, &here, &t->arena))
		return;
	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
		uint32_t rounds = trust_rounds_of(budgets[i], sample);
		struct simulated s = simulate("this run's", TRUST_RECORDED, &here, rounds, t->size.families);

		s.sample_s = sample;
		add_row(t, &s);
		trust_share(t, i == 0 ? "planted-1-simulated-here" : "planted-1-simulated-here-60s",
			s.of_size[2].found, s.of_size[2].pairs, NAN, NAN,
			arena_printf(&t->arena,
				"pairs of 1 %% found in the noise of this run's planted part with %.3g s a "
				"pair "
				"(%u rounds)",
				budgets[i], rounds));
	}
}

int trust_simulate_all(struct trust *t, struct error *e)
{
	static const char *const recordings[] = {"interpreter", "matmul"};
	uint32_t rounds = trust_rounds_of(t->size.pair_s, 0), long_rounds = trust_rounds_of(issue_pair_s, 0);
	struct sums sums = {0};

	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		const char *name = arena_printf(&t->arena, "recorded, %s", recordings[i]);
		struct simulated brief, whole;
		struct trust_recording recording = {0};

		if (read_recording(t, recordings[i], &recording, e) != 0)
			return -1;
		brief = simulate(name, TRUST_RECORDED, &recording, rounds, t->size.families);
		whole = simulate(name, TRUST_RECORDED, &recording, long_rounds, t->size.recorded_families);
		add_row(t, &brief);
		add_row(t, &whole);
		add_sums(&sums, &brief);
		add_sums(&sums, &whole);
		for (size_t k = 1; k < SIZES; k++)
			trust_add_tally(&sums.long_pairs[k], &whole.of_size[k]);
	}
	for (int kind = TRUST_RECORDED + 1; kind < TRUST_KINDS; kind++) {
		struct simulated s = simulate(trust_kind_text((enum trust_kind)kind), (enum trust_kind)kind,
			NULL, rounds, t->size.families);

		add_row(t, &s);
		add_sums(&sums, &s);
	}
	judge_sums(t, &sums);
	simulate_here(t);
	return 0;
}
