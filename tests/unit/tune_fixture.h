/*
 * tune_fixture.h - a copy of a recorded tree, and a kernel of its own that obeys what is written to it: refuses,
 * rounds, ignores, and moves other files, as the real one does. For tests of tune.
 *
 * What it does is from Linux: Documentation/admin-guide/pm/intel_pstate.rst (a preference other than "performance" is
 * refused under the governor performance, which sets it), cgroup-v2.rst and cgroup-v1/cpusets.rst.
 */
#ifndef TESTS_UNIT_TUNE_FIXTURE_H
#define TESTS_UNIT_TUNE_FIXTURE_H

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#include "../sysroot/tree.h"
#include "base/buf.h"
#include "base/text.h"
#include "host/tune.h"

#define TREE_CPU "/sys/devices/system/cpu"
#define POLICY	 TREE_CPU "/cpufreq/policy"

struct kernel {
	struct arena arena;
	char *root;
	struct tune_io io;
	const char *refuses;   /* a pattern of paths below the root: writes fail with EIO */
	const char *ignores;   /* writes succeed and change nothing */
	const char *rounds;    /* writes of a number give 50,000 less */
	bool no_partition;     /* "root" becomes "root invalid (...)" */
	size_t steps, kill_at; /* at that step the process ends; 0: never */
	size_t writes;
};

static inline char *kernel_read(struct kernel *k, const char *path)
{
	struct buf bytes = {0};
	char *text = NULL;

	if (file_read(arena_printf(&k->arena, "%s%s", k->root, path), 1 << 20, &bytes, NULL) == 0) {
		text = arena_strdup(&k->arena, buf_text(&bytes));
		if (text_ends(text, "\n"))
			text[strlen(text) - 1] = '\0';
	}
	buf_release(&bytes);
	return text;
}

static inline void kernel_put(struct kernel *k, const char *path, const char *text)
{
	tree_write_text(k->root, path + 1, arena_printf(&k->arena, "%s\n", text));
}

/* Another file of the same folder. */
static inline const char *beside(struct kernel *k, const char *path, const char *name)
{
	return arena_printf(&k->arena, "%s/%s", file_folder(&k->arena, path), name);
}

/* Each group directly below one: its file gets a text; NULL: the file is removed. */
static inline void each_group(struct kernel *k, const char *mount, const char *name, const char *text)
{
	struct words names = {0};

	assert_int_equal(
		file_list(arena_printf(&k->arena, "%s%s", k->root, mount), &k->arena, &names, NULL), 0);
	for (size_t i = 0; i < names.n; i++) {
		const char *path = arena_printf(&k->arena, "%s/%s/%s", mount, names.v[i], name);

		if (!file_is_folder(arena_printf(&k->arena, "%s%s/%s", k->root, mount, names.v[i])))
			continue;
		if (text == NULL)
			unlink(arena_printf(&k->arena, "%s%s", k->root, path));
		else
			kernel_put(k, path, text);
	}
}

static inline int kernel_controller(struct kernel *k, const char *path, const char *text)
{
	const char *mount = file_folder(&k->arena, path);
	const char *now = kernel_read(k, path);
	bool on = strstr(now, "cpuset") != NULL;

	assert_string_equal(text + 1, "cpuset");
	if (text[0] == '+' && !on) {
		kernel_put(k, path, arena_printf(&k->arena, "cpuset %s", now));
		each_group(k, mount, "cpuset.cpus", "");
	} else if (text[0] == '-' && on) {
		kernel_put(k, path, now + strlen("cpuset "));
		each_group(k, mount, "cpuset.cpus", NULL);
	}
	return 0;
}

/* Takes a pid out of the lists of all groups below. */
static inline void leave_all(struct kernel *k, const char *folder, const char *pid)
{
	const char *path = arena_printf(&k->arena, "%s/cgroup.procs", folder);
	char *list = kernel_read(k, path), *save = NULL;
	struct words names = {0};
	struct buf out = {0};

	for (char *at = list != NULL ? strtok_r(list, "\n", &save) : NULL; at != NULL;
		at = strtok_r(NULL, "\n", &save))
		if (strcmp(at, pid) != 0)
			buf_addf(&out, "%s%s", out.n > 0 ? "\n" : "", at);
	if (list != NULL)
		kernel_put(k, path, buf_text(&out));
	buf_release(&out);
	file_list(arena_printf(&k->arena, "%s%s", k->root, folder), &k->arena, &names, NULL);
	for (size_t i = 0; i < names.n; i++)
		if (file_is_folder(arena_printf(&k->arena, "%s%s/%s", k->root, folder, names.v[i])))
			leave_all(k, arena_printf(&k->arena, "%s/%s", folder, names.v[i]), pid);
}

