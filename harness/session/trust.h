/*
 * trust.h - are the verdicts right? Comparisons whose truth is known, judged as a run judges its own, and counted.
 *
 * The truth is known where one build has two names (no effect: A/A), where one program does a known share more work
 * (planted), and where noise is drawn or taken from a recording and an effect added to it (simulated). tests/trust
 * drives it (`make trust`): it measures, appends what it measured to one record of kind "trust", and computes all
 * figures of measured parts from that record, so that they can be computed again from the archive.
 *
 *	trust_append()      a run's record becomes a part of the trust record
 *	trust_view()        one part again, as a record of its own
 *	trust_judge()       its comparisons, at the run's looks; trust_add() counts them
 *	trust_simulate()    the same of families that were never measured
 *	trust_placement()   what placement did to one build
 *	trust_set_figure()  a figure with its limit into the record's facts
 */
#ifndef FLAGSTONE_SESSION_TRUST_H
#define FLAGSTONE_SESSION_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rng.h"
#include "compare/effect.h"
#include "record/record.h"
#include "stats/proportion.h"
#include "stats/verdict.h"

/* What was said of one comparison whose truth is known. Effects are natural logarithms, positive: faster. */
struct trust_outcome {
	double truth;
	bool answered; /* there is an estimate; else only `truth` is set */
	enum answer answer;
	double effect, lo, hi, x;
	double p_adjusted;
	uint32_t rounds; /* that it took */
};

/* Many of them. */
struct trust_tally {
	size_t pairs;	  /* with an estimate */
	size_t missing;	  /* without one */
	size_t different; /* adjusted p <= 0.05, whatever the answer came to */
	size_t found;  /* called faster, slower or too small to matter, on the side of the truth (0: none) */
	size_t wrong;  /* called faster or slower where nothing is, or the other way round */
	size_t denied; /* called "no difference", or too small, with a bound that the truth is beyond */
	size_t undecided;    /* can't tell */
	size_t excluding;    /* intervals without 0 */
	size_t holding;	     /* intervals that hold the truth */
	double sum, squares; /* of estimate - truth */
	double widths;	     /* sum of half-widths of the intervals */
};

void trust_add(struct trust_tally *tally, const struct trust_outcome *outcome);
void trust_add_tally(struct trust_tally *tally, const struct trust_tally *more);
/* Root of the mean square of estimate - truth; the mean of the same; the mean half-width. 0 of nothing. */
double trust_spread(const struct trust_tally *tally);
double trust_bias(const struct trust_tally *tally);
double trust_half_width(const struct trust_tally *tally);

/* judge.c ------------------------------------------------------------------------------------------------- */

/* Builds b against a of a record, with the true effect. */
struct trust_pair {
	uint32_t a, b;
	double truth;
};

/*
 * Judges the pairs as one family, identical code like any other: at each of the record's planned looks that its
 * rounds reached, what is settled there closes, and the rest is answered from all rounds, as in a run.
 */
void trust_judge(const struct record *record, const struct trust_pair *pairs, size_t n, double matters,
	double precision, struct trust_outcome *outcomes);

/* noise.c ------------------------------------------------------------------------------------------------- */

enum trust_kind {
	TRUST_RECORDED,	      /* rounds of a recording, in stretches, cells exchanged */
	TRUST_INDEPENDENT,    /* normal */
	TRUST_DRIFT,	      /* a slow wave and a trend over the run, common to neighbours */
	TRUST_MODES,	      /* three of ten processes are 8 % slower */
	TRUST_BURSTS,	      /* something else runs for some 60 samples, now and then */
	TRUST_HEAVY_TAIL,     /* Student's t with 2 degrees of freedom: no variance exists */
	TRUST_AUTOCORRELATED, /* lag-1 correlation 0.6 from sample to sample */
	TRUST_KINDS
};
/* "recorded", "independent", "drift", "two modes", "bursts", "heavy tail", "autocorrelated" */
const char *trust_kind_text(enum trust_kind kind);

/* A recording: ln of the time of `columns` cells with equal work, in `rounds` rounds; row by row. Borrowed. */
struct trust_recording {
	const double *log_time;
	size_t rounds, columns;
};

/*
 * Draws ln of the time of `cells` cells in `rounds` rounds, row by row, true times equal. A recording (NULL for the
 * other kinds) is taken in stretches of 64 rounds from random places, the columns of each in an order of its own; it
 * needs as many columns as there are cells.
 */
void trust_noise(enum trust_kind kind, const struct trust_recording *recording, struct rng *rng,
	size_t rounds, size_t cells, double *log_time);

