#include "session/run.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "host/host.h"
#include "session/isa_check.h"
#include "sys/process.h"

/* A run from lock to record. */

enum { SETTLE_TOLD_NS = 1000 * 1000 * 1000 };

void run_tell(const struct run *run, const char *what, size_t done, size_t total, int64_t left_ns,
	size_t open_cells)
{
	const struct session_events *events = &run->session->events;
	struct session_progress progress = {
		.what = what, .done = done, .total = total, .left_ns = left_ns, .open_cells = open_cells};

	if (events->progress != NULL)
		events->progress(events->context, &progress);
}

void run_say(const struct run *run, const char *fmt, ...)
{
	const struct session_events *events = &run->session->events;
	struct arena arena = {0};
	va_list ap;

	if (events->message == NULL)
		return;
	va_start(ap, fmt);
	events->message(events->context, arena_vprintf(&arena, fmt, ap));
	va_end(ap);
	arena_release(&arena);
}

void run_detail(const struct run *run, const char *fmt, ...)
{
	const struct session_events *events = &run->session->events;
	struct arena arena = {0};
	va_list ap;

	if (events->detail == NULL)
		return;
	va_start(ap, fmt);
	events->detail(events->context, arena_vprintf(&arena, fmt, ap));
	va_end(ap);
	arena_release(&arena);
}

void run_note(const struct run *run, const char *fmt, ...)
{
	struct arena arena = {0};
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(&arena, fmt, ap);
	va_end(ap);
	if (run->resumed != NULL)
		record_note(run->record, "session %zu: %s", run->record->session_count, text);
	else
		record_note(run->record, "%s", text);
	arena_release(&arena);
}

/* Load of others before anything of ours ran. */
static void note_load(struct run *run)
{
	struct host_load load = {0};

	host_load_read("", &load);
	if (load.load1 > 0.5)
		run_note(run, "the machine was not idle at the start: load average %.2f, %lld runnable",
			load.load1, (long long)(load.running > 0 ? load.running - 1 : 0));
}

static void note_watch(struct run *run)
{
	uint32_t rounds = run->record->plan.last_look - run->first_round;

	if (run->busy_rounds * 10 > rounds)
		run_note(run,
			"other programs wanted a CPU at the end of %u of %u rounds (up to %lld at once)",
			run->busy_rounds, rounds, (long long)run->busy_most);
}

static void note_shares(struct run *run)
{
	const struct measurer *m = &run->measurer;
	struct facts *facts = &run->record->harness;
	double wall = (double)(clock_ns() - run->measure_begin_ns);

	if (m->counts_lost > 0)
		facts_setf(facts, "harness.counts_lost", "perf_event_open(2)",
			"%llu of %llu: the events had to take turns, or a program could not be counted",
			(unsigned long long)m->counts_lost, (unsigned long long)m->counts);
	if (wall <= 0 || m->sampling_ns <= 0)
		return;
	facts_setf(facts, "harness.share.sampling", "clock", "%.4f", (double)m->sampling_ns / wall);
	facts_setf(facts, "harness.share.spawning", "clock", "%.4f", (double)m->spawning_ns / wall);
	facts_setf(facts, "harness.share.canaries", "clock", "%.4f", (double)m->canaries_ns / wall);
	facts_setf(facts, "harness.share.own_cpu", "clock", "%.6f",
		(double)spawner_wait_cpu_ns(m->spawner) / (double)m->sampling_ns);
}

/* Not on the measured CPU alone: builds use all. */
static int prepare_measurer(struct run *run, struct error *e)
{
	struct session *session = run->session;
	struct measurer *m = &run->measurer;
	char *spawner = spawner_find_helper(run->arena, "spawner", e);
	char *seed = arena_printf(run->arena, "%s %zu", run->record->plan.seed,
		run->resumed != NULL ? run->resumed->session_count : 0);

	if (spawner == NULL || measurer_init(m, spawner, &session->pin_order, seed, run->arena, e) != 0)
		return -1;
	run->measuring = true;
	m->timeout_ns = run->settings.timeout_ns;
	m->counted_rounds = run->settings.counted_rounds;
	if (session->rest_dep_ns > 0) { /* a repeat: what the first run found still holds */
		m->canary = session->canary;
		m->rest_dep_ns = session->rest_dep_ns;
		m->rest_wide_ns = session->rest_wide_ns;
	} else {
		measure_rest(m);
		session->canary = m->canary;
		session->rest_dep_ns = m->rest_dep_ns;
		session->rest_wide_ns = m->rest_wide_ns;
	}
	return cpu_pin_self_list(&session->allowed, e);
}

