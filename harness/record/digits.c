#include "record/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

__extension__ typedef unsigned __int128 wide;

static const uint64_t power10[] = {1ULL, 10ULL, 100ULL, 1000ULL, 10000ULL, 100000ULL, 1000000ULL, 10000000ULL,
	100000000ULL, 1000000000ULL, 10000000000ULL, 100000000000ULL, 1000000000000ULL, 10000000000000ULL,
	100000000000000ULL, 1000000000000000ULL, 10000000000000000ULL};

char *digits_u64(char *at, uint64_t x)
{
	char text[20];
	int n = 0;

	do {
		text[n++] = (char)('0' + x % 10);
		x /= 10;
	} while (x > 0);
	while (n > 0)
		*at++ = text[--n];
	return at;
}

char *digits_i64(char *at, int64_t x)
{
	if (x >= 0)
		return digits_u64(at, (uint64_t)x);
	*at++ = '-';
	return digits_u64(at, -(uint64_t)x);
}

/* whole.fraction, the fraction having `places` digits; its last zeros are left away. */
static char *put_decimal(char *at, uint64_t whole, uint64_t fraction, int places)
{
	char *end;

	at = digits_u64(at, whole);
	if (fraction == 0)
		return at;
	while (fraction % 10 == 0) {
		fraction /= 10;
		places--;
	}
	*at++ = '.';
	end = at + places;
	for (char *p = end - 1; p >= at; p--) {
		*p = (char)('0' + fraction % 10);
		fraction /= 10;
	}
	return end;
}

/*
 * x in [1, 2^53) is whole + part / 2^64 exactly. k decimal places read back as x if they are off by less than
 * half the distance to the next double (a quarter at a power of two, below which the doubles stand closer);
 * everything here is exact integer arithmetic.
 */
static char *put_plain(char *at, double x)
{
	int exponent;
	uint64_t mantissa = (uint64_t)ldexp(frexp(x, &exponent), 53);
	int shift = 53 - exponent; /* 0 ... 52: x = mantissa / 2^shift */
	uint64_t whole = mantissa >> shift;
	uint64_t part = shift > 0 ? mantissa << (64 - shift) : 0;
	uint64_t half = 1ULL << (63 - shift);
	int whole_digits = 1;

	if (mantissa == 1ULL << 52)
		half /= 2;
	while (whole_digits < 16 && whole >= power10[whole_digits])
		whole_digits++;
	for (int k = whole_digits < 15 ? 15 - whole_digits : 0;; k++) {
		uint64_t fraction = (uint64_t)(((wide)part * power10[k] + (1ULL << 63)) >> 64);
		wide given = (wide)fraction << 64, exact = (wide)part * power10[k];
		wide off = given > exact ? given - exact : exact - given;

		if (off >= (wide)half * power10[k] && k + whole_digits < 17)
			continue;
		if (fraction == power10[k])
			return put_decimal(at, whole + 1, 0, 0);
		return put_decimal(at, whole, fraction, k);
	}
}

char *digits_double(char *at, double x)
{
	struct buf text = {0};

	if (x >= 1 && x < 9007199254740992.0)
		return put_plain(at, x);
	json_add_double(&text, x);
	memcpy(at, text.data, text.n);
	at += text.n;
	buf_release(&text);
	return at;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The end of the number by the grammar of RFC 8259, or NULL. */
static const char *number_end(const char *p)
{
	if (*p == '-')
		p++;
	if (!digit(*p) || (*p == '0' && digit(p[1])))
		return NULL;
	while (digit(*p))
		p++;
	if (*p == '.') {
		if (!digit(*++p))
			return NULL;
		while (digit(*p))
			p++;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (!digit(*p))
			return NULL;
		while (digit(*p))
			p++;
	}
	return p;
}

/* Plain decimals whose digits fit 2^53: one correctly rounded division of two exact doubles (Clinger 1990). */
static bool read_short(const char *at, const char *end, double *x)
{
	uint64_t digits = 0;
	int places = 0;
	bool point = false;

	if (end - at > 17)
		return false;
	for (; at < end; at++) {
		if (*at == '.') {
			point = true;
		} else if (digit(*at)) {
			digits = digits * 10 + (uint64_t)(*at - '0');
			places += point;
		} else {
			return false;
		}
	}
	if (digits > 1ULL << 53)
		return false;
	*x = (double)digits / (double)power10[places];
	return true;
}

const char *digits_read_double(const char *at, double *x)
{
	const char *end = number_end(at);

	if (end == NULL)
		return NULL;
	if (read_short(at, end, x))
		return end;
	*x = strtod(at, NULL);
	return isfinite(*x) ? end : NULL;
}
