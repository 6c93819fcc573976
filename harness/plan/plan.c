#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan/expand.h"

bool expand_product(struct expansion *x)
{
	const size_t factors[] = {x->workloads.n, x->slots.n, x->flags.n, x->copies.n, x->args.n};
	uint64_t count = 1;

	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		count *= factors[i]; /* below 2^20 before, so it cannot pass 2^64 with lists from one file */
		if (count > PLAN_CELLS_MAX) {
			spec_error(x->errors, x->matrix->place,
				"the matrix has more than %d cells: %zu workloads x %zu toolchains x %zu "
				"variants x "
				"%zu copies x %zu args; split it into several",
				PLAN_CELLS_MAX, factors[0], factors[1], factors[2], factors[3], factors[4]);
			return false;
		}
	}
	vec_reserve(&x->cells, (size_t)count);
	for (uint32_t w = 0; w < x->workloads.n; w++)
		for (uint32_t s = 0; s < x->slots.n; s++)
			for (uint32_t v = 0; v < x->flags.n; v++)
				for (uint32_t c = 0; c < x->copies.n; c++)
					for (uint32_t a = 0; a < x->args.n; a++)
						vec_push(&x->cells, (struct cell_seed){{w, s, v, c, a}, v});
	return true;
}

static int by_key(const void *a, const void *b)
{
	const struct cell_key *p = &((const struct cell_seed *)a)->key,
			      *q = &((const struct cell_seed *)b)->key;

	if (p->workload != q->workload)
		return p->workload < q->workload ? -1 : 1;
	if (p->slot != q->slot)
		return p->slot < q->slot ? -1 : 1;
	if (p->variant != q->variant)
		return p->variant < q->variant ? -1 : 1;
	if (p->copies != q->copies)
		return p->copies < q->copies ? -1 : 1;
	return (p->args > q->args) - (p->args < q->args);
}

/* The order of the baseline's name among the variants; -1: the matrix has none. */
static int64_t baseline_order(struct expansion *x)
{
	const struct spec_word *baseline = &x->matrix->baseline;

	if (baseline->text == NULL)
		return -1;
	for (size_t i = 0; i < x->variants.n; i++)
		if (strcmp(x->variants.v[i], baseline->text) == 0)
			return (int64_t)i;
	expand_unknown(x, baseline->place, "variant", baseline->text, &x->variants);
	return -1;
}

/* The index of the baseline cell among the sorted cells; -1: it is one itself, or there is none. */
static int64_t baseline_of(const struct expansion *x, size_t cell, int64_t order)
{
	struct cell_seed want = x->cells.v[cell];
	const struct cell_seed *found;

	if (order < 0 || want.key.variant == (uint32_t)order)
		return -1;
	want.key.variant = (uint32_t)order;
	found = bsearch(&want, x->cells.v, x->cells.n, sizeof(want), by_key);
	return found != NULL ? found - x->cells.v : -1;
}

static char *cell_name(const struct expansion *x, const struct cell_key *key)
{
	const char *args = x->args.v[key->args];

	return arena_printf(x->arena, "%s/%s/%s/%u%s%s", x->workloads.v[key->workload]->name,
		x->slots.v[key->slot].name, x->variants.v[key->variant], x->copies.v[key->copies].number,
		args[0] != '\0' ? "/" : "", args);
}

/* What is decided about each sorted cell before the plan is written. */
struct draft {
	const char **names, **reasons;
	int64_t *baselines; /* among the sorted cells */
	bool *keep;
};

static void draft_make(struct expansion *x, int64_t baseline, struct draft *draft)
{
	size_t n = x->cells.n;
	struct reasons *reasons = reasons_new(x);
	bool *wanted = arena_array(x->arena, n + 1, sizeof(*wanted));

	draft->names = arena_array(x->arena, n + 1, sizeof(*draft->names));
	draft->reasons = arena_array(x->arena, n + 1, sizeof(*draft->reasons));
	draft->baselines = arena_array(x->arena, n + 1, sizeof(*draft->baselines));
	draft->keep = arena_array(x->arena, n + 1, sizeof(*draft->keep));
	for (size_t i = 0; i < n; i++)
		draft->names[i] = cell_name(x, &x->cells.v[i].key);
	if (x->options->only.n == 0)
		memset(draft->keep, true, n);
	else
		expand_only(x, draft->names, draft->keep);
	if (x->errors->n > 0)
		return; /* no compiler is asked for a matrix that is wrong */
	for (size_t i = 0; i < n; i++) {
		draft->baselines[i] = baseline_of(x, i, baseline);
		wanted[i] = wanted[i] || draft->keep[i];
		if (draft->keep[i] && draft->baselines[i] >= 0)
			wanted[draft->baselines[i]] = true;
	}
	for (size_t i = 0; i < n; i++) {
		if (!wanted[i])
			continue;
		draft->reasons[i] = reasons_ask(reasons, &x->cells.v[i]);
		draft->keep[i] = draft->keep[i] || draft->reasons[i] == NULL;
	}
}

