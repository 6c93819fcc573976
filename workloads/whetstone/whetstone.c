/*
 * whetstone.c - the Whetstone benchmark in double precision. One unit is one pass over its eight sections, which
 * counts as 10 million Whetstone instructions.
 *
 * Written from H. J. Curnow and B. A. Wichmann, "A synthetic benchmark", The Computer Journal 19(1), 1976. A pass
 * runs each loop 100 times as often as theirs. `units` passes are done section by section: all of the first one,
 * then all of the second one, so that the clock is read 16 times, whatever the number of passes.
 *
 * Section 1, the shortest, is run ten times as often again and its time is divided by ten. The fields s1 and rate
 * of the result line are after this division, elapsed_ns is before it.
 *
 * Floating-point results pass through a guard before and after each section, within its two readings of the clock:
 * otherwise a loop whose result is only needed later may move behind the second reading. The integers of section 4
 * stay visible constants, so a compiler may do that section (and nearly 3 and 7) at compile time: this is the
 * classic test, whose numbers are compared with published ones.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "driver.h"

#define SECTIONS 8

/* loops in a pass */
#define LOOPS_1 12000 /* ten times what the pass is credited with */
#define LOOPS_2 1400
#define LOOPS_3 34500
#define LOOPS_4 21000
#define LOOPS_5 3200
#define LOOPS_6 89900
#define LOOPS_7 61600
#define LOOPS_8 9300

/* Results drift with the passes; beyond this many, section 6 leaves the range that check() expects. */
#define MOST_UNITS 1000000u

struct passes {
	double ns[SECTIONS];	 /* the first one is divided by ten */
	double result[SECTIONS]; /* a value that depends on all of the section's work */
};

/* The procedures of sections 2, 6 and 7 stand behind their callers and can be called from other files. */
void section_2_procedure(double a[4], double t, double t2);
void section_6_procedure(double *x, double *y, double *z, double t, double t1, double t2);
void section_7_procedure(double a[4], int64_t j, int64_t k, int64_t l);

static const double t_start = 0.49999975;
static const double t1 = 0.50000025;
static const double t2 = 2.0;

static struct passes timed;

static double now_ns(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	/* a double counts nanoseconds exactly up to 2^53, which is 104 days */
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A copy whose address is taken, so that the variable itself can stay in a register. */
static inline double guarded(double value)
{
	double copy = value;

	GUARD_MEMORY(&copy);
	return copy;
}

static void section_1(double a[4], int64_t passes)
{
	double t = t_start;
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < LOOPS_1; i++) {
			a[0] = (a[0] + a[1] + a[2] - a[3]) * t;
			a[1] = (a[0] + a[1] - a[2] + a[3]) * t;
			a[2] = (a[0] - a[1] + a[2] + a[3]) * t;
			a[3] = (-a[0] + a[1] + a[2] + a[3]) * t;
		}
		t = 1.0 - t;
	}
}

static void section_2(double a[4], int64_t passes)
{
	double t = t_start;
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < LOOPS_2; i++)
			section_2_procedure(a, t, t2);
		t = 1.0 - t;
	}
}

/* j is 0 and 1 in turn, and each choice goes both ways. */
static int64_t section_3(int64_t passes)
{
	int64_t j = 1;
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < LOOPS_3; i++) {
			if (j == 1)
				j = 2;
			else
				j = 3;
			if (j > 2)
				j = 0;
			else
				j = 1;
			if (j < 1)
				j = 1;
			else
				j = 0;
		}
	}
	return j;
}

static void section_4(double a[4], int64_t passes)
{
	int64_t j = 1, k = 2, l = 3;
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < LOOPS_4; i++) {
			j = j * (k - j) * (l - k);
			k = l * k - (l - j) * k;
			l = (l - k) * (k + j);
			a[l - 2] = (double)(j + k + l);
			a[k - 2] = (double)(j * k * l);
		}
	}
}

static void section_5(double *x_result, double *y_result, int64_t passes)
{
	double x = *x_result, y = *y_result;
	double t = t_start;
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 1; i < LOOPS_5; i++) {
			x = t * atan(t2 * sin(x) * cos(x) / (cos(x + y) + cos(x - y) - 1.0));
			y = t * atan(t2 * sin(y) * cos(y) / (cos(x + y) + cos(x - y) - 1.0));
		}
		t = 1.0 - t;
	}
	*x_result = x;
	*y_result = y;
}

static void section_6(double *x, double *y, double *z, int64_t passes)
{
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < LOOPS_6; i++)
			section_6_procedure(x, y, z, t_start, t1, t2);
	}
}

static void section_7(double a[4], int64_t passes)
{
	const int64_t j = 0, k = 1, l = 2;
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < LOOPS_7; i++)
			section_7_procedure(a, j, k, l);
	}
}

static double section_8(double x, int64_t passes)
{
	int64_t pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < LOOPS_8; i++)
			x = sqrt(exp(log(x) / t1));
	}
	return x;
}