/* Lists stay in the order of pids. Process 2, the kernel's own, is bound. */
static inline int kernel_move(struct kernel *k, const char *path, const char *pid)
{
	char *list, *save = NULL;
	struct buf out = {0};
	bool put = false;

	if (strcmp(pid, "2") == 0)
		return EINVAL;
	leave_all(k, strstr(path, "/cpuset/") != NULL ? "/sys/fs/cgroup/cpuset" : "/sys/fs/cgroup", pid);
	list = kernel_read(k, path);
	for (char *at = list != NULL ? strtok_r(list, "\n", &save) : NULL; at != NULL;
		at = strtok_r(NULL, "\n", &save)) {
		if (!put && atoi(at) > atoi(pid)) {
			buf_addf(&out, "%s%s", out.n > 0 ? "\n" : "", pid);
			put = true;
		}
		buf_addf(&out, "%s%s", out.n > 0 ? "\n" : "", at);
	}
	if (!put)
		buf_addf(&out, "%s%s", out.n > 0 ? "\n" : "", pid);
	kernel_put(k, path, buf_text(&out));
	buf_release(&out);
	return 0;
}

static inline int kernel_limit(struct kernel *k, const char *path, const char *text)
{
	const char *base = kernel_read(k, beside(k, path, "base_frequency"));
	const char *min = kernel_read(k, beside(k, path, "scaling_min_freq"));
	const char *no_turbo = kernel_read(k, TREE_CPU "/intel_pstate/no_turbo");
	long khz = atol(text);

	if (min != NULL && khz < atol(min))
		return EINVAL;
	if (base != NULL && text_same(no_turbo, "1") && khz > atol(base))
		khz = atol(base);
	kernel_put(k, path, arena_printf(&k->arena, "%ld", khz));
	return 0;
}

/* The upper limits go down with turbo, and do not come back with it. */
static inline int kernel_turbo(struct kernel *k, const char *path, const char *text)
{
	kernel_put(k, path, text);
	for (int i = 0; i < 4 && strcmp(text, "1") == 0; i++) {
		const char *limit = arena_printf(&k->arena, POLICY "%d/scaling_max_freq", i);

		if (kernel_read(k, limit) != NULL)
			kernel_limit(k, limit, kernel_read(k, limit));
	}
	return 0;
}

static inline int kernel_preference(struct kernel *k, const char *path, const char *text)
{
	if (strcmp(text, "performance") != 0 &&
		text_same(kernel_read(k, beside(k, path, "scaling_governor")), "performance"))
		return EBUSY;
	kernel_put(k, path, text);
	return 0;
}

static inline int kernel_governor(struct kernel *k, const char *path, const char *text)
{
	const char *epp = beside(k, path, "energy_performance_preference");

	kernel_put(k, path, text);
	if (strcmp(text, "performance") == 0 && kernel_read(k, epp) != NULL)
		kernel_put(k, epp, text);
	return 0;
}

static inline int kernel_write(const char *full, const char *text, void *context)
{
	struct kernel *k = context;
	const char *path = full + strlen(k->root);
	const char *name = file_name(path);

	k->writes++;
	if (k->refuses != NULL && text_glob(k->refuses, path))
		return EIO;
	if (k->ignores != NULL && text_glob(k->ignores, path))
		return 0;
	if (k->rounds != NULL && text_glob(k->rounds, path))
		text = arena_printf(&k->arena, "%ld", atol(text) - 50000);
	if (strcmp(name, "cgroup.subtree_control") == 0)
		return kernel_controller(k, path, text);
	if (strcmp(name, "cgroup.procs") == 0)
		return kernel_move(k, path, text);
	if (strcmp(name, "scaling_max_freq") == 0)
		return kernel_limit(k, path, text);
	if (strcmp(name, "no_turbo") == 0)
		return kernel_turbo(k, path, text);
	if (strcmp(name, "energy_performance_preference") == 0)
		return kernel_preference(k, path, text);
	if (strcmp(name, "scaling_governor") == 0)
		return kernel_governor(k, path, text);
	if (k->no_partition && strcmp(name, "cpuset.cpus.partition") == 0 && strcmp(text, "root") == 0)
		text = "root invalid (Cpu list in cpuset.cpus not exclusive)";
	kernel_put(k, path, text);
	return 0;
}

