/*
 * bench_compare - two records with 1,000 cells each, whose files are read and whose samples are summed up (compare-read),
 * then judged, compared and rendered as `compare` does (compare-records); and 200 records of a fleet put into groups.
 * figures: compare-read compare-records compare-fleet
 *
 * Prints NAME<tab>VALUE<tab>UNIT<tab>LIMIT: the best of three. Every cell has what a real one has: sixteen layouts and
 * rounds, fifty facts, twenty functions; every fifth is native with other code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "compare/between.h"
#include "record/json.h"
#include "report/comparison.h"
#include "report/report.h"

enum {
	CELLS = 1000,
	VARIANTS = 5,
	ROUNDS = 16,
	LAYOUTS = 16,
	FUNCTIONS = 20,
	RAW_FACTS = 30,
	HOST_FACTS = 120,
	FLEET = 200,
	FLEET_CELLS = 20,
	REPEATS = 3
};

static const double limit_records_s = 0.3, limit_fleet_s = 2;

static void add_facts(struct record *record, struct record_build *b, bool native, unsigned machine)
{
	static const char *const judged[][2] = {{"resolved.arch", "x86_64"}, {"resolved.opt_level", "O2"},
		{"resolved.fp_model",
			"precise contract=fast finite=no associative=no reciprocal=no zeros=signed"},
		{"resolved.lto", "none"}, {"resolved.pgo", "none"}, {"resolved.sanitizers", "none"},
		{"resolved.static", "no"}, {"resolved.tune", "generic"}, {"resolved.move_max", "128"},
		{"resolved.store_max", "128"}, {"resolved.cache_line", "64"}, {"resolved.pie", "yes"},
		{"code.static", "no"}, {"cell.units", "1024"}};

	for (size_t i = 0; i < RAW_FACTS; i++)
		facts_set(&b->facts, arena_printf(record->arena, "raw.%zu", i),
			"-fsome -foptions -that -a -compiler -lists", "bench");
	facts_set(&b->facts, "build.cflags", native ? "-O2 -march=native" : "-O2", "bench");
	for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++)
		facts_set(&b->facts, judged[i][0], judged[i][1], "bench");
	facts_set(&b->facts, "resolved.native_requested", native ? "yes" : "no", "bench");
	facts_set(&b->facts, "resolved.vector_width", native && machine % 50 == 1 ? "512" : "256", "bench");
	facts_set(&b->facts, "resolved.features",
		"__ADX__ __AES__ __AVX2__ __AVX__ __BMI2__ __BMI__ __F16C__ __FMA__ __SSE2__ __SSE__ "
		"__SSSE3__",
		"bench");
	facts_set(&b->facts, "code.objects_sha256", b->code_hash, "bench");
	facts_set(&b->facts, "code.objects_unpadded_sha256", b->code_hash, "bench");
}

static void add_build(struct record *record, size_t i, unsigned machine)
{
	struct arena *arena = record->arena;
	size_t workload = i / VARIANTS, variant = i % VARIANTS;
	bool native = variant == VARIANTS - 1;
	struct record_build *b = &record->builds[record->build_count++];

	*b = (struct record_build){.workload = record->workloads[workload].name,
		.slot = "gcc",
		.variant = arena_printf(arena, "v%zu", variant),
		.copies = 1,
		.args = "",
		.status = CELL_MEASURED,
		.baseline = variant == 0,
		.facts.arena = arena};
	b->cell = arena_printf(arena, "%s/gcc/%s/1", b->workload, b->variant);
	b->code_hash = arena_printf(arena, "%060zu%04u", i, native ? machine % 50 : 0);
	b->content_hash = arena_printf(arena, "%064zu", i);
	b->layouts = arena_array(arena, LAYOUTS, sizeof(*b->layouts));
	b->layout_count = LAYOUTS;
	for (uint32_t k = 0; k < LAYOUTS; k++)
		b->layouts[k] = (struct record_layout){.layout = k,
			.seed = arena_printf(arena, "%064zu", i + k),
			.sha256 = arena_printf(arena, "%058zu%03u%03u", i, k, machine)};
	b->functions = arena_array(arena, FUNCTIONS, sizeof(*b->functions));
	b->function_count = FUNCTIONS;
	for (size_t k = 0; k < FUNCTIONS; k++)
		b->functions[k] = (struct record_function){arena_printf(arena, "function_%zu", k), 100 + k,
			arena_printf(arena, "%016zu", k + (native ? machine : 0))};
	add_facts(record, b, native, machine);
	if (variant > 0)
		record->plan.comparisons[record->plan.comparison_count++] =
			(struct record_comparison){.a = (uint32_t)(i - variant), .b = (uint32_t)i};
}

static void add_host(struct record *record, unsigned machine)
{
	for (size_t i = 0; i < HOST_FACTS; i++)
		facts_set(&record->host, arena_printf(record->arena, "probe.%zu", i), "a value", "bench");
	for (size_t i = 0; i < 20; i++)
		facts_set(&record->host, arena_printf(record->arena, "kernel.mitigation.m%zu", i),
			"Not affected", "bench");
	facts_set(&record->host, "host.arch", "x86_64", "bench");
	facts_set(&record->host, "cpu.model_name", "Intel(R) Xeon(R) Platinum 8481C", "bench");
	facts_set(&record->host, "kernel.release", machine % 7 == 3 ? "6.12" : "6.1", "bench");
	facts_set(&record->host, "freq.governor", "performance", "bench");
	facts_set(&record->host, "libc.version", "2.36", "bench");
	facts_setf(&record->host, "product.uuid_hash", "bench", "%032u", machine);
}

static struct record *make(struct arena *arena, unsigned machine, size_t cells)
{
	struct record *record = record_new(arena);

	record->run = arena_printf(arena, "%032u", machine);
	record->kind = "run";
	record->started = record->finished = "2026-03-01T12:34:56Z";
	record->complete = true;
	record->host_name = arena_printf(arena, "x86_64-6-143-%012u", machine);
	record->plan.matrix_name = "flags";
	record->plan.seed = "0123456789abcdef0123456789abcdef";
	record->plan.settings = (struct measure_settings){.sample_ns = 5000000,
		.layouts_min = LAYOUTS,
		.layouts_max = LAYOUTS,
		.rounds_min = ROUNDS,
		.rounds_max = ROUNDS,
		.precision = 0.01,
		.matters = 0.005};
	record->plan.looks[0] = record->plan.last_look = ROUNDS;
	record->plan.look_count = 1;
	record->workloads = arena_array(arena, cells / VARIANTS, sizeof(*record->workloads));
	record->builds = arena_array(arena, cells, sizeof(*record->builds));
	record->plan.comparisons = arena_array(arena, cells, sizeof(*record->plan.comparisons));
	record->toolchains = arena_array(arena, 1, sizeof(*record->toolchains));
	record->toolchain_count = 1;
	record->toolchains[0].facts.arena = arena;
	words_add(&record->toolchains[0].slots, arena, "gcc");
	facts_set(&record->toolchains[0].facts, "toolchain.family", "gcc", "bench");
	facts_set(&record->toolchains[0].facts, "toolchain.version", "12.2.0", "bench");
	facts_set(&record->toolchains[0].facts, "toolchain.linker.version", "GNU ld 2.40", "bench");
	for (size_t i = 0; i < cells / VARIANTS; i++)
		record->workloads[record->workload_count++] =
			(struct record_workload){.name = arena_printf(arena, "workload%zu", i),
				.unit = "lps",
				.content_hash = arena_printf(arena, "%064zu", i),
				.units = 1024,
				.facts.arena = arena};
	for (size_t i = 0; i < cells; i++)
		add_build(record, i, machine);
	add_host(record, machine);
	return record;
}

static void add_samples(struct record *record)
{
	record->sessions = arena_array(record->arena, 1, sizeof(*record->sessions));
	record->sessions[0].changed.arena = record->arena;
	record->session_count = 1;
	for (uint32_t round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < record->build_count; i++) {
			struct sample row;

			sample_init(&row);
			row.build = i;
			row.round = row.block = row.layout = round;
			row.units = 1024;
			row.elapsed_ns = 5000000;
			row.value = 1000 + i % 17 + 0.1 * (round * 7 % 16);
			samples_add(&record->samples, &row);
		}
}

/* The file of a record with 1,000 cells; its name goes to path. */
static bool write_file(unsigned machine, char path[64])
{
	struct arena arena = {0};
	struct record *record = make(&arena, machine, CELLS);
	struct error e = {0};
	bool ok;
	int fd;

	snprintf(path, 64, "%s", "/tmp/flagstone-bench-XXXXXX");
	fd = mkstemp(path);
	add_samples(record);
	ok = fd >= 0 && record_write(record, fd, path, &e) == 0;
	if (!ok)
		fprintf(stderr, "bench_compare: %s\n", e.text);
	if (fd >= 0)
		close(fd);
	record_release(record);
	arena_release(&arena);
	return ok;
}

