#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool num_parse_u64(const char *text, uint64_t *value)
{
	char *end;
	unsigned long long x;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	x = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0')
		return false;
	*value = x;
	return true;
}

bool num_parse_double(const char *text, double *value)
{
	char *end;
	double x;

	if (text[strspn(text, "0123456789+-.eE")] != '\0' || *text == '\0') /* no hex, no nan, no inf */
		return false;
	x = strtod(text, &end);
	if (*end != '\0' || !isfinite(x))
		return false;
	*value = x;
	return true;
}

/* Splits "12.5ms" at the end of its number. Returns the unit's text, or NULL when there is no number >= 0. */
static const char *number_and_unit(const char *text, double *value)
{
	size_t n = strspn(text, "0123456789.");
	char number[NUM_SIZE];

	if (n == 0 || n >= sizeof(number))
		return NULL;
	memcpy(number, text, n);
	number[n] = '\0';
	return num_parse_double(number, value) ? text + n : NULL;
}

bool num_parse_duration(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	double value;
	const char *unit = number_and_unit(text, &value);

	if (unit == NULL)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit) != 0)
			continue;
		if (value * units[i].ns > 9e18)
			return false;
		*ns = (int64_t)llround(value * units[i].ns);
		return true;
	}
	return false;
}

bool num_parse_percent(const char *text, double *fraction)
{
	double value;
	const char *unit = number_and_unit(text, &value);

	if (unit == NULL || (strcmp(unit, "%") != 0 && strcmp(unit, " %") != 0))
		return false;
	*fraction = value / 100;
	return true;
}

bool num_parse_range(const char *text, uint64_t *low, uint64_t *high)
{
	const char *dots = strstr(text, "..");
	char first[NUM_SIZE];
	uint64_t a, b;

	if (dots == NULL) {
		if (!num_parse_u64(text, &a))
			return false;
		*low = *high = a;
		return true;
	}
	if ((size_t)(dots - text) >= sizeof(first))
		return false;
	memcpy(first, text, (size_t)(dots - text));
	first[dots - text] = '\0';
	if (!num_parse_u64(first, &a) || !num_parse_u64(dots + 2, &b) || a > b)
		return false;
	*low = a;
	*high = b;
	return true;
}

bool num_parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	double value;
	const char *unit = number_and_unit(text, &value);
	const char *found;

	if (unit == NULL)
		return false;
	if (*unit != '\0') {
		found = strchr(units, *unit);
		if (found == NULL ||
			(unit[1] != '\0' && strcmp(unit + 1, "iB") != 0 && strcmp(unit + 1, "B") != 0))
			return false;
		value *= pow(1024, (double)(found - units + 1));
	}
	if (value > 0x1p60)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

void num_significant(double x, int digits, char text[NUM_SIZE])
{
	double size = fabs(x);
	int whole, decimals;

	if (!isfinite(x) || size == 0) {
		snprintf(text, NUM_SIZE, "%s", size == 0 ? "0" : "n/a");
		return;
	}
	if (size >= 1e15 || size < 1e-9) {
		snprintf(text, NUM_SIZE, "%.*e", digits - 1, x);
		return;
	}
	/* the count of digits before the point is taken after rounding: 9.996 to 3 digits is 10.0 */
	snprintf(text, NUM_SIZE, "%.*e", digits - 1, size);
	whole = atoi(strchr(text, 'e') + 1) + 1;
	decimals = digits - whole;
	snprintf(text, NUM_SIZE, "%.*f", decimals > 0 ? decimals : 0, x);
}

struct prefix {
	double scale;
	const char *sign;
};

/* The prefix of a size. What rounds up to the next one has that: 999,960 is 1.000 M, not 1000 k. */
static struct prefix prefix_of(double x)
{
	static const struct prefix steps[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""},
		{1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}};
	size_t i = 0, last = sizeof(steps) / sizeof(steps[0]) - 1;

	if (!isfinite(x) || x == 0)
		return (struct prefix){1, ""};
	while (i < last && fabs(x) < steps[i].scale * 0.99995)
		i++;
	return steps[i];
}

