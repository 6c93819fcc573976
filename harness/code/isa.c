#include "code/isa.h"

#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "code/decode.h"
#include "code/isa_ranges.h"

/* What is gathered over one or more files. */
struct gather {
	struct arena *arena;
	const char *machine; /* NULL: no file yet */
	const char *unknown;
	struct decode_tally tally;
	struct code_isa_example examples[ISA_SET_COUNT]; /* text NULL: none yet */
	const char *dispatch, *bad_function;
	uint64_t code_bytes;
	bool by_symbols, by_frames, by_sections;
	struct x86_decoder *x86;
	struct a64_decoder *a64;
};

static void gather_init(struct gather *g, struct arena *arena)
{
	*g = (struct gather){.arena = arena, .tally = {.arena = arena}};
}

static void gather_release(struct gather *g)
{
	if (g->x86 != NULL)
		x86_decoder_free(g->x86);
	if (g->a64 != NULL)
		a64_decoder_free(g->a64);
}

/* NULL: a machine whose code is decoded here. */
static const char *machine_of(const struct image *image)
{
	if (image->header.e_machine == EM_X86_64)
		return "x86_64";
	if (image->header.e_machine == EM_AARCH64)
		return "aarch64";
	return NULL;
}

/* Gets the decoder of the file's machine; or says why it cannot be decoded. */
static void prepare(struct gather *g, const struct image *image)
{
	const char *machine = machine_of(image);

	if (g->unknown != NULL)
		return;
	if (machine == NULL)
		g->unknown = "only the code of x86-64 and aarch64 is decoded";
	else if (g->machine != NULL && strcmp(machine, g->machine) != 0)
		g->unknown = "the objects are of different machines";
	else if (machine[0] == 'x' && g->x86 == NULL && (g->x86 = x86_decoder_new()) == NULL)
		g->unknown = "built without Zydis";
	else if (machine[0] == 'a' && g->a64 == NULL)
		g->a64 = a64_decoder_new();
	if (machine != NULL)
		g->machine = machine;
}

/* Address of a section's first byte. */
static uint64_t base_of(const struct image *image, size_t section)
{
	return image->header.e_type == ET_REL ? 0 : image->sections[section].header.sh_addr;
}

static struct decode_run run_of(const struct image *image, const struct isa_range *range)
{
	const struct image_section *section = &image->sections[range->section];

	return (struct decode_run){.bytes = (const uint8_t *)section->bytes + range->begin,
		.size = range->end - range->begin,
		.address = base_of(image, range->section) + range->begin,
		.section = range->section};
}

static const struct isa_symbol *function_at(
	const struct image *image, const struct isa_ranges *ranges, const struct decode_place *place)
{
	return isa_ranges_function(ranges, place->section, place->address - base_of(image, place->section));
}

static const char *name_at(struct gather *g, const struct image *image, const struct isa_ranges *ranges,
	const struct decode_place *place)
{
	const struct isa_symbol *symbol = function_at(image, ranges, place);

	return symbol != NULL ? arena_strdup(g->arena, symbol->name) : NULL;
}

/* While the file is open: where the first instruction of each set stands that this file was the first to have. */
static void name_examples(struct gather *g, const struct image *image, const struct isa_ranges *ranges)
{
	for (size_t i = 0; i < ISA_SET_COUNT; i++) {
		const struct decode_found *found = &g->tally.sets[i];
		struct code_isa_example *example = &g->examples[i];
		const struct isa_symbol *function;

		if (found->count == 0 || example->text != NULL)
			continue;
		function = function_at(image, ranges, &found->first);
		*example = (struct code_isa_example){
			.section = arena_strdup(g->arena, image->sections[found->first.section].name),
			.address = found->first.address,
			.text = found->text};
		if (function == NULL)
			continue;
		example->function = arena_strdup(g->arena, function->name);
		example->offset =
			found->first.address - base_of(image, found->first.section) - function->at.begin;
	}
}

/*
 * Names that compilers give to a function's clones for several CPUs: "multiply.avx2", "multiply.arch_haswell.0",
 * "multiply.default", "multiply.resolver" (gcc, clang), "multiply._Mdotprod" (Arm's function multiversioning).
 */
