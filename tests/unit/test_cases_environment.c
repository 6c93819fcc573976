/*
 * Cases that broke other tools, each with its number: environment capture and machine identity (96 to 114). Each has a
 * test here; where more of it is tested:
 *
 *	96 SMT			test_host_trees.c
 *	97 count of CPUs	test_host_kinds.c, test_host_trees.c
 *	99 frequency limits	test_host_trees.c
 *	100 boost		test_host_trees.c, test_host_machines.c; writes that are ignored: test_host_tune*.c
 *	101 microcode		test_host_kinds.c, test_host_machines.c
 *	102 DMI			test_host_trees.c, test_host_smbios*.c
 *	104 loader refuses	test_measure_fields.c
 *	106 throttling		test_host_throttle.c, test_measure_block.c (the mark)
 *	107 tuning		test_host_tune*.c (restores, also after a signal)
 *	108 size from getconf	test_spec_workload.c (parameters)
 *	109, 110, 112 git	test_sys_git.c, test_sys_git_odd.c
 *	114 order		test_archive_find.c
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "archive/archive.h"
#include "compare/comparable.h"
#include "host/host.h"
#include "host/throttle.h"
#include "measure/sample.h"
#include "record_fixture.h"
#include "git_fixture.h"

/* A record whose host is this tree. */
static struct record *record_of(const char *tree)
{
	struct record *record = fixture_plain(&arena, 1);
	char *root = tree_scratch();

	tree_unpack(tree, root);
	assert_int_equal(host_read(root, &record->host, NULL), 0);
	tree_remove(root);
	return record;
}

static void compare_hosts(
	const struct record *a, const struct record *b, enum axis axis, struct comparable *out)
{
	comparable_records(comparable_view_of(a, &arena), comparable_view_of(b, &arena), axis, &arena, out);
}

/* What the comparison lists about a fact; NULL: it does not list it. */
static const struct comparable_fact *listed(const struct comparable *comparable, const char *key)
{
	for (size_t i = 0; i < comparable->facts.n; i++)
		if (strcmp(comparable->facts.v[i].key, key) == 0)
			return &comparable->facts.v[i];
	return NULL;
}

/* folo#444: a key that claimed to cover the topology did not. */
static void case_96__smt_off_and_on_with_equal_counts__the_fact_is_named(void **state)
{
	struct record *on = record_of("smt-on"), *off = record_of("smt-off");
	struct comparable comparable;

	(void)state;
	assert_string_equal(facts_value(&on->host, "cpu.count"), facts_value(&off->host, "cpu.count"));
	compare_hosts(on, off, AXIS_TIME, &comparable);
	assert_non_null(listed(&comparable, "topology.smt.active"));
	assert_string_equal(listed(&comparable, "topology.smt.active")->a, "yes");
	assert_string_equal(listed(&comparable, "topology.smt.active")->b, "no");
	assert_int_not_equal(comparable.verdict, COMPARABLE);
}

/* byte-unixbench#2, #16: 0 CPUs on ppc64, offline CPUs in the middle miscounted. */
static void case_97__other_architectures_and_offline_cpus__the_kernels_list_counts(void **state)
{
	/* read off the trees: cpu/online, for riscv64 the blocks of cpuinfo */
	static const char *const expected[][2] = {{"ppc64le", "3"}, {"arm64-big-little", "3"}, {"s390x", "2"},
		{"riscv64", "2"}, {"hybrid-two-nodes", "4"}, {"smt-off", "4"}, {"container-v2", "32"}};
	struct facts none = {.arena = &arena};
	char *root = tree_scratch();

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(
			facts_value(&record_of(expected[i][0])->host, "cpu.count"), expected[i][1]);
	/* nothing that lists CPUs: unknown, never 0 */
	tree_write_text(root, "proc/cpuinfo", "cpu\t\t: POWER9\nrevision\t: 2.2 (pvr 004e 1202)\n");
	assert_int_equal(host_read(root, &none, NULL), 0);
	assert_null(facts_value(&none, "cpu.count"));
	tree_remove(root);
}

