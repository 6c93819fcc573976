#include "code/unit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/relocation.h"

enum {
	PASSES = 64,	/* over a file: real objects take one or two */
	NAME_PASSES = 8 /* the same for all symbols' names, which are kept */
};

static int damaged(const struct image *image, struct error *e)
{
	return error_set(e, EXIT_CANNOT,
		"reading the functions of %s: it is damaged: its symbol table is unreadable; build it again",
		image->path);
}

static size_t find_section(const struct image *image, unsigned type, size_t link)
{
	for (size_t i = 1; i < image->section_count; i++)
		if (image->sections[i].header.sh_type == type && image->sections[i].bytes != NULL &&
			(link == 0 || image->sections[i].header.sh_link == link))
			return i;
	return 0;
}

/* Assemblers' own labels, and the marks of code and data on ARM and RISC-V. */
static bool is_label(const struct unit_symbol *symbol)
{
	if (symbol->name[0] == '\0' || symbol->name[0] == '$' || text_starts(symbol->name, ".L"))
		return true;
	return symbol->bind == STB_LOCAL && symbol->type == STT_NOTYPE;
}

static struct unit_symbol read_symbol(
	const struct image *image, const GElf_Sym *symbol, Elf32_Word wide, const char *name)
{
	size_t section = symbol->st_shndx == SHN_XINDEX ? wide : symbol->st_shndx;
	bool defined = symbol->st_shndx == SHN_XINDEX || symbol->st_shndx < SHN_LORESERVE;
	struct unit_symbol out = {.name = name,
		.value = symbol->st_value,
		.size = symbol->st_size,
		.section = defined && section < image->section_count ? section : 0,
		.type = GELF_ST_TYPE(symbol->st_info),
		.bind = GELF_ST_BIND(symbol->st_info)};

	if (image->header.e_machine == EM_ARM && out.type == STT_FUNC)
		out.value &= ~UINT64_C(1); /* says that it is Thumb code */
	out.named = out.type != STT_SECTION && out.type != STT_FILE && !is_label(&out);
	return out;
}

static int read_symbols(struct unit *unit, struct error *e)
{
	const struct image *image = unit->image;
	size_t table = find_section(image, SHT_SYMTAB, 0), names, wide;
	uint64_t left = NAME_PASSES * (uint64_t)image->file.n + (1 << 20);
	Elf_Data *data, *more = NULL;

	if (table == 0)
		return error_set(e, EXIT_CANNOT,
			"reading the functions of %s: it has no symbol table (stripped)", image->path);
	names = image->sections[table].header.sh_link;
	wide = find_section(image, SHT_SYMTAB_SHNDX, table);
	data = elf_getdata(image->sections[table].scn, NULL);
	if (wide != 0)
		more = elf_getdata(image->sections[wide].scn, NULL);
	if (data == NULL || image->sections[table].header.sh_entsize < sizeof(Elf32_Sym))
		return damaged(image, e);
	unit->symbol_count = image->sections[table].header.sh_size / image->sections[table].header.sh_entsize;
	unit->symbols = mem_alloc_array(unit->symbol_count, sizeof(*unit->symbols));
	for (size_t i = 0; i < unit->symbol_count; i++) {
		GElf_Sym symbol;
		Elf32_Word section = 0;
		const char *name;

		if (gelf_getsymshndx(data, more, (int)i, &symbol, &section) == NULL ||
			(name = elf_strptr(image->elf, names, symbol.st_name)) == NULL || strlen(name) > left)
			return damaged(image, e);
		left -= strlen(name);
		unit->symbols[i] = read_symbol(image, &symbol, section, name);
	}
	return 0;
}

