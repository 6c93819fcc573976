#include "code/dwarf.h"

#include <string.h>

#include "base/text.h"
#include "code/dwarf_bytes.h"
#include "code/dwarf_forms.h"

enum {
	PRODUCERS_MOST = 32,
	SECTIONS_MOST = 16, /* .debug_info outside of groups: usually one */
	PASSES = 16	    /* over the file */
};

/* DWARF 5, 7.5.3 and 7.5.4. */
enum { AT_NAME = 0x03, AT_PRODUCER = 0x25, AT_COMP_DIR = 0x1b, AT_STR_OFFSETS_BASE = 0x72 };
enum { UNIT_TYPE = 2, UNIT_SKELETON = 4, UNIT_SPLIT_COMPILE = 5, UNIT_SPLIT_TYPE = 6 };
enum { TAG_COMPILE_UNIT = 0x11, TAG_SKELETON_UNIT = 0x4a };
struct reading {
	const struct image *image;
	struct arena *arena;
	struct dwarf_producers *out;
	struct dwarf_bytes abbrev, str_offsets;
	struct dwarf_strings strings;
	uint64_t left; /* bytes that may still be looked at */
};

struct entry {
	struct dwarf_string name, producer, folder;
	uint64_t str_offsets_base;
	bool has_base;
};

static const char *index_text(
	struct reading *r, const struct dwarf_head *head, const struct entry *entry, uint64_t index)
{
	/* without a base: behind the table's own head (DWARF 5), or from its start (GNU's form before) */
	const uint64_t base = entry->has_base	       ? entry->str_offsets_base
			      : head->version < 5      ? 0
			      : head->offset_size == 8 ? 16
						       : 8;
	struct dwarf_cursor cursor = {.bytes = &r->str_offsets, .end = r->str_offsets.n};

	if (r->str_offsets.v == NULL || index > r->str_offsets.n)
		return NULL;
	dwarf_skip(&cursor, base);
	dwarf_skip(&cursor, index * head->offset_size);
	return cursor.bad ? NULL : dwarf_text(&r->strings.str, dwarf_offset(&cursor, head->offset_size));
}

/* Borrowed, at most DWARF_TEXT_MOST bytes; NULL: there is none. */
static const char *find_text(struct reading *r, const struct dwarf_head *head, const struct entry *entry,
	const struct dwarf_string *text)
{
	return text->indexed ? index_text(r, head, entry, text->index) : text->at;
}

static const char *keep_text(struct reading *r, const struct dwarf_head *head, const struct entry *entry,
	const struct dwarf_string *text)
{
	const char *found = find_text(r, head, entry, text);

	return found != NULL ? arena_strndup(r->arena, found, strnlen(found, DWARF_TEXT_MOST)) : NULL;
}

/* Files that let many units refer to the same things are hostile: false. */
static bool spend(struct reading *r, uint64_t bytes)
{
	if (bytes > r->left) {
		r->left = 0;
		return false;
	}
	r->left -= bytes;
	return true;
}

static const char too_often[] = "its units refer to the same things too often";

/* Attributes of the unit's first entry, by its abbreviation at `abbrev`. */
static const char *read_attributes(struct reading *r, struct dwarf_cursor *cursor,
	struct dwarf_cursor *abbrev, const struct dwarf_head *head, struct entry *entry)
{
	for (;;) {
		const size_t from = abbrev->at;
		const uint64_t attribute = dwarf_leb(abbrev), form = dwarf_leb(abbrev);
		struct dwarf_string ignored = {0}, *text;
		uint64_t number = 0;

		if (abbrev->bad)
			return "its abbreviations are cut";
		if (!spend(r, abbrev->at - from))
			return too_often;
		if (attribute == 0 && form == 0)
			return NULL;
		if (form == DWARF_IMPLICIT_CONST)
			(void)dwarf_leb(abbrev);
		text = attribute == AT_NAME	  ? &entry->name
		       : attribute == AT_PRODUCER ? &entry->producer
		       : attribute == AT_COMP_DIR ? &entry->folder
						  : &ignored;
		if (!dwarf_value(&r->strings, cursor, form, head, text, &number))
			return "it has a form of attribute that is not known here";
		if (cursor->bad)
			return "a unit of it is cut";
		if (attribute == AT_STR_OFFSETS_BASE) {
			entry->has_base = true;
			entry->str_offsets_base = number;
		}
	}
}

static void skip_abbreviation(struct dwarf_cursor *abbrev)
{
	uint64_t attribute, form;

	do {
		attribute = dwarf_leb(abbrev);
		form = dwarf_leb(abbrev);
		if (form == DWARF_IMPLICIT_CONST)
			(void)dwarf_leb(abbrev);
	} while (!abbrev->bad && (attribute != 0 || form != 0));
}

/* Leads the cursor to the attributes of the abbreviation with this number; its tag, 0: there is none. */
static uint64_t find_abbreviation(struct reading *r, struct dwarf_cursor *abbrev, uint64_t code)
{
	while (!abbrev->bad) {
		const size_t from = abbrev->at;
		const uint64_t found = dwarf_leb(abbrev), tag = dwarf_leb(abbrev);

		if (found == 0)
			return 0;
		dwarf_skip(abbrev, 1); /* has children */
		if (found == code)
			return abbrev->bad ? 0 : tag;
		skip_abbreviation(abbrev);
		if (!spend(r, abbrev->at - from))
			return 0;
	}
	return 0;
}

