#include "code/needs.h"

#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "code/image.h"

/* A file may say any number of them; a program needs some dozens. */
enum { MOST_ENTRIES = 4096 };

static struct code_need *find(struct code_needs *needs, const char *library)
{
	for (size_t i = 0; i < needs->n; i++)
		if (strcmp(needs->v[i].library, library) == 0)
			return &needs->v[i];
	return NULL;
}

/* The versions of one library, a chain of entries from `at` on. */
static void read_versions(const struct image *image, const struct image_section *section, Elf_Data *data,
	const GElf_Verneed *of, size_t at, size_t *left, struct arena *arena, struct words *versions)
{
	for (unsigned i = 0; i<of->vn_cnt && * left> 0; i++, --*left) {
		GElf_Vernaux entry;
		const char *name;

		if (at > data->d_size || gelf_getvernaux(data, (int)at, &entry) == NULL)
			return;
		name = elf_strptr(image->elf, section->header.sh_link, entry.vna_name);
		if (name != NULL)
			words_add(versions, arena, name);
		if (entry.vna_next == 0)
			return;
		at += entry.vna_next;
	}
}

static void read_section(const struct image *image, const struct image_section *section, struct arena *arena,
	struct code_needs *needs)
{
	Elf_Data *data = elf_getdata(section->scn, NULL);
	size_t at = 0, left = MOST_ENTRIES;

	for (; data != NULL && left > 0; left--) {
		GElf_Verneed entry;
		const char *library;
		struct code_need *need;

		if (at > data->d_size || gelf_getverneed(data, (int)at, &entry) == NULL)
			return;
		library = elf_strptr(image->elf, section->header.sh_link, entry.vn_file);
		need = library != NULL ? find(needs, library) : NULL;
		if (need != NULL)
			read_versions(image, section, data, &entry, at + entry.vn_aux, &left, arena,
				&need->versions);
		if (entry.vn_next == 0)
			return;
		at += entry.vn_next;
	}
}

int code_needs(const char *path, struct arena *arena, struct code_needs *needs, struct error *e)
{
	struct code_info info = {0};
	struct image image;

	if (code_read(path, arena, &info, e) != 0 || image_open(path, arena, &image, e) != 0)
		return -1;
	*needs = (struct code_needs){.machine = info.machine,
		.interpreter = info.interpreter,
		.v = arena_array(arena, info.needed.n, sizeof(*needs->v))};
	for (size_t i = 0; i < info.needed.n; i++)
		if (find(needs, info.needed.v[i]) == NULL)
			needs->v[needs->n++].library = info.needed.v[i];
	for (size_t i = 1; i < image.section_count; i++)
		if (image.sections[i].header.sh_type == SHT_GNU_verneed && image.sections[i].bytes != NULL)
			read_section(&image, &image.sections[i], arena, needs);
	image_close(&image);
	return 0;
}

/* "2.4" before "2.34". */
static int by_numbers(const char *a, const char *b)
{
	while (*a != '\0' && *b != '\0') {
		char *a_end, *b_end;
		unsigned long x = strtoul(a, &a_end, 10), y = strtoul(b, &b_end, 10);

		if (x != y)
			return x < y ? -1 : 1;
		if (a_end == a || b_end == b)
			break;
		a = a_end + (*a_end == '.');
		b = b_end + (*b_end == '.');
	}
	return strcmp(a, b);
}

const char *code_needs_highest(const struct code_needs *needs, const char *prefix, struct arena *arena)
{
	const char *highest = NULL;

	for (size_t i = 0; i < needs->n; i++) {
		for (size_t k = 0; k < needs->v[i].versions.n; k++) {
			const char *version = needs->v[i].versions.v[k];

			if (!text_starts(version, prefix) || version[strlen(prefix)] < '0' ||
				version[strlen(prefix)] > '9')
				continue;
			version += strlen(prefix);
			if (highest == NULL || by_numbers(highest, version) < 0)
				highest = version;
		}
	}
	return highest != NULL ? arena_strdup(arena, highest) : NULL;
}
