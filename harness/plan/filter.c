#include "plan/expand.h"

#include <string.h>

#include "base/num.h"

/* How one member of a filter is held against one list. */
struct member {
	const char *pattern; /* NULL: not given */
	size_t count, base;  /* entries of the list, and those the matrix itself lists */
	bool (*matches)(const struct expansion *x, const char *pattern, size_t at);
};

static bool *match_member(const struct expansion *x, const struct member *member, bool *any)
{
	bool *hit = arena_array(x->arena, member->count + 1, sizeof(*hit));

	*any = member->pattern == NULL;
	for (size_t i = 0; i < member->count; i++) {
		hit[i] = member->pattern == NULL ? i < member->base : member->matches(x, member->pattern, i);
		*any = *any || hit[i];
	}
	return hit;
}

static bool workload_matches(const struct expansion *x, const char *pattern, size_t at)
{
	return text_glob(pattern, x->workloads.v[at]->name);
}

static bool slot_matches(const struct expansion *x, const char *pattern, size_t at)
{
	const struct toolchain_slot *slot = &x->slots.v[at];

	return text_glob(pattern, slot->name) ||
	       text_glob(pattern,
		       slot->toolchain != NULL ? slot->toolchain->family : expand_slot_family(x, slot->name));
}

static bool variant_matches(const struct expansion *x, const char *pattern, size_t at)
{
	return text_glob(pattern, x->variants.v[at]);
}

static bool copies_match(const struct expansion *x, const char *pattern, size_t at)
{
	const struct words *spellings = &x->copies.v[at].spellings;

	for (size_t i = 0; i < spellings->n; i++)
		if (text_glob(pattern, spellings->v[i]))
			return true;
	return false;
}

static bool args_match(const struct expansion *x, const char *pattern, size_t at)
{
	return text_glob(pattern, x->args.v[at]);
}

static bool is_glob(const char *text)
{
	return text[strcspn(text, "*?[\\")] != '\0';
}

static bool *select_workloads(struct expansion *x, const struct spec_filter *filter, bool extend)
{
	struct words names = {0};
	bool any, *hit;

	for (int pass = 0; pass < 2; pass++) {
		hit = match_member(x,
			&(struct member){
				filter->workload, x->workloads.n, x->base.workloads, workload_matches},
			&any);
		if (any)
			return hit;
		if (!extend || expand_add_workloads(x, filter->workload) == 0)
			break;
	}
	if (extend)
		expand_workload_words(x, &names);
	else
		for (size_t i = 0; i < x->workloads.n; i++)
			words_add(&names, x->arena, x->workloads.v[i]->name);
	expand_unknown(
		x, filter->place, extend ? "workload" : "workload in this matrix", filter->workload, &names);
	return NULL;
}

/* Families that the slots could be named by, and the slots' names. */
static void matrix_slot_words(const struct expansion *x, struct words *names)
{
	for (size_t i = 0; i < x->slots.n; i++) {
		const char *family = expand_slot_family(x, x->slots.v[i].name);

		if (!words_have(names, x->slots.v[i].name))
			words_add(names, x->arena, x->slots.v[i].name);
		if (family[0] != '\0' && !words_have(names, family))
			words_add(names, x->arena, family);
	}
}

/* Does it mean a slot that could exist, here or on another machine? */
static bool slot_pattern_known(const struct expansion *x, const char *pattern)
{
	struct words names = {0};

	expand_slot_words(x, &names);
	for (size_t i = 0; i < names.n; i++)
		if (text_glob(pattern, names.v[i]))
			return true;
	return expand_slot_known(x, pattern);
}

static enum selected select_slots(
	struct expansion *x, const struct spec_filter *filter, bool extend, bool **out)
{
	struct words names = {0};
	bool any;

	*out = match_member(
		x, &(struct member){filter->toolchain, x->slots.n, x->base.slots, slot_matches}, &any);
	if (any)
		return SELECTED;
	if (x->matrix->all_toolchains && slot_pattern_known(x, filter->toolchain))
		return SELECTED_ABSENT;
	if (extend && !is_glob(filter->toolchain) && expand_slot_known(x, filter->toolchain)) {
		struct toolchain_slot slot =
			toolchains_slot(x->toolchains, x->project, filter->toolchain, x->arena);

		slot.name = filter->toolchain;
		vec_push(&x->slots, slot);
		*out = match_member(x,
			&(struct member){filter->toolchain, x->slots.n, x->base.slots, slot_matches}, &any);
		return SELECTED;
	}
	if (extend)
		expand_slot_words(x, &names);
	else
		matrix_slot_words(x, &names);
	expand_unknown(x, filter->place, extend ? "toolchain" : "toolchain in this matrix", filter->toolchain,
		&names);
	return SELECTED_ERROR;
}

