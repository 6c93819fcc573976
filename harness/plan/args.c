#include "plan/expand.h"

#include <string.h>

/* The names in "m=2,n=4", whose form spec has checked. */
static void parameter_names(struct words *names, struct arena *arena, const char *args)
{
	while (*args != '\0') {
		words_add(names, arena, arena_strndup(arena, args, strcspn(args, "=")));
		args += strcspn(args, ",");
		args += *args == ',';
	}
}

char *expand_args_reason(const struct spec_workload *workload, const char *args, struct arena *arena)
{
	struct words names = {0};

	parameter_names(&names, arena, args);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.v[i];

		if (!words_have(&workload->parameter_names, name))
			return arena_printf(arena, "the workload takes no parameter %s; it takes %s", name,
				workload->parameter_names.n > 0
					? words_join(&workload->parameter_names, arena)
					: "none");
	}
	return NULL;
}

static bool any_takes(const struct expansion *x, const char *name, struct words *known)
{
	bool taken = false;

	for (size_t i = 0; i < x->workloads.n; i++) {
		const struct words *names = &x->workloads.v[i]->parameter_names;

		taken = taken || words_have(names, name);
		for (size_t k = 0; k < names->n; k++)
			if (!words_have(known, names->v[k]))
				words_add(known, x->arena, names->v[k]);
	}
	return taken;
}

void expand_check_args(struct expansion *x, const char *args, struct spec_place place)
{
	struct words names = {0};

	parameter_names(&names, x->arena, args);
	for (size_t i = 0; i < names.n; i++) {
		struct words known = {0};

		if (!any_takes(x, names.v[i], &known))
			expand_unknown(x, place, "parameter of the matrix' workloads", names.v[i], &known);
	}
}
