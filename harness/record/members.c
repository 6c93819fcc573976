#include "record/members.h"

#include <string.h>

#include "record/shape.h"

#define AT(s, name)	.offset = offsetof(struct s, name)
#define COUNT(s, count) .count_offset = offsetof(struct s, count)
#define FIELD(s, field, kind)                                                                                \
	{                                                                                                    \
		.name = #field, .type = (kind), AT(s, field)                                                 \
	}
#define NEEDED(s, field)                                                                                     \
	{                                                                                                    \
		.name = #field, .type = FIELD_TEXT, .required = true, AT(s, field)                           \
	}
#define LIST(s, field, count, sub)                                                                           \
	{                                                                                                    \
		.name = #field, .type = FIELD_LIST, AT(s, field), COUNT(s, count), .shape = &(sub)           \
	}
#define SHAPE(fields, s)                                                                                     \
	{                                                                                                    \
		fields, sizeof(fields) / sizeof((fields)[0]), sizeof(struct s)                               \
	}

static const struct field session_fields[] = {
	FIELD(record_session, boot_id, FIELD_TEXT),
	FIELD(record_session, started, FIELD_TEXT),
	FIELD(record_session, changed, FIELD_FACTS),
};
static const struct shape session_shape = SHAPE(session_fields, record_session);

static const struct field toolchain_fields[] = {
	FIELD(record_toolchain, slots, FIELD_WORDS),
	FIELD(record_toolchain, facts, FIELD_FACTS),
};
static const struct shape toolchain_shape = SHAPE(toolchain_fields, record_toolchain);

static const struct field workload_fields[] = {
	NEEDED(record_workload, name),
	FIELD(record_workload, title, FIELD_TEXT),
	FIELD(record_workload, tags, FIELD_WORDS),
	FIELD(record_workload, content_hash, FIELD_TEXT),
	NEEDED(record_workload, unit),
	FIELD(record_workload, lower_is_better, FIELD_BOOL),
	FIELD(record_workload, units, FIELD_U64),
	FIELD(record_workload, facts, FIELD_FACTS),
	FIELD(record_workload, suite, FIELD_TEXT),
	FIELD(record_workload, suite_baseline, FIELD_DOUBLE),
};
static const struct shape workload_shape = SHAPE(workload_fields, record_workload);

static const struct field layout_fields[] = {
	FIELD(record_layout, arm, FIELD_U32),
	FIELD(record_layout, layout, FIELD_U32),
	FIELD(record_layout, seed, FIELD_TEXT),
	FIELD(record_layout, sha256, FIELD_TEXT),
};
static const struct shape layout_shape = SHAPE(layout_fields, record_layout);

static const struct field function_fields[] = {
	NEEDED(record_function, name),
	FIELD(record_function, size, FIELD_U64),
	FIELD(record_function, hash, FIELD_TEXT),
};
static const struct shape function_shape = SHAPE(function_fields, record_function);

static const struct field build_fields[] = {
	NEEDED(record_build, cell),
	NEEDED(record_build, workload),
	NEEDED(record_build, slot),
	NEEDED(record_build, variant),
	FIELD(record_build, copies, FIELD_U32),
	NEEDED(record_build, args),
	FIELD(record_build, status, FIELD_STATUS),
	FIELD(record_build, reason, FIELD_TEXT),
	FIELD(record_build, baseline, FIELD_BOOL),
	FIELD(record_build, content_hash, FIELD_TEXT),
	FIELD(record_build, code_hash, FIELD_TEXT),
	FIELD(record_build, build_id, FIELD_TEXT),
	FIELD(record_build, commands, FIELD_WORDS),
	FIELD(record_build, facts, FIELD_FACTS),
	FIELD(record_build, log_excerpt, FIELD_TEXT),
	LIST(record_build, layouts, layout_count, layout_shape),
	FIELD(record_build, check_value, FIELD_TEXT),
	{.name = "functions",
		.type = FIELD_LIST,
		.added = true,
		AT(record_build, functions),
		COUNT(record_build, function_count),
		.shape = &function_shape},
};
static const struct shape build_shape = SHAPE(build_fields, record_build);

static const struct field settings_fields[] = {
	FIELD(measure_settings, sample_ns, FIELD_I64),
	FIELD(measure_settings, layouts_min, FIELD_U32),
	FIELD(measure_settings, layouts_max, FIELD_U32),
	FIELD(measure_settings, rounds_min, FIELD_U32),
	FIELD(measure_settings, rounds_max, FIELD_U32),
	FIELD(measure_settings, precision, FIELD_DOUBLE),
	FIELD(measure_settings, matters, FIELD_DOUBLE),
	FIELD(measure_settings, budget_ns, FIELD_I64),
	FIELD(measure_settings, build_budget_ns, FIELD_I64),
	FIELD(measure_settings, timeout_ns, FIELD_I64),
	{.name = "counted_rounds", .type = FIELD_U32, .added = true, AT(measure_settings, counted_rounds)},
};
static const struct shape settings_shape = SHAPE(settings_fields, measure_settings);

