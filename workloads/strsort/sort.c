/*
 * sort.c - merge sort from the top down, insertion sort for short runs.
 */
#include "sort.h"

/* Runs of this length and shorter are insertion-sorted. */
#define SHORT_RUN 8

static void insertion_sort(const char **strings, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const char *string = strings[i];
		size_t j = i;

		for (; j > 0 && string_compare(strings[j - 1], string) > 0; j--)
			strings[j] = strings[j - 1];
		strings[j] = string;
	}
}

void string_sort(const char **strings, const char **spare, size_t n)
{
	size_t half = n / 2;
	size_t left = 0;
	size_t right = half;
	size_t to = 0;

	if (n <= SHORT_RUN) {
		insertion_sort(strings, n);
		return;
	}
	string_sort(strings, spare, half);
	string_sort(strings + half, spare, n - half);

	/* Only the left half has to get out of the way: what is left of the right one is already in place. */
	for (size_t i = 0; i < half; i++)
		spare[i] = strings[i];
	while (left < half && right < n) {
		if (string_compare(spare[left], strings[right]) <= 0)
			strings[to++] = spare[left++];
		else
			strings[to++] = strings[right++];
	}
	while (left < half)
		strings[to++] = spare[left++];
}
