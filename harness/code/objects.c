#include "code/code.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "code/image.h"

/* Constant tables that hold addresses are written once by the dynamic linker, hence flagged as writable. */
static bool is_relocated_constant(const struct image_section *section)
{
	return section->bytes != NULL && (section->header.sh_flags & SHF_ALLOC) != 0 &&
	       (strcmp(section->name, ".data.rel.ro") == 0 ||
		       strncmp(section->name, ".data.rel.ro.", 13) == 0);
}

static bool counts(const struct image_section *section)
{
	return image_is_code(section) || image_is_constant(section) || is_relocated_constant(section);
}

/* The name that a relocation's symbol goes by: its own, or its section's. "" when it has none. */
static const char *symbol_name(
	const struct image *image, const struct image_section *table, Elf_Data *symbols, size_t index)
{
	const char *name = NULL;
	GElf_Sym symbol;

	if (gelf_getsym(symbols, (int)index, &symbol) == NULL)
		return NULL;
	if (GELF_ST_TYPE(symbol.st_info) != STT_SECTION)
		name = elf_strptr(image->elf, table->header.sh_link, symbol.st_name);
	else if (symbol.st_shndx < image->section_count)
		name = image->sections[symbol.st_shndx].name;
	return name;
}

static bool read_relocation(const struct image_section *section, Elf_Data *data, size_t index, GElf_Rela *out)
{
	GElf_Rel rel;

	if (section->header.sh_type == SHT_RELA)
		return gelf_getrela(data, (int)index, out) != NULL;
	if (gelf_getrel(data, (int)index, &rel) == NULL)
		return false;
	*out = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}

static void add_relocation(struct hash *hash, const GElf_Rela *relocation, const char *name)
{
	const uint64_t fields[] = {
		relocation->r_offset, GELF_R_TYPE(relocation->r_info), (uint64_t)relocation->r_addend};

	hash_add(hash, fields, sizeof(fields));
	hash_add_field(hash, name);
}

static int hash_relocations(
	const struct image *image, const struct image_section *section, struct hash *hash, struct error *e)
{
	const size_t link = section->header.sh_link;
	const struct image_section *table = link < image->section_count ? &image->sections[link] : NULL;
	Elf_Data *data = elf_getdata(section->scn, NULL);
	Elf_Data *symbols =
		table != NULL && table->header.sh_type == SHT_SYMTAB ? elf_getdata(table->scn, NULL) : NULL;
	const size_t count =
		section->header.sh_entsize > 0 ? section->header.sh_size / section->header.sh_entsize : 0;

	for (size_t i = 0; i < count; i++) {
		GElf_Rela relocation;
		const char *name = NULL;

		if (data != NULL && symbols != NULL && read_relocation(section, data, i, &relocation))
			name = symbol_name(image, table, symbols, GELF_R_SYM(relocation.r_info));
		if (name == NULL)
			return error_set(e, EXIT_CANNOT,
				"reading %s: it is damaged: a relocation names no symbol", image->path);
		add_relocation(hash, &relocation, name);
	}
	return 0;
}

/* The relocations that apply to section `index`. */
static int hash_relocations_of(const struct image *image, size_t index, struct hash *hash, struct error *e)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		const unsigned type = section->header.sh_type;

		if ((type == SHT_RELA || type == SHT_REL) && section->header.sh_info == index &&
			hash_relocations(image, section, hash, e) != 0)
			return -1;
	}
	return 0;
}

static int hash_object(const struct image *image, struct hash *hash, struct error *e)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (!counts(section))
			continue;
		hash_add_field(hash, section->name);
		hash_add(hash, &section->header.sh_size, sizeof(section->header.sh_size));
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