/* The standard normal distribution's draw. */
double trust_normal(struct rng *rng);

/* simulate.c ---------------------------------------------------------------------------------------------- */

enum { TRUST_CELLS_MAX = 16 };

/* A block of cells and how it is judged. Cell 0 is the baseline. */
struct trust_block {
	size_t cells;
	size_t family;			   /* comparisons that the p values are adjusted for; 0: cells - 1 */
	double truth[TRUST_CELLS_MAX];	   /* effect of each against the baseline */
	bool own_layouts[TRUST_CELLS_MAX]; /* false: the same program as the baseline, at the same place */
	double placement;		   /* standard deviation of a layout's luck */
	uint32_t layouts, rounds;	   /* rounds: made when the budget ended */
	uint32_t looks[8];		   /* planned, as in a record */
	size_t look_count;
	double matters, precision;
};

/* The block of `make trust`: baseline, 0.5, 1, 1, 2, 5 % more work, and the same build under two more names. */
struct trust_block trust_planted_block(uint32_t rounds);
/* One build under six names: a row of five comparisons without any effect. */
struct trust_block trust_aa_block(uint32_t rounds);
/* The effect of `permille` more work: -ln(1 + permille / 1000). */
double trust_more_work(unsigned permille);

/* Simulates one family: outcomes[c - 1] for cell c. */
void trust_simulate(const struct trust_block *block, enum trust_kind kind,
	const struct trust_recording *recording, struct rng *rng, struct trust_outcome *outcomes);

/* placement.c --------------------------------------------------------------------------------------------- */

/* One name of a build: it has layouts of its own. */
struct trust_side {
	uint32_t build, arm;
};

/* Two names of the same code. */
struct trust_placement {
	size_t layouts, rounds;
	/* Standard deviations of one sample's ln(time), by median absolute deviations: of its layout; of the process
	   within its block; of its round. */
	double placement, process, round;
	double placement_share;		/* of the variance of one sample */
	double median_sd, median_range; /* of the medians of all layouts of both builds */
	double repeatability; /* correlation of the layouts' effects between the run's halves; 0: unknown */
	size_t claims;	      /* of the layouts taken alone: p <= 0.05 by signed rank, and matters */
	size_t refuted;	      /* of these: outside the 95 % interval over all layouts */
	struct trust_outcome averaged; /* over all layouts, as its own family; its truth is 0 */
};

/* Returns false where a and b have not 8 layouts with 6 rounds each. */
bool trust_placement(const struct record *record, struct trust_side a, struct trust_side b, double matters,
	struct trust_placement *out);

/* record.c ------------------------------------------------------------------------------------------------ */

/*
 * Appends a run's builds, samples, sessions, failures and notes to a trust record, as run number `run` of a part
 * (fact trust.part of each build). offset_ns: the run's start after the trust record's. Texts stay borrowed.
 */
void trust_append(
	struct record *trust, const struct record *run, const char *part, uint32_t number, int64_t offset_ns);

/* How many runs of a part the record has. */
uint32_t trust_runs(const struct record *trust, const char *part);
/*
 * Run `number` (from 0) of a part as a record of its own: its builds, samples and looks; only those of one workload
 * where that is not NULL. record_release() frees its samples; the rest is borrowed from the trust record or in the
 * arena.
 */
struct record *trust_view(const struct record *trust, const char *part, uint32_t number, const char *workload,
	struct arena *arena);

/* Facts of the record's harness: trust.NAME is "0.5 %", its source what was counted; limit and verdict beside it. */
#define TRUST_FIGURE  "trust."
#define TRUST_LIMIT   ".limit"
#define TRUST_VERDICT ".verdict"

enum trust_verdict {
	TRUST_NO_LIMIT,
	TRUST_KEPT,
	TRUST_BY_CHANCE, /* not kept by the count, but the count is so small that it may be chance */
	TRUST_BROKEN
};
/* "-", "kept", "may be chance", "BROKEN" */
const char *trust_verdict_text(enum trust_verdict verdict);

struct trust_figure {
	const char *name;  /* "planted-1" */
	double value;	   /* in unit */
	const char *unit;  /* "%" */
	const char *limit; /* ">=95", "2..9", "<=1", or "-" */
	enum trust_verdict verdict;
	const char *detail; /* what was counted */
};

/* A share held against low <= share <= high (fractions): kept, else judged by its interval. */
enum trust_verdict trust_hold(const struct stats_proportion *share, double low, double high);
/* Sets harness facts trust.NAME, trust.NAME.limit and trust.NAME.verdict. */
void trust_set_figure(struct record *trust, const struct trust_figure *figure);

#endif
