#include "compare/identical.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/rng.h"

/* One side of an A/A pair: an arm of a build. */
struct side {
	const struct record_build *of;
	uint32_t build, arm;
};

struct sides {
	struct side *v;
	size_t n, cap;
};

static int order_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int order_fact(const struct record_build *a, const struct record_build *b, const char *key)
{
	return order_text(facts_value(&a->facts, key), facts_value(&b->facts, key));
}

/* 0 if both do the same work with the same code, run in the same way. */
static int by_code(const struct record_build *a, const struct record_build *b)
{
	int order = order_text(a->workload, b->workload);

	if (order == 0)
		order = order_text(a->args, b->args);
	if (order == 0)
		order = (a->copies > b->copies) - (a->copies < b->copies);
	if (order == 0)
		order = order_text(a->code_hash, b->code_hash);
	if (order == 0)
		order = order_fact(a, b, "run.env");
	return order != 0 ? order : order_fact(a, b, "run.runner");
}

bool identical_code(const struct record_build *a, const struct record_build *b)
{
	return a->code_hash != NULL && b->code_hash != NULL && by_code(a, b) == 0;
}

/* By code; within it in the order of the record, so that chains are the same each time. */
static int by_chain(const void *left, const void *right)
{
	const struct side *a = left, *b = right;
	int order = by_code(a->of, b->of);

	if (order == 0)
		order = (a->build > b->build) - (a->build < b->build);
	return order != 0 ? order : (a->arm > b->arm) - (a->arm < b->arm);
}

/* Every arm with samples of every cell whose code is known. Shots are sorted by build and arm. */
static void collect_sides(const struct record *record, const struct shots *shots, struct sides *sides)
{
	for (size_t i = 0; i < shots->n; i++) {
		const struct shot *shot = &shots->v[i];
		const struct record_build *build = &record->builds[shot->build];

		if (i > 0 && shots->v[i - 1].build == shot->build && shots->v[i - 1].arm == shot->arm)
			continue;
		if (build->code_hash != NULL)
			vec_push(sides, (struct side){build, shot->build, shot->arm});
	}
	if (sides->n > 0)
		qsort(sides->v, sides->n, sizeof(*sides->v), by_chain);
}

/* Was the content of this side, under this arm, linked for an earlier side of its chain already? */
static bool shares_layouts(const struct side *chain, size_t n, const struct side *side)
{
	for (size_t i = 0; i < n; i++)
		if (chain[i].arm == side->arm && side->of->content_hash != NULL &&
			text_same(chain[i].of->content_hash, side->of->content_hash))
			return true;
	return false;
}

struct aa_pairs {
	struct stats_aa_pair *v;
	size_t n, cap;
};

static void add_pair(const struct record *record, const struct shots *shots, const struct side *a,
	const struct side *b, size_t chain, struct aa_pairs *out)
{
	struct stats_pair pair;
	struct shot_pairs pairs = shots_pair(shots_of(shots, a->build, a->arm),
		shots_of(shots, b->build, b->arm), record_higher_is_better(record, a->of));

	/* one that cannot be analysed (df 0) stays in, unused: its neighbours in the chain share no cell */
	stats_pair_analyse(pairs.v, pairs.n, STATS_USE_ALL, &pair);
	vec_push(out, (struct stats_aa_pair){pair.effect, pair.se, pair.df, chain});
	mem_free(pairs.v);
}

/* The chain of sides that begins at `at`; returns where the next one begins. */
static size_t add_chain(const struct record *record, const struct shots *shots, struct sides *sides,
	size_t at, struct aa_pairs *out)
{
	size_t end = at, kept = 0;
	struct side *chain = sides->v + at;

	for (; end < sides->n && by_code(chain[0].of, sides->v[end].of) == 0; end++) {
		struct side side = sides->v[end];

		if (!shares_layouts(chain, kept, &side))
			chain[kept++] = side;
	}
	for (size_t i = 1; i < kept; i++)
		add_pair(record, shots, &chain[i - 1], &chain[i], at, out);
	return end;
}

void identical_check(const struct record *record, const struct shots *shots, struct result *result)
{
	struct sides sides = {0};
	struct aa_pairs pairs = {0};
	struct stats_aa aa;
	struct rng rng;
	struct buf seed = {0};

	collect_sides(record, shots, &sides);
	for (size_t at = 0; at < sides.n;)
		at = add_chain(record, shots, &sides, at, &pairs);
	buf_addf(&seed, "a/a check of %s", record->plan.seed != NULL ? record->plan.seed : "");
	rng_seed_text(&rng, buf_text(&seed));
	stats_aa_check(pairs.v, pairs.n, &rng, &aa);
	result->aa = !aa.checked     ? AA_NOT_CHECKED
		     : aa.suspect    ? AA_SUSPECT
		     : aa.lambda > 1 ? AA_INFLATED
				     : AA_OK;
	result->aa_pairs = aa.pairs;
	result->lambda = aa.lambda;
	result->p_aa = aa.p;
	buf_release(&seed);
	vec_release(&sides);
	vec_release(&pairs);
}
