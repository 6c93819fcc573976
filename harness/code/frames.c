#include "code/frames.h"

#include <stdlib.h>
#include <string.h>

#include "code/dwarf_bytes.h"

/* LSB, "DWARF Exception Header Encoding": the form, and what it counts from. */
enum {
	FORM_POINTER = 0x00,
	FORM_UDATA2 = 0x02,
	FORM_UDATA4 = 0x03,
	FORM_UDATA8 = 0x04,
	FORM_SDATA2 = 0x0A,
	FORM_SDATA4 = 0x0B,
	FORM_SDATA8 = 0x0C,
	FROM_PLACE = 0x10,
	FORM_MASK = 0x0F,
	FROM_MASK = 0x70,
	ENCODING_UNKNOWN = 0xFF
};

struct reading {
	struct dwarf_bytes bytes;
	uint64_t address; /* of the section */
	size_t pointer_size;
	size_t common; /* the CIE that was read last */
	unsigned encoding;
};

static size_t size_of(const struct reading *r, unsigned encoding)
{
	switch (encoding & FORM_MASK) {
	case FORM_POINTER:
		return r->pointer_size;
	case FORM_UDATA2:
	case FORM_SDATA2:
		return 2;
	case FORM_UDATA4:
	case FORM_SDATA4:
		return 4;
	case FORM_UDATA8:
	case FORM_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t read_encoded(const struct reading *r, struct dwarf_cursor *cursor, unsigned encoding)
{
	const size_t size = size_of(r, encoding), at = cursor->at;
	uint64_t value = dwarf_number(cursor, size);

	if ((encoding & 0x08) != 0 && size < 8) { /* signed */
		const uint64_t sign = UINT64_C(1) << (8 * size - 1);

		value = (value ^ sign) - sign;
	}
	return (encoding & FROM_MASK) == FROM_PLACE ? value + r->address + at : value;
}

/* How the ranges of a CIE's functions are written. */
static unsigned read_common(const struct reading *r, struct dwarf_cursor *cursor)
{
	char augmentation[16] = "";
	unsigned version = (unsigned)dwarf_number(cursor, 1);
	size_t n = 0;
	uint64_t byte;

	while ((byte = dwarf_number(cursor, 1)) != 0 && n + 1 < sizeof(augmentation))
		augmentation[n++] = (char)byte;
	if (byte != 0 || (version != 1 && version != 3))
		return ENCODING_UNKNOWN;
	if (augmentation[0] == '\0')
		return FORM_POINTER;
	if (augmentation[0] != 'z')
		return ENCODING_UNKNOWN;
	(void)dwarf_leb(cursor);
	(void)dwarf_leb(cursor);
	if (version == 1)
		dwarf_skip(cursor, 1);
	else
		(void)dwarf_leb(cursor);
	(void)dwarf_leb(cursor);
	for (const char *p = augmentation + 1; *p != '\0' && !cursor->bad; p++) {
		if (*p == 'R')
			return (unsigned)dwarf_number(cursor, 1);
		if (*p == 'L')
			dwarf_skip(cursor, 1);
		else if (*p == 'P')
			dwarf_skip(cursor, size_of(r, (unsigned)dwarf_number(cursor, 1)));
		else if (*p != 'S' && *p != 'B')
			return ENCODING_UNKNOWN;
	}
	return FORM_POINTER;
}

static unsigned encoding_of(struct reading *r, size_t common)
{
	struct dwarf_cursor cursor = {.bytes = &r->bytes, .at = common, .end = r->bytes.n};
	uint64_t length;

	if (common == r->common)
		return r->encoding;
	r->common = common;
	r->encoding = ENCODING_UNKNOWN;
	length = dwarf_number(&cursor, 4);
	if (!cursor.bad && length != UINT32_MAX && dwarf_number(&cursor, 4) == 0)
		r->encoding = read_common(r, &cursor);
	return r->encoding;
}

static void add_frame(struct reading *r, struct dwarf_cursor *cursor, size_t common, struct frames *frames)
{
	const unsigned encoding = encoding_of(r, common);
	struct frame frame;

	if (encoding == ENCODING_UNKNOWN || size_of(r, encoding) == 0 ||
		((encoding & FROM_MASK) != 0 && (encoding & FROM_MASK) != FROM_PLACE))
		return;
	frame.address = read_encoded(r, cursor, encoding);
	frame.size = read_encoded(r, cursor, encoding & FORM_MASK);
	if (!cursor->bad && frame.size > 0)
		vec_push(frames, frame);
}

static void read_entries(struct reading *r, struct frames *frames)
{
	struct dwarf_cursor cursor = {.bytes = &r->bytes, .end = r->bytes.n};

	while (cursor.at < r->bytes.n) {
		const uint64_t length = dwarf_number(&cursor, 4);
		struct dwarf_cursor entry = cursor;
		size_t at;
		uint64_t back;

		if (cursor.bad || length == 0 || length == UINT32_MAX || length > cursor.end - cursor.at)
			return;
		entry.end = cursor.at + length;
		at = entry.at;
		back = dwarf_number(&entry, 4);
		if (back != 0 && back <= at && !entry.bad)
			add_frame(r, &entry, at - back, frames);
		cursor.at += length;
	}
}

static int by_address(const void *left, const void *right)
{
	const struct frame *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

void frames_read(const struct image *image, struct frames *frames)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		struct reading r = {.address = section->header.sh_addr,
			.pointer_size = image->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4,
			.common = SIZE_MAX};

		if (strcmp(section->name, ".eh_frame") != 0 || section->bytes == NULL)
			continue;
		r.bytes = (struct dwarf_bytes){.v = (const unsigned char *)section->bytes,
			.n = section->header.sh_size,
			.little = image->header.e_ident[EI_DATA] == ELFDATA2LSB};
		read_entries(&r, frames);
	}
	if (frames->n > 0)
		qsort(frames->v, frames->n, sizeof(*frames->v), by_address);
}

void frames_release(struct frames *frames)
{
	vec_release(frames);
}
