/*
 * dhrystone.c - Dhrystone 2.1: the loop, P1 to P5, and the check of the state that the loop leaves (dhrystone.h).
 * One unit is one iteration.
 *
 * Each iteration overwrites what the one before has left, all but one counter. So an optimizer that sees both
 * translation units (LTO) may run the last iteration only. The guards forbid this: the addresses of the two local
 * strings are given away before the loop, and once in an iteration all memory counts as changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "dhrystone.h"

/*
 * 30 characters each. Numbers 1 and 2 agree in the first 19, then number 1 is the smaller: there the comparison in F2
 * ends. The third character of number 1 is not the fourth of number 2: so F2's loop ends.
 */
#define STRING_0 "FLAGSTONE RECORD, SOME CONTENT"
#define STRING_1 "FLAGSTONE STRINGS, 1 OF THREE."
#define STRING_2 "FLAGSTONE STRINGS, 2 OF THREE."
#define STRING_3 "FLAGSTONE STRINGS, 3 OF THREE."

/* M[8][7] starts at 10 and counts the iterations in an int. */
#define MOST_UNITS 2000000000u

int global_int;
int global_bool;
char global_char_1, global_char_2;
struct record *record_1, *record_2;
int global_row[SIDE];
int global_matrix[SIDE][SIDE];

/* the loop's local variables as it left them, for the check */
static struct {
	int x, y, z;
	enum choice e;
	char s1[STRING_SIZE], s2[STRING_SIZE];
	uint64_t units;
} left;

void p1(struct record *p)
{
	register struct record *q = p->next;

	*q = *record_1;
	p->u.first.i = 5;
	q->u.first.i = p->u.first.i;
	q->next = p->next;
	p3(&q->next);
	if (q->kind == CHOICE_0) {
		q->u.first.i = 6;
		p6(p->u.first.e, &q->u.first.e);
		q->next = record_1->next;
		p7(q->u.first.i, 10, &q->u.first.i);
	} else {
		*p = *p->next;
	}
}

void p2(int *value)
{
	int w = *value + 10;
	int flag = 0;

	do {
		if (global_char_1 == 'A') {
			w -= 1;
			*value = w - global_int;
			flag = 0;
		}
	} while (flag);
}

void p3(struct record **pointer)
{
	if (record_1)
		*pointer = record_1->next;
	p7(10, global_int, &record_1->u.first.i);
}

void p4(void)
{
	int t = global_char_1 == 'A';

	global_bool = t | global_bool;
	global_char_2 = 'B';
}

void p5(void)
{
	global_char_1 = 'A';
	global_bool = 0;
}

/* The state before the first iteration; also before the timed ones, so that the counter tells them alone. */
static int reset(void)
{
	global_int = 0;
	global_bool = 0;
	global_char_1 = 0;
	global_char_2 = 0;
	memset(global_row, 0, sizeof(global_row));
	memset(global_matrix, 0, sizeof(global_matrix));
	global_matrix[8][7] = 10;
	memset(record_1, 0, sizeof(*record_1));
	memset(record_2, 0, sizeof(*record_2));
	record_1->next = record_2;
	record_1->kind = CHOICE_0;
	record_1->u.first.e = CHOICE_2;
	record_1->u.first.i = 40;
	strcpy(record_1->u.first.s, STRING_0);
	return 0;
}

static int setup(void)
{
	record_2 = malloc(sizeof(*record_2));
	record_1 = malloc(sizeof(*record_1));
	if (!record_1 || !record_2)
		return driver_fail(0, "no memory for two records");
	return reset();
}

static int work(uint64_t units)
{
	const int most = (int)units;
	int x = 0;
	register int y = 0;
	int z = 0;
	register char c;
	int k;
	enum choice e = CHOICE_0;
	char s1[STRING_SIZE];
	char s2[STRING_SIZE];

	strcpy(s1, STRING_1);
	strcpy(s2, STRING_1);
	GUARD_MEMORY(s1);
	GUARD_MEMORY(s2);
	for (k = 1; k <= most; k++) {
		GUARD_ALL();
		p5();
		p4();
		x = 2;
		y = 3;
		strcpy(s2, STRING_2);
		e = CHOICE_1;
		global_bool = !f2(s1, s2);
		while (x < y) {
			z = 5 * x - y;
			p7(x, y, &z);
			x += 1;
		}
		p8(global_row, global_matrix, x, z);
		p1(record_1);
		for (c = 'A'; c <= global_char_2; c++) {
			if (e == f1(c, 'C')) {
				p6(CHOICE_0, &e);
				strcpy(s2, STRING_3);
				y = k;
				global_int = k;
			}
		}
		y = y * x;
		x = y / z;
		y = 7 * (y - z) - x;
		p2(&x);
	}
	left.x = x;
	left.y = y;
	left.z = z;
	left.e = e;
	memcpy(left.s1, s1, sizeof(s1));
	memcpy(left.s2, s2, sizeof(s2));
	left.units = units;
	return 0;
}

