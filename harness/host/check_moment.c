#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "host/check_list.h"

/* What goes on now and in the next hour; and, last, what is old. */

static void judge_other_run(struct judging *j)
{
	if (j->in->other_run == NULL) {
		judge(j, CHECK_OK, "none");
		return;
	}
	judge(j, CHECK_UNFIT, "%s", j->in->other_run);
	advise(j, "flagstone run --wait 1h", "wait until it ends");
}

static void judge_load(struct judging *j)
{
	/* the average of a minute also remembers what ended: only who runs now makes it unfit */
	static const double some = 0.5;
	double others, average;
	double cpus = (double)j->in->cpus->n;

	if (!fact_number(j, "load.others", &others)) {
		judge_unknown(j, "load.others");
		return;
	}
	if (!fact_number(j, "load.1min", &average)) {
		judge_unknown(j, "load.1min");
		return;
	}
	judge(j,
		cpus > 0 && others >= cpus	? CHECK_UNFIT
		: others >= 1 || average > some ? CHECK_CAVEAT
						: CHECK_OK,
		"%.0f other task%s want%s a CPU now, load average %.2f", others, text_plural((size_t)others),
		others == 1 ? "s" : "", average);
	if (j->check->status != CHECK_OK)
		advise(j, "ps -eo pcpu,pid,comm --sort=-pcpu | head",
			"end what runs, or wait until it is done");
}

static void judge_pressure(struct judging *j)
{
	/* percent of the last 10 s in which some task waited */
	static const double cpu_some = 5, memory_some = 1, io_some = 20, memory_much = 10;
	double cpu, memory, io;

	if (!fact_number(j, "pressure.cpu", &cpu) || !fact_number(j, "pressure.memory", &memory) ||
		!fact_number(j, "pressure.io", &io)) {
		judge_unknown(j, fact_of(j, "pressure.cpu") == NULL	 ? "pressure.cpu"
				 : fact_of(j, "pressure.memory") == NULL ? "pressure.memory"
									 : "pressure.io");
		return;
	}
	judge(j,
		memory >= memory_much					    ? CHECK_UNFIT
		: cpu >= cpu_some || memory >= memory_some || io >= io_some ? CHECK_CAVEAT
									    : CHECK_OK,
		"in the last 10 s tasks waited for a CPU %.0f %% of the time, for memory %.0f %%, for disks "
		"%.0f %%",
		cpu, memory, io);
	if (j->check->status != CHECK_OK)
		advise(j, "cat /proc/pressure/*", "see what waits, and let it end");
}

/* "none" or a list of what is due. */
static void judge_due(struct judging *j, const char *key, const char *todo, const char *command)
{
	const char *due = fact_of(j, key);

	if (due == NULL) {
		judge_unknown(j, key);
	} else if (strcmp(due, "none") == 0 || text_starts(due, "none: ")) {
		judge(j, CHECK_OK, "%s", strcmp(due, "none") == 0 ? "none due within the hour" : due);
	} else {
		judge(j, CHECK_CAVEAT, "due within the hour: %s", due);
		advise(j, command, "%s", todo);
	}
}

static void judge_timers(struct judging *j)
{
	if (text_same(fact_reason(j, "due.timers"), "systemd does not run here"))
		judge(j, CHECK_OK, "none: systemd does not run here");
	else
		judge_due(j, "due.timers", "wait, or stop the timers until the run is done",
			"sudo systemctl stop NAME.timer");
}

static void judge_cron(struct judging *j)
{
	judge_due(j, "due.cron", "wait, or stop cron until the run is done", "sudo systemctl stop cron");
}

static void judge_updates(struct judging *j)
{
	const char *automatic = fact_of(j, "updates.automatic"), *running = fact_of(j, "updates.running");
	const char *due = fact_of(j, "due.timers");
	bool soon = due != NULL && (strstr(due, "apt-daily") != NULL || strstr(due, "dnf-") != NULL ||
					   strstr(due, "packagekit") != NULL);

	if (running == NULL) {
		judge_unknown(j, "updates.running");
	} else if (strcmp(running, "none") != 0) {
		judge(j, CHECK_CAVEAT, "at work now: %s", running);
		advise(j, NULL, "wait until it is done");
	}
	if (automatic == NULL)
		judge_unknown(j, "updates.automatic");
	else if (strcmp(automatic, "off") != 0)
		judge(j, soon ? CHECK_CAVEAT : CHECK_OK, "%s%s", automatic,
			soon ? ", and does so within the hour" : "");
	else
		judge(j, CHECK_OK, "none by itself%s", running != NULL ? ", none at work" : "");
	if (soon)
		advise(j, "sudo systemctl stop apt-daily.timer apt-daily-upgrade.timer",
			"stop its timers until the run is done");
}

static void judge_folder(struct judging *j)
{
	static const char *const memory[] = {"tmpfs", "ramfs"};
	static const char *const far[] = {"nfs", "cifs", "smb", "9p", "fuse", "virtiofs", "vboxsf", "overlay",
		"afs", "ceph", "gluster", "lustre"};
	const char *type = fact_of(j, "folder.filesystem"), *device = fact_of(j, "folder.device");
	static const double gib = 1024.0 * 1024 * 1024;
	bool is_memory = false, is_far = false;
	double left;

	if (type == NULL) {
		judge_unknown(j, "folder.filesystem");
		return;
	}
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		is_memory |= strcmp(type, memory[i]) == 0;
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
		is_far |= text_starts(type, far[i]);
	if (is_memory)
		judge(j, CHECK_OK, "%s: file copies measure memory and the kernel alone", type);
	else
		judge(j, is_far ? CHECK_CAVEAT : CHECK_OK, "%s%s%s: %s", type, device != NULL ? " on " : "",
			device != NULL ? device : "",
			is_far ? "another layer or machine answers"
			       : "good for all but tests that copy files");
	if (!is_memory)
		advise(j, "cp -R PROJECT /dev/shm/ && flagstone -C /dev/shm/PROJECT run",
			"run file copy tests from a project on a tmpfs");
	if (fact_number(j, "folder.free_bytes", &left) && left < gib)
		judge(j, CHECK_CAVEAT, "only %s free", bytes_text(j->arena, left));
}

