#include "code/padding.h"

#include <stdint.h>
#include <string.h>

#include "code/relocation.h"
#include "code/step.h"

enum { BLANK_LEAST = 4 /* bytes that are no code by chance */, BLANK_MOST = 255 /* bytes of a piece */ };

/* A code section while it is taken to pieces. */
struct cutting {
	struct padding *padding;
	struct pieces *into;
	const unsigned char *bytes;
	uint64_t size;
	size_t section;
	size_t next_function, next_relocation; /* in the unit's lists */
	uint64_t body_end;		       /* of the function; UINT64_MAX: its symbol tells no size */
	bool maybe_gap;			       /* behind the body, and nothing but fillers seen since */
};

/* Where the next function begins, or the section ends; functions that begin at or before `at` are passed. */
static uint64_t next_start(struct cutting *c, uint64_t at)
{
	const struct unit_section *in = &c->padding->unit->sections[c->section];

	while (c->next_function < in->named.n &&
		(in->named.v[c->next_function]->value <= at ||
			!unit_is_function(c->padding->unit, in->named.v[c->next_function])))
		c->next_function++;
	if (c->next_function < in->named.n && in->named.v[c->next_function]->value < c->size)
		return in->named.v[c->next_function]->value;
	return c->size;
}

/* The furthest end of the functions that begin here. */
static uint64_t body_end(const struct cutting *c, uint64_t at)
{
	const struct unit_section *in = &c->padding->unit->sections[c->section];
	uint64_t end = UINT64_MAX;

	for (size_t i = c->next_function; i > 0 && in->named.v[i - 1]->value >= at; i--) {
		const struct unit_symbol *symbol = in->named.v[i - 1];

		if (symbol->value != at || !unit_is_function(c->padding->unit, symbol) || symbol->size == 0 ||
			symbol->size > c->size - at)
			continue;
		if (end == UINT64_MAX || at + symbol->size > end)
			end = at + symbol->size;
	}
	return end;
}

/* Does a linker fill one of these bytes? */
static bool is_relocated(struct cutting *c, uint64_t from, uint64_t size)
{
	const struct unit_section *in = &c->padding->unit->sections[c->section];

	while (c->next_relocation < in->relocations.n && in->relocations.v[c->next_relocation].offset < from)
		c->next_relocation++;
	return c->next_relocation < in->relocations.n &&
	       in->relocations.v[c->next_relocation].offset - from < size;
}

/* How many bytes here are zeroes or traps, with which some linkers and assemblers fill between functions. */
static uint64_t blank_bytes(const unsigned char *bytes, uint64_t count)
{
	uint64_t n = 1;

	if (bytes[0] != 0 && bytes[0] != 0xCC)
		return 0;
	while (n < count && bytes[n] == bytes[0])
		n++;
	return n == count || n >= BLANK_LEAST ? n : 0;
}

static void push(struct cutting *c, uint64_t at, uint64_t size, unsigned kind, bool dropped, uint32_t to)
{
	vec_push(c->into, (struct piece){.at = (uint32_t)at,
				  .to = to,
				  .region = c->into->regions - 1,
				  .size = (uint8_t)size,
				  .kind = (uint8_t)kind,
				  .dropped = dropped});
	c->padding->pieces++;
}

static void push_blank(struct cutting *c, uint64_t at, uint64_t count)
{
	while (count > 0) {
		const uint64_t size = count < BLANK_MOST ? count : BLANK_MOST;

		push(c, at, size, STEP_FILL, true, PIECE_NOWHERE);
		at += size;
		count -= size;
	}
}

/* One piece at `at`, of at most `most` bytes; returns its size. */
static uint64_t cut_one(struct cutting *c, uint64_t at, uint64_t most)
{
	const unsigned machine = c->padding->unit->image->header.e_machine;
	uint32_t to = PIECE_NOWHERE;
	struct step step;

	if (!step_read(machine, c->bytes + at, most, &step)) {
		const uint64_t size = machine == EM_AARCH64 && most >= 4 ? 4 : 1;

		(void)is_relocated(c, at, size);
		push(c, at, size, STEP_PLAIN, false, to);
		return size;
	}
	if (is_relocated(c, at, step.size)) {
		if (step.kind == STEP_FILL)
			step.kind = STEP_PLAIN;
	} else if (step.flow) {
		const uint64_t place = at + (uint64_t)step.distance;

		if (place < c->size)
			to = (uint32_t)place;
	}
	push(c, at, step.size, step.kind, false, to);
	return step.size;
}

static int too_many(const struct padding *padding, struct error *e)
{
	return error_set(e, EXIT_CANNOT, "dropping the padding of %s: it has more than %d instructions",
		padding->unit->image->path, PIECES_MOST);
}

