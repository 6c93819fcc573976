/*
 * comparable_fixture.h - two records of one cell that are alike in all that verdicts look at, and changes to them by key.
 */
#ifndef TESTS_UNIT_COMPARABLE_FIXTURE_H
#define TESTS_UNIT_COMPARABLE_FIXTURE_H

#include <string.h>

#include "compare/comparable.h"
#include "record/record.h"

struct couple {
	struct arena arena;
	struct record *r[2];
	struct comparable records;
	struct comparable_cell cell;
	enum comparability verdict; /* of both */
};

/* "host.KEY" and so on go where facts with this beginning belong; what stands in no facts begins with '@'. */
struct change {
	const char *key;
	const char *a, *b; /* CH_UNKNOWN: unknown; CH_ABSENT: not recorded */
};

#define CH_UNKNOWN "?"
#define CH_ABSENT  "!"

static const struct change alike[] = {
	{"host.arch", "x86_64", "x86_64"},
	{"cpu.model_name", "Intel(R) Xeon(R) Platinum 8481C", "Intel(R) Xeon(R) Platinum 8481C"},
	{"cpu.stepping", "8", "8"},
	{"cpu.count", "4", "4"},
	{"cpu.flags",
		"abm avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi1 bmi2 cx16 f16c fma lahf_lm "
		"movbe pni "
		"popcnt sse4_1 sse4_2 ssse3 xsave",
		"abm avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi1 bmi2 cx16 f16c fma lahf_lm "
		"movbe pni "
		"popcnt sse4_1 sse4_2 ssse3 xsave"},
	{"cpu.microcode", "0x2b", "0x2b"},
	{"bios.version", "1.4", "1.4"},
	{"board.name", "X12", "X12"},
	{"virt.hypervisor", "none", "none"},
	{"container.kind", "none", "none"},
	{"cgroup.cpu.quota_cpus", "none", "none"},
	{"kernel.release", "6.1", "6.1"},
	{"kernel.mitigation.spectre_v2", "Mitigation: IBRS", "Mitigation: IBRS"},
	{"freq.governor", "performance", "performance"},
	{"freq.no_turbo", "0", "0"},
	{"topology.smt.active", "no", "no"},
	{"memory.thp.enabled", "madvise", "madvise"},
	{"memory.configured_mts", "4800", "4800"},
	{"load.1min", "0.10", "0.20"},
	{"libc.name", "glibc", "glibc"},
	{"libc.version", "2.36", "2.36"},
	{"libc.build", "2.36-9", "2.36-9"},
	{"toolchain.family", "gcc", "gcc"},
	{"toolchain.version", "12.2.0", "12.2.0"},
	{"toolchain.target", "x86_64-linux-gnu", "x86_64-linux-gnu"},
	{"toolchain.cc1.sha256", "cc1", "cc1"},
	{"toolchain.assembler.version", "GNU as 2.40", "GNU as 2.40"},
	{"toolchain.linker.version", "GNU ld 2.40", "GNU ld 2.40"},
	{"toolchain.libc.version", "glibc 2.36", "glibc 2.36"},
	{"build.cflags", "-O2", "-O2"},
	{"resolved.arch", "x86_64", "x86_64"},
	{"code.machine", "x86_64", "x86_64"},
	{"resolved.features", "__SSE2__ __SSE__", "__SSE2__ __SSE__"},
	{"resolved.vector_width", "128", "128"},
	{"resolved.opt_level", "O2", "O2"},
	{"resolved.fp_model", "precise", "precise"},
	{"resolved.lto", "none", "none"},
	{"resolved.pgo", "none", "none"},
	{"resolved.sanitizers", "none", "none"},
	{"resolved.static", "no", "no"},
	{"resolved.tune", "generic", "generic"},
	{"resolved.move_max", "128", "128"},
	{"resolved.store_max", "128", "128"},
	{"resolved.cache_line", "64", "64"},
	{"resolved.pie", "yes", "yes"},
	{"resolved.native_requested", "no", "no"},
	{"resolved.march", "x86-64", "x86-64"},
	{"code.objects_sha256", "objects", "objects"},
	{"code.objects_unpadded_sha256", "unpadded", "unpadded"},
	{"code.static", "no", "no"},
	{"cell.units", "1024", "1024"},
};

