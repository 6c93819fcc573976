#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "build/functions.h"
#include "session/run.h"

/* A record keeps some hundred functions of a build, and fewer where it has thousands of builds. */
enum { MOST_OF_ALL = 200000, MOST_OF_BUILD = 256, LEAST_OF_BUILD = 16 };

static int by_content(const void *left, const void *right, void *context)
{
	const struct record *record = context;
	const uint32_t *a = left, *b = right;
	int order = strcmp(record->builds[*a].content_hash, record->builds[*b].content_hash);

	return order != 0 ? order : (*a > *b) - (*a < *b);
}

static size_t most_of(size_t builds)
{
	size_t most = MOST_OF_ALL / (builds > 0 ? builds : 1);

	return most > MOST_OF_BUILD ? MOST_OF_BUILD : most < LEAST_OF_BUILD ? LEAST_OF_BUILD : most;
}

static void copy_fact(struct facts *to, const struct facts *from, const char *key)
{
	const struct fact *fact = facts_find(from, key);

	if (fact != NULL && fact->value != NULL)
		facts_set(to, key, fact->value, fact->source);
	else if (fact != NULL)
		facts_unknown(to, key, fact->source, fact->reason);
}

/* Cells that differ in copies or args share a build: it is read once. */
void run_describe_functions(struct run *run)
{
	struct record *record = run->record;
	uint32_t *order = mem_alloc_array(record->build_count, sizeof(*order));
	const struct record_build *last = NULL;
	size_t n = 0;

	for (uint32_t i = 0; i < record->build_count; i++)
		if (run->session->builds[i].ok && record->builds[i].content_hash != NULL)
			order[n++] = i;
	if (n > 0)
		qsort_r(order, n, sizeof(*order), by_content, record);
	for (size_t i = 0; i < n; i++) {
		struct record_build *build = &record->builds[order[i]];

		if (last != NULL && strcmp(last->content_hash, build->content_hash) == 0) {
			build->functions = last->functions;
			build->function_count = last->function_count;
			copy_fact(&build->facts, &last->facts, "build.functions");
			copy_fact(&build->facts, &last->facts, "build.function_hash");
			continue;
		}
		build_functions(&run->session->builds[order[i]], most_of(record->build_count), run->arena,
			&build->facts, &build->functions, &build->function_count);
		last = build;
	}
	mem_free(order);
}