/* benchexec#918: 3.9 GHz was reported of a CPU that was held to 1.6. */
static void case_99__held_below_its_maximum__both_are_kept_with_who_decides(void **state)
{
	static const char *const keys[] = {
		"freq.cpuinfo_max_khz", "freq.scaling_max_khz", "freq.governor", "freq.driver", "freq.boost"};
	struct record *held = record_of("laptop-intel-pstate"), *free_one = record_of("laptop-intel-pstate");
	struct comparable comparable;

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_non_null(facts_value(&held->host, keys[i]));
	facts_set(&free_one->host, "freq.scaling_max_khz", "3900000", "/sys");
	compare_hosts(held, free_one, AXIS_TIME, &comparable);
	assert_non_null(listed(&comparable, "freq.scaling_max_khz"));
	assert_int_equal(listed(&comparable, "freq.scaling_max_khz")->worsens, COMPARABLE_CAVEAT);
}

/* reth#23370: no file told of boost, which was taken for off. */
static void case_100__no_boost_file__unknown_and_a_caveat_against_a_known_one(void **state)
{
	struct record *unknown = record_of("amd-pstate-epp"), *known = record_of("amd-pstate-epp");
	const struct fact *boost = facts_find(&unknown->host, "freq.boost");
	struct comparable comparable;

	(void)state;
	assert_null(boost->value);
	assert_non_null(strstr(boost->reason, "exists"));
	facts_set(&known->host, "freq.boost", "off", "/sys/devices/system/cpu/cpufreq/boost");
	compare_hosts(unknown, known, AXIS_TIME, &comparable);
	assert_non_null(listed(&comparable, "freq.boost"));
	assert_false(listed(&comparable, "freq.boost")->known_a);
	assert_int_equal(listed(&comparable, "freq.boost")->worsens, COMPARABLE_CAVEAT);
	assert_non_null(strstr(listed(&comparable, "freq.boost")->a, "unknown"));
}

/* needrestart#173, spectre-meltdown-checker#336: a guest's microcode is made up. */
static void case_101__microcode_of_a_guest__marked_as_virtual_and_untrusted(void **state)
{
	static const char *const trees[] = {
		"vm-kvm", "vm-hyperv", "guest-kvm", "guest-hyperv", "container-quota"};

	(void)state;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		const struct record *record = record_of(trees[i]);

		assert_string_equal(facts_value(&record->host, "virt.virtual"), "yes");
		assert_non_null(facts_value(&record->host, "cpu.microcode"));
		assert_true(text_starts(facts_value(&record->host, "cpu.microcode.trust"), "untrusted"));
	}
	assert_string_equal(
		facts_value(&record_of("laptop-intel-pstate")->host, "cpu.microcode.trust"), "trusted");
}

/* opiproject#183, salt#39184: "N/A", "-----", root only, absent in containers. */
static void case_102__firmware_that_says_nothing__unknown_and_two_unknowns_are_not_equal(void **state)
{
	struct record *a = record_of("container-v2"), *b = record_of("container-v2");
	struct comparable comparable;
	const struct comparable_fact *bios;

	(void)state;
	assert_null(facts_value(&a->host, "bios.version"));
	assert_non_null(strstr(facts_find(&a->host, "bios.version")->reason, "No such file or directory"));
	compare_hosts(a, b, AXIS_TIME, &comparable);
	bios = listed(&comparable, "bios.version");
	assert_non_null(bios);
	assert_false(bios->known_a || bios->known_b);
	assert_non_null(strstr(bios->why, "not known to be the same"));
}

/* chainguard-images#1658: glibc refuses a CPU below what it was built for. */
static void case_104__loader_refuses_the_cpu__a_failure_in_its_words(void **state)
{
	struct spawn_copy copy = {.exit_code = 127,
		.exec_what = "",
		.result_line = "",
		.output = "Fatal glibc error: CPU does not support x86-64-v2\n"};
	const char *text = sample_failure(&copy, 5000000000, &arena);

	(void)state;
	assert_non_null(text);
	assert_non_null(strstr(text, "CPU does not support x86-64-v2"));
}

