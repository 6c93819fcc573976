#include "compare/decompose_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/directory.h"
#include "compare/identical.h"
#include "compare/reason.h"
#include "stats/marked.h"

/* --- cells and their samples --- */

static int by_instant(const void *left, const void *right)
{
	const struct cells_instant *a = left, *b = right;

	if (a->layout != b->layout)
		return a->layout < b->layout ? -1 : 1;
	return (a->round > b->round) - (a->round < b->round);
}

/* The reference's rounds, which every pair has one of. */
static void list_instants(struct cells *cells, struct shot_range reference)
{
	size_t kept = 0;

	cells->instants = mem_alloc_array(reference.n, sizeof(*cells->instants));
	for (size_t i = 0; i < reference.n; i++)
		cells->instants[i] = (struct cells_instant){reference.v[i].layout, reference.v[i].round};
	if (reference.n > 0)
		qsort(cells->instants, reference.n, sizeof(*cells->instants), by_instant);
	for (size_t i = 0; i < reference.n; i++)
		if (kept == 0 || by_instant(&cells->instants[kept - 1], &cells->instants[i]) != 0)
			cells->instants[kept++] = cells->instants[i];
	cells->instant_count = kept;
	cells->starts = mem_alloc_array(kept + 1, sizeof(*cells->starts));
	for (size_t i = 0; i < kept; i++)
		if (i == 0 || cells->instants[i].layout != cells->instants[i - 1].layout)
			cells->starts[cells->layout_count++] = i;
	cells->starts[cells->layout_count] = kept;
}

static void place_effects(
	const struct cells *cells, const struct shot_pairs *pairs, struct cells_member *member)
{
	member->effect = mem_alloc_array(cells->instant_count, sizeof(*member->effect));
	member->disturbed = mem_alloc_array(cells->instant_count, sizeof(*member->disturbed));
	for (size_t i = 0; i < cells->instant_count; i++)
		member->effect[i] = NAN;
	for (size_t i = 0; i < pairs->n; i++) {
		struct cells_instant at = {pairs->v[i].layout, pairs->v[i].round};
		const struct cells_instant *found =
			bsearch(&at, cells->instants, cells->instant_count, sizeof(at), by_instant);

		member->effect[found - cells->instants] = pairs->v[i].effect;
		member->disturbed[found - cells->instants] = pairs->v[i].disturbed;
	}
}

/* The pairs of a cell and the reference; why there is no effect from them, or NULL. */
static const char *pair_member(struct cells *cells, struct shot_range reference, struct cells_member *member)
{
	const struct record *record = cells->source.record;
	const struct record_build *build = &record->builds[member->build];
	struct shot_range range = shots_below(shots_of(cells->source.shots, member->build, 0), member->close);
	struct shot_pairs pairs = shots_pair(reference, range, record_higher_is_better(record, build));
	const char *reason = NULL;
	struct stats_pair pair;

	member->differ =
		stats_marked_differ(pairs.marked_a, pairs.first_a, pairs.marked_b, pairs.first_b, NULL);
	if (stats_pair_analyse(pairs.v, pairs.n, STATS_USE_ALL, &pair) != STATS_PAIR_OK)
		reason = range.n == 0 ? reason_not_measured(record, false, cells->source.arena)
				      : reason_too_few(&pair, cells->source.arena);
	else
		place_effects(cells, &pairs, member);
	mem_free(pairs.v);
	return reason;
}

static const char *named(const struct cells *cells, size_t combination, const char *reason)
{
	return arena_printf(cells->source.arena, "%s: %s",
		design_name(cells->source.design, combination, cells->source.arena), reason);
}

/* Why a combination cannot be used, before its samples are looked at; NULL: it can. */
static const char *unusable(const struct cells *cells, size_t combination)
{
	uint32_t index = cells->source.builds[combination];
	const struct record_build *build;

	if (index == CELLS_NO_BUILD)
		return "the record has no such cell";
	build = &cells->source.record->builds[index];
	if (combination != cells->source.design->reference &&
		!directory_wants(cells->source.only, build->cell))
		return "left out by --only";
	if (!reason_could_measure(build) || build->status == CELL_RUN_FAILED)
		return reason_of_cell(cells->source.record, build, cells->source.arena);
	return NULL;
}

/* The reference's own shots; every combination is missing where it has none. */
static const char *check_reference(const struct cells *cells, struct shot_range reference)
{
	const char *reason = unusable(cells, cells->source.design->reference);

	for (size_t i = 0; reason == NULL && i < reference.n; i++)
		if (isfinite(reference.v[i].value))
			return NULL;
	if (reason == NULL)
		reason = reason_not_measured(cells->source.record, false, cells->source.arena);
	return arena_printf(cells->source.arena, "the baseline %s",
		named(cells, cells->source.design->reference, reason));
}

