#include "plan/expand.h"

#include <string.h>

enum { PARTS = 5 };

/* A part of "a/b/c" up to the next slash (args, the last one, may not hold any); moves text behind it. */
static size_t next_part(const char **text, const char **part)
{
	size_t length = strcspn(*text, "/");

	*part = *text;
	*text += length;
	if (**text == '/')
		(*text)++;
	return length;
}

static bool part_matches(const char *pattern, size_t pattern_length, const char *part, size_t part_length)
{
	char a[512], b[512];

	if (pattern_length == 0 || (pattern_length == 1 && *pattern == '*'))
		return true;
	if (pattern_length >= sizeof(a) || part_length >= sizeof(b))
		return false;
	memcpy(a, pattern, pattern_length);
	a[pattern_length] = '\0';
	memcpy(b, part, part_length);
	b[part_length] = '\0';
	return text_glob(a, b);
}

bool plan_cell_matches(const char *pattern, const char *cell)
{
	const char *want, *have;

	for (int i = 0; i < PARTS && *pattern != '\0'; i++) {
		size_t want_length = next_part(&pattern, &want), have_length = next_part(&cell, &have);

		if (!part_matches(want, want_length, have, have_length))
			return false;
	}
	return *pattern == '\0';
}

/* The names that part `at` of the cells has. */
static void part_words(const struct expansion *x, int at, struct words *names)
{
	switch (at) {
	case 0:
		for (size_t i = 0; i < x->workloads.n; i++)
			words_add(names, x->arena, x->workloads.v[i]->name);
		break;
	case 1:
		for (size_t i = 0; i < x->slots.n; i++)
			words_add(names, x->arena, x->slots.v[i].name);
		break;
	case 2:
		words_add_all(names, x->arena, &x->variants);
		break;
	case 3:
		for (size_t i = 0; i < x->copies.n; i++)
			words_addf(names, x->arena, "%u", x->copies.v[i].number);
		break;
	default:
		words_add_all(names, x->arena, &x->args);
		break;
	}
}

/* Says which part of a pattern that matches no cell is to blame. */
static void explain(struct expansion *x, const char *pattern)
{
	static const char *const what[PARTS] = {"workload in --only:", "toolchain in --only:",
		"variant in --only:", "number of copies in --only:", "args in --only:"};
	const struct spec_place nowhere = {NULL, 0, 0};
	const char *rest = pattern, *part;

	for (int i = 0; i < PARTS && *rest != '\0'; i++) {
		size_t length = next_part(&rest, &part);
		struct words names = {0};
		bool any = false;

		part_words(x, i, &names);
		for (size_t k = 0; k < names.n; k++)
			any = any || part_matches(part, length, names.v[k], strlen(names.v[k]));
		if (!any) {
			expand_unknown(x, nowhere, what[i], arena_strndup(x->arena, part, length), &names);
			return;
		}
	}
	if (*rest != '\0')
		spec_error(x->errors, nowhere,
			"--only `%s` has more than the five parts of a cell: "
			"workload/slot/variant/copies/args",
			pattern);
	else
		spec_error(x->errors, nowhere,
			"--only `%s` matches no cell: its parts exist, but the matrix has no cell with all "
			"of them; "
			"`flagstone plan` lists the cells",
			pattern);
}

void expand_only(struct expansion *x, const char *const *names, bool *keep)
{
	const struct words *only = &x->options->only;

	for (size_t p = 0; p < only->n; p++) {
		bool any = false;

		for (size_t i = 0; i < x->cells.n; i++) {
			if (!plan_cell_matches(only->v[p], names[i]))
				continue;
			keep[i] = true;
			any = true;
		}
		if (!any)
			explain(x, only->v[p]);
	}
}
