/*
 * The table of COMPARABILITY.md, its surroundings and the axis. What each case must come to is read from that text, row by
 * row; two records that are alike are changed in a few facts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/rng.h"
#include "comparable_fixture.h"
#include "compare/comparable_advice.h"
#include "compare/comparable_groups.h"

#define OTHER_CODE                                                                                           \
	{"code.objects_sha256", "one", "two"}, {"code.objects_unpadded_sha256", "one", "two"},               \
	{                                                                                                    \
		"@code_hash", "one", "two"                                                                   \
	}
#define NO_CODE                                                                                              \
	{"code.objects_sha256", CH_ABSENT, CH_ABSENT},                                                       \
		{"code.objects_unpadded_sha256", CH_ABSENT, CH_ABSENT},                                      \
	{                                                                                                    \
		"@code_hash", CH_ABSENT, CH_ABSENT                                                           \
	}
#define OLD_RECORDS                                                                                          \
	{"resolved.arch", CH_ABSENT, CH_ABSENT}, {"resolved.opt_level", CH_ABSENT, CH_ABSENT},               \
		{"resolved.tune", CH_ABSENT, CH_ABSENT},                                                     \
		{"resolved.native_requested", CH_ABSENT, CH_ABSENT},                                         \
		{"resolved.fp_model", CH_ABSENT, CH_ABSENT}, {"resolved.lto", CH_ABSENT, CH_ABSENT},         \
	{                                                                                                    \
		"resolved.features", CH_ABSENT, CH_ABSENT                                                    \
	}
#define TWO_HOSTS                                                                                            \
	{                                                                                                    \
		"@host", "x86_64-6-143-aaaaaaaaaaaa", "x86_64-6-143-bbbbbbbbbbbb"                            \
	}
#define NATIVE                                                                                               \
	{"build.cflags", "-O2 -march=native", "-O2 -march=native"},                                          \
	{                                                                                                    \
		"resolved.native_requested", "yes", "yes"                                                    \
	}

enum { CHANGES = 14 };

struct row_case {
	const char *name;
	enum axis axis;
	struct change changes[CHANGES];
	unsigned row;
	enum comparability verdict;
	const char *decides; /* a fact that must be among those that decide; NULL: any */
};

