/*
 * The checks of `doctor` that look at what goes on now and within the hour, what was measured, and what the verdict is
 * when something is not known. What each must be was worked out from the files' content by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "checks_fixture.h"

static void checks__moment__each_both_ways(void **state)
{
	static const struct spoiled rows[] = {
		{"load", CHECK_OK, "0 other tasks want a CPU now, load average 0.02", NULL, NULL},
		{"load", CHECK_CAVEAT, "load average 1.50", "proc/loadavg", "1.50 0.58 0.59 2/871 12345\n"},
		{"load", CHECK_CAVEAT, "1 other task wants", "proc/stat",
			"cpu  1 0 5 9 1 0 5 0 0 0\nprocs_running 2\n"},
		{"load", CHECK_UNFIT, "4 other tasks want", "proc/stat",
			"cpu  1 0 5 9 1 0 5 0 0 0\nprocs_running 5\n"},
		{"load", CHECK_UNKNOWN, "no line procs_running", "proc/stat", "cpu  1 0 5 9 1 0 5 0 0 0\n"},
		{"load", CHECK_UNKNOWN, "No such file", "proc/loadavg", NULL},
		{"pressure", CHECK_OK, "for a CPU 0 %", NULL, NULL},
		{"pressure", CHECK_CAVEAT, "for a CPU 31 %", "proc/pressure/cpu",
			"some avg10=31.20 avg60=0 total=1\n"},
		{"pressure", CHECK_UNFIT, "for memory 12 %", "proc/pressure/memory",
			"some avg10=12.00 avg60=0 total=1\n"},
		{"pressure", CHECK_UNKNOWN, "No such file", "proc/pressure/io", NULL},
		{"pressure", CHECK_UNKNOWN, "no line", "proc/pressure/cpu", "some avg10=nan\n"},
		{"cron", CHECK_OK, "none due", NULL, NULL}, /* its hourly folder has no script */
		{"cron", CHECK_CAVEAT, "run-parts --report /etc/cron.hourly\" (/etc/crontab) in 7 min",
			"etc/cron.hourly/sync", "#!/bin/sh\n"},
		{"cron", CHECK_CAVEAT, "backup\" (/etc/cron.d/job) in 20 min", "etc/cron.d/job",
			"30 12 * * * root backup\n"},
		{"cron", CHECK_CAVEAT, "mine\" (/var/spool/cron/crontabs/me) in 5 min",
			"var/spool/cron/crontabs/me", "*/15 * * * tue mine\n"},
		{"cron", CHECK_OK, "none due", "etc/cron.d/job", "30 14 * * * root backup\n"},
		{"cron", CHECK_OK, "none due", "etc/cron.d/job.dpkg-old", "30 12 * * * root backup\n"},
		{"cron", CHECK_UNKNOWN, "/etc/cron.d/job, line 2 is no crontab line", "etc/cron.d/job",
			"# x\n61 * * * * root backup\n"},
		{"cron", CHECK_OK, "no cron runs", "proc/900/comm", "sshd\n"},
		{"updates", CHECK_OK, "none by itself", NULL, NULL},
		{"updates", CHECK_CAVEAT, "at work now: apt-get", "proc/812/comm", "apt-get\n"},
		{"updates", CHECK_OK, "by itself", "etc/apt/apt.conf.d/20auto-upgrades",
			"APT::Periodic::Unattended-Upgrade \"1\";\n"},
		{"updates", CHECK_UNKNOWN, "form with braces", "etc/apt/apt.conf.d/90mine",
			"APT\n{\n  Periodic {\n Unattended-Upgrade \"1\";\n };\n};\n"},
		{"updates", CHECK_UNKNOWN, "neither exists", "etc/apt", NULL},
		{"folder", CHECK_OK, "tmpfs", NULL, NULL},
		{"firmware", CHECK_UNKNOWN, "firmware is of 03/10/2026, 0.7 years old", NULL, NULL},
		{"firmware", CHECK_CAVEAT, "firmware is of 05/22/2019, 7.5 years old",
			"sys/class/dmi/id/bios_date", "05/22/2019\n"},
		{"firmware", CHECK_UNKNOWN, "No such file", "sys/class/dmi/id/bios_date", NULL},
		{"firmware", CHECK_UNKNOWN, "firmware says \"N/A\"", "sys/class/dmi/id/bios_date",
			"N/A\n"}, /* case 102 */
		{"firmware", CHECK_UNKNOWN, "is to come", "sys/class/dmi/id/bios_date", "05/22/2031\n"},
	};

	(void)state;
	RUN_TABLE(rows);
}

