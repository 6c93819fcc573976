#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "build/functions.h"
#include "build/identity.h"
#include "build/isa.h"
#include "session/bundle.h"
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

static void copy_code(struct facts *to, const struct facts *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (text_starts(from->v[i].key, "isa.") || text_starts(from->v[i].key, "code.object"))
			copy_fact(to, from, from->v[i].key);
}

/* Its objects are not in a bundle, but what was read of them is. */
static void take_from_bundle(struct run *run)
{
	for (size_t i = 0; i < run->record->build_count; i++) {
		const struct record_build *from = session_bundle_build(run->session, i);

		if (!run->session->builds[i].ok)
			continue;
		run->record->builds[i].functions = from->functions;
		run->record->builds[i].function_count = from->function_count;
	}
}

/* Cells that differ in copies or args share a build: it is read once. */
static void read_objects(struct run *run)
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
			copy_code(&build->facts, &last->facts);
			continue;
		}
		build_functions(&run->session->builds[order[i]], most_of(record->build_count), run->arena,
			&build->facts, &build->functions, &build->function_count);
		build_isa_linked(&run->session->builds[order[i]], &build->facts);
		build_identity_linked(&run->session->builds[order[i]], &build->facts);
		last = build;
	}
	mem_free(order);
}

void run_describe_functions(struct run *run)
{
	if (run->session->bundle != NULL)
		take_from_bundle(run);
	else
		read_objects(run);
}
