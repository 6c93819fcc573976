/*
 * matrix.h - the parts of a matrix, one source file each. Inside spec only.
 */
#ifndef FLAGSTONE_SPEC_MATRIX_H
#define FLAGSTONE_SPEC_MATRIX_H

#include "spec/reader.h"

enum { PRODUCT_MAX = 100000 };

/* variant.c */
/* `variants:` as written; *variants and *count stay untouched when there are none. */
void matrix_read_variants(
	struct reader *reader, const struct key *key, const struct node *node, void *matrix);
/* A mapping NAME: flags, as in `variants` and in each axis. what: "variant", "value of an axis". */
struct spec_variant *matrix_read_flag_sets(
	struct reader *reader, const struct node *node, const char *what, size_t *count);

/* axes.c */
void matrix_read_axes(struct reader *reader, const struct key *key, const struct node *node, void *matrix);
/* Fills matrix->variants with the product of its axes. place: of `axes`. */
void matrix_multiply_axes(struct reader *reader, struct spec_place place, struct spec_matrix *matrix);
/* The name of the value with this name in the axis, or NULL with the error added. */
const char *matrix_axis_value(struct reader *reader, const struct spec_axis *axis, const struct node *node);

/* filter.c: `include` and `exclude`, once the variants are known; list may be NULL. */
void matrix_read_filters(
	struct reader *reader, const struct node *list, bool is_include, struct spec_matrix *matrix);

/* measure.c */
void matrix_read_measure(struct reader *reader, const struct key *key, const struct node *node, void *matrix);

/* choice.c: workloads, slots, toolchains, copies, args, baseline. */
void matrix_read_workloads(
	struct reader *reader, const struct key *key, const struct node *node, void *matrix);
void matrix_read_slots(struct reader *reader, const struct key *key, const struct node *node, void *matrix);
void matrix_read_toolchains(
	struct reader *reader, const struct key *key, const struct node *node, void *matrix);
void matrix_read_copies(struct reader *reader, const struct key *key, const struct node *node, void *matrix);
void matrix_read_args(struct reader *reader, const struct key *key, const struct node *node, void *matrix);
/* Once the variants are known. node: of `baseline`, or NULL. */
void matrix_read_baseline(
	struct reader *reader, const struct node *node, struct spec_place root, struct spec_matrix *matrix);
/* A list "n=4,m=2" sorted by name, or NULL with the error added. */
const char *matrix_sorted_args(struct reader *reader, const struct node *node);
/* Is it a copies' text: a number, `cores` or `cpus`? */
bool matrix_parse_copies(const char *text, struct spec_copies *copies);

#endif
