#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"

/* Every pair of builds of one source: what flagstone says of it, and what is true. */

enum { SHOWN_WRONG = 20 };

/* The row of a pair in the table: its compiler and flags where both have the same, else what differs. */
static size_t row_of(const struct native *n, const struct native_build *a, const struct native_build *b)
{
	if (a->slot != b->slot)
		return n->slots.n * (NATIVE_VARIANTS + 1);
	return a->slot * (NATIVE_VARIANTS + 1) + (a->variant == b->variant ? a->variant : NATIVE_VARIANTS);
}

static const char *row_name(struct trust *t, size_t row)
{
	const struct native *n = t->native;
	size_t slot = row / (NATIVE_VARIANTS + 1), variant = row % (NATIVE_VARIANTS + 1);

	if (slot == n->slots.n)
		return "two compilers";
	return arena_printf(&t->arena, "%s %s", n->slots.v[slot],
		variant == NATIVE_VARIANTS ? "with other flags" : native_variants[variant].flags);
}

static void show_wrong(struct native *n, const struct native_machine *a, size_t i,
	const struct native_machine *b, size_t k, bool equal, const struct comparable_cell *cell,
	enum comparability said, const char *why)
{
	if (n->shown++ >= SHOWN_WRONG)
		return;
	fprintf(stderr,
		"trust: native: wrong: %s with %s code is %s by row %u (%s): %s on %s against %s on %s\n",
		a->record->builds[i].workload, equal ? "equal" : "other", comparability_text(said), cell->row,
		why != NULL ? why : "no reason", a->record->builds[i].cell, a->model,
		b->record->builds[k].cell, b->model);
}

static void judge_pair(struct native *n, const struct native_machine *a, size_t i,
	const struct native_machine *b, size_t k, const struct comparable *records, struct arena *arena)
{
	const struct native_build *x = &a->builds[i], *y = &b->builds[k];
	bool equal = x->truth_size == y->truth_size && memcmp(x->truth, y->truth, x->truth_size) == 0;
	struct native_row *row = &n->rows[row_of(n, x, y)];
	struct comparable_cell cell;
	enum comparability said;

	comparable_cells(a->view, i, b->view, k, records, arena, &cell);
	said = comparable_worse(records->verdict, cell.verdict);
	row->said[equal][said]++;
	if (said == (equal ? INCOMPARABLE : COMPARABLE)) {
		row->wrong++;
		show_wrong(n, a, i, b, k, equal, &cell, said,
			cell.reason != NULL ? cell.reason : records->reason);
	}
}

/* All pairs of a machine's builds with another's (or its own). */
static void judge_machines(struct native *n, const struct native_machine *a, const struct native_machine *b)
{
	struct arena arena = {0};
	struct comparable declared, guessed;

	comparable_records(a->view, b->view, AXIS_MACHINE, &arena, &declared);
	comparable_records(a->view, b->view, AXIS_NONE, &arena, &guessed);
	n->other_axis += a != b && guessed.axis != AXIS_MACHINE;
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = a == b ? i + 1 : 0; k < b->count; k++) {
			struct arena scratch = {0};

			if (a->builds[i].workload == b->builds[k].workload)
				judge_pair(n, a, i, b, k, &declared, &scratch);
			arena_release(&scratch);
		}
	arena_release(&arena);
}

static size_t pairs_of(const struct native_row *row, int equal)
{
	return row->said[equal][COMPARABLE] + row->said[equal][COMPARABLE_CAVEAT] +
	       row->said[equal][INCOMPARABLE];
}

static void add_row(struct trust *t, const char *name, const struct native_row *row)
{
	size_t pairs = pairs_of(row, 0) + pairs_of(row, 1);

	if (pairs > 0)
		trust_row(t, TABLE_NATIVE, "%s|%zu|%zu|%zu|%zu|%zu|%zu|%zu|%zu|%zu|%zu", name, pairs,
			pairs_of(row, 1), row->said[1][COMPARABLE], row->said[1][COMPARABLE_CAVEAT],
			row->said[1][INCOMPARABLE], pairs_of(row, 0), row->said[0][COMPARABLE],
			row->said[0][COMPARABLE_CAVEAT], row->said[0][INCOMPARABLE], row->wrong);
}

void trust_judge_native(struct trust *t)
{
	struct native *n = t->native;
	struct native_row all = {0};
	size_t pairs, wrong;

	if (n == NULL)
		return;
	for (size_t i = 0; i < n->machine_count; i++)
		for (size_t k = i; k < n->machine_count; k++)
			judge_machines(n, &n->machines[i], &n->machines[k]);
	for (size_t r = 0; r <= n->slots.n * (NATIVE_VARIANTS + 1); r++) {
		add_row(t, row_name(t, r), &n->rows[r]);
		for (int equal = 0; equal < 2; equal++)
			for (size_t said = 0; said <= INCOMPARABLE; said++)
				all.said[equal][said] += n->rows[r].said[equal][said];
		all.wrong += n->rows[r].wrong;
	}
	add_row(t, "all", &all);
	pairs = pairs_of(&all, 0) + pairs_of(&all, 1);
	wrong = all.wrong + n->other_axis;
	trust_figure(t, "native-pairs", (double)pairs, "pairs", "-", TRUST_NO_LIMIT,
		"%zu CPU%s; %zu pairs of builds with equal code (by objcopy), %zu with other code",
		n->machine_count, n->machine_count == 1 ? "" : "s", pairs_of(&all, 1), pairs_of(&all, 0));
	trust_figure(t, "native-wrong", (double)wrong, "pairs", "<=0",
		/* a table without a pair of each kind proves nothing */
		wrong > 0 || pairs_of(&all, 0) == 0 || pairs_of(&all, 1) == 0 ? TRUST_BROKEN : TRUST_KEPT,
		"%zu of them with other code and called COMPARABLE, %zu with equal code and called "
		"INCOMPARABLE; "
		"%zu pairs of machines taken for another axis",
		all.said[0][COMPARABLE], all.said[1][INCOMPARABLE], n->other_axis);
}

void trust_native_again(struct trust *t)
{
	static const char *const names[] = {"native-pairs", "native-wrong"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *key = arena_printf(&t->arena, TRUST_FIGURE "%s", names[i]);
		const struct fact *fact = facts_find(&t->record->harness, key);
		const char *limit =
			facts_value(&t->record->harness, arena_printf(&t->arena, "%s" TRUST_LIMIT, key));
		const char *verdict =
			facts_value(&t->record->harness, arena_printf(&t->arena, "%s" TRUST_VERDICT, key));

		if (fact == NULL || fact->value == NULL)
			continue;
		trust_figure(t, names[i], strtod(fact->value, NULL), "pairs", limit != NULL ? limit : "-",
			text_same(verdict, trust_verdict_text(TRUST_BROKEN)) ? TRUST_BROKEN
			: text_same(verdict, trust_verdict_text(TRUST_KEPT)) ? TRUST_KEPT
									     : TRUST_NO_LIMIT,
			"%s", fact->source != NULL ? fact->source : "from the record");
	}
}