static void is_folder(struct checked *c, const char *folder, enum check_status status, const char *finding)
{
	c->folder = folder;
	checked_judge(c);
	is_status(c, "folder", status, finding);
	checked_again(c);
}

static void checks__folder__by_the_deepest_mount_above_it(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	is_folder(&c, "/work", CHECK_OK, "tmpfs");
	is_folder(&c, "/home/me/project", CHECK_OK, "ext4 on /dev/nvme0n1p2");
	is_folder(&c, "/workshop", CHECK_OK, "ext4"); /* begins like a mount point and is none */
	is_folder(&c, "/net work/p", CHECK_CAVEAT, "nfs4 on server:/export");
	is_folder(&c, "relative", CHECK_UNKNOWN, "no mount point");
	is_folder(&c, NULL, CHECK_UNKNOWN, "not known");
	checked_close(&c);
}

static void is_timers(struct checked *c, const char *timers, const char *reason, enum check_status status,
	const char *finding)
{
	c->timers = timers;
	c->timers_reason = reason;
	checked_judge(c);
	is_status(c, "timers", status, finding);
	checked_again(c);
}

static void checks__timers__due_within_the_hour(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	is_timers(&c,
		"Tue 2026-12-01 12:24:36 UTC 14min left Tue 2026-12-01 06:20:00 UTC 5h ago man-db.timer "
		"x.service\n"
		"- - - - systemd-readahead-done.timer y.service\n",
		NULL, CHECK_CAVEAT, "man-db.timer in 15 min");
	is_timers(&c, "Tue 2026-12-01 13:24:36 UTC 1h left - - man-db.timer x.service\n", NULL, CHECK_OK,
		"none due");
	is_timers(&c, "", NULL, CHECK_OK, "none due");
	is_timers(&c, NULL, "systemd does not run here", CHECK_OK, "systemd does not run");
	is_timers(&c, NULL, "exit code 1", CHECK_UNKNOWN, "exit code 1");
	is_timers(&c, "Di 2026-12-01 12:24:36 CET 14min left - - man-db.timer x.service\n", NULL,
		CHECK_UNKNOWN, "of no known form");
	checked_close(&c);
}

static void checks__updates_due__are_a_caveat(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	c.timers = "Tue 2026-12-01 12:24:36 UTC 14min left - - apt-daily-upgrade.timer x.service\n";
	tree_write_text(
		c.root, "etc/apt/apt.conf.d/20auto-upgrades", "APT::Periodic::Unattended-Upgrade \"1\";\n");
	checked_judge(&c);
	is_status(
		&c, "updates", CHECK_CAVEAT, "apt installs upgrades by itself, and does so within the hour");
	checked_close(&c);
}

static void checks__another_run__is_unfit(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	c.other_run = "another flagstone is measuring";
	checked_judge(&c);
	is_status(&c, "other-run", CHECK_UNFIT, "another flagstone");
	assert_string_equal(c.checks.line, "unfit: other-run");
	checked_close(&c);
}

/* Facts of a deciding check taken away one after the other: the machine may be usable then, but never fit. */
static void checks__deciding_fact_unknown__is_never_fit(void **state)
{
	static const struct {
		const char *id, *paths[4];
	} rows[] = {
		{"governor",
			{CPU "cpu0/cpufreq", CPU "cpu1/cpufreq", CPU "cpu2/cpufreq", CPU "cpu3/cpufreq"}},
		{"limits", {CPU "cpu0/cpufreq", CPU "cpu1/cpufreq", CPU "cpu2/cpufreq", CPU "cpu3/cpufreq"}},
		{"boost", {CPU "intel_pstate/no_turbo"}},
		{"virtual", {"proc/cpuinfo"}},
		{"steal", {"proc/stat"}},
		{"smt", {CPU "smt", CPU
				"cpu0/topology"}}, /* of one CPU, so that the cores are not known either */
		{"interrupts", {"proc/interrupts"}},
		{"room", {"proc/meminfo"}},
		{"swap", {"proc/meminfo"}},
		{"clock", {"sys/devices/system/clocksource"}},
		{"load", {"proc/loadavg"}},
	};
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t k = 0; k < 4 && rows[i].paths[k] != NULL; k++)
			spoil(&c, rows[i].paths[k], NULL);
		checked_judge(&c);
		is_status(&c, rows[i].id, CHECK_UNKNOWN, "");
		assert_true(check_named(&c, rows[i].id)->decides);
		assert_int_equal(c.checks.verdict, VERDICT_USABLE);
		assert_non_null(strstr(c.checks.line, rows[i].id));
		for (size_t k = 0; k < 4 && rows[i].paths[k] != NULL; k++)
			mend(&c, rows[i].paths[k]);
		checked_again(&c);
	}
	checked_close(&c);
}

