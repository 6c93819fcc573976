#include "host/throttle.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cgroup.h"
#include "host/probe.h"

static int open_below(const struct probe *probe, const char *path)
{
	return open(arena_printf(probe->arena, "%s%s", probe->root, path), O_RDONLY | O_CLOEXEC);
}

void host_throttle_open(struct host_throttle *throttle, const char *root, int cpu)
{
	static const char *const counters[] = {"core_throttle_count", "package_throttle_count"};
	struct arena arena = {0};
	struct probe probe = {.root = root, .live = root[0] == '\0', .arena = &arena};
	struct cgroup group;

	for (int i = 0; i < 2; i++)
		throttle->fds[i] = open_below(
			&probe, arena_printf(&arena, "/sys/devices/system/cpu/cpu%d/thermal_throttle/%s", cpu,
					counters[i]));
	throttle->fds[2] = -1;
	if (cgroup_find(&probe, "cpu", &group))
		throttle->fds[2] =
			open_below(&probe, arena_printf(&arena, "%s%s/cpu.stat", group.mount,
						   strcmp(group.path, "/") == 0 ? "" : group.path));
	arena_release(&arena);
}

/* A counter file is a number; cpu.stat has lines, of which nr_throttled counts the periods held back. */
static uint64_t read_counter(int fd)
{
	char text[1024];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	const char *line;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	line = strstr(text, "nr_throttled ");
	return strtoull(line != NULL ? line + strlen("nr_throttled ") : text, NULL, 10);
}

uint64_t host_throttle_read(const struct host_throttle *throttle)
{
	uint64_t sum = 0;

	for (int i = 0; i < THROTTLE_FILES; i++)
		if (throttle->fds[i] >= 0)
			sum += read_counter(throttle->fds[i]);
	return sum;
}

void host_throttle_close(struct host_throttle *throttle)
{
	for (int i = 0; i < THROTTLE_FILES; i++) {
		if (throttle->fds[i] >= 0)
			close(throttle->fds[i]);
		throttle->fds[i] = -1;
	}
}