static const struct row_case rows[] = {
	{"same build-id", AXIS_MACHINE, {TWO_HOSTS, {"@build_id", "id", "id"}}, 1, COMPARABLE, "build_id"},
	{"same file", AXIS_MACHINE, {TWO_HOSTS, {"code.file_sha256", "f", "f"}}, 1, COMPARABLE,
		"code.file_sha256"},
	{"same file, other flags under the name", AXIS_MACHINE,
		{TWO_HOSTS, {"@build_id", "id", "id"}, {"build.cflags", "-O2", "-O3"}}, 1, COMPARABLE,
		"build_id"},
	{"same static file: its C library is in it", AXIS_MACHINE,
		{TWO_HOSTS, {"@build_id", "id", "id"}, {"code.static", "yes", "yes"},
			{"libc.version", "2.36", "2.40"}},
		1, COMPARABLE, "build_id"},
	{"same objects", AXIS_MACHINE, {TWO_HOSTS}, 2, COMPARABLE, "code.objects_sha256"},
	{"same objects from another compiler", AXIS_MACHINE,
		{TWO_HOSTS, {"toolchain.version", "12.2.0", "12.3.0"}, {"toolchain.cc1.sha256", "x", "y"}}, 2,
		COMPARABLE, "code.objects_sha256"},
	{"native that changed nothing", AXIS_MACHINE,
		{TWO_HOSTS, NATIVE, {"resolved.march", "haswell", "broadwell"},
			{"resolved.tune", "haswell", "broadwell"}},
		2, COMPARABLE, "code.objects_sha256"},
	{"an old record's image", AXIS_MACHINE,
		{TWO_HOSTS, OLD_RECORDS, {"code.objects_sha256", CH_ABSENT, CH_ABSENT}}, 2, COMPARABLE,
		"code_hash"},
	{"same file, another C library", AXIS_MACHINE,
		{TWO_HOSTS, {"@build_id", "id", "id"}, {"libc.version", "2.36", "2.40"}}, 3,
		COMPARABLE_CAVEAT, "libc.version"},
	{"same objects, another linker", AXIS_MACHINE,
		{TWO_HOSTS, {"@code_hash", "one", "two"},
			{"toolchain.linker.version", "GNU ld 2.40", "LLD 16"}},
		3, COMPARABLE_CAVEAT, "toolchain.linker.version"},
	{"same objects, another build of the C library", AXIS_MACHINE,
		{TWO_HOSTS, {"libc.build", "2.36-9", "2.36-10"}}, 3, COMPARABLE_CAVEAT, "libc.build"},
	{"same objects, one layout", AXIS_MACHINE, {TWO_HOSTS, {"@layouts", "1", "1"}}, 3, COMPARABLE_CAVEAT,
		"build.layouts"},
	{"same objects, C library unknown on both sides", AXIS_MACHINE,
		{TWO_HOSTS, {"libc.version", CH_UNKNOWN, CH_UNKNOWN}, {"libc.build", CH_UNKNOWN, CH_UNKNOWN},
			{"toolchain.libc.version", CH_ABSENT, CH_ABSENT}},
		3, COMPARABLE_CAVEAT, "libc.version"},
	{"same but for padding", AXIS_MACHINE,
		{TWO_HOSTS, {"code.objects_sha256", "one", "two"}, {"@code_hash", "one", "two"}}, 4,
		COMPARABLE_CAVEAT, "code.objects_sha256"},
	{"vector width", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, NATIVE, {"resolved.vector_width", "512", "256"}}, 5, INCOMPARABLE,
		"resolved.vector_width"},
	{"features", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, NATIVE, {"resolved.features", "__AVX2__", "__SSE2__"}}, 5,
		INCOMPARABLE, "resolved.features"},
	{"architecture", AXIS_COMPILER, {OTHER_CODE, {"resolved.arch", "x86_64", "aarch64"}}, 5, INCOMPARABLE,
		"resolved.arch"},
	{"level of -O", AXIS_KERNEL,
		{OTHER_CODE, {"build.cflags", "-O2", "-O3"}, {"resolved.opt_level", "O2", "O3"}}, 5,
		INCOMPARABLE, "resolved.opt_level"},
	{"floating point", AXIS_SOURCE, {OTHER_CODE, {"resolved.fp_model", "precise", "fast"}}, 5,
		INCOMPARABLE, "resolved.fp_model"},
	{"LTO", AXIS_TIME, {OTHER_CODE, {"resolved.lto", "none", "full"}}, 5, INCOMPARABLE, "resolved.lto"},
	{"PGO", AXIS_TIME, {OTHER_CODE, {"resolved.pgo", "none", "use"}}, 5, INCOMPARABLE, "resolved.pgo"},
	{"sanitizer", AXIS_TIME, {OTHER_CODE, {"resolved.sanitizers", "none", "address"}}, 5, INCOMPARABLE,
		"resolved.sanitizers"},
	{"static", AXIS_TIME, {OTHER_CODE, {"resolved.static", "no", "yes"}, {"code.static", "no", "yes"}}, 5,
		INCOMPARABLE, "resolved.static"},
	{"native and nothing resolved", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, OLD_RECORDS, {"build.cflags", "-march=native", "-march=native"}}, 6,
		INCOMPARABLE, "resolved.features"},
	{"native, no code and nothing resolved", AXIS_TIME,
		{NO_CODE, OLD_RECORDS, {"build.cflags", "-mcpu=native", "-mcpu=native"}}, 6, INCOMPARABLE,
		"resolved.features"},
	{"native that only one side resolved", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, NATIVE, {"resolved.features", "__AVX2__", CH_ABSENT}}, 6,
		INCOMPARABLE, "resolved.features"},
	{"tuning on the machine axis", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, NATIVE, {"resolved.tune", "haswell", "generic"}}, 7, INCOMPARABLE,
		"resolved.tune"},
	{"compiler on the machine axis", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, {"toolchain.version", "12.2.0", "13.1.0"}}, 7, INCOMPARABLE,
		"toolchain.version"},
	{"compiler's file on the kernel axis", AXIS_KERNEL, {OTHER_CODE, {"toolchain.cc1.sha256", "x", "y"}},
		7, INCOMPARABLE, "toolchain.cc1.sha256"},
	{"compiler on the source axis", AXIS_SOURCE,
		{OTHER_CODE, {"@content", "x", "y"}, {"toolchain.version", "12.2.0", "13.1.0"}}, 7,
		COMPARABLE_CAVEAT, "toolchain.version"},
	{"compiler of old records, no native", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, OLD_RECORDS, {"toolchain.version", "12.2.0", "13.1.0"}}, 7,
		INCOMPARABLE, "toolchain.version"},
	{"source", AXIS_SOURCE, {OTHER_CODE, {"@content", "x", "y"}}, 8, COMPARABLE, "workload.content_hash"},
	{"source of old records built alike", AXIS_SOURCE, {OTHER_CODE, OLD_RECORDS, {"@content", "x", "y"}},
		8, COMPARABLE, "workload.content_hash"},
	{"hidden input", AXIS_MACHINE, {TWO_HOSTS, OTHER_CODE}, 9, INCOMPARABLE, "code.objects_sha256"},
	{"hidden input in a configuration file", AXIS_TIME,
		{OTHER_CODE, {"resolved.config_files", "", "/etc/clang.cfg 12"}}, 9, INCOMPARABLE,
		"resolved.config_files"},
	{"hidden input, source is the axis and the same", AXIS_SOURCE, {OTHER_CODE}, 9, INCOMPARABLE,
		"code.objects_sha256"},
	{"compiler is the axis", AXIS_COMPILER, {OTHER_CODE, {"toolchain.version", "12.2.0", "13.1.0"}}, 10,
		COMPARABLE, "toolchain.version"},
	{"what compilers make of native is their axis", AXIS_COMPILER,
		{OTHER_CODE, NATIVE, {"toolchain.family", "gcc", "clang"},
			{"resolved.vector_width", "512", "256"}},
		10, COMPARABLE, "toolchain.family"},
	{"flags are the axis", AXIS_FLAGS,
		{OTHER_CODE, {"build.cflags", "-O2", "-O3"}, {"resolved.opt_level", "O2", "O3"}}, 10,
		COMPARABLE, "build.cflags"},
	{"code unknown", AXIS_MACHINE, {TWO_HOSTS, NO_CODE}, 11, COMPARABLE_CAVEAT, "code_hash"},
	{"flags beyond what is judged", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, {"build.cflags", "-O2", "-O2 -funroll-loops"}}, 11, COMPARABLE_CAVEAT,
		"build.cflags"},
	{"another assembler", AXIS_MACHINE,
		{TWO_HOSTS, OTHER_CODE, {"toolchain.assembler.version", "GNU as 2.40", "GNU as 2.38"}}, 11,
		COMPARABLE_CAVEAT, "toolchain.assembler.version"},
	{"compiler on the flags axis", AXIS_FLAGS,
		{OTHER_CODE, {"build.cflags", "-O2", "-O3"}, {"toolchain.version", "12.2.0", "13.1.0"}}, 11,
		COMPARABLE_CAVEAT, "toolchain.version"},
	{"flags on the compiler axis", AXIS_COMPILER,
		{OTHER_CODE, {"build.cflags", "-O2", "-O2 -g0"}, {"toolchain.version", "12.2.0", "13.1.0"}},
		11, COMPARABLE_CAVEAT, "build.cflags"},
};