static inline struct facts *co_facts(struct record *r, const char *key)
{
	static const char *const build[] = {"build.", "resolved.", "code.", "isa.", "run.", "cell."};

	if (strncmp(key, "toolchain.", 10) == 0)
		return &r->toolchains[0].facts;
	if (strncmp(key, "harness.", 8) == 0)
		return &r->harness;
	for (size_t i = 0; i < sizeof(build) / sizeof(build[0]); i++)
		if (strncmp(key, build[i], strlen(build[i])) == 0)
			return &r->builds[0].facts;
	return &r->host;
}

static inline void co_remove(struct facts *facts, const char *key)
{
	for (size_t i = 0; i < facts->n; i++)
		if (strcmp(facts->v[i].key, key) == 0) {
			memmove(&facts->v[i], &facts->v[i + 1], (facts->n - i - 1) * sizeof(facts->v[0]));
			facts->n--;
			return;
		}
}

static inline void co_special(struct record *r, const char *key, const char *value)
{
	if (strcmp(key, "@host") == 0)
		r->host_name = value;
	else if (strcmp(key, "@content") == 0)
		r->workloads[0].content_hash = value;
	else if (strcmp(key, "@unit") == 0)
		r->workloads[0].unit = value;
	else if (strcmp(key, "@code_hash") == 0)
		r->builds[0].code_hash = value;
	else if (strcmp(key, "@build_id") == 0)
		r->builds[0].build_id = value;
	else if (strcmp(key, "@check") == 0)
		r->builds[0].check_value = value;
	else if (strcmp(key, "@layouts") == 0)
		r->builds[0].layout_count = value != NULL && value[0] == '1' && value[1] == '\0' ? 1 : 16;
	else if (strcmp(key, "@slots") == 0)
		r->toolchain_count = value != NULL ? 1 : 0;
}

static inline void co_set(struct record *r, const char *key, const char *value)
{
	bool unknown = strcmp(value, CH_UNKNOWN) == 0, absent = strcmp(value, CH_ABSENT) == 0;

	if (key[0] == '@')
		co_special(r, key, unknown || absent ? NULL : value);
	else if (absent)
		co_remove(co_facts(r, key), key);
	else if (unknown)
		facts_unknown(co_facts(r, key), key, "test", "Permission denied");
	else
		facts_set(co_facts(r, key), key, value, "test");
}

static inline void co_change(struct couple *c, const struct change *change)
{
	co_set(c->r[0], change->key, change->a);
	co_set(c->r[1], change->key, change->b);
}

static inline void co_begin(struct couple *c)
{
	memset(c, 0, sizeof(*c));
	for (int i = 0; i < 2; i++) {
		struct record *r = c->r[i] = record_new(&c->arena);

		r->complete = true;
		r->host_name = "x86_64-6-143-0123456789ab";
		r->plan.matrix_name = "native";
		r->plan.settings = (struct measure_settings){
			.sample_ns = 5000000, .layouts_min = 16, .layouts_max = 64, .rounds_max = 64};
		r->toolchain_count = r->workload_count = r->build_count = 1;
		r->toolchains = arena_array(&c->arena, 1, sizeof(*r->toolchains));
		r->toolchains[0].facts.arena = &c->arena;
		words_add(&r->toolchains[0].slots, &c->arena, "gcc");
		r->workloads = arena_array(&c->arena, 1, sizeof(*r->workloads));
		r->workloads[0] = (struct record_workload){
			.name = "sort", .unit = "lps", .content_hash = "content", .facts.arena = &c->arena};
		r->builds = arena_array(&c->arena, 1, sizeof(*r->builds));
		r->builds[0] = (struct record_build){.cell = "sort/gcc/native/1",
			.workload = "sort",
			.slot = "gcc",
			.variant = "native",
			.copies = 1,
			.args = "",
			.status = CELL_MEASURED,
			.code_hash = "image",
			.layout_count = 16,
			.facts.arena = &c->arena};
	}
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		co_change(c, &alike[i]);
}

/* swapped: the second is the baseline. */
static inline void co_judge(struct couple *c, enum axis axis, bool swapped)
{
	struct comparable_view *a = comparable_view_of(c->r[swapped], &c->arena);
	struct comparable_view *b = comparable_view_of(c->r[!swapped], &c->arena);

	comparable_records(a, b, axis, &c->arena, &c->records);
	comparable_cells(a, 0, b, 0, &c->records, &c->arena, &c->cell);
	c->verdict = comparable_worse(c->records.verdict, c->cell.verdict);
}

static inline void co_end(struct couple *c)
{
	record_release(c->r[0]);
	record_release(c->r[1]);
	arena_release(&c->arena);
}

#endif