static bool is_clone(const char *machine, const char *name)
{
	for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
		const size_t n = strcspn(dot + 1, ".");
		char part[32];

		if (dot == name || n == 0 || n >= sizeof(part))
			continue;
		memcpy(part, dot + 1, n);
		part[n] = '\0';
		if (strcmp(part, "resolver") == 0 || strcmp(part, "ifunc") == 0 ||
			strcmp(part, "default") == 0 || text_starts(part, "arch_") ||
			text_starts(part, "_M") || code_isa_name(machine, part) != NULL)
			return true;
	}
	return false;
}

/* A sign that the code chooses by the CPU it finds; the first one is kept. */
static void find_dispatch(struct gather *g, const struct image *image, const struct isa_ranges *ranges)
{
	const struct isa_symbol *asks;

	for (size_t i = 0; i < ranges->functions.n && g->dispatch == NULL; i++) {
		const struct isa_symbol *function = &ranges->functions.v[i];

		if (function->is_ifunc)
			g->dispatch = arena_printf(g->arena, "ifunc %s", function->name);
		else if (is_clone(g->machine, function->name))
			g->dispatch = arena_printf(g->arena, "clone %s", function->name);
	}
	if (g->dispatch == NULL && ranges->looks != NULL)
		g->dispatch = arena_printf(g->arena, "refers to %s", ranges->looks);
	if (g->dispatch != NULL || g->tally.probe.section == 0)
		return;
	asks = function_at(image, ranges, &g->tally.probe);
	g->dispatch =
		arena_printf(g->arena, "%s in %s", g->machine[0] == 'x' ? "cpuid" : "read of an ID register",
			asks != NULL ? asks->name : "unnamed code");
}

static uint64_t padding(struct gather *g, const struct decode_run *run)
{
	return g->x86 != NULL ? x86_padding(g->x86, run) : a64_padding(run);
}

/* Decodes what was found; what lies between counts as code that was not decoded, but for padding. */
static void decode(struct gather *g, const struct image *image, const struct isa_ranges *ranges)
{
	const bool was_bad = g->tally.bad_bytes > 0;

	for (size_t i = 0; i < ranges->code.n; i++) {
		const struct decode_run run = run_of(image, &ranges->code.v[i]);

		g->code_bytes += run.size;
		if (g->x86 != NULL)
			x86_decode(g->x86, &run, &g->tally);
		else
			a64_decode(g->a64, &run, &g->tally);
	}
	for (size_t i = 0; i < ranges->gaps.n; i++) {
		const struct decode_run run = run_of(image, &ranges->gaps.v[i]);

		g->code_bytes += run.size - padding(g, &run);
	}
	if (!was_bad && g->tally.bad_bytes > 0)
		g->bad_function = name_at(g, image, ranges, &g->tally.bad);
	name_examples(g, image, ranges);
	find_dispatch(g, image, ranges);
	/* a place of this file means nothing in the next one */
	g->tally.probe = (struct decode_place){0};
}

static bool has_intermediate(const struct image *image)
{
	for (size_t i = 1; i < image->section_count; i++)
		if (image_is_intermediate(&image->sections[i]))
			return true;
	return false;
}

static int gather_image(
	struct gather *g, const struct image *image, const struct isa_wanted *wanted, struct error *e)
{
	struct isa_ranges ranges;

	if (image->header.e_type == ET_REL && has_intermediate(image))
		g->unknown = "it is the compiler's intermediate form (LTO), its code is made at the link";
	prepare(g, image);
	if (g->unknown != NULL)
		return 0;
	if (isa_ranges_find(image, wanted, &ranges, e) != 0)
		return -1;
	g->by_symbols |= ranges.by_symbols;
	g->by_frames |= ranges.by_frames;
	g->by_sections |= ranges.by_sections;
	decode(g, image, &ranges);
	isa_ranges_release(&ranges);
	return 0;
}

static int gather_file(struct gather *g, const char *path, const struct isa_wanted *wanted, struct error *e)
{
	struct arena arena = {0};
	struct error why = {0};
	struct image image;
	bool intermediate = false;
	int result;

	if (image_open(path, &arena, &image, &why) != 0) {
		arena_release(&arena);
		/* LLVM's bitcode is no ELF, and no damaged one */
		if (code_is_intermediate(path, &intermediate, NULL) != 0 || !intermediate)
			return error_set(e, why.code, "%s", why.text);
		g->unknown = "it is the compiler's intermediate form (LTO), its code is made at the link";
		return 0;
	}
	result = gather_image(g, &image, wanted, e);
	image_close(&image);
	arena_release(&arena);
	return result;
}