static const struct comparable_fact *find(const struct comparable_facts *facts, const char *key)
{
	for (size_t i = 0; i < facts->n; i++)
		if (strcmp(facts->v[i].key, key) == 0)
			return &facts->v[i];
	return NULL;
}

static bool decides(const struct couple *c, const char *key)
{
	for (size_t i = 0; i < c->cell.facts.n; i++)
		if (c->cell.facts.v[i].part == FACT_DECIDES && strcmp(c->cell.facts.v[i].key, key) == 0)
			return true;
	return false;
}

static void change_all(struct couple *c, const struct change *changes, size_t n)
{
	for (size_t i = 0; i < n && changes[i].key != NULL; i++)
		co_change(c, &changes[i]);
}

static void comparable_cells__each_row__as_the_table_says(void **state)
{
	(void)state;
	bool seen[12] = {false};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct couple c;
		co_begin(&c);
		change_all(&c, rows[i].changes, CHANGES);
		for (int swapped = 0; swapped < 2; swapped++) {
			co_judge(&c, rows[i].axis, swapped);
			if (c.cell.row != rows[i].row || c.cell.by_row != rows[i].verdict)
				fail_msg("%s: row %u, %s, instead of row %u, %s", rows[i].name, c.cell.row,
					comparability_text(c.cell.by_row), rows[i].row,
					comparability_text(rows[i].verdict));
			if (!decides(&c, rows[i].decides))
				fail_msg("%s: %s does not decide", rows[i].name, rows[i].decides);
			assert_true(c.cell.verdict >= c.cell.by_row);
			assert_true((c.cell.verdict == INCOMPARABLE) == (c.cell.reason != NULL));
		}
		seen[rows[i].row] = true;
		co_end(&c);
	}
	for (unsigned row = 1; row <= 11; row++)
		assert_true(seen[row]);
}

struct surrounding {
	struct change change;
	enum comparability verdict;
	enum axis explained_by; /* AXIS_NONE: no axis explains it */
};

static const struct surrounding surroundings[] = {
	{{"cgroup.cpu.quota_cpus", "none", "1.5"}, INCOMPARABLE, AXIS_NONE},
	{{"run.env", CH_ABSENT, "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2"}, INCOMPARABLE, AXIS_NONE},
	{{"run.runner", CH_ABSENT, "qemu-x86_64 -cpu Haswell"}, INCOMPARABLE, AXIS_NONE},
	{{"@unit", "lps", "KBps"}, INCOMPARABLE, AXIS_NONE},
	{{"host.arch", "x86_64", "aarch64"}, INCOMPARABLE, AXIS_NONE},
	{{"freq.governor", "performance", "powersave"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"freq.no_turbo", "0", "1"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"freq.boost", "on", "off"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"topology.smt.active", "no", "yes"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"memory.thp.enabled", "madvise", "always"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"kernel.mitigation.spectre_v2", "Mitigation: IBRS", "Vulnerable"}, COMPARABLE_CAVEAT, AXIS_KERNEL},
	{{"cpu.microcode", "0x2b", "0x2c"}, COMPARABLE_CAVEAT, AXIS_FIRMWARE},
	{{"bios.version", "1.4", "1.5"}, COMPARABLE_CAVEAT, AXIS_FIRMWARE},
	{{"virt.hypervisor", "none", "KVM"}, COMPARABLE_CAVEAT, AXIS_VIRTUALIZATION},
	{{"container.kind", "none", "docker"}, COMPARABLE_CAVEAT, AXIS_VIRTUALIZATION},
	{{"kernel.release", "6.1", "6.12"}, COMPARABLE_CAVEAT, AXIS_KERNEL},
	{{"kernel.cmdline", "quiet", "quiet mitigations=off"}, COMPARABLE_CAVEAT, AXIS_KERNEL},
	{{"kernel.numa_balancing", "0", "1"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"memory.configured_mts", "4800", "4400"}, COMPARABLE_CAVEAT, AXIS_MACHINE},
	{{"cpu.count", "4", "8"}, COMPARABLE_CAVEAT, AXIS_MACHINE},
	{{"tune.profile", "as-used", "steady"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"tune.profile", "as-used", CH_ABSENT}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"load.1min", "0.10", "7.50"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"freq.governor", "performance", CH_UNKNOWN}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"cell.units", "1024", "2048"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"run.env", CH_ABSENT, "OMP_NUM_THREADS=1"}, COMPARABLE_CAVEAT, AXIS_FLAGS},
	{{"@check", "12", "13"}, COMPARABLE_CAVEAT, AXIS_NONE},
	{{"freq.governor", CH_UNKNOWN, CH_UNKNOWN}, COMPARABLE, AXIS_NONE},
	{{"cpu.flags", "avx avx2", "avx"}, COMPARABLE_CAVEAT, AXIS_MACHINE},
};

