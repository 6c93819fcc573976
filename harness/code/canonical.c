#include "code/canonical.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/relocation.h"

/*
 * Places that the dynamic linker fills hold an address of the link, or nothing. Their bytes are left out; what is
 * to be put there is hashed in words that do not depend on where sections lie. Only tables with addends (RELA)
 * say so: others' places are hashed as they are, which can only make equal files look different.
 */

typedef VEC(const struct image_section *) sections;

static int by_address(const void *left, const void *right)
{
	const struct image_section *a = *(const struct image_section *const *)left;
	const struct image_section *b = *(const struct image_section *const *)right;

	if (a->header.sh_addr != b->header.sh_addr)
		return a->header.sh_addr < b->header.sh_addr ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The loaded section that an address lies in, or just behind; NULL: none. */
static const struct image_section *section_at(const struct image *image, uint64_t address)
{
	const struct image_section *behind = NULL;

	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		const uint64_t from = section->header.sh_addr;

		/* thread-local zeroes share the addresses of what comes after them */
		if ((section->header.sh_flags & SHF_ALLOC) == 0 || address < from ||
			((section->header.sh_flags & SHF_TLS) != 0 && section->bytes == NULL))
			continue;
		if (address - from < section->header.sh_size)
			return section;
		if (address - from == section->header.sh_size)
			behind = section;
	}
	return behind;
}

static void add_address(const struct image *image, uint64_t address, struct hash *hash)
{
	const struct image_section *section = section_at(image, address);
	const uint64_t offset = section != NULL ? address - section->header.sh_addr : address;

	hash_add_field(hash, section != NULL ? section->name : NULL);
	hash_add(hash, &offset, sizeof(offset));
}

/* A relocation without a symbol puts the address there that its addend is. */
static void add_relocation(
	const struct relocations *relocations, const GElf_Rela *relocation, struct hash *hash)
{
	const uint64_t type = GELF_R_TYPE(relocation->r_info);

	add_address(relocations->image, relocation->r_offset, hash);
	hash_add(hash, &type, sizeof(type));
	hash_add_field(hash, relocations_symbol(relocations, relocation));
	if (GELF_R_SYM(relocation->r_info) == 0)
		add_address(relocations->image, (uint64_t)relocation->r_addend, hash);
	else
		hash_add(hash, &relocation->r_addend, sizeof(relocation->r_addend));
}

static void add_relocations(const struct image *image, struct hash *hash)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		struct relocations relocations;

		if ((section->header.sh_flags & SHF_ALLOC) == 0 ||
			!relocations_open(image, section, &relocations))
			continue;
		hash_add_field(hash, section->name);
		for (size_t k = 0; k < relocations.count; k++) {
			GElf_Rela relocation;

			if (!relocations_get(&relocations, k, &relocation))
				break;
			add_relocation(&relocations, &relocation, hash);
		}
	}
}

static void blank(const struct image_section *section, uint64_t address, size_t width, char *bytes)
{
	const uint64_t from = section->header.sh_addr, size = section->header.sh_size;

	if (address >= from && address - from <= size && size - (address - from) >= width)
		memset(bytes + (address - from), 0, width);
}

static void blank_relocated(const struct image *image, const struct image_section *section, char *bytes)
{
	const size_t width = image->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;

	for (size_t i = 1; i < image->section_count; i++) {
		struct relocations relocations;
		GElf_Rela relocation;

		if ((image->sections[i].header.sh_flags & SHF_ALLOC) == 0 ||
			!relocations_open(image, &image->sections[i], &relocations) ||
			!relocations.explicit_addend)
			continue;
		for (size_t k = 0; k < relocations.count; k++)
			if (relocations_get(&relocations, k, &relocation))
				blank(section, relocation.r_offset, width, bytes);
	}
}

static void add_section(const struct image *image, const struct image_section *section, struct hash *hash)
{
	const uint64_t size = section->header.sh_size;
	char *bytes;

	hash_add_field(hash, section->name);
	hash_add(hash, &size, sizeof(size));
	if (section->bytes == NULL)
		return;
	if (!image_is_writable(section)) {
		hash_add(hash, section->bytes, size);
		return;
	}
	bytes = mem_alloc(size > 0 ? size : 1);
	memcpy(bytes, section->bytes, size);
	blank_relocated(image, section, bytes);
	hash_add(hash, bytes, size);
	mem_free(bytes);
}

void canonical_hash(const struct image *image, char hex[HASH_HEX])
{
	sections parts = {0};
	struct hash hash;

	for (size_t i = 1; i < image->section_count; i++)
		if (image_counts(&image->sections[i]))
			vec_push(&parts, &image->sections[i]);
	if (parts.n > 0)
		qsort(parts.v, parts.n, sizeof(*parts.v), by_address);
	hash_init(&hash);
	for (size_t i = 0; i < parts.n; i++)
		add_section(image, parts.v[i], &hash);
	add_relocations(image, &hash);
	hash_final_hex(&hash, hex);
	vec_release(&parts);
}
