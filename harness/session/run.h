/*
 * run.h - a run in progress: the state that the files of this folder share.
 */
#ifndef FLAGSTONE_SESSION_RUN_H
#define FLAGSTONE_SESSION_RUN_H

#include "archive/archive.h"
#include "archive/journal.h"
#include "measure/measure.h"
#include "session/session.h"
#include "sys/lock.h"

/* Which CPUs copies are pinned to, in this order: a fact of the record's `harness`; its source where --cpus said so. */
#define RUN_CPUS_KEY   "harness.cpus"
#define RUN_CPUS_GIVEN "--cpus"

/* Work per sample of one workload at one number of copies. */
struct run_units {
	const struct spec_workload *workload;
	uint32_t copies;
	const char *args;
	uint64_t units;
	const char *fastest;	 /* the cell that they were found with, by its name; NULL: unknown */
	const char *check_value; /* of that many units, as the baseline gave it; NULL: unknown */
};

/* A cell, or a second arm of it, as something to measure. */
struct run_item {
	size_t cell; /* index in plan.cells and record->builds */
	uint32_t arm;
	size_t workload; /* index in record->workloads: its block */
	bool open;
	const char *const *paths; /* links by layout */
	bool *checked;		  /* by layout */
	struct run_units *units;
	double check_rel;
};

struct run {
	struct session *session;
	struct arena *arena;
	struct record *record;
	struct measure_settings settings;
	struct measurer measurer;
	bool measuring; /* measurer is set up */
	struct archive *archive;
	struct journal *journal;
	size_t journalled; /* rows already in it */
	struct lock lock;
	struct run_item *items;
	size_t item_count;
	struct run_units *units;
	size_t units_count;
	struct build_layout *layouts; /* [(item) * layout_count + layout] */
	uint32_t layout_count;
	struct record *resumed; /* the record that this run goes on with, or NULL */
	uint32_t first_round;
	size_t first_row; /* of this session's samples */
	int64_t measure_begin_ns;
	int64_t measured_before_ns; /* of earlier sessions, at a resume */
	uint32_t busy_rounds;	    /* in which other programs wanted the CPUs */
	int64_t busy_most;
};

/* record.c: a record with everything known before the first build. */
int run_describe(struct run *run, const struct session_repeat *repeat, struct error *e);
/* Copies what the builds became into the record. */
void run_describe_builds(struct run *run);
/* Facts of the host that changed since the run's start go into the newest session. */
void run_describe_changes(struct run *run);

/* links.c: items from cells, arms for the A/A check, links of all layouts. */
int run_link(struct run *run, struct error *e);

/* prepare.c: check of the canonical builds, units of work, expected check values. */
int run_check_builds(struct run *run, struct error *e);
int run_calibrate(struct run *run, struct error *e);
/* Untimed check of one layout's link; a wrong one fails its cell. -1: interrupted. */
int run_check_layout(struct run *run, struct run_item *item, uint32_t layout, struct error *e);
/* The words after units= that a cell's workload gets, "n=4" each, from the cell's args "n=4,m=2". */
void run_arguments(const char *args, struct arena *arena, struct words *words);
/* An item failed: its cell's status and reason in the record, and all its items closed. */
void run_fail_cell(
	struct run *run, size_t cell, enum cell_status status, const char *what, const char *reason);

/* resume.c: finds the record to go on with; its cells, seed and settings become the session's. */
int run_resume_open(struct run *run, const char *what, struct error *e);
/* Refuses, with what differs, where host, toolchains or cells are not the same. */
int run_resume_compare(struct run *run, struct error *e);
/* After the builds: refuses other builds; takes over samples, failures, looks; sets the first round. */
int run_take_up(struct run *run, struct error *e);
/* Takes the units that a record used for a workload's content, copies and args; without any, units->units is 0. */
void run_units_take(const struct record *record, const char *content_hash, struct run_units *units);

/* rounds.c */
int run_rounds(struct run *run, struct error *e);
/* The layout that round meets: one permutation of all layouts a pass, from the plan's seed. */
uint32_t run_layout_of_round(const struct run *run, uint32_t round);

void run_tell(const struct run *run, const char *what, size_t done, size_t total, int64_t left_ns,
	size_t open_cells);
/* A note in the record, with the session's number where a run was resumed. */
void run_note(const struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_say(const struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