static void comparable_records__each_surrounding__worsens_unless_it_is_the_axis(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(surroundings) / sizeof(surroundings[0]); i++)
		for (enum axis axis = AXIS_MACHINE; axis < AXIS_COUNT; axis++) {
			const struct surrounding *of = &surroundings[i];
			bool explained = axis == of->explained_by;
			struct couple c;
			co_begin(&c);
			co_change(&c, &of->change);
			for (int swapped = 0; swapped < 2; swapped++) {
				co_judge(&c, axis, swapped);
				if (c.verdict != (explained ? COMPARABLE : of->verdict))
					fail_msg("%s on the axis %s: %s", of->change.key, axis_text(axis),
						comparability_text(c.verdict));
			}
			co_end(&c);
		}
}

static void comparable_records__unknown_on_one_side__reason_is_named(void **state)
{
	(void)state;
	struct couple c;
	co_begin(&c);
	co_change(&c, &(struct change){"freq.governor", "performance", CH_UNKNOWN});
	co_judge(&c, AXIS_TIME, false);
	assert_int_equal(c.records.caveats.n, 1);
	assert_string_equal(
		c.records.caveats.v[0], "freq.governor: performance against unknown (Permission denied)");
	const struct comparable_fact *fact = find(&c.records.facts, "freq.governor");
	assert_true(fact->known_a);
	assert_false(fact->known_b);
	assert_int_equal(fact->part, FACT_MAY_MATTER);
	co_end(&c);
}

static void comparable_records__two_unknowns__not_taken_as_equal(void **state)
{
	(void)state;
	struct couple c;
	co_begin(&c);
	co_change(&c, &(struct change){"freq.governor", CH_UNKNOWN, CH_UNKNOWN});
	co_judge(&c, AXIS_TIME, false);
	const struct comparable_fact *fact = find(&c.records.facts, "freq.governor");
	assert_non_null(fact);
	assert_int_equal(fact->part, FACT_MAY_MATTER);
	co_end(&c);
}

/* --- the axis --- */

static const struct {
	struct change changes[3];
	enum axis axis;
} guesses[] = {
	{{TWO_HOSTS, {"toolchain.version", "12.2.0", "13.1.0"}, {"kernel.release", "6.1", "6.12"}},
		AXIS_MACHINE},
	{{{"product.uuid_hash", "aa", "bb"}}, AXIS_MACHINE},
	{{{"board.serial_hash", "aa", "bb"}}, AXIS_MACHINE},
	{{{"product.uuid_hash", "aa", CH_UNKNOWN}}, AXIS_TIME},
	{{{"virt.hypervisor", "none", "KVM"}, {"kernel.release", "6.1", "6.12"}}, AXIS_VIRTUALIZATION},
	{{{"toolchain.version", "12.2.0", "13.1.0"}, {"kernel.release", "6.1", "6.12"}}, AXIS_COMPILER},
	{{{"toolchain.cc1.sha256", "x", "y"}}, AXIS_COMPILER},
	{{{"build.cflags", "-O2", "-O3"}, {"@content", "x", "y"}}, AXIS_FLAGS},
	{{{"@content", "x", "y"}, {"kernel.release", "6.1", "6.12"}}, AXIS_SOURCE},
	{{{"kernel.release", "6.1", "6.12"}, {"cpu.microcode", "1", "2"}}, AXIS_KERNEL},
	{{{"cpu.microcode", "1", "2"}}, AXIS_FIRMWARE},
	{{{"freq.governor", "performance", "powersave"}}, AXIS_TIME},
	{{{"topology.smt.active", "no", "yes"}, {"cpu.count", "4", "8"}}, AXIS_TIME},
};

static void comparable_records__no_axis_declared__guessed_from_what_differs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++) {
		struct couple c;
		co_begin(&c);
		change_all(&c, guesses[i].changes, 3);
		co_judge(&c, AXIS_NONE, false);
		if (c.records.axis != guesses[i].axis)
			fail_msg("case %zu: axis %s", i, axis_text(c.records.axis));
		assert_false(c.records.declared);
		assert_true((c.records.what == NULL) == (guesses[i].axis == AXIS_TIME));
		co_end(&c);
	}
}

