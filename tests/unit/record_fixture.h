/*
 * record_fixture.h - records for tests and benches: one with every member set, one with plausible samples in
 * any number.
 */
#ifndef TESTS_UNIT_RECORD_FIXTURE_H
#define TESTS_UNIT_RECORD_FIXTURE_H

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "record/json.h"

#define FIXTURE_HOST "x86_64-6-85-0123456789ab"
/* Everything that has broken somebody's quoting, and bytes that are no UTF-8. */
#define FIXTURE_HOSTILE "\"\\/\b\t\n</script><img onerror=x>\x1b[31m \xff\xfe '=cmd|' \xe2\x80\xae \x7f"
#define FIXTURE_HOSTILE_READ                                                                                 \
	"\"\\/\b\t\n</script><img onerror=x>\x1b[31m \xef\xbf\xbd\xef\xbf\xbd '=cmd|' \xe2\x80\xae \x7f"

static inline void fixture_builds(struct record *record, size_t count)
{
	static const char *const variants[] = {"O2", "O3", "v3", "native", "lto", "static", "fast", "g"};

	record->builds = arena_array(record->arena, count, sizeof(*record->builds));
	record->build_count = count;
	for (size_t i = 0; i < count; i++) {
		struct record_build *b = &record->builds[i];

		b->workload = "dhrystone";
		b->slot = "gcc";
		b->variant = i < 8 ? variants[i] : arena_printf(record->arena, "v%zu", i);
		b->copies = i % 2 == 1 ? 4 : 1;
		b->args = "";
		b->cell = arena_printf(record->arena, "dhrystone/gcc/%s/%u", b->variant, b->copies);
		b->status = CELL_MEASURED;
		b->baseline = i < 2;
		b->content_hash = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
		b->facts.arena = record->arena;
	}
}

/* The least that may be written: a run with builds and one session, no samples. */
static inline struct record *fixture_plain(struct arena *arena, size_t builds)
{
	struct record *record = record_new(arena);
	char run[33];

	rng_fresh_hex(run);
	record->run = arena_strdup(arena, run);
	record->started = "2026-03-01T12:34:56Z";
	record->finished = "2026-03-01T12:54:56Z";
	record->complete = true;
	record->host_name = FIXTURE_HOST;
	record->sessions = arena_array(arena, 1, sizeof(*record->sessions));
	record->session_count = 1;
	record->sessions[0].boot_id = "3f0a2b9c-0000-4000-8000-000000000001";
	record->sessions[0].started = record->started;
	record->sessions[0].changed.arena = arena;
	fixture_builds(record, builds);
	return record;
}

/* Adds `count` plausible samples: rounds of all builds, values lognormal around 27 million. */
static inline void fixture_samples(struct record *record, size_t count, const char *seed)
{
	struct rng rng;
	int64_t clock = 0;

	rng_seed_text(&rng, seed);
	for (size_t i = 0; i < count; i++) {
		/* Box and Muller */
		double z = sqrt(-2 * log(1 - rng_unit(&rng))) * cos(2 * 3.14159265358979 * rng_unit(&rng));
		struct sample s;

		sample_init(&s);
		s.build = (uint32_t)(i % record->build_count);
		s.layout = (uint32_t)(i / record->build_count % 16);
		s.round = s.block = (uint32_t)(i / record->build_count);
		s.position = (uint32_t)rng_below(&rng, record->build_count);
		s.units = 131072;
		s.elapsed_ns = (int64_t)(4850000 * exp(0.01 * z));
		s.value = (double)s.units / (double)s.elapsed_ns * 1e9;
		s.user_ns = s.elapsed_ns - (int64_t)rng_below(&rng, 30000);
		s.system_ns = (int64_t)rng_below(&rng, 20) * 1000;
		s.run_wait_ns = rng_below(&rng, 10) == 0 ? (int64_t)rng_below(&rng, 50000) : 0;
		s.peak_kib = 1400 + (uint32_t)rng_below(&rng, 30) * 4;
		s.voluntary_switches = 2;
		s.involuntary_switches = (uint32_t)(rng_below(&rng, 8) == 0);
		s.minor_faults = 90 + (uint32_t)rng_below(&rng, 8);
		s.major_faults = 0;
		s.canary_dep_before_ns = 25000 + (uint32_t)rng_below(&rng, 120);
		s.canary_dep_after_ns = 25000 + (uint32_t)rng_below(&rng, 120);
		s.canary_wide_before_ns = 25200 + (uint32_t)rng_below(&rng, 400);
		s.canary_wide_after_ns = 25200 + (uint32_t)rng_below(&rng, 400);
		s.start_offset_ns = clock;
		s.env_bytes = (uint32_t)rng_below(&rng, 4096);
		if (s.round % 8 == 0) { /* as a machine without a PMU counts */
			s.task_clock_ns = s.user_ns + s.system_ns + 400000;
			s.page_faults = s.minor_faults - 3;
			s.migrations = 0;
		}
		clock += s.elapsed_ns + 900000 + (int64_t)rng_below(&rng, 50000);
		samples_add(&record->samples, &s);
	}
}

