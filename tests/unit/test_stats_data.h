/*
 * test_stats_data.h - reading the known answers in tests/golden/stats; for the test_stats_*.c programs, which are
 * started in the root of the repository.
 */
#ifndef FLAGSTONE_TEST_STATS_DATA_H
#define FLAGSTONE_TEST_STATS_DATA_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#define GOLDEN "tests/golden/stats/"

/* Equal within a relative tolerance, absolute below 1. */
static inline bool near_to(double a, double b, double tolerance)
{
	bool is_near = fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
	if (!is_near)
		fprintf(stderr, "%.17g is not %.17g\n", a, b);
	return is_near;
}

/* Equal within a relative tolerance, however small the numbers are. */
static inline bool near_relative(double a, double b, double tolerance)
{
	bool is_near = fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
	if (!is_near)
		fprintf(stderr, "%.17g is not %.17g\n", a, b);
	return is_near;
}

static inline json_t *golden_json(const char *path)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	if (root == NULL) {
		fprintf(stderr, "%s: %s (tests start in the root of the repository)\n", path, error.text);
		exit(1);
	}
	return root;
}

struct numbers {
	double *v;
	size_t n;
};

/* The numbers of a JSON array; freed with free(n.v). */
static inline struct numbers json_numbers(const json_t *array)
{
	struct numbers out = {calloc(json_array_size(array) + 1, sizeof(double)), json_array_size(array)};
	for (size_t i = 0; i < out.n; i++)
		out.v[i] = json_number_value(json_array_get(array, i));
	return out;
}

static inline double json_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* NULL if the key is missing or null. */
static inline const json_t *json_known(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_null(value) ? NULL : value;
}

#endif
