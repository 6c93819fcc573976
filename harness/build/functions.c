#include "build/functions.h"

#include "base/file.h"
#include "build/recipe.h"
#include "code/code.h"
#include "code/functions.h"

static const char source[] = "symbols of the workload's objects";

/* The objects that link-time optimisation left in BUILD/direct; NULL, or why there are none. */
static const char *lto_objects(const struct build *build, struct arena *arena, struct words *objects)
{
	const struct fact *way = facts_find(&build->facts, "build.layout_link");
	char *folder = file_join(arena, build->folder, "direct");
	struct words names = {0};

	if (way == NULL || way->value == NULL)
		return "link-time optimisation makes the code at the link, and no layout was linked";
	if (!text_starts(way->value, "linker"))
		return arena_printf(arena,
			"link-time optimisation makes the code at the link, and its objects cannot be had: "
			"%s",
			way->value);
	if (file_list(folder, arena, &names, NULL) == 0)
		for (size_t i = 0; i < names.n; i++)
			if (text_glob("program.ltrans*.ltrans.o", names.v[i]) ||
				text_glob("lto.o*", names.v[i]))
				words_add(objects, arena, file_join(arena, folder, names.v[i]));
	return objects->n > 0 ? NULL : "the objects that link-time optimisation made are gone";
}

const char *build_code_objects(const struct build *build, struct arena *arena, struct words *objects)
{
	struct error e = {0};
	bool lto = false;

	for (size_t i = 0; i < build->workload->sources.n; i++) {
		const char *name = recipe_object(arena, i, build->workload->sources.v[i].text);
		const char *path = file_join(arena, build->folder, name);
		bool intermediate;

		if (code_is_intermediate(path, &intermediate, &e) != 0)
			return arena_strdup(arena, e.text);
		lto |= intermediate;
		words_add(objects, arena, path);
	}
	if (!lto)
		return NULL;
	*objects = (struct words){0};
	return lto_objects(build, arena, objects);
}

void build_functions(const struct build *build, size_t most, struct arena *arena, struct facts *facts,
	struct record_function **functions, size_t *count)
{
	struct code_functions all = {0};
	struct words objects = {0};
	struct error e = {0};
	const char *reason = build_code_objects(build, arena, &objects);

	*functions = NULL;
	*count = 0;
	if (reason == NULL && code_functions((const char *const *)objects.v, objects.n, build->binary, arena,
				      &all, &e) != 0)
		reason = arena_strdup(arena, e.text);
	if (reason != NULL) {
		facts_unknown(facts, "build.functions", source, reason);
		return;
	}
	facts_setf(facts, "build.functions", source, "%zu", all.n);
	facts_set(facts, "build.function_hash", CODE_FUNCTION_HASH, "flagstone");
	*functions = all.v;
	*count = all.n < most ? all.n : most;
}
