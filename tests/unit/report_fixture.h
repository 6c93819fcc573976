/*
 * report_fixture.h - a run as a report may meet it, and golden files: tests/golden/report/NAME. UPDATE=1 in the
 * environment writes them anew; read the difference before it is committed.
 */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include <stdlib.h>

#include "base/file.h"
#include "compare_fixture.h"
#include "report/report.h"

#define RF_HOSTILE "\x1b[31m</script><img src=x onerror=alert(1)>|a*b_c`d`\n=cmd,\"x\" \xff \xe2\x80\xae@you"

static inline void rf_golden(const char *name, const struct buf *out)
{
	char path[256];
	struct buf expected = {0};
	struct error e = {0};

	snprintf(path, sizeof(path), "tests/golden/report/%s", name);
	if (getenv("UPDATE") != NULL)
		assert_int_equal(file_write_atomic(path, buf_text(out), out->n, &e), 0);
	if (file_read(path, 1 << 20, &expected, &e) != 0)
		fail_msg("%s", e.text);
	assert_string_equal(buf_text(out), buf_text(&expected));
	buf_release(&expected);
}

/* Sum of four uniform draws, mean 0: round enough for noise. */
static inline double rf_noise(struct rng *rng)
{
	return rng_unit(rng) + rng_unit(rng) + rng_unit(rng) + rng_unit(rng) - 2;
}

static inline void rf_toolchain(struct fixture *f, const char *slot, const char *family, const char *version)
{
	struct record_toolchain *t = &f->record->toolchains[f->record->toolchain_count++];

	t->facts.arena = &f->arena;
	words_add(&t->slots, &f->arena, slot);
	facts_set(&t->facts, "toolchain.family", family, "__GNUC__");
	facts_set(&t->facts, "toolchain.version", version, "-dumpfullversion");
}

/* Four workloads, two toolchains, six variants, 64 rounds over 16 layouts; some cells fail, some are the same. */
static inline void rf_scene(struct fixture *f)
{
	static const struct {
		const char *name, *unit;
		double rate;
	} workloads[] = {{"dhrystone", "lps", 27312345}, {"matmul", "mul/s", 1234567890},
		{"pipe", "lps", 412345}, {"sort-strings", "KBps", 9996}};
	static const char *const slots[] = {"gcc", "clang"};
	static const char *const variants[] = {"O2", "O3", "v3", "native", "lto", "static"};
	static const double effects[] = {0, 0.12, 0.003, -0.045, 0.02, 0};
	struct rng rng;

	cf_begin(f);
	rng_seed_text(&rng, "scene");
	f->record->plan.settings.precision = 0.03;
	f->record->plan.settings.matters = 0.02;
	f->record->plan.looks[1] = 64;
	f->record->plan.look_count = 2;
	memset(f->record->id, 'a', HASH_HEX - 1);
	facts_set(&f->record->host, "cpu.model_name", "Example CPU 9000", "/proc/cpuinfo");
	facts_set(&f->record->host, "cpu.count", "2", "/sys/devices/system/cpu/online");
	facts_set(&f->record->host, "kernel.release", "6.1.0-18", "uname");
	facts_unknown(
		&f->record->host, "bios.version", "/sys/class/dmi/id/bios_version", "Permission denied");
	rf_toolchain(f, "gcc", "gcc", "12.2.0");
	rf_toolchain(f, "clang", "clang", "14.0.6");
	for (int s = 0; s < 2; s++)
		for (int w = 0; w < 4; w++) {
			uint32_t base = (uint32_t)f->record->build_count;
			cf_workload(f, workloads[w].name, workloads[w].unit, false);
			for (int v = 0; v < 6; v++) {
				cf_build(f, workloads[w].name, slots[s], variants[v], v == 0);
				if (v > 0)
					cf_compare(f, base, base + (uint32_t)v);
			}
			for (uint32_t r = 0; r < 64; r++)
				for (uint32_t v = 0; v < 5; v++) {
					double noise = (w == 3 ? 0.12 : 0.01) * rf_noise(&rng);
					size_t row = cf_sample(f, base + v, r, r % 16,
						workloads[w].rate * exp(effects[v] + noise));
					if (r % 40 == 7 && v == 2)
						f->record->samples.v[row].marks = MARK_SHARED;
				}
			struct record_build *b = &f->record->builds[base];
			b[5].status = CELL_IMPOSSIBLE;
			b[5].reason = "there is no static C library: /usr/bin/ld: cannot find -lc";
			if (w == 2)
				b[2].code_hash = b[0].code_hash;
			if (w == 1 && s == 1) {
				b[4].status = CELL_RUN_FAILED;
				b[4].reason = "round 7: killed by signal 4 (SIGILL)";
			}
		}
	words_add(&f->record->notes, &f->arena, "load from others: 0.8 CPUs at the start, 1.1 at the end");
	effect_of_record(f->record, NULL, &f->arena, &f->result);
}

/* Names, reasons and notes that want to be markup, formulas, escape codes. */
static inline void rf_hostile(struct fixture *f)
{
	cf_begin(f);
	cf_build(f, RF_HOSTILE, "=cmd", "+O2", true);
	cf_build(f, RF_HOSTILE, "=cmd", "-O3", false);
	cf_build(f, RF_HOSTILE, "=cmd", "@sum", false);
	cf_compare(f, 0, 1);
	cf_compare(f, 0, 2);
	cf_pair(f, 0, 1, 16, -0.05, 0.001);
	f->record->workloads[0].unit = "\x1b]0;x\x07|u";
	f->record->builds[2].status = CELL_BUILD_FAILED;
	f->record->builds[2].reason = RF_HOSTILE;
	f->record->plan.matrix_name = RF_HOSTILE;
	rf_toolchain(f, "=cmd", RF_HOSTILE, "1");
	facts_set(&f->record->host, "cpu.model_name", RF_HOSTILE, RF_HOSTILE);
	words_add(&f->record->notes, &f->arena, RF_HOSTILE);
	effect_of_record(f->record, NULL, &f->arena, &f->result);
}

/* No byte that a terminal obeys, but newlines (and what `also` names). */
static inline void rf_no_control(const struct buf *out, const char *also)
{
	for (size_t i = 0; i < out->n; i++) {
		unsigned char c = (unsigned char)out->data[i];

		if ((c < 0x20 && c != '\n' && strchr(also, c) == NULL) || c == 0x7f || c == 0)
			fail_msg("byte %02x at %zu", c, i);
	}
	assert_null(strstr(buf_text(out), "\xe2\x80\xae"));
	assert_null(memchr(buf_text(out), 0xff, out->n));
}

#endif
