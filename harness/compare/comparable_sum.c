#include "compare/comparable_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

struct summing {
	const struct between *between;
	size_t side;
	struct arena *arena;
	VEC(struct sum_row) rows;
	VEC(struct sum_fact) facts;
};

static void name_cell(struct words *cells, struct arena *arena, const char *cell)
{
	if (cells->n < SUM_CELLS_NAMED)
		words_add(cells, arena, cell);
}

/* How native was answered is told with the cells that asked for it. */
static bool belongs(const struct sum_row *row, const struct comparable_cell *cell)
{
	return row->row == cell->row && row->verdict == cell->verdict &&
	       text_same(row->first->native_a, cell->native_a) &&
	       text_same(row->first->native_b, cell->native_b);
}

static void add_row(struct summing *s, size_t index, const struct comparable_cell *cell)
{
	size_t at = 0;

	while (at < s->rows.n && !belongs(&s->rows.v[at], cell))
		at++;
	if (at == s->rows.n)
		vec_push(&s->rows, (struct sum_row){.row = cell->row,
					   .verdict = cell->verdict,
					   .by_row = cell->by_row,
					   .first = cell,
					   .cell = index});
	name_cell(&s->rows.v[at].cells, s->arena, s->between->cells[index].cell);
	s->rows.v[at].count++;
}

/* Values that are another one in each cell tell nothing by themselves: one line for all. */
static bool values_vary(const char *key)
{
	return text_ends(key, "sha256") || text_ends(key, "_hash") || text_ends(key, "build_id") ||
	       strcmp(key, "cell.units") == 0 || strcmp(key, "check_value") == 0 ||
	       strcmp(key, "series") == 0 || text_ends(key, "params");
}

static bool same_values(const struct comparable_fact *a, const struct comparable_fact *b)
{
	return strcmp(a->a, b->a) == 0 && strcmp(a->b, b->b) == 0;
}

static bool merges(const struct sum_fact *into, const struct comparable_fact *fact)
{
	return into->count > 0 && into->fact.part == fact->part && into->fact.worsens == fact->worsens &&
	       strcmp(into->fact.key, fact->key) == 0 && strcmp(into->fact.why, fact->why) == 0 &&
	       (values_vary(fact->key) || same_values(&into->fact, fact));
}

static void add_fact(struct summing *s, const char *cell, const struct comparable_fact *fact)
{
	size_t at = cell != NULL ? 0 : s->facts.n;

	while (at < s->facts.n && !merges(&s->facts.v[at], fact))
		at++;
	if (at == s->facts.n)
		vec_push(&s->facts, (struct sum_fact){.fact = *fact});
	if (cell == NULL)
		return;
	s->facts.v[at].others = s->facts.v[at].others || !same_values(&s->facts.v[at].fact, fact);
	name_cell(&s->facts.v[at].cells, s->arena, cell);
	s->facts.v[at].count++;
}

static int by_verdict(const void *left, const void *right)
{
	const struct sum_row *a = left, *b = right;

	if (a->verdict != b->verdict)
		return a->verdict < b->verdict ? 1 : -1;
	if ((a->first->native_a != NULL) != (b->first->native_a != NULL))
		return a->first->native_a != NULL ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->cell > b->cell) - (a->cell < b->cell);
}

/* Stable: by part, else in the order in which they were found. */
static void sort_facts(const struct summing *s, struct comparable_sum *out)
{
	out->facts = arena_array(s->arena, s->facts.n, sizeof(*out->facts));
	for (int part = FACT_DECIDES; part <= FACT_EXPLAINED; part++)
		for (size_t i = 0; i < s->facts.n; i++)
			if ((int)s->facts.v[i].fact.part == part)
				out->facts[out->fact_count++] = s->facts.v[i];
}

void comparable_sum(
	const struct between *between, size_t side, struct arena *arena, struct comparable_sum *out)
{
	struct summing s = {.between = between, .side = side, .arena = arena};
	const struct comparable_facts *facts = &between->comparable[side].facts;

	*out = (struct comparable_sum){.row_count = 0};
	for (size_t i = 0; i < facts->n; i++)
		add_fact(&s, NULL, &facts->v[i]);
	for (size_t i = 0; i < between->cell_count; i++) {
		const struct comparable_cell *cell = &between->cells[i].effects[side].comparable;

		if (cell->facts.n == 0 && cell->row == 0)
			continue; /* on one side only */
		add_row(&s, i, cell);
		for (size_t k = 0; k < cell->facts.n; k++)
			add_fact(&s, between->cells[i].cell, &cell->facts.v[k]);
	}
	if (s.rows.n > 0)
		qsort(s.rows.v, s.rows.n, sizeof(*s.rows.v), by_verdict);
	out->rows = arena_array(arena, s.rows.n, sizeof(*out->rows));
	if (s.rows.n > 0)
		memcpy(out->rows, s.rows.v, s.rows.n * sizeof(*s.rows.v));
	out->row_count = s.rows.n;
	sort_facts(&s, out);
	vec_release(&s.rows);
	vec_release(&s.facts);
}

const char *comparable_cells_named(const struct words *cells, size_t count, struct arena *arena)
{
	const char *named = words_between(cells, ", ", arena);

	return count > cells->n ? arena_printf(arena, "%s and %zu more", named, count - cells->n) : named;
}
