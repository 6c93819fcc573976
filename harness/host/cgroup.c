#include "host/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Is word one of the words in a comma-separated list? */
static bool listed(const char *list, size_t length, const char *word)
{
	size_t size = strlen(word);
	const char *end = list + length;

	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		size_t part = (size_t)((comma != NULL ? comma : end) - list);

		if (part == size && memcmp(list, word, size) == 0)
			return true;
		list += part + 1;
	}
	return false;
}

/* The path of /proc/self/cgroup, lines "ID:CONTROLLERS:PATH"; version 2 is the one with ID 0 and no controllers. */
static char *own_path(struct probe *probe, const char *groups, const char *controller)
{
	for (const char *line = groups; line != NULL && *line != '\0';) {
		const char *end = line + strcspn(line, "\n");
		const char *first = memchr(line, ':', (size_t)(end - line));
		const char *second = first != NULL ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;

		if (second != NULL &&
			(controller != NULL ? listed(first + 1, (size_t)(second - first - 1), controller)
					    : second == first + 1))
			return arena_strndup(probe->arena, second + 1, (size_t)(end - second - 1));
		line = *end == '\n' ? end + 1 : NULL;
	}
	return NULL;
}

/* Fields of a line of /proc/self/mountinfo (proc(5)): root, mount point, and after " - " type, source, options. */
struct mount {
	const char *root, *point, *type, *options;
};

static bool parse_mount(struct probe *probe, const char *line, size_t length, struct mount *mount)
{
	char *copy = arena_strndup(probe->arena, line, length);
	char *rest = strstr(copy, " - ");
	char *save = NULL;

	if (rest == NULL)
		return false;
	*rest = '\0';
	strtok_r(copy, " ", &save);
	strtok_r(NULL, " ", &save);
	strtok_r(NULL, " ", &save);
	mount->root = strtok_r(NULL, " ", &save);
	mount->point = strtok_r(NULL, " ", &save);
	mount->type = strtok_r(rest + 3, " ", &save);
	strtok_r(NULL, " ", &save);
	mount->options = strtok_r(NULL, " ", &save);
	return mount->root != NULL && mount->point != NULL && mount->type != NULL;
}

/* Finds the version 2 mount (controller NULL) or the version 1 mount of a controller. */
static bool find_mount(struct probe *probe, const char *mounts, const char *controller, struct mount *found)
{
	for (const char *line = mounts; line != NULL && *line != '\0';) {
		const char *end = line + strcspn(line, "\n");

		if (parse_mount(probe, line, (size_t)(end - line), found)) {
			if (controller == NULL && strcmp(found->type, "cgroup2") == 0)
				return true;
			if (controller != NULL && strcmp(found->type, "cgroup") == 0 &&
				found->options != NULL &&
				listed(found->options, strlen(found->options), controller))
				return true;
		}
		line = *end == '\n' ? end + 1 : NULL;
	}
	return false;
}

/*
 * The own path as seen below the mount: a container without a namespace of its own sees the host's path in
 * /proc/self/cgroup but only its own group mounted.
 */
static const char *below_mount(struct probe *probe, const char *path, const char *root)
{
	size_t length = strlen(root);

	if (path == NULL || path[0] != '/' || text_starts(path, "/.."))
		return "/";
	if (strcmp(root, "/") != 0 && strncmp(path, root, length) == 0 &&
		(path[length] == '/' || path[length] == '\0'))
		path += length;
	return path[0] == '/' ? arena_strdup(probe->arena, path) : "/";
}

bool cgroup_find(struct probe *probe, const char *controller, struct cgroup *group)
{
	const char *groups = probe_text(probe, "/proc/self/cgroup", NULL);
	const char *mounts = probe_text(probe, "/proc/self/mountinfo", NULL);
	const char *path = NULL;
	struct mount mount;
	bool v2 = false;

	if (groups == NULL || mounts == NULL)
		return false;
	/* both may be mounted: a controller belongs to version 1 where that names it */
	if (find_mount(probe, mounts, controller, &mount)) {
		path = own_path(probe, groups, controller);
	} else if (find_mount(probe, mounts, NULL, &mount)) {
		path = own_path(probe, groups, NULL);
		v2 = true;
	} else {
		return false;
	}
	*group =
		(struct cgroup){.mount = mount.point, .path = below_mount(probe, path, mount.root), .v2 = v2};
	/* a group made inside after this one was mounted read-only may not show: then the mount's root is all there is */
	if (!probe_exists(probe, arena_printf(probe->arena, "%s%s", group->mount, group->path)))
		group->path = "/";
	return true;
}

/* What one level says: the limit, or that it has none, or that it cannot be read. */
enum level { LIMITED, UNLIMITED, UNREADABLE };
typedef enum level (*level_reader)(
	struct probe *, const char *folder, bool v2, double *limit, const char **reason);

static enum level missing_or_worse(const char *reason)
{
	return strcmp(reason, "No such file or directory") == 0 ? UNLIMITED : UNREADABLE;
}

