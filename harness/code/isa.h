/*
 * isa.h - which instruction sets does a machine code use? Found by decoding it: what a CPU must have at the least.
 *
 *	struct code_isa isa;
 *	if (code_isa(path, NULL, &arena, &isa, &e) != 0) ...
 *	if (isa.unknown != NULL) ... why nothing is known: show that, never "none"
 *	for (i = 0; i < isa.set_count; i++)
 *		isa.sets[i].name, .count, .example.function, .example.address, .example.text
 *
 * What is decoded is x86-64 (by Zydis, where flagstone was built with it) and aarch64 (by a table of our own); all else
 * is `unknown` with the reason. Code is found by symbols of functions, then by the exception tables (.eh_frame) for
 * what no symbol covers, and in a file that has neither, from the first byte of each executable section to its last.
 *
 * What does not count, since it runs on every CPU of the architecture: x86-64's TZCNT (the bytes of `rep bsf`, which
 * compilers write for every CPU), ENDBR64, PAUSE, RDSSP, prefetches, CLDEMOTE, MPX, the prefixes of lock elision; on
 * aarch64 the hints (BTI, PACIASP, AUTIASP, XPACLRI, CSDB, ESB, PRFM, ...). LZCNT does count: on an older CPU the same bytes
 * give other results.
 *
 * One spelling of each set, in facts, JSON and texts: that of gcc's options without "-m" (x86-64) or behind "+" in
 * -march (aarch64), or the kernel's where gcc has none. code_isa_names() lists all with the kernel's spelling (sse4.2
 * is sse4_2 in /proc/cpuinfo, sse3 pni, lzcnt abm, lse atomics, fp16 fphp and asimdhp).
 *
 * A binary is judged by its own code: a static one holds its C library's, which looks at the CPU before it uses
 * anything (COMPARABILITY.md). So give the names of the functions that count, or better, decode the objects
 * that the program was linked from (code_isa_objects).
 *
 * Sources: Intel SDM volume 2 and AMD APM volume 3 (through Zydis), Arm ARM DDI 0487, x86-64 psABI "Micro-Architecture
 * Levels", gcc's manual ("x86 Options", "AArch64 Options"), Linux arch/x86/include/asm/cpufeatures.h and
 * Documentation/arch/arm64/elf_hwcaps.rst for the kernel's names.
 */
#ifndef FLAGSTONE_CODE_ISA_H
#define FLAGSTONE_CODE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "record/fact.h"

struct code_isa_options {
	/* Only these functions, by their names in the symbol table (code_functions() gives them); NULL: all code. */
	const struct words *functions;
	/* These functions are left out: those of the driver, where the rest is the workload's. NULL: none. */
	const struct words *without;
	/* Each executable section from its first byte to its last, whatever symbols say: as objdump -d does on a
	 * stripped file. For holding the two against each other. */
	bool sweep;
};

/* One instruction of a set. All texts in the arena. */
struct code_isa_example {
	const char *function; /* symbol it lies in; NULL: none is known there */
	const char *section;
	uint64_t address; /* in an object: from its section's start */
	uint64_t offset;  /* from the function's first byte; 0 without one */
	const char *
		text; /* Intel syntax: "vpaddd ymm0, ymm1, ymm2"; aarch64: mnemonic and word, "casal 0x88e0fc41" */
};

struct code_isa_set {
	const char *name; /* static: "avx2" */
	bool baseline;	  /* every CPU of the architecture has it: mmx, sse, sse2; fp and simd */
	const char *
		level; /* the lowest level that has it, static: "x86-64-v3", "armv8.2-a"; NULL: none has it */
	uint64_t count;			 /* instructions that need it; one that needs two counts for both */
	struct code_isa_example example; /* the first one */
};

