/*
 * comparable_work.h - what the parts of comparable.h share: facts by number, and how two of them stand to each
 * other. Internal to comparable*.c.
 */
#ifndef FLAGSTONE_COMPARE_COMPARABLE_WORK_H
#define FLAGSTONE_COMPARE_COMPARABLE_WORK_H

#include "compare/comparable.h"
#include "compare/directory.h"

/* Facts of a build; their keys in comparable_view.c. */
enum build_fact {
	B_CFLAGS,
	B_CXXFLAGS,
	B_LDFLAGS,
	B_ARCH,
	B_MACHINE, /* what the linked file is for: where the architecture was not resolved */
	B_FEATURES,
	B_VECTOR_WIDTH,
	B_OPT_LEVEL,
	B_FP_MODEL,
	B_LTO,
	B_PGO,
	B_SANITIZERS,
	B_STATIC,
	B_CODE_STATIC, /* where `static` was not resolved */
	B_TUNE,
	B_MTUNE, /* where tune was not resolved */
	B_MOVE_MAX,
	B_STORE_MAX,
	B_CACHE_LINE,
	B_PIE,
	B_NATIVE,
	B_IGNORED,
	B_FEATURES_OTHER,
	B_PIC,
	B_HARDENING,
	B_CONFIG_FILES,
	B_HIDDEN,
	B_MARCH,
	B_OPTIMIZERS,
	B_PARAMS,
	B_OBJECTS,
	B_UNPADDED,
	B_FILE,
	B_FUNCTION_HASH,
	B_FUNCTIONS,
	B_ISA_USED,
	B_ISA_BITS,
	B_ENV,
	B_RUNNER,
	B_UNITS,
	B_COUNT
};

/* Facts of a toolchain. */
enum toolchain_fact {
	T_FAMILY,
	T_VERSION,
	T_TARGET,
	T_CC1,
	T_DRIVER,
	T_ASSEMBLER,
	T_ASSEMBLER_FILE,
	T_LINKER,
	T_LINKER_FILE,
	T_LIBC,
	T_LIBC_FILE,
	T_LIBC_STATIC,
	T_COUNT
};

/* Facts of the host that cells need. */
enum libc_fact { L_NAME, L_VERSION, L_BUILD, L_COUNT };

struct slot_view {
	const char *slot;
	const struct fact *facts[T_COUNT]; /* NULL: not recorded */
};

struct build_view {
	const struct record_build *build;
	const struct record_workload *workload; /* NULL: the record does not describe it */
	const struct slot_view *slot;		/* NULL: the record has no such toolchain */
	const struct fact *facts[B_COUNT];
};

struct comparable_view {
	const struct record *record;
	const struct fact **host; /* by the rows of comparable_host.c's table */
	const struct fact *libc[L_COUNT];
	const struct fact *cpu_flags, *uuid, *serial;
	const struct fact **mitigations; /* the kernel's, in its order */
	size_t mitigation_count;
	struct directory directory; /* of the builds by the names of their cells */
	struct slot_view *slots;
	size_t slot_count;
	struct build_view *builds;
};

const char *comparable_build_key(enum build_fact fact);
const char *comparable_toolchain_key(enum toolchain_fact fact);

/* How two facts stand to each other. */
enum facing { FACING_SAME, FACING_DIFFERS, FACING_ONE_UNKNOWN, FACING_BOTH_UNKNOWN };
enum facing comparable_facing(const struct fact *a, const struct fact *b);
bool comparable_known(const struct fact *fact);

/* Adds a fact with both values as shown. why must live as long as the arena. */
struct comparable_fact *comparable_add(struct comparable_facts *facts, struct arena *arena, const char *key,
	const struct fact *a, const struct fact *b, enum fact_part part, enum comparability worsens,
	const char *why);
/* The same of texts that are no facts; NULL: not recorded. */
struct comparable_fact *comparable_add_text(struct comparable_facts *facts, struct arena *arena,
	const char *key, const char *a, const char *b, enum fact_part part, enum comparability worsens,
	const char *why);
/* Whys that say nothing beside what the part says. */
extern const char comparable_off_axis[], comparable_one_side[], comparable_on_axis[];

/* Adds the caveat of a fact: its text, and why where that says more. */
void comparable_add_caveat(struct words *caveats, const struct comparable_fact *fact, struct arena *arena);

/* comparable_host.c: the table of surroundings. */
size_t comparable_host_count(void);
const char *comparable_host_key(size_t index);
/* Judges the machine's and the run's facts; out->axis is set. */
void comparable_judge_host(const struct comparable_view *a, const struct comparable_view *b,
	struct arena *arena, struct comparable *out);

/* comparable_axis.c: sets axis, declared, what, note. */
void comparable_choose_axis(const struct comparable_view *a, const struct comparable_view *b,
	enum axis declared, struct arena *arena, struct comparable *out);

/* How two builds stand to each other in what the table asks: comparable_inputs.c. */
struct code_pair {
	const struct comparable_view *va, *vb;
	const struct build_view *a, *b;
	enum axis axis;
	struct arena *arena;
	struct comparable_cell *out;
	enum comparable_code code;
	bool same_file;	 /* the very file that was measured */
	bool same_image; /* the whole linked file has the same code */
	enum facing source, compiler, asked, linker, libc, assembler, headers;
	enum facing resolved[B_COUNT]; /* of the judged options */
	bool by_request; /* the same asked of the same compiler, without native: it resolved to the same */
	bool native;	 /* one side asked for native, and its compiler did not ignore it */
	bool features_known;
	bool layouts_averaged;
};

/*
 * The judged options: those of row 5 first. Others, that may matter; and inputs that nobody asked for. B_COUNT at the end
 * of each.
 */
extern const enum build_fact comparable_row5[], comparable_judged[], comparable_others[], comparable_hidden[];
/* Fills in all but va to out, which are given. */
void comparable_read_pair(struct code_pair *p);
/* The fact that stands for this option on both sides, with what stands in for it in older records. */
enum build_fact comparable_stand_in(const struct code_pair *p, enum build_fact fact);
/* Is a difference in this option what is meant to differ? B_COUNT: in any but the architecture. */
bool comparable_option_on_axis(const struct code_pair *p, enum build_fact fact);
/* The workload's own code: sets code, same_file, same_image: comparable_code.c. */
void comparable_read_code(struct code_pair *p);
/* Chooses the row: comparable_rows.c. */
void comparable_choose_row(struct code_pair *p);
/* Sorts the facts into parts, the row being chosen: comparable_facts.c. */
void comparable_list_facts(struct code_pair *p);

#endif
