#include "code/places.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/relocation.h"
#include "code/step.h"

enum { NAME_COMPARED = 256 /* bytes: hostile files have millions of long names at one place */ };

static int by_address(const void *left, const void *right)
{
	const struct place_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->function != b->function)
		return a->function ? -1 : 1;
	return strncmp(a->name, b->name, NAME_COMPARED);
}

static int by_fill_address(const void *left, const void *right)
{
	const struct place_fill *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static int by_section_address(const void *left, const void *right)
{
	const struct image_section *a = *(const struct image_section *const *)left;
	const struct image_section *b = *(const struct image_section *const *)right;

	return (a->header.sh_addr > b->header.sh_addr) - (a->header.sh_addr < b->header.sh_addr);
}

static void add_symbols(struct places *places, const struct image_section *table)
{
	const struct image *image = places->image;
	Elf_Data *data = elf_getdata(table->scn, NULL);
	GElf_Sym symbol;

	for (int i = 1; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
		const unsigned type = GELF_ST_TYPE(symbol.st_info);
		const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
		const char *name;

		if ((!function && type != STT_OBJECT) || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(image->elf, table->header.sh_link, symbol.st_name);
		if (name != NULL && name[0] != '\0' && name[0] != '$')
			vec_push(&places->symbols, (struct place_symbol){.address = symbol.st_value,
							   .size = symbol.st_size,
							   .name = name,
							   .function = function});
	}
}

static void read_symbols(struct places *places)
{
	const struct image *image = places->image;

	for (unsigned pass = 0; pass < 2 && places->symbols.n == 0; pass++)
		for (size_t i = 1; i < image->section_count; i++)
			if (image->sections[i].header.sh_type == (pass == 0 ? SHT_SYMTAB : SHT_DYNSYM) &&
				image->sections[i].bytes != NULL) {
				places->full |= pass == 0;
				add_symbols(places, &image->sections[i]);
			}
	if (places->symbols.n > 0)
		qsort(places->symbols.v, places->symbols.n, sizeof(*places->symbols.v), by_address);
}

static void read_fills(struct places *places)
{
	const struct image *image = places->image;

	for (size_t i = 1; i < image->section_count; i++) {
		struct relocations table;
		GElf_Rela entry;

		if ((image->sections[i].header.sh_flags & SHF_ALLOC) == 0 ||
			!relocations_open(image, &image->sections[i], &table))
			continue;
		for (size_t k = 0; k < table.count && relocations_get(&table, k, &entry); k++) {
			const char *name = relocations_symbol(&table, &entry);

			if (GELF_R_SYM(entry.r_info) == 0)
				name = NULL;
			vec_push(
				&places->fills, (struct place_fill){.address = entry.r_offset,
							.name = name != NULL && name[0] != '\0' ? name : NULL,
							.value = (uint64_t)entry.r_addend});
		}
	}
	if (places->fills.n > 0)
		qsort(places->fills.v, places->fills.n, sizeof(*places->fills.v), by_fill_address);
}

void places_open(const struct image *image, struct places *places)
{
	*places = (struct places){.image = image};
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		/* thread-local zeroes share the addresses of what comes after them */
		if ((section->header.sh_flags & SHF_ALLOC) != 0 && section->header.sh_size > 0 &&
			((section->header.sh_flags & SHF_TLS) == 0 || section->bytes != NULL))
			vec_push(&places->loaded, section);
	}
	if (places->loaded.n > 0)
		qsort(places->loaded.v, places->loaded.n, sizeof(*places->loaded.v), by_section_address);
	read_symbols(places);
	read_fills(places);
}

void places_release(struct places *places)
{
	vec_release(&places->symbols);
	vec_release(&places->fills);
	vec_release(&places->loaded);
	*places = (struct places){0};
}

const struct place_symbol *places_symbol(const struct places *places, uint64_t address)
{
	size_t low = 0, high = places->symbols.n;
	const struct place_symbol *found;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (places->symbols.v[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	/* of several names of one place the first */
	found = &places->symbols.v[low - 1];
	for (size_t back = 0; back < 8 && found > places->symbols.v && found[-1].address == found->address;
		back++)
		found--;
	return address == found->address || address - found->address < found->size ? found : NULL;
}

const struct place_fill *places_fill(const struct places *places, uint64_t address)
{
	const struct place_fill key = {.address = address};

	return places->fills.n > 0
		       ? bsearch(&key, places->fills.v, places->fills.n, sizeof(key), by_fill_address)
		       : NULL;
}

const struct image_section *places_section(const struct places *places, uint64_t address)
{
	size_t low = 0, high = places->loaded.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (places->loaded.v[mid]->header.sh_addr <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	return address - places->loaded.v[low - 1]->header.sh_addr < places->loaded.v[low - 1]->header.sh_size
		       ? places->loaded.v[low - 1]
		       : NULL;
}

/* The place that an entry loads its address from; 0: none. AArch64: adrp x16, PAGE; ldr x17, [x16, #REST]. */
static uint64_t slot_of(const struct places *places, const struct image_section *section, uint64_t address)
{
	const unsigned machine = places->image->header.e_machine;
	const unsigned char *bytes = (const unsigned char *)section->bytes;
	uint64_t at = address - section->header.sh_addr, page = 0;
	struct step step;

	for (unsigned i = 0; i < 4 && at < section->header.sh_size; i++, at += step.size) {
		if (!step_read(machine, bytes + at, section->header.sh_size - at, &step))
			return 0;
		if (machine == EM_AARCH64) {
			const uint32_t word = (uint32_t)step.shape[0] | (uint32_t)step.shape[1] << 8 |
					      (uint32_t)step.shape[2] << 16 | (uint32_t)step.shape[3] << 24;

			if (step.page)
				page = ((section->header.sh_addr + at) & ~UINT64_C(4095)) +
				       (uint64_t)step.distance;
			else if (page != 0 && (word & 0xFFC00000) == 0xF9400000)
				return page + (word >> 10 & 0xFFF) * 8;
		} else if (step.leads && !step.flow) {
			return section->header.sh_addr + at + (uint64_t)step.distance;
		}
	}
	return 0;
}

const char *places_import(const struct places *places, uint64_t address)
{
	const struct image_section *section = places_section(places, address);
	const struct place_fill *fill;

	if (section == NULL || section->bytes == NULL || !text_starts(section->name, ".plt") ||
		step_missing(places->image->header.e_machine) != NULL)
		return NULL;
	fill = places_fill(places, slot_of(places, section, address));
	return fill != NULL ? fill->name : NULL;
}
