/*
 * Counters of what the spawner starts, held against getrusage's figures of the same processes, which come from other
 * code of the kernel. FLAGSTONE_LIBEXEC: the spawner. Where this user may not count at all, every count must be unknown.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/file.h"
#include "sys/cpu.h"
#include "sys/perf.h"
#include "sys/spawner.h"
#include "test_sys_worker.h"

#define S(text) ((char *)(uintptr_t)(text))
#define WORKER(...)                                                                                          \
	(char *[])                                                                                           \
	{                                                                                                    \
		worker_self(), S("--counted"), __VA_ARGS__, NULL                                             \
	}

enum { COPIES_MAX = 4, TIMES = 6 };

static struct arena arena;
static struct spawner *spawner;
static char *const no_env[] = {NULL};
static const int not_pinned[COPIES_MAX] = {-1, -1, -1, -1};

/* Computes until the process has used so much CPU time. */
static void busy(long ms)
{
	while (clock_own_cpu_ns() < ms * 1000000)
		for (volatile int i = 0; i < 10000; i++)
			;
}

static void touch(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = pages * page;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += page)
		((volatile char *)memory)[at] = 1;
}

/* A child that nobody waits for, so that its time is not in this process' rusage; this process sees its end. */
static void busy_unseen_child(long ms)
{
	int end[2];
	char byte;

	signal(SIGCHLD, SIG_IGN);
	if (pipe(end) != 0)
		_exit(1);
	if (fork() == 0) {
		busy(ms);
		_exit(0);
	}
	close(end[1]);
	(void)!read(end[0], &byte, 1);
	clock_sleep_ns(20000000); /* the pipe is closed somewhat before its end */
}

static int counted(const char *what, long much)
{
	if (strcmp(what, "busy") == 0)
		busy(much);
	else if (strcmp(what, "touch") == 0)
		touch((size_t)much);
	else if (strcmp(what, "unseen") == 0)
		busy_unseen_child(much);
	return 0;
}

static struct spawner *new_spawner(void)
{
	struct error e = {0};
	char *helper = spawner_find_helper(&arena, "spawner", &e);
	struct spawner *made = helper != NULL ? spawner_new(helper, &e) : NULL;

	if (made == NULL)
		fail_msg("%s", e.text);
	return made;
}

static void run_counted(char *const *argv, uint32_t copies, struct spawn_copy *c, int64_t counts[COUNTERS])
{
	struct spawn_request request = {.argv = argv, .env = no_env, .cpus = not_pinned, .copies = copies};
	struct error e = {0};
	struct perf perf;

	perf_open(&perf, spawner_pid(spawner));
	if (spawner_run(spawner, &request, c, &e) != 0)
		fail_msg("%s", e.text);
	perf_read(&perf, counts);
	perf_close(&perf);
}

/* Can this user have it here? If not, the count must be unknown. */
static bool had(enum counter counter, const int64_t counts[COUNTERS])
{
	bool possible = perf_try(counter).errnum == 0;

	if (!possible)
		assert_int_equal(counts[counter], -1);
	return possible;
}

