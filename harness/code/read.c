#include "code/code.h"

#include <limits.h>
#include <string.h>

#include "code/canonical.h"
#include "code/image.h"
#include "code/notes.h"

enum { NEEDED_MOST = 1024 };

static const char *machine_name(const struct image *image, struct arena *arena)
{
	static const struct {
		unsigned machine;
		const char *name, *name32;
	} names[] = {
		{EM_X86_64, "x86_64", "x32"},
		{EM_386, "i386", "i386"},
		{EM_AARCH64, "aarch64", "aarch64_ilp32"},
		{EM_ARM, "arm", "arm"},
		{EM_RISCV, "riscv64", "riscv32"},
		{EM_PPC64, "ppc64", "ppc64"},
		{EM_PPC, "ppc", "ppc"},
		{EM_S390, "s390x", "s390"},
		{EM_MIPS, "mips64", "mips"},
		{EM_SPARCV9, "sparc64", "sparc64"},
		{EM_SPARC, "sparc", "sparc"},
		{258 /* EM_LOONGARCH, newer than some elf.h */, "loongarch64", "loongarch32"},
	};
	const bool wide = image->header.e_ident[EI_CLASS] == ELFCLASS64;
	const bool little = image->header.e_ident[EI_DATA] == ELFDATA2LSB;

	if (image->header.e_machine == EM_PPC64 && little)
		return "ppc64le";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == image->header.e_machine)
			return wide ? names[i].name : names[i].name32;
	return arena_printf(arena, "machine %u", (unsigned)image->header.e_machine);
}

/* The dynamic linker's name, NULL when there is none or it is not a text within the file. */
static const char *interpreter(const struct image *image, struct arena *arena)
{
	size_t count = 0;

	if (elf_getphdrnum(image->elf, &count) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(image->elf, (int)i, &segment) == NULL || segment.p_type != PT_INTERP)
			continue;
		if (segment.p_offset > image->file.n || segment.p_filesz > image->file.n - segment.p_offset)
			return NULL;
		return arena_strndup(arena, image->file.data + segment.p_offset,
			strnlen(image->file.data + segment.p_offset, segment.p_filesz));
	}
	return NULL;
}

/* Needed libraries; returns DT_FLAGS_1. */
static uint64_t read_dynamic(const struct image *image, struct arena *arena, struct words *needed)
{
	uint64_t flags = 0;

	for (size_t s = 1; s < image->section_count; s++) {
		const struct image_section *section = &image->sections[s];
		Elf_Data *data;
		GElf_Dyn entry;

		if (section->header.sh_type != SHT_DYNAMIC || section->bytes == NULL)
			continue;
		data = elf_getdata(section->scn, NULL);
		for (int i = 0; data != NULL && gelf_getdyn(data, i, &entry) != NULL; i++) {
			const char *name;

			if (entry.d_tag == DT_NULL)
				break;
			if (entry.d_tag == DT_FLAGS_1)
				flags = entry.d_un.d_val;
			if (entry.d_tag != DT_NEEDED)
				continue;
			name = elf_strptr(image->elf, section->header.sh_link, entry.d_un.d_val);
			if (name != NULL && needed->n < NEEDED_MOST && strlen(name) < PATH_MAX)
				words_add(needed, arena, name);
		}
	}
	return flags;
}

static void read_linking(const struct image *image, struct arena *arena, struct code_info *info)
{
	const uint64_t flags = read_dynamic(image, arena, &info->needed);
	const unsigned type = image->header.e_type;

	info->interpreter = interpreter(image, arena);
	info->executable = type == ET_EXEC || (type == ET_DYN && image->header.e_entry != 0 &&
						      (info->interpreter != NULL || (flags & DF_1_PIE) != 0));
	info->is_static = info->executable && info->interpreter == NULL && info->needed.n == 0;
}

static void read_sizes(const struct image *image, struct code_info *info)
{
	for (size_t i = 1; i < image->section_count; i++) {
		const GElf_Shdr *header = &image->sections[i].header;

		if ((header->sh_flags & SHF_ALLOC) == 0)
			continue;
		if (header->sh_type == SHT_NOBITS)
			info->bss_bytes += header->sh_size;
		else if ((header->sh_flags & SHF_EXECINSTR) != 0)
			info->text_bytes += header->sh_size;
		else if ((header->sh_flags & SHF_WRITE) != 0)
			info->data_bytes += header->sh_size;
		else
			info->rodata_bytes += header->sh_size;
	}
	info->file_bytes = image->file.n;
}

int code_read(const char *path, struct arena *arena, struct code_info *info, struct error *e)
{
	struct code_info read = {0};
	struct image image;

	if (image_open(path, arena, &image, e) != 0)
		return -1;
	read.machine = machine_name(&image, arena);
	read.bits = image.header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	read.little_endian = image.header.e_ident[EI_DATA] == ELFDATA2LSB;
	read_linking(&image, arena, &read);
	read_sizes(&image, &read);
	read.build_id = notes_build_id(&image, arena);
	read.compiler = notes_compiler(&image, arena);
	read.isa = notes_isa(&image, arena);
	canonical_hash(&image, read.code_hash);
	hash_bytes_hex(image.file.data, image.file.n, read.file_hash);
	image_close(&image);
	*info = read;
	return 0;
}

static void set_or_unknown(
	struct facts *facts, const char *key, const char *value, const char *source, const char *reason)
{
	if (value != NULL)
		facts_set(facts, key, value, source);
	else
		facts_unknown(facts, key, source, reason);
}

static void size_facts(const struct code_info *info, struct facts *facts)
{
	const struct {
		const char *key;
		uint64_t bytes;
	} sizes[] = {{"size.text_bytes", info->text_bytes}, {"size.rodata_bytes", info->rodata_bytes},
		{"size.data_bytes", info->data_bytes}, {"size.bss_bytes", info->bss_bytes},
		{"size.file_bytes", info->file_bytes}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		facts_setf(facts, sizes[i].key, "ELF section headers", "%llu",
			(unsigned long long)sizes[i].bytes);
}

void code_facts(const struct code_info *info, struct facts *facts)
{
	size_facts(info, facts);
	facts_set(facts, "code.machine", info->machine, "ELF header");
	facts_setf(facts, "code.bits", "ELF header", "%u", info->bits);
	facts_set(facts, "code.static", info->is_static ? "yes" : "no", "ELF program headers and .dynamic");
	facts_set(facts, "code.interpreter", info->interpreter != NULL ? info->interpreter : "none",
		"ELF program headers");
	facts_set(facts, "code.needed", info->needed.n > 0 ? words_join(&info->needed, facts->arena) : "none",
		"ELF .dynamic");
	set_or_unknown(facts, "code.build_id", info->build_id, "ELF .note.gnu.build-id",
		"the linker wrote no build-id");
	set_or_unknown(facts, "code.compiler", info->compiler, "ELF .comment", "the file has no .comment");
	facts_set(facts, "code.sha256", info->code_hash, "ELF code and data sections");
	facts_set(facts, "code.file_sha256", info->file_hash, "the file's bytes");
	set_or_unknown(facts, "isa.levels", info->isa, "ELF .note.gnu.property",
		"the linker wrote no note of the instruction set");
}
