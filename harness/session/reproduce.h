/*
 * reproduce.h - builds again what a record measured, from nothing, and says hash by hash what came out the same; then
 * measures it with the record's seed and settings.
 *
 * Sources: the project's work tree where it is at the record's commit with the same changes, else the files of that
 * commit, exported beside it. Toolchains: the one in the slot if it is the record's by its files' hashes, else whichever
 * other one here is; else the slot's own one, and what is different is said. Everything is built in a folder of its
 * own that is removed at the end.
 */
#ifndef FLAGSTONE_SESSION_REPRODUCE_H
#define FLAGSTONE_SESSION_REPRODUCE_H

#include "compare/sources.h"
#include "session/session.h"

enum reproduce_outcome {
	REPRODUCE_SAME_FILE, /* every layout that the record lists is the same file */
	REPRODUCE_SAME_CODE, /* other files, with the same code: of the whole program, or of the workload's functions */
	REPRODUCE_OTHER_CODE,
	REPRODUCE_COULD_NOT, /* the record has it, and it could not be built here: reason */
	REPRODUCE_NOTHING    /* the record has no build of it either: reason */
};

/* "same file", "same code", "other code", "could not", "nothing to compare" */
const char *reproduce_outcome_text(enum reproduce_outcome outcome);

struct reproduce_cell {
	const char *cell;
	enum reproduce_outcome outcome;
	const char *reason; /* COULD_NOT, NOTHING; else NULL, or what else there is to say: a sentence */
	bool same_inputs;   /* the content hash: sources, flags, compiler, what native means */
	const char *content_hash_before, *content_hash_now; /* NULL: none */
	const char *code_hash_before, *code_hash_now;
	size_t layouts, layouts_same;	   /* of those that the record lists */
	struct source_functions functions; /* a: the record's, b: now */
	struct words differs; /* resolved options that differ: "resolved.march: was \"x\", is \"y\"" */
};

struct reproduce_toolchain {
	const char *slot;
	bool same;	      /* by the hashes of all its files that are known on both sides */
	const char *used;     /* "gcc 12.2.0 (/usr/bin/x86_64-linux-gnu-gcc-12)"; NULL: none: reason */
	const char *reason;   /* why none; or, of one that is not the slot's own here, a sentence; NULL */
	struct words differs; /* "toolchain.version: was 12.2.0, is 13.2.0" */
};

struct reproduce_sources {
	const char *commit;  /* the record's; NULL: unknown */
	bool exported;	     /* files of that commit; false: the work tree */
	const char *folder;  /* of the work tree, or of the repository */
	const char *note;    /* what keeps them from being just what was measured; NULL: nothing */
	struct words others; /* workloads whose files are not those of the record */
};

struct reproduction {
	const struct record *record; /* that is reproduced */
	struct reproduce_sources sources;
	struct reproduce_toolchain *toolchains;
	size_t toolchain_count;
	struct reproduce_cell *cells; /* in the order of the record */
	size_t cell_count;
	size_t count[REPRODUCE_NOTHING + 1]; /* cells by outcome */
	struct words notes;
	bool built;		    /* at least one build came out */
	struct session_outcome run; /* with measure; run.record NULL: not measured */
};

struct reproduce_options {
	const struct session_options
		*session;	     /* project, installed, archive, jobs, only, lock_wait_ns, host */
	const struct record *record; /* borrowed */
	bool measure;
};

/*
 * A record of kind "run" that keeps its matrix. Leaves nothing behind but the new record. Errors: another kind of record
 * (EXIT_USAGE); neither work tree nor commit to be had, folder cannot be made, no cell of it exists in the matrix any more
 * (EXIT_CANNOT); interrupted before measuring. That a cell cannot be built is no error. *errors gets what is wrong in files of
 * the project. The new record is in the arena: release out->run.record's samples with record_release().
 */
int session_reproduce(const struct reproduce_options *options, const struct session_events *events,
	struct arena *arena, struct reproduction *out, struct spec_errors *errors, struct error *e);

#endif