struct code_isa {
	const char *machine; /* "x86_64" or "aarch64", static; NULL: another one */
	const char *unknown; /* why nothing is known; NULL: it was decoded. All below is 0 and NULL then */
	struct code_isa_set *sets; /* that it uses, older ones first; the baseline's, too */
	size_t set_count;
	/*
	 * Widest vector register used: 0 (none), 128, 256, 512. SVE registers have the CPU's width: then `scalable`,
	 * and the bits are those of the other instructions.
	 */
	uint32_t vector_bits;
	bool scalable;
	const char *
		level; /* lowest x86-64-v1 to -v4, or armv8-a to armv8.9-a, whose CPUs have all of `used` that any
			       level has */
	const char *
		used; /* sets beyond the baseline, blanks between: "avx avx2 bmi2 fma", "" where there is none */
	const char *beyond; /* those of them that no level has: "aes sha", "" where there is none */
	/*
	 * Why some of it may be code for other CPUs than the one it runs on: it looks at the CPU itself. "ifunc multiply",
	 * "clone multiply.avx2", "refers to __cpu_model", "cpuid in probe". NULL: no sign of that.
	 */
	const char *dispatch;
	uint64_t instructions;
	uint64_t
		code_bytes; /* of executable sections, padding between functions included; of the functions asked
				   for, where they were named */
	uint64_t decoded_bytes;	  /* of these, decoded as instructions */
	uint64_t bad_bytes;	  /* of these, looked at and no instruction that the decoder knows */
	const char *bad_function; /* where the first of them is; NULL: unknown, or none bad */
	const char *
		found_by; /* static: "symbols", "exception tables", "sections", "symbols and exception tables" ... */
};

/*
 * gcc's out-of-line atomics (__aarch64_cas1_relax, ...) never count, but in a sweep: they look at the CPU first.
 *
 * Reads one ELF executable, library or object. options NULL: all code. Returns 0, also where the outcome is `unknown`
 * (another machine, built without Zydis, intermediate form of LTO, no code, none of the functions named). -1: not ELF,
 * damaged, not readable. Never crashes on hostile files, and takes no more time than some passes over them.
 */
int code_isa(const char *path, const struct code_isa_options *options, struct arena *arena,
	struct code_isa *out, struct error *e);

/*
 * The same of several objects together, as if they were one. program: the file linked from them, or NULL; functions
 * that its symbol table does not have (--gc-sections) are left out, unless it was stripped. Where one of the objects is
 * unknown, the whole is.
 */
int code_isa_objects(const char *const *paths, size_t count, const char *program, struct arena *arena,
	struct code_isa *out, struct error *e);

/* Share of the code that was decoded, 0 to 1; 0 where there is no code. */
double code_isa_share(const struct code_isa *isa);
/* "vpaddd ymm0, ymm1, ymm2 in multiply+0x1c"; without a function "... at 0x1180 of .text". In the arena. */
const char *code_isa_example_text(const struct code_isa_example *example, struct arena *arena);

/*
 * Adds the facts isa.used ("avx avx2 fma", "none" where it needs nothing but the baseline), isa.vector_bits ("0", "128", "256",
 * "512", "scalable", "128 and scalable"), isa.level, isa.beyond ("none"), isa.decoded_share ("1", "0.987": three digits,
 * rounded down), isa.dispatch ("no", or the sign of it), and isa.example.SET for each set of isa.used; or all of the first six
 * as unknown with the reason.
 */
void code_isa_facts(const struct code_isa *isa, struct facts *facts);
/* The same facts as unknown, with a reason of the caller's. */
void code_isa_facts_unknown(struct facts *facts, const char *reason);
/*
 * The facts' source: what decoded, with its version, so that facts of another one are told apart: "machine code (Zydis 4,
 * own table 1)". Static.
 */
const char *code_isa_source(void);

/* Names. */
struct code_isa_name {
	const char *machine; /* "x86_64" or "aarch64" */
	const char *name;    /* the canonical one */
	const char *
		kernel; /* flags of /proc/cpuinfo that must all be there, blanks between; NULL: it does not tell */
	uint32_t since;	    /* 1000 * major + minor of a Linux that surely tells them; 0: all in use do */
	const char *option; /* gcc's: "-mavx2", "+lse"; NULL: it has none of its own */
	const char *level;  /* lowest level that has it; NULL: none */
	bool baseline;
};
/* All sets that are known, older ones first. Static. */
const struct code_isa_name *code_isa_names(size_t *count);
/* The set that this name means: canonical, the kernel's, or gcc's (also with "-m", "+"). NULL: none. */
const struct code_isa_name *code_isa_name(const char *machine, const char *text);

enum code_isa_has { ISA_HAS, ISA_LACKS, ISA_UNTOLD };
/*
 * Does a CPU with these flags (the words of /proc/cpuinfo's line "flags" or "Features") have this set (canonical name)?
 * Untold: the kernel has no name for it, or it is not there and the kernel (uname -r; NULL: unknown) may be older than
 * that name; or the name is none of ours.
 */
enum code_isa_has code_isa_cpu_has(
	const char *machine, const char *name, const char *flags, const char *kernel_release);

#endif
