/*
 * estimate.h - what a run would take, told before it begins.
 *
 * Builds and links that are in the cache cost nothing. Others cost what the compilers took for them in earlier runs on
 * this host (their records' fact build.wall_ns; a cell that no record has takes what others of its workload took),
 * times what such a run's build phase took beyond that, shared by the commands that run at once. Links of layouts cost
 * what one took on average; a round of a cell what it took, with process, canaries and repeats (cell.round_ns). At most
 * the heads of the eight newest records are read. For more than 4000 cells neither cache nor records are asked.
 *
 * Where no record says, figures are rough: 60 ms to compile a source, 45 ms for a link, 1.6 x sample + 1.5 ms for a
 * round of a cell. The bounds of a whole run have a quarter of room on both sides for what is estimated, and at the upper
 * end 10 s in which a run may wait until the machine has come to rest, a second to start and to archive, and one block
 * by which measuring may pass its budget.
 */
#ifndef FLAGSTONE_SESSION_ESTIMATE_H
#define FLAGSTONE_SESSION_ESTIMATE_H

#include "record/record.h"
#include "session/session.h"

/* Facts that records keep for this: of a build, and of the harness. */
#define ESTIMATE_BUILD_KEY  "build.wall_ns"
#define ESTIMATE_ROUND_KEY  "cell.round_ns"
#define ESTIMATE_WORK_KEY   "harness.time.build_work_ns" /* sum of build.wall_ns of what was made */
#define ESTIMATE_BUILDS_KEY "harness.time.build_ns"	 /* the phase */
#define ESTIMATE_LINK_KEY   "harness.time.link_ns"	 /* the phase */
#define ESTIMATE_LINKS_KEY  "harness.time.links_made"
#define ESTIMATE_JOBS_KEY   "harness.time.jobs"
#define ESTIMATE_CHECK_KEY  "harness.time.check_ns"
#define ESTIMATE_CHECKS_KEY "harness.time.checks"
#define ESTIMATE_ONCE_KEY   "harness.time.layout_check_ns"
#define ESTIMATE_ONCES_KEY  "harness.time.layout_checks"

/* What earlier runs say. Times of commands are of one CPU: shared by those that run at once they take less. */
struct estimate_history {
	double *build_ns, *round_ns; /* by plan cell; 0: no record says */
	double build_factor;	     /* a build phase's time x jobs / its compilers' time; 0: unknown */
	double link_ns, check_ns, layout_check_ns; /* one of them; 0: unknown */
};

/* Adds what a record says to what newer ones left open. sample_ns: what the plan's samples are to take. */
void estimate_learn(struct estimate_history *history, const struct plan *plan, const struct record *record,
	int64_t sample_ns);

/*
 * The mean of what is known for the cells of this cell's workload, else for all; 0: nothing is. The cell's own figure
 * where there is one.
 */
double estimate_of_cell(const struct plan *plan, const double *by_cell, size_t cell);

/* From parts to bounds: sets shortest_ns and longest_ns from what else is set. block_ns: the longest block. */
void estimate_bounds(struct session_estimate *estimate, int64_t block_ns);

#endif