/* benchexec#926: throttled for heat while it ran. */
static void case_106__counter_rises__is_seen_between_two_readings(void **state)
{
	struct host_throttle throttle;
	uint64_t before;

	(void)state;
	tree_write_text(scratch, "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "41\n");
	host_throttle_open(&throttle, scratch, 1);
	before = host_throttle_read(&throttle);
	tree_write_text(scratch, "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "42\n");
	assert_int_equal(host_throttle_read(&throttle) - before, 1);
	host_throttle_close(&throttle);
}

/* pyperf#158: tuning stayed, and made things worse. Reading a host changes nothing of it, nor makes a file. */
static void case_107__reading_a_host__leaves_every_file_as_it_was(void **state)
{
	struct facts facts = {.arena = &arena};
	const char *before, *after;

	(void)state;
	tree_unpack("laptop-intel-pstate", scratch);
	tree_unpack("epyc-four-nodes", scratch);
	before = run(".", "sh -c 'find . -exec ls -ld --time-style=full-iso {} + | sha256sum'");
	assert_int_equal(host_read(scratch, &facts, NULL), 0);
	after = run(".", "sh -c 'find . -exec ls -ld --time-style=full-iso {} + | sha256sum'");
	assert_int_equal(strlen(before), strlen("  -") + 64);
	assert_string_equal(before, after);
}

/* hpc-sandbox-benchmarks#111, stress-ng#335: the working set followed a cache size that a container does not own. */
static void case_108__built_in_workloads__ask_nobody_how_large_the_machine_is(void **state)
{
	static const char *const questions[] = {"getconf", "_SC_LEVEL", "_SC_PHYS_PAGES", "_SC_AVPHYS",
		"_SC_NPROC", "get_nprocs", "sysinfo(", "\"/proc/", "\"/sys/", "cpuid"};
	struct words folders = {0};
	size_t files = 0;

	(void)state;
	assert_int_equal(file_list("workloads", &arena, &folders, NULL), 0);
	for (size_t i = 0; i < folders.n; i++) {
		const char *folder = file_join(&arena, "workloads", folders.v[i]);
		struct words names = {0};

		if (file_list(folder, &arena, &names, NULL) != 0)
			continue;
		for (size_t k = 0; k < names.n; k++) {
			struct buf text = {0};
			const char *path = file_join(&arena, folder, names.v[k]);

			if (!text_ends(path, ".c") && !text_ends(path, ".h") && !text_ends(path, ".yaml"))
				continue;
			assert_int_equal(file_read(path, 1 << 20, &text, NULL), 0);
			for (size_t q = 0; q < sizeof(questions) / sizeof(questions[0]); q++)
				if (strstr(buf_text(&text), questions[q]) != NULL)
					fail_msg("%s has %s", path, questions[q]);
			buf_release(&text);
			files++;
		}
	}
	assert_true(files > 20);
}

/* cmake-modules#35 and others: git describe fails, or names the parent of what is there. */
static void case_109__each_state_of_a_repository__full_hash_and_whether_it_is_dirty(void **state)
{
	struct git_state clean, dirty;

	(void)state;
	make("r", "");
	clean = read_of("r");
	assert_string_equal(clean.commit, run("r", "git rev-parse HEAD"));
	assert_int_equal(strlen(clean.commit), 40);
	assert_true(clean.dirty_known && !clean.dirty);
	tree_write_text(scratch, "r/untracked", "x\n");
	dirty = read_of("r");
	assert_true(dirty.dirty && dirty.diff_hash != NULL);
	assert_string_equal(dirty.commit, clean.commit);
	run("r", "git add .");
	assert_true(read_of("r").dirty);
	run("r", "git commit -q -m second");
	run("r", "git checkout -q --detach");
	assert_string_equal(read_of("r").commit, run("r", "git rev-parse HEAD"));
	assert_null(read_of("r").branch);
	assert_false(read_of("r").dirty);
	tree_write_text(scratch, "new/a", "x\n");
	run("new", "git init -q -b main .");
	assert_null(read_of("new").commit);
	assert_string_equal(read_of("new").commit_reason, "no commits yet");
	assert_true(read_of("new").dirty);
}

/* laravel-git-version#11: "dubious ownership" in containers. It takes root to give a repository away. */
static void case_110__repository_of_somebody_else__unknown_with_the_reason(void **state)
{
	struct git_state git;

	(void)state;
	if (geteuid() != 0) {
		print_message("case 110: only root can give a repository to somebody else\n");
		skip();
	}
	make("r", "");
	run(".", "chown -R 65534 r");
	git = read_of("r");
	assert_null(git.commit);
	assert_non_null(strstr(git.commit_reason, "owned by another user"));
	assert_false(git.dirty_known);
}

/* GitPython#1475, magit#4585: 64 digits; work trees, submodules, shallow clones, no git. */
static void case_112__long_hashes_work_trees_shallow_clones__all_known(void **state)
{
	struct git_state git;

	(void)state;
	make("long", "--object-format=sha256");
	git = read_of("long");
	assert_int_equal(strlen(git.commit), 64);
	assert_string_equal(git.commit, run("long", "git rev-parse HEAD"));
	make("r", "");
	run("r", "git worktree add -q ../second");
	assert_string_equal(read_of("second").commit, run("r", "git rev-parse HEAD"));
	run(".", arena_printf(&arena, "git clone -q --depth 1 file://%s/r shallow", scratch));
	git = read_of("shallow");
	assert_true(git.shallow);
	assert_string_equal(git.commit, run("r", "git rev-parse HEAD"));
	run("r", "git -c protocol.file.allow=always submodule --quiet add ../second inside");
	assert_non_null(read_of("r/inside").commit);
	assert_true(read_of("r").dirty); /* staged, not committed */
}

/* sage#35046: an order by date misleads. Ours: by start, then the chain of resumed runs, then id, however files came. */
static void case_114__records_in_any_order__listed_by_one_rule(void **state)
{
	static const char *const starts[] = {"2026-03-03T00:00:00Z", "2026-03-01T00:00:00Z",
		"2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z"};
	enum { RECORDS = sizeof(starts) / sizeof(starts[0]) };
	struct record *records[RECORDS] = {0};
	const char *order[2][RECORDS];

	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct archive archive;
		struct archive_entries entries = {0};

		assert_int_equal(
			archive_open(&archive, &arena, at(way == 0 ? "there" : "back"), true, NULL), 0);
		for (size_t i = 0; i < RECORDS; i++) {
			size_t which = way == 0 ? i : RECORDS - 1 - i;
			const char *path;

			if (way == 0) {
				records[which] = fixture_plain(&arena, 1);
				records[which]->started = starts[which];
				/* the same commit twice, and on other days */
				facts_set(&records[which]->project, "project.commit",
					which < 2 ? "aaaa" : "bbbb", "git");
			}
			assert_int_equal(archive_write(&archive, records[which], &path, NULL), 0);
		}
		assert_int_equal(archive_list(&archive, &entries, NULL), 0);
		assert_int_equal(entries.n, RECORDS);
		for (size_t i = 0; i < RECORDS; i++)
			order[way][i] = entries.v[i].id;
		assert_string_equal(entries.v[0].started, starts[1]);
		assert_string_equal(entries.v[RECORDS - 1].started, starts[0]);
	}
	for (size_t i = 0; i < RECORDS; i++)
		assert_string_equal(order[0][i], order[1][i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(case_96__smt_off_and_on_with_equal_counts__the_fact_is_named),
		TEST(case_97__other_architectures_and_offline_cpus__the_kernels_list_counts),
		TEST(case_99__held_below_its_maximum__both_are_kept_with_who_decides),
		TEST(case_100__no_boost_file__unknown_and_a_caveat_against_a_known_one),
		TEST(case_101__microcode_of_a_guest__marked_as_virtual_and_untrusted),
		TEST(case_102__firmware_that_says_nothing__unknown_and_two_unknowns_are_not_equal),
		TEST(case_104__loader_refuses_the_cpu__a_failure_in_its_words),
		TEST(case_106__counter_rises__is_seen_between_two_readings),
		TEST(case_107__reading_a_host__leaves_every_file_as_it_was),
		TEST(case_108__built_in_workloads__ask_nobody_how_large_the_machine_is),
		TEST(case_109__each_state_of_a_repository__full_hash_and_whether_it_is_dirty),
		TEST(case_110__repository_of_somebody_else__unknown_with_the_reason),
		TEST(case_112__long_hashes_work_trees_shallow_clones__all_known),
		TEST(case_114__records_in_any_order__listed_by_one_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
