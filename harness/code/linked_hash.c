#include "code/linked_hash.h"

#include <string.h>

#include "base/hash.h"
#include "code/names.h"
#include "code/pieces.h"
#include "code/step.h"

enum {
	REGISTERS = 32,
	PAGE_LIVES = 12, /* instructions that the base of a page is believed to stay in its register */
	TEXT_LONGEST = 4096,
	TEXT_SURE = 8
};

/* AArch64: a register that adrp filled. */
struct page {
	uint64_t address;
	unsigned lives; /* 0: it holds something else */
};

struct hashing {
	const struct places *places;
	const struct image_section *section;
	struct linked_function *function;
	struct pieces pieces;
	struct page pages[REGISTERS];
	bool computed; /* it has a jump to where a register says */
	struct hash hash, exact;
};

static void add_number(struct hashing *h, uint64_t x)
{
	names_add_number(&h->hash, x);
	names_add_number(&h->exact, x);
}

static void add_bytes(struct hashing *h, const void *bytes, size_t count)
{
	hash_add(&h->hash, bytes, count);
	hash_add(&h->exact, bytes, count);
}

static void add_name(struct hashing *h, char kind, const char *name)
{
	const size_t length = strnlen(name, TEXT_LONGEST);

	add_bytes(h, &kind, 1);
	add_number(h, length);
	add_bytes(h, name, length);
}

static void cut(struct hashing *h)
{
	const unsigned machine = h->places->image->header.e_machine;
	const unsigned char *bytes = (const unsigned char *)h->section->bytes;
	const uint64_t from = h->function->address - h->section->header.sh_addr;
	const uint64_t end = from + h->function->size;

	for (uint64_t at = from; at < end;) {
		struct piece piece = {.at = (uint32_t)at, .to = PIECE_NOWHERE, .size = 1};
		struct step step;

		if (step_read(machine, bytes + at, end - at, &step)) {
			const uint64_t place = at + (uint64_t)step.distance;

			piece.size = (uint8_t)step.size;
			piece.kind = (uint8_t)step.kind;
			h->computed |= step.computed;
			if (step.flow && place >= from && place < end)
				piece.to = (uint32_t)place;
		}
		vec_push(&h->pieces, piece);
		at += piece.size;
	}
	h->pieces.regions = 1;
	pieces_finish(&h->pieces);
}

/*
 * A constant that an instruction reads, or a text that it takes the address of. Tables of jumps are no texts, but short
 * ones may look so: then only longer ones are believed.
 */
static bool add_constant(
	struct hashing *h, const struct image_section *section, uint64_t offset, unsigned access)
{
	const unsigned char *bytes = (const unsigned char *)section->bytes + offset;
	const uint64_t left = section->header.sh_size - offset;
	uint64_t length = 0;

	if (access > 0 && access <= left) {
		add_bytes(h, "c", 1);
		add_number(h, access);
		add_bytes(h, bytes, access);
		return true;
	}
	while (length < left && length < TEXT_LONGEST &&
		((bytes[length] >= ' ' && bytes[length] < 0x7F) || bytes[length] == '\n' ||
			bytes[length] == '\t'))
		length++;
	if (length == left || bytes[length] != '\0' || length < (h->computed ? TEXT_SURE : 1))
		return false;
	add_bytes(h, "t", 1);
	add_number(h, length);
	add_bytes(h, bytes, length);
	return true;
}

static void add_unfollowed(struct hashing *h, const struct image_section *section, uint64_t address)
{
	h->function->unfollowed++;
	add_bytes(h, "u", 1);
	if (section == NULL)
		return;
	add_name(h, 's', section->name);
	names_add_number(&h->exact, address - section->header.sh_addr);
}

/* What stands at an address outside of the function. */
static void add_reference(struct hashing *h, uint64_t address, unsigned access)
{
	const struct image_section *section = places_section(h->places, address);
	const struct place_fill *fill = places_fill(h->places, address);
	const struct place_symbol *symbol = places_symbol(h->places, address);
	const char *import = symbol == NULL ? places_import(h->places, address) : NULL;

	h->function->references++;
	if (import != NULL) {
		add_name(h, 'i', import);
		return;
	}
	/* a slot of the linkage table; what is a variable itself goes by its own name */
	if (fill != NULL && symbol == NULL && section != NULL && strncmp(section->name, ".got", 4) == 0) {
		const struct place_symbol *there =
			fill->name == NULL ? places_symbol(h->places, fill->value) : NULL;

		if (fill->name != NULL || there != NULL) {
			add_name(h, 'n', fill->name != NULL ? fill->name : there->name);
			return;
		}
	}
	if (symbol != NULL) {
		add_name(h, 'n', symbol->name);
		add_number(h, address - symbol->address);
		return;
	}
	if (section != NULL && image_is_constant(section) &&
		add_constant(h, section, address - section->header.sh_addr, access))
		return;
	add_unfollowed(h, section, address);
}

/* Where a distance or an address leads: an instruction of this function, or something else. */
static void add_place(struct hashing *h, uint64_t address, unsigned access)
{
	const uint64_t from = h->function->address;

	if (address >= from && address - from < h->function->size) {
		struct pieces_spot spot;

		pieces_spot(&h->pieces, address - h->section->header.sh_addr, &spot);
		add_bytes(h, "o", 1);
		add_number(h, spot.order);
		add_number(h, (uint64_t)spot.rest);
		return;
	}
	add_reference(h, address, access);
}

