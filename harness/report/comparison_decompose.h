/*
 * comparison_decompose.h - what `compare --decompose` prints: tables and sentences of what each flag gave, the same as
 * JSON (schema flagstone.decomposition/1), and a line of CSV an effect.
 */
#ifndef FLAGSTONE_REPORT_COMPARISON_DECOMPOSE_H
#define FLAGSTONE_REPORT_COMPARISON_DECOMPOSE_H

#include "base/arena.h"
#include "base/buf.h"
#include "compare/decompose.h"
#include "compare/tally.h"
#include "report/comparison.h"

/* As comparison_within() and its formats; options->gate and ->forced are not used. */
struct document *comparison_decompose(const struct decomposition *decomposition,
	const struct comparison_options *options, struct arena *arena, struct tally *tally);
void comparison_decompose_json(
	const struct decomposition *decomposition, const struct comparison_options *options, struct buf *out);
void comparison_decompose_csv(const struct decomposition *decomposition, struct buf *out);

/*
 * "O3 gave +2.0 %, lto nothing shown (±0.3 %), static gave +1.0 %; all together +3.4 % ±0.4.", of one row's or the mean's
 * effects, with what of them is partial. In the arena.
 */
const char *comparison_decompose_sentence(const struct decomposition *decomposition,
	const struct decompose_effect *effects, struct arena *arena);

#endif
