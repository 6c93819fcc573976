#include "session/trust.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/*
 * One record of kind "trust" holds the runs of all parts. Builds say which part and run they are of, and which looks
 * that run had planned; rounds and layouts keep the numbers that they had in their run.
 */

#define PART_KEY  "trust.part"
#define RUN_KEY	  "trust.run"
#define LOOKS_KEY "trust.looks"
#define SOURCE	  "make trust"

static char *looks_text(const struct record_plan *plan, struct arena *arena)
{
	struct buf text = {0};
	char *copy;

	for (size_t i = 0; i < plan->look_count; i++)
		buf_addf(&text, "%s%u", i > 0 ? "," : "", plan->looks[i]);
	copy = arena_strdup(arena, buf_text(&text));
	buf_release(&text);
	return copy;
}

static void append_builds(struct record *trust, const struct record *run, const char *part, uint32_t number)
{
	struct arena *arena = trust->arena;
	size_t count = trust->build_count + run->build_count;
	struct record_build *builds = arena_array(arena, count, sizeof(*builds));
	const char *looks = looks_text(&run->plan, arena);

	if (trust->build_count > 0)
		memcpy(builds, trust->builds, trust->build_count * sizeof(*builds));
	for (size_t i = 0; i < run->build_count; i++) {
		struct record_build *build = &builds[trust->build_count + i];

		*build = run->builds[i];
		build->facts = (struct facts){.arena = arena};
		facts_copy(&build->facts, &run->builds[i].facts);
		facts_set(&build->facts, PART_KEY, part, SOURCE);
		facts_setf(&build->facts, RUN_KEY, SOURCE, "%u", number);
		facts_set(&build->facts, LOOKS_KEY, looks, SOURCE);
	}
	trust->builds = builds;
	trust->build_count = count;
}

static void append_sessions(struct record *trust, const struct record *run)
{
	size_t count = trust->session_count + run->session_count;
	struct record_session *sessions = arena_array(trust->arena, count, sizeof(*sessions));

	if (trust->session_count > 0)
		memcpy(sessions, trust->sessions, trust->session_count * sizeof(*sessions));
	memcpy(sessions + trust->session_count, run->sessions, run->session_count * sizeof(*sessions));
	trust->sessions = sessions;
	trust->session_count = count;
}

static void append_samples(struct record *trust, const struct record *run, int64_t offset_ns)
{
	uint32_t first_row = (uint32_t)trust->samples.n, first_build = (uint32_t)trust->build_count;

	for (size_t i = 0; i < run->samples.n; i++) {
		struct sample row = run->samples.v[i];

		row.build += first_build;
		row.session += (uint32_t)trust->session_count;
		row.start_offset_ns += offset_ns;
		if (row.repeat_of != SAMPLE_NONE)
			row.repeat_of += first_row;
		samples_add(&trust->samples, &row);
	}
}

static void append_failures(struct record *trust, const struct record *run)
{
	int64_t first_row = (int64_t)trust->samples.n;
	uint32_t first_build = (uint32_t)trust->build_count;

	for (size_t i = 0; i < run->failure_count; i++) {
		const struct record_failure *f = &run->failures[i];

		record_add_failure(trust, f->sample >= 0 ? f->sample + first_row : -1,
			f->build != UINT32_MAX ? f->build + first_build : UINT32_MAX, f->what, "%s",
			f->reason);
	}
}

/* Those of one name are one workload: all runs measure the same project. */
static void append_workloads(struct record *trust, const struct record *run)
{
	size_t count = trust->workload_count + run->workload_count;
	struct record_workload *workloads = arena_array(trust->arena, count, sizeof(*workloads));

	if (trust->workload_count > 0)
		memcpy(workloads, trust->workloads, trust->workload_count * sizeof(*workloads));
	count = trust->workload_count;
	for (size_t i = 0; i < run->workload_count; i++)
		if (record_workload(trust, run->workloads[i].name) == NULL)
			workloads[count++] = run->workloads[i];
	trust->workloads = workloads;
	trust->workload_count = count;
}

static void append_toolchains(struct record *trust, const struct record *run)
{
	size_t count = trust->toolchain_count + run->toolchain_count;
	struct record_toolchain *toolchains = arena_array(trust->arena, count, sizeof(*toolchains));

	if (trust->toolchain_count > 0)
		memcpy(toolchains, trust->toolchains, trust->toolchain_count * sizeof(*toolchains));
	count = trust->toolchain_count;
	for (size_t i = 0; i < run->toolchain_count; i++)
		if (run->toolchains[i].slots.n > 0 &&
			record_toolchain(trust, run->toolchains[i].slots.v[0]) == NULL)
			toolchains[count++] = run->toolchains[i];
	trust->toolchains = toolchains;
	trust->toolchain_count = count;
}

