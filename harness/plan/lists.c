#include "plan/expand.h"

#include <string.h>

void expansion_release(struct expansion *x)
{
	vec_release(&x->workloads);
	vec_release(&x->slots);
	vec_release(&x->copies);
	vec_release(&x->flags);
	vec_release(&x->cells);
}

void expand_unknown(struct expansion *x, struct spec_place place, const char *what, const char *word,
	const struct words *names)
{
	enum { SHOWN = 40 };
	const char *nearest = text_nearest(word, (const char *const *)names->v, names->n);
	struct buf list = {0};

	for (size_t i = 0; i < names->n && i < SHOWN; i++)
		buf_addf(&list, "%s%s", i > 0 ? ", " : "", names->v[i]);
	if (names->n > SHOWN)
		buf_addf(&list, " and %zu more", names->n - SHOWN);
	if (names->n == 0)
		buf_adds(&list,
			strcmp(what, "toolchain") == 0 && x->project->family_count == 0
				? "none, since toolchains/*.yaml are neither in the project nor installed"
				: "none");
	if (nearest != NULL)
		buf_addf(&list, "; did you mean `%s`?", nearest);
	spec_error(x->errors, place, "unknown %s `%.80s`; known here: %s", what, word, buf_text(&list));
	buf_release(&list);
}

static void add_new(struct words *words, struct arena *arena, const char *word)
{
	if (!words_have(words, word))
		words_add(words, arena, word);
}

void expand_workload_words(const struct expansion *x, struct words *names)
{
	for (size_t i = 0; i < x->project->workload_count; i++)
		words_add(names, x->arena, x->project->workloads[i].name);
}

static void tag_words(const struct expansion *x, struct words *names)
{
	for (size_t i = 0; i < x->project->workload_count; i++) {
		const struct words *tags = &x->project->workloads[i].tags;

		for (size_t k = 0; k < tags->n; k++)
			add_new(names, x->arena, arena_printf(x->arena, "tag:%s", tags->v[k]));
	}
}

void expand_slot_words(const struct expansion *x, struct words *names)
{
	for (size_t i = 0; i < x->slots.n; i++)
		add_new(names, x->arena, x->slots.v[i].name);
	for (size_t i = 0; i < x->toolchains->n; i++)
		for (size_t k = 0; k < x->toolchains->v[i]->slots.n; k++)
			add_new(names, x->arena, x->toolchains->v[i]->slots.v[k]);
	for (size_t i = 0; i < x->project->toolchain_count; i++)
		add_new(names, x->arena, x->project->toolchains[i].name);
	for (size_t i = 0; i < x->project->family_count; i++)
		add_new(names, x->arena, x->project->families[i].name);
}

const char *expand_slot_family(const struct expansion *x, const char *name)
{
	const char *best = "";

	for (size_t i = 0; i < x->project->toolchain_count; i++)
		if (strcmp(x->project->toolchains[i].name, name) == 0)
			return x->project->toolchains[i].family.text;
	for (size_t i = 0; i < x->project->family_count; i++) {
		const char *family = x->project->families[i].name;
		size_t length = strlen(family);

		if (text_starts(name, family) && (name[length] == '\0' || name[length] == '-') &&
			length > strlen(best))
			best = family;
	}
	return best;
}

bool expand_slot_known(const struct expansion *x, const char *name)
{
	struct words names = {0};

	if (expand_slot_family(x, name)[0] != '\0')
		return true;
	expand_slot_words(x, &names);
	return words_have(&names, name);
}

static bool workload_listed(const struct expansion *x, const struct spec_workload *workload)
{
	for (size_t i = 0; i < x->workloads.n; i++)
		if (x->workloads.v[i] == workload)
			return true;
	return false;
}

static bool workload_meant(const struct spec_workload *workload, const char *word)
{
	if (!text_starts(word, "tag:"))
		return text_glob(word, workload->name);
	for (size_t i = 0; i < workload->tags.n; i++)
		if (text_glob(word + strlen("tag:"), workload->tags.v[i]))
			return true;
	return false;
}

size_t expand_add_workloads(struct expansion *x, const char *word)
{
	size_t meant = 0;

	for (size_t i = 0; i < x->project->workload_count; i++) {
		const struct spec_workload *workload = &x->project->workloads[i];

		if (!workload_meant(workload, word))
			continue;
		meant++;
		if (!workload_listed(x, workload))
			vec_push(&x->workloads, workload);
	}
	return meant;
}

static void list_workloads(struct expansion *x)
{
	for (size_t i = 0; i < x->matrix->workloads.n; i++) {
		const struct spec_word *word = &x->matrix->workloads.v[i];
		bool tag = text_starts(word->text, "tag:");
		struct words names = {0};

		if (expand_add_workloads(x, word->text) > 0)
			continue;
		if (tag)
			tag_words(x, &names);
		else
			expand_workload_words(x, &names);
		expand_unknown(x, word->place, tag ? "tag" : "workload", word->text, &names);
	}
}

