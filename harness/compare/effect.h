/*
 * effect.h - what a record's samples say: rates of cells, effects of one cell against another, verdicts.
 *
 * Computed from the samples each time it is asked for; the record stores no verdict. Statistics as in stats/:
 * the layout is the unit, looks are planned, Holm over the planned comparisons of the run, three answers, A/A
 * check over pairs of identical code. The same record and options always give the same answer.
 */
#ifndef FLAGSTONE_COMPARE_EFFECT_H
#define FLAGSTONE_COMPARE_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "record/record.h"
#include "stats/aa.h"
#include "stats/describe.h"
#include "stats/modes.h"
#include "stats/paired.h"
#include "stats/verdict.h"

enum answer {
	ANSWER_FASTER,
	ANSWER_SLOWER,
	ANSWER_TOO_SMALL,     /* significant, but at most x */
	ANSWER_NO_DIFFERENCE, /* within +-x */
	ANSWER_CANT_TELL,
	ANSWER_SAME_CODE, /* identical code, found by hash; not measured against each other */
	ANSWER_NONE	  /* a cell failed or cannot exist: reason */
};
/* "faster", "slower", "too small to matter", "no difference", "can't tell", "same code", "n/a" */
const char *answer_text(enum answer answer);

/* One cell: its samples (arm 0) as a series in the order of rounds. */
struct cell_summary {
	uint32_t build; /* index */
	bool hidden;	/* not to be shown: select.h */
	size_t samples; /* used: the last attempt of each round that has a value */
	size_t failed;	/* without a usable value, of all attempts */
	size_t marked;	/* of the used ones, disturbed also when measured again */
	bool has_value;
	double median; /* of value over all used samples, workload's unit */
	bool has_interval;
	double lo, hi; /* 95 %, order statistics */
	double spread; /* 1.4826 MAD / median */
	bool noisy, very_noisy;
	size_t outliers; /* counted, never dropped */
	bool two_modes, trending;
	struct stats_modes modes; /* with two_modes: where they are; else zero */
	bool has_trend;
	double trend;	     /* growth from the first third of the rounds to the last, a fraction */
	bool autocorrelated; /* neighbours are alike: the interval is too narrow */
	bool has_lag1;
	double lag1; /* correlation of neighbours */
	/* Medians of the CPU time of a sample's whole processes, all copies together, with startup and warm-up, so that
	   they are no share of the timed part; -1: unknown. */
	double user_ns, system_ns;
};

struct comparison {
	uint32_t a, b;	/* builds: b against baseline a */
	bool regrouped; /* a is not the baseline that the run measured beside b */
	bool hidden;	/* not to be shown: select.h */
	enum answer answer;
	const char *reason; /* for ANSWER_NONE and ANSWER_CANT_TELL: why, and what it would take */
	bool has_effect;
	double effect, lo,
		hi; /* log effect of b against a, and its 95 % interval at the last look (with lambda) */
	bool has_p; /* false: neither side scatters and both are alike, so nothing can be tested; p is 1 then */
	double se, df, p, p_adjusted;
	double x;      /* the bound that goes with the answer, log */
	double effort; /* can't tell: about how many times the rounds (layouts, where placement dominates)
				  an answer would take; 0: unknown or answered */
	uint32_t layouts, rounds;
	bool placement_averaged;      /* L >= 8 */
	double placement_share;	      /* of the variance of the effect, 0 ... 1; -1 unknown */
	double var_layout, var_round; /* of one observation, unbiased, as in stats/paired.h; NAN: unknown */
	bool marked_differ;	      /* the cells' marked shares differ (Fisher p < 0.01) */
	uint32_t closed_at;	      /* rounds at the look that closed it; 0: open to the end */
};

enum aa_state { AA_NOT_CHECKED, AA_OK, AA_INFLATED, AA_SUSPECT };

struct result {
	struct cell_summary *cells; /* one a build of the record */
	size_t cell_count;
	struct comparison *comparisons; /* one a planned comparison, in the record's order */
	size_t comparison_count;
	bool selected; /* only a part is to be shown */
	size_t family; /* size for Holm */
	uint32_t
		looks; /* multiplier: those planned, and one for each interruption, at which a result was shown */
	bool same_code_judged; /* identical code was compared like any other (--aa) */
	uint32_t
		rounds; /* rounds that the run made, below options->rounds; a comparison that closed early has fewer */
	enum aa_state aa;
	size_t aa_pairs;
	double lambda;
	double p_aa;
};

struct effect_options {
	bool no_same_code; /* --aa and trust: judge identical code like any other; a record of an --aa run does so itself */
	uint32_t rounds;   /* use only rounds below this; 0: all */
	const char *where; /* " -C DIR --archive DIR" for the commands in reasons; NULL: none */
};

/* The answer of a verdict; can't tell where it has none. */
enum answer answer_of_verdict(enum stats_answer answer);
/* Puts a verdict into a comparison: answer, effect with its interval, p values and x; not se, df, effort and reason. */
void comparison_take_verdict(struct comparison *c, const struct stats_verdict *verdict);

/*
 * Computes everything for a record. Texts and arrays in the arena.
 *
 * A sample of N copies is what its N rows did together (shots.h); with fewer rows (but in an imported record) it
 * failed. For each pair in a round the last attempt in which both have a value and are unmarked counts, else the last with values,
 * disturbed. Layout k is paired with layout k. Looks: those planned within rounds_max, and
 * one for each session but the last. Family: the planned
 * comparisons of which both cells could be measured and which are not the same code. A comparison that the record
 * says was closed at a look is answered from what was known at that look (Holm over the family as it was then), with
 * the lambda of the whole run.
 */
void effect_of_record(const struct record *record, const struct effect_options *options, struct arena *arena,
	struct result *result);

/*
 * What a run's result comes to: EXIT_NOTHING when of the planned comparisons none could be made (all n/a),
 * EXIT_UNDECIDED when none of those that could is decided, else EXIT_YES, also without any planned comparison.
 */
enum exit_code effect_exit(const struct result *result);

/* Geometric mean of the effects of one variant (slot and variant given) over workloads: n of m. */
struct effect_mean {
	size_t n, m; /* cells with an effect (same code counts as 0), cells planned */
	bool has_mean;
	double effect; /* log */
};
struct effect_mean effect_geomean(const struct record *record, const struct result *result, const char *slot,
	const char *variant, uint32_t copies);

#endif