static const struct field comparison_fields[] = {
	FIELD(record_comparison, a, FIELD_U32),
	FIELD(record_comparison, b, FIELD_U32),
	FIELD(record_comparison, closed_at, FIELD_U32),
};
static const struct shape comparison_shape = SHAPE(comparison_fields, record_comparison);

static const struct field layout_step_fields[] = {
	FIELD(record_layout_step, round, FIELD_U32),
	FIELD(record_layout_step, workload, FIELD_INDEX),
	FIELD(record_layout_step, layouts, FIELD_U32),
};
static const struct shape layout_step_shape = SHAPE(layout_step_fields, record_layout_step);

static const struct field plan_fields[] = {
	FIELD(record_plan, matrix_name, FIELD_TEXT),
	FIELD(record_plan, matrix_text, FIELD_TEXT),
	FIELD(record_plan, seed, FIELD_TEXT),
	{.name = "settings", .type = FIELD_OBJECT, AT(record_plan, settings), .shape = &settings_shape},
	{.name = "aa", .type = FIELD_BOOL, .added = true, AT(record_plan, aa)},
	{.name = "looks",
		.type = FIELD_U32S,
		AT(record_plan, looks),
		COUNT(record_plan, look_count),
		.limit = sizeof(((struct record_plan *)0)->looks) / sizeof(uint32_t)},
	FIELD(record_plan, last_look, FIELD_U32),
	{.name = "layout_steps",
		.type = FIELD_LIST,
		.added = true,
		AT(record_plan, layout_steps),
		COUNT(record_plan, layout_step_count),
		.shape = &layout_step_shape},
	LIST(record_plan, comparisons, comparison_count, comparison_shape),
	FIELD(record_plan, canary_dep_limit_ns, FIELD_DOUBLE),
	FIELD(record_plan, canary_wide_limit_ns, FIELD_DOUBLE),
	FIELD(record_plan, run_wait_limit, FIELD_DOUBLE),
};
static const struct shape plan_shape = SHAPE(plan_fields, record_plan);

static const struct field failure_fields[] = {
	FIELD(record_failure, sample, FIELD_ROW),
	FIELD(record_failure, build, FIELD_INDEX),
	NEEDED(record_failure, what),
	NEEDED(record_failure, reason),
};
static const struct shape failure_shape = SHAPE(failure_fields, record_failure);

static const struct field record_fields[] = {
	NEEDED(record, kind),
	NEEDED(record, run),
	FIELD(record, continues, FIELD_TEXT),
	FIELD(record, group, FIELD_TEXT),
	FIELD(record, repeat_index, FIELD_U32),
	FIELD(record, repeat_count, FIELD_U32),
	NEEDED(record, started),
	FIELD(record, finished, FIELD_TEXT),
	FIELD(record, complete, FIELD_BOOL),
	FIELD(record, incomplete_reason, FIELD_TEXT),
	FIELD(record, harness, FIELD_FACTS),
	FIELD(record, project, FIELD_FACTS),
	NEEDED(record, host_name),
	FIELD(record, host, FIELD_FACTS),
	LIST(record, sessions, session_count, session_shape),
	LIST(record, toolchains, toolchain_count, toolchain_shape),
	LIST(record, workloads, workload_count, workload_shape),
	LIST(record, builds, build_count, build_shape),
	{.name = "plan", .type = FIELD_OBJECT, AT(record, plan), .shape = &plan_shape},
	LIST(record, failures, failure_count, failure_shape),
	FIELD(record, notes, FIELD_WORDS),
};
static const struct shape record_shape = SHAPE(record_fields, record);

/* Members that json.c writes and reads itself. */
static const char *const own_members[] = {"schema", "id", "sample_count", "samples"};

json_t *members_to_json(const struct record *record)
{
	json_t *root = shape_to_json(&record_shape, record);

	if (record->unknown != NULL)
		json_object_update_missing(root, record->unknown);
	return root;
}

json_t *members_build(const struct record_build *build)
{
	return shape_to_json(&build_shape, build);
}

static bool is_known(const char *key)
{
	for (size_t i = 0; i < record_shape.count; i++)
		if (strcmp(key, record_fields[i].name) == 0)
			return true;
	for (size_t i = 0; i < sizeof(own_members) / sizeof(own_members[0]); i++)
		if (strcmp(key, own_members[i]) == 0)
			return true;
	return false;
}

static void keep_unknown(struct record *record, json_t *root)
{
	const char *key;
	json_t *value;

	json_object_foreach(root, key, value)
	{
		if (is_known(key))
			continue;
		if (record->unknown == NULL)
			record->unknown = json_object();
		json_object_set(record->unknown, key, value);
	}
}

/* Top-level members are named by their keys alone in errors: "x.json.gz: builds[3].cell: ...". */
int members_from_json(struct record *record, json_t *root, const char *name, struct error *e)
{
	if (shape_from_json(&record_shape, record, root, record->arena, name, e) != 0)
		return -1;
	record->failure_cap = record->failure_count;
	keep_unknown(record, root);
	return 0;
}