struct times {
	double read_s, compare_s; /* below 0: it failed */
};

static bool read_files(char paths[2][64], struct arena *arena, struct between_run runs[2], struct error *e)
{
	struct effect_options none = {0};

	for (int i = 0; i < 2; i++) {
		struct result *result = arena_new(arena, struct result);
		struct record *record;

		if (record_read_file(paths[i], NULL, arena, &record, e) != 0)
			return false;
		effect_of_record(record, &none, arena, result);
		record_release(record);
		runs[i] = (struct between_run){record, result};
	}
	return true;
}

static struct times compare_files(char paths[2][64])
{
	struct arena arena = {0};
	struct between_run runs[2];
	struct between_side sides[2] = {{"a", &runs[0], 1}, {"b", &runs[1], 1}};
	struct between_options options = {.axis = AXIS_NONE};
	struct comparison_options shown = {.gate = -1};
	struct report_options how = {.width = 100};
	struct between between;
	struct tally tally;
	struct error e = {0};
	struct buf out = {0};
	int64_t began = clock_ns(), read = began;
	bool ok = read_files(paths, &arena, runs, &e);

	read = clock_ns();
	ok = ok && between_compare(sides, 2, &options, &arena, &between, &e) == 0;
	if (ok)
		document_terminal(comparison_between(&between, &shown, &arena, &tally), &how, &out);
	ok = ok && strncmp(buf_text(&out), "CAVEAT: 800 of 1000 cells compare", 33) == 0;
	if (!ok)
		fprintf(stderr, "bench_compare: %s%.200s\n", e.text, buf_text(&out));
	buf_release(&out);
	arena_release(&arena);
	if (!ok)
		return (struct times){-1, -1};
	return (struct times){(double)(read - began) / 1e9, (double)(clock_ns() - read) / 1e9};
}