static void checks__measured__noise_word_and_rates(void **state)
{
	static const struct host_noise still = {
		.median_ns = 25000, .q25 = 0.999, .q75 = 1.001, .p01 = 0.99, .p99 = 1.02};
	struct host_measured m = {.seconds = 5,
		.readings = 1000,
		.cpus = 4,
		.dep = still,
		.wide = still,
		.clock_ns = 25,
		.steal_percent = 0,
		.interrupts_per_s = 10,
		.throttles = 0};
	struct checked c;

	(void)state;
	checked_open(&c, "doctor-good");
	c.measured = &m;
	checked_judge(&c);
	is_status(&c, "noise", CHECK_OK, "quiet");
	is_status(&c, "steal", CHECK_OK, "0.0 % of all CPU time within the last 5 s");
	is_status(&c, "clock", CHECK_OK, "25 ns a reading");
	assert_int_equal(c.checks.verdict, VERDICT_FIT);
	checked_again(&c);

	m.wide.q75 = 1.06;
	m.wide.p99 = 1.40;
	m.steal_percent = 7;
	m.throttles = 3;
	m.interrupts_per_s = 5000;
	m.clock_ns = 1200;
	checked_judge(&c);
	is_status(&c, "noise", CHECK_CAVEAT, "usual for a virtual machine");
	is_status(&c, "steal", CHECK_UNFIT, "7.0 % of all CPU time");
	is_status(&c, "throttle", CHECK_UNFIT, "3 times within the last 5 s");
	is_status(&c, "interrupts", CHECK_CAVEAT, "5000 a second");
	is_status(&c, "clock", CHECK_CAVEAT, "1200 ns a reading");
	checked_again(&c);

	m.wide.q75 = 2.5;
	m.wide.p99 = 4;
	checked_judge(&c);
	is_status(&c, "noise", CHECK_UNFIT, "noisy");
	checked_again(&c);

	c.measured = NULL;
	c.unmeasured = "another run goes on";
	checked_judge(&c);
	is_status(&c, "noise", CHECK_UNKNOWN, "another run goes on");
	assert_int_equal(c.checks.verdict, VERDICT_USABLE);
	checked_close(&c);
}

static void checks__guest__unknown_says_who_sets_it(void **state)
{
	struct checked c;

	(void)state;
	checked_open(&c, "vm-kvm");
	checked_judge(&c);
	is_status(&c, "virtual", CHECK_CAVEAT, "under qemu");
	is_status(&c, "governor", CHECK_UNKNOWN, "the host of this virtual machine sets it");
	is_status(&c, "firmware", CHECK_UNKNOWN, "hypervisor makes up"); /* case 101 */
	is_status(&c, "throttle", CHECK_UNKNOWN, "not told");
	assert_int_equal(c.checks.verdict, VERDICT_USABLE);
	checked_close(&c);

	checked_open(&c, "laptop-intel-pstate");
	checked_judge(&c);
	/* case 99 (benchexec issue 918): held to 1.6 of 3.9 GHz, on battery */
	is_status(&c, "limits", CHECK_CAVEAT, "held to 1.60 GHz of 3.90 GHz");
	is_status(&c, "power", CHECK_UNFIT, "battery");
	is_status(&c, "throttle", CHECK_CAVEAT, "6 times by core");
	assert_int_equal(c.checks.verdict, VERDICT_UNFIT);
	checked_close(&c);

	checked_open(&c, "amd-pstate-epp"); /* case 100: no boost file (reth issue 23370) */
	checked_judge(&c);
	is_status(&c, "boost", CHECK_UNKNOWN, "none of intel_pstate/no_turbo");
	checked_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks__moment__each_both_ways),
		cmocka_unit_test(checks__folder__by_the_deepest_mount_above_it),
		cmocka_unit_test(checks__timers__due_within_the_hour),
		cmocka_unit_test(checks__updates_due__are_a_caveat),
		cmocka_unit_test(checks__another_run__is_unfit),
		cmocka_unit_test(checks__deciding_fact_unknown__is_never_fit),
		cmocka_unit_test(checks__measured__noise_word_and_rates),
		cmocka_unit_test(checks__guest__unknown_says_who_sets_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
