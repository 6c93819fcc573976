#include "build/bundle_tar.h"

#include <stdio.h>
#include <string.h>

/* Offsets and sizes of the fields: pax(1), table "ustar Header Block". */
enum {
	NAME = 0,
	NAME_SIZE = 100,
	MODE = 100,
	UID = 108,
	GID = 116,
	SIZE = 124,
	SIZE_SIZE = 12,
	MTIME = 136,
	CHECKSUM = 148,
	CHECKSUM_SIZE = 8,
	TYPE = 156,
	MAGIC = 257,
	VERSION = 263,
	DEVICE = 329,
	PREFIX = 345,
	PREFIX_SIZE = 155
};

/* 1980-01-01: the same bundle is the same file, and tar has no doubts about a time that is not 0. */
static const char mtime[] = "02263137000";

static unsigned checksum(const char block[TAR_BLOCK])
{
	unsigned sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= CHECKSUM && i < CHECKSUM + CHECKSUM_SIZE ? ' ' : (unsigned char)block[i];
	return sum;
}

/* Where the name is parted: a prefix before this slash, NULL: it does not fit. "" is no prefix. */
static bool split_name(const char *name, size_t *prefix)
{
	size_t n = strlen(name);

	*prefix = 0;
	if (n <= NAME_SIZE)
		return true;
	for (size_t i = 1; i < n - 1 && i <= PREFIX_SIZE; i++) {
		if (name[i] != '/' || n - i - 1 > NAME_SIZE)
			continue;
		*prefix = i;
		return true;
	}
	return false;
}

/* A field is filled up with zeroes, and a name may fill it to its end. */
static void put(char block[TAR_BLOCK], size_t at, const char *text, size_t count)
{
	memcpy(block + at, text, count);
}

bool tar_write_header(char block[TAR_BLOCK], const struct tar_entry *entry)
{
	size_t prefix;
	char text[32];

	if (entry->name[0] == '\0' || entry->bytes > tar_most_bytes || !split_name(entry->name, &prefix))
		return false;
	memset(block, 0, TAR_BLOCK);
	if (prefix > 0) {
		put(block, PREFIX, entry->name, prefix);
		put(block, NAME, entry->name + prefix + 1, strlen(entry->name) - prefix - 1);
	} else {
		put(block, NAME, entry->name, strlen(entry->name));
	}
	put(block, MODE, entry->program ? "0000755" : "0000644", 8);
	put(block, UID, "0000000", 8);
	put(block, GID, "0000000", 8);
	snprintf(text, sizeof(text), "%011llo", (unsigned long long)entry->bytes);
	put(block, SIZE, text, SIZE_SIZE);
	put(block, MTIME, mtime, sizeof(mtime));
	block[TYPE] = '0';
	put(block, MAGIC, "ustar", 6);
	put(block, VERSION, "00", 2);
	put(block, DEVICE, "0000000", 8);
	put(block, DEVICE + 8, "0000000", 8);
	snprintf(text, sizeof(text), "%06o", checksum(block));
	put(block, CHECKSUM, text, 7);
	block[CHECKSUM + 7] = ' ';
	return true;
}

size_t tar_padding(uint64_t bytes)
{
	return (size_t)((TAR_BLOCK - bytes % TAR_BLOCK) % TAR_BLOCK);
}

bool tar_is_end(const char block[TAR_BLOCK])
{
	for (size_t i = 0; i < TAR_BLOCK; i++)
		if (block[i] != '\0')
			return false;
	return true;
}

/* Octal digits up to a blank or NUL, which must come; blanks before them are fine. */
static bool read_octal(const char *field, size_t size, uint64_t *value)
{
	size_t i = 0, digits = 0;

	*value = 0;
	while (i < size && field[i] == ' ')
		i++;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++, digits++)
		*value = *value * 8 + (uint64_t)(field[i] - '0');
	return digits > 0 && i < size && (field[i] == '\0' || field[i] == ' ');
}

static const char *type_fault(char type)
{
	static const struct {
		char type;
		const char *is;
	} types[] = {{'1', "is a hard link"}, {'2', "is a symbolic link"}, {'3', "is a device"},
		{'4', "is a device"}, {'5', "is a folder"}, {'6', "is a named pipe"},
		{'x', "is an extended header"}, {'g', "is an extended header"}, {'L', "is a long name"},
		{'K', "is a long link"}, {'S', "is a sparse file"}};

	if (type == '0')
		return NULL;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == type)
			return types[i].is;
	return "is of an unknown kind";
}

const char *tar_read_header(const char block[TAR_BLOCK], struct arena *arena, struct tar_entry *entry)
{
	uint64_t sum, mode;
	char *name = arena_strndup(arena, block + NAME, strnlen(block + NAME, NAME_SIZE));

	*entry = (struct tar_entry){.name = name};
	if (!read_octal(block + CHECKSUM, CHECKSUM_SIZE, &sum) || sum != checksum(block) ||
		memcmp(block + MAGIC, "ustar", 6) != 0)
		return "has a header that is damaged, or none of the ustar form";
	if (block[PREFIX] != '\0')
		entry->name = arena_printf(
			arena, "%.*s/%s", (int)strnlen(block + PREFIX, PREFIX_SIZE), block + PREFIX, name);
	if (type_fault(block[TYPE]) != NULL)
		return type_fault(block[TYPE]);
	if (!read_octal(block + SIZE, SIZE_SIZE, &entry->bytes))
		return "has a size that is no number";
	if (!read_octal(block + MODE, 8, &mode))
		return "has a mode that is no number";
	entry->program = (mode & 0111) != 0;
	return NULL;
}
