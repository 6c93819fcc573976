/*
 * inspect.h - all that one file of machine code tells of itself: what it is, who compiled it how (claims, each with how
 * far it can be believed), which instruction sets it uses, its functions and sections, its hashes.
 */
#ifndef FLAGSTONE_CODE_INSPECT_H
#define FLAGSTONE_CODE_INSPECT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "code/code.h"
#include "code/isa.h"

/* What something else says of how the code was made. Nobody checks such texts; tools may change or remove them. */
struct inspect_claim {
	bool flags; /* of flags; else of the compiler only */
	const char *text;
	const char *source; /* static: ".comment", "DW_AT_producer", ".GCC.command.line", ".gnu.lto_.opts" */
	size_t units;	    /* compile units that it is of; 0: it does not say */
	const char *belief; /* static: how far it can be believed */
};

struct inspect_function {
	const char *name; /* NULL: no symbol tells it */
	uint64_t address; /* of linked files */
	uint64_t size;
	const char *
		hash; /* 16 hex digits, of objects by functions.h, of linked files by linked.h; NULL: unknown */
	const char *exact;   /* linked files: linked.h; NULL: unknown, or an object */
	uint64_t unfollowed; /* linked files: references whose target is not known */
};

struct inspect_section {
	const char *name;
	uint64_t size;
	const char *hash; /* 16 hex digits over its bytes; NULL: it has none */
	bool code;	  /* else data, constants or zeroes */
};

enum inspect_type { INSPECT_PROGRAM, INSPECT_LIBRARY, INSPECT_OBJECT, INSPECT_DEBUG };

struct inspection {
	const char *path; /* as given; of a member LIBRARY(MEMBER) */
	enum inspect_type type;
	const char *what; /* "program, position-independent (PIE), dynamically linked": for people */
	struct code_info info;
	bool pie;	   /* programs */
	bool stripped;	   /* no .symtab */
	bool debug;	   /* has .debug_info */
	bool intermediate; /* holds a compiler's form for link-time optimisation */
	bool code_yet;	   /* has machine code */
	struct inspect_claim *claims;
	size_t claim_count;
	const char *debug_problem; /* why debug information could not all be read; NULL: it could */
	size_t units, silent_units;
	struct code_isa isa;
	struct inspect_function *functions; /* the largest first, then by name */
	size_t function_count;
	uint64_t code_bytes, covered_bytes; /* of sections of code; of these within functions */
	const char *rest;		    /* linked files: linked.h */
	const char *found_by;		    /* how functions were found */
	const char *functions_unknown;	    /* why there are none, or none has a hash; NULL: they are known */
	struct inspect_section *sections;   /* those that count for the code hash, in the file's order */
	size_t section_count;
	/* objects */
	char objects_hash[HASH_HEX], unpadded_hash[HASH_HEX]; /* "": unknown */
	const char *hash_unknown, *unpadded_unknown;
};

/*
 * Reads one ELF file. shown: its name in `path` and in errors. Errors: not ELF, damaged; what it lacks or cannot tell is
 * said in its members. Hostile files make it take some passes over them, no more.
 */
int inspect_file(
	const char *path, const char *shown, struct arena *arena, struct inspection *out, struct error *e);

/*
 * Several objects as if they were one, for holding two archives against each other: functions, sizes and hashes of all;
 * claims are those of the first.
 */
void inspect_merge(const char *path, const struct inspection *objects, size_t count, struct arena *arena,
	struct inspection *out);

/* Can a machine run it? */
enum inspect_runs { RUNS_YES, RUNS_NO, RUNS_UNKNOWN };
struct inspect_cpu {
	const char *machine; /* of the kernel, as code_info.machine */
	const char *flags;   /* that all CPUs have, the words of /proc/cpuinfo; NULL: not known */
	const char *kernel;  /* its release; NULL: not known */
};
/*
 * *reason: what is missing, or what is not known; for RUNS_YES what was looked at. In the arena.
 */
enum inspect_runs inspect_runs(const struct inspection *inspection, const struct inspect_cpu *cpu,
	struct arena *arena, const char **reason);

#endif
