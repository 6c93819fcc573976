/*
 * spec.h - the files people write: workloads/NAME/workload.yaml, toolchains/NAME.yaml, matrices/NAME.yaml and
 * .flagstone.yaml, read into structs.
 *
 * Every error has file, line, column, what is allowed there and the nearest match; all errors of a file are
 * collected (struct spec_errors), not just the first. Unknown keys, wrong types, duplicate keys, unknown names,
 * several documents, anchors, aliases and tags are errors, as are more than 1 MiB or 32 levels. All texts live
 * in the arena given.
 *
 * Flags (cflags, cxxflags, ldflags, ldlibs, cc, cxx, runner) are a text split by words_split(), or a list whose
 * entries are one argument each, verbatim. In struct words, v == NULL: the key was not given; n == 0 with v set:
 * given and empty, which reports show as "(none)".
 */
#ifndef FLAGSTONE_SPEC_SPEC_H
#define FLAGSTONE_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* Where a value stands, so that what is found wrong later can be told as precisely. */
struct spec_place {
	const char *file;
	unsigned line, column; /* 1-based; 0: not from a file */
};

enum { SPEC_ERRORS_KEPT = 1000 };
struct spec_errors {
	struct arena *arena;
	struct {
		struct spec_place place;
		const char *text;
	} * v;	       /* the first SPEC_ERRORS_KEPT of them */
	size_t n, cap; /* n: all that were found */
};

