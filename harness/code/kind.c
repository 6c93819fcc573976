#include "code/kind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { HEAD = 512 };

struct head {
	unsigned char v[HEAD + 1]; /* NUL behind it */
	size_t n;
};

static const struct {
	const char *bytes;
	size_t size;
	const char *what;
} formats[] = {
	{"MZ", 2, "a program for Windows or DOS (PE)"},
	{"\xCF\xFA\xED\xFE", 4, "a program or object for macOS (Mach-O)"},
	{"\xFE\xED\xFA\xCF", 4, "a program or object for macOS (Mach-O)"},
	{"\xCE\xFA\xED\xFE", 4, "a program or object for macOS (Mach-O, 32 bit)"},
	{"\xCA\xFE\xBA\xBE", 4, "a Java class, or a program of several parts for macOS"},
	{"\0asm", 4, "a WebAssembly module"},
	{"\x1F\x8B", 2, "a gzip file"},
	{"\xFD"
	 "7zXZ",
		5, "an xz file"},
	{"\x28\xB5\x2F\xFD", 4, "a zstd file"},
	{"BZh", 3, "a bzip2 file"},
	{"PK\x03\x04", 4, "a zip file"},
	{"!<thin>\n", 8, "a thin archive: it only names its members, which are files of their own"},
	{"\x00\x00\xFF\xFF\xFF", 5, "a compiler's precompiled file"},
	{"gpch", 4, "a precompiled header"},
	{"CPCH", 4, "a precompiled header"},
};

static int read_head(const char *path, struct head *head, struct error *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got;

	if (fd < 0)
		return error_errno(e, errno, "inspecting %s", path);
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(e, EXIT_CANNOT, "inspecting %s: it is a %s, not a file with machine code",
			path,
			S_ISDIR(st.st_mode)    ? "folder"
			: S_ISFIFO(st.st_mode) ? "pipe"
					       : "device");
	}
	got = read(fd, head->v, HEAD);
	if (got < 0) {
		int error = errno;

		close(fd);
		return error_errno(e, error, "inspecting %s", path);
	}
	close(fd);
	head->n = (size_t)got;
	head->v[head->n] = '\0';
	return 0;
}

static bool begins(const struct head *head, const char *bytes, size_t size)
{
	return head->n >= size && memcmp(head->v, bytes, size) == 0;
}

static bool is_core(const struct head *head)
{
	const unsigned char low = head->v[16], high = head->v[17];

	return head->n >= 18 &&
	       (head->v[EI_DATA] == ELFDATA2MSB ? low == 0 && high == ET_CORE : low == ET_CORE && high == 0);
}

static bool is_text(const struct head *head)
{
	for (size_t i = 0; i < head->n; i++)
		if (head->v[i] < ' ' && strchr("\n\r\t\f\v\x1B", head->v[i]) == NULL)
			return false;
	return true;
}

static const char *script(const struct head *head, struct arena *arena)
{
	const char *line = (const char *)head->v + 2;

	line += strspn(line, " \t");
	return arena_printf(arena, "a script for %.*s", (int)strcspn(line, "\n"), line);
}

/* What is no ELF file, archive or bitcode. */
static const char *other(const struct head *head, struct arena *arena, const char **what_to_do)
{
	const char *text = (const char *)head->v;

	if (head->n == 0)
		return "empty";
	if (begins(head, "#!", 2)) {
		*what_to_do = "inspect the program that runs it, or that it starts";
		return script(head, arena);
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (begins(head, formats[i].bytes, formats[i].size)) {
			if (formats[i].size == 8)
				*what_to_do = "inspect these (ar t says their names)";
			return formats[i].what;
		}
	if (!is_text(head))
		return "data of a form that is not known here";
	if (strstr(text, "GNU ld script") != NULL || strstr(text, "INPUT(") != NULL ||
		strstr(text, "INPUT (") != NULL || strstr(text, "GROUP (") != NULL) {
		*what_to_do = "inspect the libraries that it names";
		return "a linker's script";
	}
	if (strstr(text, "\t.text") != NULL || strstr(text, "\t.file\t") != NULL) {
		*what_to_do = "assemble it first (-c)";
		return "assembler source";
	}
	if (strstr(text, "#include") != NULL) {
		*what_to_do = "compile it first";
		return "source code";
	}
	return "text";
}

int code_kind(const char *path, struct arena *arena, enum code_kind *kind, const char **what,
	const char **what_to_do, struct error *e)
{
	struct head head = {.n = 0};

	if (read_head(path, &head, e) != 0)
		return -1;
	*what_to_do = NULL;
	*kind = CODE_KIND_OTHER;
	if (begins(&head, ELFMAG, SELFMAG) && is_core(&head)) {
		*kind = CODE_KIND_CORE;
		*what = "a core file: the memory of a process that crashed";
		*what_to_do = "inspect the program that it came from (file, or gdb -c, names it)";
	} else if (begins(&head, ELFMAG, SELFMAG)) {
		*kind = CODE_KIND_ELF;
		*what = "an ELF file";
	} else if (begins(&head, "!<arch>\n", 8)) {
		*kind = CODE_KIND_ARCHIVE;
		*what = "an archive";
	} else if (begins(&head, "BC\xC0\xDE", 4) || begins(&head, "\xDE\xC0\x17\x0B", 4)) {
		*kind = CODE_KIND_BITCODE;
		*what = "LLVM bitcode: the intermediate form of link-time optimisation (-flto), whose "
			"machine code is "
			"made at the link";
		*what_to_do = "inspect the linked program, or an object compiled without -flto";
	} else {
		*what = other(&head, arena, what_to_do);
	}
	return 0;
}
