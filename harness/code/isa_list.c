#include "code/isa_ranges.h"

#include <stdlib.h>

static int by_place(const void *left, const void *right)
{
	const struct isa_range *a = left, *b = right;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

void isa_list_merge(struct isa_list *list)
{
	size_t n = 0;

	if (list->n > 0)
		qsort(list->v, list->n, sizeof(*list->v), by_place);
	for (size_t i = 0; i < list->n; i++) {
		struct isa_range *last = n > 0 ? &list->v[n - 1] : NULL;

		if (last == NULL || last->section != list->v[i].section || last->end <= list->v[i].begin)
			list->v[n++] = list->v[i];
		else if (last->end < list->v[i].end)
			last->end = list->v[i].end;
	}
	list->n = n;
}

void isa_list_subtract(struct isa_list *from, const struct isa_list *less)
{
	struct isa_list rest = {0};
	size_t first = 0;

	for (size_t i = 0; i < from->n; i++) {
		struct isa_range left = from->v[i];

		while (first < less->n &&
			(less->v[first].section < left.section ||
				(less->v[first].section == left.section && less->v[first].end <= left.begin)))
			first++;
		for (size_t k = first; k < less->n && less->v[k].section == left.section &&
				       less->v[k].begin < left.end && left.begin < left.end;
			k++) {
			struct isa_range before = left;

			before.end = less->v[k].begin;
			if (before.begin < before.end)
				vec_push(&rest, before);
			left.begin = less->v[k].end < left.end ? less->v[k].end : left.end;
		}
		if (left.begin < left.end)
			vec_push(&rest, left);
	}
	vec_release(from);
	*from = rest;
}
