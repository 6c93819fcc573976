#include "code/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "code/claims.h"
#include "code/functions.h"
#include "code/image.h"
#include "code/linked.h"

static bool has_section(const struct image *image, unsigned type)
{
	for (size_t i = 1; i < image->section_count; i++)
		if (image->sections[i].header.sh_type == type)
			return true;
	return false;
}

/* Sections of code without bytes: split off debug information. */
static bool is_debug_only(const struct image *image)
{
	bool empty = false;

	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (image_is_code(section))
			return false;
		empty |= (section->header.sh_flags & SHF_EXECINSTR) != 0 && section->bytes == NULL;
	}
	return empty;
}

/* A library that can be started, as the C library, names itself; programs do not. */
static bool has_soname(const struct image *image)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		Elf_Data *data;
		GElf_Dyn entry;

		if (section->header.sh_type != SHT_DYNAMIC || section->bytes == NULL)
			continue;
		data = elf_getdata(section->scn, NULL);
		for (int k = 0;
			data != NULL && gelf_getdyn(data, k, &entry) != NULL && entry.d_tag != DT_NULL; k++)
			if (entry.d_tag == DT_SONAME)
				return true;
	}
	return false;
}

static void classify(const struct image *image, struct arena *arena, struct inspection *out)
{
	const struct code_info *info = &out->info;
	const char *kind, *link;

	for (size_t i = 1; i < image->section_count; i++) {
		out->intermediate |= image_is_intermediate(&image->sections[i]);
		out->code_yet |= image_is_code(&image->sections[i]) && image->sections[i].header.sh_size > 0;
	}
	out->stripped = !has_section(image, SHT_SYMTAB);
	out->pie = info->executable && image->header.e_type == ET_DYN;
	out->type = is_debug_only(image)		     ? INSPECT_DEBUG
		    : image->header.e_type == ET_REL	     ? INSPECT_OBJECT
		    : info->executable && !has_soname(image) ? INSPECT_PROGRAM
							     : INSPECT_LIBRARY;
	kind = out->type == INSPECT_DEBUG ? "debug information split off from a program or library"
	       : out->type == INSPECT_OBJECT
		       ? (!out->intermediate	 ? "object"
				 : out->code_yet ? "object with code and LTO's intermediate form"
						 : "object with LTO's intermediate form only: its "
						   "machine code is made at the link")
	       : out->type == INSPECT_LIBRARY ? "shared library"
	       : out->pie		      ? "program, position-independent (PIE)"
					      : "program at a fixed address (no PIE)";
	link = out->type != INSPECT_PROGRAM ? ""
	       : info->is_static	    ? ", statically linked"
					    : ", dynamically linked";
	out->what = arena_printf(arena, "%s%s%s", kind, link,
		out->type == INSPECT_DEBUG ? ""
		: out->stripped		   ? ", stripped"
					   : "");
}

static const char *first_digits(const void *bytes, size_t count, struct arena *arena)
{
	char hex[HASH_HEX];

	hash_bytes_hex(bytes, count, hex);
	return arena_strndup(arena, hex, 16);
}

static void read_sections(const struct image *image, struct arena *arena, struct inspection *out)
{
	size_t count = 0;

	for (size_t i = 1; i < image->section_count; i++)
		count += image_counts(&image->sections[i]);
	out->sections = arena_array(arena, count, sizeof(*out->sections));
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (!image_counts(section))
			continue;
		out->sections[out->section_count++] = (struct inspect_section){
			.name = arena_strndup(arena, section->name, strnlen(section->name, 256)),
			.size = section->header.sh_size,
			.hash = section->bytes != NULL
					? first_digits(section->bytes, section->header.sh_size, arena)
					: NULL,
			.code = image_is_code(section)};
	}
}

static int by_size(const void *left, const void *right)
{
	const struct inspect_function *a = left, *b = right;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (a->name == NULL || b->name == NULL)
		return a->name != NULL	 ? -1
		       : b->name != NULL ? 1
					 : (a->address > b->address) - (a->address < b->address);
	return strcmp(a->name, b->name);
}

