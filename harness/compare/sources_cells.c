#include "compare/sources_cells.h"

#include "base/mem.h"
#include "plan/plan.h"

void sources_within(const struct within *within, size_t index, struct arena *arena, struct sources *out)
{
	const struct comparison *c = &within->result.comparisons[index];
	struct source_run run_a = {&within->record, c->a}, run_b = {&within->record, c->b};
	struct source_side a = {"the baseline", &run_a, 1}, b = {"this cell", &run_b, 1};

	sources_compare(&a, &b, arena, out);
}

static struct source_side side_of(
	const struct between *between, size_t cell, size_t side, struct arena *arena)
{
	const struct between_side *from = &between->sides[side];
	struct source_run *runs = arena_array(arena, from->run_count, sizeof(*runs));
	struct source_side out = {from->name, runs, 0};

	for (size_t i = 0; i < from->run_count; i++) {
		int build = record_find_cell(from->runs[i].record, between->cells[cell].cell);

		if (build >= 0)
			runs[out.run_count++] = (struct source_run){from->runs[i].record, (uint32_t)build};
	}
	return out;
}

static bool may_compare(const struct between *between, bool forced, size_t cell, size_t side)
{
	return forced || (between->comparable[side].verdict != INCOMPARABLE &&
				 between->cells[cell].effects[side].comparable.verdict != INCOMPARABLE);
}

bool sources_between(const struct between *between, bool forced, size_t cell, size_t side,
	struct arena *arena, struct sources *out)
{
	struct source_side a = side_of(between, cell, between->baseline, arena);
	struct source_side b = side_of(between, cell, side, arena);

	if (!may_compare(between, forced, cell, side) || a.run_count == 0 || b.run_count == 0)
		return false;
	sources_compare(&a, &b, arena, out);
	return true;
}

bool sources_between_builds(const struct between *between, bool forced, size_t cell, size_t side,
	const struct record_build **a, const struct record_build **b)
{
	const struct record *left = between->sides[between->baseline].runs[0].record;
	const struct record *right = between->sides[side].runs[0].record;
	int of_a = record_find_cell(left, between->cells[cell].cell);
	int of_b = record_find_cell(right, between->cells[cell].cell);

	if (!may_compare(between, forced, cell, side) || of_a < 0 || of_b < 0)
		return false;
	*a = &left->builds[of_a];
	*b = &right->builds[of_b];
	return true;
}

/* Rows keep their order, and what they repeat its new place. */
void sources_keep_samples(struct record *record, const char *pattern, struct arena *arena)
{
	const struct samples *all = &record->samples;
	bool *wanted = mem_alloc_array(record->build_count, sizeof(*wanted));
	uint32_t *place = mem_alloc_array(all->n, sizeof(*place));
	struct samples kept = {0};

	for (size_t i = 0; i < record->build_count; i++)
		wanted[i] = plan_cell_matches(pattern, record->builds[i].cell);
	for (size_t i = 0; i < all->n; i++)
		kept.cap += wanted[all->v[i].build];
	kept.v = arena_array(arena, kept.cap, sizeof(*kept.v));
	for (size_t i = 0; i < all->n; i++) {
		struct sample *row = &kept.v[kept.n];

		place[i] = SAMPLE_NONE;
		if (!wanted[all->v[i].build])
			continue;
		*row = all->v[i];
		row->repeat_of = row->repeat_of < i ? place[row->repeat_of] : SAMPLE_NONE;
		place[i] = (uint32_t)kept.n++;
	}
	mem_free(wanted);
	mem_free(place);
	record_release(record);
	record->samples = kept;
}
