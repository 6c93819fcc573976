#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "host/host.h"
#include "record/json.h"
#include "session/bundle.h"
#include "session/layout_order.h"
#include "session/run.h"

/* Going on with an interrupted run: only where everything is as it was. */

/*
 * Dead journals become incomplete records first. One that cannot stays, and hinders nothing else: *damage says why,
 * in the archive's arena.
 */
static int finish_journals(const struct archive *archive, const char **damage, struct error *e)
{
	struct journal_entries journals = {0};

	if (journal_list(archive, &journals, e) != 0)
		return -1;
	for (size_t i = 0; i < journals.n; i++) {
		struct error fault = {0};
		const char *path;

		if (!journals.v[i].alive &&
			archive_finish_journal(archive, journals.v[i].path, &path, &fault) != 0)
			*damage = arena_printf(archive->arena,
				"finishing the journal of an interrupted run: %s", fault.text);
	}
	return 0;
}

static int find_record(const struct archive *archive, const char *what, const char **path,
	const char **damage, struct error *e)
{
	struct archive_entries entries = {0};

	if (finish_journals(archive, damage, e) != 0)
		return -1;
	if (what != NULL && what[0] != '\0')
		return archive_find(archive, what, path, e);
	if (archive_list(archive, &entries, e) != 0)
		return -1;
	for (size_t i = entries.n; i > 0; i--) {
		if (entries.v[i - 1].complete || entries.v[i - 1].superseded)
			continue;
		*path = entries.v[i - 1].path;
		return 0;
	}
	if (*damage != NULL)
		return error_set(e, EXIT_CANNOT, "%s", *damage);
	return error_set(e, EXIT_USAGE, "there is no interrupted run in %s to resume", archive->root);
}

/* *damage: of a journal that could not be finished, or NULL. */
static int open_record(const char *folder, const char *what, struct arena *arena, struct record **record,
	const char **damage, struct error *e)
{
	struct archive archive;
	const char *path = NULL;

	*damage = NULL;
	if (archive_open(&archive, arena, folder, false, e) != 0 ||
		find_record(&archive, what, &path, damage, e) != 0 ||
		record_read_file(path, NULL, arena, record, e) != 0)
		return -1;
	if ((*record)->complete) {
		record_release(*record);
		return error_set(e, EXIT_USAGE, "%s is complete; there is nothing to resume", path);
	}
	return 0;
}

/* A bundle's run goes on with the bundle only, and another one without. */
static int check_bundle(const struct session_options *options, const struct record *record, struct error *e)
{
	bool measured = facts_find(&record->harness, BUNDLE_ID_KEY) != NULL;

	if (measured && options->bundle == NULL)
		return error_set(e, EXIT_USAGE,
			"the run of record %.12s measured a bundle's programs, which are not built here: "
			"give the "
			"bundle, too: `flagstone run --bundle FILE --resume`",
			record->id);
	if (!measured && options->bundle != NULL)
		return error_set(e, EXIT_USAGE,
			"the run of record %.12s measured what was built here, no bundle; leave --bundle out",
			record->id);
	return 0;
}

int session_resume_options(
	struct session_options *options, const char *what, struct arena *arena, struct error *e)
{
	struct record *record;
	const struct fact *cpus;
	const char *folder, *damage;

	if (session_archive_folder(options, &folder, arena, e) != 0 ||
		open_record(folder, what, arena, &record, &damage, e) != 0)
		return -1;
	if (check_bundle(options, record, e) != 0) {
		record_release(record);
		return -1;
	}
	options->matrix = record->plan.matrix_name;
	options->matrix_text = record->plan.matrix_text;
	cpus = facts_find(&record->harness, RUN_CPUS_KEY);
	if (cpus != NULL && cpus->source != NULL && strcmp(cpus->source, RUN_CPUS_GIVEN) == 0)
		options->cpus = cpus->value;
	record_release(record);
	if (options->matrix == NULL || options->matrix_text == NULL)
		return error_set(e, EXIT_CANNOT, "the record keeps no matrix; it cannot be resumed");
	return 0;
}

int run_resume_open(struct run *run, const char *what, struct error *e)
{
	struct session *session = run->session;
	struct record *record;
	const char *damage;

	if (open_record(session->archive_folder, what, run->arena, &record, &damage, e) != 0)
		return -1;
	if (damage != NULL)
		run_say(run, "%s", damage);
	run->resumed = record;
	run->settings = record->plan.settings;
	session->options.seed = record->plan.seed;
	session->options.aa = record->plan.aa;
	session->options.only = (struct words){0};
	for (size_t i = 0; i < record->build_count; i++)
		words_add(&session->options.only, run->arena, record->builds[i].cell);
	return session_plan(session, e);
}

