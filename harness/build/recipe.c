#include "build/recipe.h"

#include <string.h>

#include "base/file.h"

void recipe_added_flags(const struct toolchain *toolchain, struct arena *arena, struct words *flags)
{
	if (toolchain->spec->style != STYLE_TCC)
		words_add(flags, arena, "-ffunction-sections");
}

bool recipe_is_lto(const struct build *build)
{
	return toolchain_flags_lto(build->toolchain, &build->cflags) ||
	       toolchain_flags_lto(build->toolchain, &build->ldflags);
}

/* Options that every compile gets: no paths of this machine in the code, no time of day. */
static void common(struct words *argv, const char *folder, const char *driver_folder, struct arena *arena,
	enum spec_family_style style)
{
	if (style == STYLE_TCC)
		return;
	words_addf(argv, arena, "-ffile-prefix-map=%s=.", folder);
	if (driver_folder != folder)
		words_addf(argv, arena, "-ffile-prefix-map=%s=driver", driver_folder);
	words_add(argv, arena, "-fno-diagnostics-color");
	if (style == STYLE_GCC) /* names of local symbols in LTO objects come from here */
		words_add(argv, arena, "-frandom-seed=flagstone");
}

char *recipe_object(struct arena *arena, size_t index, const char *source)
{
	const char *name = file_name(source);
	const char *dot = strrchr(name, '.');
	size_t n = dot != NULL ? (size_t)(dot - name) : strlen(name);

	return arena_printf(arena, "%02zu-%.*s.o", index, (int)n, name);
}

static bool is_cxx(const struct spec_workload *workload, const char *source)
{
	static const char *const suffixes[] = {".cc", ".cpp", ".cxx", ".C", ".c++"};

	if (workload->language != NULL)
		return strcmp(workload->language, "c++") == 0;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (text_ends(source, suffixes[i]))
			return true;
	return false;
}

void recipe_compile(const struct build *build, size_t index, const char *driver_folder, struct arena *arena,
	struct words *argv)
{
	const struct spec_workload *workload = build->workload;
	const char *source = workload->sources.v[index].text;
	bool cxx = is_cxx(workload, source);
	enum spec_family_style style = build->toolchain->spec->style;

	words_add_all(argv, arena, cxx ? &build->toolchain->cxx : &build->toolchain->cc);
	common(argv, workload->folder, driver_folder, arena, style);
	recipe_added_flags(build->toolchain, arena, argv);
	words_add_all(argv, arena, cxx ? &build->cxxflags : &build->cflags);
	words_add_all(argv, arena, cxx ? &workload->cxxflags : &workload->cflags);
	for (size_t i = 0; i < workload->defines.n; i++)
		words_addf(argv, arena, "-D%s", workload->defines.v[i]);
	for (size_t i = 0; i < workload->includes.n; i++)
		words_addf(argv, arena, "-I%s", file_join(arena, workload->folder, workload->includes.v[i]));
	words_addf(argv, arena, "-I%s", driver_folder);
	if (workload->language != NULL && style != STYLE_TCC) {
		words_add(argv, arena, "-x");
		words_add(argv, arena, workload->language);
	}
	words_add(argv, arena, "-c");
	words_add(argv, arena, file_join(arena, workload->folder, source));
	words_add(argv, arena, "-o");
	words_add(argv, arena, recipe_object(arena, index, source));
}

void recipe_driver(const struct shared_objects *shared, const char *driver_folder, struct arena *arena,
	struct words *argv)
{
	words_add_all(argv, arena, &shared->toolchain->cc);
	common(argv, driver_folder, driver_folder, arena, shared->toolchain->spec->style);
	recipe_added_flags(shared->toolchain, arena, argv);
	words_add(argv, arena, "-O2");
	words_add_all(argv, arena, &shared->abi);
	words_addf(argv, arena, "-I%s", driver_folder);
	words_add(argv, arena, "-c");
	words_add(argv, arena, file_join(arena, driver_folder, "driver.c"));
	words_add(argv, arena, "-o");
	words_add(argv, arena, "driver.o");
}

void recipe_pad(const struct shared_objects *shared, enum pad_kind kind, size_t n, struct arena *arena,
	struct words *argv)
{
	const char *name = placement_pad_name(kind, n, arena);

	words_add_all(argv, arena, &shared->toolchain->cc);
	words_add_all(argv, arena, &shared->abi);
	words_add(argv, arena, "-c");
	words_addf(argv, arena, "%s.s", name);
	words_add(argv, arena, "-o");
	words_addf(argv, arena, "%s.o", name);
}

void recipe_objects(const struct build *build, const struct shared_objects *shared,
	const struct words *lto_objects, struct arena *arena, struct words *objects)
{
	words_addf(objects, arena, "%s/driver.o", shared->folder);
	if (lto_objects != NULL && lto_objects->n > 0)
		words_add_all(objects, arena, lto_objects);
	for (size_t i = 0; i < build->workload->sources.n && (lto_objects == NULL || lto_objects->n == 0);
		i++)
		words_add(objects, arena, recipe_object(arena, i, build->workload->sources.v[i].text));
}

void recipe_compile_flags(const struct build *build, struct arena *arena, struct words *flags)
{
	const struct spec_workload *workload = build->workload;
	bool cxx = workload->sources.n > 0;

	for (size_t i = 0; i < workload->sources.n; i++)
		cxx &= is_cxx(workload, workload->sources.v[i].text);
	words_add_all(flags, arena, cxx ? &build->cxxflags : &build->cflags);
	words_add_all(flags, arena, cxx ? &workload->cxxflags : &workload->cflags);
}

void recipe_link_flags(const struct build *build, const struct shared_objects *shared, struct arena *arena,
	struct words *flags)
{
	for (size_t i = 0; i < shared->abi.n; i++)
		if (!words_have(&build->ldflags, shared->abi.v[i]))
			words_add(flags, arena, shared->abi.v[i]);
	if (recipe_is_lto(build)) /* the code is made here */
		recipe_added_flags(build->toolchain, arena, flags);
	words_add_all(flags, arena, &build->ldflags);
	words_add_all(flags, arena, &build->workload->ldflags);
}

void recipe_link(const struct build *build, const struct shared_objects *shared,
	const struct placement *placement, const char *output, struct arena *arena, struct words *argv)
{
	const struct spec_workload *workload = build->workload;
	bool cxx = false;

	for (size_t i = 0; i < workload->sources.n; i++)
		cxx |= is_cxx(workload, workload->sources.v[i].text);
	words_add_all(argv, arena, cxx ? &build->toolchain->cxx : &build->toolchain->cc);
	recipe_link_flags(build, shared, arena, argv);
	words_add(argv, arena, "-o");
	words_add(argv, arena, output);
	if (placement == NULL) {
		recipe_objects(build, shared, NULL, arena, argv);
	} else {
		for (size_t i = 0; i < placement->options.n; i++)
			words_addf(argv, arena, "-Wl,%s", placement->options.v[i]);
		words_add_all(argv, arena, &placement->objects);
	}
	words_add_all(argv, arena, &workload->ldlibs);
}
