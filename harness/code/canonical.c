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

enum {
	LOOK_BACK = 8,	 /* sections that may stand at one address */
	NAME_PASSES = 64 /* over a file */
};

typedef VEC(const struct image_section *) sections;

struct hashing {
	const struct image *image;
	struct hash hash;
	sections loaded;      /* by address */
	VEC(uint64_t) filled; /* addresses that the dynamic linker fills, upwards */
	uint64_t names_left;  /* bytes of symbols' names that may be hashed: hostile files repeat long ones */
};

static int by_address(const void *left, const void *right)
{
	const struct image_section *a = *(const struct image_section *const *)left;
	const struct image_section *b = *(const struct image_section *const *)right;

	if (a->header.sh_addr != b->header.sh_addr)
		return a->header.sh_addr < b->header.sh_addr ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Thread-local zeroes share the addresses of what comes after them. */
static bool has_addresses(const struct image_section *section)
{
	return (section->header.sh_flags & SHF_ALLOC) != 0 &&
	       ((section->header.sh_flags & SHF_TLS) == 0 || section->bytes != NULL);
}

static size_t first_behind(const sections *loaded, uint64_t address)
{
	size_t low = 0, high = loaded->n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (loaded->v[mid]->header.sh_addr <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * The loaded section that an address lies in, or just behind; NULL: none. Sections do not overlap, but empty ones
 * may stand where another begins.
 */
static const struct image_section *section_at(const struct hashing *h, uint64_t address)
{
	const struct image_section *behind = NULL;
	size_t i = first_behind(&h->loaded, address);

	for (size_t looked = 0; i > 0 && looked < LOOK_BACK; i--, looked++) {
		const struct image_section *section = h->loaded.v[i - 1];

		if (address - section->header.sh_addr < section->header.sh_size)
			return section;
		if (behind == NULL && address - section->header.sh_addr == section->header.sh_size)
			behind = section;
	}
	return behind;
}

static void add_address(struct hashing *h, uint64_t address)
{
	const struct image_section *section = section_at(h, address);
	const uint64_t offset = section != NULL ? address - section->header.sh_addr : address;

	hash_add_field(&h->hash, section != NULL ? section->name : NULL);
	hash_add(&h->hash, &offset, sizeof(offset));
}

/* A relocation without a symbol puts the address there that its addend is. */
static void add_relocation(
	struct hashing *h, const struct relocations *relocations, const GElf_Rela *relocation)
{
	const uint64_t type = GELF_R_TYPE(relocation->r_info);
	const char *name = relocations_symbol(relocations, relocation);
	const size_t length = name != NULL ? strlen(name) : 0;

	add_address(h, relocation->r_offset);
	hash_add(&h->hash, &type, sizeof(type));
	hash_add_field(&h->hash, length <= h->names_left ? name : NULL);
	h->names_left -= length <= h->names_left ? length : h->names_left;
	if (GELF_R_SYM(relocation->r_info) == 0)
		add_address(h, (uint64_t)relocation->r_addend);
	else
		hash_add(&h->hash, &relocation->r_addend, sizeof(relocation->r_addend));
}

static void add_relocations(struct hashing *h)
{
	for (size_t i = 1; i < h->image->section_count; i++) {
		const struct image_section *section = &h->image->sections[i];
		struct relocations relocations;

		if ((section->header.sh_flags & SHF_ALLOC) == 0 ||
			!relocations_open(h->image, section, &relocations))
			continue;
		hash_add_field(&h->hash, section->name);
		for (size_t k = 0; k < relocations.count; k++) {
			GElf_Rela relocation;

			if (!relocations_get(&relocations, k, &relocation))
				break;
			add_relocation(h, &relocations, &relocation);
		}
	}
}

static void find_filled(struct hashing *h)
{
	for (size_t i = 1; i < h->image->section_count; i++) {
		struct relocations relocations;
		GElf_Rela relocation;

		if ((h->image->sections[i].header.sh_flags & SHF_ALLOC) == 0 ||
			!relocations_open(h->image, &h->image->sections[i], &relocations) ||
			!relocations.explicit_addend)
			continue;
		for (size_t k = 0; k < relocations.count; k++)
			if (relocations_get(&relocations, k, &relocation))
				vec_push(&h->filled, relocation.r_offset);
	}
	if (h->filled.n > 0)
		qsort(h->filled.v, h->filled.n, sizeof(*h->filled.v), by_number);
}

/* The first place at or behind an address. */
static size_t first_filled(const struct hashing *h, uint64_t address)
{
	size_t low = 0, high = h->filled.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (h->filled.v[mid] < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void blank_filled(const struct hashing *h, const struct image_section *section, char *bytes)
{
	const size_t width = h->image->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	const uint64_t from = section->header.sh_addr, size = section->header.sh_size;

	for (size_t i = first_filled(h, from); i < h->filled.n && h->filled.v[i] - from < size; i++)
		if (size - (h->filled.v[i] - from) >= width)
			memset(bytes + (h->filled.v[i] - from), 0, width);
}

static void add_section(struct hashing *h, const struct image_section *section)
{
	const uint64_t size = section->header.sh_size;
	char *bytes;

	hash_add_field(&h->hash, section->name);
	hash_add(&h->hash, &size, sizeof(size));
	if (section->bytes == NULL)
		return;
	if (!image_is_writable(section)) {
		hash_add(&h->hash, section->bytes, size);
		return;
	}
	bytes = mem_alloc(size > 0 ? size : 1);
	memcpy(bytes, section->bytes, size);
	blank_filled(h, section, bytes);
	hash_add(&h->hash, bytes, size);
	mem_free(bytes);
}

void canonical_hash(const struct image *image, char hex[HASH_HEX])
{
	struct hashing h = {.image = image, .names_left = NAME_PASSES * (uint64_t)image->file.n + (1 << 20)};
	sections parts = {0};

	for (size_t i = 1; i < image->section_count; i++) {
		if (image_counts(&image->sections[i]))
			vec_push(&parts, &image->sections[i]);
		if (has_addresses(&image->sections[i]))
			vec_push(&h.loaded, &image->sections[i]);
	}
	if (parts.n > 0)
		qsort(parts.v, parts.n, sizeof(*parts.v), by_address);
	if (h.loaded.n > 0)
		qsort(h.loaded.v, h.loaded.n, sizeof(*h.loaded.v), by_address);
	find_filled(&h);
	hash_init(&h.hash);
	for (size_t i = 0; i < parts.n; i++)
		add_section(&h, parts.v[i]);
	add_relocations(&h);
	hash_final_hex(&h.hash, hex);
	vec_release(&parts);
	vec_release(&h.loaded);
	vec_release(&h.filled);
}
