#include "base/num.h"
#include "session/recalibrate.h"
#include "session/run.h"

/*
 * A calibration may have met a disturbance, or a machine that was not itself yet. So samples are looked at: the
 * shortest one of a round is what the fastest cell takes when nothing disturbs it.
 */

enum { CHANGES_MOST = 4 };
static const uint32_t long_rounds_min = 3;
static const double short_part = 0.5, long_part = 4;

uint64_t recalibrate_units(uint64_t units, double shortest_ns, int64_t sample_ns)
{
	double wanted = (double)units * (double)sample_ns / shortest_ns;
	uint64_t found = 1;

	while ((double)found < wanted && found < (1ULL << 52))
		found *= 2;
	return found;
}

enum recalibrate_what recalibrate_what(double shortest_ns, int64_t sample_ns)
{
	if (shortest_ns < short_part * (double)sample_ns)
		return RECALIBRATE_SHORT;
	return shortest_ns > long_part * (double)sample_ns ? RECALIBRATE_LONG : RECALIBRATE_FITS;
}

void run_watch_units(struct run *run, size_t first)
{
	const struct record *record = run->record;

	for (size_t i = first; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];
		struct run_units *units = run->units_of[row->build];

		if (units == NULL || row->elapsed_ns <= 0 || (row->marks & MARKS_FAILED) ||
			(units->shortest_ns > 0 && (double)row->elapsed_ns >= units->shortest_ns))
			continue;
		units->shortest_ns = (double)row->elapsed_ns;
		units->shortest_cell = row->build;
	}
}

/* Other units, if the program takes them: with those it must say what they give. */
static int change(struct run *run, struct run_units *units, uint32_t rounds, struct error *e)
{
	const struct run_units before = *units;
	int64_t sample_ns = run_sample_ns(run, units->copies);
	bool is_short = units->shortest_ns < (double)sample_ns;
	char took[NUM_SIZE], wanted[NUM_SIZE];

	units->units = recalibrate_units(units->units, units->shortest_ns, sample_ns);
	units->changes++;
	if (units->units == before.units)
		return 0;
	units->check_value = NULL;
	if (units->copies > 1 && run_fit_overlap(run, units, e) != 0)
		return -1;
	if (run_expect_value(run, units, e) != 0)
		return -1;
	num_duration((int64_t)units->shortest_ns, took);
	num_duration(sample_ns, wanted);
	if (units->check_value == NULL) {
		run_note(run, "%s: a sample of %llu units took %s instead of %s, but %llu it does not take",
			units->workload->name, (unsigned long long)before.units, took, wanted,
			(unsigned long long)units->units);
		units->units = before.units;
		units->check_value = before.check_value;
		units->changes = CHANGES_MOST;
		return 0;
	}
	units->from = NULL;
	units->fastest = run->record->builds[units->shortest_cell].cell;
	run_describe_units(run, units, "samples");
	run_note(run,
		"%s: in round %u the shortest sample of %llu units took %s, %s times the %s asked for; it "
		"was "
		"calibrated again: from then on %llu units",
		units->workload->name, rounds, (unsigned long long)before.units, took,
		is_short ? "under 0.5" : "over 4", wanted, (unsigned long long)units->units);
	return 0;
}

/* Are the units to be changed after this round? Shorter than it can be no sample is; longer many are, for a while. */
static bool is_due(const struct run *run, struct run_units *units)
{
	enum recalibrate_what what;

	if (units->shortest_ns <= 0 || units->changes >= CHANGES_MOST)
		return false;
	what = recalibrate_what(units->shortest_ns, run_sample_ns(run, units->copies));
	/* copies were given more units until they overlap, and one unit cannot be cut */
	if (what == RECALIBRATE_LONG && units->copies == 1 && units->units > 1)
		return ++units->long_rounds >= long_rounds_min << units->changes;
	units->long_rounds = 0;
	return what == RECALIBRATE_SHORT;
}

int run_recalibrate(struct run *run, uint32_t rounds, struct error *e)
{
	for (size_t i = 0; i < run->units_count; i++) {
		struct run_units *units = &run->units[i];

		if (is_due(run, units)) {
			units->long_rounds = 0;
			if (change(run, units, rounds, e) != 0)
				return -1;
		}
		units->shortest_ns = 0;
	}
	return 0;
}