static int cut(struct padding *padding, size_t index, struct error *e)
{
	const struct image_section *section = &padding->unit->image->sections[index];
	struct cutting c = {.padding = padding,
		.into = &padding->sections[index],
		.bytes = (const unsigned char *)section->bytes,
		.size = section->header.sh_size,
		.section = index};
	uint64_t start = 0, blank;

	if (c.size >= PIECE_NOWHERE)
		return too_many(padding, e);
	for (uint64_t at = 0; at < c.size;) {
		if (at == start) {
			start = next_start(&c, at);
			c.body_end = body_end(&c, at);
			c.into->regions++;
			c.maybe_gap = true;
		}
		if (padding->pieces >= PIECES_MOST)
			return too_many(padding, e);
		blank = at >= c.body_end && c.maybe_gap ? blank_bytes(c.bytes + at, start - at) : 0;
		if (blank > 0) {
			push_blank(&c, at, blank);
			at += blank;
			continue;
		}
		at += cut_one(&c, at, start - at);
		c.maybe_gap = at <= c.body_end || c.into->v[c.into->n - 1].kind == STEP_FILL;
	}
	return 0;
}

/* The place that a relocation within code leads to, if that is no symbol: x86 counts from the instruction's end. */
static bool place_of_code(const struct padding *padding, size_t section,
	const struct unit_relocation *relocation, uint64_t *place)
{
	const struct unit_symbol *symbol = &padding->unit->symbols[relocation->symbol];
	const unsigned machine = padding->unit->image->header.e_machine;
	const struct piece *piece = pieces_at(&padding->sections[section], relocation->offset);
	const bool counts =
		(machine == EM_X86_64 &&
			(relocation->type == R_X86_64_PC32 || relocation->type == R_X86_64_PLT32 ||
				relocation->type == R_X86_64_PC16 || relocation->type == R_X86_64_PC8)) ||
		(machine == EM_386 &&
			(relocation->type == R_386_PC32 || relocation->type == R_386_PLT32 ||
				relocation->type == R_386_PC16 || relocation->type == R_386_PC8));

	if (piece == NULL)
		return false;
	*place = symbol->value + (uint64_t)relocation->addend;
	if (counts)
		*place += piece->at + piece->size - relocation->offset;
	return true;
}

/* The same within data, where a table's entries may be distances from the table's start. */
static uint64_t place_of_data(
	const struct padding *padding, size_t section, const struct unit_relocation *relocation)
{
	const struct unit_symbol *symbol = &padding->unit->symbols[relocation->symbol];
	const unsigned machine = padding->unit->image->header.e_machine, type = relocation->type;
	const bool distance =
		(machine == EM_X86_64 && (type == R_X86_64_PC32 || type == R_X86_64_PC64)) ||
		(machine == EM_386 && type == R_386_PC32) ||
		(machine == EM_AARCH64 && (type == R_AARCH64_PREL32 || type == R_AARCH64_PREL64));
	uint64_t place = symbol->value + (uint64_t)relocation->addend;

	if (distance)
		place -= relocation->offset - unit_start_before(padding->unit, section, relocation->offset);
	return place;
}

bool padding_place(const struct padding *padding, size_t section, const struct unit_relocation *relocation,
	size_t *into, uint64_t *place)
{
	const struct unit_symbol *symbol = &padding->unit->symbols[relocation->symbol];

	if (relocation->symbol == 0 || symbol->named || symbol->section == 0 ||
		padding->sections[symbol->section].n == 0)
		return false;
	*into = symbol->section;
	if (padding->sections[section].n > 0)
		return place_of_code(padding, section, relocation, place);
	*place = place_of_data(padding, section, relocation);
	return true;
}

/* What tables and pointers of data lead to, and code of other sections. */
static void mark_targets(struct padding *padding)
{
	const struct unit *unit = padding->unit;

	for (size_t i = 1; i < unit->image->section_count; i++) {
		for (size_t k = 0; k < unit->sections[i].relocations.n; k++) {
			size_t into;
			uint64_t place;

			if (padding_place(padding, i, &unit->sections[i].relocations.v[k], &into, &place))
				pieces_mark(&padding->sections[into], place);
		}
	}
}

int padding_open(struct unit *unit, struct padding *padding, struct error *e)
{
	const struct image *image = unit->image;
	const char *missing = step_missing(image->header.e_machine);

	if (missing != NULL)
		return error_set(e, EXIT_CANNOT, "dropping the padding of %s: %s", image->path, missing);
	*padding = (struct padding){
		.unit = unit, .sections = mem_alloc_array(image->section_count, sizeof(*padding->sections))};
	for (size_t i = 1; i < image->section_count; i++) {
		if (image_is_code(&image->sections[i]) && cut(padding, i, e) != 0) {
			padding_release(padding);
			return -1;
		}
	}
	mark_targets(padding);
	for (size_t i = 1; i < image->section_count; i++)
		pieces_finish(&padding->sections[i]);
	return 0;
}

void padding_release(struct padding *padding)
{
	for (size_t i = 0; padding->sections != NULL && i < padding->unit->image->section_count; i++)
		pieces_release(&padding->sections[i]);
	mem_free(padding->sections);
	*padding = (struct padding){0};
}
