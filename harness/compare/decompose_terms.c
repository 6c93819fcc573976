#include "compare/decompose_terms.h"

/* --- which terms there are --- */

static void add_term(struct decomposition *out, struct decompose_term term, struct arena *arena)
{
	const struct design *design = &out->design;
	const char *label = term.kind == DECOMPOSE_WHOLE ? "all together"
							 : design->axes[term.axis].values[term.value].label;

	term.label = label;
	if (term.kind == DECOMPOSE_INTERACTION)
		term.label = arena_printf(
			arena, "%s x %s", label, design->axes[term.axis_b].values[term.value_b].label);
	out->terms[out->term_count++] = term;
}

static void add_interactions(struct decomposition *out, size_t a, size_t b, struct arena *arena)
{
	const struct design_axis *left = &out->design.axes[a], *right = &out->design.axes[b];

	for (size_t i = 0; i < left->value_count; i++)
		for (size_t k = 0; k < right->value_count; k++)
			if (i != left->reference && k != right->reference)
				add_term(out,
					(struct decompose_term){DECOMPOSE_INTERACTION, a, i, b, k, NULL},
					arena);
}

static size_t count_terms(const struct design *design)
{
	size_t n = 1, others = 0; /* values beside the reference's of the axes so far */

	for (size_t i = 0; i < design->axis_count; i++) {
		size_t own = design->axes[i].value_count - 1;

		n += (design->axes[i].target != design->axes[i].reference) + own + own * others;
		others += own;
	}
	return n;
}

void terms_of_design(struct decomposition *out, struct arena *arena)
{
	const struct design *design = &out->design;

	out->terms = arena_array(arena, count_terms(design), sizeof(*out->terms));
	for (size_t i = 0; i < design->axis_count; i++)
		if (design->axes[i].target != design->axes[i].reference)
			add_term(out,
				(struct decompose_term){
					.kind = DECOMPOSE_PART, .axis = i, .value = design->axes[i].target},
				arena);
	out->part_count = out->term_count;
	add_term(out, (struct decompose_term){.kind = DECOMPOSE_WHOLE}, arena);
	for (size_t i = 0; i < design->axis_count; i++)
		for (size_t k = 0; k < design->axes[i].value_count; k++)
			if (k != design->axes[i].reference)
				add_term(out,
					(struct decompose_term){
						.kind = DECOMPOSE_MAIN, .axis = i, .value = k},
					arena);
	for (size_t i = 0; i < design->axis_count; i++)
		for (size_t k = i + 1; k < design->axis_count; k++)
			add_interactions(out, i, k, arena);
}

/* --- their sums --- */

static bool has_value(const struct cells *cells, size_t combination)
{
	return cells->node_of[combination] != SIZE_MAX;
}

static void add_to_sum(struct term_sum *sum, size_t combination, double weight)
{
	vec_push(&sum->combinations, combination);
	vec_push(&sum->weights, weight);
}

/* The combination in which the values of this set of axes are the target's, all others the reference's. */
static size_t combination_of(const struct term_parts *parts, size_t set)
{
	size_t combination = parts->design->reference;

	for (unsigned i = 0; i < parts->n; i++)
		if ((set >> i & 1) != 0)
			combination = design_with(parts->design, combination, parts->axes[i],
				parts->design->axes[parts->axes[i]].target);
	return combination;
}

void term_parts_init(struct term_parts *parts, const struct cells *cells)
{
	const struct design *design = cells->source.design;
	bool *measured;

	*parts = (struct term_parts){.design = design};
	for (size_t i = 0; i < design->axis_count; i++) /* of 100,000 combinations at most: 16 */
		if (design->axes[i].target != design->axes[i].reference && parts->n < STATS_MOST_THINGS)
			parts->axes[parts->n++] = i;
	measured = mem_alloc_array((size_t)1 << parts->n, sizeof(*measured));
	for (size_t set = 0; set < (size_t)1 << parts->n; set++) {
		size_t combination = combination_of(parts, set);

		measured[set] = has_value(cells, combination);
		if (!measured[set] && parts->missing == NULL)
			parts->missing = cells->missing[combination];
	}
	stats_orders_init(&parts->orders, measured, parts->n);
	mem_free(measured);
}

void term_parts_release(struct term_parts *parts)
{
	stats_orders_release(&parts->orders);
}

/* Of whatever is on a complete order, also of weight 0: parts have the same cells, as their whole has. */
static void sum_orders(const struct term_parts *parts, const double *weights, struct term_sum *out)
{
	for (size_t set = 0; set < (size_t)1 << parts->n; set++)
		if (stats_orders_need(&parts->orders, set))
			add_to_sum(out, combination_of(parts, set), weights[set]);
}

