/*
 * trust - are flagstone's verdicts right on this machine? `make trust`; tests/trust/README.md says what it does.
 *
 *	trust [--markdown] [--from RECORD] [--archive DIR] [--tiny] [--compilers LIST]
 *
 * from the root of the source tree. Prints lines NAME<tab>VALUE<tab>UNIT<tab>LIMIT ("-": none), then tables. The
 * environment: ONLY=NAME runs the part of this figure; TRUST=short takes fewer of everything; TRUST_PAIR=60s is the time
 * of measuring for the two cells of a planted pair; FLAGSTONE_LIBEXEC is where the helpers are. --from computes the
 * figures again from an archived record; --compilers "gcc-11 clang-16" is the part native alone, by these compilers on this
 * CPU. Exit code 1: a limit is broken.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "record/json.h"
#include "sys/process.h"
#include "native.h"
#include "trust.h"

static const struct trust_size full = {.aa_pairs = 200,
	.planted_runs = 4,
	.pair_s = 10,
	.placement_rounds = 30 * 20,
	.neighbour_runs = 2,
	.families = 250,
	.recorded_families = 500,
	.native_models = 99,
	.native_variants = 99,
	.native_workloads = 99,
	.native_slots = "gcc clang"};
static const struct trust_size brief = {.aa_pairs = 40,
	.planted_runs = 1,
	.pair_s = 4,
	.placement_rounds = 30 * 6,
	.neighbour_runs = 1,
	.families = 150,
	.recorded_families = 500,
	.native_models = 4,
	.native_variants = 3,
	.native_workloads = 3,
	.native_slots = "gcc clang"};
/* for the tests: everything happens, nothing is proved */
static const struct trust_size tiny = {.aa_pairs = 5,
	.planted_runs = 1,
	.pair_s = 0.5,
	.placement_rounds = 48,
	.neighbour_runs = 1,
	.families = 4,
	.recorded_families = 4,
	.native_models = 2,
	.native_variants = 2,
	.native_workloads = 1,
	.native_slots = "gcc",
	.layouts = 8,
	.rounds = 16,
	.sample_ns = 1000000,
	.one_workload = true};

static int measure_aa(struct trust *t, struct error *e)
{
	uint32_t runs = 0;
	size_t pairs = 0;

	while (pairs < t->size.aa_pairs) {
		struct trust_wish wish = {
			.part = "aa", .matrix = "aa", .first = "strsort", .number = runs, .aa = true};
		size_t before = t->record->build_count;

		if (trust_measure(t, &wish, e) != 0)
			return -1;
		for (size_t i = before; i < t->record->build_count; i++)
			pairs += !t->record->builds[i].baseline;
		runs++;
	}
	return 0;
}

static int measure_planted(struct trust *t, struct error *e)
{
	struct trust_block block = trust_planted_block(trust_rounds_of(t->size.pair_s, 0));
	enum { KINDS = 3 };
	double seconds = KINDS * (double)block.cells * t->size.pair_s / 2;

	for (uint32_t run = 0; run < t->size.planted_runs; run++) {
		struct trust_wish wish = {.part = "planted",
			.matrix = "planted",
			.first = "trust-integer",
			.number = run,
			.rounds_min = 16,
			.rounds_max = t->size.rounds > 0 ? t->size.rounds : block.looks[block.look_count - 1],
			.budget_ns = (int64_t)(seconds * 1e9)};

		if (trust_measure(t, &wish, e) != 0)
			return -1;
	}
	return 0;
}

static int measure_placement(struct trust *t, struct error *e)
{
	struct trust_wish wish = {.part = "placement",
		.matrix = "placement",
		.first = "strsort",
		.rounds_min = t->size.placement_rounds,
		.rounds_max = t->size.placement_rounds,
		.aa = true};

	return trust_measure(t, &wish, e);
}

static int measure_nothing(struct trust *t, struct error *e)
{
	(void)t;
	(void)e;
	return 0;
}

static void judge_nothing(struct trust *t)
{
	(void)t;
}

