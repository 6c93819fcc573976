/*
 * trust.h - the program of `make trust`: what its files share.
 *
 *	trust.c      options, the order of the parts, the record, the lines
 *	measure.c    a run of one of the matrices beside this file, by the harness' own session
 *	judge*.c     figures of what was measured, from the trust record alone
 *	simulate.c   figures of what was never measured
 *	tables.c     the tables for people
 *	load.c       the noisy neighbour
 *	native*.c    simulated CPUs and what is said of builds on them (native.h)
 */
#ifndef TRUST_PROGRAM_H
#define TRUST_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "session/trust.h"

#define TRUST_MATTERS	0.005 /* the defaults of a matrix */
#define TRUST_PRECISION 0.01
#define TRUST_SEED	"flagstone trust 1" /* of all that is simulated */

/* Wall time of one sample of 5 ms with its process and canaries, by the benchmark's figures (`make bench`); simulated
 * budgets are counted with it, so that they are the same on every machine. */
#define TRUST_SAMPLE_S 0.0085

enum trust_table {
	TABLE_FIGURES,
	TABLE_PLANTED,
	TABLE_SIMULATED,
	TABLE_PLACEMENT,
	TABLE_NEIGHBOUR,
	TABLE_NATIVE,
	TABLE_COUNT
};

struct trust_row {
	enum trust_table table;
	struct words cells;
};

/* How much is measured. */
struct trust_size {
	size_t aa_pairs;
	uint32_t planted_runs; /* of three kinds of work each */
	double pair_s;	       /* seconds of measuring for the two cells of a pair */
	uint32_t placement_rounds;
	uint32_t neighbour_runs;  /* of each kind of load */
	size_t families;	  /* simulated, of each synthetic kind */
	size_t recorded_families; /* of each recording */
	/* simulated CPUs, sets of flags, sources; more than there are: all */
	size_t native_models, native_variants, native_workloads;
	const char *native_slots; /* compilers on simulated CPUs */
	/* for the tests: fewer; 0: what the matrices or the budget say */
	uint32_t layouts, rounds;
	int64_t sample_ns;
	bool one_workload; /* the first of a matrix' only */
};

struct native;

struct trust {
	struct arena arena;
	const char *top;     /* the source tree */
	const char *scratch; /* runs, builds and their archive */
	const char *archive; /* where the trust record goes */
	const char *only;    /* a figure, or a part; NULL: all */
	const char *program; /* this one, to start the load */
	struct trust_size size;
	bool markdown, is_short;
	struct record *record;
	int64_t begin_ns;
	uint32_t number;       /* of runs so far */
	const char *compilers; /* of this CPU, for the part native; NULL: gcc and clang on simulated ones */
	struct native *native; /* builds on simulated CPUs; NULL: none were made */
	VEC(struct trust_figure) figures;
	VEC(struct trust_row) rows;
};

/* A run to be made. Zero: what the matrix says. */
struct trust_wish {
	const char *part, *matrix;
	const char *first; /* a workload of it */
	const char *draw;  /* hex digits: runs with the same have the same layouts; NULL: fresh ones */
	uint32_t number;   /* within the part */
	uint32_t rounds_min, rounds_max;
	int64_t budget_ns;
	bool aa; /* judge identical code like any other */
	/* at the beginning of the run (0 of anything) and after each round */
	void (*at_round)(void *context, size_t done, size_t total);
	void *context;
};

/* Is this figure asked for? And any of those of a part, whose names begin or end so? */
bool trust_wanted(const struct trust *t, const char *part);
/* Notes a figure: printed as a line, kept in the record. detail is copied. */
void trust_figure(struct trust *t, const char *name, double value, const char *unit, const char *limit,
	enum trust_verdict verdict, const char *fmt, ...) __attribute__((format(printf, 7, 8)));
/* A figure that is a share, held against low to high (per cent; NAN: no limit). what: "pairs called different". */
void trust_share(
	struct trust *t, const char *name, size_t k, size_t n, double low, double high, const char *what);
/* Adds a row of cells to a table, parted by '|'. */
void trust_row(struct trust *t, enum trust_table table, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* measure.c: measures and appends to t->record. */
int trust_measure(struct trust *t, const struct trust_wish *wish, struct error *e);

/* load.c */
struct trust_load;
struct trust_load *trust_load_start(struct trust *t, int cpu, struct error *e);
void trust_load_stop(struct trust_load *load);
/* Never returns: keeps one CPU and its caches busy. */
_Noreturn void trust_load_run(void);
int trust_measure_neighbours(struct trust *t, struct error *e);

/* judge.c, judge_placement.c, judge_neighbour.c */
void trust_judge_aa(struct trust *t);
void trust_judge_planted(struct trust *t);
void trust_judge_placement(struct trust *t);
void trust_judge_neighbours(struct trust *t);
/* The times of planted cells with the planted work taken out, as a recording; false: nothing was measured. */
bool trust_recording_here(const struct trust *t, struct trust_recording *out, struct arena *arena);
/* Seconds that a round took for each of its cells, in the planted part; 0: unknown. */
double trust_sample_seconds(const struct trust *t);

/* simulate.c */
/* How many rounds a budget of seconds for the two cells of a pair is; sample_s 0: TRUST_SAMPLE_S. */
uint32_t trust_rounds_of(double pair_s, double sample_s);
int trust_simulate_all(struct trust *t, struct error *e);

/* tables.c */
void trust_print_lines(const struct trust *t);
void trust_print_tables(const struct trust *t);

#endif