static int refuse(struct error *e, const char *what, const char *before, const char *now)
{
	return error_set(e, EXIT_CANNOT,
		"the run cannot be resumed: %s was \"%s\" and is \"%s\" now; start a new run (the old record "
		"stays)",
		what, before != NULL ? before : "unknown", now != NULL ? now : "unknown");
}

/* Facts known on both sides that differ; keys chosen by `counts`. */
static int compare_facts(
	const struct facts *before, const struct facts *now, bool (*counts)(const char *), struct error *e)
{
	for (size_t i = 0; i < before->n; i++) {
		const char *value = facts_value(now, before->v[i].key);

		if (counts(before->v[i].key) && before->v[i].value != NULL && value != NULL &&
			strcmp(before->v[i].value, value) != 0)
			return refuse(e, before->v[i].key, before->v[i].value, value);
	}
	return 0;
}

/* What a toolchain is: the bytes of its driver, backend, linker, assembler and C library, and its macros. */
static bool is_identity(const char *key)
{
	return text_ends(key, ".sha256") || strcmp(key, "toolchain.version") == 0 ||
	       strcmp(key, "toolchain.target") == 0;
}

static bool is_placement(const char *key)
{
	return strcmp(key, RUN_CPUS_KEY) == 0 || strcmp(key, BUNDLE_ID_KEY) == 0;
}

int run_resume_compare(struct run *run, struct error *e)
{
	const struct record *old = run->resumed;
	const struct record *now = run->record;

	if (!text_same(old->host_name, now->host_name))
		return refuse(e, "the host", old->host_name, now->host_name);
	if (compare_facts(&old->host, &now->host, host_boot_invariant, e) != 0 ||
		compare_facts(&old->harness, &now->harness, is_placement, e) != 0)
		return -1;
	for (size_t i = 0; i < old->toolchain_count; i++) {
		const struct record_toolchain *toolchain =
			record_toolchain(now, old->toolchains[i].slots.v[0]);

		if (toolchain == NULL)
			return refuse(e, "a toolchain", old->toolchains[i].slots.v[0], NULL);
		if (compare_facts(&old->toolchains[i].facts, &toolchain->facts, is_identity, e) != 0)
			return error_context(e, "toolchain %s", old->toolchains[i].slots.v[0]);
	}
	if (old->build_count != now->build_count)
		return error_set(e, EXIT_CANNOT,
			"the run cannot be resumed: its matrix had %zu cells and has %zu now",
			old->build_count, now->build_count);
	for (size_t i = 0; i < old->build_count; i++)
		if (!text_same(old->builds[i].cell, now->builds[i].cell))
			return refuse(e, "a cell", old->builds[i].cell, now->builds[i].cell);
	return 0;
}

static bool has_failed(const struct record_build *build)
{
	return build->status == CELL_BUILD_FAILED || build->status == CELL_CHECK_FAILED ||
	       build->status == CELL_RUN_FAILED;
}

static void take_up_sessions(struct run *run)
{
	const struct record *old = run->resumed;
	struct record *record = run->record;
	struct record_session *sessions = arena_array(run->arena, old->session_count + 1, sizeof(*sessions));

	memcpy(sessions, old->sessions, old->session_count * sizeof(*sessions));
	sessions[old->session_count] = record->sessions[0];
	record->sessions = sessions;
	record->session_count = old->session_count + 1;
	run->measurer.session = (uint32_t)old->session_count;
}

/* Time from first to last sample of each session, which the budget has to pay for, too. */
static int64_t measured_ns(const struct record *record)
{
	int64_t sum = 0;

	for (size_t s = 0; s < record->session_count; s++) {
		int64_t first = INT64_MAX, last = 0;

		for (size_t i = 0; i < record->samples.n; i++) {
			const struct sample *row = &record->samples.v[i];
			int64_t end = row->start_offset_ns + (row->elapsed_ns > 0 ? row->elapsed_ns : 0);

			if (row->session != s)
				continue;
			first = row->start_offset_ns < first ? row->start_offset_ns : first;
			last = end > last ? end : last;
		}
		sum += last > first ? last - first : 0;
	}
	return sum;
}

static void take_up_failures(struct run *run)
{
	const struct record *old = run->resumed;

	for (size_t i = 0; i < old->failure_count; i++)
		record_add_failure(run->record, old->failures[i].sample, old->failures[i].build,
			old->failures[i].what, "%s", old->failures[i].reason);
	for (size_t i = 0; i < old->build_count; i++) {
		struct record_build *build = &run->record->builds[i];

		if (old->builds[i].status == CELL_MEASURED && build->status == CELL_BUILT)
			build->status = CELL_MEASURED;
		if (!has_failed(&old->builds[i]) || has_failed(build))
			continue;
		build->status = old->builds[i].status;
		build->reason = old->builds[i].reason;
		for (size_t k = 0; k < run->item_count; k++)
			if (run->items[k].cell == i)
				run->items[k].open = false;
	}
}

