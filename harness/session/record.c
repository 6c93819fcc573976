#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/version.h"
#include "host/host.h"
#include "session/bundle.h"
#include "session/run.h"
#include "sys/git.h"

/* What a record says before anything is measured. */

static void git_facts(
	struct facts *facts, const char *prefix, const char *folder, bool below_only, const char *except)
{
	struct git_state git = {0};
	char *key = arena_printf(facts->arena, "%s.commit", prefix);
	char *dirty = arena_printf(facts->arena, "%s.dirty", prefix);

	git_read(folder, below_only, except, facts->arena, &git);
	if (git.commit != NULL)
		facts_set(facts, key, git.commit, "git");
	else
		facts_unknown(facts, key, "git", git.commit_reason);
	if (git.dirty_known)
		facts_set(facts, dirty, git.dirty ? "yes" : "no", "git");
	else
		facts_unknown(facts, dirty, "git", git.dirty_reason);
	if (git.diff_hash != NULL)
		facts_set(facts, arena_printf(facts->arena, "%s.diff_sha256", prefix), git.diff_hash, "git");
	if (git.branch != NULL)
		facts_set(facts, arena_printf(facts->arena, "%s.branch", prefix), git.branch, "git");
	if (git.describe != NULL)
		facts_set(facts, arena_printf(facts->arena, "%s.describe", prefix), git.describe, "git");
	if (git.shallow)
		facts_set(facts, arena_printf(facts->arena, "%s.shallow", prefix), "yes", "git");
}

/* What git says of a folder; of one that was exported from a commit it is known already. */
static void commit_facts(
	struct run *run, struct facts *facts, const char *prefix, const char *folder, const char *except)
{
	const struct session *session = run->session;
	const char *commit = session->options.exported_commit;

	if (commit == NULL || !text_starts(folder, session->project_folder)) {
		git_facts(facts, prefix, folder, true, except);
		return;
	}
	facts_set(facts, arena_printf(facts->arena, "%s.commit", prefix), commit, "exported from git");
	facts_set(facts, arena_printf(facts->arena, "%s.dirty", prefix), "no", "exported from git");
}

/* flagstone's own part, as it was compiled in: the folder it runs in may be anybody's project. */
static void harness_facts(struct facts *facts)
{
	const struct {
		const char *key, *value;
	} built[] = {{"harness.version", version.version}, {"harness.commit", version.commit},
		{"harness.dirty", version.dirty}, {"harness.compiler", version.compiler},
		{"harness.flags", version.cflags}};

	for (size_t i = 0; i < sizeof(built) / sizeof(built[0]); i++)
		if (built[i].value != NULL)
			facts_set(facts, built[i].key, built[i].value, "built in");
		else
			facts_unknown(facts, built[i].key, "built in", version.unknown_reason);
	/* what each measured program finds when it asks what it is connected to: it may behave accordingly */
	facts_set(facts, "harness.child.stdin", "/dev/null", "sys/spawner");
	facts_set(facts, "harness.child.stdout", "pipe", "sys/spawner");
	facts_set(facts, "harness.child.stderr", "pipe", "sys/spawner");
}

static void add_toolchains(struct run *run)
{
	struct record *record = run->record;
	const struct plan *plan = &run->session->plan;

	record->toolchains = arena_array(run->arena, plan->slot_count, sizeof(*record->toolchains));
	for (size_t i = 0; i < plan->slot_count; i++) {
		struct record_toolchain *toolchain = &record->toolchains[record->toolchain_count++];

		words_add(&toolchain->slots, run->arena, plan->slots[i].name);
		toolchain->facts.arena = run->arena;
		if (plan->slots[i].toolchain != NULL)
			facts_copy(&toolchain->facts, &plan->slots[i].toolchain->facts);
		else
			facts_unknown(&toolchain->facts, "toolchain.family", "PATH", plan->slots[i].reason);
	}
}

/* What its sources are: read here, or where a bundle was made. */
static int read_sources(
	struct run *run, const struct spec_workload *spec, struct record_workload *workload, struct error *e)
{
	const struct session_bundle *b = run->session->bundle;
	char hash[HASH_HEX];