/* FNV-1a over the bytes of the numbers, least first, so that byte order and padding do not show. */
static uint64_t mix_byte(uint64_t hash, unsigned byte)
{
	return (hash ^ (byte & 255)) * UINT64_C(1099511628211);
}

static uint64_t mix(uint64_t hash, long number)
{
	int shift;

	for (shift = 0; shift < 32; shift += 8)
		hash = mix_byte(hash, (unsigned)(((uint64_t)(int64_t)number) >> shift));
	return hash;
}

static uint64_t mix_string(uint64_t hash, const char *text)
{
	int i;

	for (i = 0; i < STRING_SIZE; i++)
		hash = mix_byte(hash, (unsigned char)text[i]);
	return hash;
}

static uint64_t mix_record(uint64_t hash, const struct record *record)
{
	hash = mix(hash, record->next == record_2);
	hash = mix(hash, (long)record->kind);
	hash = mix(hash, (long)record->u.first.e);
	hash = mix(hash, record->u.first.i);
	return mix_string(hash, record->u.first.s);
}

static uint64_t hash_of_state(void)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	int i, j;

	hash = mix(hash, global_int);
	hash = mix(hash, global_bool);
	hash = mix(hash, global_char_1);
	hash = mix(hash, global_char_2);
	for (i = 0; i < SIDE; i++)
		hash = mix(hash, global_row[i]);
	for (i = 0; i < SIDE; i++) {
		for (j = 0; j < SIDE; j++)
			hash = mix(hash, global_matrix[i][j]);
	}
	hash = mix_record(hash, record_1);
	hash = mix_record(hash, record_2);
	hash = mix(hash, left.x);
	hash = mix(hash, left.y);
	hash = mix(hash, left.z);
	hash = mix(hash, (long)left.e);
	hash = mix_string(hash, left.s1);
	return mix_string(hash, left.s2);
}

struct expectation {
	const char *what;
	int64_t got, want;
};

static int64_t sum_of_arrays(void)
{
	int64_t sum = 0;
	int i, j;

	for (i = 0; i < SIDE; i++) {
		sum += global_row[i];
		for (j = 0; j < SIDE; j++)
			sum += global_matrix[i][j];
	}
	return sum;
}

/* The hash tells that something is wrong, this tells what. It holds after any number of iterations. */
static int check_state(void)
{
	const int64_t n = (int64_t)left.units;
	const struct expectation list[] = {
		{"the global integer", global_int, 5},
		{"the global boolean", global_bool, 1},
		{"the first global character", global_char_1, 'A'},
		{"the second global character", global_char_2, 'B'},
		{"A[8]", global_row[8], 7},
		{"A[9]", global_row[9], 7},
		{"A[38]", global_row[38], 8},
		{"M[8][7]", global_matrix[8][7], n + 10},
		{"M[8][8]", global_matrix[8][8], 8},
		{"M[8][9]", global_matrix[8][9], 8},
		{"M[28][8]", global_matrix[28][8], 7},
		{"the sum over both arrays", sum_of_arrays(), n + 55},
		{"record 1's next is record 2", record_1->next == record_2, 1},
		{"record 1's kind", record_1->kind, 0},
		{"record 1's enumeration", record_1->u.first.e, 2},
		{"record 1's integer", record_1->u.first.i, 17},
		{"record 1's string is right", !strcmp(record_1->u.first.s, STRING_0), 1},
		{"record 2's next is record 2", record_2->next == record_2, 1},
		{"record 2's kind", record_2->kind, 0},
		{"record 2's enumeration", record_2->u.first.e, 1},
		{"record 2's integer", record_2->u.first.i, 18},
		{"record 2's string is right", !strcmp(record_2->u.first.s, STRING_0), 1},
		{"x", left.x, 5},
		{"y", left.y, 13},
		{"z", left.z, 7},
		{"e", left.e, 1},
		{"string 1 is right", !strcmp(left.s1, STRING_1), 1},
		{"string 2 is right", !strcmp(left.s2, STRING_2), 1},
	};
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (list[i].got != list[i].want)
			return driver_fail(0,
				"after %" PRId64 " iterations: %s: %" PRId64 ", must be %" PRId64, n,
				list[i].what, list[i].got, list[i].want);
	}
	return 0;
}

static int check(char *text, size_t size)
{
	if (check_state())
		return -1;
	snprintf(text, size, "%016" PRIx64, hash_of_state());
	return 0;
}

const struct workload flagstone_workload = {
	.name = "dhrystone",
	.setup = setup,
	.work = work,
	.check = check,
	.reset = reset,
	.max_units = MOST_UNITS,
};
