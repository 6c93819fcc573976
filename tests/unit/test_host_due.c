/*
 * When cron and systemd do something next. Times were worked out with a calendar: 2026-12-01 is a Tuesday, day 20788
 * since 1970.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "host/due.h"

#define NOON_TEN INT64_C(1796127000) /* 2026-12-01 12:10:00 UTC */
#define DAY	 INT64_C(86400)
#define FIRST	 (INT64_C(20788) * DAY) /* 2026-12-01 00:00 */

static void use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void cron_next__lines__as_the_calendar_says(void **state)
{
	static const struct {
		const char *line;
		int64_t next;
	} rows[] = {
		{"*/10 12 * * * x", NOON_TEN + 600},
		{"10 12 * * * x", NOON_TEN + DAY}, /* not this very moment again */
		{"0 22 * * 1-5 x", FIRST + 22 * 3600},
		{"5 4 * * sun x", FIRST + 5 * DAY + 4 * 3600 + 5 * 60}, /* the 6th */
		{"5 4 * * 0 x", FIRST + 5 * DAY + 4 * 3600 + 5 * 60},
		{"5 4 * * 7 x", FIRST + 5 * DAY + 4 * 3600 + 5 * 60},
		/* crontab(5)'s own example: the 1st and 15th, and each Friday, the 4th */
		{"30 4 1,15 * 5 x", FIRST + 3 * DAY + 4 * 3600 + 30 * 60},
		/* a field that begins with a star does not restrict, so both must hold: an odd day that is a Tuesday */
		{"0 0 */2 * 2 x", FIRST + 14 * DAY},
		{"0 0 1 1 * x", INT64_C(20819) * DAY},
		{"0 0 1 jan * x", INT64_C(20819) * DAY},
		{"0 0 29 2 * x", INT64_C(21243) * DAY}, /* 2028 */
		{"0 0 31 2 * x", -1},
		{"@hourly x", FIRST + 13 * 3600},
		{"@daily x", FIRST + DAY},
		{"@weekly x", FIRST + 5 * DAY},
		{"@monthly x", INT64_C(20819) * DAY},
		{"@yearly x", INT64_C(20819) * DAY},
		{"@reboot x", -1},
		{"  1-59/29 12 * * * x", NOON_TEN + 20 * 60}, /* 1, 30, 59 */
		{"-0 13 * * * x", FIRST + 13 * 3600},
	};

	(void)state;
	use_zone("UTC");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cron_entry entry;
		int64_t next;

		assert_int_equal(cron_parse(rows[i].line, false, &entry), CRON_ENTRY);
		assert_string_equal(entry.command, "x");
		next = cron_next(&entry, NOON_TEN);
		if (next != rows[i].next)
			fail_msg("%s: %lld, expected %lld", rows[i].line, (long long)next,
				(long long)rows[i].next);
	}
}

static void cron_parse__what_is_no_entry__is_told_from_what_is_not_understood(void **state)
{
	static const char *const nothing[] = {
		"", "   ", "# 0 0 * * * x", "SHELL=/bin/sh", "MAILTO = me", "\"A\"=b", "\tPATH=/bin"};
	static const char *const unknown[] = {"60 * * * * x", "* 24 * * * x", "* * 0 * * x", "* * * 13 * x",
		"* * * * 8 x", "* * * * x", "* * * *", "*/0 * * * * x", "5/10 * * * * x", "1-0 * * * * x",
		"1- * * * * x", "1,,2 * * * * x", "a * * * * x", "@sometimes x", "@daily", "* * * foo * x",
		"~ * * * * x", "*/99 * * * * x", "0 0 * * *", "999999999999999999999 * * * * x",
		"\x80\xff * * * * x"};
	struct cron_entry entry;

	(void)state;
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		assert_int_equal(cron_parse(nothing[i], false, &entry), CRON_NOTHING);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (cron_parse(unknown[i], false, &entry) != CRON_UNKNOWN)
			fail_msg("\"%s\" was taken", unknown[i]);
	assert_int_equal(cron_parse("0 0 * * * root /bin/x -y", true, &entry), CRON_ENTRY);
	assert_string_equal(entry.command, "/bin/x -y");
	assert_int_equal(cron_parse("0 0 * * * root", true, &entry), CRON_UNKNOWN);
}

/* The hour that the clock leaves out in spring: no endless search, and nothing before now. */
static void cron_next__hour_that_does_not_exist__ends(void **state)
{
	struct cron_entry entry;
	int64_t next;

	(void)state;
	use_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	assert_int_equal(cron_parse("30 2 28 3 * x", false, &entry), CRON_ENTRY);
	next = cron_next(&entry, NOON_TEN);
	assert_true(next > NOON_TEN);
	assert_int_equal(cron_parse("30 2 * * * x", false, &entry), CRON_ENTRY);
	/* 2026-12-02 02:30 CET is 01:30 UTC */
	assert_int_equal(cron_next(&entry, NOON_TEN), FIRST + DAY + 3600 + 1800);
	use_zone("UTC");
}

static void timer_parse__forms_of_systemctl__unit_and_time(void **state)
{
	struct arena arena = {0};
	const char *unit = NULL;
	int64_t at = 0;

	(void)state;
	/* systemd 252 with TZ=UTC */
	assert_int_equal(
		timer_parse("Tue 2026-12-01 12:24:36 UTC 14min left Mon 2026-11-30 10:00:00 UTC 1 day ago "
			    "apt-daily.timer apt-daily.service",
			&arena, &at, &unit),
		TIMER_DUE);
	assert_int_equal(at, NOON_TEN + 14 * 60 + 36);
	assert_string_equal(unit, "apt-daily.timer");
	assert_int_equal(timer_parse("n/a n/a n/a n/a a@b.timer a.service", &arena, &at, &unit), TIMER_IDLE);
	assert_int_equal(timer_parse("- - Mon 2026-11-30 10:00:00 UTC 1 day ago x.timer x.service", &arena,
				 &at, &unit),
		TIMER_IDLE);
	assert_int_equal(timer_parse("", &arena, &at, &unit), TIMER_IDLE);
	assert_int_equal(timer_parse("Tue 2026-12-01 12:24:36 CET 14min left - - x.timer x.service", &arena,
				 &at, &unit),
		TIMER_UNKNOWN);
	assert_int_equal(timer_parse("nothing of the kind", &arena, &at, &unit), TIMER_UNKNOWN);
	assert_int_equal(timer_parse("Tue .timer", &arena, &at, &unit), TIMER_UNKNOWN);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cron_next__lines__as_the_calendar_says),
		cmocka_unit_test(cron_parse__what_is_no_entry__is_told_from_what_is_not_understood),
		cmocka_unit_test(cron_next__hour_that_does_not_exist__ends),
		cmocka_unit_test(timer_parse__forms_of_systemctl__unit_and_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