static void linked_functions(const struct image *image, struct arena *arena, struct inspection *out)
{
	struct linked_functions linked;

	linked_read(image, arena, &linked);
	out->functions = arena_array(arena, linked.n, sizeof(*out->functions));
	out->function_count = linked.n;
	for (size_t i = 0; i < linked.n; i++)
		out->functions[i] = (struct inspect_function){.name = linked.v[i].name,
			.address = linked.v[i].address,
			.size = linked.v[i].size,
			.hash = linked.v[i].hash,
			.exact = linked.v[i].exact,
			.unfollowed = linked.v[i].unfollowed};
	if (linked.n > 0)
		qsort(out->functions, linked.n, sizeof(*out->functions), by_size);
	out->code_bytes = linked.code_bytes;
	out->covered_bytes = linked.covered_bytes;
	out->found_by = linked.found_by;
	out->rest = linked.rest;
	out->functions_unknown =
		linked.n == 0 ? "it has neither symbols nor unwinding tables" : linked.unhashed;
}

static void object_functions(const char *path, struct arena *arena, struct inspection *out)
{
	struct code_functions functions = {0};
	struct error e = {0};

	for (size_t i = 0; i < out->section_count; i++)
		out->code_bytes += out->sections[i].code ? out->sections[i].size : 0;
	out->found_by = "symbols";
	if (code_functions(&path, 1, NULL, arena, &functions, &e) != 0) {
		out->functions_unknown = arena_strdup(arena, e.text);
		return;
	}
	out->functions = arena_array(arena, functions.n, sizeof(*out->functions));
	out->function_count = functions.n;
	for (size_t i = 0; i < functions.n; i++) {
		out->functions[i] = (struct inspect_function){.name = functions.v[i].name,
			.size = functions.v[i].size,
			.hash = functions.v[i].hash};
		out->covered_bytes += functions.v[i].size;
	}
	if (out->covered_bytes > out->code_bytes)
		out->covered_bytes = out->code_bytes;
}

static void object_hashes(const char *path, struct arena *arena, struct inspection *out)
{
	struct error e = {0};

	if (code_hash_objects(&path, 1, out->objects_hash, &e) != 0)
		out->hash_unknown = arena_strdup(arena, e.text);
	e = (struct error){0};
	if (code_hash_unpadded(&path, 1, out->unpadded_hash, &e) != 0)
		out->unpadded_unknown = arena_strdup(arena, e.text);
}

/* Errors name the file that was read: a member of an archive has another name. */
static void rename_error(struct error *e, const char *path, const char *shown)
{
	const char *at;

	if (e == NULL || strcmp(path, shown) == 0 || (at = strstr(e->text, path)) == NULL)
		return;
	struct buf text = {0};

	buf_add(&text, e->text, (size_t)(at - e->text));
	buf_adds(&text, shown);
	buf_adds(&text, at + strlen(path));
	error_set(e, e->code, "%s", buf_text(&text));
	buf_release(&text);
}

static void rename_text(const char **text, const char *path, const char *shown, struct arena *arena)
{
	struct error e = {0};

	if (*text == NULL || strstr(*text, path) == NULL)
		return;
	error_set(&e, EXIT_CANNOT, "%s", *text);
	rename_error(&e, path, shown);
	*text = arena_strdup(arena, e.text);
}

int inspect_file(
	const char *path, const char *shown, struct arena *arena, struct inspection *out, struct error *e)
{
	struct image image;

	*out = (struct inspection){.path = shown};
	if (code_read(path, arena, &out->info, e) != 0 || image_open(path, arena, &image, e) != 0) {
		rename_error(e, path, shown);
		return -1;
	}
	classify(&image, arena, out);
	claims_read(&image, arena, out);
	read_sections(&image, arena, out);
	if (out->type == INSPECT_OBJECT) {
		object_functions(path, arena, out);
		object_hashes(path, arena, out);
	} else {
		linked_functions(&image, arena, out);
	}
	image_close(&image);
	if (code_isa(path, NULL, arena, &out->isa, e) != 0) {
		rename_error(e, path, shown);
		return -1;
	}
	rename_text(&out->functions_unknown, path, shown, arena);
	rename_text(&out->hash_unknown, path, shown, arena);
	rename_text(&out->unpadded_unknown, path, shown, arena);
	return 0;
}

