#include "record/record.h"

#include <string.h>

#include "base/mem.h"

static const char *const status_texts[] = {
	[CELL_PLANNED] = "planned",
	[CELL_IMPOSSIBLE] = "impossible",
	[CELL_BUILD_FAILED] = "build failed",
	[CELL_CHECK_FAILED] = "check failed",
	[CELL_RUN_FAILED] = "run failed",
	[CELL_BUILT] = "built",
	[CELL_MEASURED] = "measured",
};

const char *cell_status_text(enum cell_status status)
{
	return status_texts[status];
}

int cell_status_of(const char *text)
{
	for (size_t i = 0; i < sizeof(status_texts) / sizeof(status_texts[0]); i++)
		if (strcmp(text, status_texts[i]) == 0)
			return (int)i;
	return -1;
}

struct record *record_new(struct arena *arena)
{
	struct record *record = arena_new(arena, struct record);

	record->arena = arena;
	record->kind = "run";
	record->harness.arena = arena;
	record->project.arena = arena;
	record->host.arena = arena;
	return record;
}

void record_release(struct record *record)
{
	samples_release(&record->samples);
	json_decref(record->unknown);
	record->unknown = NULL;
}

/* Room for one more in the arena; the old array stays behind there. */
static void grow_failures(struct record *record)
{
	size_t cap = mem_grown(record->failure_cap, record->failure_count + 1);
	struct record_failure *grown;

	if (record->failure_count < record->failure_cap)
		return;
	grown = arena_array(record->arena, cap, sizeof(*grown));
	if (record->failure_count > 0)
		memcpy(grown, record->failures, record->failure_count * sizeof(*grown));
	record->failures = grown;
	record->failure_cap = cap;
}

void record_add_failure(
	struct record *record, int64_t sample, uint32_t build, const char *what, const char *fmt, ...)
{
	va_list ap;
	struct record_failure *failure;

	grow_failures(record);
	failure = &record->failures[record->failure_count++];
	failure->sample = sample;
	failure->build = build;
	failure->what = arena_strdup(record->arena, what);
	va_start(ap, fmt);
	failure->reason = arena_vprintf(record->arena, fmt, ap);
	va_end(ap);
}

void record_note(struct record *record, const char *fmt, ...)
{
	va_list ap;
	char *note;

	va_start(ap, fmt);
	note = arena_vprintf(record->arena, fmt, ap);
	va_end(ap);
	if (!words_have(&record->notes, note))
		words_add(&record->notes, record->arena, note);
}

const struct record_workload *record_workload(const struct record *record, const char *name)
{
	for (size_t i = 0; i < record->workload_count; i++)
		if (strcmp(record->workloads[i].name, name) == 0)
			return &record->workloads[i];
	return NULL;
}

bool record_higher_is_better(const struct record *record, const struct record_build *build)
{
	const struct record_workload *workload = record_workload(record, build->workload);

	return workload == NULL || !workload->lower_is_better;
}

const struct record_toolchain *record_toolchain(const struct record *record, const char *slot)
{
	for (size_t i = 0; i < record->toolchain_count; i++)
		if (words_have(&record->toolchains[i].slots, slot))
			return &record->toolchains[i];
	return NULL;
}

int record_find_cell(const struct record *record, const char *cell)
{
	for (size_t i = 0; i < record->build_count; i++)
		if (strcmp(record->builds[i].cell, cell) == 0)
			return (int)i;
	return -1;
}