	workload->facts.arena = run->arena;
	if (b != NULL) {
		const struct record_workload *from = record_workload(b->bundle.record, spec->name);

		workload->content_hash = from->content_hash;
		facts_copy(&workload->facts, &from->facts);
		return 0;
	}
	if (build_workload_hash(spec, hash, e) != 0)
		return error_context(e, "workload %s", spec->name);
	workload->content_hash = arena_strdup(run->arena, hash);
	facts_set(&workload->facts, "workload.stdin",
		spec->stdin_path != NULL ? file_name(spec->stdin_path) : "/dev/null", "workload.yaml");
	commit_facts(run, &workload->facts, "workload", spec->folder, NULL);
	return 0;
}

static int add_workload(struct run *run, const struct spec_workload *spec, struct error *e)
{
	struct record *record = run->record;
	struct record_workload *workload = &record->workloads[record->workload_count];

	if (read_sources(run, spec, workload, e) != 0)
		return -1;
	workload->name = spec->name;
	workload->title = spec->title != NULL ? spec->title : spec->name;
	workload->tags = spec->tags;
	workload->unit = spec->unit;
	workload->lower_is_better = spec->lower_is_better;
	workload->suite = spec->suite;
	workload->suite_baseline = spec->suite_baseline;
	record->workload_count++;
	return 0;
}

static int add_workloads(struct run *run, struct error *e)
{
	const struct plan *plan = &run->session->plan;
	const struct spec_workload *last = NULL;

	run->record->workloads = arena_array(run->arena, plan->cell_count, sizeof(*run->record->workloads));
	for (size_t i = 0; i < plan->cell_count; i++) {
		if (plan->cells[i].workload == last)
			continue; /* cells stand workload by workload */
		last = plan->cells[i].workload;
		if (add_workload(run, last, e) != 0)
			return -1;
	}
	return 0;
}

static void add_cells(struct run *run)
{
	const struct plan *plan = &run->session->plan;
	struct record *record = run->record;
	struct record_plan *p = &record->plan;

	record->builds = arena_array(run->arena, plan->cell_count, sizeof(*record->builds));
	record->build_count = plan->cell_count;
	p->comparisons = arena_array(run->arena, plan->cell_count, sizeof(*p->comparisons));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];
		struct record_build *build = &record->builds[i];

		build->cell = cell->name;
		build->workload = cell->workload->name;
		build->slot = cell->slot->name;
		build->variant = cell->variant->name;
		build->copies = cell->copies;
		build->args = cell->args;
		build->baseline = cell->baseline;
		build->reason = cell->reason;
		build->status = cell->reason != NULL ? CELL_IMPOSSIBLE : CELL_PLANNED;
		build->facts.arena = run->arena;
		if (cell->copies_keyword != NULL)
			facts_set(&build->facts, "cell.copies_keyword", cell->copies_keyword, "matrix");
		if (cell->variant->env.n > 0)
			facts_set(&build->facts, "run.env", words_join(&cell->variant->env, run->arena),
				"matrix");
		if (cell->slot->toolchain != NULL && cell->slot->toolchain->runner.n > 0)
			facts_set(&build->facts, "run.runner",
				words_join(&cell->slot->toolchain->runner, run->arena), "toolchains/*.yaml");
		if (cell->variant->check_rel >= 0)
			facts_setf(&build->facts, "check.rel", "matrix", "%g", cell->variant->check_rel);
		if (cell->baseline_index >= 0 && cell->baseline_index != (int64_t)i && cell->reason == NULL &&
			plan->cells[cell->baseline_index].reason == NULL)
			p->comparisons[p->comparison_count++] = (struct record_comparison){
				.a = (uint32_t)cell->baseline_index, .b = (uint32_t)i};
	}
}