/* The layouts of each workload that an open item has; UINT32_MAX: no item is open. */
static uint32_t linked_layouts(const struct run *run, uint32_t workload)
{
	for (size_t i = 0; i < run->item_count; i++)
		if (run->items[i].open && run->items[i].workload == workload)
			return run->items[i].layout_count;
	return UINT32_MAX;
}

/*
 * The old record's steps, on which the layouts of the rounds that are done depend; and where fewer layouts could be
 * linked again, a step down.
 */
static void take_up_steps(struct run *run)
{
	const struct record_plan *old = &run->resumed->plan;
	struct record_plan *plan = &run->record->plan;

	if (old->layout_step_count >
		0) { /* else of a version that had the same layouts all the time, as now */
		plan->layout_step_count = old->layout_step_count;
		plan->layout_steps = old->layout_steps;
	}
	for (uint32_t w = 0; w < run->record->workload_count; w++) {
		uint32_t linked = linked_layouts(run, w),
			 wanted = layout_order_count(plan, w, run->first_round);

		if (linked >= wanted)
			continue;
		run_layout_step(run, run->first_round, w, linked);
		run_note(run, "%s: %u of the run's %u layouts could be linked again",
			run->record->workloads[w].name, linked, wanted);
	}
}

/* The row behind the last one of the block that begins here. */
static size_t block_end(const struct samples *samples, size_t begin)
{
	const struct sample *first = &samples->v[begin];
	size_t end = begin + 1;

	while (end < samples->n && samples->v[end].session == first->session &&
		samples->v[end].round == first->round && samples->v[end].block == first->block)
		end++;
	return end;
}

/* What blocks took before the interruption. */
static void take_up_pace(struct run *run)
{
	const struct record *record = run->record;
	const struct samples *samples = &record->samples;

	for (size_t begin = 0, end; begin < samples->n; begin = end) {
		int64_t first = INT64_MAX, last = 0;
		size_t items = 0;
		uint32_t w = 0;

		end = block_end(samples, begin);
		for (size_t i = begin; i < end; i++) {
			const struct sample *row = &samples->v[i];
			int64_t done = row->start_offset_ns + (row->elapsed_ns > 0 ? row->elapsed_ns : 0);

			first = row->start_offset_ns < first ? row->start_offset_ns : first;
			last = done > last ? done : last;
			items += row->copy == 0 && row->repeat_of == SAMPLE_NONE;
		}
		while (!text_same(
			record->workloads[w].name, record->builds[samples->v[begin].build].workload))
			w++;
		if (items > 0 && last > first)
			pace_add(&run->pace[w], last - first, 0, items);
	}
}

int run_take_up(struct run *run, struct error *e)
{
	const struct record *old = run->resumed;
	struct record *record = run->record;

	for (size_t i = 0; i < old->build_count; i++)
		if (old->builds[i].content_hash != NULL &&
			!text_same(old->builds[i].content_hash, record->builds[i].content_hash))
			return refuse(e, arena_printf(run->arena, "the build of %s", old->builds[i].cell),
				old->builds[i].content_hash, record->builds[i].content_hash);
	if (facts_value(&old->harness, RUN_REPRODUCES_KEY) != NULL)
		facts_set(&record->harness, RUN_REPRODUCES_KEY,
			facts_value(&old->harness, RUN_REPRODUCES_KEY), "the record that is gone on with");
	record->continues = old->id;
	record->group = old->group;
	record->repeat_index = old->repeat_index;
	record->repeat_count = old->repeat_count;
	record->started = old->started;
	take_up_sessions(run);
	take_up_failures(run);
	for (size_t i = 0; i < old->samples.n; i++) {
		samples_add(&record->samples, &old->samples.v[i]);
		if (old->samples.v[i].round >= run->first_round)
			run->first_round = old->samples.v[i].round + 1;
	}
	run->first_row = run->journalled = record->samples.n;
	take_up_steps(run);
	take_up_pace(run);
	run->measured_before_ns = measured_ns(old);
	for (size_t i = 0; i < old->plan.comparison_count && i < record->plan.comparison_count; i++)
		record->plan.comparisons[i].closed_at = old->plan.comparisons[i].closed_at;
	for (size_t i = 0; i < old->notes.n; i++)
		record_note(record, "%s", old->notes.v[i]);
	record_note(record, "resumed after round %u of an interrupted run", run->first_round);
	return 0;
}
