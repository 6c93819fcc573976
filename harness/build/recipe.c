#include "build/recipe.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"

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
	words_add(argv, arena, "-O2");
	words_add_all(argv, arena, &shared->abi);
	words_addf(argv, arena, "-I%s", driver_folder);
	words_add(argv, arena, "-c");
	words_add(argv, arena, file_join(arena, driver_folder, "driver.c"));
	words_add(argv, arena, "-o");
	words_add(argv, arena, "driver.o");
}

void recipe_pad(const struct shared_objects *shared, size_t n, struct arena *arena, struct words *argv)
{
	words_add_all(argv, arena, &shared->toolchain->cc);
	words_add_all(argv, arena, &shared->abi);
	words_add(argv, arena, "-c");
	words_addf(argv, arena, "pad-%zu.s", n);
	words_add(argv, arena, "-o");
	words_addf(argv, arena, "pad-%zu.o", n);
}

/*
 * gcc puts main and constructors into .text.startup, hot and cold code into .text.hot and .text.unlikely, and the
 * linker sorts all of them ahead of .text: padding in .text alone would not move them.
 */
char *recipe_pad_source(size_t n, bool elf_sections, struct arena *arena)
{
	static const char *const text[] = {".text.unlikely", ".text.startup", ".text.hot", ".text"};
	static const char *const data[] = {".rodata,\"a\"", ".data,\"aw\"", ".bss,\"aw\",%nobits"};
	struct buf out = {0};
	unsigned size = (unsigned)PAD_SMALLEST << n;
	char *source;

	if (!elf_sections) {
		buf_addf(&out, "\t.text\n\t.skip %u, 0x90\n\t.data\n\t.skip %u\n", size, size);
	} else {
		for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
			buf_addf(&out, "\t.section %s,\"ax\"\n\t.skip %u\n", text[i], size);
		for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
			buf_addf(&out, "\t.section %s\n\t.skip %u\n", data[i], size);
		buf_adds(&out, "\t.section .note.GNU-stack,\"\"\n");
	}
	source = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return source;
}

/* Objects in the seed's order; each piece of padding stands before a random one of them, or behind all. */
static void shuffle_objects(const struct words *canonical, const struct shared_objects *shared,
	const char *seed, struct arena *arena, struct words *objects)
{
	size_t count = canonical->n;
	uint32_t *order = arena_array(arena, count, sizeof(*order));
	uint32_t pads[PAD_COUNT], before[PAD_COUNT];
	struct rng rng;

	rng_seed_text(&rng, seed);
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (size_t i = 0; i < PAD_COUNT; i++) {
		pads[i] = (uint32_t)i;
		before[i] = (uint32_t)rng_below(&rng, count + 1);
	}
	rng_shuffle(&rng, order, count);
	rng_shuffle(&rng, pads, PAD_COUNT);
	for (size_t i = 0; i <= count; i++) {
		for (size_t k = 0; k < PAD_COUNT; k++)
			if (before[k] == i)
				words_addf(objects, arena, "%s/pad-%u.o", shared->folder, pads[k]);
		if (i < count)
			words_add(objects, arena, canonical->v[order[i]]);
	}
}

void recipe_objects(const struct build *build, const struct shared_objects *shared,
	const struct words *lto_objects, const char *seed, struct arena *arena, struct words *objects)
{
	struct words canonical = {0};

	words_addf(&canonical, arena, "%s/driver.o", shared->folder);
	if (lto_objects != NULL && lto_objects->n > 0)
		words_add_all(&canonical, arena, lto_objects);
	for (size_t i = 0; i < build->workload->sources.n && (lto_objects == NULL || lto_objects->n == 0);
		i++)
		words_add(&canonical, arena, recipe_object(arena, i, build->workload->sources.v[i].text));
	if (seed == NULL)
		words_add_all(objects, arena, &canonical);
	else
		shuffle_objects(&canonical, shared, seed, arena, objects);
}

void recipe_link(const struct build *build, const struct shared_objects *shared, const char *seed,
	const char *output, struct arena *arena, struct words *argv)
{
	const struct spec_workload *workload = build->workload;
	bool cxx = false;

	for (size_t i = 0; i < workload->sources.n; i++)
		cxx |= is_cxx(workload, workload->sources.v[i].text);
	words_add_all(argv, arena, cxx ? &build->toolchain->cxx : &build->toolchain->cc);
	for (size_t i = 0; i < shared->abi.n; i++)
		if (!words_have(&build->ldflags, shared->abi.v[i]))
			words_add(argv, arena, shared->abi.v[i]);
	words_add_all(argv, arena, &build->ldflags);
	words_add_all(argv, arena, &workload->ldflags);
	words_add(argv, arena, "-o");
	words_add(argv, arena, output);
	recipe_objects(build, shared, NULL, seed, arena, argv);
	words_add_all(argv, arena, &workload->ldlibs);
}