void spec_error(struct spec_errors *errors, struct spec_place place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * All errors, one a line "FILE:LINE:COLUMN: text", sorted by file, line, column; in the errors' arena. The last
 * line is "... and N more errors" where not all of them were kept.
 */
char *spec_errors_text(const struct spec_errors *errors);
/*
 * Sets e (EXIT_USAGE) to as many of these lines as it holds, and "... and N more errors" where these are not all:
 * who can print spec_errors_text() does that instead. Returns 0 when there are none, else -1.
 */
int spec_errors_to_error(const struct spec_errors *errors, struct error *e);

struct spec_word {
	const char *text;
	struct spec_place place;
};
struct spec_words {
	struct spec_word *v;
	size_t n;
};

struct spec_env { /* NAME=VALUE pairs in the order written */
	struct words pairs;
};

enum spec_value_kind { VALUE_ELAPSED, VALUE_JSON_POINTER, VALUE_REGEX };

/* workloads/NAME/workload.yaml */
struct spec_workload {
	struct spec_place place;
	const char *name;
	const char *folder; /* absolute or as given: where workload.yaml is */
	bool installed;	    /* from the installed data, not from the project */
	const char *title;
	const char *description;
	struct words tags;
	struct spec_words sources; /* relative to folder; each exists */
	struct words includes;	   /* folders, relative to folder */
	struct words defines;	   /* NAME or NAME=VALUE, verbatim, without -D */
	struct words cflags, cxxflags, ldflags, ldlibs;
	const char *language;	/* "c", "c++", or NULL: by suffix */
	const char *stdin_path; /* standard input, an absolute path inside folder; NULL: /dev/null */
	const char *unit;	/* metric.unit */
	bool lower_is_better;	/* metric.better: lower */
	const char *suite;	/* index.suite, or NULL */
	double suite_baseline;
	uint64_t check_units;	 /* 0: no check */
	const char *check_value; /* NULL: no check */
	double check_rel;
	uint64_t small;	    /* units used by tests; 0: 1 */
	int64_t timeout_ns; /* 0: the default */
	uint32_t cpus;	    /* CPUs that one copy needs; 0: 1 */
	/* parameters that the workload takes and their default: args of a cell override them */
	struct words parameter_names;
	struct words parameter_values;
};

enum spec_family_style { STYLE_GCC, STYLE_CLANG, STYLE_TCC };

/* toolchains/FAMILY.yaml: has `find`. */
struct spec_family {
	struct spec_place place;
	const char *name;
	enum spec_family_style style; /* how to ask it */
	struct words find;	      /* globs over the program names in PATH */
	struct words exclude;	      /* globs of names that are not compilers: gcc-ar */
	struct words abi_flags;	      /* globs of flags that the driver gets too: -m32, -mabi=*, -static */
	struct words lto_flags;	      /* globs of flags that ask for LTO: never given to the driver */
	bool cross;		      /* programs found are cross compilers */
};

/* toolchains/NAME.yaml: has `cc`. A toolchain that a user names. */
struct spec_toolchain {
	struct spec_place place;
	const char *name;
	struct spec_word family;
	struct words cc;  /* argv */
	struct words cxx; /* argv; n == 0: not given */
	struct words env;
	struct words runner; /* argv; n == 0: none */
};

struct spec_variant {
	struct spec_place place;
	const char *name;
	struct words cflags, cxxflags, ldflags;
	struct words env;	/* of the measured process */
	const char *arch;	/* x86_64, aarch64, ...: only there; NULL: any */
	struct spec_words only; /* families or slots it is for; n == 0: all */
	double check_rel;	/* widened tolerance; < 0: not given */
};

/* One entry of include or exclude: every member given must match; NULL: any. Globs allowed. */
struct spec_filter {
	struct spec_place place;
	const char *workload, *toolchain, *variant; /* toolchain: slot or family */
	const char *copies;			    /* a number, "cores" or "cpus" */
	const char *args;			    /* "m=2,n=4", sorted by name */
	struct words axis_names, axis_values;	    /* matrices with axes: name = value */
	/* include only: what it adds to the cells it matches, or a cell of its own when `variant` is new */
	struct words cflags, ldflags;
};

struct spec_axis {
	const char *name;
	struct spec_variant *values; /* each a named set of flags */
	size_t value_count;
};

struct spec_copies {
	enum { COPIES_NUMBER, COPIES_CORES, COPIES_CPUS } kind;
	uint32_t number;
	struct spec_place place;
};

struct spec_measure {
	int64_t sample_ns;
	uint32_t layouts_min, layouts_max;
	uint32_t rounds_min, rounds_max;
	double precision, matters; /* fractions: 0.01 for 1 % */
	int64_t budget_ns;	   /* 0: none */
	int64_t build_budget_ns;   /* key build_budget; 0: none */
	int64_t timeout_ns;	   /* of one process; 0: default 60 s */
	uint32_t counted_rounds;   /* key counters, some: 16, all: 1, off: 0 */
};

/* sample 5ms, layouts 16..64, rounds 16..256, precision 1%, matters 0.5%, no budget, counters: some */
struct spec_measure spec_measure_defaults(void);

struct spec_matrix {
	struct spec_place place;
	const char *name; /* file name without .yaml */
	const char *text; /* the file as it is */
	const char *title;
	struct spec_words workloads; /* names, globs, tag:NAME */
	bool all_toolchains;	     /* toolchains: [all] */
	struct spec_words slots;
	struct spec_word baseline; /* a variant's name */
	/*
	 * Also filled from axes: the full product, the last axis turning fastest, names joined by +. Of what several
	 * values set: flags stand one behind the other; of a variable in env the last value; the widest check_rel;
	 * `only` is what all are for (`none`, which no slot and no family is called, where nothing is); two different
	 * arch are joined by + to one that no machine has.
	 */
	struct spec_variant *variants;
	size_t variant_count;
	struct spec_axis *axes; /* as written; 0: `variants` form */
	size_t axis_count;
	struct spec_filter *include, *exclude;
	size_t include_count, exclude_count;
	struct spec_copies *copies; /* default: [1] */
	size_t copies_count;
	struct spec_words args; /* parameter lists "m=2,n=4", sorted by name; n == 0: none */
	struct spec_measure measure;
};

/* .flagstone.yaml */
struct spec_settings {
	const char *host;     /* NULL: not set */
	const char *archive;  /* folder; NULL: archive/ of the project */
	const char *cache;    /* folder of builds; NULL: default */
	uint64_t cache_limit; /* bytes; 0: default 4 GiB */
	uint32_t jobs;	      /* 0: number of CPUs */
};

/*
 * Each reads one file into *out. Returns 0, or -1 with everything found wrong added to errors (an unreadable
 * file is one error at line 0). *out is then unspecified but holds no wild pointers.
 */
int spec_read_workload(
	const char *path, struct arena *arena, struct spec_workload *out, struct spec_errors *errors);
int spec_read_family(
	const char *path, struct arena *arena, struct spec_family *out, struct spec_errors *errors);
int spec_read_toolchain(
	const char *path, struct arena *arena, struct spec_toolchain *out, struct spec_errors *errors);
int spec_read_matrix(
	const char *path, struct arena *arena, struct spec_matrix *out, struct spec_errors *errors);
int spec_read_settings(
	const char *path, struct arena *arena, struct spec_settings *out, struct spec_errors *errors);
/* A matrix from memory, such as the text that a record keeps; path is what the errors call it. */
int spec_read_matrix_bytes(const char *bytes, size_t count, const char *path, struct arena *arena,
	struct spec_matrix *out, struct spec_errors *errors);
/* Is this toolchains/ file a family (`find`) or a toolchain (`cc`)? -1 with the errors: neither or both. */
int spec_toolchain_file_is_family(
	const char *path, struct arena *arena, bool *family, struct spec_errors *errors);

/* All of a project. Files of `installed` (may be NULL) stand in where the project has none of that name. */
struct spec_project {
	const char *folder;
	struct spec_workload *workloads; /* sorted by name */
	size_t workload_count;
	struct spec_family *families;
	size_t family_count;
	struct spec_toolchain *toolchains;
	size_t toolchain_count;
	struct words matrix_names; /* sorted; read one with spec_read_matrix */
	struct words matrix_paths; /* parallel to matrix_names */
	struct words shadowed;	   /* sentences: project names that win over installed ones */
	struct spec_settings settings;
};

/*
 * Reads workloads/, toolchains/, .flagstone.yaml (and ${XDG_CONFIG_HOME}/flagstone/config.yaml) of the project
 * and lists matrices/. Folders in workloads/ without workload.yaml are none. Names differing only in case,
 * a name unlike its folder, two of a name: errors. All files are read even when one is wrong.
 */
int spec_read_project(const char *folder, const char *installed, struct arena *arena,
	struct spec_project *out, struct spec_errors *errors);

/*
 * The project's folder: `given` (-C) if not NULL, else the nearest one upwards from `from` that has workloads/
 * and matrices/. NULL with an error (EXIT_USAGE) when there is none.
 */
char *spec_find_project(const char *given, const char *from, struct arena *arena, struct error *e);

#endif
