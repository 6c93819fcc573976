#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/functions.h"
#include "code/unit.h"

enum {
	DEEPEST = 3, /* constants that refer to constants: a function's table of strings */
	FIELD = 4    /* bytes of an x86 relocation field in code */
};

/* A function while it is hashed. */
struct hashing {
	struct unit *unit;
	const struct unit_symbol *function;
	struct hash hash;
	VEC(struct unit_relocation) references; /* relocations, and what the assembler resolved */
	char *bytes;				/* the function's, fields blanked */
};

/* The same on every host. */
static void add_number(struct hashing *h, int64_t x)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)((uint64_t)x >> 8 * i);
	hash_add(&h->hash, bytes, sizeof(bytes));
}

static void add_text(struct hashing *h, const char *text, size_t length)
{
	add_number(h, (int64_t)length);
	hash_add(&h->hash, text, length);
}

/* The length without an end made of `mark` and digits. */
static size_t without_number(const char *name, size_t length, const char *mark)
{
	size_t at = length, n = strlen(mark);

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < length && at > n && memcmp(name + at - n, mark, n) == 0 ? at - n : length;
}

/* What a name says; *numbered: it was told apart from others of its object by a number. */
static size_t name_length(const struct unit_symbol *symbol, bool *numbered)
{
	size_t length = strlen(symbol->name), shorter;

	length = without_number(symbol->name, length, ".lto_priv.");
	length = without_number(symbol->name, length, ".llvm.");
	*numbered = false;
	if (symbol->type != STT_OBJECT && symbol->type != STT_TLS)
		return length;
	shorter = without_number(symbol->name, length, ".");
	*numbered = shorter != length;
	return shorter;
}