/* One hash of all, or why one is missing. */
static void merge_hashes(const struct inspection *objects, size_t count, struct inspection *out)
{
	struct hash whole, unpadded;

	hash_init(&whole);
	hash_init(&unpadded);
	for (size_t i = 0; i < count; i++) {
		hash_add_field(&whole, objects[i].objects_hash);
		hash_add_field(&unpadded, objects[i].unpadded_hash);
		if (out->hash_unknown == NULL)
			out->hash_unknown = objects[i].hash_unknown;
		if (out->unpadded_unknown == NULL)
			out->unpadded_unknown = objects[i].unpadded_unknown;
	}
	hash_final_hex(&whole, out->objects_hash);
	hash_final_hex(&unpadded, out->unpadded_hash);
	hash_init(&whole);
	hash_add_field(&whole, out->path); /* equal members do not make equal archives */
	for (size_t i = 0; i < count; i++)
		hash_add_field(&whole, objects[i].info.file_hash);
	hash_final_hex(&whole, out->info.file_hash);
}

void inspect_merge(const char *path, const struct inspection *objects, size_t count, struct arena *arena,
	struct inspection *out)
{
	size_t n = 0;

	*out = objects[0];
	out->path = path;
	out->what = arena_printf(arena, "archive of %zu object%s", count, text_plural(count));
	out->isa = (struct code_isa){.machine = out->isa.machine, .unknown = "of several objects"};
	out->sections = NULL;
	out->section_count = 0;
	out->hash_unknown = out->unpadded_unknown = NULL;
	for (size_t i = 0; i < count; i++)
		n += objects[i].function_count;
	out->functions = arena_array(arena, n, sizeof(*out->functions));
	out->function_count = n;
	n = 0;
	for (size_t i = 0; i < count; i++) {
		if (objects[i].function_count > 0)
			memcpy(out->functions + n, objects[i].functions,
				objects[i].function_count * sizeof(*out->functions));
		n += objects[i].function_count;
		if (i == 0)
			continue;
		out->info.text_bytes += objects[i].info.text_bytes;
		out->info.rodata_bytes += objects[i].info.rodata_bytes;
		out->info.data_bytes += objects[i].info.data_bytes;
		out->info.bss_bytes += objects[i].info.bss_bytes;
	}
	merge_hashes(objects, count, out);
}

static const char *missing_sets(
	const struct inspection *inspection, const struct inspect_cpu *cpu, struct arena *arena, bool *untold)
{
	struct words missing = {0};

	*untold = false;
	for (size_t i = 0; i < inspection->isa.set_count; i++) {
		const struct code_isa_set *set = &inspection->isa.sets[i];
		const enum code_isa_has has =
			code_isa_cpu_has(inspection->isa.machine, set->name, cpu->flags, cpu->kernel);

		if (set->baseline)
			continue;
		if (has == ISA_LACKS)
			words_addf(&missing, arena, "%s (%s)", set->name,
				code_isa_example_text(&set->example, arena));
		*untold |= has == ISA_UNTOLD;
	}
	return missing.n > 0 ? words_between(&missing, ", ", arena) : NULL;
}

enum inspect_runs inspect_runs(const struct inspection *inspection, const struct inspect_cpu *cpu,
	struct arena *arena, const char **reason)
{
	const struct code_info *info = &inspection->info;
	const char *missing;
	bool untold;

	*reason = NULL;
	if (strcmp(info->machine, cpu->machine) != 0 &&
		!(strcmp(cpu->machine, "x86_64") == 0 && strcmp(info->machine, "i386") == 0)) {
		*reason =
			arena_printf(arena, "it is for %s, this machine is %s", info->machine, cpu->machine);
		return RUNS_NO;
	}
	if (info->interpreter != NULL && !file_exists(info->interpreter)) {
		*reason = arena_printf(arena, "its dynamic linker %s is not here", info->interpreter);
		return RUNS_NO;
	}
	if (inspection->isa.unknown != NULL || cpu->flags == NULL) {
		*reason = inspection->isa.unknown != NULL ? inspection->isa.unknown
							  : "the CPU's features are not known here";
		return RUNS_UNKNOWN;
	}
	missing = missing_sets(inspection, cpu, arena, &untold);
	if (missing != NULL && inspection->isa.dispatch != NULL) {
		*reason = arena_printf(arena,
			"some of it is for CPUs that this is not: %s; but it looks at the CPU before it uses "
			"them (%s)",
			missing, inspection->isa.dispatch);
		return RUNS_UNKNOWN;
	}
	if (missing != NULL) {
		*reason = arena_printf(arena, "this CPU lacks %s", missing);
		return RUNS_NO;
	}
	if (untold) {
		*reason = "the kernel has no name for one of its instruction sets";
		return RUNS_UNKNOWN;
	}
	return RUNS_YES;
}
