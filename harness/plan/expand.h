/*
 * expand.h - what a matrix is while it is expanded: five lists that span it, and the cells as indices into them.
 * Private to plan.
 *
 * Order of calls (plan.c): expand_lists, expand_product, expand_exclude, expand_include, then the cells are
 * sorted by their key and named. Every function that finds an error adds it and goes on, so that all are told
 * at once; who calls looks at errors->n.
 */
#ifndef FLAGSTONE_PLAN_EXPAND_H
#define FLAGSTONE_PLAN_EXPAND_H

#include "base/mem.h"
#include "plan/plan.h"

/* One number of copies and everything the matrix calls it: "2", "cpus". */
struct copies_choice {
	uint32_t number;
	const char *keyword; /* the first keyword that gave it, or NULL */
	struct words spellings;
};

/* A variant as cells have it: the matrix' own, one with an include's additional flags, or one an include made. */
struct flag_set {
	const struct spec_variant *variant;
	uint32_t order; /* of its name in expansion.variants */
};

/* A cell's place in the order of the plan; each member indexes the list of that name. */
struct cell_key {
	uint32_t workload, slot, variant, copies, args;
};

struct cell_seed {
	struct cell_key key;
	uint32_t flags; /* index into expansion.flags */
};

struct expansion {
	const struct spec_project *project;
	const struct spec_matrix *matrix;
	const struct toolchains *toolchains;
	const struct plan_options *options;
	struct arena *arena;
	struct spec_errors *errors;
	struct words *notes;

	/* The lists. What stands behind the first base.* of each was added by include. */
	VEC(const struct spec_workload *) workloads;
	VEC(struct toolchain_slot) slots;
	struct words variants; /* names */
	VEC(struct copies_choice) copies;
	struct words args; /* "" or sorted */
	struct {
		size_t workloads, slots, variants, copies, args;
	} base;

	VEC(struct flag_set) flags; /* the matrix' own variants first, in their order */
	VEC(struct cell_seed) cells;
};

void expansion_release(struct expansion *x);

/* lists.c: fills the lists from the matrix. */
void expand_lists(struct expansion *x);
/* Adds the workloads that a name, glob or tag:GLOB means and are not in the list. Returns how many it means. */
size_t expand_add_workloads(struct expansion *x, const char *word);
/* Is it the name of a slot that could exist somewhere: of a family, a user's toolchain or one found here? */
bool expand_slot_known(const struct expansion *x, const char *name);
/* The family that a slot's name belongs to, "" for an unknown name. */
const char *expand_slot_family(const struct expansion *x, const char *name);
/* Error: the word is unknown; there are the names, and the nearest. */
void expand_unknown(struct expansion *x, struct spec_place place, const char *what, const char *word,
	const struct words *names);
/* Slot, family and user's toolchain names, each once. */
void expand_slot_words(const struct expansion *x, struct words *names);
void expand_workload_words(const struct expansion *x, struct words *names);
void expand_add_copies(struct expansion *x, uint32_t number, const char *keyword);

/* args.c. Parameter lists come from spec checked and sorted by name. */
/* Why the workload cannot take these (sorted) args; NULL: it can. */
char *expand_args_reason(const struct spec_workload *workload, const char *args, struct arena *arena);
/* Errors for parameter names that no workload of the matrix takes. */
void expand_check_args(struct expansion *x, const char *args, struct spec_place place);

/* Fills x->cells with the product of the lists. False: too many, said. */
bool expand_product(struct expansion *x);
/* filter.c, include.c */
void expand_exclude(struct expansion *x);
void expand_include(struct expansion *x);

/* What a filter selects of each list: one bool an entry. */
struct selection {
	bool *workloads, *slots, *variants, *copies, *args;
};
enum selected {
	SELECTED,	 /* every list has a match */
	SELECTED_ABSENT, /* it names a toolchain that `all` did not find here: nothing to do */
	SELECTED_ERROR	 /* said */
};
/*
 * Matches a filter's members against the lists. With extend (include), a member that matches nothing but could
 * exist is added to its list. Members not given select all that the matrix itself lists. With skip_variant the
 * filter's variant and axes are left alone and variants is NULL.
 */
enum selected expand_select(struct expansion *x, const struct spec_filter *filter, bool extend,
	bool skip_variant, struct selection *out);
bool expand_selected(const struct selection *selection, const struct cell_key *key);

/* only.c: keep[i] for the cells that a --only pattern matches; patterns that match none are errors. */
void expand_only(struct expansion *x, const char *const *names, bool *keep);

/* reason.c: why a cell cannot exist here; everything is asked once. */
struct reasons;
struct reasons *reasons_new(struct expansion *x);
const char *reasons_ask(struct reasons *reasons, const struct cell_seed *cell);

#endif