static struct plan_cell cell_make(const struct expansion *x, const struct plan *plan,
	const struct draft *draft, size_t i, int64_t baseline)
{
	const struct cell_seed *seed = &x->cells.v[i];
	const struct copies_choice *copies = &x->copies.v[seed->key.copies];

	return (struct plan_cell){
		.name = draft->names[i],
		.workload = x->workloads.v[seed->key.workload],
		.slot = &plan->slots[seed->key.slot],
		.variant = x->flags.v[seed->flags].variant,
		.copies = copies->number,
		.copies_keyword = copies->keyword,
		.args = x->args.v[seed->key.args],
		.reason = draft->reasons[i],
		.baseline = seed->key.variant == baseline,
		.baseline_index = -1,
	};
}

static void plan_write(struct expansion *x, const struct draft *draft, int64_t baseline, struct plan *plan)
{
	int64_t *place =
		arena_array(x->arena, x->cells.n + 1, sizeof(*place)); /* sorted cell to cell of the plan */
	size_t kept = 0;

	plan->slots = arena_array(x->arena, x->slots.n + 1, sizeof(*plan->slots));
	plan->slot_count = x->slots.n;
	if (x->slots.n > 0)
		memcpy(plan->slots, x->slots.v, x->slots.n * sizeof(*plan->slots));
	for (size_t i = 0; i < x->cells.n; i++)
		kept += draft->keep[i];
	plan->cells = arena_array(x->arena, kept + 1, sizeof(*plan->cells));
	for (size_t i = 0; i < x->cells.n; i++) {
		place[i] = -1;
		if (!draft->keep[i])
			continue;
		place[i] = (int64_t)plan->cell_count;
		plan->cells[plan->cell_count++] = cell_make(x, plan, draft, i, baseline);
		plan->possible += draft->reasons[i] == NULL;
	}
	for (size_t i = 0; i < x->cells.n; i++) {
		int64_t at = draft->baselines[i];

		if (place[i] >= 0 && at >= 0 && draft->reasons[at] == NULL)
			plan->cells[place[i]].baseline_index = place[at];
	}
}

static void make(struct expansion *x, struct plan *plan)
{
	struct draft draft = {0};
	int64_t baseline;

	expand_lists(x);
	if (x->errors->n > 0 || !expand_product(x))
		return;
	expand_exclude(x);
	expand_include(x);
	baseline = baseline_order(x);
	if (x->errors->n == 0 && x->cells.n == 0)
		spec_error(x->errors, x->matrix->place,
			"no cell is left of this matrix; look at its exclude entries");
	if (x->errors->n > 0)
		return;
	qsort(x->cells.v, x->cells.n, sizeof(*x->cells.v), by_key);
	draft_make(x, baseline, &draft);
	if (x->errors->n == 0)
		plan_write(x, &draft, baseline, plan);
}

int plan_make(const struct spec_project *project, const struct spec_matrix *matrix,
	const struct toolchains *toolchains, const struct plan_options *options, struct arena *arena,
	struct plan *plan, struct spec_errors *errors)
{
	struct plan made = {.matrix = matrix};
	struct spec_errors found = {.arena = errors->arena};
	struct expansion x = {.project = project,
		.matrix = matrix,
		.toolchains = toolchains,
		.options = options,
		.arena = arena,
		.errors = &found,
		.notes = &made.notes};

	make(&x, &made);
	expansion_release(&x);
	for (size_t i = 0; i < found.n; i++)
		spec_error(errors, found.v[i].place, "%s", found.v[i].text);
	if (found.n > 0)
		return -1;
	*plan = made;
	return 0;
}