/* CPUs' worth of time: "200000 100000" or "max 100000", in version 1 two files and -1 for none. */
static enum level read_quota(
	struct probe *probe, const char *folder, bool v2, double *limit, const char **reason)
{
	const char *text = probe_textf(probe, reason, "%s/%s", folder, v2 ? "cpu.max" : "cpu.cfs_quota_us");
	const char *period;
	double quota, length;

	if (text == NULL)
		return missing_or_worse(*reason);
	period = v2 ? strchr(text, ' ') : probe_textf(probe, NULL, "%s/cpu.cfs_period_us", folder);
	quota = strtod(text, NULL);
	length = period != NULL ? strtod(period, NULL) : 100000;
	if (text_starts(text, "max") || quota <= 0 || length <= 0)
		return UNLIMITED;
	*limit = quota / length;
	return LIMITED;
}

/* Version 1 writes the largest number of pages for none. */
static enum level read_memory(
	struct probe *probe, const char *folder, bool v2, double *limit, const char **reason)
{
	const char *text =
		probe_textf(probe, reason, "%s/%s", folder, v2 ? "memory.max" : "memory.limit_in_bytes");
	uint64_t bytes;

	if (text == NULL)
		return missing_or_worse(*reason);
	if (!num_parse_u64(text, &bytes) || bytes >= UINT64_C(0x7000000000000000))
		return UNLIMITED;
	*limit = (double)bytes;
	return LIMITED;
}

static void set_limit(
	struct probe *probe, const char *key, const char *controller, int digits, level_reader read)
{
	struct cgroup group;
	const char *source = "/proc/self/mountinfo";
	char *path;
	double tightest = 0;

	if (!cgroup_find(probe, controller, &group)) {
		facts_unknown(probe->facts, key, source,
			arena_printf(probe->arena, "no control groups with the controller %s are mounted",
				controller));
		return;
	}
	source = arena_printf(probe->arena, "%s%s", group.mount, group.path);
	path = arena_strdup(probe->arena, strcmp(group.path, "/") == 0 ? "" : group.path);
	for (;;) {
		const char *folder = arena_printf(probe->arena, "%s%s", group.mount, path);
		const char *reason = NULL;
		double limit = 0;
		enum level level = read(probe, folder, group.v2, &limit, &reason);

		if (level == UNREADABLE) {
			facts_unknown(probe->facts, key, folder, reason);
			return;
		}
		if (level == LIMITED && (tightest == 0 || limit < tightest)) {
			tightest = limit;
			source = folder;
		}
		if (path[0] == '\0')
			break;
		*strrchr(path, '/') = '\0';
	}
	if (tightest > 0)
		facts_setf(probe->facts, key, source, "%.*g", digits, tightest);
	else
		facts_set(probe->facts, key, "none", source);
}

static void set_cpuset(struct probe *probe)
{
	struct cgroup group;
	const char *key = "cgroup.cpuset";
	const char *path;

	if (!cgroup_find(probe, "cpuset", &group)) {
		facts_unknown(probe->facts, key, "/proc/self/mountinfo",
			"no control groups with the controller cpuset are mounted");
		return;
	}
	path = arena_printf(probe->arena, "%s%s/%s", group.mount,
		strcmp(group.path, "/") == 0 ? "" : group.path,
		group.v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus");
	probe_file(probe, key, path);
}

int64_t cgroup_throttled_us(struct probe *probe)
{
	struct cgroup group;
	const char *text;
	const char *value;

	if (!cgroup_find(probe, "cpu", &group))
		return -1;
	text = probe_textf(probe, NULL, "%s%s/cpu.stat", group.mount, group.path);
	value = text != NULL ? probe_line(probe, text, group.v2 ? "throttled_usec" : "throttled_time") : NULL;
	if (value == NULL)
		return -1;
	return group.v2 ? strtoll(value, NULL, 10) : strtoll(value, NULL, 10) / 1000;
}

void probe_cgroup(struct probe *probe)
{
	struct cgroup group;
	int64_t throttled = cgroup_throttled_us(probe);

	if (cgroup_find(probe, "cpu", &group)) {
		facts_set(probe->facts, "cgroup.version", group.v2 ? "2" : "1", "/proc/self/mountinfo");
		facts_set(probe->facts, "cgroup.path", group.path, "/proc/self/cgroup");
	} else {
		facts_unknown(probe->facts, "cgroup.version", "/proc/self/mountinfo",
			"no control groups are mounted");
		facts_unknown(
			probe->facts, "cgroup.path", "/proc/self/mountinfo", "no control groups are mounted");
	}
	set_limit(probe, "cgroup.cpu.quota_cpus", "cpu", 6, read_quota);
	set_limit(probe, "cgroup.memory.limit_bytes", "memory", 17, read_memory);
	set_cpuset(probe);
	if (throttled >= 0)
		facts_setf(probe->facts, "cgroup.cpu.throttled_us", "cpu.stat", "%lld", (long long)throttled);
	else
		facts_unknown(probe->facts, "cgroup.cpu.throttled_us", "cpu.stat",
			"the own control group keeps no such count");
}
