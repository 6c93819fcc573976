/*
 * num.h - numbers in the text forms that people write and read. Always with a decimal point, whatever the
 * locale.
 */
#ifndef FLAGSTONE_BASE_NUM_H
#define FLAGSTONE_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { NUM_SIZE = 48 }; /* room for any text from here */

/* Whole text as a number; false when it is not one, out of range, or has anything behind it. */
bool num_parse_u64(const char *text, uint64_t *value);
bool num_parse_double(const char *text, double *value);
/* "5ms", "20m", "1.5s", "300us", "10ns", "2h": nanoseconds, positive or 0. A bare number is refused. */
bool num_parse_duration(const char *text, int64_t *ns);
/* "0.5%" gives 0.005. A number without % is refused, so that 0.5 is never taken for 50 %. */
bool num_parse_percent(const char *text, double *fraction);
/* "16..64" or "16" (both ends equal). */
bool num_parse_range(const char *text, uint64_t *low, uint64_t *high);
/* "512M", "2G", "64K", "4096": bytes, powers of 1024. */
bool num_parse_size(const char *text, uint64_t *bytes);

/* x with `digits` significant digits and no exponent where that stays readable; never changes a leading digit. */
void num_significant(double x, int digits, char text[NUM_SIZE]);
/* A number with T, G, M, k, m, u, n, p: "27.31 M", "294.4 n". */
void num_rate(double x, char text[NUM_SIZE]);
/*
 * Appends x in its unit: "27.31 M lps", "294.4 ns/op", "10044 KBps". A unit that has a prefix already (KBps, MWIPS, ms)
 * gets none; the symbols s, B, bit, Hz, W, J take theirs without a blank, and s none above 1. `like` is the value
 * whose size chooses the prefix: x itself, or for numbers that stand side by side the same one for all of them.
 */
void num_quantity(struct buf *out, double x, double like, const char *unit);
/* Nanoseconds as "4.97 ms", "1 min 23 s". */
void num_duration(int64_t ns, char text[NUM_SIZE]);
/* A log effect as a signed percentage with `decimals`: "+1.3 %", "-0.2 %", and "0.0 %" without sign. */
void num_effect(double effect, int decimals, char text[NUM_SIZE]);
/* For qsort() of doubles, upwards. */
int num_compare_doubles(const void *a, const void *b);
/* The same for uint32_t. */
int num_compare_u32(const void *a, const void *b);
/* "1,234,567" */
void num_grouped(uint64_t x, char text[NUM_SIZE]);

#endif
