#include "code/names.h"

#include <string.h>

enum { NAMES_MOST = 256 /* more than that many are taken as they are */ };

/* Where the end of digits behind ".llvm." begins; NULL: it has none. */
static const char *promotion(const char *name)
{
	static const char mark[] = ".llvm.";
	const size_t length = strlen(name), n = sizeof(mark) - 1;
	size_t at = length;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < length && at > n && memcmp(name + at - n, mark, n) == 0 ? name + at : NULL;
}

static size_t order_of(struct names_seen *seen, const char *name)
{
	for (size_t i = 0; i < seen->promoted.n; i++)
		if (strcmp(seen->promoted.v[i], name) == 0)
			return i;
	if (seen->promoted.n < NAMES_MOST) {
		vec_push(&seen->promoted, name);
		return seen->promoted.n - 1;
	}
	return NAMES_MOST;
}

void names_add_number(struct hash *hash, uint64_t x)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(x >> 8 * i);
	hash_add(hash, bytes, sizeof(bytes));
}

static void add_part(struct hash *hash, const char *name, size_t length, uint64_t order)
{
	names_add_number(hash, length);
	names_add_number(hash, order);
	hash_add(hash, name, length);
}

void names_add(struct names_seen *seen, struct hash *hash, const char *name)
{
	static const char constructors[] = "_GLOBAL__sub_I_";
	const char *number = promotion(name), *unit = strstr(name, constructors);
	size_t order;

	if (number != NULL && (order = order_of(seen, name)) < NAMES_MOST)
		add_part(hash, name, (size_t)(number - name), 1 + order);
	else if (unit != NULL)
		add_part(hash, name, (size_t)(unit - name) + sizeof(constructors) - 1, 0);
	else
		add_part(hash, name, strlen(name), 0);
}

void names_release(struct names_seen *seen)
{
	vec_release(&seen->promoted);
}
