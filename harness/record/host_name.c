#include "record/host_name.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

enum { HEX_PART = 12, NAME_PART_MAX = 64 };

bool host_name_is_valid(const char *name)
{
	size_t n = strlen(name);
	char front[NAME_PART_MAX + 1];

	if (n < HEX_PART + 2 || n > NAME_PART_MAX + 1 + HEX_PART)
		return false;
	if (name[n - HEX_PART - 1] != '-' || strspn(name + n - HEX_PART, "0123456789abcdef") != HEX_PART)
		return false;
	memcpy(front, name, n - HEX_PART - 1);
	front[n - HEX_PART - 1] = '\0';
	return text_is_name(front);
}

char *host_name_of(struct arena *arena, const char *given)
{
	struct hash hash;
	char hex[HASH_HEX];

	if (host_name_is_valid(given))
		return arena_strdup(arena, given);
	if (!text_is_name(given))
		return NULL;
	hash_init(&hash);
	hash_add(&hash, "flagstone host name\n", 20);
	hash_add(&hash, given, strlen(given));
	hash_final_hex(&hash, hex);
	return arena_printf(arena, "%s-%.12s", given, hex);
}
