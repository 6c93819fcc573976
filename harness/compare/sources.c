#include "compare/sources.h"

#include <string.h>

#include "compare/sources_work.h"

void sources_unknown(struct sources *sources, const char *what, const char *reason, struct arena *arena)
{
	if (sources->unknown_count < SOURCE_UNKNOWN)
		sources->unknown[sources->unknown_count++] =
			(struct source_unknown){what, arena_strdup(arena, reason)};
}

void sources_compare(
	const struct source_side *a, const struct source_side *b, struct arena *arena, struct sources *out)
{
	const struct source_run *left = &a->runs[0], *right = &b->runs[0];

	*out = (struct sources){.a = a->name, .b = b->name};
	sources_functions(&left->record->builds[left->build], &right->record->builds[right->build], arena,
		&out->functions);
	if (out->functions.reason != NULL)
		sources_unknown(out, "which functions differ", out->functions.reason, arena);
	sources_facts(left, right, arena, out);
	sources_measures(a, b, arena, out);
	if (out->functions.differ_count > 0)
		sources_unknown(out, "the vector width that each function uses",
			"flagstone does not decode instructions; what the compiler was allowed is a setting",
			arena);
}