static double group_fleet(const struct comparable_view *const *views)
{
	struct arena arena = {0};
	struct comparable_groups groups;
	int64_t began = clock_ns();
	bool ok;

	comparable_group(views, FLEET, AXIS_NONE, NULL, &arena, &groups);
	/* fifty ways to answer native */
	ok = groups.n == 50 && groups.hosts == FLEET;
	if (!ok)
		fprintf(stderr, "bench_compare: %zu groups\n", groups.n);
	arena_release(&arena);
	return ok ? (double)(clock_ns() - began) / 1e9 : -1;
}

static double best_of(double a, double b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

int main(void)
{
	static char paths[2][64];
	struct arena arena = {0};
	const struct comparable_view **views = arena_array(&arena, FLEET, sizeof(*views));
	double read = -1, records = -1, fleet = -1;

	if (!write_file(1, paths[0]) || !write_file(2, paths[1]))
		return 3;
	for (int i = 0; i < REPEATS; i++) {
		struct times times = compare_files(paths);

		read = best_of(read, times.read_s);
		records = best_of(records, times.compare_s);
	}
	unlink(paths[0]);
	unlink(paths[1]);
	for (unsigned i = 0; i < FLEET; i++)
		views[i] = comparable_view_of(make(&arena, i, FLEET_CELLS), &arena);
	for (int i = 0; i < REPEATS; i++)
		fleet = best_of(fleet, group_fleet(views));
	arena_release(&arena);
	printf("compare-read\t%.3f\ts\t-\n", read);
	printf("compare-records\t%.3f\ts\t%g\n", records, limit_records_s);
	printf("compare-fleet\t%.3f\ts\t%g\n", fleet, limit_fleet_s);
	return records < 0 || records > limit_records_s || fleet < 0 || fleet > limit_fleet_s;
}