void trust_append(
	struct record *trust, const struct record *run, const char *part, uint32_t number, int64_t offset_ns)
{
	append_failures(trust, run);
	append_samples(trust, run, offset_ns);
	append_builds(trust, run, part, number);
	append_sessions(trust, run);
	append_workloads(trust, run);
	append_toolchains(trust, run);
	for (size_t i = 0; i < run->notes.n; i++)
		record_note(trust, "%s, run %u: %s", part, number + 1, run->notes.v[i]);
}

static bool is_of(const struct record_build *build, const char *part, uint32_t number, const char *workload)
{
	const char *run = facts_value(&build->facts, RUN_KEY);
	uint64_t its;

	return text_same(facts_value(&build->facts, PART_KEY), part) && run != NULL &&
	       num_parse_u64(run, &its) && its == number &&
	       (workload == NULL || text_same(build->workload, workload));
}

uint32_t trust_runs(const struct record *trust, const char *part)
{
	uint32_t runs = 0;

	for (size_t i = 0; i < trust->build_count; i++) {
		const char *run = facts_value(&trust->builds[i].facts, RUN_KEY);
		uint64_t number;

		if (text_same(facts_value(&trust->builds[i].facts, PART_KEY), part) && run != NULL &&
			num_parse_u64(run, &number) && number < UINT32_MAX && number >= runs)
			runs = (uint32_t)number + 1;
	}
	return runs;
}

static void read_looks(struct record_plan *plan, const char *text)
{
	plan->look_count = 0;
	while (text != NULL && *text != '\0' &&
		plan->look_count < sizeof(plan->looks) / sizeof(plan->looks[0])) {
		char *end;

		plan->looks[plan->look_count++] = (uint32_t)strtoul(text, &end, 10);
		text = *end == ',' ? end + 1 : NULL;
	}
	plan->settings.rounds_max = plan->look_count > 0 ? plan->looks[plan->look_count - 1] : 0;
}

/* Rows of the view's builds, with their new numbers. */
static void copy_samples(const struct record *trust, const uint32_t *number_of, struct record *view)
{
	uint32_t *row_of = arena_array(view->arena, trust->samples.n, sizeof(*row_of));

	for (size_t i = 0; i < trust->samples.n; i++) {
		struct sample row = trust->samples.v[i];

		if (number_of[row.build] == UINT32_MAX)
			continue;
		row.build = number_of[row.build];
		row.session = 0;
		if (row.repeat_of != SAMPLE_NONE)
			row.repeat_of = row_of[row.repeat_of];
		row_of[i] = (uint32_t)samples_add(&view->samples, &row);
	}
}

struct record *trust_view(const struct record *trust, const char *part, uint32_t number, const char *workload,
	struct arena *arena)
{
	struct record *view = record_new(arena);
	uint32_t *number_of = arena_array(arena, trust->build_count, sizeof(*number_of));

	view->plan.seed = trust->plan.seed;
	view->plan.settings = trust->plan.settings;
	view->host = trust->host;
	view->sessions = trust->sessions;
	view->session_count = trust->session_count > 0;
	view->toolchains = trust->toolchains;
	view->toolchain_count = trust->toolchain_count;
	view->workloads = trust->workloads;
	view->workload_count = trust->workload_count;
	view->builds = arena_array(arena, trust->build_count, sizeof(*view->builds));
	for (size_t i = 0; i < trust->build_count; i++) {
		number_of[i] = UINT32_MAX;
		if (!is_of(&trust->builds[i], part, number, workload))
			continue;
		number_of[i] = (uint32_t)view->build_count;
		view->builds[view->build_count++] = trust->builds[i];
		read_looks(&view->plan, facts_value(&trust->builds[i].facts, LOOKS_KEY));
	}
	copy_samples(trust, number_of, view);
	return view;
}

const char *trust_verdict_text(enum trust_verdict verdict)
{
	static const char *const texts[] = {[TRUST_NO_LIMIT] = "-",
		[TRUST_KEPT] = "kept",
		[TRUST_BY_CHANCE] = "may be chance",
		[TRUST_BROKEN] = "BROKEN"};

	return texts[verdict];
}

enum trust_verdict trust_hold(const struct stats_proportion *share, double low, double high)
{
	if (share->n == 0)
		return TRUST_BROKEN; /* nothing was measured: nothing is proved */
	if (low <= share->share && share->share <= high)
		return TRUST_KEPT;
	return share->lo <= high && share->hi >= low ? TRUST_BY_CHANCE : TRUST_BROKEN;
}

void trust_set_figure(struct record *trust, const struct trust_figure *figure)
{
	struct facts *facts = &trust->harness;
	char number[NUM_SIZE];

	num_significant(figure->value, 4, number);
	facts_setf(facts, arena_printf(trust->arena, TRUST_FIGURE "%s", figure->name), figure->detail,
		"%s %s", number, figure->unit);
	facts_set(facts, arena_printf(trust->arena, TRUST_FIGURE "%s" TRUST_LIMIT, figure->name),
		figure->limit, SOURCE);
	facts_set(facts, arena_printf(trust->arena, TRUST_FIGURE "%s" TRUST_VERDICT, figure->name),
		trust_verdict_text(figure->verdict), SOURCE);
}
