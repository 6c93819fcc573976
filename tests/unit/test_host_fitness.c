/*
 * What `doctor` reads beyond the facts of a host: memory channels, microcode's date, interrupts; and that nothing that
 * stands in a file makes it crash, on any recorded tree.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <cmocka.h>

#include "checks_fixture.h"
#include "host/fitness_probe.h"

static void channel_name__names_of_boards__up_to_the_channel(void **state)
{
	/* as boards of Asus, Supermicro, Intel, Lenovo, AMD's reference code and QEMU name them */
	static const struct {
		const char *locator, *bank, *name;
	} rows[] = {
		{"DIMM_A2", "BANK 1", "DIMM_A"},
		{"P1-DIMMB1", "P0_Node0_Channel1_Dimm0", "P0_Node0_Channel1"},
		{"P2-DIMMC1", NULL, "P2-DIMMC"},
		{"CPU0_DIMM_A1", "NODE 1", "CPU0_DIMM_A"},
		{"ChannelA-DIMM0", "BANK 0", "ChannelA"},
		{"Controller1-ChannelA-DIMM0", "BANK 2", "Controller1-ChannelA"},
		{"DIMM 0", "P0 CHANNEL A", "P0 CHANNEL A"},
		{"DIMM 1", "P0 CHANNEL B", "P0 CHANNEL B"},
		{"DIMM 0", NULL, NULL}, /* QEMU */
		{"A1", NULL, NULL},	/* Dell: the letter is the socket */
		{"PROC 1 DIMM 4", NULL, NULL},
		{"Channel", NULL, NULL},
		{NULL, NULL, NULL},
		{"", "", NULL},
	};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = channel_name(&arena, rows[i].locator, rows[i].bank);

		if (!text_same(name, rows[i].name))
			fail_msg(
				"%s, %s: %s, expected %s", rows[i].locator, rows[i].bank, name, rows[i].name);
	}
	arena_release(&arena);
}

static void add_module(
	struct facts *facts, unsigned int slot, const char *locator, const char *size, const char *mts)
{
	struct arena *arena = facts->arena;

	facts_set(facts, arena_printf(arena, "memory.module.%u.locator", slot), locator, "test");
	facts_set(facts, arena_printf(arena, "memory.module.%u.size_bytes", slot), size, "test");
	if (strcmp(size, "0") == 0)
		return;
	facts_set(facts, arena_printf(arena, "memory.module.%u.data_width_bits", slot), "64", "test");
	if (mts != NULL)
		facts_set(facts, arena_printf(arena, "memory.module.%u.configured_mts", slot), mts, "test");
}

static void fitness_channels__modules__peak_is_that_of_the_channels(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};

	(void)state;
	/* two channels of DDR4-3200: 2 x 3200e6 x 8 bytes = 51.2 GB/s, however many modules each has */
	facts_set(&facts, "memory.slots", "4", "test");
	add_module(&facts, 0, "DIMM_A1", "8589934592", "3200");
	add_module(&facts, 1, "DIMM_A2", "8589934592", "3200");
	add_module(&facts, 2, "DIMM_B1", "8589934592", "3200");
	add_module(&facts, 3, "DIMM_B2", "0", NULL);
	fitness_channels(&facts);
	assert_string_equal(facts_value(&facts, "memory.channels"), "2");
	assert_string_equal(facts_value(&facts, "memory.channels.empty"), "none");
	assert_string_equal(facts_value(&facts, "memory.peak_bytes_per_s"), "51200000000");
	/* the slower one of a channel counts: 2400e6 x 8 + 3200e6 x 8 */
	add_module(&facts, 1, "DIMM_A2", "8589934592", "2400");
	fitness_channels(&facts);
	assert_string_equal(facts_value(&facts, "memory.peak_bytes_per_s"), "44800000000");
	/* channel B without a module */
	add_module(&facts, 2, "DIMM_B1", "0", NULL);
	fitness_channels(&facts);
	assert_string_equal(facts_value(&facts, "memory.channels"), "1");
	assert_string_equal(facts_value(&facts, "memory.channels.empty"), "DIMM_B");
	/* a module whose name tells no channel: nothing is known */
	add_module(&facts, 3, "DIMM 3", "8589934592", "3200");
	fitness_channels(&facts);
	assert_null(facts_value(&facts, "memory.channels"));
	assert_null(facts_value(&facts, "memory.peak_bytes_per_s"));
	arena_release(&arena);
}

static void judge_channels(
	struct checked *c, const struct host_measured *measured, const char *second, const char *others)
{
	struct host_checks_input input = {
		.facts = &c->facts, .cpus = &c->cpus, .now_s = CHECKS_NOW, .measured = measured};

	c->facts = (struct facts){.arena = &c->arena};
	facts_set(&c->facts, "memory.slots", "2", "test");
	facts_set(&c->facts, "load.others", others, "test");
	add_module(&c->facts, 0, "DIMM_A1", "8589934592", "3200");
	add_module(&c->facts, 1, "DIMM_B1", second, "3200");
	fitness_channels(&c->facts);
	host_checks_make(&input, &c->arena, &c->checks);
}

