/*
 * checks_fixture.h - the checks of `doctor` over a tree of tests/sysroot, of which single files may be other ones.
 */
#ifndef TESTS_UNIT_CHECKS_FIXTURE_H
#define TESTS_UNIT_CHECKS_FIXTURE_H

#include <stdlib.h>
#include <time.h>

#include "../sysroot/tree.h"
#include "host/check.h"
#include "host/fitness.h"
#include "host/host.h"

/* 2026-12-01 12:10:00 UTC, a Tuesday; from Python: calendar.timegm((2026, 12, 1, 12, 10, 0)) */
#define CHECKS_NOW INT64_C(1796127000)

struct checked {
	struct arena arena;
	char *root;
	struct facts facts;
	struct cpu_list cpus;
	const char *cpus_text, *folder, *timers, *timers_reason, *other_run;
	const struct host_measured *measured;
	const char *unmeasured;
	struct host_checks checks;
};

static inline void checked_open(struct checked *c, const char *tree)
{
	/* crontabs are of the local time zone */
	setenv("TZ", "UTC", 1);
	tzset();
	memset(c, 0, sizeof(*c));
	c->root = tree_scratch();
	c->cpus_text = "0-3";
	c->folder = "/work/project";
	c->timers = "Tue 2026-12-01 18:30:00 UTC 6h left Mon 2026-11-30 18:30:00 UTC 17h ago fstrim.timer "
		    "fstrim.service\n";
	if (tree != NULL)
		tree_unpack(tree, c->root);
}

/* Reads and judges; what c says of CPUs, folder, timers and measuring can be changed before. */
static inline void checked_judge(struct checked *c)
{
	struct host_fitness_input read = {.root = c->root,
		.folder = c->folder,
		.cpus = &c->cpus,
		.timers = c->timers,
		.timers_reason = c->timers_reason,
		.now_s = CHECKS_NOW};
	struct host_checks_input judge = {.facts = &c->facts,
		.cpus = &c->cpus,
		.now_s = CHECKS_NOW,
		.measured = c->measured,
		.unmeasured = c->unmeasured,
		.other_run = c->other_run};
	struct error e = {0};

	c->facts = (struct facts){.arena = &c->arena};
	assert_int_equal(cpu_list_parse(c->cpus_text, &c->arena, &c->cpus, &e), 0);
	assert_int_equal(host_read(c->root, &c->facts, &e), 0);
	host_fitness_read(&read, &c->facts);
	host_checks_make(&judge, &c->arena, &c->checks);
}

/* For another judgement of the same tree. */
static inline void checked_again(struct checked *c)
{
	arena_release(&c->arena);
	c->arena = (struct arena){0};
}

static inline void checked_close(struct checked *c)
{
	tree_remove(c->root);
	arena_release(&c->arena);
}

static inline const struct host_check *check_named(const struct checked *c, const char *id)
{
	for (size_t i = 0; i < c->checks.n; i++)
		if (strcmp(c->checks.v[i].id, id) == 0)
			return &c->checks.v[i];
	return NULL;
}

static inline void is_status(
	const struct checked *c, const char *id, enum check_status status, const char *finding)
{
	const struct host_check *check = check_named(c, id);

	if (check == NULL)
		fail_msg("there is no check %s", id);
	else if (check->status != status || strstr(check->finding, finding) == NULL)
		fail_msg("%s is %s: \"%s\"; expected %s: \"%s\"", id, check_status_text(check->status),
			check->finding, check_status_text(status), finding);
}

/* One thing that is other than in the good tree, and what comes of it. */
struct spoiled {
	const char *id;
	enum check_status status;
	const char *finding; /* part of it */
	const char *path;    /* NULL: nothing is changed */
	const char *content; /* NULL: the file is removed */
};

/* The file is moved aside, and perhaps another one put in its place. */
static inline void spoil(struct checked *c, const char *path, const char *content)
{
	struct arena arena = {0};
	char *full = file_join(&arena, c->root, path);

	(void)rename(full, arena_printf(&arena, "%s.aside", full));
	if (content != NULL)
		tree_write_text(c->root, path, content);
	arena_release(&arena);
}

static inline void mend(struct checked *c, const char *path)
{
	struct arena arena = {0};
	char *full = file_join(&arena, c->root, path);

	assert_int_equal(file_remove_tree(full, NULL), 0);
	(void)rename(arena_printf(&arena, "%s.aside", full), full);
	arena_release(&arena);
}

static inline void run_row(struct checked *c, const struct spoiled *row)
{
	if (row->path != NULL)
		spoil(c, row->path, row->content);
	checked_judge(c);
	is_status(c, row->id, row->status, row->finding);
	/* what is bad says what to do, and nobody may call the machine fit */
	if (row->status == CHECK_UNFIT)
		assert_int_equal(c->checks.verdict, VERDICT_UNFIT);
	if (row->status == CHECK_CAVEAT)
		assert_int_not_equal(c->checks.verdict, VERDICT_FIT);
	if (row->status == CHECK_CAVEAT || row->status == CHECK_UNFIT)
		assert_non_null(check_named(c, row->id)->todo);
	if (row->path != NULL)
		mend(c, row->path);
}

static inline void run_table(const struct spoiled *rows, size_t n)
{
	struct checked c;

	checked_open(&c, "doctor-good");
	for (size_t i = 0; i < n; i++) {
		run_row(&c, &rows[i]);
		checked_again(&c);
	}
	/* and it is as good as before: no row was spoilt by the one before it */
	checked_judge(&c);
	assert_int_equal(c.checks.verdict, VERDICT_FIT);
	checked_close(&c);
}
#define RUN_TABLE(rows) run_table(rows, sizeof(rows) / sizeof((rows)[0]))

#define CPU "sys/devices/system/cpu/"

#endif
