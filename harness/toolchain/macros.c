#include "toolchain/macros.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Where the value of a macro stands, NULL: not defined. */
static const char *find(const char *macros, const char *name)
{
	const size_t length = strlen(name);

	for (const char *line = macros; line != NULL && *line != '\0';) {
		if (strncmp(line, "#define ", 8) == 0 && strncmp(line + 8, name, length) == 0 &&
			(line[8 + length] == ' ' || line[8 + length] == '\n' || line[8 + length] == '\0'))
			return line + 8 + length + (line[8 + length] == ' ');
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
	return NULL;
}

const char *macros_value(struct arena *arena, const char *macros, const char *name)
{
	const char *value = find(macros, name);

	return value != NULL ? arena_strndup(arena, value, strcspn(value, "\r\n")) : NULL;
}

bool macros_have(const char *macros, const char *name)
{
	return find(macros, name) != NULL;
}

static int number(const char *macros, const char *name)
{
	const char *value = find(macros, name);
	const long x = value != NULL ? strtol(value, NULL, 10) : 0;

	return x >= 0 && x < 1000000 ? (int)x : 0;
}

bool macros_identify(struct arena *arena, const char *macros, enum spec_family_style *style, int *major,
	const char **version)
{
	if (macros_have(macros, "__TINYC__")) {
		/* 927 is 0.9.27; the major is what its releases count by */
		const int tiny = number(macros, "__TINYC__");

		*style = STYLE_TCC;
		*major = 0;
		*version = arena_printf(arena, "%d.%d.%d", tiny / 10000, tiny / 100 % 100, tiny % 100);
		return true;
	}
	if (macros_have(macros, "__clang__")) {
		*style = STYLE_CLANG;
		*major = number(macros, "__clang_major__");
		*version = arena_printf(arena, "%d.%d.%d", *major, number(macros, "__clang_minor__"),
			number(macros, "__clang_patchlevel__"));
		return true;
	}
	/* Others that define __GNUC__ say by a macro of their own that they are not gcc. */
	if (macros_have(macros, "__GNUC__") && !macros_have(macros, "__INTEL_COMPILER") &&
		!macros_have(macros, "__PCC__") && !macros_have(macros, "__SUNPRO_C")) {
		*style = STYLE_GCC;
		*major = number(macros, "__GNUC__");
		*version = arena_printf(arena, "%d.%d.%d", *major, number(macros, "__GNUC_MINOR__"),
			number(macros, "__GNUC_PATCHLEVEL__"));
		return true;
	}
	return false;
}

const char *macros_arch(struct arena *arena, const char *macros)
{
	static const char *const names[][2] = {{"__i386__", "i386"}, {"__aarch64__", "aarch64"},
		{"__arm__", "arm"}, {"__s390x__", "s390x"}, {"__loongarch64", "loongarch64"},
		{"__mips64", "mips64"}, {"__mips__", "mips"}, {"__alpha__", "alpha"}, {"__hppa__", "hppa"},
		{"__m68k__", "m68k"}};

	if (macros_have(macros, "__x86_64__"))
		return macros_have(macros, "__ILP32__") ? "x32" : "x86_64";
	if (macros_have(macros, "__riscv"))
		return number(macros, "__riscv_xlen") == 32 ? "riscv32" : "riscv64";
	if (macros_have(macros, "__powerpc64__"))
		return macros_have(macros, "__LITTLE_ENDIAN__") ? "ppc64le" : "ppc64";
	if (macros_have(macros, "__powerpc__"))
		return "ppc";
	if (macros_have(macros, "__sparc__"))
		return macros_have(macros, "__arch64__") ? "sparc64" : "sparc";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (macros_have(macros, names[i][0]))
			return names[i][1];
	return arena_strdup(arena, "unknown");
}

const char *macros_host_arch(struct arena *arena)
{
	struct utsname host;

	if (uname(&host) != 0)
		return "unknown";
	if (host.machine[0] == 'i' && strcmp(host.machine + 2, "86") == 0)
		return "i386";
	if (strncmp(host.machine, "arm", 3) == 0)
		return "arm";
	return arena_strdup(arena, host.machine);
}

static struct words sorted_lines(struct arena *arena, const char *text)
{
	struct words lines = {0};

	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");

		if (length > 0)
			words_add(&lines, arena, arena_strndup(arena, text, length));
		text += length + (text[length] == '\n');
	}
	if (lines.n > 0)
		qsort(lines.v, lines.n, sizeof(*lines.v), text_compare);
	return lines;
}

void macros_hash(struct arena *arena, const char *macros, char hex[HASH_HEX])
{
	const struct words lines = sorted_lines(arena, macros);
	struct hash hash;

	hash_init(&hash);
	for (size_t i = 0; i < lines.n; i++)
		hash_add_field(&hash, lines.v[i]);
	hash_final_hex(&hash, hex);
}