static void checks__bandwidth_under_70_percent__points_to_missing_modules(void **state)
{
	struct host_measured m = {.seconds = 5,
		.readings = 10,
		.cpus = 1,
		.steal_percent = -1,
		.interrupts_per_s = -1,
		.throttles = -1,
		.bandwidth = 0.8 * 51.2e9};
	struct checked c = {0};

	(void)state;
	judge_channels(&c, &m, "8589934592", "0");
	is_status(&c, "channels", CHECK_OK,
		"2 channels with modules, 51.2 GB/s in theory; 41.0 GB/s were read, 80 %");
	m.bandwidth = 0.69 * 51.2e9;
	judge_channels(&c, &m, "8589934592", "0");
	is_status(&c, "channels", CHECK_CAVEAT, "69 % of that");
	/* with others at work it says nothing of modules */
	judge_channels(&c, &m, "8589934592", "2");
	is_status(&c, "channels", CHECK_UNKNOWN, "69 % of that, while other tasks ran");
	m.bandwidth = 0;
	m.no_bandwidth = "too little memory";
	judge_channels(&c, &m, "8589934592", "0");
	is_status(&c, "channels", CHECK_OK, "not measured: too little memory");
	judge_channels(&c, NULL, "0", "0");
	is_status(&c, "channels", CHECK_CAVEAT, "no module in DIMM_B");
	arena_release(&c.arena);
}

static void put_update(struct buf *out, uint32_t revision, uint32_t date, uint32_t flags)
{
	/* header of Intel SDM 3A 10.11.1; total size 1072 with 1024 bytes of data */
	const uint32_t words[12] = {1, revision, date, 0x806f8, 0, 1, flags, 1024, 1072, 0, 0, 0};
	const char data[1024] = {0};

	for (size_t i = 0; i < 12; i++)
		for (int shift = 0; shift < 32; shift += 8)
			buf_addc(out, (char)(words[i] >> shift & 0xff));
	buf_add(out, data, sizeof(data));
}

static void checks__microcode_file__date_and_newer_revision(void **state)
{
	static const char path[] = "lib/firmware/intel-ucode/06-8f-08";
	struct buf file = {0};
	struct checked c;

	(void)state;
	/* 143 is 8f; the machine runs 0x2b000603 */
	put_update(&file, 0x2b000603, 0x07152025, 0x87);
	checked_open(&c, "doctor-good");
	tree_write(c.root, path, file.data, file.n);
	checked_judge(&c);
	is_status(&c, "firmware", CHECK_OK, "microcode is of 2025-07-15, 1.4 years old");
	assert_int_equal(c.checks.verdict, VERDICT_FIT);
	checked_close(&c);

	put_update(&file, 0x2b000620, 0x02102026, 0x87);
	put_update(&file, 0x2b000999, 0x03102026, 0x10); /* of another platform */
	checked_open(&c, "doctor-good");
	tree_write(c.root, path, file.data, file.n);
	tree_write_text(c.root, "sys/devices/system/cpu/cpu0/microcode/processor_flags", "0x80\n");
	checked_judge(&c);
	is_status(&c, "firmware", CHECK_CAVEAT, "0x2b000603 runs, and 0x2b000620 of 2026-02-10 is installed");
	checked_close(&c);

	/* cut at every byte, and no header at all */
	checked_open(&c, "doctor-good");
	for (size_t n = 0; n < 100; n += 7) {
		tree_write(c.root, path, file.data, n);
		checked_judge(&c);
		assert_non_null(check_named(&c, "firmware"));
	}
	checked_close(&c);
	buf_release(&file);
}

/* A tree by its name, with nothing else known of it. */
static void judge_tree(const char *name)
{
	struct checked c;

	checked_open(&c, name);
	c.cpus_text = "0";
	checked_judge(&c);
	assert_true(c.checks.n > 25);
	assert_true(c.checks.line[0] != '\0');
	for (size_t i = 0; i < c.checks.n; i++) {
		const struct host_check *check = &c.checks.v[i];

		assert_true(check->finding[0] != '\0');
		if (check->status == CHECK_UNKNOWN && check->decides && c.checks.verdict == VERDICT_FIT)
			fail_msg("%s: fit, and %s is not known", name, check->id);
	}
	checked_close(&c);
}

static void checks__all_recorded_trees__give_a_verdict(void **state)
{
	DIR *folder = opendir("tests/sysroot");
	struct dirent *entry;
	size_t n = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder)) != NULL) {
		size_t length = strlen(entry->d_name);
		char name[256];

		if (length < 6 || strcmp(entry->d_name + length - 5, ".tree") != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(length - 5), entry->d_name);
		judge_tree(name);
		n++;
	}
	closedir(folder);
	assert_true(n >= 18);
}