static void sum_part(const struct term_parts *parts, const struct decompose_term *term, struct term_sum *out)
{
	double *weights = mem_alloc_array((size_t)1 << parts->n, sizeof(*weights));
	unsigned thing = 0;

	while (thing + 1 < parts->n && parts->axes[thing] != term->axis)
		thing++;
	stats_orders_weights(&parts->orders, thing, weights);
	sum_orders(parts, weights, out);
	out->used = parts->orders.used;
	out->possible = parts->orders.possible;
	out->missing = parts->missing;
	mem_free(weights);
}

/* The difference of two cells; where parts can be told, from the same rounds as these. */
static void sum_whole(const struct cells *cells, const struct term_parts *parts, struct term_sum *out)
{
	const struct design *design = parts->design;
	size_t last = ((size_t)1 << parts->n) - 1;
	double *weights = mem_alloc_array(last + 1, sizeof(*weights));

	weights[0] = -1;
	weights[last] = 1;
	out->possible = 1;
	if (!has_value(cells, design->reference) || !has_value(cells, design->target)) {
		out->missing = has_value(cells, design->reference) ? cells->missing[design->target]
								   : cells->missing[design->reference];
	} else if (parts->orders.used > 0) {
		out->used = 1;
		sum_orders(parts, weights, out);
	} else {
		out->used = 1;
		add_to_sum(out, design->reference, -1);
		add_to_sum(out, design->target, 1);
	}
	mem_free(weights);
}

/* Adds the difference of some cells, +1 for the first, -1 for the second and so on, unless one has no value. */
static void add_difference(const struct cells *cells, const size_t *combinations, const double *signs,
	size_t n, struct term_sum *out)
{
	out->possible++;
	for (size_t i = 0; i < n; i++) {
		if (has_value(cells, combinations[i]))
			continue;
		if (out->missing == NULL)
			out->missing = cells->missing[combinations[i]];
		return;
	}
	out->used++;
	for (size_t i = 0; i < n; i++)
		add_to_sum(out, combinations[i], signs[i]);
}

/* The r-th combination of the other axes, with the reference's values in these two (which may be one). */
static size_t others(const struct design *design, size_t r, size_t axis, size_t axis_b)
{
	size_t combination = 0;

	for (size_t i = design->axis_count; i-- > 0;) {
		const struct design_axis *at = &design->axes[i];

		if (i == axis || i == axis_b) {
			combination += at->reference * at->stride;
			continue;
		}
		combination += r % at->value_count * at->stride;
		r /= at->value_count;
	}
	return combination;
}

static void sum_main(const struct cells *cells, const struct decompose_term *term, struct term_sum *out)
{
	static const double signs[] = {1, -1};
	const struct design *design = cells->source.design;
	size_t count = design->combinations / design->axes[term->axis].value_count;

	for (size_t r = 0; r < count; r++) {
		size_t at = others(design, r, term->axis, term->axis);
		size_t pair[] = {design_with(design, at, term->axis, term->value), at};

		add_difference(cells, pair, signs, 2, out);
	}
}

static void sum_interaction(
	const struct cells *cells, const struct decompose_term *term, struct term_sum *out)
{
	static const double signs[] = {1, -1, -1, 1};
	const struct design *design = cells->source.design;
	size_t count = design->combinations / design->axes[term->axis].value_count /
		       design->axes[term->axis_b].value_count;

	for (size_t r = 0; r < count; r++) {
		size_t at = others(design, r, term->axis, term->axis_b);
		size_t a = design_with(design, at, term->axis, term->value);
		size_t b = design_with(design, at, term->axis_b, term->value_b);
		size_t four[] = {design_with(design, a, term->axis_b, term->value_b), a, b, at};

		add_difference(cells, four, signs, 4, out);
	}
}

void term_sum(const struct cells *cells, const struct term_parts *parts, const struct decompose_term *term,
	struct term_sum *out)
{
	*out = (struct term_sum){0};
	switch (term->kind) {
	case DECOMPOSE_PART:
		sum_part(parts, term, out);
		return;
	case DECOMPOSE_WHOLE:
		sum_whole(cells, parts, out);
		return;
	case DECOMPOSE_MAIN:
		sum_main(cells, term, out);
		break;
	case DECOMPOSE_INTERACTION:
		sum_interaction(cells, term, out);
		break;
	}
	for (size_t i = 0; i < out->weights.n; i++)
		out->weights.v[i] /= out->used;
}

void term_sum_release(struct term_sum *sum)
{
	vec_release(&sum->combinations);
	vec_release(&sum->weights);
}
