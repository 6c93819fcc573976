#include "code/relocation.h"

bool relocations_open(
	const struct image *image, const struct image_section *section, struct relocations *relocations)
{
	const unsigned type = section->header.sh_type;
	const size_t link = section->header.sh_link;
	const struct image_section *table =
		link > 0 && link < image->section_count ? &image->sections[link] : NULL;

	if (type != SHT_RELA && type != SHT_REL)
		return false;
	if (table != NULL && table->header.sh_type != SHT_SYMTAB && table->header.sh_type != SHT_DYNSYM)
		table = NULL;
	*relocations = (struct relocations){.image = image,
		.table = table,
		.data = elf_getdata(section->scn, NULL),
		.symbols = table != NULL ? elf_getdata(table->scn, NULL) : NULL,
		.explicit_addend = type == SHT_RELA,
		.count = section->header.sh_entsize > 0 ? section->header.sh_size / section->header.sh_entsize
							: 0};
	return true;
}

bool relocations_get(const struct relocations *relocations, size_t index, GElf_Rela *out)
{
	GElf_Rel rel;

	if (relocations->data == NULL)
		return false;
	if (relocations->explicit_addend)
		return gelf_getrela(relocations->data, (int)index, out) != NULL;
	if (gelf_getrel(relocations->data, (int)index, &rel) == NULL)
		return false;
	*out = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}

const char *relocations_symbol(const struct relocations *relocations, const GElf_Rela *relocation)
{
	const struct image *image = relocations->image;
	const size_t index = GELF_R_SYM(relocation->r_info);
	GElf_Sym symbol;

	if (relocations->symbols == NULL)
		return index == 0 ? "" : NULL;
	if (gelf_getsym(relocations->symbols, (int)index, &symbol) == NULL)
		return NULL;
	if (GELF_ST_TYPE(symbol.st_info) != STT_SECTION)
		return elf_strptr(image->elf, relocations->table->header.sh_link, symbol.st_name);
	return symbol.st_shndx < image->section_count ? image->sections[symbol.st_shndx].name : NULL;
}
