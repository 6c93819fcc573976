#include "compare/shots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stats/effect.h"

static int by_place(const void *left, const void *right)
{
	const struct shot *a = left, *b = right;

	if (a->build != b->build)
		return a->build < b->build ? -1 : 1;
	if (a->arm != b->arm)
		return a->arm < b->arm ? -1 : 1;
	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	if (a->attempt != b->attempt)
		return a->attempt < b->attempt ? -1 : 1;
	return (a->block > b->block) - (a->block < b->block);
}

/* Copies in order, so that their sum does not depend on how the rows stand. */
static int by_place_and_copy(const void *left, const void *right)
{
	const struct shot *a = left, *b = right;
	int order = by_place(a, b);

	return order != 0 ? order : (a->copy > b->copy) - (a->copy < b->copy);
}

/* Length of each row's chain of repeats. A link that does not point backwards is no link, so there are no circles. */
uint32_t *shots_attempts(const struct samples *samples)
{
	uint32_t *attempt = mem_alloc_array(samples->n, sizeof(*attempt));

	for (size_t i = 0; i < samples->n; i++) {
		uint32_t of = samples->v[i].repeat_of;

		attempt[i] = of < i ? attempt[of] + 1 : 0;
	}
	return attempt;
}

static double known_ns(int64_t ns)
{
	return ns >= 0 ? (double)ns : NAN;
}

static struct shot shot_of_row(const struct sample *row, uint32_t attempt)
{
	bool usable = (row->marks & MARKS_FAILED) == 0 && isfinite(row->value) && row->value > 0;

	return (struct shot){.build = row->build,
		.arm = row->arm,
		.round = row->round,
		.attempt = attempt,
		.block = row->block,
		.copy = row->copy,
		.layout = row->layout,
		.marks = row->marks,
		.rows = 1,
		.value = usable ? row->value : NAN,
		.user_ns = known_ns(row->user_ns),
		.system_ns = known_ns(row->system_ns)};
}

/* Puts the copies of one measurement together, in place. Of times a unit only the inverses, rates, add up. */
static void join_copies(const struct record *record, struct shots *shots)
{
	size_t kept = 0;
	bool higher = true;

	for (size_t i = 0; i < shots->n; i++) {
		struct shot *last = kept > 0 ? &shots->v[kept - 1] : NULL;

		if (last == NULL || by_place(last, &shots->v[i]) != 0) {
			if (last == NULL || last->build != shots->v[i].build)
				higher = record_higher_is_better(record, &record->builds[shots->v[i].build]);
			shots->v[kept++] = shots->v[i];
			continue;
		}
		last->value = higher ? last->value + shots->v[i].value
				     : 1 / (1 / last->value + 1 / shots->v[i].value);
		last->user_ns += shots->v[i].user_ns;
		last->system_ns += shots->v[i].system_ns;
		last->marks |= shots->v[i].marks;
		last->rows++;
	}
	shots->n = kept;
}

static bool counts(const struct record *record, const struct sample *row, uint32_t rounds)
{
	return row->build < record->build_count && (rounds == 0 || row->round < rounds);
}

/*
 * Every row that counts as a shot, sorted. Rows come round by round, so that those of one build, taken alone, are in
 * order already, but for repeats and records that were put together: they are dealt out by build, and what is not in
 * order then is sorted.
 */
static void deal_rows(const struct record *record, uint32_t rounds, struct shots *shots)
{
	const struct samples *samples = &record->samples;
	uint32_t *attempt = shots_attempts(samples);
	size_t *next = mem_alloc_array(record->build_count + 1, sizeof(*next));

	for (size_t i = 0; i < samples->n; i++)
		if (counts(record, &samples->v[i], rounds)) {
			next[samples->v[i].build + 1]++;
			shots->n++;
		}
	for (size_t b = 0; b < record->build_count; b++)
		next[b + 1] += next[b];
	shots->v = mem_alloc_array(shots->n, sizeof(*shots->v));
	for (size_t i = 0; i < samples->n; i++)
		if (counts(record, &samples->v[i], rounds))
			shots->v[next[samples->v[i].build]++] = shot_of_row(&samples->v[i], attempt[i]);
	/* next[b] is now the end of build b */
	for (size_t b = 0; b < record->build_count; b++) {
		size_t from = b > 0 ? next[b - 1] : 0;
		size_t i = from + 1;

		while (i < next[b] && by_place_and_copy(&shots->v[i - 1], &shots->v[i]) <= 0)
			i++;
		if (i < next[b])
			qsort(shots->v + from, next[b] - from, sizeof(*shots->v), by_place_and_copy);
	}
	mem_free(attempt);
	mem_free(next);
}

