#include "compare/comparable_groups.h"

#include <stdlib.h>
#include <string.h>

#include "compare/comparable_work.h"

struct worst {
	enum comparability verdict;
	const char *clause, *cell;
	size_t cells, of; /* with this verdict, of all in both */
};

static const char *first_caveat(const struct words *caveats)
{
	return caveats->n > 0 ? caveats->v[0] : NULL;
}

static void take_cell(struct worst *worst, const char *name, const struct comparable_cell *cell)
{
	worst->of++;
	if (cell->verdict < worst->verdict || cell->verdict == COMPARABLE)
		return;
	if (cell->verdict > worst->verdict || worst->cells == 0) {
		worst->verdict = cell->verdict;
		worst->clause = cell->verdict == INCOMPARABLE ? cell->reason : first_caveat(&cell->caveats);
		worst->cell = name;
		worst->cells = 0;
	}
	worst->cells++;
}

static const char *reason_of(const struct worst *worst, const struct comparable *records, struct arena *arena)
{
	const char *caveat = first_caveat(&records->caveats);

	if (records->verdict == INCOMPARABLE)
		return records->reason;
	if (worst->of == 0)
		return "no cell is in both";
	if (worst->verdict < INCOMPARABLE && records->verdict == COMPARABLE_CAVEAT)
		return caveat;
	if (worst->verdict == COMPARABLE || worst->clause == NULL)
		return worst->verdict == COMPARABLE ? NULL : "differences that are not explained away";
	if (worst->cells == worst->of)
		return worst->clause;
	if (worst->cells == 1)
		return arena_printf(
			arena, "%s, in %s only of %zu cells", worst->clause, worst->cell, worst->of);
	return arena_printf(arena, "%s, in %zu of %zu cells, such as %s", worst->clause, worst->cells,
		worst->of, worst->cell);
}

/* early: the first cell that is incomparable is enough. */
static enum comparability judge(const struct comparable_view *a, const struct comparable_view *b,
	enum axis axis, const struct words *only, bool early, struct arena *arena, const char **reason)
{
	struct comparable records;
	struct worst worst = {.verdict = COMPARABLE};
	size_t cells = a->record->build_count;

	comparable_records(a, b, axis, arena, &records);
	if (records.verdict == INCOMPARABLE)
		cells = 0;
	for (size_t i = 0; i < cells && !(early && worst.verdict == INCOMPARABLE); i++) {
		const char *name = a->record->builds[i].cell;
		int64_t other = directory_find(&b->directory, name);
		struct comparable_cell cell;

		if (other < 0 || !directory_wants(only, name))
			continue;
		comparable_cells(a, i, b, (size_t)other, &records, arena, &cell);
		take_cell(&worst, name, &cell);
	}
	*reason = reason_of(&worst, &records, arena);
	return worst.of == 0 ? INCOMPARABLE : comparable_worse(worst.verdict, records.verdict);
}

enum comparability comparable_pair(const struct comparable_view *a, const struct comparable_view *b,
	enum axis axis, const struct words *only, struct arena *arena, const char **reason)
{
	return judge(a, b, axis, only, false, arena, reason);
}

/* --- groups --- */

struct grouping {
	const struct comparable_view *const *views;
	enum axis axis;
	const struct words *only;
	struct arena *arena;
	struct comparable_groups *out;
};

static enum comparability ask(
	const struct grouping *g, size_t a, size_t b, bool early, struct arena *arena, const char **reason)
{
	return judge(g->views[a], g->views[b], g->axis, g->only, early, arena, reason);
}