static inline void kernel_step(void *context)
{
	struct kernel *k = context;

	if (++k->steps == k->kill_at)
		_exit(9);
}

static inline void kernel_open(struct kernel *k, const char *tree)
{
	memset(k, 0, sizeof(*k));
	/* in memory where there is such a folder: the state is synced some thousand times */
	k->root = strdup(access("/dev/shm", W_OK) == 0 ? "/dev/shm/flagstone-tree-XXXXXX"
						       : "/tmp/flagstone-tree-XXXXXX");
	assert_non_null(mkdtemp(k->root));
	tree_unpack(tree, k->root);
	k->io = (struct tune_io){.write = kernel_write, .step = kernel_step, .context = k};
}

static inline void kernel_close(struct kernel *k)
{
	tree_remove(k->root);
	arena_release(&k->arena);
}

static inline struct tune_options kernel_options(
	struct kernel *k, enum tune_profile profile, const char *cpus)
{
	return (struct tune_options){
		.root = k->root, .profile = profile, .cpus = cpus, .owner = "tune", .io = &k->io};
}

/* All files of the tree with their bytes, and all folders, but where the state is kept. */
static inline void snapshot_below(struct kernel *k, const char *path, struct buf *out)
{
	const char *full = arena_printf(&k->arena, "%s%s", k->root, path);
	struct words names = {0};

	assert_int_equal(file_list(full, &k->arena, &names, NULL), 0);
	for (size_t i = 0; i < names.n; i++) {
		const char *below = arena_printf(&k->arena, "%s/%s", path, names.v[i]);

		if (strcmp(below, "/var") == 0)
			continue;
		buf_addf(out, "== %s\n", below);
		if (file_is_folder(arena_printf(&k->arena, "%s%s", k->root, below)))
			snapshot_below(k, below, out);
		else
			assert_int_equal(file_read(arena_printf(&k->arena, "%s%s", k->root, below), 1 << 20,
						 out, NULL),
				0);
	}
}

static inline char *snapshot(struct kernel *k)
{
	struct buf out = {0};
	char *text;

	snapshot_below(k, "", &out);
	text = strdup(buf_text(&out));
	buf_release(&out);
	return text;
}

/* The first file that differs says more than two texts of some hundred lines. */
static inline void is_as_before(struct kernel *k, const char *before, const char *when)
{
	char *now = snapshot(k);
	size_t at = 0, line = 0;

	if (strcmp(before, now) != 0) {
		for (; before[at] != '\0' && before[at] == now[at]; at++)
			if (before[at] == '\n' && strncmp(before + at + 1, "== ", 3) == 0)
				line = at + 1;
		fail_msg("%s: not as before: %.160s", when, now + line);
	}
	free(now);
}

static inline bool kernel_has_state(struct kernel *k)
{
	return file_exists(arena_printf(&k->arena, "%s%s", k->root, TUNE_STATE));
}

/* The change of a path; NULL: there is none. */
static inline const struct tune_change *change_of(const struct tune *tune, const char *path)
{
	for (size_t i = 0; i < tune->n; i++)
		if (strcmp(tune->v[i].path, path) == 0)
			return &tune->v[i];
	return NULL;
}

static inline void will_write(const struct tune *tune, const char *path, const char *old, const char *want)
{
	const struct tune_change *change = change_of(tune, path);

	if (change == NULL || change->kind != TUNE_WRITE)
		fail_msg("%s is not to be written", path);
	else if (strcmp(change->old, old) != 0 || strcmp(change->want, want) != 0)
		fail_msg("%s: %s to %s, expected %s to %s", path, change->old, change->want, old, want);
}

static inline bool is_left(const struct tune *tune, const char *text)
{
	for (size_t i = 0; i < tune->left.n; i++)
		if (strstr(tune->left.v[i], text) != NULL)
			return true;
	return false;
}

#endif