static void add_producer(struct reading *r, const struct dwarf_head *head, const struct entry *entry)
{
	struct dwarf_producers *out = r->out;
	const char *text = find_text(r, head, entry, &entry->producer);
	const size_t length = text != NULL ? strnlen(text, DWARF_TEXT_MOST) : 0;

	out->units++;
	if (!spend(r, length))
		return;
	for (size_t i = 0; text != NULL && i < out->n; i++) {
		if (strlen(out->v[i].text) == length && memcmp(out->v[i].text, text, length) == 0) {
			out->v[i].units++;
			return;
		}
	}
	if (text == NULL || out->n == PRODUCERS_MOST) {
		out->silent++;
		return;
	}
	out->v[out->n++] = (struct dwarf_producer){.text = arena_strndup(r->arena, text, length),
		.source = keep_text(r, head, entry, &entry->name),
		.folder = keep_text(r, head, entry, &entry->folder),
		.units = 1};
}

/* One unit whose bytes are [cursor->at, cursor->end), behind its length. */
static const char *read_unit(struct reading *r, struct dwarf_cursor *cursor, size_t offset_size)
{
	struct dwarf_head head = {.offset_size = offset_size, .version = (unsigned)dwarf_number(cursor, 2)};
	struct dwarf_cursor abbrev = {.bytes = &r->abbrev, .end = r->abbrev.n};
	struct entry entry = {0};
	uint64_t kind = 0, abbrev_at, tag, code;
	const char *problem;

	if (cursor->bad || head.version < 2 || head.version > 5)
		return "a unit's version is none of 2 to 5";
	if (head.version == 5) {
		kind = dwarf_number(cursor, 1);
		head.address_size = (unsigned)dwarf_number(cursor, 1);
	}
	abbrev_at = dwarf_offset(cursor, offset_size);
	if (head.version < 5)
		head.address_size = (unsigned)dwarf_number(cursor, 1);
	if (kind == UNIT_TYPE || kind == UNIT_SPLIT_TYPE)
		return NULL; /* of types: compiled as the unit beside it */
	if (kind == UNIT_SKELETON || kind == UNIT_SPLIT_COMPILE)
		dwarf_skip(cursor, 8);
	code = dwarf_leb(cursor);
	dwarf_skip(&abbrev, abbrev_at);
	tag = code != 0 && r->abbrev.v != NULL ? find_abbreviation(r, &abbrev, code) : 0;
	if (cursor->bad || tag == 0)
		return code == 0 && !cursor->bad ? NULL : "a unit's abbreviation is not there";
	if (tag != TAG_COMPILE_UNIT && tag != TAG_SKELETON_UNIT)
		return NULL;
	problem = read_attributes(r, cursor, &abbrev, &head, &entry);
	if (problem == NULL)
		add_producer(r, &head, &entry);
	return problem;
}

static const char *read_units(struct reading *r, const struct dwarf_bytes *info)
{
	struct dwarf_cursor cursor = {.bytes = info, .end = info->n};

	while (cursor.at < info->n) {
		size_t offset_size = 4;
		uint64_t length = dwarf_number(&cursor, 4);
		struct dwarf_cursor unit;
		const char *problem;

		if (length == 0xFFFFFFFF) {
			length = dwarf_number(&cursor, 8);
			offset_size = 8;
		}
		if (cursor.bad || length > info->n - cursor.at)
			return "a unit ends behind the section";
		unit = (struct dwarf_cursor){.bytes = info, .at = cursor.at, .end = cursor.at + length};
		problem = read_unit(r, &unit, offset_size);
		if (problem != NULL)
			return problem;
		if (r->left == 0)
			return too_often;
		cursor.at += length;
	}
	return NULL;
}

static bool is_named(const struct image_section *section, const char *name)
{
	return strcmp(section->name, name) == 0 ||
	       (text_starts(section->name, ".zdebug") && strcmp(section->name + 2, name + 1) == 0);
}

/* The first section of this name; absent is empty. */
static const char *open_named(const struct image *image, const char *name, struct dwarf_bytes *bytes)
{
	for (size_t i = 1; i < image->section_count; i++)
		if (is_named(&image->sections[i], name))
			return dwarf_bytes_open(image, i, bytes);
	return NULL;
}

static const char *read_sections(struct reading *r)
{
	const struct image *image = r->image;
	const char *problem = open_named(image, ".debug_abbrev", &r->abbrev);
	size_t opened = 0;

	if (problem == NULL)
		problem = open_named(image, ".debug_str", &r->strings.str);
	if (problem == NULL)
		problem = open_named(image, ".debug_line_str", &r->strings.line_str);
	if (problem == NULL)
		problem = open_named(image, ".debug_str_offsets", &r->str_offsets);
	for (size_t i = 1; i < image->section_count && problem == NULL; i++) {
		struct dwarf_bytes info = {0};

		/* in groups: of types */
		if (!is_named(&image->sections[i], ".debug_info") ||
			(image->sections[i].header.sh_flags & SHF_GROUP) != 0 || opened == SECTIONS_MOST)
			continue;
		opened++;
		problem = dwarf_bytes_open(image, i, &info);
		if (problem == NULL)
			problem = read_units(r, &info);
		dwarf_bytes_release(&info);
	}
	return problem;
}

void dwarf_read(const struct image *image, struct arena *arena, struct dwarf_producers *out)
{
	struct reading r = {.image = image,
		.arena = arena,
		.out = out,
		.left = PASSES * (uint64_t)image->file.n + (1 << 20)};

	*out = (struct dwarf_producers){.v = arena_array(arena, PRODUCERS_MOST, sizeof(*out->v))};
	out->problem = read_sections(&r);
	dwarf_bytes_release(&r.abbrev);
	dwarf_bytes_release(&r.strings.str);
	dwarf_bytes_release(&r.strings.line_str);
	dwarf_bytes_release(&r.str_offsets);
}
