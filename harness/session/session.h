/*
 * session.h - from a matrix to a record: everything between the command line and the folders below.
 *
 *	session_open()     project, matrix, toolchains, host facts, plan: enough for `plan` and `list`
 *	session_build()    builds and layouts
 *	session_run()      lock, build, check, calibrate, rounds and looks with a journal, the record in the archive
 *	session_close()
 *
 * Nothing here prints: what happens is told through struct session_events.
 */
#ifndef FLAGSTONE_SESSION_SESSION_H
#define FLAGSTONE_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "build/build.h"
#include "plan/plan.h"
#include "record/record.h"
#include "spec/spec.h"
#include "sys/canary.h"
#include "sys/cpu.h"
#include "toolchain/toolchain.h"

/* What a run is asked for beyond its matrix; zero or NULL: what the matrix or the settings say. */
struct session_options {
	const char *project;	 /* -C; NULL: the nearest one upwards */
	const char *installed;	 /* folder of installed data, or NULL */
	bool source_tree;	 /* `installed` is the tree that the program was built in: a project, too */
	const char *archive;	 /* --archive; NULL: the project's */
	const char *matrix;	 /* name or path of a .yaml file */
	const char *matrix_text; /* its text where it is not read from a file: a resumed run's */
	const char *bundle;	 /* --bundle of run: programs, matrix and settings are its (bundle.h) */
	const char *cache;	 /* folder of builds instead of the settings'; NULL: theirs */
	const char
		*reproduces; /* id of the record that is built and measured again (reproduce.h); NULL: none */
	const char *
		exported_commit; /* the project's folder holds the files of this commit; NULL: git is asked */
	const char *host;	 /* --host; NULL: FLAGSTONE_HOST, settings, the machine's */
	const char *cpus;	 /* --cpus "2,4-7" */
	const char *seed;	 /* 32 hex digits; NULL: fresh */
	struct words only;
	uint32_t rounds_min, rounds_max; /* --rounds */
	uint32_t layouts, layouts_max;	 /* --layouts; a maximum of 0: as many as to begin with */
	uint32_t jobs;
	int64_t sample_ns, budget_ns, build_budget_ns, timeout_ns;
	double precision, matters; /* fractions; 0: not given */
	bool aa;		   /* measure identical code against each other, too */
	bool fresh;		   /* build without the cache */
	bool probe;		   /* probe toolchains (false for `list`) */
	int64_t lock_wait_ns;
};

/* A moment of a run, for a progress line. */
struct session_progress {
	const char *what; /* "compile", "link", "check", "calibrate", "measure", "settle" */
	size_t done, total;
	int64_t left_ns;   /* estimate, -1: unknown */
	size_t open_cells; /* while measuring: cells and second arms that still are */
	size_t undecided,
		comparisons; /* while measuring: planned comparisons without an answer, and all of them */
};

struct session_events {
	void (*progress)(void *context, const struct session_progress *progress);
	void (*message)(void *context, const char *text); /* one line that a user should see now */
	void (*detail)(
		void *context, const char *text); /* one line for who wants to know how it was decided */
	void *context;
};

#define SESSION_SETTLE_NS INT64_C(10000000000) /* where FLAGSTONE_SETTLE says nothing */

struct session_bundle;

struct session {
	struct arena *arena;
	struct session_options options;
	struct session_events events;
	struct spec_errors errors; /* what is wrong in files; more than a struct error can hold */
	const char *project_folder;
	bool no_project; /* none was found: the installed data stand in */
	const char *archive_folder;
	const char *cache_folder;
	struct spec_project project;
	struct spec_matrix matrix;
	struct toolchains toolchains;
	struct plan plan;
	struct facts host;
	const char *host_name;
	struct cpu_list allowed; /* CPUs this process may use (or --cpus) */
	struct cpu_list pin_order;
	struct builder *builder;
	struct canary canary;		  /* of the first run; a repeat compares with it */
	double rest_dep_ns, rest_wide_ns; /* canaries at rest; 0: not asked yet */
	struct build *builds;		  /* one a plan cell; reason set where impossible */
	struct session_bundle *bundle;	  /* options.bundle, unpacked; NULL: none */
	size_t links_made;		  /* by the last builder_link(); those in the cache are none */
	int64_t settle_max_ns;		  /* longest wait for the machine to come to rest: FLAGSTONE_SETTLE */
	int64_t opened_ns;		  /* clock_ns() when session_open() began */
};