static void comparable_records__golden_image__two_machines_and_said(void **state)
{
	(void)state;
	struct couple c;
	co_begin(&c);
	co_change(&c, &(struct change){"product.uuid_hash", "aa", "bb"});
	co_judge(&c, AXIS_NONE, false);
	assert_int_equal(c.records.axis, AXIS_MACHINE);
	assert_non_null(strstr(c.records.note, "two machines with one machine-id"));
	assert_false(comparable_same_machine(
		comparable_view_of(c.r[0], &c.arena), comparable_view_of(c.r[1], &c.arena)));
	co_judge(&c, AXIS_KERNEL, false);
	assert_int_equal(c.verdict, COMPARABLE_CAVEAT);
	assert_non_null(find(&c.records.facts, "product.uuid_hash"));
	co_end(&c);
}

static void axis_parse__typing_error__nearest_named(void **state)
{
	(void)state;
	struct error e = {0};
	enum axis axis = AXIS_NONE;
	assert_int_equal(axis_parse("virtualization", &axis, &e), 0);
	assert_int_equal(axis, AXIS_VIRTUALIZATION);
	assert_int_equal(axis_parse("mashine", &axis, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "did you mean machine?"));
	assert_int_equal(axis_parse("none", &axis, &e), -1);
}

/* --- what is explained away --- */

static void comparable_cells__name_differs_code_equal__explained_away(void **state)
{
	(void)state;
	static const struct change changes[] = {TWO_HOSTS, NATIVE,
		{"resolved.march", "cooperlake", "sapphirerapids"},
		{"toolchain.assembler.version", "GNU as 2.40", "GNU as 2.38"}};
	struct couple c;
	co_begin(&c);
	change_all(&c, changes, sizeof(changes) / sizeof(changes[0]));
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.verdict, COMPARABLE);
	assert_null(c.cell.native_a);
	static const char *const keys[] = {"resolved.march", "toolchain.assembler.version"};
	for (size_t i = 0; i < 2; i++) {
		const struct comparable_fact *fact = find(&c.cell.facts, keys[i]);
		assert_int_equal(fact->part, FACT_EXPLAINED);
		assert_string_equal(fact->why, "the code came out the same");
	}
	co_end(&c);
}

static void comparable_cells__name_differs_code_other__only_a_name(void **state)
{
	(void)state;
	static const struct change changes[] = {TWO_HOSTS, NATIVE, OTHER_CODE,
		{"resolved.march", "cooperlake", "sapphirerapids"}, {"resolved.vector_width", "512", "256"},
		{"toolchain.family", "gcc", "clang"}, {"toolchain.version", "12.2.0", "16.0.6"},
		{"resolved.tune", "generic", "sapphirerapids"}};
	struct couple c;
	co_begin(&c);
	change_all(&c, changes, sizeof(changes) / sizeof(changes[0]));
	co_judge(&c, AXIS_NONE, false);
	assert_int_equal(c.cell.row, 5);
	assert_int_equal(find(&c.cell.facts, "resolved.march")->part, FACT_EXPLAINED);
	assert_string_equal(c.cell.native_a, "gcc 12.2.0: cooperlake, tuned for generic, 512-bit vectors");
	assert_string_equal(
		c.cell.native_b, "clang 16.0.6: sapphirerapids, tuned for sapphirerapids, 256-bit vectors");
	assert_string_equal(
		c.cell.reason, "other options off the axis: resolved.vector_width: 512 against 256");
	co_end(&c);
}

static void comparable_records__other_cpu_model__its_microcode_is_explained(void **state)
{
	(void)state;
	static const struct change changes[] = {TWO_HOSTS, {"cpu.model_name", "Xeon A", "EPYC B"},
		{"cpu.microcode", "0x1", "0x2"}, {"board.name", "X12", "H13"}, {"bios.version", "1", "2"},
		{"kernel.mitigation.spectre_v2", "Mitigation: IBRS", "Mitigation: Retpolines"}};
	struct couple c;
	co_begin(&c);
	change_all(&c, changes, sizeof(changes) / sizeof(changes[0]));
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.verdict, COMPARABLE);
	assert_int_equal(find(&c.records.facts, "cpu.microcode")->part, FACT_EXPLAINED);
	co_judge(&c, AXIS_KERNEL, false);
	assert_int_equal(c.verdict, COMPARABLE_CAVEAT);
	co_end(&c);
}

static void comparable_cells__other_sources_off_the_axis__incomparable_unless_code_is_the_same(void **state)
{
	(void)state;
	struct couple c;
	co_begin(&c);
	co_change(&c, &(struct change){"@content", "x", "y"});
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.cell.verdict, COMPARABLE_CAVEAT);
	co_change(&c, &(struct change){"code.objects_sha256", "one", "two"});
	co_change(&c, &(struct change){"code.objects_unpadded_sha256", "one", "two"});
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.cell.verdict, INCOMPARABLE);
	assert_non_null(strstr(c.cell.reason, "other workload content"));
	co_end(&c);
}