static void add_plan(struct run *run)
{
	struct record_plan *plan = &run->record->plan;
	const struct session *session = run->session;
	char seed[33];

	plan->matrix_name = session->matrix.name;
	plan->matrix_text = session->matrix.text;
	if (session->options.seed != NULL) {
		plan->seed = session->options.seed;
	} else {
		rng_fresh_hex(seed);
		plan->seed = arena_strdup(run->arena, seed);
	}
	plan->settings = run->settings;
	plan->aa = session->options.aa;
	plan->look_count = plan_looks(run->settings.rounds_min, run->settings.rounds_max, plan->looks);
}

int run_describe(struct run *run, const struct session_repeat *repeat, struct error *e)
{
	struct session *session = run->session;
	struct arena *arena = run->arena;
	struct record *record = run->record = record_new(arena);
	char stamp[CLOCK_STAMP_SIZE], id[33];

	clock_stamp(stamp);
	rng_fresh_hex(id);
	record->run = arena_strdup(arena, id);
	record->started = arena_strdup(arena, stamp);
	if (repeat != NULL) {
		record->group = repeat->group;
		record->repeat_index = repeat->index;
		record->repeat_count = repeat->count;
	}
	harness_facts(&record->harness);
	facts_set(&record->harness, RUN_CPUS_KEY, cpu_list_text(&session->pin_order, arena),
		session->options.cpus != NULL ? RUN_CPUS_GIVEN : "sched_getaffinity, /sys");
	if (session->bundle != NULL) {
		session_bundle_facts(session, &record->harness);
		record_note(record, "the programs are those of bundle %.12s, built on %s",
			session->bundle->bundle.id, session->bundle->bundle.record->host_name);
		facts_copy(&record->project, &session->bundle->bundle.record->project);
	} else {
		commit_facts(run, &record->project, "project", session->project_folder, "archive");
	}
	if (session->options.reproduces != NULL)
		facts_set(&record->harness, RUN_REPRODUCES_KEY, session->options.reproduces,
			"flagstone reproduce");
	record->host_name = session->host_name;
	facts_copy(&record->host, &session->host);
	record->sessions = arena_new(arena, struct record_session);
	record->sessions[0].boot_id = facts_value(&session->host, "boot.id");
	record->sessions[0].started = record->started;
	record->sessions[0].changed.arena = arena;
	record->session_count = 1;
	add_toolchains(run);
	add_plan(run);
	if (add_workloads(run, e) != 0)
		return -1;
	add_cells(run);
	for (size_t i = 0; i < session->plan.notes.n; i++)
		record_note(record, "%s", session->plan.notes.v[i]);
	return 0;
}

void run_describe_builds(struct run *run)
{
	for (size_t i = 0; i < run->record->build_count; i++) {
		const struct build *from = &run->session->builds[i];
		struct record_build *to = &run->record->builds[i];

		if (to->status == CELL_IMPOSSIBLE)
			continue;
		to->content_hash = from->content_hash[0] != '\0' ? from->content_hash : NULL;
		to->code_hash = from->code_hash;
		to->build_id = from->build_id;
		to->commands = from->commands;
		to->log_excerpt = from->log_excerpt;
		facts_copy(&to->facts, &from->facts);
		to->status = from->ok ? CELL_BUILT : CELL_BUILD_FAILED;
		if (!from->ok) {
			to->reason = from->reason != NULL ? from->reason : "not built";
			if (from->log != NULL)
				to->reason = arena_printf(run->arena, "%s (log: %s)", to->reason, from->log);
			record_add_failure(run->record, -1, (uint32_t)i, "build", "%s", to->reason);
		}
	}
}

void run_describe_changes(struct run *run)
{
	struct facts now = {.arena = run->arena};
	struct record_session *session = &run->record->sessions[run->record->session_count - 1];

	if (host_read("", &now, NULL) != 0)
		return;
	for (size_t i = 0; i < now.n; i++) {
		const char *before = facts_value(&run->session->host, now.v[i].key);
		const char *after = now.v[i].value;

		if (host_volatile(now.v[i].key) || before == NULL || after == NULL ||
			strcmp(before, after) == 0)
			continue;
		facts_set(&session->changed, now.v[i].key, after, now.v[i].source);
		record_note(run->record, "%s changed during the run: %s before, %s after", now.v[i].key,
			before, after);
	}
}