/* Every member set, every nullable one null somewhere, foreign text everywhere. */
static inline struct record *fixture_full(struct arena *arena)
{
	struct record *record = fixture_plain(arena, 3);
	struct record_build *b = record->builds;

	record->continues = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
	record->group = "cccccccccccccccccccccccccccccccc";
	record->repeat_index = 1;
	record->repeat_count = 3;
	record->complete = false;
	record->incomplete_reason = "stopped by Ctrl-C";
	facts_set(&record->harness, "harness.version", "0.1.0", "built in");
	facts_set(&record->project, "project.commit", "0123", "libgit2");
	facts_unknown(&record->host, "host.microcode", "/proc/cpuinfo", "the line is not there");
	facts_set(&record->host, "host.name", FIXTURE_HOSTILE, "uname");
	facts_set(&record->host, "host.empty", "", NULL);
	facts_set(&record->sessions[0].changed, "cpu.microcode", "0x2b", "/proc/cpuinfo");

	record->toolchains = arena_array(arena, 1, sizeof(*record->toolchains));
	record->toolchain_count = 1;
	words_add(&record->toolchains[0].slots, arena, "gcc");
	words_add(&record->toolchains[0].slots, arena, "gcc-12");
	record->toolchains[0].facts.arena = arena;
	facts_set(&record->toolchains[0].facts, "toolchain.family", "gcc", "family file");

	record->workloads = arena_array(arena, 2, sizeof(*record->workloads));
	record->workload_count = 2;
	record->workloads[0] = (struct record_workload){.name = "dhrystone",
		.title = "Dhrystone 2",
		.content_hash = "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",
		.unit = "lps",
		.units = (UINT64_C(1) << 53) - 1,
		.facts.arena = arena,
		.suite = "unixbench",
		.suite_baseline = 116700.1};
	words_add(&record->workloads[0].tags, arena, "integer");
	words_add(&record->workloads[0].tags, arena, "");
	facts_set(&record->workloads[0].facts, "workload.dirty", "no", "libgit2");
	record->workloads[1] = (struct record_workload){.name = "foreign",
		.unit = "s",
		.lower_is_better = true,
		.units = 1,
		.facts.arena = arena,
		.suite_baseline = NAN};

	b[0].reason = FIXTURE_HOSTILE;
	b[0].code_hash = "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
	b[0].build_id = "f00d";
	b[0].log_excerpt = FIXTURE_HOSTILE;
	b[0].check_value = "1.5";
	words_add(&b[0].commands, arena, "gcc -O2 '-DX=\"a b\"' -o out in.c");
	facts_set(&b[0].facts, "build.cflags", "", "matrix");
	b[0].layouts = arena_array(arena, 2, sizeof(*b[0].layouts));
	b[0].layout_count = 2;
	b[0].layouts[0] = (struct record_layout){0, 0, "5eed", NULL};
	b[0].layouts[1] = (struct record_layout){1, 15, NULL, "5a5a"};
	b[0].functions = arena_array(arena, 2, sizeof(*b[0].functions));
	b[0].function_count = 2;
	b[0].functions[0] = (struct record_function){"multiply.constprop.0", 680, "0123456789abcdef"};
	b[0].functions[1] = (struct record_function){"odd \"name\"\n", 0, NULL};
	b[2].status = CELL_IMPOSSIBLE;
	b[2].reason = "this CPU lacks x86-64-v3";
	b[2].content_hash = NULL;
	b[2].args = "n=4,m=2";

	record->plan = (struct record_plan){.matrix_name = "flags",
		.matrix_text = "workloads: [dhrystone]\n" FIXTURE_HOSTILE,
		.seed = "00112233445566778899aabbccddeeff",
		.settings = {5000000, 16, 64, 16, 256, 0.00995033085316808, 0.00498754151103897,
			1200000000000, 0, 60000000000, 8},
		.aa = true,
		.looks = {16, 64, 256},
		.look_count = 3,
		.last_look = 16,
		.canary_dep_limit_ns = 25100.25,
		.canary_wide_limit_ns = 0,
		.run_wait_limit = 0.01};
	record->plan.layout_steps = arena_array(arena, 2, sizeof(*record->plan.layout_steps));
	record->plan.layout_step_count = 2;
	record->plan.layout_steps[0] = (struct record_layout_step){0, UINT32_MAX, 16};
	record->plan.layout_steps[1] = (struct record_layout_step){16, 0, 40};
	record->plan.comparisons = arena_array(arena, 1, sizeof(*record->plan.comparisons));
	record->plan.comparison_count = 1;
	record->plan.comparisons[0] = (struct record_comparison){.a = 0, .b = 1, .closed_at = 16};

	fixture_samples(record, 40, "full");
	sample_init(&record->samples.v[3]);
	record->samples.v[3].marks = MARK_SIGNAL;
	record->samples.v[4].marks = MARK_FREQ | MARK_WAIT;
	record->samples.v[5].repeat_of = 2;
	record->samples.v[5].copy = 0;
	record->samples.v[6].start_offset_ns = -5;
	record->samples.v[7].build = 1;
	record->samples.v[7].copy = 3;
	record->samples.v[8].value = 1e-300;
	record->samples.v[8].cycles = 12345678901234;
	record->samples.v[8].instructions = 0;
	record->samples.v[8].branch_misses = 9876543;
	record->samples.v[9].energy_uj = 123456;
	record->samples.v[9].value = 0.1;
	record->samples.v[10].value = 1.7976931348623157e308;
	record->samples.v[11].value = 5e-324;
	record->samples.v[12].value = 9007199254740993.0;
	record_add_failure(record, 3, 0, "run", "killed by signal 4 (SIGILL)");
	record_add_failure(record, -1, UINT32_MAX, "build", "%s", FIXTURE_HOSTILE);
	record_note(record, "a note");
	record_note(record, "%s", FIXTURE_HOSTILE);
	record->unknown = json_pack("{s:{s:[i,s]}}", "of_the_future", "deep", 1, "two");
	return record;
}

#endif