/*
 * Reads the project, the matrix (options.matrix NULL: none) and the host, finds the toolchains, makes the plan.
 * Errors of files: all of them in session->errors, also where -1 is returned, and those that fit in e (EXIT_USAGE).
 */
int session_open(struct session *session, const struct session_options *options,
	const struct session_events *events, struct arena *arena, struct error *e);
void session_close(struct session *session);
/* Reads another matrix, from memory; the plan is not made. name: what it is called. */
int session_take_matrix(struct session *session, const char *name, const char *text, struct error *e);
/* Makes the plan again, after options.only, the matrix or the toolchains' slots were changed. */
int session_plan(struct session *session, struct error *e);

/* The settings of measuring: the matrix', overridden by options. */
struct measure_settings session_settings(const struct session *session);

/* What a run would take, in ns. How it is found: estimate.h. */
struct session_estimate {
	bool looked_up;		    /* in the cache; else as if it were empty */
	size_t builds, cached;	    /* different builds of the cells that can exist; those in the cache */
	size_t links, links_cached; /* links of the layouts that a run begins with */
	int64_t build_ns;	    /* compiles and links that are not in the cache */
	int64_t prepare_ns;	    /* checks and calibration */
	int64_t first_look_ns;	    /* measuring up to the first look, whatever the budget */
	uint32_t first_look;	    /* rounds */
	int64_t measure_ns;	    /* measuring at most: the budget, or all rounds */
	int64_t shortest_ns, longest_ns; /* of the whole run: it ends in between */
	bool builds_known, rounds_known; /* from earlier runs on this host; else rough figures */
};
/* Looks into the cache and the archive; where it can't, or cells are too many, figures are rough. */
void session_estimate(struct session *session, struct session_estimate *estimate);

/* Builds every possible cell (canonical link). Reasons stand in session->builds. */
int session_build(struct session *session, struct error *e);
/* Only looks which of them are in the cache (session->builds[].cached); nothing is built. */
int session_look_up(struct session *session, struct error *e);
/* Only finds out what goes into them (session->builds[].content_hash); no workload is compiled. */
int session_identify(struct session *session, struct error *e);
/* Compile and link commands at once. */
uint32_t session_jobs(const struct session *session);

struct session_outcome {
	struct record *record; /* in the session's arena; NULL: nothing to keep */
	const char *path;      /* in the archive */
	enum exit_code code;   /* EXIT_YES, EXIT_CELL_FAILED, EXIT_INTERRUPTED, ... */
	const char *reason;    /* EXIT_CANNOT: why nothing was measured, a sentence; else NULL */
};

/* One repeat of a group; group NULL: alone. */
struct session_repeat {
	const char *group;
	uint32_t index, count;
};

/*
 * A whole run. Its record is written also when it was interrupted (then incomplete, code EXIT_INTERRUPTED or
 * EXIT_TERMINATED) or no cell could be built. -1: nothing was measured and nothing archived, and why.
 */
int session_run(struct session *session, const struct session_repeat *repeat, struct session_outcome *outcome,
	struct error *e);

/*
 * Goes on with an interrupted run: the record or journal that `what` names ("" the newest incomplete one).
 * Refused, with what differs, if host, boot-invariant facts, toolchains or build hashes are not the same.
 */
int session_resume(
	struct session *session, const char *what, struct session_outcome *outcome, struct error *e);

/*
 * Sets the matrix of the run that `what` names (as for session_resume) in *options, for session_open(): the text that
 * its record keeps, whatever became of the file; and its --cpus. The other settings come with session_resume().
 */
int session_resume_options(
	struct session_options *options, const char *what, struct arena *arena, struct error *e);

/* Where session_open() finds the archive, without looking for toolchains, which reading records does not need. */
int session_archive_folder(
	const struct session_options *options, const char **folder, struct arena *arena, struct error *e);

#endif
