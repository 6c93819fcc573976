#include "sys/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const double running_needed = 0.9;

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool in_user_mode; /* does it mean something without what happens in the kernel? */
} events[COUNTERS] = {
	[COUNTER_TASK_CLOCK] = {"task_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true},
	[COUNTER_PAGE_FAULTS] = {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
	[COUNTER_MIGRATIONS] = {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false},
	[COUNTER_CYCLES] = {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
	[COUNTER_INSTRUCTIONS] = {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
	[COUNTER_BRANCH_MISSES] = {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, true},
};

const char *perf_name(enum counter counter)
{
	return events[counter].name;
}

bool perf_is_hardware(enum counter counter)
{
	return events[counter].type == PERF_TYPE_HARDWARE;
}

/*
 * An event that counts nothing and that no child inherits. The kernel lets two processes swap their events at a switch
 * between them as long as those of one are all inherited from the other's; a child that got its parent's own ones so
 * would switch those on at its exec, and not be told from the parent's next child, which would then count nothing.
 */
static int open_own(pid_t pid)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_event(const struct event *event, pid_t pid, bool user_only)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = event->type;
	attr.config = event->config;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	attr.inherit = 1;
	attr.enable_on_exec = 1;
	attr.exclude_kernel = user_only;
	attr.exclude_hv = user_only;
	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool is_refused(int errnum)
{
	return errnum == EACCES || errnum == EPERM;
}

struct perf_attempt perf_user_only(enum counter counter)
{
	return (struct perf_attempt){.errnum = events[counter].in_user_mode ? 0 : EACCES, .user_only = true};
}

/* Its descriptor, or -1 and why in *attempt. */
static int open_counter(enum counter counter, pid_t pid, struct perf_attempt *attempt)
{
	const struct event *event = &events[counter];
	int fd = open_event(event, pid, false);

	*attempt = (struct perf_attempt){.errnum = fd < 0 ? errno : 0};
	if (fd >= 0 || !is_refused(attempt->errnum))
		return fd;
	fd = open_event(event, pid, true);
	if (fd < 0) { /* who is refused is not told that there is none: this answer says more */
		attempt->errnum = errno;
		return -1;
	}
	*attempt = perf_user_only(counter);
	if (attempt->errnum == 0)
		return fd;
	close(fd);
	return -1;
}

struct perf_attempt perf_try(enum counter counter)
{
	struct perf_attempt attempt;
	int fd = open_counter(counter, 0, &attempt);

	if (fd >= 0)
		close(fd);
	return attempt;
}

int perf_open(struct perf *perf, pid_t pid)
{
	struct perf_attempt attempt;
	int had = 0;

	perf->own = open_own(pid);
	for (int i = 0; i < COUNTERS; i++) {
		perf->fds[i] = perf->own >= 0 ? open_counter((enum counter)i, pid, &attempt) : -1;
		had += perf->fds[i] >= 0;
	}
	return had;
}

void perf_close(struct perf *perf)
{
	for (int i = 0; i < COUNTERS; i++) {
		if (perf->fds[i] >= 0)
			close(perf->fds[i]);
		perf->fds[i] = -1;
	}
	if (perf->own >= 0)
		close(perf->own);
	perf->own = -1;
}

int64_t perf_count(const struct perf_reading *reading)
{
	double enabled = (double)reading->enabled_ns, running = (double)reading->running_ns;

	/* an event that was never on counted nothing: that is not 0 */
	if (reading->enabled_ns == 0 || running < running_needed * enabled)
		return -1;
	if (running >= enabled)
		return (int64_t)reading->value;
	return (int64_t)((double)reading->value * (enabled / running) + 0.5);
}

void perf_read(const struct perf *perf, int64_t counts[COUNTERS])
{
	for (int i = 0; i < COUNTERS; i++) {
		struct perf_reading reading;
		bool known = perf->fds[i] >= 0 &&
			     read(perf->fds[i], &reading, sizeof(reading)) == (ssize_t)sizeof(reading);

		counts[i] = known ? perf_count(&reading) : -1;
	}
}
