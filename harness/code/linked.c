#include "code/linked.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "code/frames.h"
#include "code/linked_hash.h"
#include "code/places.h"
#include "code/step.h"

enum {
	SECTIONS_MOST = 64, /* of code: linked files have a handful */
	PASSES = 4 /* over the code: functions of real files hardly overlap */,
	NAME_LONGEST = 4096,
	NAME_PASSES = 8
};

typedef VEC(struct linked_function) functions;

static bool is_inside(const struct image_section *section, uint64_t address, uint64_t size)
{
	return section != NULL && image_is_code(section) &&
	       size <= section->header.sh_size - (address - section->header.sh_addr);
}

static void add_symbols(const struct places *places, struct arena *arena, functions *all)
{
	uint64_t left = NAME_PASSES * (uint64_t)places->image->file.n;

	for (size_t i = 0; i < places->symbols.n; i++) {
		const struct place_symbol *symbol = &places->symbols.v[i];
		size_t length;

		if (!symbol->function || symbol->size == 0 ||
			(all->n > 0 && all->v[all->n - 1].address == symbol->address) ||
			!is_inside(places_section(places, symbol->address), symbol->address, symbol->size))
			continue;
		length = strnlen(symbol->name, NAME_LONGEST);
		left -= length < left ? length : left;
		vec_push(all, (struct linked_function){
				      .name = left > 0 ? arena_strndup(arena, symbol->name, length) : NULL,
				      .address = symbol->address,
				      .size = symbol->size});
	}
}

/* Does a function that was found already have this address? */
static bool is_known(const functions *all, size_t known, uint64_t address)
{
	size_t low = 0, high = known;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (all->v[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && address - all->v[low - 1].address < all->v[low - 1].size;
}

static int by_address(const void *left, const void *right)
{
	const struct linked_function *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* Ranges that no symbol covers; linkage tables are the linker's. */
static bool add_frames(const struct places *places, functions *all)
{
	struct frames frames = {0};
	const size_t known = all->n;

	frames_read(places->image, &frames);
	for (size_t i = 0; i < frames.n; i++) {
		const struct frame *frame = &frames.v[i];
		const struct image_section *section = places_section(places, frame->address);

		if (is_inside(section, frame->address, frame->size) &&
			strncmp(section->name, ".plt", 4) != 0 && !is_known(all, known, frame->address))
			vec_push(all,
				(struct linked_function){.address = frame->address, .size = frame->size});
	}
	frames_release(&frames);
	if (all->n > known)
		qsort(all->v, all->n, sizeof(*all->v), by_address);
	return all->n > known;
}

static void hash_all(const struct places *places, struct arena *arena, struct linked_functions *out)
{
	uint64_t left = PASSES * out->code_bytes;

	out->unhashed = step_missing(places->image->header.e_machine);
	for (size_t i = 0; i < out->n && out->unhashed == NULL; i++) {
		struct linked_function *function = &out->v[i];

		if (function->size > left)
			break;
		left -= function->size;
		linked_hash(places, places_section(places, function->address), arena, function);
	}
}

/* Bytes at the start of a gap that do nothing. */
static uint64_t filler(unsigned machine, const unsigned char *bytes, uint64_t count)
{
	uint64_t at = 0;

	while (at < count) {
		struct step step;

		if (bytes[at] == 0 || bytes[at] == 0xCC)
			at++;
		else if (step_read(machine, bytes + at, count - at, &step) && step.kind == STEP_FILL)
			at += step.size;
		else
			break;
	}
	return at;
}

struct gaps {
	const struct places *places;
	struct arena *arena;
	VEC(const char *) hashes;
};

static void add_gap(struct gaps *gaps, const struct image_section *section, uint64_t from, uint64_t to)
{
	const unsigned machine = gaps->places->image->header.e_machine;
	const unsigned char *bytes = (const unsigned char *)section->bytes + (from - section->header.sh_addr);
	struct linked_function gap = {0};

	gap.address = from + filler(machine, bytes, to - from);
	gap.size = to - gap.address;
	if (gap.size == 0)
		return;
	linked_hash(gaps->places, section, gaps->arena, &gap);
	if (gap.hash != NULL)
		vec_push(&gaps->hashes, gap.hash);
}

/* Code between functions; the linkage table is the linker's. */
static void find_gaps(
	struct gaps *gaps, const struct image_section *section, const struct linked_functions *all)
{
	const uint64_t from = section->header.sh_addr, end = from + section->header.sh_size;
	uint64_t at = from;

	for (size_t i = 0; i < all->n && at < end; i++) {
		const struct linked_function *function = &all->v[i];

		if (function->address < from || function->address >= end)
			continue;
		if (function->address > at)
			add_gap(gaps, section, at, function->address);
		if (function->address + function->size > at)
			at = function->address + function->size;
	}
	if (at < end)
		add_gap(gaps, section, at, end);
}

static void hash_rest(const struct places *places, struct arena *arena, struct linked_functions *out)
{
	struct gaps gaps = {.places = places, .arena = arena};
	struct hash hash;
	char hex[HASH_HEX];

	/* sections are sorted by address, and few: looking through all functions for each would still take long */
	for (size_t i = 0, looked = 0; i < places->loaded.n && looked < SECTIONS_MOST; i++) {
		const struct image_section *section = places->loaded.v[i];

		if (!image_is_code(section) || strncmp(section->name, ".plt", 4) == 0)
			continue;
		find_gaps(&gaps, section, out);
		looked++;
	}
	if (gaps.hashes.n > 0)
		qsort(gaps.hashes.v, gaps.hashes.n, sizeof(*gaps.hashes.v), text_compare);
	hash_init(&hash);
	for (size_t i = 0; i < gaps.hashes.n; i++)
		hash_add_field(&hash, gaps.hashes.v[i]);
	hash_final_hex(&hash, hex);
	out->rest = arena_strndup(arena, hex, 16);
	vec_release(&gaps.hashes);
}

static void count_bytes(const struct image *image, struct linked_functions *out)
{
	uint64_t end = 0;

	for (size_t i = 1; i < image->section_count; i++)
		if (image_is_code(&image->sections[i]))
			out->code_bytes += image->sections[i].header.sh_size;
	for (size_t i = 0; i < out->n; i++) {
		const uint64_t from = out->v[i].address > end ? out->v[i].address : end;
		const uint64_t to = out->v[i].address + out->v[i].size;

		if (to > from)
			out->covered_bytes += to - from;
		end = to > end ? to : end;
	}
}

void linked_read(const struct image *image, struct arena *arena, struct linked_functions *out)
{
	struct places places;
	functions all = {0};
	bool frames, symbols;

	*out = (struct linked_functions){0};
	places_open(image, &places);
	add_symbols(&places, arena, &all);
	symbols = all.n > 0;
	frames = !places.full && add_frames(&places, &all);
	out->found_by = places.full ? "symbols"
			: symbols   ? (frames ? "exported symbols and unwinding tables" : "exported symbols")
			: frames    ? "unwinding tables"
				    : "nothing: it has neither symbols nor unwinding tables";
	out->v = arena_array(arena, all.n, sizeof(*out->v));
	out->n = all.n;
	if (all.n > 0)
		memcpy(out->v, all.v, all.n * sizeof(*out->v));
	vec_release(&all);
	count_bytes(image, out);
	hash_all(&places, arena, out);
	if (out->unhashed == NULL)
		hash_rest(&places, arena, out);
	places_release(&places);
}