static void add_slot(struct expansion *x, const char *name)
{
	struct toolchain_slot slot = toolchains_slot(x->toolchains, x->project, name, x->arena);

	for (size_t i = 0; i < x->slots.n; i++) {
		const struct toolchain_slot *other = &x->slots.v[i];

		if (strcmp(other->name, name) == 0)
			return;
		if (slot.toolchain != NULL && other->toolchain == slot.toolchain)
			words_addf(x->notes, x->arena, "slots %s and %s are the same compiler (%s %s)",
				other->name, name, slot.toolchain->family, slot.toolchain->version);
	}
	slot.name = arena_strdup(x->arena, name);
	vec_push(&x->slots, slot);
}

static void list_slots(struct expansion *x)
{
	struct words all = {0};

	if (x->matrix->all_toolchains) {
		toolchains_all_slots(x->toolchains, x->arena, &all);
		if (all.n == 0)
			spec_error(x->errors, x->matrix->place,
				"`toolchains: [all]` finds no compiler that makes programs for this machine; "
				"install one, such as gcc, or look at PATH");
	}
	for (size_t i = 0; i < all.n; i++)
		add_slot(x, all.v[i]);
	for (size_t i = 0; i < x->matrix->slots.n; i++) {
		const struct spec_word *word = &x->matrix->slots.v[i];
		struct words names = {0};

		if (expand_slot_known(x, word->text)) {
			add_slot(x, word->text);
			continue;
		}
		expand_slot_words(x, &names);
		expand_unknown(x, word->place, "toolchain", word->text, &names);
	}
}

/*
 * A word that no slot, family or toolchain answers to would switch a variant off in silence. `none` is spec's
 * word for axis values that are for different toolchains.
 */
static void check_only(
	struct expansion *x, const struct spec_words *only, const struct words *names, struct words *told)
{
	for (size_t i = 0; i < only->n; i++) {
		const char *word = only->v[i].text;
		bool found =
			strcmp(word, "none") == 0 || words_have(told, word) || expand_slot_known(x, word);

		for (size_t k = 0; k < names->n && !found; k++)
			found = text_glob(word, names->v[k]);
		if (found)
			continue;
		expand_unknown(x, only->v[i].place, "toolchain", word, names);
		words_add(told, x->arena, word); /* a product of axes repeats it many times */
	}
}

static void list_variants(struct expansion *x)
{
	struct words names = {0}, told = {0};
	const struct spec_word *checked = NULL;

	expand_slot_words(x, &names);
	for (size_t i = 0; i < x->matrix->variant_count; i++) {
		const struct spec_variant *variant = &x->matrix->variants[i];

		words_add(&x->variants, x->arena, variant->name);
		vec_push(&x->flags, (struct flag_set){variant, (uint32_t)i});
		if (variant->only.v != checked) /* products share the list */
			check_only(x, &variant->only, &names, &told);
		checked = variant->only.v;
	}
}

void expand_add_copies(struct expansion *x, uint32_t number, const char *keyword)
{
	struct copies_choice *choice = NULL;

	for (size_t i = 0; i < x->copies.n; i++)
		if (x->copies.v[i].number == number)
			choice = &x->copies.v[i];
	if (choice == NULL) {
		vec_push(&x->copies, (struct copies_choice){.number = number});
		choice = &x->copies.v[x->copies.n - 1];
		words_addf(&choice->spellings, x->arena, "%u", number);
	} else {
		const char *other = choice->keyword != NULL ? choice->keyword : choice->spellings.v[0];

		if (keyword != NULL || choice->keyword != NULL)
			words_addf(x->notes, x->arena,
				"copies: %s and %s are both %u on this machine; these cells are kept once",
				other, keyword != NULL ? keyword : choice->spellings.v[0], number);
	}
	if (keyword == NULL)
		return;
	add_new(&choice->spellings, x->arena, keyword);
	if (choice->keyword == NULL)
		choice->keyword = keyword;
}

static void list_copies(struct expansion *x)
{
	for (size_t i = 0; i < x->matrix->copies_count; i++) {
		const struct spec_copies *copies = &x->matrix->copies[i];

		if (copies->kind == COPIES_CPUS)
			expand_add_copies(x, x->options->cpus > 0 ? x->options->cpus : 1, "cpus");
		else if (copies->kind == COPIES_CORES)
			expand_add_copies(x, x->options->cores > 0 ? x->options->cores : 1, "cores");
		else
			expand_add_copies(x, copies->number, NULL);
	}
	if (x->copies.n == 0)
		expand_add_copies(x, 1, NULL);
}

static void list_args(struct expansion *x)
{
	for (size_t i = 0; i < x->matrix->args.n; i++) {
		expand_check_args(x, x->matrix->args.v[i].text, x->matrix->args.v[i].place);
		words_add(&x->args, x->arena, x->matrix->args.v[i].text);
	}
	if (x->args.n == 0)
		words_add(&x->args, x->arena, "");
}

void expand_lists(struct expansion *x)
{
	list_workloads(x);
	list_slots(x);
	list_variants(x);
	list_copies(x);
	list_args(x);
	x->base.workloads = x->workloads.n;
	x->base.slots = x->slots.n;
	x->base.variants = x->variants.n;
	x->base.copies = x->copies.n;
	x->base.args = x->args.n;
}