/* "05/22/2023" of DMI, or "2023-02-27": years before now; -1: no date. */
static double years_since(const char *date, int64_t now_s)
{
	struct tm tm = {0};
	const char *end = strptime(date, strchr(date, '/') != NULL ? "%m/%d/%Y" : "%Y-%m-%d", &tm);

	if (end == NULL || *end != '\0')
		return -1;
	return ((double)now_s - (double)timegm(&tm)) / (365.25 * 86400);
}

static void judge_one_age(struct judging *j, const char *key, const char *what)
{
	/* vendors mend firmware some times a year; after that long a machine has missed several updates */
	static const double old_years = 3;
	const char *date = fact_of(j, key);
	double years = date != NULL ? years_since(date, j->in->now_s) : -1;

	if (date == NULL)
		judge(j, CHECK_UNKNOWN, "%s: %s", what,
			fact_reason(j, key) != NULL ? fact_reason(j, key) : "not read");
	else if (years < -0.1)
		judge(j, CHECK_UNKNOWN, "%s is of %s, which is to come: is the clock right?", what, date);
	else
		judge(j, years > old_years ? CHECK_CAVEAT : CHECK_OK, "%s is of %s, %.1f years old", what,
			date, years < 0 ? 0 : years);
}

static void judge_firmware(struct judging *j)
{
	const char *newest = fact_of(j, "microcode.newest"), *running = fact_of(j, "cpu.microcode");

	if (fact_is(j, "virt.virtual", "yes")) {
		judge(j, CHECK_UNKNOWN,
			"a virtual machine sees what its hypervisor makes up, not the machine's firmware and "
			"microcode");
		return;
	}
	judge_one_age(j, "bios.date", "firmware");
	judge_one_age(j, "microcode.date", "microcode");
	if (newest != NULL && running != NULL &&
		(int32_t)strtoul(newest, NULL, 16) > (int32_t)strtoul(running, NULL, 16))
		judge(j, CHECK_CAVEAT, "microcode %s runs, and %s is installed", running, newest);
	if (j->check->status == CHECK_CAVEAT)
		advise(j, "sudo fwupdmgr get-updates",
			"update both before a series of measurements, not within it, and boot again");
}

const struct check_kind checks_moment[] = {
	{.id = "noise",
		.title = "noise, measured",
		.decides = true,
		.why = "Two fixed pieces of work of 25 µs again and again: how much their time varies is how "
		       "much "
		       "any sample's does. It tells of now: on a busy virtual machine the noise of single "
		       "sessions within 20 minutes went from 2 to 12 %.",
		.judge = judge_noise},
	{.id = "other-run",
		.title = "other runs of flagstone",
		.decides = false,
		.why = "Two runs on one machine measure each other.",
		.judge = judge_other_run},
	{.id = "load",
		.title = "load",
		.decides = true,
		.why = "Who wants the same CPU takes turns with the sample, and who runs beside it takes "
		       "cache, "
		       "memory bandwidth, boost and perhaps half of the core.",
		.judge = judge_load,
		.reads = {"load.others", "load.1min", "load.5min"}},
	{.id = "pressure",
		.title = "pressure",
		.decides = false,
		.why = "The kernel's own count of lost time: waiting for a CPU is added to a sample's time, "
		       "waiting for memory means that pages are taken back meanwhile.",
		.judge = judge_pressure,
		.reads = {"pressure.cpu", "pressure.memory", "pressure.io"}},
	{.id = "timers",
		.title = "timers",
		.decides = false,
		.why = "A job that starts in the middle of a run disturbs the samples of those seconds or "
		       "minutes, "
		       "and may leave caches and disks busy.",
		.judge = judge_timers,
		.reads = {"due.timers"}},
	{.id = "cron",
		.title = "cron jobs",
		.decides = false,
		.why = "As with timers; one sample of seven times the median came from cron (hyperfine issue "
		       "171).",
		.judge = judge_cron,
		.reads = {"due.cron"}},
	{.id = "updates",
		.title = "automatic updates",
		.decides = false,
		.why = "They unpack and index for minutes on all CPUs, and may exchange compiler and C "
		       "library "
		       "between two runs that are to be compared.",
		.judge = judge_updates,
		.reads = {"updates.automatic", "updates.running", "due.timers"}},
	{.id = "folder",
		.title = "file system of the folder",
		.decides = false,
		.why = "Tests that copy files measure the file system too: 1,163,000 KBps on tmpfs against "
		       "963,000 "
		       "on ext4 in acceptance tests. Others read their program once.",
		.judge = judge_folder,
		.reads = {"folder.filesystem", "folder.device", "folder.free_bytes"}},
	{.id = "firmware",
		.title = "firmware and microcode",
		.decides = false,
		.why = "Updates change boost, memory timing and mitigations: a machine with old firmware is "
		       "not "
		       "the one that others publish figures of.",
		.judge = judge_firmware,
		.reads = {"bios.date", "bios.version", "cpu.microcode", "cpu.microcode.trust",
			"microcode.date", "microcode.newest"}},
	{0}};
