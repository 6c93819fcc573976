/*
 * verdict.h - from estimates to answers, for a whole family of comparisons at one look.
 *
 *   faster, slower       adjusted p <= 0.05 and |effect| >= matters
 *   too small to matter  adjusted p <= 0.05, smaller than that, and x <= precision
 *   no difference        not that, and x <= precision
 *   can't tell           everything else
 *
 * where x = max(|lo|, |hi|) is the largest effect that the 95 % interval allows. The interval is that of the
 * comparison alone; only p is adjusted: multiplied by the number of planned looks, then by Holm over the family.
 * ("Same code" is answered elsewhere, without statistics.)
 *
 * Order of use at a look: stats_pair_analyse() for each comparison, stats_aa_check() for lambda, then one call of
 * stats_family_decide(); a comparison whose verdict says `closed` needs no more rounds.
 */
#ifndef FLAGSTONE_STATS_VERDICT_H
#define FLAGSTONE_STATS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/paired.h"

#define STATS_ALPHA 0.05

enum stats_answer {
	STATS_NO_ANSWER = 0, /* the pair's status is not STATS_PAIR_OK: that says why */
	STATS_FASTER,
	STATS_SLOWER,
	STATS_TOO_SMALL,     /* there is a difference, of at most x: counted with the next */
	STATS_NO_DIFFERENCE, /* within +-x */
	STATS_CANT_TELL,     /* +-x */
};

/* What counts as an answer. */
struct stats_rules {
	double matters;	  /* effect from which a difference matters, as a logarithm: stats_log_percent(0.5) */
	double precision; /* an interval within +-this is narrow enough, as a logarithm: stats_log_percent(1) */
	size_t looks;	  /* planned looks, >= 1 (0 is taken as 1); each p is multiplied by this */
	double lambda;	  /* from the A/A check; 1 if not checked; under 1 is taken as 1 */
	size_t family;	  /* planned comparisons of the run; fewer than are given is taken as so many */
};

struct stats_verdict {
	enum stats_answer answer;
	double effect; /* as in the pair */
	double lo, hi; /* after lambda */
	double x;      /* max(|lo|, |hi|) */
	bool has_p;
	double p;	   /* after lambda, of this comparison alone */
	double p_adjusted; /* after looks and Holm; 1 without p */
	bool closed;   /* settled at this look: any answer but can't tell. So it is either narrow enough, or
	                    * significant by Holm over all planned comparisons with an effect that matters */
	double effort; /* can't tell: about how many times the present rounds (layouts, if placement dominates)
	                    * an answer would take, >= 1; 0 if unknown or answered */
};

/*
 * Decides n comparisons of one run. pairs: their analyses as they are, not widened. Those that are not
 * STATS_PAIR_OK, and those planned but not given, take their place in the family with p = 1.
 */
void stats_family_decide(const struct stats_pair *pairs, size_t n, const struct stats_rules *rules,
	struct stats_verdict *verdicts);

/*
 * One comparison with its adjusted p already known (1 if it has none): the rule at the top of this header. pair is
 * not widened any more.
 */
struct stats_verdict stats_decide(
	const struct stats_pair *pair, double p_adjusted, double matters, double precision);

/*
 * The verdict where two cells differ in their share of disturbed samples: `all` if `clean`, from the undisturbed
 * observations only, gives the same answer; otherwise can't tell, with the larger x of the two. "No difference" and
 * "too small" count as the same.
 */
struct stats_verdict stats_verdict_reconcile(
	const struct stats_verdict *all, const struct stats_verdict *clean);

/* "faster", "slower", "too small to matter", "no difference", "can't tell", "no answer". Static. */
const char *stats_answer_name(enum stats_answer answer);

#endif
