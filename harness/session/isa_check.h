/*
 * isa_check.h - before a program is run: do the CPUs have the instruction sets that it uses?
 */
#ifndef FLAGSTONE_SESSION_ISA_CHECK_H
#define FLAGSTONE_SESSION_ISA_CHECK_H

#include "base/arena.h"
#include "record/fact.h"
#include "sys/cpu.h"

enum isa_verdict {
	ISA_FITS,    /* all CPUs have all that it uses */
	ISA_REFUSED, /* it would end in SIGILL */
	ISA_UNCLEAR  /* it may: nothing says that it would */
};

struct isa_answer {
	enum isa_verdict verdict;
	/*
	 * Refused: what it needs, which function and instruction, which CPUs lack it, what to do. Unclear: why. Fits:
	 * NULL. In the arena.
	 */
	const char *reason;
};

/*
 * Holds a build's facts (isa.*, code.machine) against a host's (cpu.flags, host.arch, kernel.release), for these CPUs;
 * on machines whose CPUs differ, all of them must have what is needed.
 *
 * Refused is only what is certain: a set that the kernel would tell of and does not. Unclear are sets that it has no
 * name for, or may be too old to name; a program that itself looks at the CPU (isa.dispatch), whose code for other CPUs
 * is not run; unknown facts on either side.
 */
struct isa_answer isa_check(const struct facts *build, const struct facts *host, const struct cpu_list *cpus,
	struct arena *arena);

struct run;
/* All cells that were built: those that are refused fail, and what is unclear is said, once each. */
void run_check_isa(struct run *run);

#endif