/* Does it compare with all members? Then it joins them. */
static bool joins(struct grouping *g, struct comparable_group *group, size_t record)
{
	enum comparability within = group->within;
	const char *caveat = NULL;

	for (size_t i = 0; i < group->n; i++) {
		struct arena scratch = {0};
		const char *reason;
		enum comparability verdict = ask(g, group->members[i], record, true, &scratch, &reason);

		if (verdict == COMPARABLE_CAVEAT && caveat == NULL && reason != NULL)
			caveat = arena_strdup(g->arena, reason);
		arena_release(&scratch);
		if (verdict == INCOMPARABLE)
			return false;
		within = comparable_worse(within, verdict);
	}
	group->within = within;
	group->caveat = group->caveat != NULL ? group->caveat : caveat;
	group->members[group->n++] = record;
	return true;
}

static void place(struct grouping *g, size_t record, size_t count)
{
	struct comparable_groups *out = g->out;
	size_t at = 0;

	while (at < out->n && !joins(g, &out->v[at], record))
		at++;
	if (at < out->n)
		return;
	out->v[out->n] = (struct comparable_group){.within = COMPARABLE};
	out->v[out->n].members = arena_array(g->arena, count, sizeof(*out->v[0].members));
	out->v[out->n].members[0] = record;
	out->v[out->n++].n = 1;
}

static int by_size(const void *left, const void *right)
{
	const struct comparable_group *a = left, *b = right;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return (a->members[0] > b->members[0]) - (a->members[0] < b->members[0]);
}

/* Why a group stands apart: its first member against the member of the largest group that it does not compare with. */
static void find_reason(struct grouping *g, struct comparable_group *group)
{
	const struct comparable_group *first = &g->out->v[0];

	for (size_t i = 0; i < first->n && group->reason == NULL; i++) {
		const char *reason;

		group->against = first->members[i];
		group->verdict = ask(g, group->against, group->members[0], false, g->arena, &reason);
		if (group->verdict == INCOMPARABLE)
			group->reason = reason;
	}
	/* it compares with all of them, but came when it could not join: another member bars it */
	if (group->reason == NULL)
		group->reason = "others of its group do not compare with it";
}

/* Machines, told apart as comparable_same_machine() does. */
static size_t count_hosts(const struct comparable_view *const *views, size_t count)
{
	size_t hosts = 0;

	for (size_t i = 0; i < count; i++) {
		size_t before = 0;

		while (before < i && !comparable_same_machine(views[before], views[i]))
			before++;
		hosts += before == i;
	}
	return hosts;
}

void comparable_group(const struct comparable_view *const *views, size_t count, enum axis axis,
	const struct words *only, struct arena *arena, struct comparable_groups *out)
{
	struct grouping g = {views, axis, only, arena, out};

	*out = (struct comparable_groups){.records = count};
	out->v = arena_array(arena, count, sizeof(*out->v));
	out->of = arena_array(arena, count, sizeof(*out->of));
	out->hosts = count_hosts(views, count);
	for (size_t i = 0; i < count; i++)
		place(&g, i, count);
	if (out->n > 0)
		qsort(out->v, out->n, sizeof(*out->v), by_size);
	for (size_t i = 0; i < out->n; i++) {
		for (size_t k = 0; k < out->v[i].n; k++)
			out->of[out->v[i].members[k]] = i;
		if (i > 0)
			find_reason(&g, &out->v[i]);
	}
}

const char *comparable_groups_sentence(const struct comparable_groups *groups, struct arena *arena)
{
	const char *what = groups->hosts == groups->records ? "hosts" : "records";
	size_t in = groups->n > 0 ? groups->v[0].n : 0, out = groups->records - in;

	if (out == 0)
		return arena_printf(arena, "All %zu %s compare with one another%s.", in, what,
			groups->v[0].within == COMPARABLE ? "" : ", with caveats");
	if (in == 1)
		return arena_printf(
			arena, "No two of the %zu %s compare in all their cells.", groups->records, what);
	return arena_printf(arena, "%zu of %zu %s compare with one another%s; %zu %s not.", in,
		groups->records, what, groups->v[0].within == COMPARABLE ? "" : ", with caveats", out,
		out == 1 ? "does" : "do");
}
