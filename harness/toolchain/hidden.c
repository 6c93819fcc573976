#include "toolchain/hidden.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *const names[] = {
	/* gcc, its driver's parts and clang */
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
	"GCC_EXEC_PREFIX", "GCC_COMPARE_DEBUG", "GCC_CPUINFO", "GCC_SPECS", "COLLECT_*",
	"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS",
	"CCC_ADD_ARGS", "CLANG_*", "QA_OVERRIDE_GCC3_OPTIONS", "RC_DEBUG_OPTIONS", "MACOSX_DEPLOYMENT_TARGET",
	/* linkers */
	"LD_RUN_PATH", "LDEMULATION", "LD_OPTIONS", "GNUTARGET", "COLLECT_NO_DEMANGLE", "LLD_*", "MOLD_*",
	"ZERO_AR_DATE",
	/* wrappers of distributions */
	"NIX_CFLAGS_*", "NIX_LDFLAGS*",
	/* the dynamic linker and C library below a compiler's own program */
	"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES", "QEMU_CPU", "QEMU_LD_PREFIX",
	/* build tools' flags, which people expect to act */
	"CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "DEB_*FLAGS*"};

/* Their values may hold addresses and passwords of caches: only the name is kept. */
static const char *const wrappers[] = {"CCACHE_*", "SCCACHE_*", "DISTCC_*", "ICECC*", "BUILDCACHE_*"};

static bool in_list(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (text_glob(list[i], name))
			return true;
	return false;
}

void hidden_environment(char *const *environment, struct facts *facts)
{
	struct words found = {0};

	for (; environment != NULL && *environment != NULL; environment++) {
		const char *name = arena_strndup(facts->arena, *environment, strcspn(*environment, "="));

		if (in_list(names, sizeof(names) / sizeof(names[0]), name))
			words_add(&found, facts->arena, *environment);
		else if (in_list(wrappers, sizeof(wrappers) / sizeof(wrappers[0]), name))
			words_add(&found, facts->arena, name);
	}
	if (found.n > 0)
		qsort(found.v, found.n, sizeof(*found.v), text_compare);
	facts_set(facts, "build.hidden.environment", words_join(&found, facts->arena),
		"environment; not passed to compilers");
}