/* Records of before objects were hashed: functions tell own code from the C library's in a static program. */
static void comparable_cells__old_static_programs__functions_decide(void **state)
{
	(void)state;
	struct record_function one[] = {{"multiply", 10, "aa"}, {"main", 20, "bb"}};
	struct record_function two[] = {{"main", 20, "bb"}, {"multiply", 10, "cc"}};
	static const struct change changes[] = {TWO_HOSTS, {"code.objects_sha256", CH_ABSENT, CH_ABSENT},
		{"@code_hash", "x", "y"}, {"toolchain.libc.version", "glibc 2.36", "glibc 2.40"},
		{"build.functions", "2", "2"}, {"code.static", "yes", "yes"}};
	struct couple c;
	co_begin(&c);
	change_all(&c, changes, sizeof(changes) / sizeof(changes[0]));
	for (int i = 0; i < 2; i++) {
		c.r[i]->builds[0].functions = one;
		c.r[i]->builds[0].function_count = 2;
	}
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.cell.code, CODE_UNKNOWN);
	c.r[1]->builds[0].functions = two;
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.cell.code, CODE_OTHER);
	co_end(&c);
}

static void comparable_cells__layouts_differ_under_one_build_id__not_the_same_file(void **state)
{
	(void)state;
	struct record_layout one[] = {{0, 0, "s", "f1"}}, two[] = {{0, 0, "s", "f2"}};
	struct couple c;
	co_begin(&c);
	co_change(&c, &(struct change){"@build_id", "id", "id"});
	for (int i = 0; i < 2; i++) {
		c.r[i]->builds[0].layouts = i == 0 ? one : two;
		c.r[i]->builds[0].layout_count = 1;
	}
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.cell.row, 3);
	c.r[1]->builds[0].layouts = one;
	co_judge(&c, AXIS_MACHINE, false);
	assert_int_equal(c.cell.row, 1);
	co_end(&c);
}

/* CASES 101: a guest's microcode is made up; that both say 0x1 proves nothing. */
static void comparable_records__microcode_of_a_hypervisor__equal_is_no_proof(void **state)
{
	(void)state;
	struct couple c;
	co_begin(&c);
	co_change(&c, &(struct change){"cpu.microcode.trust", "untrusted: a hypervisor makes it up",
			      "untrusted: a hypervisor makes it up"});
	co_judge(&c, AXIS_TIME, false);
	assert_int_equal(c.verdict, COMPARABLE);
	assert_int_equal(find(&c.records.facts, "cpu.microcode")->part, FACT_MAY_MATTER);
	co_end(&c);
}

/* --- groups --- */

/* A and C differ in what bars, B does not know it: B compares with both, and stands with the first. */
static void comparable_group__unknown_between_two_that_differ__not_transitive(void **state)
{
	(void)state;
	static const char *const quotas[] = {"none", CH_UNKNOWN, "2", "none"};
	struct couple c[4];
	const struct comparable_view *views[4];
	struct comparable_groups groups;
	struct arena arena = {0};
	const char *reason;
	for (int i = 0; i < 4; i++) {
		co_begin(&c[i]);
		co_set(c[i].r[0], "cgroup.cpu.quota_cpus", quotas[i]);
		co_set(c[i].r[0], "@host",
			i == 3 ? "x86_64-6-143-000000000000" : "x86_64-6-143-111111111111");
		co_set(c[i].r[0], "product.uuid_hash", i == 0 ? "a" : i == 1 ? "b" : i == 2 ? "c" : "d");
		views[i] = comparable_view_of(c[i].r[0], &arena);
	}
	assert_int_equal(comparable_pair(views[0], views[2], AXIS_NONE, NULL, &arena, &reason), INCOMPARABLE);
	assert_int_equal(
		comparable_pair(views[1], views[2], AXIS_NONE, NULL, &arena, &reason), COMPARABLE_CAVEAT);
	comparable_group(views, 4, AXIS_NONE, NULL, &arena, &groups);
	assert_int_equal(groups.n, 2);
	assert_int_equal(groups.hosts, 4);
	assert_int_equal(groups.v[0].n, 3);
	assert_int_equal(groups.v[0].within, COMPARABLE_CAVEAT);
	assert_non_null(strstr(groups.v[0].caveat, "cgroup.cpu.quota_cpus: none against unknown"));
	assert_int_equal(groups.v[1].members[0], 2);
	assert_int_equal(groups.v[1].against, 0);
	assert_string_equal(groups.v[1].reason, "cgroup.cpu.quota_cpus: none against 2");
	assert_int_equal(groups.of[2], 1);
	assert_string_equal(comparable_groups_sentence(&groups, &arena),
		"3 of 4 hosts compare with one another, with caveats; 1 does not.");
	for (int i = 0; i < 4; i++)
		co_end(&c[i]);
	arena_release(&arena);
}

/* --- advice --- */

static void advise(struct couple *c, enum axis axis, struct advices *out)
{
	const struct comparable_cell *cells[] = {&c->cell};
	struct advice_question question = {.a = comparable_view_of(c->r[0], &c->arena),
		.b = comparable_view_of(c->r[1], &c->arena),
		.name_a = "A",
		.name_b = "B",
		.records = &c->records,
		.cells = cells,
		.cell_count = 1};

	co_judge(c, axis, false);
	question.verdict = c->verdict;
	comparable_advise(&question, &c->arena, out);
}

