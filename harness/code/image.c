#include "code/image.h"

#include <stdint.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

enum {
	IMAGE_LIMIT = 1 << 30,
	SECTION_HEADER_LEAST = 40, /* an Elf32_Shdr */
	OVERLAP = 4		   /* times its size that a file's sections may have together */
};

static int fault(const struct image *image, struct error *e, const char *why)
{
	return error_set(e, EXIT_CANNOT, "reading %s: %s; build it again", image->path, why);
}

static bool inside(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->file.n && size <= image->file.n - offset;
}

static int read_section(struct image *image, size_t index, size_t names, struct error *e)
{
	struct image_section *section = &image->sections[index];

	section->name = "";
	section->scn = elf_getscn(image->elf, index);
	if (section->scn == NULL || gelf_getshdr(section->scn, &section->header) == NULL)
		return fault(image, e, "it is cut or damaged: a section header is unreadable");
	if (index == 0 || section->header.sh_type == SHT_NULL)
		return 0;
	section->name = elf_strptr(image->elf, names, section->header.sh_name);
	if (section->name == NULL)
		return fault(image, e, "it is damaged: a section's name is outside of the table of names");
	if (section->header.sh_type == SHT_NOBITS)
		return 0;
	if (!inside(image, section->header.sh_offset, section->header.sh_size))
		return fault(image, e, "it is cut or damaged: a section lies behind the end of the file");
	section->bytes = image->file.data + section->header.sh_offset;
	if (section->header.sh_type == SHT_STRTAB && section->header.sh_size > 0 &&
		section->bytes[section->header.sh_size - 1] != '\0')
		return fault(image, e, "it is damaged: a table of names has no end");
	return 0;
}

/* All passes over sections take as long as the file is large, or a small one with many could take for ever. */
static int read_sections(struct image *image, struct arena *arena, struct error *e)
{
	uint64_t left = OVERLAP * (uint64_t)image->file.n;
	size_t names;

	if (elf_getshdrnum(image->elf, &image->section_count) != 0 ||
		elf_getshdrstrndx(image->elf, &names) != 0)
		return fault(image, e, "it is cut or damaged: its section table is unreadable");
	if (image->section_count == 0)
		return fault(image, e, "it has no section table (cut, or stripped of it)");
	if (image->section_count > image->file.n / SECTION_HEADER_LEAST)
		return fault(image, e, "it is damaged: it counts more sections than fit into the file");
	image->sections = arena_array(arena, image->section_count, sizeof(*image->sections));
	for (size_t i = 0; i < image->section_count; i++) {
		uint64_t size;

		if (read_section(image, i, names, e) != 0)
			return -1;
		size = image->sections[i].bytes != NULL ? image->sections[i].header.sh_size : 0;
		if (size > left)
			return fault(image, e, "it is damaged: its sections overlap many times");
		left -= size;
	}
	return 0;
}

static int check_program_headers(const struct image *image, struct error *e)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count) != 0)
		return fault(image, e, "it is cut or damaged: its program headers are unreadable");
	if (!inside(image, image->header.e_phoff, (uint64_t)count * image->header.e_phentsize))
		return fault(image, e, "it is cut or damaged: its program headers lie behind its end");
	return 0;
}

static int decode(struct image *image, struct arena *arena, struct error *e)
{
	if (image->file.n < EI_NIDENT || memcmp(image->file.data, ELFMAG, SELFMAG) != 0)
		return fault(image, e, "it is not an ELF file");
	elf_version(EV_CURRENT);
	image->elf = elf_memory(image->file.data, image->file.n);
	if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF ||
		gelf_getehdr(image->elf, &image->header) == NULL)
		return fault(image, e, "it is cut or damaged: its ELF header is unreadable");
	if (read_sections(image, arena, e) != 0)
		return -1;
	return check_program_headers(image, e);
}

int image_open(const char *path, struct arena *arena, struct image *image, struct error *e)
{
	*image = (struct image){.path = path};
	if (file_read(path, IMAGE_LIMIT, &image->file, e) != 0)
		return -1;
	if (decode(image, arena, e) != 0) {
		image_close(image);
		return -1;
	}
	return 0;
}

void image_close(struct image *image)
{
	if (image->elf != NULL)
		elf_end(image->elf);
	image->elf = NULL;
	buf_release(&image->file);
}

bool image_is_code(const struct image_section *section)
{
	const uint64_t want = SHF_ALLOC | SHF_EXECINSTR;

	return section->bytes != NULL && (section->header.sh_flags & want) == want;
}

/* What loaded, read-only sections of plain bytes there are that no instruction of the program reads. */
static bool is_machinery(const char *name)
{
	static const char *const names[] = {".interp", ".eh_frame", ".eh_frame_hdr"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return text_starts(name, ".note");
}

bool image_is_constant(const struct image_section *section)
{
	const uint64_t flags = section->header.sh_flags;

	if (section->bytes == NULL || section->header.sh_type != SHT_PROGBITS)
		return false;
	if ((flags & SHF_ALLOC) == 0 || (flags & (SHF_EXECINSTR | SHF_WRITE)) != 0)
		return false;
	return !is_machinery(section->name);
}

/* Tables of the dynamic linker; what it writes there is said by its relocations. */
static bool is_linkers(const char *name)
{
	return strcmp(name, ".got") == 0 || text_starts(name, ".got.") || strcmp(name, ".dynamic") == 0;
}

bool image_is_writable(const struct image_section *section)
{
	const uint64_t want = SHF_ALLOC | SHF_WRITE;
	const unsigned type = section->header.sh_type;

	if (section->bytes == NULL || (section->header.sh_flags & (want | SHF_EXECINSTR)) != want)
		return false;
	if (type != SHT_PROGBITS && type != SHT_INIT_ARRAY && type != SHT_FINI_ARRAY &&
		type != SHT_PREINIT_ARRAY)
		return false;
	return !is_linkers(section->name) && !is_machinery(section->name);
}

bool image_is_zeroed(const struct image_section *section)
{
	return section->header.sh_type == SHT_NOBITS && (section->header.sh_flags & SHF_ALLOC) != 0;
}

bool image_counts(const struct image_section *section)
{
	return image_is_code(section) || image_is_constant(section) || image_is_writable(section) ||
	       image_is_zeroed(section);
}

bool image_is_intermediate(const struct image_section *section)
{
	return text_starts(section->name, ".gnu.lto_") || strcmp(section->name, ".llvm.lto") == 0 ||
	       strcmp(section->name, ".llvmbc") == 0;
}