void num_rate(double x, char text[NUM_SIZE])
{
	struct prefix prefix = prefix_of(x);
	char number[NUM_SIZE];

	num_significant(x / prefix.scale, 4, number);
	snprintf(text, NUM_SIZE, "%.40s%s%s", number, prefix.sign[0] != '\0' ? " " : "", prefix.sign);
}

/* Length of the symbol at the start of a unit which is one that prefixes are written to; 0: it is none. */
static size_t symbol_length(const char *unit)
{
	static const char *const symbols[] = {"s", "B", "bit", "Hz", "W", "J"};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		size_t n = strlen(symbols[i]);
		char next = strncmp(unit, symbols[i], n) == 0 ? unit[n] : 'a';

		if (!((next | 32) >= 'a' && (next | 32) <= 'z'))
			return n;
	}
	return 0;
}

/* KBps, MWIPS, MiB/s, ms, us/op, kbit/s: "10.04 k KBps" is no unit. */
static bool has_prefix(const char *unit)
{
	bool big = unit[0] != '\0' && strchr("KMGTPk", unit[0]) != NULL;

	if (big && unit[1] >= 'A' && unit[1] <= 'Z')
		return true;
	if (big && unit[1] == 'i' && (unit[2] == 'B' || unit[2] == 'b'))
		return true;
	if (strncmp(unit, "\xc2\xb5", 2) == 0 ||
		strncmp(unit, "\xce\xbc", 2) == 0) /* the two signs for micro */
		return symbol_length(unit + 2) > 0;
	return (big || (unit[0] != '\0' && strchr("munp", unit[0]) != NULL)) && symbol_length(unit + 1) > 0;
}

void num_quantity(struct buf *out, double x, double like, const char *unit)
{
	struct prefix prefix = has_prefix(unit) ? (struct prefix){1, ""} : prefix_of(like);
	size_t symbol = symbol_length(unit);
	char number[NUM_SIZE];

	if (symbol == 1 && unit[0] == 's' && prefix.scale > 1) /* nobody writes kiloseconds */
		prefix = (struct prefix){1, ""};
	num_significant(x / prefix.scale, 4, number);
	buf_adds(out, number);
	if (prefix.sign[0] != '\0')
		buf_addf(out, " %s", prefix.sign);
	if (unit[0] != '\0')
		buf_addf(out, "%s%s", prefix.sign[0] != '\0' && symbol > 0 ? "" : " ", unit);
}

void num_duration(int64_t ns, char text[NUM_SIZE])
{
	static const struct {
		int64_t limit_ns;
		double scale;
		const char *unit;
	} steps[] = {{1000, 1, "ns"}, {1000000, 1e3, "us"}, {1000000000, 1e6, "ms"}, {60000000000, 1e9, "s"}};
	char number[NUM_SIZE];
	long long seconds = (long long)(ns / 1000000000);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (ns >= steps[i].limit_ns || ns < 0)
			continue;
		num_significant((double)ns / steps[i].scale, 3, number);
		snprintf(text, NUM_SIZE, "%.40s %s", number, steps[i].unit);
		return;
	}
	if (seconds < 3600)
		snprintf(text, NUM_SIZE, "%lld min %lld s", seconds / 60, seconds % 60);
	else
		snprintf(text, NUM_SIZE, "%lld h %lld min", seconds / 3600, seconds % 3600 / 60);
}

void num_effect(double effect, int decimals, char text[NUM_SIZE])
{
	double percent = 100 * expm1(effect);
	char number[NUM_SIZE];

	if (!isfinite(percent)) {
		snprintf(text, NUM_SIZE, "n/a");
		return;
	}
	/* beyond that no digit behind the point means anything, and the number would not fit */
	snprintf(number, sizeof(number), percent < 1e15 ? "%+.*f" : "%+.*e", decimals, percent);
	if (strspn(number + 1, "0.") ==
		strlen(number + 1)) /* +0.0 and -0.0 claim a direction that is not shown */
		memmove(number, number + 1, strlen(number));
	snprintf(text, NUM_SIZE, "%.40s %%", number);
}

int num_compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void num_grouped(uint64_t x, char text[NUM_SIZE])
{
	char digits[NUM_SIZE];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)x);
	char *out = text;

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
}

int num_compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}