static void settle(struct run *run)
{
	int64_t waited;
	char text[NUM_SIZE];

	run_tell(run, "settle", 0, 0, -1, 0);
	run->times.settle_ns = clock_ns();
	waited = measure_settle(&run->measurer, run->session->settle_max_ns);
	run->times.settle_ns = clock_ns() - run->times.settle_ns;
	num_duration(run->session->settle_max_ns, text);
	if (waited < 0)
		run_note(run, "the canaries did not come back to where they were at rest within %s", text);
	num_duration(waited, text);
	if (waited > SETTLE_TOLD_NS)
		run_note(run, "waited %s until the canaries were back where they were at rest", text);
}

static int build(struct run *run, struct error *e)
{
	run->build_begin_ns = clock_ns(); /* of the build budget */
	if (session_build(run->session, e) != 0)
		return -1;
	run->times.build_ns = clock_ns() - run->build_begin_ns;
	run_describe_builds(run);
	return 0;
}

static int link_builds(struct run *run, struct error *e)
{
	if (run_link(run, e) != 0)
		return -1;
	run_describe_functions(run);
	run_check_isa(run);
	return 0;
}

static int check(struct run *run, struct error *e)
{
	int64_t begin = clock_ns();
	int result = run_check_builds(run, e);

	run->times.check_ns = clock_ns() - begin;
	return result;
}

static int calibrate(struct run *run, struct error *e)
{
	int64_t begin = clock_ns();
	int result = run_calibrate(run, e);

	run->times.calibrate_ns = clock_ns() - begin;
	return result;
}

/* Build, link, check, calibrate. Interrupted or impossible: -1. */
static int prepare(struct run *run, struct error *e)
{
	if (prepare_measurer(run, e) != 0 || build(run, e) != 0 || link_builds(run, e) != 0 ||
		check(run, e) != 0)
		return -1;
	settle(run);
	return calibrate(run, e);
}

static bool has_failed(const struct record_build *build)
{
	return build->status == CELL_BUILD_FAILED || build->status == CELL_CHECK_FAILED ||
	       build->status == CELL_RUN_FAILED;
}

/* Why a run that went through has no value at all. */
static const char *nothing_measured(const struct run *run)
{
	const struct record *record = run->record;
	size_t impossible = 0, failed = 0;
	char budget[NUM_SIZE];

	for (size_t i = 0; i < record->build_count; i++) {
		impossible += record->builds[i].status == CELL_IMPOSSIBLE;
		failed += has_failed(&record->builds[i]);
	}
	if (impossible == record->build_count)
		return arena_printf(run->arena, "nothing was measured: no cell of matrix %s can exist here",
			run->session->matrix.name);
	num_duration(run->settings.budget_ns, budget);
	if (impossible + failed < record->build_count)
		return arena_printf(run->arena,
			"nothing was measured: the time budget of %s is over before one round of all cells "
			"is",
			budget);
	return arena_printf(run->arena,
		"nothing was measured: of %zu cell%s %zu cannot exist here and %zu failed",
		record->build_count, text_plural(record->build_count), impossible, failed);
}

static enum exit_code outcome_code(const struct record *record, int result, const struct error *why)
{
	bool failed = false, measured = false;

	for (size_t i = 0; i < record->build_count; i++) {
		failed |= has_failed(&record->builds[i]);
		measured |= record->builds[i].status == CELL_MEASURED;
	}
	if (result != 0)
		return why->code;
	if (!measured)
		return EXIT_CANNOT;
	return failed ? EXIT_CELL_FAILED : EXIT_YES;
}

static const char *incomplete_reason(const struct run *run, int result, const struct error *why)
{
	uint32_t rounds = run->record->plan.last_look;

	if (result == 0)
		return NULL;
	if (process_interrupted() != 0)
		return arena_printf(run->arena, "%s after %u round%s",
			process_interrupted() == SIGTERM ? "terminated (SIGTERM or SIGHUP)"
							 : "interrupted (Ctrl-C)",
			rounds, rounds == 1 ? "" : "s");
	return arena_strdup(run->arena, why->text);
}

/* Writes the record; the journal goes only when the record is safe. */
static int archive_run(struct run *run, int result, const struct error *why, struct session_outcome *outcome,
	struct error *e)
{
	struct record *record = run->record;
	char stamp[CLOCK_STAMP_SIZE];