static void checks__empty_root__all_is_unknown_and_usable_at_best(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, NULL);
	c.folder = NULL;
	c.timers = NULL;
	checked_judge(&c);
	assert_int_equal(c.checks.verdict, VERDICT_USABLE);
	for (size_t i = 0; i < c.checks.n; i++) {
		const struct host_check *check = &c.checks.v[i];

		/* which CPUs are measured on, and that no run goes on, was handed in */
		if (check->status != CHECK_UNKNOWN && strcmp(check->id, "cpus") != 0 &&
			strcmp(check->id, "other-run") != 0)
			fail_msg("%s is %s below an empty root: %s", check->id,
				check_status_text(check->status), check->finding);
	}
	checked_close(&c);
}

/* Paths of all files below a folder. */
static void list_files(struct words *files, struct arena *arena, const char *root, const char *below)
{
	struct words names = {0};
	char *folder = below[0] != '\0' ? file_join(arena, root, below) : arena_strdup(arena, root);

	assert_int_equal(file_list(folder, arena, &names, NULL), 0);
	for (size_t i = 0; i < names.n; i++) {
		char *path = below[0] != '\0' ? file_join(arena, below, names.v[i]) : names.v[i];

		if (file_is_folder(file_join(arena, root, path)))
			list_files(files, arena, root, path);
		else
			words_add(files, arena, path);
	}
}

/* Files whose being spoilt must not leave the machine fit: each a deciding fact. */
static bool is_deciding(const char *path)
{
	static const char *const ends[] = {"scaling_governor", "no_turbo", "current_clocksource",
		"proc/interrupts", "proc/loadavg", "proc/stat", "proc/meminfo"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (text_ends(path, ends[i]))
			return true;
	return false;
}

static void checks__each_file_spoilt__no_crash_and_never_fit_by_a_deciding_one(void **state)
{
	static const char garbage[] =
		"\x01\xff\x80garbage\0 (cpus ) [ - - = \"\n\n-1 99999999999999999999999 %s%n";
	struct buf digits = {0};
	struct arena arena = {0};
	struct words files = {0};
	struct checked c;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_addc(&digits, (char)('0' + i % 10));
	checked_open(&c, "doctor-good");
	list_files(&files, &arena, c.root, "");
	assert_true(files.n > 100);
	for (size_t i = 0; i < files.n; i++) {
		struct buf saved = {0};

		assert_int_equal(file_read(file_join(&arena, c.root, files.v[i]), 1 << 20, &saved, NULL), 0);
		for (int variant = 0; variant < 3; variant++) {
			if (variant == 0)
				tree_write(c.root, files.v[i], "", 0);
			else if (variant == 1)
				tree_write(c.root, files.v[i], garbage, sizeof(garbage));
			else
				tree_write(c.root, files.v[i], digits.data, digits.n);
			arena_release(&c.arena);
			c.arena = (struct arena){0};
			checked_judge(&c);
			if (is_deciding(files.v[i]) && c.checks.verdict == VERDICT_FIT)
				fail_msg("fit with variant %d of %s", variant, files.v[i]);
		}
		tree_write(c.root, files.v[i], saved.data, saved.n);
		buf_release(&saved);
	}
	checked_close(&c);
	buf_release(&digits);
	arena_release(&arena);
}

static void host_counts_read__tree__rates_are_of_the_cpus_given(void **state)
{
	struct host_counts counts;
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	checked_judge(&c);
	host_counts_read(c.root, &c.cpus, &counts);
	/* 1 + 100,000 + 200,000 of lines 8, 43, 44; ticks 1000 + 500 + 99000 + 100 + 50 */
	assert_true(counts.device_interrupts == 300001);
	assert_true(counts.ticks == 100650);
	assert_true(counts.steal_ticks == 0);
	assert_true(counts.throttles == 0);
	checked_close(&c);

	checked_open(&c, NULL);
	c.cpus_text = "0";
	checked_judge(&c);
	host_counts_read(c.root, &c.cpus, &counts);
	assert_true(counts.device_interrupts == -1 && counts.ticks == -1 && counts.throttles == -1);
	checked_close(&c);
}

static void host_volatile__facts_of_the_moment__make_no_difference(void **state)
{
	static const char *const moment[] = {"doctor.verdict", "doctor.caveats", "interrupts.device_per_s",
		"pressure.cpu", "due.cron", "due.timers", "steal.percent", "updates.running", "load.others",
		"temperature.limit_c"};

	(void)state;
	for (size_t i = 0; i < sizeof(moment) / sizeof(moment[0]); i++)
		assert_true(host_volatile(moment[i]));
	assert_false(host_volatile("freq.governor"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channel_name__names_of_boards__up_to_the_channel),
		cmocka_unit_test(fitness_channels__modules__peak_is_that_of_the_channels),
		cmocka_unit_test(checks__bandwidth_under_70_percent__points_to_missing_modules),
		cmocka_unit_test(checks__microcode_file__date_and_newer_revision),
		cmocka_unit_test(checks__all_recorded_trees__give_a_verdict),
		cmocka_unit_test(checks__empty_root__all_is_unknown_and_usable_at_best),
		cmocka_unit_test(checks__each_file_spoilt__no_crash_and_never_fit_by_a_deciding_one),
		cmocka_unit_test(host_counts_read__tree__rates_are_of_the_cpus_given),
		cmocka_unit_test(host_volatile__facts_of_the_moment__make_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