static void collect_members(struct cells *cells, struct shot_range reference)
{
	const struct design *design = cells->source.design;
	const char *no_reference = check_reference(cells, reference);

	cells->members = mem_alloc_array(design->combinations, sizeof(*cells->members));
	for (size_t i = 0; i < design->combinations; i++) {
		struct cells_member *member = &cells->members[cells->member_count];
		const char *reason = no_reference != NULL ? NULL : unusable(cells, i);

		cells->missing[i] = no_reference;
		if (no_reference != NULL)
			continue;
		*member = (struct cells_member){.combination = i,
			.build = cells->source.builds[i],
			.close = reason == NULL ? cells->source.closes[cells->source.builds[i]] : CELLS_OPEN};
		if (reason == NULL && i != design->reference)
			reason = pair_member(cells, reference, member);
		if (reason != NULL)
			cells->missing[i] = named(cells, i, reason);
		else
			cells->member_count++;
	}
}

/* --- nodes: cells of one code --- */

struct sorting {
	const struct record *record;
	size_t reference;
};

/* The reference first, then by code, so that cells of one code stand together; else in order. */
static int by_code(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	const struct cells_member *a = left, *b = right;
	const char *code_a = sorting->record->builds[a->build].code_hash;
	const char *code_b = sorting->record->builds[b->build].code_hash;
	int order = (b->combination == sorting->reference) - (a->combination == sorting->reference);

	if (order == 0)
		order = strcmp(code_a != NULL ? code_a : "", code_b != NULL ? code_b : "");
	return order != 0 ? order : (a->combination > b->combination) - (a->combination < b->combination);
}

static int by_node(const void *left, const void *right)
{
	const struct cells_member *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->combination > b->combination) - (a->combination < b->combination);
}

/* The node of a member among those before it that have its code, or a new one. */
static size_t find_node(const struct cells *cells, size_t at)
{
	const struct record_build *builds = cells->source.record->builds;
	const struct record_build *own = &builds[cells->members[at].build];

	if (cells->source.same_code_judged || own->code_hash == NULL)
		return cells->node_count;
	if (at > 0 && identical_code(&builds[cells->members[0].build], own))
		return 0;
	for (size_t i = at; i-- > 1;) {
		const struct record_build *other = &builds[cells->members[i].build];

		if (identical_code(other, own))
			return cells->members[i].node;
		if (!text_same(other->code_hash, own->code_hash))
			break;
	}
	return cells->node_count;
}

static void make_nodes(struct cells *cells)
{
	struct sorting sorting = {cells->source.record, cells->source.design->reference};

	if (cells->member_count > 0)
		qsort_r(cells->members, cells->member_count, sizeof(*cells->members), by_code, &sorting);
	cells->closes = mem_alloc_array(cells->member_count, sizeof(*cells->closes));
	for (size_t i = 0; i < cells->member_count; i++) {
		struct cells_member *member = &cells->members[i];
		size_t node = member->node = find_node(cells, i);

		cells->node_count += node == cells->node_count;
		if (member->close > cells->closes[node])
			cells->closes[node] = member->close;
		cells->node_of[member->combination] = node;
	}
	if (cells->member_count > 0)
		qsort(cells->members, cells->member_count, sizeof(*cells->members), by_node);
}

void cells_init(struct cells *cells, const struct cells_source *source)
{
	size_t n = source->design->combinations;
	uint32_t build = source->builds[source->design->reference];
	struct shot_range reference = {0};

	*cells = (struct cells){.source = *source, .close = CELLS_OPEN};
	cells->node_of = mem_alloc_array(n, sizeof(*cells->node_of));
	cells->missing = mem_alloc_array(n, sizeof(*cells->missing));
	for (size_t i = 0; i < n; i++)
		cells->node_of[i] = SIZE_MAX;
	if (build != CELLS_NO_BUILD) {
		cells->close = source->closes[build];
		reference = shots_below(shots_of(source->shots, build, 0), cells->close);
	}
	list_instants(cells, reference);
	collect_members(cells, reference);
	make_nodes(cells);
}

void cells_release(struct cells *cells)
{
	for (size_t i = 0; i < cells->member_count; i++) {
		mem_free(cells->members[i].effect);
		mem_free(cells->members[i].disturbed);
	}
	mem_free(cells->instants);
	mem_free(cells->starts);
	mem_free(cells->members);
	mem_free(cells->closes);
	mem_free(cells->node_of);
	mem_free(cells->missing);
	*cells = (struct cells){0};
}
