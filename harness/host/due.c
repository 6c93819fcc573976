#include "host/due.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/text.h"

/* One of the five fields: what it counts, and what its values may be called. */
struct field {
	int low, high;
	const char *const *names; /* three letters each, for low and on; NULL: none */
};

static const char *const month_names[] = {
	"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const day_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};
enum { FIELDS = 5, FIELD_MINUTE = 0, FIELD_HOUR, FIELD_DAY, FIELD_MONTH, FIELD_WEEKDAY };
static const struct field fields[FIELDS] = {
	{0, 59, NULL}, {0, 23, NULL}, {1, 31, NULL}, {1, 12, month_names}, {0, 7, day_names}};

/* A number or a name at *at, which is moved behind it; -1: neither. */
static int field_value(const struct field *field, const char **at)
{
	if (isdigit((unsigned char)**at)) {
		char *end;
		long value = strtol(*at, &end, 10);

		if (end - *at > 2 || value < field->low || value > field->high)
			return -1;
		*at = end;
		return (int)value;
	}
	for (int i = 0; field->names != NULL && field->names[i] != NULL; i++)
		if (strncasecmp(*at, field->names[i], 3) == 0) {
			*at += 3;
			return field->low + i;
		}
	return -1;
}

/* One part of a list: "*", "5", "1-5", each but a single value with a step behind a slash. */
static bool field_part(const struct field *field, const char **at, uint64_t *set)
{
	int from = field->low, to = field->high, step = 1;
	bool is_range = true;

	if (**at == '*') {
		(*at)++;
	} else {
		from = to = field_value(field, at);
		if (from < 0)
			return false;
		is_range = **at == '-';
		if (is_range) {
			(*at)++;
			to = field_value(field, at);
		}
		if (to < from)
			return false;
	}
	if (**at == '/') {
		char *end;
		long value = strtol(*at + 1, &end, 10);

		if (!is_range || end == *at + 1 || value < 1 || value > 59)
			return false;
		*at = end;
		step = (int)value;
	}
	for (int i = from; i <= to; i += step)
		*set |= UINT64_C(1) << i;
	return true;
}

static bool field_parse(const struct field *field, const char **at, uint64_t *set, bool *any)
{
	*any = **at == '*';
	for (;;) {
		if (!field_part(field, at, set))
			return false;
		if (**at != ',')
			break;
		(*at)++;
	}
	return **at == ' ' || **at == '\t';
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static const char *skip_word(const char *at)
{
	return skip_blanks(at + strcspn(at, " \t"));
}

/* "@hourly" and the like; NULL: no such word. "" for @reboot. */
static const char *nickname(const char *at)
{
	static const char *const names[][2] = {{"@reboot", ""}, {"@yearly", "0 0 1 1 * "},
		{"@annually", "0 0 1 1 * "}, {"@monthly", "0 0 1 * * "}, {"@weekly", "0 0 * * 0 "},
		{"@daily", "0 0 * * * "}, {"@midnight", "0 0 * * * "}, {"@hourly", "0 * * * * "}};
	size_t length = strcspn(at, " \t");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i][0]) == length && strncmp(at, names[i][0], length) == 0)
			return names[i][1];
	return NULL;
}

/* NAME = value, as both kinds of cron take it */
static bool is_variable(const char *at)
{
	size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_\"'");

	return length > 0 && !isdigit((unsigned char)*at) && *skip_blanks(at + length) == '=';
}

static bool parse_times(const char **at, struct cron_entry *entry)
{
	uint64_t sets[FIELDS] = {0};
	bool any[FIELDS] = {0};

	for (int i = 0; i < FIELDS; i++) {
		if (!field_parse(&fields[i], at, &sets[i], &any[i]))
			return false;
		*at = skip_blanks(*at);
	}
	if (sets[FIELD_WEEKDAY] & 1 << 7) /* Sunday is 0 and 7 */
		sets[FIELD_WEEKDAY] |= 1;
	entry->minutes = sets[FIELD_MINUTE];
	entry->hours = (uint32_t)sets[FIELD_HOUR];
	entry->days = (uint32_t)sets[FIELD_DAY];
	entry->months = (uint32_t)sets[FIELD_MONTH];
	entry->weekdays = (uint32_t)sets[FIELD_WEEKDAY];
	entry->any_day = any[FIELD_DAY];
	entry->any_weekday = any[FIELD_WEEKDAY];
	return true;
}

