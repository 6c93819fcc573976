#include "code/code.h"

#include <string.h>

#include "code/image.h"

static bool is_function(const GElf_Sym *symbol)
{
	const unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

static bool find_in(
	const struct image *image, const struct image_section *table, const char *name, GElf_Sym *found)
{
	Elf_Data *data = elf_getdata(table->scn, NULL);
	GElf_Sym symbol;

	for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
		const char *other;

		if (!is_function(&symbol))
			continue;
		other = elf_strptr(image->elf, table->header.sh_link, symbol.st_name);
		if (other != NULL && strcmp(other, name) == 0) {
			*found = symbol;
			return true;
		}
	}
	return false;
}

static bool find_symbol(const struct image *image, unsigned table_type, const char *name, GElf_Sym *found)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->header.sh_type == table_type && section->bytes != NULL &&
			find_in(image, section, name, found))
			return true;
	}
	return false;
}

int code_symbol(const char *path, const char *name, uint64_t *address, uint64_t *size, struct error *e)
{
	struct arena arena = {0};
	struct image image;
	GElf_Sym symbol;
	int result = 0;

	if (image_open(path, &arena, &image, e) != 0) {
		arena_release(&arena);
		return -1;
	}
	if (find_symbol(&image, SHT_SYMTAB, name, &symbol) ||
		find_symbol(&image, SHT_DYNSYM, name, &symbol)) {
		*address = symbol.st_value;
		*size = symbol.st_size;
	} else {
		result = error_set(e, EXIT_CANNOT,
			"looking for the function %s in %s: its symbol tables have none of this name", name,
			path);
	}
	image_close(&image);
	arena_release(&arena);
	return result;
}
