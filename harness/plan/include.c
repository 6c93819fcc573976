#include "plan/expand.h"

#include <string.h>

static uint32_t add_flag_set(struct expansion *x, const struct spec_variant *variant, uint32_t order)
{
	vec_push(&x->flags, (struct flag_set){variant, order});
	return (uint32_t)(x->flags.n - 1);
}

/* The variant of `from` with the entry's flags behind its own; made once an entry and variant. */
struct derived {
	uint32_t *
		by_flags; /* index of the derived flag set; 0: not made yet (0 is the matrix' first variant) */
};

static uint32_t derive(
	struct expansion *x, const struct spec_filter *entry, struct derived *derived, uint32_t from)
{
	const struct spec_variant *old = x->flags.v[from].variant;
	struct spec_variant *made;

	if (entry->cflags.n == 0 && entry->ldflags.n == 0)
		return from;
	if (derived->by_flags[from] != 0)
		return derived->by_flags[from];
	made = arena_new(x->arena, struct spec_variant);
	*made = *old;
	made->cflags = made->cxxflags = made->ldflags = (struct words){0};
	words_add_all(&made->cflags, x->arena, &old->cflags);
	words_add_all(&made->cflags, x->arena, &entry->cflags);
	words_add_all(&made->ldflags, x->arena, &old->ldflags);
	words_add_all(&made->ldflags, x->arena, &entry->ldflags);
	if (old->cxxflags.n > 0) {
		words_add_all(&made->cxxflags, x->arena, &old->cxxflags);
		words_add_all(&made->cxxflags, x->arena, &entry->cflags);
	}
	derived->by_flags[from] = add_flag_set(x, made, x->flags.v[from].order);
	return derived->by_flags[from];
}

static struct derived derived_new(struct expansion *x)
{
	return (struct derived){arena_array(x->arena, x->flags.n + 1, sizeof(uint32_t))};
}

/* Adds flags to the matching cells; those that an include made from a variant of its own are not touched. */
static size_t add_flags(
	struct expansion *x, const struct spec_filter *entry, const struct selection *selection)
{
	struct derived derived = derived_new(x);
	size_t matched = 0;

	for (size_t i = 0; i < x->cells.n; i++) {
		struct cell_seed *cell = &x->cells.v[i];

		if (cell->key.variant >= x->base.variants || !expand_selected(selection, &cell->key))
			continue;
		matched++;
		cell->flags = derive(x, entry, &derived, cell->flags);
	}
	return matched;
}

static size_t chosen(const bool *hit, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += hit[i];
	return n;
}

/* Pushes the cells of one variant that a selection describes. flags: the flag set they get. */
static void push_cells(struct expansion *x, const struct selection *s, uint32_t variant, uint32_t flags)
{
	for (uint32_t w = 0; w < x->workloads.n; w++)
		for (uint32_t t = 0; s->workloads[w] && t < x->slots.n; t++)
			for (uint32_t c = 0; s->slots[t] && c < x->copies.n; c++)
				for (uint32_t a = 0; s->copies[c] && a < x->args.n; a++)
					if (s->args[a])
						vec_push(&x->cells,
							(struct cell_seed){{w, t, variant, c, a}, flags});
}

static bool fits(
	struct expansion *x, const struct spec_filter *entry, const struct selection *s, size_t variants)
{
	uint64_t count = (uint64_t)chosen(s->workloads, x->workloads.n) * chosen(s->slots, x->slots.n);

	/* each factor is at most PLAN_CELLS_MAX by the checks after each */
	if (count <= PLAN_CELLS_MAX)
		count *= chosen(s->copies, x->copies.n);
	if (count <= PLAN_CELLS_MAX)
		count *= chosen(s->args, x->args.n);
	if (count <= PLAN_CELLS_MAX)
		count *= variants;
	if (count + x->cells.n <= PLAN_CELLS_MAX)
		return true;
	spec_error(x->errors, entry->place, "with this entry the matrix has more than %d cells; list fewer",
		PLAN_CELLS_MAX);
	return false;
}

static void add_cells(struct expansion *x, const struct spec_filter *entry, const struct selection *s)
{
	struct derived derived = derived_new(x);

	if (!fits(x, entry, s, chosen(s->variants, x->base.variants)))
		return;
	for (uint32_t v = 0; v < x->base.variants; v++)
		if (s->variants[v])
			push_cells(x, s, v, derive(x, entry, &derived, v));
}

static void include_existing(struct expansion *x, const struct spec_filter *entry)
{
	struct selection selection;
	size_t matched;

	if (expand_select(x, entry, true, false, &selection) != SELECTED)
		return;
	matched = add_flags(x, entry, &selection);
	if (matched == 0)
		add_cells(x, entry, &selection);
	else if (entry->cflags.n == 0 && entry->ldflags.n == 0)
		spec_error(x->errors, entry->place,
			"this include matches %zu cells and has no flags to add, so it does nothing; give it "
			"cflags or ldflags",
			matched);
}

static uint32_t variant_order(struct expansion *x, const char *name)
{
	uint32_t order = 0;

	while (order < x->variants.n && strcmp(x->variants.v[order], name) != 0)
		order++;
	if (order == x->variants.n)
		words_add(&x->variants, x->arena, name);
	return order;
}

static const struct spec_variant *made_variant(struct expansion *x, const struct spec_filter *entry)
{
	struct spec_variant *variant = arena_new(x->arena, struct spec_variant);

	variant->place = entry->place;
	variant->name = entry->variant;
	variant->cflags = entry->cflags;
	variant->ldflags = entry->ldflags;
	variant->check_rel = -1;
	return variant;
}

static void include_new(struct expansion *x, const struct spec_filter *entry)
{
	struct selection selection;
	uint32_t order;

	if (entry->axis_names.n > 0) {
		spec_error(x->errors, entry->place,
			"this entry makes the variant `%s`, which is on no axis; leave out `%s`",
			entry->variant, entry->axis_names.v[0]);
		return;
	}
	if (expand_select(x, entry, true, true, &selection) != SELECTED || !fits(x, entry, &selection, 1))
		return;
	order = variant_order(x, entry->variant);
	for (size_t i = 0; i < x->cells.n; i++) {
		if (x->cells.v[i].key.variant == order && expand_selected(&selection, &x->cells.v[i].key)) {
			spec_error(x->errors, entry->place,
				"another include has made the variant `%s` for the same cells",
				entry->variant);
			return;
		}
	}
	push_cells(x, &selection, order, add_flag_set(x, made_variant(x, entry), order));
}

static bool matches_variant(const struct expansion *x, const char *pattern)
{
	for (size_t i = 0; i < x->base.variants; i++)
		if (text_glob(pattern, x->variants.v[i]))
			return true;
	return false;
}

void expand_include(struct expansion *x)
{
	for (size_t i = 0; i < x->matrix->include_count; i++) {
		const struct spec_filter *entry = &x->matrix->include[i];
		struct words names = {0};

		if (entry->variant == NULL || matches_variant(x, entry->variant)) {
			include_existing(x, entry);
		} else if (text_is_name(entry->variant) && strcmp(entry->variant, "none") != 0) {
			include_new(x, entry);
		} else {
			for (size_t k = 0; k < x->base.variants; k++)
				words_add(&names, x->arena, x->variants.v[k]);
			expand_unknown(x, entry->place, "variant", entry->variant, &names);
		}
	}
}