	clock_stamp(stamp);
	record->finished = arena_strdup(run->arena, stamp);
	record->complete = result == 0;
	record->incomplete_reason = incomplete_reason(run, result, why);
	run_describe_changes(run);
	note_watch(run);
	note_shares(run);
	run_describe_times(run);
	if (archive_write(run->archive, record, &outcome->path, e) != 0)
		return error_advice(e,
			"finished rounds are kept in %s; make room, then `flagstone run --resume`",
			journal_path(run->journal));
	result = journal_close_remove(run->journal, e);
	run->journal = NULL;
	return result;
}

/* The record itself belongs to the caller once the outcome names it. */
static void run_release(struct run *run, const struct session_outcome *outcome)
{
	if (run->journal != NULL)
		journal_close(run->journal);
	if (run->measuring)
		measurer_release(&run->measurer);
	lock_release(&run->lock);
	if (run->resumed != NULL)
		record_release(run->resumed);
	if (run->record != NULL && outcome->record != run->record)
		record_release(run->record);
}

/* A machine without a machine id is told apart by a random one, drawn once and kept in the archive. */
static const char *random_host(struct run *run, struct error *e)
{
	char *path = file_join(run->arena, run->archive->root, ".host");
	struct buf text = {0};
	char *random;
	char hex[33];

	if (file_exists(path)) {
		if (file_read(path, 64, &text, e) != 0)
			return NULL;
		random = arena_strdup(run->arena, buf_text(&text));
		buf_release(&text);
		return random;
	}
	rng_fresh_hex(hex);
	if (file_write_atomic(path, hex, strlen(hex), e) != 0)
		return NULL;
	record_note(run->record, "this machine has no machine id: a random one is kept in %s", path);
	return arena_strdup(run->arena, hex);
}

static int open_archive(struct run *run, struct error *e)
{
	struct session *session = run->session;

	run->archive = arena_new(run->arena, struct archive);
	if (archive_open(run->archive, run->arena, session->archive_folder, true, e) != 0)
		return -1;
	if (session->host_name == NULL) {
		const char *random = random_host(run, e);

		if (random == NULL)
			return -1;
		session->host_name = host_name(&session->host, random, run->arena, e);
		if (session->host_name == NULL)
			return -1;
	}
	return 0;
}

/* From a described record to one in the archive. */
static int carry_out(struct run *run, struct session_outcome *outcome, struct error *e)
{
	struct error why = {0};
	int result;

	run_describe_fitness(run);
	/* before the builds: an archive that cannot be written is told at once */
	run->journal = journal_create(run->archive, run->record, e);
	if (run->journal == NULL)
		return -1;
	note_load(run);
	run->pace = arena_array(run->arena, run->record->workload_count, sizeof(*run->pace));
	if (prepare(run, e) != 0 || (run->resumed != NULL && run_take_up(run, e) != 0)) {
		journal_close_remove(run->journal, NULL);
		run->journal = NULL;
		return -1;
	}
	result = run_rounds(run, &why);
	outcome->code = outcome_code(run->record, result, &why);
	if (result == 0 && outcome->code == EXIT_CANNOT)
		outcome->reason = nothing_measured(run);
	if (result != 0 && why.code != EXIT_INTERRUPTED && why.code != EXIT_TERMINATED)
		run_say(run, "%s", why.text);
	outcome->record = run->record;
	return archive_run(run, result, &why, outcome, e);
}

static int take_lock(struct run *run, struct error *e)
{
	const struct session *session = run->session;

	return lock_take(&run->lock, arena_printf(run->arena, "flagstone run %s", session->matrix.name),
		session->options.lock_wait_ns, e);
}

int session_run(struct session *session, const struct session_repeat *repeat, struct session_outcome *outcome,
	struct error *e)
{
	struct run run = {.session = session, .arena = session->arena, .lock = {.fd = -1}};
	int result = -1;

	memset(outcome, 0, sizeof(*outcome));
	run.settings = session_settings(session);
	if (take_lock(&run, e) == 0 && run_describe(&run, repeat, e) == 0 && open_archive(&run, e) == 0) {
		run.record->host_name = session->host_name;
		result = carry_out(&run, outcome, e);
	}
	run_release(&run, outcome);
	return result;
}

int session_resume(
	struct session *session, const char *what, struct session_outcome *outcome, struct error *e)
{
	struct run run = {.session = session, .arena = session->arena, .lock = {.fd = -1}};
	int result = -1;

	memset(outcome, 0, sizeof(*outcome));
	if (take_lock(&run, e) == 0 && run_resume_open(&run, what, e) == 0 &&
		run_describe(&run, NULL, e) == 0 && open_archive(&run, e) == 0) {
		run.record->host_name = session->host_name;
		result = run_resume_compare(&run, e) != 0 ? -1 : carry_out(&run, outcome, e);
	}
	run_release(&run, outcome);
	return result;
}
