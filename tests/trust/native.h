/*
 * native.h - simulated CPUs and the builds that compilers make on them: what the files of the part `native` share.
 *
 *	native.c	 machines times compilers times flags: what is built
 *	native_record.c	 a machine and its builds as the record that a run there would leave
 *	native_judge.c	 the pairs, what is said of them, the figures
 *	native_cpu.c	 a simulated CPU as a machine's facts
 *	native_truth.c	 bytes of an object by objcopy and objdump: the truth
 *	native/		 the sources that are built
 *
 * The harness' own code does what it does for users: toolchains_find(), builder_build(), comparable_cells(). It
 * never sees the truth, and the truth never sees its hashes.
 */
#ifndef TRUST_NATIVE_H
#define TRUST_NATIVE_H

#include "build/build.h"
#include "compare/comparable.h"
#include "toolchain/toolchain.h"
#include "trust.h"

enum { NATIVE_SLOTS_MAX = 16, NATIVE_VARIANTS = 7, NATIVE_WORKLOADS = 3 };

struct native_variant {
	const char *name, *flags;
	bool gcc_only; /* on simulated CPUs: clang takes five times as long to start there */
};
extern const struct native_variant native_variants[NATIVE_VARIANTS];

/* The programs that the truth needs. */
struct native_tools {
	const char *objcopy, *objdump;
};

/* A build and its truth; its place in the machine's record is its index. */
struct native_build {
	size_t slot, variant, workload;
	const char *truth;
	size_t truth_size;
};

struct native_machine {
	const char *model;
	struct record *record;
	struct comparable_view *view;
	struct native_build *builds;
	size_t count;
};

/* What was said of pairs of one kind. [0]: with other code, [1]: with equal code. */
struct native_row {
	size_t said[2][INCOMPARABLE + 1];
	size_t wrong;
};

struct native {
	const char *qemu;			/* NULL: the builds are this machine's own */
	struct words slots;			/* names in PATH */
	const char *programs[NATIVE_SLOTS_MAX]; /* the compilers; NULL: this slot is left out */
	struct native_tools tools;
	struct toolchains found;
	struct spec_project project;
	struct spec_workload workloads[NATIVE_WORKLOADS];
	struct spec_word sources[NATIVE_WORKLOADS];
	size_t workload_count, variant_count, model_count;
	struct native_machine *machines;
	size_t machine_count;
	struct native_row *rows; /* one a slot and variant, one a slot with other flags, one of two slots */
	size_t other_axis; /* pairs of two machines of which flagstone guessed another axis than the machine */
	size_t shown;
};

/* Prints the CPU that this program runs on in the form of /proc/cpuinfo: for `qemu-x86_64 -cpu MODEL trust --cpuid`. */
int native_print_cpu(void);
/*
 * Sets in `facts`, which are those of this machine, what the simulated CPU changes: vendor, family, model, stepping, flags.
 * Error: qemu-x86_64 does not know the model, or cannot run this program.
 */
int native_cpu_facts(
	struct trust *t, const char *qemu, const char *model, struct facts *facts, struct error *e);

/*
 * The names, bytes and relocations of an object's sections .text* and .rodata*, one behind the other: two objects have
 * equal code exactly where these bytes are equal. In the arena; *size is their number.
 */
const char *native_truth(
	struct trust *t, const struct native_tools *tools, const char *object, size_t *size, struct error *e);

/*
 * Fills in machine->record and ->view: the host with the simulated CPU, toolchains, workloads, builds; no samples. builds
 * are in the order of machine->builds.
 */
int native_describe(struct trust *t, struct native *n, struct native_machine *machine,
	const struct build *builds, struct error *e);

/* The part: t->size.native_models of the models, or why it was left out. */
int trust_measure_native(struct trust *t, struct error *e);
void trust_judge_native(struct trust *t);
/* The figures as an archived record has them; nothing is built. */
void trust_native_again(struct trust *t);

#endif
