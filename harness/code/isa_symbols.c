#include "code/isa_ranges.h"

#include <stdlib.h>
#include <string.h>

/* What a function of a table of symbols is called; NULL: nothing readable. */
static const char *name_of(const struct image *image, size_t strings, const GElf_Sym *symbol)
{
	const struct image_section *table;

	if (strings == 0 || strings >= image->section_count)
		return NULL;
	table = &image->sections[strings];
	if (table->bytes == NULL || symbol->st_name >= table->header.sh_size ||
		table->bytes[table->header.sh_size - 1] != '\0')
		return NULL;
	return table->bytes + symbol->st_name;
}

static bool is_function(const GElf_Sym *symbol)
{
	const unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

static bool among(const struct words *sorted, const char *name)
{
	return sorted->n > 0 &&
	       bsearch(&name, sorted->v, sorted->n, sizeof(*sorted->v), text_compare) != NULL;
}

/* gcc's out-of-line atomics (libgcc), which use LSE where the CPU has it. */
static bool looks_first(const char *name)
{
	static const char *const kinds[] = {"cas", "swp", "ldadd", "ldclr", "ldeor", "ldset"};

	if (!text_starts(name, "__aarch64_"))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (text_starts(name + strlen("__aarch64_"), kinds[i]))
			return true;
	return false;
}

static bool counts(const struct isa_wanted *wanted, const char *name)
{
	return !looks_first(name) && (wanted->only == NULL || among(wanted->only, name)) &&
	       (wanted->without == NULL || !among(wanted->without, name)) &&
	       (wanted->linked == NULL || among(wanted->linked, name));
}

/*
 * How a program finds out what CPU it runs on, other than by CPUID: gcc's and clang's __builtin_cpu_supports() and
 * function multiversioning, and the kernel's auxiliary vector where it is another file's function.
 */
static bool is_look(const char *name, bool defined)
{
	static const char *const models[] = {"__cpu_model", "__cpu_features2", "__cpu_indicator_init",
		"__aarch64_cpu_features", "__init_cpu_features", "__init_cpu_features_resolver"};
	static const char *const vectors[] = {"getauxval", "__getauxval", "__getauxval2", "elf_aux_info"};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (strcmp(name, models[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]) && !defined; i++)
		if (strcmp(name, vectors[i]) == 0)
			return true;
	return false;
}

/* Section and place of a function's code; false: it has none, or the symbol does not say how much. */
static bool place_of(const struct image *image, const GElf_Sym *symbol, struct isa_range *at)
{
	const struct image_section *section;
	uint64_t begin;

	if (symbol->st_shndx >= image->section_count || symbol->st_size == 0)
		return false;
	section = &image->sections[symbol->st_shndx];
	begin = symbol->st_value - (image->header.e_type == ET_REL ? 0 : section->header.sh_addr);
	if (!image_is_code(section) || begin >= section->header.sh_size)
		return false;
	*at = (struct isa_range){symbol->st_shndx, begin,
		symbol->st_size < section->header.sh_size - begin ? begin + symbol->st_size
								  : section->header.sh_size};
	return true;
}

static void add_symbol(const struct image *image, const struct isa_wanted *wanted, const GElf_Sym *symbol,
	const char *name, struct isa_ranges *ranges)
{
	struct isa_range at;

	if (is_look(name, symbol->st_shndx != SHN_UNDEF) && ranges->looks == NULL)
		ranges->looks = name;
	if (!is_function(symbol) || !place_of(image, symbol, &at))
		return;
	if (!counts(wanted, name)) {
		vec_push(&ranges->left_out, at);
		return;
	}
	vec_push(&ranges->functions,
		(struct isa_symbol){at, name, GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC});
	if (!wanted->sweep)
		vec_push(&ranges->code, at);
}

/* Data among code: from a mapping symbol $d to the next $x or the section's end (ELF for the Arm 64-bit Architecture). */
static bool is_mapping(const char *name, char kind)
{
	return name[0] == '$' && name[1] == kind && (name[2] == '\0' || name[2] == '.');
}

static void add_mark(
	const struct image *image, const GElf_Sym *symbol, const char *name, struct isa_marks *marks)
{
	const struct image_section *section;
	uint64_t at;

	if (!is_mapping(name, 'd') && !is_mapping(name, 'x'))
		return;
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= image->section_count)
		return;
	section = &image->sections[symbol->st_shndx];
	at = symbol->st_value - (image->header.e_type == ET_REL ? 0 : section->header.sh_addr);
	if (image_is_code(section) && at < section->header.sh_size)
		vec_push(marks, (struct isa_mark){symbol->st_shndx, at, is_mapping(name, 'd')});
}

static void read_symbols(const struct image *image, const struct image_section *table,
	const struct isa_wanted *wanted, struct isa_ranges *ranges, struct isa_marks *marks)
{
	Elf_Data *data = elf_getdata(table->scn, NULL);
	GElf_Sym symbol;

	for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
		const char *name = name_of(image, table->header.sh_link, &symbol);

		if (name == NULL)
			continue;
		add_symbol(image, wanted, &symbol, name, ranges);
		if (image->header.e_machine == EM_AARCH64)
			add_mark(image, &symbol, name, marks);
	}
}

int isa_symbols_read(const struct image *image, const struct isa_wanted *wanted, struct isa_ranges *ranges,
	struct isa_marks *marks, struct error *e)
{
	static const unsigned types[] = {SHT_SYMTAB, SHT_DYNSYM};
	uint64_t bytes = 0;

	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 1; i < image->section_count; i++) {
			const struct image_section *section = &image->sections[i];

			if (section->header.sh_type != types[k] || section->bytes == NULL)
				continue;
			bytes += section->header.sh_size;
			if (bytes > image->file.n)
				return isa_damaged(image, "tables of symbols", e);
			if (k == 0 || ranges->functions.n + ranges->left_out.n == 0)
				read_symbols(image, section, wanted, ranges, marks);
		}
	}
	return 0;
}

void isa_ranges_names(const struct image *image, struct arena *arena, struct words *names)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *table = &image->sections[i];
		Elf_Data *data;
		GElf_Sym symbol;

		if (table->header.sh_type != SHT_SYMTAB || table->bytes == NULL)
			continue;
		data = elf_getdata(table->scn, NULL);
		for (int k = 0; data != NULL && gelf_getsym(data, k, &symbol) != NULL; k++) {
			const char *name = name_of(image, table->header.sh_link, &symbol);

			if (is_function(&symbol) && name != NULL)
				words_add(names, arena, name);
		}
	}
	if (names->n > 0)
		qsort(names->v, names->n, sizeof(*names->v), text_compare);
}