static bool advises(const struct advices *advice, const char *part)
{
	for (size_t i = 0; i < advice->n; i++)
		if (strstr(advice->v[i].text, part) != NULL ||
			(advice->v[i].command != NULL && strstr(advice->v[i].command, part) != NULL))
			return true;
	return false;
}

static void comparable_advise__native_trap__bundle_level_and_one_compiler(void **state)
{
	(void)state;
	static const struct change changes[] = {TWO_HOSTS, NATIVE, OTHER_CODE,
		{"resolved.vector_width", "512", "256"}, {"toolchain.family", "gcc", "clang"},
		{"toolchain.version", "12.2.0", "16.0.6"}};
	struct couple c;
	struct advices advice;
	co_begin(&c);
	change_all(&c, changes, sizeof(changes) / sizeof(changes[0]));
	advise(&c, AXIS_MACHINE, &advice);
	assert_string_equal(advice.v[0].command, "flagstone build native --bundle FILE");
	assert_true(advises(&advice, "-march=x86-64-v4 -mtune=generic"));
	assert_true(advises(&advice, "slot gcc is gcc 12.2.0 in A, clang 16.0.6 in B"));
	/* without AVX-512 on one side, and without what level 3 adds */
	co_change(&c, &(struct change){"cpu.flags",
			      "abm avx avx2 bmi1 bmi2 cx16 f16c fma lahf_lm movbe pni popcnt sse4_1 sse4_2 "
			      "ssse3 xsave",
			      "cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3"});
	advise(&c, AXIS_MACHINE, &advice);
	assert_true(advises(&advice, "-march=x86-64-v2 -mtune=generic"));
	co_change(&c, &(struct change){"cpu.flags", CH_UNKNOWN, "cx16"});
	advise(&c, AXIS_MACHINE, &advice);
	assert_false(advises(&advice, "-march=x86-64-v"));
	assert_true(advises(&advice, "not known on both sides"));
	co_end(&c);
}

static void comparable_advise__each_obstacle__its_own_advice(void **state)
{
	(void)state;
	static const struct {
		struct change change;
		const char *says;
	} cases[] = {
		{{"cgroup.cpu.quota_cpus", "none", "2"}, "same CPU quota"},
		{{"run.env", CH_ABSENT, "GLIBC_TUNABLES=x"}, "GLIBC_TUNABLES"},
		{{"run.runner", CH_ABSENT, "qemu-x86_64"}, "without an emulator"},
		{{"freq.governor", "performance", "powersave"}, "flagstone tune"},
		{{"topology.smt.active", "yes", "no"}, "topology.smt.active"},
		{{"freq.governor", "performance", CH_UNKNOWN}, "freq.governor in B"},
		{{"@layouts", "1", "1"}, "--layouts 16"},
		{{"kernel.release", "6.1", "6.12"}, "--why"},
		{{"@unit", "lps", "KBps"}, "same version of the workload"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct couple c;
		struct advices advice;
		co_begin(&c);
		co_change(&c, &cases[i].change);
		advise(&c, AXIS_MACHINE, &advice);
		if (!advises(&advice, cases[i].says))
			fail_msg("%s: no advice with \"%s\"", cases[i].change.key, cases[i].says);
		co_end(&c);
	}
}

static void comparable_advise__comparable__nothing_to_do(void **state)
{
	(void)state;
	struct couple c;
	struct advices advice;
	co_begin(&c);
	advise(&c, AXIS_TIME, &advice);
	assert_int_equal(c.verdict, COMPARABLE);
	assert_int_equal(advice.n, 0);
	co_end(&c);
}

/* --- properties --- */

static struct change random_change(struct rng *rng)
{
	static const char *const values[] = {"one", "two", "", CH_UNKNOWN, CH_ABSENT, "yes", "none"};
	static const char *const special[] = {
		"@content", "@code_hash", "@build_id", "@layouts", "@host", "@unit"};
	size_t n = sizeof(alike) / sizeof(alike[0]), at = (size_t)rng_below(rng, n + 6);

	return (struct change){at < n ? alike[at].key : special[at - n],
		values[rng_below(rng, sizeof(values) / sizeof(values[0]))],
		values[rng_below(rng, sizeof(values) / sizeof(values[0]))]};
}

static void comparable__random_facts__symmetric_and_only_worsened(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "verdicts are symmetric");
	for (int trial = 0; trial < 3000; trial++) {
		struct couple c;
		enum axis axis = (enum axis)rng_below(&rng, AXIS_COUNT);
		co_begin(&c);
		for (uint64_t i = rng_below(&rng, 6); i-- > 0;) {
			struct change change = random_change(&rng);
			co_change(&c, &change);
		}
		co_judge(&c, axis, false);
		struct comparable_cell cell = c.cell;
		struct comparable records = c.records;
		enum comparability verdict = c.verdict;
		assert_true(cell.row == 0 || cell.verdict >= cell.by_row);
		assert_int_equal(cell.verdict == INCOMPARABLE, cell.reason != NULL);
		assert_int_equal(records.verdict == INCOMPARABLE, records.reason != NULL);
		for (size_t i = 0; i < cell.facts.n; i++)
			assert_true(cell.facts.v[i].worsens <= cell.verdict);
		co_judge(&c, axis, true);
		assert_int_equal(c.cell.row, cell.row);
		assert_int_equal(c.verdict, verdict);
		assert_int_equal(c.cell.code, cell.code);
		assert_int_equal(c.cell.facts.n, cell.facts.n);
		assert_int_equal(c.records.facts.n, records.facts.n);
		for (size_t i = 0; i < cell.facts.n; i++) {
			const struct comparable_fact *fact = &cell.facts.v[i], *other = &c.cell.facts.v[i];
			assert_string_equal(fact->key, other->key);
			assert_string_equal(fact->a, other->b);
			assert_string_equal(fact->b, other->a);
			assert_int_equal(fact->part, other->part);
			assert_int_equal(fact->worsens, other->worsens);
			assert_string_equal(fact->why, other->why);
		}
		/* a surrounding that differs on top makes nothing better */
		co_change(&c, &(struct change){"freq.governor", "performance", "powersave"});
		co_judge(&c, records.axis, false);
		assert_true(c.verdict >= verdict);
		co_end(&c);
	}
}