/* Code for fixed addresses has them in its instructions: what lies within the image is taken for one. */
static bool is_address(const struct hashing *h, uint64_t value)
{
	return h->places->image->header.e_type == ET_EXEC && places_section(h->places, value) != NULL;
}

static uint32_t word_of(const struct step *step)
{
	return (uint32_t)step->shape[0] | (uint32_t)step->shape[1] << 8 | (uint32_t)step->shape[2] << 16 |
	       (uint32_t)step->shape[3] << 24;
}

static void clear_bits(struct step *step, uint32_t mask)
{
	for (unsigned i = 0; i < 4; i++)
		step->shape[i] &= (unsigned char)~(mask >> 8 * i);
}

/*
 * The second half of an AArch64 address: add to, or a load or store behind, a register that adrp filled just before.
 * true: *address is complete, and its low part no longer in the shape.
 */
static bool second_half(struct hashing *h, struct step *step, uint64_t *address, unsigned *access)
{
	const uint32_t word = word_of(step), low = UINT32_C(0xFFF) << 10;
	const unsigned to = word & 31, base = word >> 5 & 31;
	const bool add = (word & 0xFFC00000) == 0x91000000, memory = (word & 0x3B000000) == 0x39000000;
	uint64_t page = h->pages[base].lives > 0 ? h->pages[base].address : 0;
	unsigned scale = word >> 30;

	for (unsigned i = 0; i < REGISTERS; i++)
		h->pages[i].lives -= h->pages[i].lives > 0;
	if (memory && (word & 0x04800000) == 0x04800000)
		scale += 4;			 /* of 16 bytes */
	if (!memory || (word & 0x04C00000) != 0) /* not a plain store: it may have another value now */
		h->pages[to].lives = 0;
	if (page == 0 || (!add && !memory))
		return false;
	*address = page + ((uint64_t)(word >> 10 & 0xFFF) << (memory ? scale : 0));
	*access = memory ? 1U << scale : 0;
	clear_bits(step, low);
	return true;
}

static void add_arm_pages(struct hashing *h, const struct piece *piece, struct step *step)
{
	uint64_t address = 0;
	unsigned access = 0;

	if (step->page) {
		const uint64_t here = h->section->header.sh_addr + piece->at;

		h->pages[word_of(step) & 31] = (struct page){
			.address = (here & ~UINT64_C(4095)) + (uint64_t)step->distance, .lives = PAGE_LIVES};
		step->leads = false; /* of which the second half tells */
		add_bytes(h, step->shape, step->shape_size);
		return;
	}
	if (step->leads) {
		add_bytes(h, step->shape, step->shape_size);
		return;
	}
	if (second_half(h, step, &address, &access)) {
		add_bytes(h, step->shape, step->shape_size);
		add_place(h, address, access);
		return;
	}
	add_bytes(h, step->shape, step->shape_size);
}

static void add_piece(struct hashing *h, const struct piece *piece)
{
	const unsigned machine = h->places->image->header.e_machine;
	const unsigned char *bytes = (const unsigned char *)h->section->bytes + piece->at;
	struct step step;

	if (!step_read(machine, bytes, piece->size, &step)) {
		add_bytes(h, bytes, piece->size);
		return;
	}
	add_number(h, step.shape_size);
	for (unsigned i = 0; i < 2; i++)
		if (step.absolute[i].size > 0 && is_address(h, step.absolute[i].value))
			memset(step.shape + step.absolute[i].at, 0, step.absolute[i].size);
	if (machine == EM_AARCH64)
		add_arm_pages(h, piece, &step);
	else
		add_bytes(h, step.shape, step.shape_size);
	if (step.leads)
		add_place(h, h->section->header.sh_addr + piece->at + (uint64_t)step.distance, step.access);
	for (unsigned i = 0; i < 2; i++)
		if (step.absolute[i].size > 0 && is_address(h, step.absolute[i].value))
			add_place(h, step.absolute[i].value, 0);
}

static const char *first_digits(struct hash *hash, struct arena *arena)
{
	char all[HASH_HEX];

	hash_final_hex(hash, all);
	return arena_strndup(arena, all, 16);
}

void linked_hash(const struct places *places, const struct image_section *section, struct arena *arena,
	struct linked_function *function)
{
	struct hashing h = {.places = places, .section = section, .function = function};

	if (section->header.sh_size >= PIECE_NOWHERE)
		return;
	cut(&h);
	hash_init(&h.hash);
	hash_init(&h.exact);
	hash_add_field(&h.hash, "flagstone linked function 1");
	hash_add_field(&h.exact, "flagstone exact function 1");
	add_number(&h, places->image->header.e_machine);
	for (size_t i = 0; i < h.pieces.n; i++)
		if (!h.pieces.v[i].dropped)
			add_piece(&h, &h.pieces.v[i]);
	function->hash = first_digits(&h.hash, arena);
	function->exact = first_digits(&h.exact, arena);
	pieces_release(&h.pieces);
}