void shots_of_record(const struct record *record, uint32_t rounds, struct shots *shots)
{
	bool imported = record->kind != NULL && strcmp(record->kind, "import") == 0;

	*shots = (struct shots){0};
	deal_rows(record, rounds, shots);
	join_copies(record, shots);
	for (size_t i = 0; i < shots->n; i++) {
		struct shot *shot = &shots->v[i];
		bool whole = imported || shot->rows >= record->builds[shot->build].copies;

		/* of values near the ends of what a double holds, a sum may be none */
		if (!whole || !isfinite(shot->value) || shot->value <= 0)
			shot->value = NAN;
	}
}

void shots_release(struct shots *shots)
{
	mem_free(shots->v);
	*shots = (struct shots){0};
}

/* Index of the first shot that does not stand before (build, arm). */
static size_t lower_bound(const struct shots *shots, uint32_t build, uint64_t arm)
{
	size_t low = 0, high = shots->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct shot *at = &shots->v[mid];

		if (at->build < build || (at->build == build && at->arm < arm))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct shot_range shots_of(const struct shots *shots, uint32_t build, uint32_t arm)
{
	size_t from = lower_bound(shots, build, arm);
	size_t to = lower_bound(shots, build, (uint64_t)arm + 1);

	return (struct shot_range){shots->v + from, to - from};
}

struct shot_range shots_below(struct shot_range range, uint32_t rounds)
{
	while (range.n > 0 && range.v[range.n - 1].round >= rounds)
		range.n--;
	return range;
}

/* End of the round that begins at `at`. */
static size_t round_end(struct shot_range range, size_t at)
{
	size_t end = at;

	while (end < range.n && range.v[end].round == range.v[at].round)
		end++;
	return end;
}

const struct shot *shots_next_round(struct shot_range range, size_t *at)
{
	const struct shot *found = NULL;
	size_t end = round_end(range, *at);

	for (size_t i = *at; i < end; i++)
		if (isfinite(range.v[i].value))
			found = &range.v[i];
	*at = end;
	return found;
}

struct match {
	const struct shot *a, *b;
};

/* The attempt of one round that counts: the last clean one, else the last. a and b hold that round only. */
static struct match choose_attempt(struct shot_range a, struct shot_range b)
{
	struct match clean = {0}, last = {0};

	for (size_t i = 0, k = 0; i < a.n && k < b.n;) {
		const struct shot *left = &a.v[i], *right = &b.v[k];

		if (left->attempt != right->attempt) {
			if (left->attempt < right->attempt)
				i++;
			else
				k++;
			continue;
		}
		i++;
		k++;
		if (!isfinite(left->value) || !isfinite(right->value) || left->layout != right->layout)
			continue;
		last = (struct match){left, right};
		if ((left->marks | right->marks) == 0)
			clean = last;
	}
	return clean.a != NULL ? clean : last;
}

static void count_first(struct shot_range round, size_t *first, size_t *marked)
{
	for (size_t i = 0; i < round.n; i++) {
		if (round.v[i].attempt != 0)
			continue;
		*first += 1;
		*marked += round.v[i].marks != 0;
	}
}

static void add_round(
	struct shot_pairs *pairs, struct shot_range a, struct shot_range b, bool higher_is_better)
{
	struct match match = choose_attempt(a, b);
	double effect;

	count_first(a, &pairs->first_a, &pairs->marked_a);
	count_first(b, &pairs->first_b, &pairs->marked_b);
	if (match.a == NULL || !stats_effect(match.a->value, match.b->value, higher_is_better, &effect))
		return;
	pairs->v[pairs->n++] = (struct stats_observation){.layout = match.a->layout,
		.round = match.a->round,
		.effect = effect,
		.disturbed = (match.a->marks | match.b->marks) != 0};
}

struct shot_pairs shots_pair(struct shot_range a, struct shot_range b, bool higher_is_better)
{
	struct shot_pairs pairs = {.v = mem_alloc_array(a.n < b.n ? a.n : b.n, sizeof(*pairs.v))};
	size_t i = 0, k = 0;

	while (i < a.n && k < b.n) {
		size_t i_end = round_end(a, i), k_end = round_end(b, k);
		uint32_t round_a = a.v[i].round, round_b = b.v[k].round;

		if (round_a == round_b)
			add_round(&pairs, (struct shot_range){a.v + i, i_end - i},
				(struct shot_range){b.v + k, k_end - k}, higher_is_better);
		if (round_a <= round_b)
			i = i_end;
		if (round_b <= round_a)
			k = k_end;
	}
	return pairs;
}