enum cron_kind cron_parse(const char *line, bool has_user, struct cron_entry *entry)
{
	const char *at = skip_blanks(line);

	memset(entry, 0, sizeof(*entry));
	if (*at == '\0' || *at == '#' || *at == '\r' || is_variable(at))
		return CRON_NOTHING;
	if (*at == '-') /* cronie and SUSE: do not log */
		at++;
	if (*at == '@') {
		const char *times = nickname(at);

		if (times == NULL)
			return CRON_UNKNOWN;
		at = skip_word(at);
		entry->never = times[0] == '\0';
		if (!entry->never && !parse_times(&times, entry))
			return CRON_UNKNOWN;
	} else if (!parse_times(&at, entry)) {
		return CRON_UNKNOWN;
	}
	if (has_user)
		at = skip_word(at);
	entry->command = at;
	return *at != '\0' ? CRON_ENTRY : CRON_UNKNOWN;
}

static bool day_matches(const struct cron_entry *entry, const struct tm *tm)
{
	bool day = (entry->days >> tm->tm_mday & 1) != 0;
	bool weekday = (entry->weekdays >> tm->tm_wday & 1) != 0;

	return entry->any_day || entry->any_weekday ? day && weekday : day || weekday;
}

/* Moves tm to the first moment that can match after the one that does not. */
static void step(const struct cron_entry *entry, struct tm *tm)
{
	if ((entry->months >> (tm->tm_mon + 1) & 1) == 0) {
		tm->tm_mon++;
		tm->tm_mday = 1;
		tm->tm_hour = tm->tm_min = 0;
	} else if (!day_matches(entry, tm)) {
		tm->tm_mday++;
		tm->tm_hour = tm->tm_min = 0;
	} else if ((entry->hours >> tm->tm_hour & 1) == 0) {
		tm->tm_hour++;
		tm->tm_min = 0;
	} else {
		tm->tm_min++;
	}
}

int64_t cron_next(const struct cron_entry *entry, int64_t after_s)
{
	/* a month's days, hours and minutes at most for each of 8 years' months; a leap day is at most 8 years away */
	enum { STEPS = 8 * 12 * 32 + 24 + 60, LONGEST_S = 8 * 366 * 86400 };
	time_t now = (time_t)after_s, at;
	struct tm tm;

	if (entry->never || localtime_r(&now, &tm) == NULL)
		return -1;
	tm.tm_sec = 0;
	tm.tm_min++;
	for (int i = 0; i < STEPS; i++) {
		tm.tm_isdst = -1;
		at = mktime(&tm); /* also brings 61 minutes or a 32nd day into range */
		if (at == (time_t)-1 || (int64_t)at > after_s + LONGEST_S)
			return -1;
		if ((entry->months >> (tm.tm_mon + 1) & 1) != 0 && day_matches(entry, &tm) &&
			(entry->hours >> tm.tm_hour & 1) != 0 && (entry->minutes >> tm.tm_min & 1) != 0 &&
			(int64_t)at > after_s)
			return (int64_t)at;
		step(entry, &tm);
	}
	return -1;
}

/* "2026-12-01 18:30:00 UTC" */
static bool parse_stamp(const char *text, int64_t *at_s)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);

	if (end == NULL || !text_starts(end, " UTC"))
		return false;
	*at_s = (int64_t)timegm(&tm);
	return true;
}

enum timer_kind timer_parse(const char *line, struct arena *arena, int64_t *at_s, const char **unit)
{
	const char *at = skip_blanks(line), *end = strstr(at, ".timer");
	const char *start = end;

	if (end == NULL)
		return *at == '\0' ? TIMER_IDLE : TIMER_UNKNOWN;
	while (start > at && start[-1] != ' ')
		start--;
	*unit = arena_strndup(arena, start, (size_t)(end - start) + strlen(".timer"));
	if (text_starts(at, "n/a") || text_starts(at, "- "))
		return TIMER_IDLE;
	if (isalpha((unsigned char)*at)) /* the day of the week */
		at = skip_word(at);
	return parse_stamp(at, at_s) ? TIMER_DUE : TIMER_UNKNOWN;
}