/* The value of an axis in a variant's name, which is the values' names joined by +; none of them holds one. */
static char *axis_value(const struct expansion *x, const char *variant, const char *axis)
{
	for (size_t i = 0; i < x->matrix->axis_count && strcmp(x->matrix->axes[i].name, axis) != 0; i++) {
		variant += strcspn(variant, "+");
		variant += *variant == '+';
	}
	return arena_strndup(x->arena, variant, strcspn(variant, "+"));
}

static bool axes_match(const struct expansion *x, const struct spec_filter *filter, const char *variant)
{
	for (size_t i = 0; i < filter->axis_names.n; i++)
		if (!text_glob(filter->axis_values.v[i], axis_value(x, variant, filter->axis_names.v[i])))
			return false;
	return true;
}

static bool *select_variants(struct expansion *x, const struct spec_filter *filter)
{
	bool any, *hit = match_member(x,
			  &(struct member){filter->variant, x->variants.n, x->base.variants, variant_matches},
			  &any);

	if (!any) {
		expand_unknown(x, filter->place, "variant in this matrix", filter->variant, &x->variants);
		return NULL;
	}
	any = false;
	for (size_t i = 0; i < x->variants.n; i++) {
		hit[i] = hit[i] && (filter->axis_names.n == 0 ||
					   (i < x->base.variants && axes_match(x, filter, x->variants.v[i])));
		any = any || hit[i];
	}
	if (any)
		return hit;
	spec_error(x->errors, filter->place,
		"no variant of this matrix has all that this entry names, so it does nothing");
	return NULL;
}

/* A number or keyword that include names and the matrix does not list. */
static bool add_copies(struct expansion *x, const char *text)
{
	uint64_t number;

	if (strcmp(text, "cpus") == 0)
		expand_add_copies(x, x->options->cpus > 0 ? x->options->cpus : 1, "cpus");
	else if (strcmp(text, "cores") == 0)
		expand_add_copies(x, x->options->cores > 0 ? x->options->cores : 1, "cores");
	else if (num_parse_u64(text, &number) && number > 0 && number <= UINT32_MAX)
		expand_add_copies(x, (uint32_t)number, NULL);
	else
		return false;
	return true;
}

static bool *select_copies(struct expansion *x, const struct spec_filter *filter, bool extend)
{
	struct words names = {0};
	bool any, *hit;

	for (int pass = 0; pass < 2; pass++) {
		hit = match_member(
			x, &(struct member){filter->copies, x->copies.n, x->base.copies, copies_match}, &any);
		if (any)
			return hit;
		if (!extend || !add_copies(x, filter->copies))
			break;
	}
	for (size_t i = 0; i < x->copies.n; i++)
		words_add_all(&names, x->arena, &x->copies.v[i].spellings);
	expand_unknown(x, filter->place, "copies", filter->copies, &names);
	return NULL;
}

static bool *select_args(struct expansion *x, const struct spec_filter *filter, bool extend)
{
	bool any, *hit;

	for (int pass = 0; pass < 2; pass++) {
		hit = match_member(
			x, &(struct member){filter->args, x->args.n, x->base.args, args_match}, &any);
		if (any)
			return hit;
		if (!extend || is_glob(filter->args))
			break;
		expand_check_args(x, filter->args, filter->place);
		words_add(&x->args, x->arena, filter->args);
	}
	expand_unknown(x, filter->place, "args in this matrix", filter->args, &x->args);
	return NULL;
}

enum selected expand_select(struct expansion *x, const struct spec_filter *filter, bool extend,
	bool skip_variant, struct selection *out)
{
	enum selected slots;

	out->workloads = select_workloads(x, filter, extend);
	slots = select_slots(x, filter, extend, &out->slots);
	out->variants = skip_variant ? NULL : select_variants(x, filter);
	out->copies = select_copies(x, filter, extend);
	out->args = select_args(x, filter, extend);
	if (out->workloads == NULL || (out->variants == NULL && !skip_variant) || out->copies == NULL ||
		out->args == NULL)
		return SELECTED_ERROR;
	return slots;
}

bool expand_selected(const struct selection *selection, const struct cell_key *key)
{
	return selection->workloads[key->workload] && selection->slots[key->slot] &&
	       (selection->variants == NULL || selection->variants[key->variant]) &&
	       selection->copies[key->copies] && selection->args[key->args];
}

void expand_exclude(struct expansion *x)
{
	for (size_t i = 0; i < x->matrix->exclude_count; i++) {
		struct selection selection;
		size_t kept = 0;

		if (expand_select(x, &x->matrix->exclude[i], false, false, &selection) != SELECTED)
			continue;
		for (size_t k = 0; k < x->cells.n; k++)
			if (!expand_selected(&selection, &x->cells.v[k].key))
				x->cells.v[kept++] = x->cells.v[k];
		x->cells.n = kept;
	}
}
