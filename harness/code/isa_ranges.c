#include "code/isa_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "code/frames.h"

int isa_damaged(const struct image *image, const char *what, struct error *e)
{
	return error_set(e, EXIT_CANNOT, "decoding %s: it is damaged: its %s overlap; build it again",
		image->path, what);
}

/* A section of code by its address. */
struct place {
	uint64_t address, size;
	size_t section;
};

static int by_address(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* Functions that only the exception tables tell of, in a linked file: in an object the linker has yet to fill these. */
static void add_frames(const struct image *image, struct isa_ranges *ranges)
{
	VEC(struct place) places = {0};
	struct frames frames = {0};
	size_t next = 0;

	if (image->header.e_type == ET_REL)
		return;
	frames_read(image, &frames);
	for (size_t i = 1; i < image->section_count; i++)
		if (image_is_code(&image->sections[i]))
			vec_push(&places, (struct place){image->sections[i].header.sh_addr,
						  image->sections[i].header.sh_size, i});
	if (places.n > 0)
		qsort(places.v, places.n, sizeof(*places.v), by_address);
	for (size_t i = 0; i < frames.n && places.n > 0; i++) {
		const struct frame *frame = &frames.v[i];
		uint64_t begin;

		while (next + 1 < places.n && places.v[next + 1].address <= frame->address)
			next++;
		begin = frame->address - places.v[next].address;
		if (frame->address < places.v[next].address || begin >= places.v[next].size ||
			frame->size > places.v[next].size - begin)
			continue;
		vec_push(&ranges->code,
			(struct isa_range){places.v[next].section, begin, begin + frame->size});
		ranges->by_frames = true;
	}
	frames_release(&frames);
	vec_release(&places);
}

static int by_function(const void *left, const void *right)
{
	const struct isa_symbol *a = left, *b = right;
	if (a->at.section != b->at.section)
		return a->at.section < b->at.section ? -1 : 1;
	if (a->at.begin != b->at.begin)
		return a->at.begin < b->at.begin ? -1 : 1;
	if (a->at.end != b->at.end)
		return a->at.end > b->at.end ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_mark(const void *left, const void *right)
{
	const struct isa_mark *a = left, *b = right;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->is_data - b->is_data;
}

/*
 * What lies between the ranges of each section of code; a section that has none becomes a range as a whole, or nothing
 * where only some functions count.
 */
static void find_gaps(
	const struct image *image, const struct isa_list *found, bool whole, struct isa_ranges *ranges)
{
	size_t next = 0;

	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		const uint64_t size = section->header.sh_size;
		const size_t first = next;
		uint64_t at = 0;

		for (; next < found->n && found->v[next].section == i; next++) {
			if (found->v[next].begin > at)
				vec_push(&ranges->gaps, (struct isa_range){i, at, found->v[next].begin});
			at = found->v[next].end;
		}
		if (!image_is_code(section) || at >= size)
			continue;
		if (next > first) {
			vec_push(&ranges->gaps, (struct isa_range){i, at, size});
		} else if (whole) {
			vec_push(&ranges->code, (struct isa_range){i, 0, size});
			ranges->by_sections = true;
		}
	}
}

static struct isa_list data_of(const struct image *image, struct isa_marks *marks)
{
	struct isa_list data = {0};

	if (marks->n > 0)
		qsort(marks->v, marks->n, sizeof(*marks->v), by_mark);
	for (size_t i = 0; i < marks->n; i++) {
		const struct isa_mark *mark = &marks->v[i];
		const bool same = i + 1 < marks->n && mark[1].section == mark->section;
		const uint64_t end = same ? mark[1].at : image->sections[mark->section].header.sh_size;

		if (mark->is_data && mark->at < end)
			vec_push(&data, (struct isa_range){mark->section, mark->at, end});
	}
	return data;
}

static int check_sections(const struct image *image, struct error *e)
{
	uint64_t bytes = 0;

	for (size_t i = 1; i < image->section_count; i++) {
		if (!image_is_code(&image->sections[i]))
			continue;
		bytes += image->sections[i].header.sh_size;
		if (bytes > image->file.n)
			return isa_damaged(image, "sections of code", e);
	}
	return 0;
}

/* What counts by its symbol counts, though it has another name that does not. */
static void keep_functions(struct isa_ranges *ranges)
{
	struct isa_list kept = {0};

	for (size_t i = 0; i < ranges->functions.n; i++)
		vec_push(&kept, ranges->functions.v[i].at);
	isa_list_merge(&kept);
	isa_list_merge(&ranges->left_out);
	isa_list_subtract(&ranges->left_out, &kept);
	vec_release(&kept);
}

/* From what was found to what is decoded. */
static void arrange(const struct image *image, const struct isa_wanted *wanted, struct isa_marks *marks,
	struct isa_ranges *ranges)
{
	struct isa_list found = {0}, data = data_of(image, marks);

	if (wanted->sweep)
		ranges->left_out.n = 0;
	keep_functions(ranges);
	for (size_t i = 0; i < ranges->code.n; i++)
		vec_push(&found, ranges->code.v[i]);
	for (size_t i = 0; i < ranges->left_out.n; i++)
		vec_push(&found, ranges->left_out.v[i]);
	isa_list_merge(&found);
	find_gaps(image, &found, wanted->only == NULL, ranges);
	isa_list_merge(&ranges->code);
	isa_list_subtract(&ranges->code, &ranges->left_out);
	isa_list_subtract(&ranges->code, &data);
	isa_list_subtract(&ranges->gaps, &data);
	if (wanted->only != NULL)
		ranges->gaps.n = 0; /* other functions */
	vec_release(&found);
	vec_release(&data);
}

int isa_ranges_find(const struct image *image, const struct isa_wanted *wanted, struct isa_ranges *ranges,
	struct error *e)
{
	struct isa_marks marks = {0};

	*ranges = (struct isa_ranges){0};
	if (check_sections(image, e) != 0)
		return -1;
	if (isa_symbols_read(image, wanted, ranges, &marks, e) != 0) {
		isa_ranges_release(ranges);
		vec_release(&marks);
		return -1;
	}
	ranges->by_symbols = ranges->functions.n > 0 && !wanted->sweep;
	if (wanted->only == NULL && !wanted->sweep)
		add_frames(image, ranges);
	if (ranges->functions.n > 0)
		qsort(ranges->functions.v, ranges->functions.n, sizeof(*ranges->functions.v), by_function);
	arrange(image, wanted, &marks, ranges);
	vec_release(&marks);
	return 0;
}

void isa_ranges_release(struct isa_ranges *ranges)
{
	vec_release(&ranges->code);
	vec_release(&ranges->gaps);
	vec_release(&ranges->left_out);
	vec_release(&ranges->functions);
}

const struct isa_symbol *isa_ranges_function(const struct isa_ranges *ranges, size_t section, uint64_t at)
{
	const struct isa_symbol *found = NULL;

	for (size_t i = 0; i < ranges->functions.n; i++) {
		const struct isa_symbol *symbol = &ranges->functions.v[i];

		if (symbol->at.section == section && symbol->at.begin <= at && at < symbol->at.end)
			found = symbol;
	}
	return found;
}
