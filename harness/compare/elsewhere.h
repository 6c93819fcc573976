/*
 * elsewhere.h - what a fact that may matter did elsewhere in the archive: records of one machine that differ in just this
 * fact, with the same code, say how much.
 *
 * The search is bounded: heads of the newest ELSEWHERE_HEADS records of the two hosts, at most ELSEWHERE_RUNS runs a
 * value read as a whole, ELSEWHERE_FACTS facts. It is evidence of what happened there, and no correction: nothing is
 * computed from it.
 */
#ifndef FLAGSTONE_COMPARE_ELSEWHERE_H
#define FLAGSTONE_COMPARE_ELSEWHERE_H

#include "archive/archive.h"
#include "compare/between.h"

enum { ELSEWHERE_HEADS = 120, ELSEWHERE_RUNS = 3, ELSEWHERE_FACTS = 6 };

/*
 * For a side's facts of the records that are caveats and known on both sides: a sentence each, "topology.smt.active: on
 * against off was measured on HOST: sort/gcc/O2/1 +3.1 % ... (records 0123456789ab, ba9876543210)", or that there is no
 * such pair; the first sentence says what was looked at. Records that cannot be read are left out, and counted. Nothing
 * to ask about: no sentence. Texts in the arena. -1: the archive cannot be read.
 */
int elsewhere_find(const struct archive *archive, const struct between *between, size_t side,
	struct arena *arena, struct words *sentences, struct error *e);

#endif
