/*
 * due.h - when the next job of a crontab line or of a systemd timer begins. Private to host, and for its tests.
 *
 * crontab(5) as cron of Debian (Vixie) and cronie take it: five fields of numbers, names, ranges, steps and lists,
 * or @hourly and the like. Where both day fields are restricted, either is enough; a field that begins with "*" is
 * not restricted. Times are of the local time zone.
 */
#ifndef FLAGSTONE_HOST_DUE_H
#define FLAGSTONE_HOST_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct cron_entry {
	uint64_t minutes;			/* bit n: at minute n */
	uint32_t hours, days, months, weekdays; /* days and months from 1; weekday 0 is Sunday */
	bool any_day, any_weekday;
	bool never;	     /* @reboot */
	const char *command; /* behind the times, and the user where there is one; borrowed from the line */
};

enum cron_kind {
	CRON_ENTRY,
	CRON_NOTHING, /* empty, a comment, or a variable */
	CRON_UNKNOWN  /* of no form that is known here */
};

/* has_user: the line is of /etc/crontab or /etc/cron.d, which name the user before the command. */
enum cron_kind cron_parse(const char *line, bool has_user, struct cron_entry *entry);
/* The first time after `after_s` (seconds since 1970) at which it begins; -1: never, or not within 8 years. */
int64_t cron_next(const struct cron_entry *entry, int64_t after_s);

enum timer_kind {
	TIMER_DUE,  /* *at_s and *unit are set */
	TIMER_IDLE, /* nothing is planned */
	TIMER_UNKNOWN
};

/* A line of `systemctl list-timers`, printed with TZ=UTC and LC_ALL=C. *unit in the arena. */
enum timer_kind timer_parse(const char *line, struct arena *arena, int64_t *at_s, const char **unit);

#endif
