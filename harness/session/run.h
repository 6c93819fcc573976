/*
 * run.h - a run in progress: the state that the files of this folder share.
 */
#ifndef FLAGSTONE_SESSION_RUN_H
#define FLAGSTONE_SESSION_RUN_H

#include "archive/archive.h"
#include "archive/journal.h"
#include "compare/effect.h"
#include "measure/measure.h"
#include "session/pace.h"
#include "session/session.h"
#include "sys/lock.h"

/* Which CPUs copies are pinned to, in this order: a fact of the record's `harness`; its source where --cpus said so. */
#define RUN_CPUS_KEY   RECORD_CPUS_KEY
#define RUN_CPUS_GIVEN RECORD_CPUS_GIVEN
/* The id of the record that the run builds and measures again (reproduce.h): a fact of `harness`. */
#define RUN_REPRODUCES_KEY "harness.reproduces"

/* Work per sample of one workload at one number of copies. */
struct run_units {
	const struct spec_workload *workload;
	uint32_t copies;
	const char *args;
	uint64_t units;
	const char *fastest;	 /* the cell that they were found with, by its name; NULL: unknown */
	const char *from;	 /* id of the record of this archive that they are from; NULL: of none */
	const char *check_value; /* of that many units, as the baseline gave it; NULL: unknown */
	/* the shortest sample of the newest round and its cell; 0: none (recalibrate.c) */
	double shortest_ns;
	size_t shortest_cell;
	uint32_t long_rounds, changes;
};

/* A cell, or a second arm of it, as something to measure. */
struct run_item {
	size_t cell; /* index in plan.cells and record->builds */
	uint32_t arm;
	size_t workload; /* index in record->workloads: its block */
	bool open;
	const char **paths; /* links by layout */
	bool *checked;	    /* by layout */
	struct build_layout *layouts;
	uint32_t layout_count; /* all open items of a workload have the same number */
	struct run_units *units;
	double check_rel;
};

/* Where this session's time went, ns: facts harness.time.* of the record (times.c). */
struct run_times {
	int64_t build_ns, link_ns, check_ns, settle_ns, calibrate_ns; /* before the first round */
	int64_t more_ns;					      /* layouts that were added at looks */
	int64_t look_ns;					      /* the longest look */
	int64_t once_ns;					      /* checks of links at their first use */
	size_t builds_made, links_made;				      /* what was not in the cache */
	size_t checks, once;					      /* of builds, of links */
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
	struct run_units **units_of; /* by build; NULL: not measured */
	struct pace *pace;	     /* by workload */
	struct run_times times;
	struct record *resumed; /* the record that this run goes on with, or NULL */
	uint32_t first_round;
	size_t first_row; /* of this session's samples */
	int64_t build_begin_ns;
	int64_t measure_begin_ns;
	int64_t measured_before_ns; /* of earlier sessions, at a resume */
	uint32_t busy_rounds;	    /* in which other programs wanted the CPUs */
	int64_t busy_most;
};

/* record.c: a record with everything known before the first build. */
int run_describe(struct run *run, const struct session_repeat *repeat, struct error *e);
/* Copies what the builds became into the record. */
void run_describe_builds(struct run *run);
/* functions.c: the functions of all builds, after they were linked. */
void run_describe_functions(struct run *run);
/* fitness_record.c: the quick look at the machine, into the record; before anything is built. */
void run_describe_fitness(struct run *run);
/* Facts of the host that changed since the run's start go into the newest session. */
void run_describe_changes(struct run *run);

/* times.c: what this session took, as facts of the record, for the plans of later ones. */
void run_describe_times(struct run *run);

/* links.c: items from cells, arms for the A/A check, links of the layouts that the run begins with. */
int run_link(struct run *run, struct error *e);
/*
 * Links more layouts of a workload's open items, `layouts` in all. *linked: how many all of them have now; where these
 * are fewer, *why.
 */
int run_link_more(struct run *run, uint32_t workload, uint32_t layouts, int64_t deadline_ns, uint32_t *linked,
	const char **why, struct error *e);
/* The record's plan gets a step: from this round on so many layouts. workload UINT32_MAX: all. */
void run_layout_step(struct run *run, uint32_t round, uint32_t workload, uint32_t layouts);

/* prepare.c: check of the canonical builds, units of work, expected check values. */
int run_check_builds(struct run *run, struct error *e);
int run_calibrate(struct run *run, struct error *e);
/* The length that a sample of so many copies is to have. */
int64_t run_sample_ns(const struct run *run, uint32_t copies);
/* What these units must give, as its first open cell says; units->check_value stays where it says nothing. */
int run_expect_value(struct run *run, struct run_units *units, struct error *e);
/* Doubles the units until copies overlap in 90 % of their time. */
int run_fit_overlap(struct run *run, struct run_units *units, struct error *e);
/* The units as facts of their cells. */
void run_describe_units(struct run *run, const struct run_units *units, const char *source);
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

/* units.c: facts of a cell: the work of its samples, and the cell that they were found with. */
#define UNITS_KEY      "cell.units"
#define UNITS_CELL_KEY "cell.units_found_with"
/* Takes the units that a record used for a workload's content, copies and args; without any, units->units is 0. */
void run_units_take(const struct record *record, const char *content_hash, struct run_units *units);
/* Makes run->units, with the work of the run that is resumed, of the bundle, or of this host's newest records. */
void run_units_find(struct run *run);
/* The same from this host's records alone, as facts of the cells. */
void run_units_known(struct run *run);

/* rounds.c */
int run_rounds(struct run *run, struct error *e);
/* Of the time budget, negative when it is over; INT64_MAX: there is none. */
int64_t run_left_ns(const struct run *run);
/* A round of the workload's open cells, on average; 0: unknown. */
double run_round_ns(const struct run *run, uint32_t workload);
/* What measure/ is told of an item: its link of that layout, its units and warm-up, its words. */
struct measure_item run_measure_item(const struct run *run, const struct run_item *item, uint32_t layout);

/* looks.c */
bool run_is_look(const struct record_plan *plan, uint32_t rounds);
/* Closes what is settled after so many rounds, links more layouts where they pay, and keeps that in the journal. */
int run_look(struct run *run, uint32_t rounds, struct error *e);
/* Cells leave with their last comparison, second arms with their workload. */
void run_close_settled(struct run *run);
/* Planned comparisons without an answer. */
size_t run_undecided(const struct run *run);

/* more_layouts.c: where new layouts tell more than rounds on the old ones, links them and says so in the record. */
int run_more_layouts(struct run *run, const struct result *result, uint32_t rounds, struct error *e);

/*
 * recalibrate.c: looks at the samples of a block, rows from `first` on; and between rounds finds other units where a
 * sample is too short or too long.
 */
void run_watch_units(struct run *run, size_t first);
int run_recalibrate(struct run *run, uint32_t rounds, struct error *e);

void run_tell(const struct run *run, const char *what, size_t done, size_t total, int64_t left_ns,
	size_t open_cells);
/* A note in the record, with the session's number where a run was resumed. */
void run_note(const struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_say(const struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* For --verbose. */
void run_detail(const struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
