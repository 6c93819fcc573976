#include "code/padding.h"

#include <string.h>

#include "code/step.h"

enum { FIELD = 4 /* bytes of a field that keeps its own addend (i386) */ };

struct adding {
	const struct padding *padding;
	struct names_seen *names;
	struct hash *hash;
};

static void add_number(struct adding *a, uint64_t x)
{
	names_add_number(a->hash, x);
}

static void add_spot(struct adding *a, const struct pieces *section, uint64_t place)
{
	struct pieces_spot spot;

	pieces_spot(section, place, &spot);
	add_number(a, (uint64_t)spot.region << 32 | spot.order);
	add_number(a, (uint64_t)spot.rest);
}

/* What a relocation refers to: code by its spot, all else by name or place. */
static void add_target(struct adding *a, size_t section, const struct unit_relocation *relocation)
{
	const struct unit *unit = a->padding->unit;
	const struct unit_symbol *symbol = &unit->symbols[relocation->symbol];
	uint64_t place;
	size_t into;

	add_number(a, relocation->type);
	if (padding_place(a->padding, section, relocation, &into, &place)) {
		hash_add(a->hash, "p", 1);
		names_add(a->names, a->hash, unit->image->sections[into].name);
		add_spot(a, &a->padding->sections[into], place);
		return;
	}
	if (symbol->named) {
		hash_add(a->hash, "n", 1);
		a->padding->unit->work += strlen(symbol->name);
		if (a->padding->unit->work <= a->padding->unit->work_limit)
			names_add(a->names, a->hash, symbol->name);
		add_number(a, (uint64_t)relocation->addend);
		return;
	}
	hash_add(a->hash, "s", 1);
	names_add(a->names, a->hash, unit->image->sections[symbol->section].name);
	add_number(a, symbol->value + (uint64_t)relocation->addend);
}

/* Fields that keep their addend: what it says is in the target. */
static void blank(unsigned char *bytes, size_t size, uint64_t offset)
{
	for (uint64_t i = offset; i < size && i - offset < FIELD; i++)
		bytes[i] = 0;
}

/* One instruction: its shape, relocations from *next on, and where it leads. */
static void add_piece(struct adding *a, size_t index, const struct piece *piece, size_t *next)
{
	const struct unit_section *in = &a->padding->unit->sections[index];
	const struct image *image = a->padding->unit->image;
	const unsigned char *bytes = (const unsigned char *)image->sections[index].bytes + piece->at;
	const size_t first = *next;
	struct step step = {.shape_size = piece->size};
	bool relocated = false;

	memcpy(step.shape, bytes, piece->size < STEP_LONGEST ? piece->size : STEP_LONGEST);
	if (piece->size > 1)
		(void)step_read(image->header.e_machine, bytes, piece->size, &step); /* else the bytes stay */
	while (*next < in->relocations.n && in->relocations.v[*next].offset < piece->at + piece->size) {
		const uint64_t offset = in->relocations.v[*next].offset - piece->at;

		relocated |= offset >= step.field_at && offset < step.field_at + step.field_size;
		if (image->header.e_machine == EM_386)
			blank(step.shape, step.shape_size, offset);
		++*next;
	}
	add_number(a, step.shape_size);
	hash_add(a->hash, step.shape, step.shape_size);
	for (size_t i = first; i < *next; i++) {
		add_number(a, in->relocations.v[i].offset - piece->at);
		add_target(a, index, &in->relocations.v[i]);
	}
	if (step.leads && !relocated) {
		hash_add(a->hash, step.page ? "g" : "d", 1);
		if (step.page)
			add_number(a, (uint64_t)step.distance);
		else
			add_spot(a, &a->padding->sections[index], piece->at + (uint64_t)step.distance);
	}
}

static void add_code(struct adding *a, size_t index)
{
	const struct pieces *section = &a->padding->sections[index];
	const struct unit_section *in = &a->padding->unit->sections[index];
	uint32_t region = UINT32_MAX;
	size_t next = 0;

	for (size_t i = 0; i < section->n; i++) {
		const struct piece *piece = &section->v[i];

		while (next < in->relocations.n && in->relocations.v[next].offset < piece->at)
			next++;
		if (piece->dropped)
			continue;
		if (piece->region != region) {
			hash_add(a->hash, "f", 1);
			add_number(a, piece->region);
			region = piece->region;
		}
		add_piece(a, index, piece, &next);
	}
	hash_add(a->hash, "e", 1);
}

static void add_data(struct adding *a, size_t index)
{
	const struct image_section *section = &a->padding->unit->image->sections[index];
	const struct unit_section *in = &a->padding->unit->sections[index];
	const uint64_t size = section->header.sh_size;

	add_number(a, size);
	if (section->bytes != NULL) {
		unsigned char *bytes = mem_alloc(size);

		memcpy(bytes, section->bytes, size);
		for (size_t i = 0; i < in->relocations.n; i++)
			if (a->padding->unit->image->header.e_machine == EM_386)
				blank(bytes, size, in->relocations.v[i].offset);
		hash_add(a->hash, bytes, size);
		mem_free(bytes);
	}
	for (size_t i = 0; i < in->relocations.n; i++) {
		add_number(a, in->relocations.v[i].offset);
		add_target(a, index, &in->relocations.v[i]);
	}
}

int padding_hash(const struct padding *padding, struct names_seen *names, struct hash *hash, struct error *e)
{
	struct adding a = {.padding = padding, .names = names, .hash = hash};
	const struct image *image = padding->unit->image;
	struct unit *unit = padding->unit;

	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (!image_counts(section))
			continue;
		hash_add(hash, "S", 1);
		names_add(names, hash, section->name);
		if (image_is_code(section) && padding->sections[i].n > 0)
			add_code(&a, i);
		else
			add_data(&a, i);
	}
	hash_add(hash, "E", 1);
	if (unit->work > unit->work_limit)
		return error_set(e, EXIT_CANNOT,
			"reading %s: it is damaged: names of symbols overlap many times; build it again",
			image->path);
	return 0;
}
