#include "toolchain/hint.h"

#include <string.h>

#include "toolchain/memory.h"

/* First versions that take a -march value: the release notes of GCC 8 to 14 and LLVM 7 to 18. */
static const struct {
	const char *value;
	int gcc, clang;
} first_versions[] = {
	{"x86-64-v2", 11, 12},
	{"x86-64-v3", 11, 12},
	{"x86-64-v4", 11, 12},
	{"icelake-server", 8, 7},
	{"cascadelake", 9, 9},
	{"cooperlake", 10, 9},
	{"sapphirerapids", 11, 12},
	{"alderlake", 11, 12},
	{"graniterapids", 13, 16},
	{"znver2", 9, 9},
	{"znver3", 11, 12},
	{"znver4", 13, 16},
};

static const char *last_march(const struct words *cflags)
{
	const char *march = NULL;

	for (size_t i = 0; i < cflags->n; i++)
		if (text_starts(cflags->v[i], "-march="))
			march = cflags->v[i] + strlen("-march=");
	return march;
}

const char *hint_refused(const struct toolchain *t, const struct words *cflags, struct arena *arena)
{
	const bool gcc = t->memory->style == STYLE_GCC;
	const char *march = last_march(cflags);

	if (march == NULL)
		return "";
	if (strcmp(march, "native") == 0) {
		if (strcmp(t->arch, "aarch64") == 0 || strcmp(t->arch, "arm") == 0)
			return "; on arm, write -mcpu=native";
		return t->native ? "" : "; native means the CPU that compiles, and this is a cross compiler";
	}
	for (size_t i = 0; i < sizeof(first_versions) / sizeof(first_versions[0]); i++) {
		const int need = gcc ? first_versions[i].gcc : first_versions[i].clang;

		if (strcmp(march, first_versions[i].value) == 0 && t->major < need)
			return arena_printf(arena, "; -march=%s needs %s %d or newer, this is %s", march,
				gcc ? "gcc" : "clang", need, t->version);
	}
	return "";
}

bool hint_is_generic(const char *march)
{
	static const char *const generic[] = {"x86-64", "generic", "i386", "i486", "i586", "i686", "armv8-a",
		"rv64gc", "generic-rv64", "rv64imafdc", "ppc64", "powerpc64"};

	for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++)
		if (strcmp(march, generic[i]) == 0)
			return true;
	return false;
}
