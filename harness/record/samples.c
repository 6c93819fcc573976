#include "record/samples.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define COLUMN(name, type, nullable)                                                                         \
	{                                                                                                    \
#name, offsetof(struct sample, name), type, nullable, false                                  \
	}
#define ADDED(name, type)                                                                                    \
	{                                                                                                    \
#name, offsetof(struct sample, name), type, true, true                                       \
	}

const struct column sample_columns[] = {
	COLUMN(build, COLUMN_U32, false),
	COLUMN(arm, COLUMN_U32, false),
	COLUMN(copy, COLUMN_U32, false),
	COLUMN(layout, COLUMN_U32, false),
	COLUMN(session, COLUMN_U32, false),
	COLUMN(round, COLUMN_U32, false),
	COLUMN(block, COLUMN_U32, false),
	COLUMN(position, COLUMN_U32, false),
	COLUMN(units, COLUMN_U64, false),
	COLUMN(value, COLUMN_DOUBLE, true),
	COLUMN(elapsed_ns, COLUMN_I64, true),
	COLUMN(user_ns, COLUMN_I64, true),
	COLUMN(system_ns, COLUMN_I64, true),
	COLUMN(run_wait_ns, COLUMN_I64, true),
	COLUMN(peak_kib, COLUMN_U32, true),
	COLUMN(voluntary_switches, COLUMN_U32, true),
	COLUMN(involuntary_switches, COLUMN_U32, true),
	COLUMN(minor_faults, COLUMN_U32, true),
	COLUMN(major_faults, COLUMN_U32, true),
	COLUMN(canary_dep_before_ns, COLUMN_U32, true),
	COLUMN(canary_dep_after_ns, COLUMN_U32, true),
	COLUMN(canary_wide_before_ns, COLUMN_U32, true),
	COLUMN(canary_wide_after_ns, COLUMN_U32, true),
	COLUMN(start_offset_ns, COLUMN_I64, false),
	COLUMN(env_bytes, COLUMN_U32, true),
	COLUMN(marks, COLUMN_U32, false),
	COLUMN(repeat_of, COLUMN_U32, true),
	ADDED(stack_bytes, COLUMN_U32),
	ADDED(heap_bytes, COLUMN_U32),
	ADDED(task_clock_ns, COLUMN_I64),
	ADDED(page_faults, COLUMN_U32),
	ADDED(migrations, COLUMN_U32),
	ADDED(cycles, COLUMN_I64),
	ADDED(instructions, COLUMN_I64),
	ADDED(branch_misses, COLUMN_I64),
	ADDED(energy_uj, COLUMN_I64),
};
const size_t sample_column_count = sizeof(sample_columns) / sizeof(sample_columns[0]);

void sample_init(struct sample *row)
{
	*row = (struct sample){.value = NAN, .units = 1};
	for (size_t c = 0; c < sample_column_count; c++) {
		void *cell = (char *)row + sample_columns[c].offset;

		if (!sample_columns[c].nullable)
			continue;
		if (sample_columns[c].type == COLUMN_I64)
			*(int64_t *)cell = -1;
		else if (sample_columns[c].type == COLUMN_U32)
			*(uint32_t *)cell = SAMPLE_NONE;
	}
}

size_t samples_add(struct samples *samples, const struct sample *row)
{
	vec_push(samples, *row);
	return samples->n - 1;
}

void samples_release(struct samples *samples)
{
	vec_release(samples);
}

const struct column *sample_column(const char *name)
{
	for (size_t c = 0; c < sample_column_count; c++)
		if (strcmp(name, sample_columns[c].name) == 0)
			return &sample_columns[c];
	return NULL;
}
