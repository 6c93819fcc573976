#include "code/code.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "code/image.h"
#include "code/relocation.h"

static void add_relocation(struct hash *hash, const GElf_Rela *relocation, const char *name)
{
	const uint64_t fields[] = {
		relocation->r_offset, GELF_R_TYPE(relocation->r_info), (uint64_t)relocation->r_addend};

	hash_add(hash, fields, sizeof(fields));
	hash_add_field(hash, name);
}

static int hash_relocations(const struct relocations *relocations, struct hash *hash, struct error *e)
{
	for (size_t i = 0; i < relocations->count; i++) {
		GElf_Rela relocation;
		const char *name = NULL;

		if (relocations->symbols != NULL && relocations_get(relocations, i, &relocation))
			name = relocations_symbol(relocations, &relocation);
		if (name == NULL)
			return error_set(e, EXIT_CANNOT,
				"reading %s: it is damaged: a relocation names no symbol",
				relocations->image->path);
		add_relocation(hash, &relocation, name);
	}
	return 0;
}

/* The relocations that apply to section `index`. */
static int hash_relocations_of(const struct image *image, size_t index, struct hash *hash, struct error *e)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		struct relocations relocations;

		if (section->header.sh_info == index && relocations_open(image, section, &relocations) &&
			hash_relocations(&relocations, hash, e) != 0)
			return -1;
	}
	return 0;
}

static int hash_object(const struct image *image, struct hash *hash, struct error *e)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (!image_counts(section))
			continue;
		hash_add_field(hash, section->name);
		hash_add(hash, &section->header.sh_size, sizeof(section->header.sh_size));
		if (section->bytes != NULL)
			hash_add(hash, section->bytes, section->header.sh_size);
		if (hash_relocations_of(image, i, hash, e) != 0)
			return -1;
	}
	hash_add_field(hash, NULL);
	return 0;
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

static int hash_path(const char *path, struct hash *hash, struct error *e)
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
	result = has_intermediate(&image) ? no_code(path, e) : hash_object(&image, hash, e);
	image_close(&image);
	arena_release(&arena);
	return result;
}

int code_hash_objects(const char *const *paths, size_t count, char hex[HASH_HEX], struct error *e)
{
	struct hash hash;

	hash_init(&hash);
	for (size_t i = 0; i < count; i++)
		if (hash_path(paths[i], &hash, e) != 0)
			return -1;
	hash_final_hex(&hash, hex);
	return 0;
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
