/*
 * digits.h - numbers as JSON text, fast: a record of a million samples has 27 million of them, each printed
 * twice (once for the id, once for the file).
 */
#ifndef FLAGSTONE_RECORD_DIGITS_H
#define FLAGSTONE_RECORD_DIGITS_H

#include <stdint.h>

enum { DIGITS_SIZE = 40 }; /* room for any number written here */

/* Writes the number at `at` without a NUL and returns the end of it. */
char *digits_u64(char *at, uint64_t x);
char *digits_i64(char *at, int64_t x);
/* With 15 to 17 significant digits, as few as read back bit by bit. x must be finite. */
char *digits_double(char *at, double x);

/*
 * Reads a JSON number at `at`, which must end in a byte that is part of no number. The result is the double
 * nearest to the text, ties to even. Returns the end of the number, or NULL when there is none, or when it is
 * too large for a double.
 */
const char *digits_read_double(const char *at, double *x);

#endif
