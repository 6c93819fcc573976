#include "session/fitness.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "host/fitness.h"
#include "host/host.h"
#include "sys/lock.h"
#include "sys/process.h"

/* how lock_take() begins where another program has the lock */
#define LOCK_HELD_TEXT "another flagstone"
/* systemctl answers in some ten milliseconds; one that does not is no reason to wait */
#define TIMERS_TIMEOUT_NS INT64_C(1000000000)

/* sd_booted(3): this folder is there where systemd is process 1. */
static bool has_systemd(void)
{
	return file_is_folder("/run/systemd/system");
}

/* What systemctl says of timers, in the form that host/due.h reads; NULL and the reason. */
static const char *ask_timers(struct arena *arena, const char **reason)
{
	static const char *const argv[] = {
		"systemctl", "list-timers", "--all", "--no-legend", "--no-pager", "--full", NULL};
	struct words words = {0};
	struct process_options options = {.timeout_ns = TIMERS_TIMEOUT_NS, .grace_ns = 1, .cpu = -1};
	struct process_result result = {0};
	struct error e = {0};
	const char *text = NULL;

	if (!has_systemd()) {
		*reason = "systemd does not run here";
		return NULL;
	}
	for (size_t i = 0; argv[i] != NULL; i++)
		words_add(&words, arena, argv[i]);
	options.argv = words.v;
	if (process_run(&options, &result, &e) != 0) {
		*reason = arena_strdup(arena, e.text);
		return NULL;
	}
	if (process_ok(&result))
		text = arena_strdup(arena, buf_text(&result.out));
	else
		*reason = process_describe(&result, arena);
	process_result_release(&result);
	return text;
}

static int find_cpus(
	struct fitness *fitness, const struct fitness_options *options, struct arena *arena, struct error *e)
{
	struct cpu_list allowed;

	if (options->cpus != NULL) {
		fitness->cpus = *options->cpus;
		return 0;
	}
	if (options->root != NULL) {
		const char *text = options->cpu_text != NULL ? options->cpu_text
							     : facts_value(&fitness->facts, "cpu.online");

		if (text == NULL)
			return 0; /* which is said: the check `cpus` is unknown */
		if (cpu_list_parse(text, arena, &fitness->cpus, e) != 0)
			return error_context(e, "the CPUs below %s", options->root);
		return 0;
	}
	if (cpu_allowed("", arena, &allowed, e) != 0)
		return -1;
	if (options->cpu_text != NULL) {
		if (cpu_list_parse(options->cpu_text, arena, &fitness->cpus, e) != 0 ||
			cpu_check(&fitness->cpus, &allowed, e) != 0)
			return error_context(e, "--cpus %s", options->cpu_text);
		return 0;
	}
	return cpu_pin_order("", &allowed, arena, &fitness->cpus, e);
}

static void read_facts(struct fitness *fitness, const struct fitness_options *options, struct arena *arena)
{
	struct host_fitness_input input = {
		.root = "", .folder = options->folder, .cpus = &fitness->cpus, .now_s = (int64_t)time(NULL)};
	char *here = getcwd(NULL, 0);

	if (options->root != NULL) {
		input.root = options->root;
		input.folder = NULL;
		input.timers_reason = "it is only asked on a live system";
	} else {
		input.folder = input.folder == NULL ? here : file_real(arena, input.folder, NULL);
		input.timers = ask_timers(arena, &input.timers_reason);
	}
	host_fitness_read(&input, &fitness->facts);
	free(here);
}

/* Rates while it was measured, from counts before and after. */
static void set_rates(
	struct host_measured *measured, const struct host_counts *before, const struct host_counts *after)
{
	double ticks = after->ticks - before->ticks;

	measured->steal_percent = before->ticks >= 0 && after->ticks >= 0 && ticks > 0
					  ? 100 * (after->steal_ticks - before->steal_ticks) / ticks
					  : -1;
	measured->interrupts_per_s =
		before->device_interrupts >= 0 && after->device_interrupts >= 0
			? (after->device_interrupts - before->device_interrupts) / measured->seconds
			: -1;
	measured->throttles =
		before->throttles >= 0 && after->throttles >= 0 ? after->throttles - before->throttles : -1;
}

static int measure(struct fitness *fitness, double seconds, struct arena *arena, struct error *e)
{
	struct host_counts before, after;
	struct cpu_list own;
	int result;

	if (cpu_affinity(sched_getaffinity, arena, &own, e) != 0)
		return -1;
	host_counts_read("", &fitness->cpus, &before);
	result = fitness_canaries(&fitness->cpus, seconds, &fitness->measured, e);
	host_counts_read("", &fitness->cpus, &after);
	if (result == 0) {
		set_rates(&fitness->measured, &before, &after);
		fitness_bandwidth(&fitness->facts, &fitness->cpus, &fitness->measured, arena);
		fitness->is_measured = true;
	}
	cpu_pin_self_list(&own, NULL);
	return result;
}

/* Measures under the lock of runs, or says who has it. */
static int measure_alone(struct fitness *fitness, double seconds, struct host_checks_input *input,
	struct arena *arena, struct error *e)
{
	struct lock lock = {.fd = -1};
	struct error held = {0};
	int result = 0;

	if (lock_take(&lock, "flagstone doctor", 0, &held) != 0) {
		if (text_starts(held.text, LOCK_HELD_TEXT))
			input->other_run = arena_strdup(arena, held.text);
		if (seconds > 0)
			fitness->unmeasured = input->other_run != NULL ? "another run goes on"
								       : arena_strdup(arena, held.text);
		return 0;
	}
	if (seconds > 0)
		result = measure(fitness, seconds, arena, e);
	lock_release(&lock);
	return result;
}

int fitness_read(
	struct fitness *fitness, const struct fitness_options *options, struct arena *arena, struct error *e)
{
	struct host_checks_input input = {.facts = &fitness->facts, .cpus = &fitness->cpus};

	memset(fitness, 0, sizeof(*fitness));
	fitness->facts.arena = arena;
	if (options->host != NULL)
		facts_copy(&fitness->facts, options->host);
	else if (host_read(options->root != NULL ? options->root : "", &fitness->facts, e) != 0)
		return -1;
	if (find_cpus(fitness, options, arena, e) != 0)
		return -1;
	read_facts(fitness, options, arena);
	if (options->root == NULL && !options->in_run &&
		measure_alone(fitness, options->seconds, &input, arena, e) != 0)
		return -1;
	input.now_s = (int64_t)time(NULL);
	input.measured = fitness->is_measured ? &fitness->measured : NULL;
	input.unmeasured = fitness->unmeasured;
	host_checks_make(&input, arena, &fitness->checks);
	return 0;
}

void fitness_facts(const struct fitness *fitness, struct facts *facts)
{
	static const struct {
		const char *key;
		enum check_status status;
	} lists[] = {{"doctor.unfit", CHECK_UNFIT}, {"doctor.caveats", CHECK_CAVEAT},
		{"doctor.unknown", CHECK_UNKNOWN}};
	static const char source[] = "flagstone doctor";

	facts_set(facts, "doctor.verdict", check_verdict_text(fitness->checks.verdict), source);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *named = host_checks_named(&fitness->checks, lists[i].status, facts->arena);

		facts_set(facts, lists[i].key, named != NULL ? named : "none", source);
	}
}