static bool is_constant(const struct image_section *section)
{
	if (section->bytes == NULL || (section->header.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != SHF_ALLOC)
		return false;
	return (section->header.sh_flags & SHF_WRITE) == 0 || text_starts(section->name, ".data.rel.ro");
}

static void add_target(
	struct hashing *h, const struct unit_relocation *relocation, bool from_code, unsigned depth);

/* Entries of a table that are distances from its start have their own place in the addend. */
static struct unit_relocation in_table(
	const struct unit *unit, const struct unit_relocation *relocation, uint64_t table)
{
	struct unit_relocation out = *relocation;
	const unsigned machine = unit->image->header.e_machine;
	bool distance =
		(machine == EM_X86_64 && (out.type == R_X86_64_PC32 || out.type == R_X86_64_PC64)) ||
		(machine == EM_386 && out.type == R_386_PC32) ||
		(machine == EM_AARCH64 && (out.type == R_AARCH64_PREL32 || out.type == R_AARCH64_PREL64));

	if (distance)
		out.addend = (int64_t)((uint64_t)out.addend - (out.offset - table));
	out.offset -= table;
	return out;
}

/* The end of the string that begins at `at`, its last character included. */
static uint64_t string_end(const struct image_section *section, uint64_t at)
{
	static const char zeros[8];
	uint64_t width = section->header.sh_entsize, size = section->header.sh_size;

	if (width == 0 || width > sizeof(zeros))
		width = 1;
	while (size - at >= width) {
		at += width;
		if (memcmp(section->bytes + at - width, zeros, width) == 0)
			return at;
	}
	return size;
}

static uint64_t constant_end(const struct unit *unit, size_t index, uint64_t at)
{
	const struct image_section *section = &unit->image->sections[index];
	uint64_t left = section->header.sh_size - at, width = section->header.sh_entsize;

	if ((section->header.sh_flags & SHF_MERGE) == 0)
		return unit_end_of(unit, index, at);
	if ((section->header.sh_flags & SHF_STRINGS) != 0)
		return string_end(section, at);
	return at + (width > 0 && width < left ? width : left);
}

/* On i386 the field holds a part of where it leads, which add_target() tells better. */
static void blank_fields(const struct unit *unit, const struct unit_relocation *fields, size_t count,
	uint64_t from, char *bytes, uint64_t size)
{
	if (unit->image->header.e_machine != EM_386)
		return;
	for (size_t i = 0; i < count; i++)
		if (fields[i].offset - from < size && size - (fields[i].offset - from) >= FIELD)
			memset(bytes + (fields[i].offset - from), 0, FIELD);
}

/* Bytes and references from `at` to `end`, without the zeroes behind them, which may be padding. */
static void add_content(struct hashing *h, size_t index, uint64_t at, uint64_t end, unsigned depth)
{
	const struct unit_section *in = &h->unit->sections[index];
	size_t first = unit_first_relocation(in, at), last = unit_first_relocation(in, end), size = end - at;
	char *bytes;

	h->unit->work += size + (last - first);
	if (h->unit->work > h->unit->work_limit)
		return;
	bytes = mem_alloc(size);
	if (size > 0)
		memcpy(bytes, h->unit->image->sections[index].bytes + at, size);
	if (last > first)
		blank_fields(h->unit, in->relocations.v + first, last - first, at, bytes, size);
	while (size > 0 && bytes[size - 1] == 0)
		size--;
	add_text(h, bytes, size);
	mem_free(bytes);
	add_number(h, (int64_t)(last - first));
	for (size_t i = first; i < last && depth < DEEPEST; i++) {
		struct unit_relocation entry = in_table(h->unit, &in->relocations.v[i], at);

		add_target(h, &entry, false, depth + 1);
	}
}

/* A function or variable, and the distance from its start; what has no name of its own by its content, too. */
static void add_named(struct hashing *h, const struct unit_symbol *symbol, int64_t distance, unsigned depth)
{
	const struct image_section *section = &h->unit->image->sections[symbol->section];
	bool numbered;
	size_t length = name_length(symbol, &numbered);

	h->unit->work += length;
	if (h->unit->work > h->unit->work_limit)
		return;
	hash_add(&h->hash, "n", 1);
	add_text(h, symbol->name, length);
	add_number(h, distance);
	if (numbered && symbol->section != 0 && is_constant(section) &&
		symbol->value <= section->header.sh_size &&
		symbol->size <= section->header.sh_size - symbol->value)
		add_content(h, symbol->section, symbol->value, symbol->value + symbol->size, depth);
}

static void add_place(
	struct hashing *h, const struct unit_relocation *relocation, bool from_code, unsigned depth)
{
	size_t index = h->unit->symbols[relocation->symbol].section;
	const struct image_section *section = &h->unit->image->sections[index];
	const struct unit_symbol *function = h->function, *around;
	uint64_t at;
	int64_t rest;

	unit_place(h->unit, relocation, from_code, &at, &rest);
	if (index == function->section && at >= function->value && at - function->value <= function->size) {
		hash_add(&h->hash, "o", 1);
		add_number(h, (int64_t)(at - function->value) + rest);
		return;
	}
	around = unit_around(h->unit, index, at);
	if (around != NULL) {
		add_named(h, around, (int64_t)((uint64_t)rest + (at - around->value)), depth);
		return;
	}
	if (is_constant(section) && at < section->header.sh_size) {
		hash_add(&h->hash, "c", 1);
		add_number(h, rest);
		add_content(h, index, at, constant_end(h->unit, index, at), depth);
		return;
	}
	hash_add(&h->hash, "s", 1);
	add_text(h, section->name, strlen(section->name));
	add_number(h, (int64_t)((uint64_t)rest + at));
}

/* Whether a call goes through the linkage table is the linker's choice. */
static uint32_t type_of(const struct unit *unit, const struct unit_relocation *relocation)
{
	const unsigned machine = unit->image->header.e_machine;

	if (machine == EM_X86_64 && relocation->type == R_X86_64_PLT32)
		return R_X86_64_PC32;
	return machine == EM_386 && relocation->type == R_386_PLT32 ? R_386_PC32 : relocation->type;
}

static void add_target(
	struct hashing *h, const struct unit_relocation *relocation, bool from_code, unsigned depth)
{
	const struct unit_symbol *symbol = &h->unit->symbols[relocation->symbol];

	add_number(h, (int64_t)relocation->offset);
	add_number(h, type_of(h->unit, relocation));
	if (relocation->symbol != 0 && symbol->named)
		add_named(h, symbol, relocation->addend, depth);
	else if (relocation->symbol != 0 && symbol->section != 0)
		add_place(h, relocation, from_code, depth);
	else
		add_number(h, relocation->addend);
}

static int by_offset(const void *left, const void *right)
{
	const struct unit_relocation *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static bool is_relocated(const struct hashing *h, uint64_t offset)
{
	const struct unit_section *in = &h->unit->sections[h->function->section];
	uint64_t from = h->function->value + offset;
	size_t i = unit_first_relocation(in, from >= FIELD ? from - FIELD + 1 : 0);

	return i < in->relocations.n && in->relocations.v[i].offset < from + FIELD;
}

/* Notes that the field at `offset` leads to the start of another function, which lies `distance` behind it. */
static bool add_resolved(struct hashing *h, uint64_t offset, int64_t distance, uint32_t type, int64_t addend)
{
	const struct unit_symbol *function = h->function;
	uint64_t at = function->value + offset + (uint64_t)distance;
	const struct unit_symbol *other = unit_at_start(h->unit, function->section, at);

	if (other == NULL || !unit_is_function(h->unit, other) ||
		at - function->value < (function->size > 0 ? function->size : 1) || is_relocated(h, offset))
		return false;
	vec_push(&h->references, (struct unit_relocation){.offset = offset,
					 .addend = addend,
					 .type = type,
					 .symbol = (uint32_t)(other - h->unit->symbols)});
	return true;
}

/* Is the field at i that of a call, a jump or a lea with a distance from the instruction's end? */
static bool is_distance(const unsigned char *b, size_t i)
{
	if (b[i - 1] == 0xE8 || b[i - 1] == 0xE9)
		return true;
	return i >= 2 && ((b[i - 2] == 0x0F && (b[i - 1] & 0xF0) == 0x80) ||
				 (b[i - 2] == 0x8D && (b[i - 1] & 0xC7) == 0x05));
}

static void find_resolved_x86(struct hashing *h, uint32_t type)
{
	unsigned char *b = (unsigned char *)h->bytes;

	for (size_t i = 1; i + FIELD <= h->function->size; i++) {
		uint32_t value;

		if (!is_distance(b, i))
			continue;
		value = (uint32_t)b[i] | (uint32_t)b[i + 1] << 8 | (uint32_t)b[i + 2] << 16 |
			(uint32_t)b[i + 3] << 24;
		if (add_resolved(h, i, (int64_t)(int32_t)value + FIELD, type, -FIELD))
			memset(b + i, 0, FIELD);
	}
}

/* b and bl: 26 bits of distance in words. */
static void find_resolved_aarch64(struct hashing *h)
{
	unsigned char *b = (unsigned char *)h->bytes;

	for (size_t i = 0; i + FIELD <= h->function->size; i += FIELD) {
		bool call = (b[i + 3] & 0x80) != 0;
		uint32_t value;

		if ((b[i + 3] & 0x7C) != 0x14)
			continue;
		value = (uint32_t)b[i] | (uint32_t)b[i + 1] << 8 | (uint32_t)b[i + 2] << 16 |
			(uint32_t)(b[i + 3] & 3) << 24;
		value = (value ^ 0x2000000) - 0x2000000; /* its sign */
		if (add_resolved(h, i, (int64_t)(int32_t)value * FIELD,
			    call ? R_AARCH64_CALL26 : R_AARCH64_JUMP26, 0)) {
			memset(b + i, 0, FIELD - 1);
			b[i + 3] &= 0xFC;
		}
	}
}

static void find_references(struct hashing *h)
{
	const struct unit_section *in = &h->unit->sections[h->function->section];
	const struct unit_symbol *function = h->function;
	const unsigned machine = h->unit->image->header.e_machine;
	size_t first = unit_first_relocation(in, function->value);
	size_t last = unit_first_relocation(in, function->value + function->size);

	for (size_t i = first; i < last; i++) {
		struct unit_relocation entry = in->relocations.v[i];

		entry.offset -= function->value;
		vec_push(&h->references, entry);
	}
	if (last > first)
		blank_fields(h->unit, in->relocations.v + first, last - first, function->value, h->bytes,
			function->size);
	if (machine == EM_X86_64 || machine == EM_386)
		find_resolved_x86(h, R_X86_64_PC32); /* R_386_PC32 has the same number */
	else if (machine == EM_AARCH64)
		find_resolved_aarch64(h);
	if (h->references.n > 0)
		qsort(h->references.v, h->references.n, sizeof(*h->references.v), by_offset);
}

bool unit_hash_function(struct unit *unit, const struct unit_symbol *function, char hex[17])
{
	const struct image_section *section = &unit->image->sections[function->section];
	struct hashing h = {.unit = unit, .function = function};
	char all[HASH_HEX];

	if (function->size == 0 || function->value > section->header.sh_size ||
		function->size > section->header.sh_size - function->value)
		return false;
	unit->work += function->size;
	if (unit->work > unit->work_limit)
		return false;
	h.bytes = mem_alloc(function->size);
	memcpy(h.bytes, section->bytes + function->value, function->size);
	find_references(&h);
	unit->work += h.references.n;
	hash_init(&h.hash);
	hash_add_field(&h.hash, "flagstone function " CODE_FUNCTION_HASH);
	add_number(&h, unit->image->header.e_machine);
	add_text(&h, h.bytes, function->size);
	for (size_t i = 0; i < h.references.n; i++)
		add_target(&h, &h.references.v[i], true, 0);
	hash_final_hex(&h.hash, all);
	memcpy(hex, all, 16);
	hex[16] = '\0';
	vec_release(&h.references);
	mem_free(h.bytes);
	return unit->work <= unit->work_limit;
}
