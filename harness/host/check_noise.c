#include "base/num.h"
#include "host/check_list.h"

/* What the canaries showed, in words. */

/*
 * Of the wide canary, which goes with a sample's time (rank correlation 0.72 to 0.79), as shares of its median.
 * Quiet: its quartiles are as far apart as those of a normal series whose spread is 3 %, from which stats/describe.h
 * calls a series noisy (1.349 x 3 %), and its 99th percentile is no further out than a timer's tick puts it.
 * Usual for a virtual machine: no worse than 7,960 readings on a busy one with 2 CPUs: quartiles 0.71 and 1.19, 1st and
 * 99th percentile 0.64 and 2.22 of the median.
 */
static const double quiet_quartiles = 0.04, quiet_p99 = 1.25;
static const double vm_quartiles = 0.48, vm_p99 = 2.22;
/* the quartiles a whole median apart: somebody else has the core half of the time */
static const double unfit_quartiles = 1.0;

enum noise_word host_noise_word(const struct host_measured *measured)
{
	const struct host_noise *wide = &measured->wide;
	double quartiles = wide->q75 - wide->q25;

	if (quartiles <= quiet_quartiles && wide->p99 <= quiet_p99)
		return NOISE_QUIET;
	return quartiles <= vm_quartiles && wide->p99 <= vm_p99 ? NOISE_VM : NOISE_LOUD;
}

const char *host_noise_text(enum noise_word word)
{
	static const char *const texts[] = {"quiet", "usual for a virtual machine", "noisy"};

	return texts[word];
}

void judge_noise(struct judging *j)
{
	const struct host_measured *m = j->in->measured;
	enum noise_word word;
	const struct host_noise *wide;

	if (m == NULL) {
		judge(j, CHECK_UNKNOWN, "not measured: %s", j->in->unmeasured);
		return;
	}
	word = host_noise_word(m);
	wide = &m->wide;
	judge(j,
		wide->q75 - wide->q25 >= unfit_quartiles ? CHECK_UNFIT
		: word == NOISE_QUIET			 ? CHECK_OK
							 : CHECK_CAVEAT,
		"%s: quartiles %+.1f and %+.1f %%, 1st to 99th percentile %+.1f to %+.1f %% of the median, "
		"%.1f %% "
		"disturbed",
		host_noise_text(word), 100 * (wide->q25 - 1), 100 * (wide->q75 - 1), 100 * (wide->p01 - 1),
		100 * (wide->p99 - 1), 100 * wide->marked);
	if (word == NOISE_LOUD)
		advise(j, "flagstone doctor",
			"see the caveats below for who it may be, and ask again in some minutes; else give "
			"runs more "
			"time (--budget)");
	else if (word == NOISE_VM)
		advise(j, NULL,
			"fine for comparisons within one run, which take longer to settle; not for figures "
			"to be "
			"published");
}