/* What says that code is the same is all that may call two machines' builds comparable. */
static void comparable__machine_axis_other_code__never_comparable(void **state)
{
	(void)state;
	struct rng rng;
	rng_seed_text(&rng, "other code");
	for (int trial = 0; trial < 2000; trial++) {
		static const struct change other[] = {
			TWO_HOSTS, OTHER_CODE, {"@build_id", "x", "y"}, {"code.file_sha256", "x", "y"}};
		struct couple c;
		co_begin(&c);
		for (uint64_t i = rng_below(&rng, 6); i-- > 0;) {
			struct change change = random_change(&rng);
			co_change(&c, &change);
		}
		change_all(&c, other, sizeof(other) / sizeof(other[0]));
		co_judge(&c, AXIS_MACHINE, false);
		assert_int_not_equal(c.cell.verdict, COMPARABLE);
		co_end(&c);
	}
}

static void comparable__hostile_texts__taken_as_they_are(void **state)
{
	(void)state;
	static char longer[5000];
	struct couple c;
	memset(longer, 'x', sizeof(longer) - 1);
	co_begin(&c);
	co_set(c.r[0], "kernel.cmdline", longer);
	co_set(c.r[1], "kernel.cmdline", "\x1b[2J%s%n\n");
	co_set(c.r[0], "run.env", "'unterminated GLIBC_TUNABLES=x");
	co_set(c.r[0], "run.runner", "   ");
	co_set(c.r[1], "load.1min", "nan");
	co_set(c.r[1], "cpu.count", "0");
	co_set(c.r[1], "build.functions", "999999999999999999999");
	co_set(c.r[0], "build.functions", "-1");
	co_judge(&c, AXIS_NONE, false);
	co_judge(&c, AXIS_NONE, true);
	assert_int_equal(c.verdict, INCOMPARABLE);
	assert_true(strlen(find(&c.records.facts, "kernel.cmdline")->b) < 100);
	co_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparable_cells__each_row__as_the_table_says),
		cmocka_unit_test(comparable_records__each_surrounding__worsens_unless_it_is_the_axis),
		cmocka_unit_test(comparable_records__unknown_on_one_side__reason_is_named),
		cmocka_unit_test(comparable_records__two_unknowns__not_taken_as_equal),
		cmocka_unit_test(comparable_records__no_axis_declared__guessed_from_what_differs),
		cmocka_unit_test(comparable_records__golden_image__two_machines_and_said),
		cmocka_unit_test(axis_parse__typing_error__nearest_named),
		cmocka_unit_test(comparable_cells__name_differs_code_equal__explained_away),
		cmocka_unit_test(comparable_cells__name_differs_code_other__only_a_name),
		cmocka_unit_test(comparable_records__other_cpu_model__its_microcode_is_explained),
		cmocka_unit_test(
			comparable_cells__other_sources_off_the_axis__incomparable_unless_code_is_the_same),
		cmocka_unit_test(comparable_cells__old_static_programs__functions_decide),
		cmocka_unit_test(comparable_cells__layouts_differ_under_one_build_id__not_the_same_file),
		cmocka_unit_test(comparable_records__microcode_of_a_hypervisor__equal_is_no_proof),
		cmocka_unit_test(comparable_group__unknown_between_two_that_differ__not_transitive),
		cmocka_unit_test(comparable_advise__native_trap__bundle_level_and_one_compiler),
		cmocka_unit_test(comparable_advise__each_obstacle__its_own_advice),
		cmocka_unit_test(comparable_advise__comparable__nothing_to_do),
		cmocka_unit_test(comparable__random_facts__symmetric_and_only_worsened),
		cmocka_unit_test(comparable__machine_axis_other_code__never_comparable),
		cmocka_unit_test(comparable__hostile_texts__taken_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
