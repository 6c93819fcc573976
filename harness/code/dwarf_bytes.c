#include "code/dwarf_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/relocation.h"

enum { LARGEST = 256 << 20, RATIO = 2000 /* more than that no compression of debug information gains */ };

static int by_offset(const void *left, const void *right)
{
	const struct dwarf_fill *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Values of relocations with addends; without (i386) the place has it, and section symbols are 0. */
static void read_fills(const struct image *image, size_t index, struct dwarf_bytes *bytes)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		struct relocations table;

		if (section->header.sh_info != index || section->header.sh_type != SHT_RELA ||
			!relocations_open(image, section, &table) || table.symbols == NULL)
			continue;
		for (size_t k = 0; k < table.count; k++) {
			GElf_Rela entry;
			GElf_Sym symbol;

			if (!relocations_get(&table, k, &entry) ||
				gelf_getsym(table.symbols, (int)GELF_R_SYM(entry.r_info), &symbol) == NULL)
				break;
			vec_push(&bytes->fills, (struct dwarf_fill){.offset = entry.r_offset,
							.value = symbol.st_value + (uint64_t)entry.r_addend});
		}
	}
	if (bytes->fills.n > 0)
		qsort(bytes->fills.v, bytes->fills.n, sizeof(*bytes->fills.v), by_offset);
}

static bool plausible(uint64_t unpacked, uint64_t packed)
{
	return unpacked <= LARGEST && unpacked / RATIO <= packed;
}

/* NULL, or why not. */
static const char *decompress(const struct image_section *section)
{
	static const char head[] = "ZLIB"; /* and the size in 8 bytes, highest first */
	const unsigned char *b = (const unsigned char *)section->bytes;
	uint64_t unpacked = 0;
	GElf_Chdr header;

	if ((section->header.sh_flags & SHF_COMPRESSED) != 0) {
		if (gelf_getchdr(section->scn, &header) == NULL)
			return "the head of a compressed section is damaged";
		if (!plausible(header.ch_size, section->header.sh_size))
			return "a compressed section claims to be larger than it can be";
		return elf_compress(section->scn, 0, 0) < 0 ? "a compressed section could not be unpacked"
							    : NULL;
	}
	if (!text_starts(section->name, ".zdebug"))
		return NULL;
	if (section->header.sh_size < 12 || memcmp(b, head, 4) != 0)
		return "the head of a compressed section is damaged";
	for (size_t i = 4; i < 12; i++)
		unpacked = unpacked << 8 | b[i];
	if (!plausible(unpacked, section->header.sh_size))
		return "a compressed section claims to be larger than it can be";
	return elf_compress_gnu(section->scn, 0, 0) < 0 ? "a compressed section could not be unpacked" : NULL;
}

const char *dwarf_bytes_open(const struct image *image, size_t index, struct dwarf_bytes *bytes)
{
	const struct image_section *section = &image->sections[index];
	const char *problem;
	Elf_Data *data;

	*bytes = (struct dwarf_bytes){.little = image->header.e_ident[EI_DATA] == ELFDATA2LSB};
	if (section->bytes == NULL)
		return NULL;
	problem = decompress(section);
	if (problem != NULL)
		return problem;
	data = elf_rawdata(section->scn, NULL);
	if (data == NULL || data->d_buf == NULL)
		return section->header.sh_size == 0 ? NULL : "a section of it is unreadable";
	bytes->v = data->d_buf;
	bytes->n = data->d_size;
	if (image->header.e_type == ET_REL)
		read_fills(image, index, bytes);
	return NULL;
}

void dwarf_bytes_release(struct dwarf_bytes *bytes)
{
	vec_release(&bytes->fills);
	*bytes = (struct dwarf_bytes){0};
}

uint64_t dwarf_number(struct dwarf_cursor *cursor, size_t size)
{
	uint64_t value = 0;

	if (cursor->bad || size > cursor->end - cursor->at) {
		cursor->bad = true;
		return 0;
	}
	for (size_t i = 0; i < size; i++) {
		const size_t k = cursor->bytes->little ? size - 1 - i : i;

		value = value << 8 | cursor->bytes->v[cursor->at + k];
	}
	cursor->at += size;
	return value;
}

uint64_t dwarf_offset(struct dwarf_cursor *cursor, size_t size)
{
	const size_t at = cursor->at;
	uint64_t value = dwarf_number(cursor, size);
	size_t low = 0, high = cursor->bytes->fills.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (cursor->bytes->fills.v[mid].offset < at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < cursor->bytes->fills.n && cursor->bytes->fills.v[low].offset == at)
		value = cursor->bytes->fills.v[low].value;
	return value;
}

uint64_t dwarf_leb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !cursor->bad; shift += 7) {
		const uint64_t byte = dwarf_number(cursor, 1);

		if (shift < 64)
			value |= (byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			break;
	}
	return value;
}

void dwarf_skip(struct dwarf_cursor *cursor, uint64_t count)
{
	if (cursor->bad || count > cursor->end - cursor->at)
		cursor->bad = true;
	else
		cursor->at += count;
}

const char *dwarf_text(const struct dwarf_bytes *bytes, uint64_t offset)
{
	uint64_t left;

	if (bytes->v == NULL || offset >= bytes->n)
		return NULL;
	left = bytes->n - offset;
	if (left < DWARF_TEXT_MOST && memchr(bytes->v + offset, '\0', left) == NULL)
		return NULL;
	return (const char *)bytes->v + offset;
}