/* CPU time that a hypervisor gave to others, of all CPUs: field 8 of "cpu" in /proc/stat (proc(5)). */
static int64_t stolen_ns(void)
{
	unsigned long long ticks = 0;
	FILE *file = fopen("/proc/stat", "re");

	if (file == NULL || fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		ticks = 0;
	if (file != NULL)
		fclose(file);
	return (int64_t)(ticks * (1000000000ULL / (unsigned long long)sysconf(_SC_CLK_TCK)));
}

/*
 * Within 2 % of the CPU time. Not in it is what rusage has of the time before exec, under 1 ms a process. In it is what
 * was stolen meanwhile, which is known to a tick (10 ms) at both ends.
 */
static void is_task_clock(int64_t got, int64_t cpu_ns, int processes, int64_t stolen_before_ns)
{
	int64_t stolen = stolen_ns() - stolen_before_ns;
	double least = 0.98 * (double)cpu_ns - 1e6 * processes,
	       most = 1.02 * (double)cpu_ns + (double)stolen + 20e6;

	if ((double)got < least || (double)got > most)
		fail_msg("%lld is not from %.0f to %.0f, CPU time %lld, stolen %lld", (long long)got, least,
			most, (long long)cpu_ns, (long long)stolen);
}

static int64_t cpu_of(const struct spawn_copy *c)
{
	return c->user_ns + c->system_ns;
}

static void perf_read__busy_child__task_clock_is_rusages_cpu_time(void **state)
{
	int64_t counts[COUNTERS], stolen = stolen_ns();
	struct spawn_copy c;

	(void)state;
	run_counted(WORKER(S("busy"), S("200")), 1, &c, counts);
	assert_int_equal(c.exit_code, 0);
	assert_true(cpu_of(&c) > 190000000);
	if (had(COUNTER_TASK_CLOCK, counts))
		is_task_clock(counts[COUNTER_TASK_CLOCK], cpu_of(&c), 1, stolen);
}

/* rusage also has the few that exec makes before the counters are on, and while it copies the arguments. */
static void perf_read__touched_pages__page_faults_are_rusages(void **state)
{
	int64_t counts[COUNTERS];
	struct spawn_copy c;

	(void)state;
	run_counted(WORKER(S("touch"), S("5000")), 1, &c, counts);
	assert_true(c.minor_faults > 5000);
	if (had(COUNTER_PAGE_FAULTS, counts)) {
		int64_t fewer = (int64_t)c.minor_faults + c.major_faults - counts[COUNTER_PAGE_FAULTS];

		assert_true(counts[COUNTER_PAGE_FAULTS] > 5000);
		assert_true(fewer >= 0 && fewer <= 20);
	}
}

static void perf_read__grandchild__is_counted_though_nobody_waits_for_it(void **state)
{
	int64_t counts[COUNTERS], stolen = stolen_ns();
	struct spawn_copy c;

	(void)state;
	run_counted(WORKER(S("unseen"), S("150")), 1, &c, counts);
	assert_int_equal(c.exit_code, 0);
	assert_true(cpu_of(&c) < 100000000); /* rusage does not see it */
	if (had(COUNTER_TASK_CLOCK, counts))
		is_task_clock(counts[COUNTER_TASK_CLOCK], cpu_of(&c) + 150000000, 1, stolen);
}

static void copies_are_summed(void)
{
	for (int i = 0; i < TIMES; i++) {
		int64_t counts[COUNTERS], stolen = stolen_ns(), sum = 0;
		struct spawn_copy c[COPIES_MAX];

		run_counted(WORKER(S("busy"), S("10")), COPIES_MAX, c, counts);
		for (int k = 0; k < COPIES_MAX; k++)
			sum += cpu_of(&c[k]);
		if (had(COUNTER_TASK_CLOCK, counts))
			is_task_clock(counts[COUNTER_TASK_CLOCK], sum, COPIES_MAX, stolen);
	}
}

/* Where the spawner and a child take turns the kernel might swap their events: without perf.c's own event 5 of 8 lose. */
static void perf_read__copies__their_sum(void **state)
{
	(void)state;
	copies_are_summed();
}

static void perf_read__copies_on_the_spawners_cpu__their_sum(void **state)
{
	struct spawner *everywhere = spawner;
	struct cpu_list allowed;
	struct error e = {0};

	(void)state;
	assert_int_equal(cpu_allowed("", &arena, &allowed, &e), 0);
	assert_int_equal(cpu_pin_self(allowed.v[0], &e), 0);
	spawner = new_spawner();
	copies_are_summed();
	spawner_free(spawner);
	spawner = everywhere;
	assert_int_equal(cpu_pin_self_list(&allowed, &e), 0);
}

/* Each sample's own, not what was counted since the spawner's start. */
static void perf_read__second_sample__not_the_first_ones(void **state)
{
	int64_t counts[COUNTERS], stolen;
	struct spawn_copy c;

	(void)state;
	run_counted(WORKER(S("busy"), S("200")), 1, &c, counts);
	stolen = stolen_ns();
	run_counted(WORKER(S("busy"), S("20")), 1, &c, counts);
	if (had(COUNTER_TASK_CLOCK, counts))
		is_task_clock(counts[COUNTER_TASK_CLOCK], cpu_of(&c), 1, stolen);
	if (had(COUNTER_MIGRATIONS, counts))
		assert_true(counts[COUNTER_MIGRATIONS] < 100);
}

static void perf_read__nothing_was_executed__unknown_not_0(void **state)
{
	int64_t counts[COUNTERS];
	struct spawn_copy c;
	struct perf perf;

	(void)state;
	perf_open(&perf, spawner_pid(spawner));
	perf_read(&perf, counts);
	perf_close(&perf);
	for (int i = 0; i < COUNTERS; i++)
		assert_int_equal(counts[i], -1);
	run_counted((char *[]){S("/no/such"), NULL}, 1, &c, counts);
	assert_int_equal(c.exec_errno, ENOENT);
	for (int i = 0; i < COUNTERS; i++)
		assert_int_equal(counts[i], -1);
}

static void perf_read__hardware__plausible_or_unknown(void **state)
{
	int64_t counts[COUNTERS];
	struct spawn_copy c;

	(void)state;
	run_counted(WORKER(S("busy"), S("50")), 1, &c, counts);
	if (had(COUNTER_CYCLES, counts) && counts[COUNTER_CYCLES] >= 0)
		/* 0.2 to 10 GHz over 50 ms */
		assert_true(counts[COUNTER_CYCLES] > 10000000 && counts[COUNTER_CYCLES] < 600000000);
	if (had(COUNTER_INSTRUCTIONS, counts) && counts[COUNTER_INSTRUCTIONS] >= 0)
		assert_true(counts[COUNTER_INSTRUCTIONS] > 1000000);
	if (had(COUNTER_BRANCH_MISSES, counts) && counts[COUNTER_BRANCH_MISSES] >= 0)
		assert_true(counts[COUNTER_BRANCH_MISSES] > 0);
}

/* Scaled values by hand: 95 x 100 / 95 = 100, 1000 x 1000 / 900 = 1111.1. */
static void perf_count__took_turns__scaled_or_unknown(void **state)
{
	static const struct {
		struct perf_reading reading;
		int64_t expected;
	} cases[] = {
		{{7, 100, 100}, 7},
		{{0, 100, 100}, 0},
		{{95, 100, 95}, 100},
		{{1000, 1000, 900}, 1111},
		{{1000, 1000, 899}, -1},
		{{0, 1000, 0}, -1},
		{{0, 0, 0}, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(perf_count(&cases[i].reading), cases[i].expected);
}

/* perf_event_open fails so for this process and its children, as under a container's filter. */
static int filter_perf(int errnum)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

/* In a child: all counters are refused, and every count is unknown. The exit code: 0 when so. */
static int all_refused(int errnum)
{
	int64_t counts[COUNTERS];
	struct perf perf;

	if (filter_perf(errnum) != 0)
		return 2;
	perf_open(&perf, getpid());
	perf_read(&perf, counts);
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_attempt attempt = perf_try((enum counter)i);

		if (attempt.errnum != errnum || attempt.user_only || counts[i] != -1)
			return 1;
	}
	perf_close(&perf);
	return 0;
}

static void perf_try__seccomp_filter__its_errno(void **state)
{
	static const int errnums[] = {EPERM, ENOSYS, EACCES};

	(void)state;
	for (size_t i = 0; i < sizeof(errnums) / sizeof(errnums[0]); i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			_exit(all_refused(errnums[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

/*
 * An ordinary user under kernel.perf_event_paranoid (Documentation/admin-guide/sysctl/kernel.rst): up to 1 all is
 * counted, at 2 user mode alone. Higher ones exist in some distributions only, and mean nothing at all.
 */
static void perf_try__ordinary_user__by_perf_event_paranoid(void **state)
{
	struct buf text = {0};
	bool root = geteuid() == 0;
	long paranoid;
	struct perf_attempt clock, faults;

	(void)state;
	if (file_read("/proc/sys/kernel/perf_event_paranoid", 64, &text, NULL) != 0) {
		assert_int_not_equal(perf_try(COUNTER_TASK_CLOCK).errnum, 0);
		return;
	}
	paranoid = strtol(buf_text(&text), NULL, 10);
	buf_release(&text);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	clock = perf_try(COUNTER_TASK_CLOCK);
	faults = perf_try(COUNTER_PAGE_FAULTS);
	if (root)
		assert_int_equal(seteuid(0), 0);
	if (clock.errnum != 0) { /* a filter or a distribution's patch: then neither */
		assert_int_not_equal(faults.errnum, 0);
	} else if (paranoid >= 2) {
		assert_true(clock.user_only);
		assert_int_equal(faults.errnum, EACCES);
		assert_true(faults.user_only);
	} else {
		assert_int_equal(faults.errnum, 0);
	}
}

static void perf_user_only__what_happens_in_the_kernel__not_to_be_had(void **state)
{
	(void)state;
	assert_int_equal(perf_user_only(COUNTER_TASK_CLOCK).errnum, 0);
	assert_int_equal(perf_user_only(COUNTER_CYCLES).errnum, 0);
	assert_int_equal(perf_user_only(COUNTER_MIGRATIONS).errnum, EACCES);
	assert_int_equal(perf_user_only(COUNTER_PAGE_FAULTS).errnum, EACCES);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_read__busy_child__task_clock_is_rusages_cpu_time),
		cmocka_unit_test(perf_read__touched_pages__page_faults_are_rusages),
		cmocka_unit_test(perf_read__grandchild__is_counted_though_nobody_waits_for_it),
		cmocka_unit_test(perf_read__copies__their_sum),
		cmocka_unit_test(perf_read__copies_on_the_spawners_cpu__their_sum),
		cmocka_unit_test(perf_read__second_sample__not_the_first_ones),
		cmocka_unit_test(perf_read__nothing_was_executed__unknown_not_0),
		cmocka_unit_test(perf_read__hardware__plausible_or_unknown),
		cmocka_unit_test(perf_count__took_turns__scaled_or_unknown),
		cmocka_unit_test(perf_try__seccomp_filter__its_errno),
		cmocka_unit_test(perf_try__ordinary_user__by_perf_event_paranoid),
		cmocka_unit_test(perf_user_only__what_happens_in_the_kernel__not_to_be_had),
	};
	int failed;

	if (argc > 3 && strcmp(argv[1], "--counted") == 0)
		return counted(argv[2], atol(argv[3]));
	spawner = new_spawner();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	spawner_free(spawner);
	arena_release(&arena);
	return failed;
}