static int by_offset(const void *left, const void *right)
{
	const struct unit_relocation *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* What stands in the field: tables without addends (i386) keep it there. */
static int64_t addend_in_place(
	const struct image *image, const struct image_section *section, uint64_t offset)
{
	int32_t value;

	if (image->header.e_machine != EM_386 || section->bytes == NULL ||
		section->header.sh_size < sizeof(value) || offset > section->header.sh_size - sizeof(value))
		return 0;
	memcpy(&value, section->bytes + offset, sizeof(value));
	return value;
}

static void add_relocations(struct unit *unit, size_t index, const struct relocations *table)
{
	const struct image_section *section = &unit->image->sections[index];
	struct unit_section *into = &unit->sections[index];

	for (size_t k = 0; k < table->count; k++) {
		GElf_Rela entry;

		if (!relocations_get(table, k, &entry) || GELF_R_SYM(entry.r_info) >= unit->symbol_count)
			break;
		vec_push(&into->relocations,
			(struct unit_relocation){.offset = entry.r_offset,
				.addend = table->explicit_addend
						  ? entry.r_addend
						  : addend_in_place(unit->image, section, entry.r_offset),
				.type = (uint32_t)GELF_R_TYPE(entry.r_info),
				.symbol = (uint32_t)GELF_R_SYM(entry.r_info),
				.index = (uint32_t)into->relocations.n});
	}
}

static void read_relocations(struct unit *unit)
{
	const struct image *image = unit->image;

	for (size_t i = 1; i < image->section_count; i++) {
		size_t index = image->sections[i].header.sh_info;
		struct relocations table;

		if (index == 0 || index >= image->section_count ||
			(image->sections[index].header.sh_flags & SHF_ALLOC) == 0 ||
			!relocations_open(image, &image->sections[i], &table))
			continue;
		add_relocations(unit, index, &table);
	}
	for (size_t i = 1; i < image->section_count; i++)
		if (unit->sections[i].relocations.n > 0)
			qsort(unit->sections[i].relocations.v, unit->sections[i].relocations.n,
				sizeof(*unit->sections[i].relocations.v), by_offset);
}

/* Of several names of a place the one that sorts last stands last, and is taken. */
static int by_value(const void *left, const void *right)
{
	const struct unit_symbol *a = *(const struct unit_symbol *const *)left;
	const struct unit_symbol *b = *(const struct unit_symbol *const *)right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return strcmp(b->name, a->name);
}

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void find_named(struct unit *unit)
{
	for (size_t i = 1; i < unit->symbol_count; i++) {
		const struct unit_symbol *symbol = &unit->symbols[i];

		if (symbol->section == 0 || symbol->type == STT_SECTION)
			continue;
		vec_push(&unit->sections[symbol->section].starts, symbol->value);
		if (symbol->named)
			vec_push(&unit->sections[symbol->section].named, symbol);
	}
	for (size_t i = 1; i < unit->image->section_count; i++)
		if (unit->sections[i].named.n > 0)
			qsort(unit->sections[i].named.v, unit->sections[i].named.n,
				sizeof(*unit->sections[i].named.v), by_value);
}

static void add_starts_of(struct unit *unit, size_t index)
{
	const struct unit_section *from = &unit->sections[index];
	bool code = image_is_code(&unit->image->sections[index]);

	for (size_t k = 0; k < from->relocations.n; k++) {
		const struct unit_relocation *relocation = &from->relocations.v[k];
		const struct unit_symbol *symbol = &unit->symbols[relocation->symbol];
		uint64_t at;
		int64_t rest;

		if (symbol->section == 0 || symbol->named)
			continue;
		unit_place(unit, relocation, code, &at, &rest);
		vec_push(&unit->sections[symbol->section].starts, at);
	}
}

static void find_starts(struct unit *unit)
{
	for (size_t i = 1; i < unit->image->section_count; i++)
		add_starts_of(unit, i);
	for (size_t i = 1; i < unit->image->section_count; i++)
		if (unit->sections[i].starts.n > 0)
			qsort(unit->sections[i].starts.v, unit->sections[i].starts.n,
				sizeof(*unit->sections[i].starts.v), by_number);
}

int unit_open(const struct image *image, struct unit *unit, struct error *e)
{
	*unit = (struct unit){.image = image, .work_limit = PASSES * image->file.n + (1 << 20)};
	if (image->header.e_type != ET_REL)
		return error_set(e, EXIT_CANNOT,
			"reading the functions of %s: it is no relocatable object file", image->path);
	unit->sections = mem_alloc_array(image->section_count, sizeof(*unit->sections));
	if (read_symbols(unit, e) != 0) {
		unit_release(unit);
		return -1;
	}
	read_relocations(unit);
	find_named(unit);
	find_starts(unit);
	return 0;
}

void unit_release(struct unit *unit)
{
	for (size_t i = 0; unit->sections != NULL && i < unit->image->section_count; i++) {
		vec_release(&unit->sections[i].relocations);
		vec_release(&unit->sections[i].named);
		vec_release(&unit->sections[i].starts);
	}
	mem_free(unit->sections);
	mem_free(unit->symbols);
	*unit = (struct unit){0};
}

bool unit_is_function(const struct unit *unit, const struct unit_symbol *symbol)
{
	return (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC) && symbol->named &&
	       symbol->section != 0 && image_is_code(&unit->image->sections[symbol->section]);
}

const struct unit_symbol *unit_around(const struct unit *unit, size_t section, uint64_t at)
{
	const struct unit_section *in = &unit->sections[section];
	size_t low = 0, high = in->named.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (in->named.v[mid]->value <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	const struct unit_symbol *last = in->named.v[low - 1];
	return at == last->value || at - last->value < last->size ? last : NULL;
}

const struct unit_symbol *unit_at_start(const struct unit *unit, size_t section, uint64_t at)
{
	const struct unit_symbol *found = unit_around(unit, section, at);

	return found != NULL && found->value == at ? found : NULL;
}

size_t unit_first_relocation(const struct unit_section *section, uint64_t offset)
{
	size_t low = 0, high = section->relocations.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (section->relocations.v[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Index of the first start behind `at`. */
static size_t first_start_behind(const struct unit_section *in, uint64_t at)
{
	size_t low = 0, high = in->starts.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (in->starts.v[mid] <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t unit_end_of(const struct unit *unit, size_t section, uint64_t at)
{
	const struct unit_section *in = &unit->sections[section];
	uint64_t end = unit->image->sections[section].header.sh_size;
	size_t next = first_start_behind(in, at);

	return next < in->starts.n && in->starts.v[next] < end ? in->starts.v[next] : end;
}

uint64_t unit_start_before(const struct unit *unit, size_t section, uint64_t at)
{
	const struct unit_section *in = &unit->sections[section];
	size_t next = first_start_behind(in, at);

	return next > 0 ? in->starts.v[next - 1] : 0;
}

/* Distances from an instruction's end to its field's start, the usual one first; 0: the field is no distance. */
static const int *biases(const struct image *image, const struct unit_relocation *relocation, bool from_code)
{
	static const int none[] = {0, -1}, i386[] = {4, -1}, x86_64[] = {4, 5, 6, 8, -1};

	if (!from_code)
		return none;
	if (image->header.e_machine == EM_386)
		return relocation->type == R_386_PC32 || relocation->type == R_386_PLT32 ? i386 : none;
	if (image->header.e_machine == EM_X86_64)
		return relocation->type == R_X86_64_PC32 || relocation->type == R_X86_64_PLT32 ? x86_64
											       : none;
	return none;
}

void unit_place(const struct unit *unit, const struct unit_relocation *relocation, bool from_code,
	uint64_t *at, int64_t *rest)
{
	const struct unit_symbol *symbol = &unit->symbols[relocation->symbol];
	const int *bias = biases(unit->image, relocation, from_code);

	if (symbol->type != STT_SECTION) {
		*at = symbol->value;
		*rest = relocation->addend;
		return;
	}
	*at = (uint64_t)relocation->addend + (uint64_t)bias[0];
	*rest = -bias[0];
	for (size_t i = 0; bias[i] >= 0; i++) {
		uint64_t place = (uint64_t)relocation->addend + (uint64_t)bias[i];

		if (unit_at_start(unit, symbol->section, place) != NULL) {
			*at = place;
			*rest = -bias[i];
			return;
		}
	}
}