/* The parts in their order; simulated comes last, as it takes noise from what was measured. */
static const struct part {
	const char *name;
	const char *names; /* its figures begin or end so */
	int (*measure)(struct trust *t, struct error *e);
	void (*judge)(struct trust *t);
} parts[] = {
	{"aa", "aa", measure_aa, trust_judge_aa},
	{"planted", "planted coverage", measure_planted, trust_judge_planted},
	{"placement", "placement", measure_placement, trust_judge_placement},
	{"neighbour", "neighbour", trust_measure_neighbours, trust_judge_neighbours},
	{"native", "native", trust_measure_native, trust_judge_native},
	{"simulated", "simulated", measure_nothing, judge_nothing},
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static bool begins_with_one(const char *name, const char *list, struct arena *arena)
{
	struct words words = {0};

	words_split(&words, arena, list, NULL, NULL);
	for (size_t i = 0; i < words.n; i++)
		if (text_starts(name, words.v[i]))
			return true;
	return false;
}

bool trust_wanted(const struct trust *t, const char *part)
{
	struct arena arena = {0};
	bool simulated, wanted = false;

	if (t->only == NULL)
		return true;
	simulated = strstr(t->only, "simulated") != NULL;
	for (size_t i = 0; i < PARTS; i++) {
		if (strcmp(parts[i].name, part) != 0)
			continue;
		wanted = strcmp(part, "simulated") == 0
				 ? simulated
				 : !simulated && begins_with_one(t->only, parts[i].names, &arena);
	}
	if (strstr(t->only, "-here") != NULL)
		wanted |= strcmp(part, "planted") == 0;
	arena_release(&arena);
	return wanted;
}

void trust_figure(struct trust *t, const char *name, double value, const char *unit, const char *limit,
	enum trust_verdict verdict, const char *fmt, ...)
{
	struct trust_figure figure = {.name = arena_strdup(&t->arena, name),
		.value = value,
		.unit = unit,
		.limit = arena_strdup(&t->arena, limit),
		.verdict = verdict};
	va_list ap;

	va_start(ap, fmt);
	figure.detail = arena_vprintf(&t->arena, fmt, ap);
	va_end(ap);
	vec_push(&t->figures, figure);
	trust_row(t, TABLE_FIGURES, value < 1000 ? "%s|%.3g %s|%s|%s|%s" : "%s|%.0f %s|%s|%s|%s", name, value,
		unit, limit, trust_verdict_text(verdict), figure.detail);
	if (t->markdown)
		return;
	printf("%s\t%.3f\t%s\t%s\n", name, value, unit, limit);
	fflush(stdout);
}

void trust_share(
	struct trust *t, const char *name, size_t k, size_t n, double low, double high, const char *what)
{
	struct stats_proportion share = stats_proportion(k, n);
	bool has_low = !isnan(low), has_high = !isnan(high);
	enum trust_verdict verdict = TRUST_NO_LIMIT;
	const char *limit = "-";

	if (has_low && has_high)
		limit = arena_printf(&t->arena, "%g..%g", low, high);
	else if (has_low || has_high)
		limit = arena_printf(&t->arena, has_low ? ">=%g" : "<=%g", has_low ? low : high);
	if (has_low || has_high)
		verdict = trust_hold(&share, has_low ? low / 100 : 0, has_high ? high / 100 : 1);
	trust_figure(t, name, 100 * share.share, "%", limit, verdict, "%zu of %zu (%.1f to %.1f %%) %s", k, n,
		100 * share.lo, 100 * share.hi, what);
}

/* An empty record of kind trust; what host and project are comes with the first run. */
static void begin_record(struct trust *t)
{
	char stamp[CLOCK_STAMP_SIZE], id[33], seed[33];
	struct record *record = t->record = record_new(&t->arena);

	clock_stamp(stamp);
	rng_fresh_hex(id);
	rng_fresh_hex(seed);
	record->kind = "trust";
	record->run = arena_strdup(&t->arena, id);
	record->started = arena_strdup(&t->arena, stamp);
	record->plan.matrix_name = "trust";
	record->plan.seed = arena_strdup(&t->arena, seed);
	record->plan.settings = (struct measure_settings){
		.sample_ns = 5000000, .precision = TRUST_PRECISION, .matters = TRUST_MATTERS};
}

/* why: what cut it short, NULL: nothing. */
static int archive_record(struct trust *t, const char *why, struct error *e)
{
	struct archive archive;
	struct record *record = t->record;
	char stamp[CLOCK_STAMP_SIZE];
	const char *path;

	if (record->session_count == 0) {
		fprintf(stderr, "trust: nothing was measured, so there is no record to keep\n");
		return 0;
	}
	clock_stamp(stamp);
	record->finished = arena_strdup(&t->arena, stamp);
	record->complete = why == NULL;
	record->incomplete_reason = why;
	for (size_t i = 0; i < t->figures.n; i++)
		trust_set_figure(record, &t->figures.v[i]);
	if (t->only != NULL)
		record_note(record, "only the part of %s was measured", t->only);
	if (archive_open(&archive, &t->arena, t->archive, true, e) != 0 ||
		archive_write(&archive, record, &path, e) != 0)
		return -1;
	fprintf(stderr, "trust: record %s\n", path);
	return 0;
}

static int run_parts(struct trust *t, bool measuring, struct error *e)
{
	for (size_t i = 0; i < PARTS; i++) {
		bool wanted = trust_wanted(t, parts[i].name);

		if (measuring && wanted && parts[i].measure(t, e) != 0)
			return error_context(e, "part %s", parts[i].name);
		if (wanted && parts[i].judge != judge_nothing &&
			(measuring || trust_runs(t->record, parts[i].name) > 0 ||
				strcmp(parts[i].name, "neighbour") == 0))
			parts[i].judge(t);
	}
	return trust_wanted(t, "simulated") ? trust_simulate_all(t, e) : 0;
}

static enum exit_code verdict_of(const struct trust *t)
{
	enum exit_code code = EXIT_YES;

	for (size_t i = 0; i < t->figures.n; i++) {
		const struct trust_figure *figure = &t->figures.v[i];

		if (figure->verdict != TRUST_BROKEN)
			continue;
		fprintf(stderr, "trust: %s is %.3g %s, and should be %s: %s\n", figure->name, figure->value,
			figure->unit, figure->limit, figure->detail);
		code = EXIT_NO;
	}
	return code;
}

static int read_environment(struct trust *t, struct error *e)
{
	const char *size = getenv("TRUST"), *pair = getenv("TRUST_PAIR"), *only = getenv("ONLY");
	int64_t ns;

	t->size = full;
	if (size != NULL && strcmp(size, "short") == 0) {
		t->is_short = true;
		t->size = brief;
	} else if (size != NULL && size[0] != '\0' && strcmp(size, "full") != 0) {
		return error_set(e, EXIT_USAGE, "TRUST=%s: it is full or short", size);
	}
	if (pair != NULL && pair[0] != '\0') {
		if (!num_parse_duration(pair, &ns) || ns < 100000000 || ns > 3600000000000)
			return error_set(e, EXIT_USAGE,
				"TRUST_PAIR=%s: it is the measuring time of a pair, 100ms to 1h, such as 60s",
				pair);
		t->size.pair_s = (double)ns / 1e9;
	}
	t->only = only != NULL && only[0] != '\0' ? only : NULL;
	for (size_t i = 0; i < PARTS; i++)
		if (trust_wanted(t, parts[i].name))
			return 0;
	return error_set(e, EXIT_USAGE,
		"ONLY=%s: there is no such figure; parts are aa, planted, placement, neighbour, native, "
		"simulated",
		only);
}

static int measure_all(struct trust *t, struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	char *scratch = arena_printf(
		&t->arena, "%s/flagstone-trust-XXXXXX", tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	int result;

	if (mkdtemp(scratch) == NULL)
		return error_set(e, EXIT_CANNOT, "making a folder for the runs: cannot make %s", scratch);
	t->scratch = scratch;
	setenv("XDG_CACHE_HOME", scratch, 1);
	begin_record(t);
	t->begin_ns = clock_ns();
	result = run_parts(t, true, e);
	if (archive_record(
		    t, result == 0 ? NULL : arena_strdup(&t->arena, e->text), result == 0 ? e : NULL) != 0)
		result = -1;
	file_remove_tree(scratch, NULL);
	return result;
}

static int judge_archived(struct trust *t, const char *path, struct error *e)
{
	struct record *record;
	const char *budget;

	if (record_read_file(path, NULL, &t->arena, &record, e) != 0)
		return -1;
	t->record = record;
	if (strcmp(record->kind, "trust") != 0)
		return error_set(e, EXIT_USAGE, "%s is a record of kind %s, not trust", path, record->kind);
	budget = facts_value(&record->harness, TRUST_FIGURE "planted-budget");
	if (budget != NULL && strtod(budget, NULL) > 0)
		t->size.pair_s = strtod(budget, NULL);
	if (trust_wanted(t, "native"))
		trust_native_again(t);
	return run_parts(t, false, e);
}

static int parse(struct trust *t, int argc, char **argv, const char **from, struct error *e)
{
	if (read_environment(t, e) != 0)
		return -1;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--markdown") == 0)
			t->markdown = true;
		else if (strcmp(argv[i], "--tiny") == 0)
			t->size = tiny;
		else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
			*from = argv[++i];
		else if (strcmp(argv[i], "--archive") == 0 && i + 1 < argc)
			t->archive = argv[++i];
		else if (strcmp(argv[i], "--compilers") == 0 && i + 1 < argc)
			t->compilers = argv[++i];
		else
			return error_set(e, EXIT_USAGE,
				"%s: unknown; there are --markdown, --from RECORD, --archive DIR, --tiny, "
				"--compilers LIST",
				argv[i]);
	}
	if (t->compilers != NULL)
		t->only = "native";
	return 0;
}

int main(int argc, char **argv)
{
	struct trust t = {.archive = "archive"};
	const char *from = NULL;
	struct error e = {0};
	enum exit_code code;
	int result;

	if (argc == 2 && strcmp(argv[1], "--load") == 0)
		trust_load_run();
	if (argc == 2 && strcmp(argv[1], "--cpuid") == 0)
		return native_print_cpu();
	t.top = getcwd(NULL, 0);
	t.program = file_real(&t.arena, "/proc/self/exe", NULL);
	process_catch_signals();
	result = parse(&t, argc, argv, &from, &e);
	if (result == 0)
		result = from != NULL ? judge_archived(&t, from, &e) : measure_all(&t, &e);
	if (t.rows.n > 0)
		trust_print_tables(&t);
	code = result == 0 ? verdict_of(&t) : e.code;
	if (result != 0)
		fprintf(stderr, "trust: %s\n", e.text);
	if (t.record != NULL)
		record_release(t.record);
	vec_release(&t.figures);
	vec_release(&t.rows);
	free((void *)(uintptr_t)t.top);
	arena_release(&t.arena);
	return (int)code;
}
