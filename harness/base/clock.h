/*
 * clock.h - time. Differences come from CLOCK_MONOTONIC_RAW, which neither NTP nor leap seconds touch; the
 * calendar (CLOCK_REALTIME) only labels records and is never subtracted.
 */
#ifndef FLAGSTONE_BASE_CLOCK_H
#define FLAGSTONE_BASE_CLOCK_H

#include <stdint.h>

enum { CLOCK_STAMP_SIZE = 32 };

/* Nanoseconds of CLOCK_MONOTONIC_RAW since an unspecified start. */
int64_t clock_ns(void);
/* CPU time that this process has used, all threads. */
int64_t clock_own_cpu_ns(void);
/* The calendar now, in UTC: "2026-03-01T12:34:56Z". */
void clock_stamp(char stamp[CLOCK_STAMP_SIZE]);
/* Seconds since 1970 as such a stamp. */
void clock_stamp_of(int64_t unix_s, char stamp[CLOCK_STAMP_SIZE]);
/* Sleeps ns nanoseconds; ended early by a signal. */
void clock_sleep_ns(int64_t ns);

#endif
