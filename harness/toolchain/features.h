/*
 * features.h - instruction sets as one canonical list, from a compiler's predefined macros.
 *
 * gcc and clang name most of them alike (__AVX2__). What differs between compilers and versions is made one: older
 * clang's __AMXTILE__ is __AMX_TILE__, __ABM__ is __LZCNT__, the widths of AVX10 (__AVX10_1_256__, __AVX10_1_512__)
 * are __AVX10_1__, the parts of APX (__EGPR__, __NDD__, ...) are __APX_F__ where all are there, __CRC32__ is dropped
 * beside __SSE4_2__, which has it in compilers that do not know the macro, and __EVEX512__ and __EVEX256__, which
 * only some versions know, are dropped: the vector width tells.
 *
 * Sources: the GCC manual, "x86 Options" (each -mNAME, and which set which), the sources of both compilers that define
 * these macros (gcc/config/i386/i386-c.cc, clang/lib/Basic/Targets/X86.cpp), Arm C Language Extensions, the RISC-V C
 * API; the x86 psABI, "Micro-Architecture Levels".
 */
#ifndef FLAGSTONE_TOOLCHAIN_FEATURES_H
#define FLAGSTONE_TOOLCHAIN_FEATURES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

struct features {
	struct words own;   /* those a compiler uses by itself in plain C, sorted */
	struct words other; /* those that only intrinsics, inline assembly or the system use, sorted */
};

/* From the text of -dM -E. */
void features_of(struct arena *arena, const char *macros, struct features *features);

/*
 * The highest level of the x86 psABI that all of these features make up: "x86-64-v3"; NULL: not even x86-64 (another
 * architecture). LAHF/SAHF is not asked for: not every compiler has a macro for it.
 */
const char *features_level(const struct features *features);
/* Is it a feature of that level, or of one below? */
bool features_in_level(const char *feature, const char *level);

/* "__AVX512BW__" gives "avx512bw", "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16" "cx16": as flags name them. In the arena. */
char *features_flag(struct arena *arena, const char *feature);

#endif
