/*
 * plan.h - a matrix becomes cells: slots resolved, tags and globs matched, include and exclude applied, and the
 * cells that cannot exist here marked with their reason.
 *
 * Deterministic: cells stand in the order workload (as the matrix lists them; what a glob or tag adds in name
 * order), slot, variant, copies, args. 100,000 cells expand in under a second: what depends on a toolchain and a
 * variant only is asked once for each pair.
 */
#ifndef FLAGSTONE_PLAN_PLAN_H
#define FLAGSTONE_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "record/fact.h"
#include "spec/spec.h"
#include "toolchain/toolchain.h"

struct plan_cell {
	const char *name; /* workload/slot/variant/copies[/args] */
	const struct spec_workload *workload;
	const struct toolchain_slot *slot;
	const struct spec_variant *variant; /* with include's additional flags in it */
	uint32_t copies;
	const char *copies_keyword; /* "cores", "cpus", or NULL for a number */
	const char *args;	    /* "" or "m=2,n=4", sorted by name */
	const char *reason;	    /* why it cannot exist here (the slot's brief); NULL: it can */
	bool baseline;		    /* has the matrix' baseline variant */
	int64_t baseline_index; /* the cell it is compared with: same but for the variant; -1: none (it is the
				       baseline itself, or there is none that can exist here) */
};

struct plan {
	const struct spec_matrix *matrix;
	struct toolchain_slot *slots;
	size_t slot_count;
	struct plan_cell *cells;
	size_t cell_count;
	size_t possible;    /* cells without a reason */
	struct words notes; /* sentences: probes that warned, native that resolved to a generic model */
};

/* How a toolchain is asked; members that are NULL stand for toolchain_probe_flags and toolchain_resolve. */
struct plan_ask {
	struct flag_probe (*probe)(const struct toolchain *toolchain, const struct words *cflags,
		const struct words *ldflags, struct arena *arena);
	int (*resolve)(const struct toolchain *toolchain, const struct words *cflags, struct arena *arena,
		struct resolved *resolved, struct error *e);
};

struct plan_options {
	struct words only;    /* --only CELL globs; n == 0: all */
	uint32_t cpus, cores; /* CPUs this process may use, and cores among them; 0 is taken as 1 */
	const char
		*cpu_flags;  /* blank-separated features of the CPU as the kernel names them; NULL: unknown */
	const char *arch;    /* of this machine: "x86_64" */
	struct plan_ask ask; /* for tests without compilers; zeroed: real compilers are asked */
};

enum { PLAN_CELLS_MAX = 1000000 }; /* a matrix of more is an error, not an hour of waiting */

/*
 * Expands. Errors of the matrix (unknown workload, slot of no family, a filter or --only pattern that matches
 * nothing, no cell left) go to errors with their place and the nearest match: -1. Cells that cannot exist here
 * are no error.
 *
 * exclude and include act as in GitHub Actions, exclude first. Every member of a filter must match; `toolchain`
 * is a slot or a family, `copies` a number or a keyword. Under `toolchains: [all]` a filter may name a family
 * that is not on this machine: it then does nothing. An include entry
 *	- adds its flags to the cells it matches; or, where it matches none,
 *	- adds the cells it describes: excluded ones, or ones of a workload, slot, number of copies or parameter
 *	  list that the matrix does not list; what it leaves open is all that the matrix lists;
 *	- with a `variant` that the matrix does not have, makes that variant, with the entry's flags, for the cells
 *	  it describes.
 * Cells that includes made from variants of their own are not touched by later includes.
 *
 * With options->only, the cells that match and the baseline cells they are compared with stay, the latter only
 * where they can exist here. Each (toolchain, flags) is probed once, and only where a cell that stays needs it.
 */
int plan_make(const struct spec_project *project, const struct spec_matrix *matrix,
	const struct toolchains *toolchains, const struct plan_options *options, struct arena *arena,
	struct plan *plan, struct spec_errors *errors);

/*
 * A cell pattern of --only: a glob for each part, trailing parts optional, an empty part is any: "dhrystone",
 * "dhrystone/gcc/O?", "//v3".
 */
bool plan_cell_matches(const char *pattern, const char *cell);

/*
 * Why this CPU cannot run code of an x86-64 micro-architecture level (x86-64-v2, -v3, -v4; x86 psABI, section
 * "Micro-Architecture Levels"): the missing features, or NULL when it can or the level is none of these.
 */
char *plan_level_missing(const char *march, const char *cpu_flags, struct arena *arena);

/*
 * Looks within [rounds_min, rounds_max] rounds: those of 16, 64, 256, 1024 that fit, and rounds_max itself,
 * ascending. Returns their number, at least 1; a rounds_min above rounds_max is taken as rounds_max.
 */
size_t plan_looks(uint32_t rounds_min, uint32_t rounds_max, uint32_t looks[8]);

#endif
