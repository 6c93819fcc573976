#include "compare/round_cost.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

/* Of one session: first start, last end, timed parts. */
struct span {
	int64_t begin_ns, end_ns;
	double timed_ns;
	size_t samples;
};

static double timed_part(const struct sample *row)
{
	return row->elapsed_ns > 0 ? (double)row->elapsed_ns : 0;
}

/* Copies run at once: the first one stands for all. */
static bool counts(const struct record *record, const struct sample *row)
{
	return row->copy == 0 && row->build < record->build_count;
}

static void add_to_span(struct span *span, const struct sample *row)
{
	int64_t end_ns = row->start_offset_ns + (row->elapsed_ns > 0 ? row->elapsed_ns : 0);

	if (span->samples == 0 || row->start_offset_ns < span->begin_ns)
		span->begin_ns = row->start_offset_ns;
	if (span->samples == 0 || end_ns > span->end_ns)
		span->end_ns = end_ns;
	span->timed_ns += timed_part(row);
	span->samples++;
}

/* What the sessions spent beside the timed parts, for a gap between two samples. */
static bool find_overhead(const struct record *record, double *overhead_ns)
{
	struct span *spans = mem_alloc_array(record->session_count + 1, sizeof(*spans));
	double beside_ns = 0;
	size_t gaps = 0;
	bool moves = false;

	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];

		if (counts(record, row))
			add_to_span(&spans[row->session < record->session_count ? row->session
										: record->session_count],
				row);
	}
	for (size_t s = 0; s <= record->session_count; s++) {
		double whole_ns = (double)spans[s].end_ns - (double)spans[s].begin_ns;

		if (spans[s].samples < 2 || whole_ns < spans[s].timed_ns)
			continue; /* no clock says when they were taken */
		moves = true;
		gaps += spans[s].samples - 1;
		beside_ns += whole_ns - spans[s].timed_ns;
	}
	*overhead_ns = gaps > 0 ? beside_ns / (double)gaps : 0;
	mem_free(spans);
	return moves;
}

/* Samples stand in the order of rounds, so a cell's new round differs from its last one. */
static void add_cells(const struct record *record, struct round_cost *cost)
{
	uint32_t *last = mem_alloc_array(record->build_count, sizeof(*last));
	double *rounds = mem_alloc_array(record->build_count, sizeof(*rounds));

	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];

		if (!counts(record, row))
			continue;
		cost->cell_ns[row->build] += timed_part(row) + cost->overhead_ns;
		cost->samples[row->build]++;
		rounds[row->build] += rounds[row->build] == 0 || last[row->build] != row->round;
		last[row->build] = row->round;
	}
	for (size_t b = 0; b < record->build_count; b++)
		if (rounds[b] > 0) {
			cost->cell_ns[b] /= rounds[b];
			cost->samples[b] /= rounds[b];
		}
	mem_free(last);
	mem_free(rounds);
}

static double fact_number(const struct record *record, const char *key)
{
	const char *text = facts_value(&record->harness, key);
	double x;

	return text != NULL && num_parse_double(text, &x) && isfinite(x) ? x : 0;
}

/* Of a phase, for one of the things that were done in it; 0: nothing was done, or nothing is known. */
static double each_ns(const struct record *record, const char *phase, const char *times)
{
	double ns = fact_number(record, phase), n = fact_number(record, times);

	return ns > 0 && n > 0 ? ns / n : 0;
}

static void find_link(const struct record *record, struct round_cost *cost)
{
	double link_ns = each_ns(record, ROUND_COST_LINK_KEY, ROUND_COST_LINKS_KEY);

	cost->link_known = link_ns > 0;
	cost->link_ns = cost->link_known
				? link_ns + each_ns(record, ROUND_COST_CHECK_KEY, ROUND_COST_CHECKS_KEY)
				: ROUND_COST_LINK_NS;
}

void round_cost_of_record(const struct record *record, struct arena *arena, struct round_cost *cost)
{
	*cost = (struct round_cost){
		.cell_ns = arena_array(arena, record->build_count, sizeof(*cost->cell_ns)),
		.samples = arena_array(arena, record->build_count, sizeof(*cost->samples))};
	cost->known = find_overhead(record, &cost->overhead_ns);
	add_cells(record, cost);
	find_link(record, cost);
}
