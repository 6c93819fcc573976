#include "plan/plan.h"

#include <string.h>

/* x86 psABI, table "Micro-Architecture Levels", in the kernel's names (SSE3 is pni, LZCNT abm; OSXSAVE is not
 * shown by the kernel, which hides xsave and avx where it did not set it). Each level contains those before. */
static const struct {
	const char *march;
	const char *features[9];
} levels[] = {
	{"x86-64-v2", {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}},
	{"x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}},
	{"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
};
enum {
	LEVEL_COUNT = sizeof(levels) / sizeof(levels[0]),
	FEATURE_COUNT = sizeof(levels[0].features) / sizeof(char *)
};

static bool has_feature(const char *flags, const char *feature)
{
	size_t length = strlen(feature);

	for (const char *p = flags; (p = strstr(p, feature)) != NULL; p += length) {
		bool begins = p == flags || strchr(" \t\n", p[-1]) != NULL;
		bool ends = p[length] == '\0' || strchr(" \t\n", p[length]) != NULL;

		if (begins && ends)
			return true;
	}
	return false;
}

char *plan_level_missing(const char *march, const char *cpu_flags, struct arena *arena)
{
	struct buf missing = {0};
	char *text = NULL;
	size_t level = 0;

	while (level < LEVEL_COUNT && (march == NULL || strcmp(levels[level].march, march) != 0))
		level++;
	if (level == LEVEL_COUNT || cpu_flags == NULL)
		return NULL;
	for (size_t i = 0; i <= level; i++)
		for (size_t k = 0; k < FEATURE_COUNT && levels[i].features[k] != NULL; k++)
			if (!has_feature(cpu_flags, levels[i].features[k]))
				buf_addf(&missing, "%s%s", missing.n > 0 ? " " : "", levels[i].features[k]);
	if (missing.n > 0)
		text = arena_strdup(arena, buf_text(&missing));
	buf_release(&missing);
	return text;
}

size_t plan_looks(uint32_t rounds_min, uint32_t rounds_max, uint32_t looks[8])
{
	static const uint32_t planned[] = {16, 64, 256, 1024};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(planned) / sizeof(planned[0]); i++)
		if (planned[i] >= rounds_min && planned[i] < rounds_max)
			looks[n++] = planned[i];
	looks[n++] = rounds_max;
	return n;
}