/* Each section between two readings of the clock, its guards inside them. */
static void run_passes(struct passes *passes, int64_t count)
{
	double a[4] = {1.0, -1.0, -1.0, -1.0};
	double x, y, z, start;
	int64_t j;

	start = now_ns();
	GUARD_MEMORY(a);
	section_1(a, count);
	GUARD_MEMORY(a);
	passes->ns[0] = (now_ns() - start) / 10.0;
	passes->result[0] = a[3];

	start = now_ns();
	GUARD_MEMORY(a);
	section_2(a, count);
	GUARD_MEMORY(a);
	passes->ns[1] = now_ns() - start;
	passes->result[1] = a[3];

	start = now_ns();
	j = section_3(count);
	GUARD_VALUE(j);
	passes->ns[2] = now_ns() - start;
	passes->result[2] = (double)j;

	a[0] = a[1] = 0.0;
	start = now_ns();
	GUARD_MEMORY(a);
	section_4(a, count);
	GUARD_MEMORY(a);
	passes->ns[3] = now_ns() - start;
	passes->result[3] = a[0] + a[1];

	start = now_ns();
	x = guarded(0.5);
	y = guarded(0.5);
	section_5(&x, &y, count);
	x = guarded(x);
	y = guarded(y);
	passes->ns[4] = now_ns() - start;
	passes->result[4] = y;

	start = now_ns();
	x = guarded(1.0);
	y = guarded(1.0);
	z = guarded(1.0);
	section_6(&x, &y, &z, count);
	GUARD_MEMORY(&x);
	GUARD_MEMORY(&y);
	GUARD_MEMORY(&z);
	passes->ns[5] = now_ns() - start;
	passes->result[5] = z;

	a[0] = 1.0;
	a[1] = 2.0;
	a[2] = 3.0;
	start = now_ns();
	GUARD_MEMORY(a);
	section_7(a, count);
	GUARD_MEMORY(a);
	passes->ns[6] = now_ns() - start;
	passes->result[6] = a[2];

	start = now_ns();
	x = guarded(0.75);
	x = guarded(section_8(x, count));
	passes->ns[7] = now_ns() - start;
	passes->result[7] = x;
}

void section_2_procedure(double a[4], double t, double divisor)
{
	int64_t i;

	for (i = 0; i < 6; i++) {
		a[0] = (a[0] + a[1] + a[2] - a[3]) * t;
		a[1] = (a[0] + a[1] - a[2] + a[3]) * t;
		a[2] = (a[0] - a[1] + a[2] + a[3]) * t;
		a[3] = (-a[0] + a[1] + a[2] + a[3]) / divisor;
	}
}

void section_6_procedure(double *x, double *y, double *z, double t, double u, double divisor)
{
	*x = *y;
	*y = *z;
	*x = t * (*x + *y);
	*y = u * (*x + *y);
	*z = (*x + *y) / divisor;
}

void section_7_procedure(double a[4], int64_t j, int64_t k, int64_t l)
{
	a[j] = a[k];
	a[k] = a[l];
	a[l] = a[j];
}

static int work(uint64_t units)
{
	run_passes(&timed, (int64_t)units);
	return 0;
}

/* By its bits: with -ffast-math the compiler takes every number for finite, and every comparison for decided. */
static int is_finite(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return (bits >> 52 & 0x7ff) != 0x7ff;
}

/* What any number of passes leaves lies in a narrow range. */
static int check_ranges(void)
{
	static const double range[SECTIONS][2] = {
		{-1.134, -1.12},
		{-1.134, -1.12},
		{1.0, 1.0},
		{12.0, 12.0},
		{0.499, 0.501},
		{0.98, 1.0},
		{3.0, 3.0},
		{0.75, 1.0},
	};
	int i;

	for (i = 0; i < SECTIONS; i++) {
		const double value = timed.result[i];

		if (!is_finite(value) || value < range[i][0] || value > range[i][1])
			return driver_fail(0, "section %d gave %.17g, must be from %g to %g", i + 1, value,
				range[i][0], range[i][1]);
	}
	return 0;
}

/*
 * The check value is that of a single pass run for it. Over many passes rounding adds up (section 6 differs by 1e-9
 * after a thousand), so the timed ones are only held against ranges.
 */
static int check(char *text, size_t size)
{
	struct passes single;
	int64_t count = 1;
	size_t used = 0;
	int i;

	if (check_ranges())
		return -1;
	/* not a constant to the optimizer, which must not make a second version for it */
	GUARD_VALUE(count);
	run_passes(&single, count);
	for (i = 0; i < SECTIONS; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.17g", i ? "," : "", single.result[i]);
	return 0;
}

static int report(char *text, size_t size, uint64_t units, uint64_t elapsed_ns)
{
	double sum_ns = 0.0;
	size_t used;
	int i;

	(void)elapsed_ns;
	for (i = 0; i < SECTIONS; i++)
		sum_ns += timed.ns[i];
	if (sum_ns <= 0.0)
		return driver_fail(0, "the clock did not move");
	/* ten million instructions a pass */
	used = (size_t)snprintf(text, size, " rate=%.17g", (double)units * 10.0 / (sum_ns * 1e-9));
	for (i = 0; i < SECTIONS; i++)
		used += (size_t)snprintf(text + used, size - used, " s%d=%.0f", i + 1, timed.ns[i]);
	return 0;
}

const struct workload flagstone_workload = {
	.name = "whetstone",
	.work = work,
	.check = check,
	.report = report,
	.max_units = MOST_UNITS,
};
