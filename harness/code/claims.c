#include "code/claims.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "code/dwarf.h"
#include "code/notes.h"

/*
 * Sources: gcc's manual on -grecord-gcc-switches and -frecord-gcc-switches, clang's on -grecord-command-line; the section
 * .gnu.lto_.opts of gcc's lto-wrapper.
 */

enum { LINES_MOST = 32, LINE_LONGEST = 4096 };

typedef VEC(struct inspect_claim) claims;

static const char of_object[] =
	"the compiler that made this object, as it calls itself; its flags are not told";
static const char of_linked[] =
	"every compiler that made a part of it, the C library's start files too; which part is not told";
static const char of_unit[] = "written by the compiler for each source";
static const char of_unit_flags[] =
	"written by gcc for each source: the flags that act on code, with what it resolved -march=native to";
static const char of_lines[] = "written by the compiler because it was asked to; a link keeps each text once";
static const char of_lto[] = "written by gcc for the link: the flags that link-time optimisation will use";

/* Flags stand behind the version: " -O2". */
static bool has_flags(const char *producer)
{
	return strstr(producer, " -") != NULL;
}

static void add_comments(const struct image *image, struct arena *arena, claims *all)
{
	struct words comments = {0};

	notes_comments(image, arena, &comments);
	for (size_t i = 0; i < comments.n; i++)
		vec_push(all, (struct inspect_claim){.text = comments.v[i],
				      .source = ".comment",
				      .belief = image->header.e_type == ET_REL ? of_object : of_linked});
}

static void add_units(const struct image *image, struct arena *arena, claims *all, struct inspection *out)
{
	struct dwarf_producers producers;

	dwarf_read(image, arena, &producers);
	for (size_t i = 0; i < producers.n; i++) {
		const bool flags = has_flags(producers.v[i].text);

		vec_push(all, (struct inspect_claim){.text = producers.v[i].text,
				      .flags = flags,
				      .source = "DW_AT_producer",
				      .units = producers.v[i].units,
				      .belief = flags ? of_unit_flags : of_unit});
	}
	out->units = producers.units;
	out->silent_units = producers.silent;
	out->debug_problem = producers.problem;
	out->debug = producers.units > 0 || producers.problem != NULL;
}

/* Texts of a section, each once. */
static void add_lines(const struct image_section *section, const char *source, const char *belief,
	struct arena *arena, claims *all)
{
	const uint64_t size = section->header.sh_size;
	const size_t first = all->n;

	for (uint64_t at = 0; at < size && all->n - first < LINES_MOST;) {
		const size_t length = strnlen(section->bytes + at, size - at);
		const char *text = arena_strndup(
			arena, section->bytes + at, length < LINE_LONGEST ? length : LINE_LONGEST);
		bool seen = length == 0;

		for (size_t i = first; i < all->n && !seen; i++)
			seen = strcmp(all->v[i].text, text) == 0;
		if (!seen)
			vec_push(all,
				(struct inspect_claim){
					.text = text, .flags = true, .source = source, .belief = belief});
		at += length + 1;
	}
}

void claims_read(const struct image *image, struct arena *arena, struct inspection *out)
{
	claims all = {0};

	add_comments(image, arena, &all);
	add_units(image, arena, &all, out);
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->bytes == NULL || (section->header.sh_flags & SHF_COMPRESSED) != 0)
			continue;
		if (strcmp(section->name, ".GCC.command.line") == 0)
			add_lines(section, ".GCC.command.line", of_lines, arena, &all);
		else if (text_starts(section->name, ".gnu.lto_.opts"))
			add_lines(section, ".gnu.lto_.opts", of_lto, arena, &all);
	}
	out->claims = arena_array(arena, all.n, sizeof(*out->claims));
	out->claim_count = all.n;
	if (all.n > 0)
		memcpy(out->claims, all.v, all.n * sizeof(*out->claims));
	vec_release(&all);
}
