#include "code/code.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "code/image.h"
#include "code/names.h"
#include "code/padding.h"
#include "code/relocation.h"
#include "code/unit.h"

enum { NAME_PASSES = 64 /* over a file, for names of relocations: hostile files repeat long ones */ };

/* A table of relocations and the section that it is for. */
struct table {
	size_t section, index;
};

struct hashing {
	const struct image *image;
	struct names_seen names;
	struct hash hash;
	VEC(struct table) tables; /* by section */
	uint64_t names_left;	  /* bytes of names that may be hashed */
};

static int by_section(const void *left, const void *right)
{
	const struct table *a = left, *b = right;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void find_tables(struct hashing *h)
{
	for (size_t i = 1; i < h->image->section_count; i++) {
		const GElf_Shdr *header = &h->image->sections[i].header;

		if (header->sh_type == SHT_RELA || header->sh_type == SHT_REL)
			vec_push(&h->tables, (struct table){.section = header->sh_info, .index = i});
	}
	if (h->tables.n > 0)
		qsort(h->tables.v, h->tables.n, sizeof(*h->tables.v), by_section);
}

static int hash_relocations(const struct relocations *relocations, struct hashing *h, struct error *e)
{
	for (size_t i = 0; i < relocations->count; i++) {
		GElf_Rela relocation;
		const char *name = NULL;
		size_t length;

		if (relocations->symbols != NULL && relocations_get(relocations, i, &relocation))
			name = relocations_symbol(relocations, &relocation);
		length = name != NULL ? strlen(name) : 0;
		if (name == NULL || length > h->names_left)
			return error_set(e, EXIT_CANNOT, "reading %s: it is damaged: %s; build it again",
				h->image->path,
				name == NULL ? "a relocation names no symbol"
					     : "names of symbols overlap many times");
		h->names_left -= length;
		names_add_number(&h->hash, relocation.r_offset);
		names_add_number(&h->hash, GELF_R_TYPE(relocation.r_info));
		names_add_number(&h->hash, (uint64_t)relocation.r_addend);
		names_add(&h->names, &h->hash, name);
	}
	return 0;
}

/* The relocations that apply to section `index`; *next: the first table of it or of a later one. */
static int hash_relocations_of(size_t index, size_t *next, struct hashing *h, struct error *e)
{
	while (*next < h->tables.n && h->tables.v[*next].section < index)
		++*next;
	for (; *next < h->tables.n && h->tables.v[*next].section == index; ++*next) {
		struct relocations relocations;

		if (relocations_open(h->image, &h->image->sections[h->tables.v[*next].index], &relocations) &&
			hash_relocations(&relocations, h, e) != 0)
			return -1;
	}
	return 0;
}

static int hash_sections(struct hashing *h, struct error *e)
{
	const struct image *image = h->image;
	size_t next = 0;

	find_tables(h);
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (!image_counts(section))
			continue;
		names_add(&h->names, &h->hash, section->name);
		names_add_number(&h->hash, section->header.sh_size);
		if (section->bytes != NULL)
			hash_add(&h->hash, section->bytes, section->header.sh_size);
		if (hash_relocations_of(i, &next, h, e) != 0)
			return -1;
	}
	return 0;
}

/* The code as it stands. */
static int hash_object(const struct image *image, struct hash *hash, struct error *e)
{
	struct hashing h = {.image = image,
		.hash = *hash,
		.names_left = NAME_PASSES * (uint64_t)image->file.n + (1 << 20)};
	int result = hash_sections(&h, e);

	hash_add_field(&h.hash, NULL);
	if (result == 0)
		*hash = h.hash;
	names_release(&h.names);
	vec_release(&h.tables);
	return result;
}

/* The code without its padding. */
static int hash_unpadded(const struct image *image, struct hash *hash, struct error *e)
{
	struct names_seen names = {0};
	struct padding padding;
	struct unit unit;
	int result;

	if (unit_open(image, &unit, e) != 0)
		return -1;
	result = padding_open(&unit, &padding, e);
	if (result == 0) {
		result = padding_hash(&padding, &names, hash, e);
		padding_release(&padding);
	}
	names_release(&names);
	unit_release(&unit);
	return result;
}

/* LLVM's bitcode, bare or in its wrapper, is no ELF: looked for before the file is taken for a damaged object. */
static bool is_bitcode(const char *path)
{
	char head[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, head, sizeof(head));
	close(fd);
	return got == 4 && (memcmp(head, "BC\xC0\xDE", 4) == 0 || memcmp(head, "\xDE\xC0\x17\x0B", 4) == 0);
}

static int no_code(const char *path, struct error *e)
{
	return error_set(e, EXIT_CANNOT,
		"hashing the code of %s: it holds the compiler's intermediate form (LTO), its code is made "
		"at "
		"the link; use the linked file's hash",
		path);
}

static bool has_intermediate(const struct image *image)
{
	for (size_t i = 1; i < image->section_count; i++)
		if (image_is_intermediate(&image->sections[i]))
			return true;
	return false;
}

typedef int hash_image(const struct image *, struct hash *, struct error *);

static int hash_path(const char *path, hash_image *one, struct hash *hash, struct error *e)
{
	struct arena arena = {0};
	struct image image;
	int result;

	if (is_bitcode(path))
		return no_code(path, e);
	if (image_open(path, &arena, &image, e) != 0) {
		arena_release(&arena);
		return -1;
	}
	result = has_intermediate(&image) ? no_code(path, e) : one(&image, hash, e);
	image_close(&image);
	arena_release(&arena);
	return result;
}

static int hash_all(const char *const *paths, size_t count, hash_image *one, const char *what,
	char hex[HASH_HEX], struct error *e)
{
	struct hash hash;

	hash_init(&hash);
	hash_add_field(&hash, what);
	for (size_t i = 0; i < count; i++)
		if (hash_path(paths[i], one, &hash, e) != 0)
			return -1;
	hash_final_hex(&hash, hex);
	return 0;
}

int code_hash_objects(const char *const *paths, size_t count, char hex[HASH_HEX], struct error *e)
{
	return hash_all(paths, count, hash_object, "flagstone objects " CODE_OBJECTS_HASH, hex, e);
}

int code_hash_unpadded(const char *const *paths, size_t count, char hex[HASH_HEX], struct error *e)
{
	return hash_all(paths, count, hash_unpadded, "flagstone unpadded " CODE_OBJECTS_HASH, hex, e);
}

int code_is_intermediate(const char *path, bool *intermediate, struct error *e)
{
	struct arena arena = {0};
	struct image image;
	bool found = is_bitcode(path);

	if (!found) {
		if (image_open(path, &arena, &image, e) != 0) {
			arena_release(&arena);
			return -1;
		}
		found = has_intermediate(&image);
		image_close(&image);
		arena_release(&arena);
	}
	*intermediate = found;
	return 0;
}
