#include "code/notes.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum { COMMENTS_MOST = 64, COMMENT_LONGEST = 4096 };

/* A note's content; `kind` is its type, `bytes` its description. */
struct note {
	uint32_t kind;
	const char *bytes;
	size_t size;
};

/* The first GNU note of this kind. */
static bool find_note(const struct image *image, uint32_t kind, struct note *found)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		size_t offset = 0, next, name_at, desc_at;
		GElf_Nhdr header;
		Elf_Data *data;

		if (section->header.sh_type != SHT_NOTE || section->bytes == NULL)
			continue;
		data = elf_getdata(section->scn, NULL);
		if (data == NULL || data->d_buf == NULL)
			continue;
		for (; (next = gelf_getnote(data, offset, &header, &name_at, &desc_at)) > 0; offset = next) {
			const char *name = (const char *)data->d_buf + name_at;

			if (header.n_type != kind || header.n_namesz != 4 || memcmp(name, "GNU", 4) != 0)
				continue;
			*found = (struct note){kind, (const char *)data->d_buf + desc_at, header.n_descsz};
			return true;
		}
	}
	return false;
}

const char *notes_build_id(const struct image *image, struct arena *arena)
{
	struct note note;
	char *hex;

	if (!find_note(image, NT_GNU_BUILD_ID, &note) || note.size == 0 || note.size > 64)
		return NULL;
	hex = arena_alloc(arena, 2 * note.size + 1);
	for (size_t i = 0; i < note.size; i++) {
		const unsigned byte = (unsigned char)note.bytes[i];

		hex[2 * i] = "0123456789abcdef"[byte >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[byte & 15];
	}
	return hex;
}

/* Properties exist on x86 here, which is little-endian. */
static uint32_t little32(const char *bytes)
{
	const unsigned char *b = (const unsigned char *)bytes;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The bits of both ISA properties; *seen says whether one of them stood there. */
static uint32_t isa_bits(const struct note *note, size_t align, bool *seen)
{
	uint32_t bits = 0;
	size_t at = 0;

	*seen = false;
	while (note->size - at >= 8) {
		const uint32_t type = little32(note->bytes + at);
		const size_t size = little32(note->bytes + at + 4);
		size_t step;

		at += 8;
		if (size > note->size - at)
			break;
		if ((type == GNU_PROPERTY_X86_ISA_1_NEEDED || type == GNU_PROPERTY_X86_ISA_1_USED) &&
			size >= 4) {
			bits |= little32(note->bytes + at);
			*seen = true;
		}
		step = (size + align - 1) / align * align;
		if (step > note->size - at)
			break;
		at += step;
	}
	return bits;
}

const char *notes_isa(const struct image *image, struct arena *arena)
{
	static const char *const levels[] = {"x86-64-baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
	struct words names = {0};
	struct note note;
	uint32_t bits;
	bool seen;

	if (image->header.e_machine != EM_X86_64 && image->header.e_machine != EM_386)
		return NULL;
	if (!find_note(image, NT_GNU_PROPERTY_TYPE_0, &note))
		return NULL;
	bits = isa_bits(&note, image->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4, &seen);
	if (!seen)
		return NULL;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if ((bits & (1U << i)) != 0)
			words_add(&names, arena, levels[i]);
	return words_join(&names, arena);
}

static const struct image_section *comment_section(const struct image *image)
{
	for (size_t i = 1; i < image->section_count; i++)
		if (strcmp(image->sections[i].name, ".comment") == 0 && image->sections[i].bytes != NULL)
			return &image->sections[i];
	return NULL;
}

void notes_comments(const struct image *image, struct arena *arena, struct words *seen)
{
	const struct image_section *section = comment_section(image);

	for (size_t at = 0; section != NULL && at < section->header.sh_size && seen->n < COMMENTS_MOST;) {
		const size_t length = strnlen(section->bytes + at, section->header.sh_size - at);

		if (length > 0) {
			const char *part = arena_strndup(arena, section->bytes + at,
				length < COMMENT_LONGEST ? length : COMMENT_LONGEST);

			if (!words_have(seen, part))
				words_add(seen, arena, part);
		}
		at += length + 1;
	}
}

const char *notes_compiler(const struct image *image, struct arena *arena)
{
	struct words seen = {0};

	notes_comments(image, arena, &seen);
	return seen.n > 0 ? words_between(&seen, "; ", arena) : NULL;
}
