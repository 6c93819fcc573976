#include "base/clock.h"

#include <time.h>

int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_own_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

void clock_stamp_of(int64_t unix_s, char stamp[CLOCK_STAMP_SIZE])
{
	time_t when = (time_t)unix_s;
	struct tm utc;

	gmtime_r(&when, &utc);
	strftime(stamp, CLOCK_STAMP_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void clock_stamp(char stamp[CLOCK_STAMP_SIZE])
{
	clock_stamp_of((int64_t)time(NULL), stamp);
}

void clock_sleep_ns(int64_t ns)
{
	struct timespec left;

	if (ns <= 0)
		return;
	left.tv_sec = (time_t)(ns / 1000000000);
	left.tv_nsec = (long)(ns % 1000000000);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &left, 0);
}