static unsigned rank_of(const char *level)
{
	if (text_starts(level, "x86-64-v"))
		return (unsigned)(level[8] - '0');
	return level[5] == '.' ? (unsigned)(level[6] - '0') : 0;
}

static void fill_sets(const struct gather *g, struct code_isa *out)
{
	size_t count;
	const struct code_isa_name *names = code_isa_names(&count);
	struct words used = {0}, beyond = {0};

	out->level = g->machine[0] == 'x' ? "x86-64-v1" : "armv8-a";
	out->sets = arena_array(g->arena, count, sizeof(*out->sets));
	for (size_t i = 0; i < count; i++) {
		const struct code_isa_name *name = &names[i];

		if (g->tally.sets[i].count == 0)
			continue;
		out->sets[out->set_count++] = (struct code_isa_set){.name = name->name,
			.baseline = name->baseline,
			.level = name->level,
			.count = g->tally.sets[i].count,
			.example = g->examples[i]};
		if (name->level != NULL && rank_of(name->level) > rank_of(out->level))
			out->level = name->level;
		if (!name->baseline)
			words_add(&used, g->arena, name->name);
		if (name->level == NULL)
			words_add(&beyond, g->arena, name->name);
	}
	out->used = words_join(&used, g->arena);
	out->beyond = words_join(&beyond, g->arena);
}

static const char *found_by(const struct gather *g)
{
	static const char *const ways[] = {"nothing", "symbols", "exception tables",
		"symbols and exception tables", "sections", "symbols and sections",
		"exception tables and sections", "symbols, exception tables and sections"};

	return ways[(g->by_symbols ? 1 : 0) + (g->by_frames ? 2 : 0) + (g->by_sections ? 4 : 0)];
}

static void fill(const struct gather *g, bool named, struct code_isa *out)
{
	*out = (struct code_isa){.machine = g->machine, .unknown = g->unknown, .used = "", .beyond = ""};
	if (out->unknown == NULL && g->tally.instructions == 0)
		out->unknown = named ? "it has none of these functions" : "it has no code";
	if (out->unknown != NULL)
		return;
	fill_sets(g, out);
	out->vector_bits = g->tally.vector_bits;
	out->scalable = g->tally.scalable;
	out->dispatch = g->dispatch;
	out->instructions = g->tally.instructions;
	out->code_bytes = g->code_bytes;
	out->decoded_bytes = g->tally.decoded_bytes;
	out->bad_bytes = g->tally.bad_bytes;
	out->bad_function = g->bad_function;
	out->found_by = found_by(g);
}

static const struct words *sorted(const struct words *words, struct words *copy, struct arena *arena)
{
	if (words == NULL)
		return NULL;
	words_add_all(copy, arena, words);
	if (copy->n > 0)
		qsort(copy->v, copy->n, sizeof(*copy->v), text_compare);
	return copy;
}

int code_isa(const char *path, const struct code_isa_options *options, struct arena *arena,
	struct code_isa *out, struct error *e)
{
	struct words only = {0}, without = {0};
	struct isa_wanted wanted = {0};
	struct gather g;
	int result;

	if (options != NULL)
		wanted = (struct isa_wanted){.only = sorted(options->functions, &only, arena),
			.without = sorted(options->without, &without, arena),
			.sweep = options->sweep};
	gather_init(&g, arena);
	result = gather_file(&g, path, &wanted, e);
	if (result == 0)
		fill(&g, wanted.only != NULL, out);
	gather_release(&g);
	return result;
}

static int linked_names(const char *program, struct arena *arena, struct words *names, struct error *e)
{
	struct arena scratch = {0};
	struct image image;

	if (image_open(program, &scratch, &image, e) != 0) {
		arena_release(&scratch);
		return -1;
	}
	isa_ranges_names(&image, arena, names);
	image_close(&image);
	arena_release(&scratch);
	return 0;
}

int code_isa_objects(const char *const *paths, size_t count, const char *program, struct arena *arena,
	struct code_isa *out, struct error *e)
{
	struct words linked = {0};
	struct isa_wanted wanted = {0};
	struct gather g;
	int result = 0;

	if (program != NULL && linked_names(program, arena, &linked, e) != 0)
		return -1;
	if (linked.n > 0)
		wanted.linked = &linked;
	gather_init(&g, arena);
	for (size_t i = 0; i < count && result == 0; i++)
		result = gather_file(&g, paths[i], &wanted, e);
	if (result == 0)
		fill(&g, false, out);
	gather_release(&g);
	return result;
}
