/*
 * cell_text.h - numbers of a cell as people read them. Rounding never changes what a number says: decimals are
 * added until an effect that is there is not shown as 0, and one that is not total not as -100 %.
 */
#ifndef FLAGSTONE_REPORT_CELL_TEXT_H
#define FLAGSTONE_REPORT_CELL_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/num.h"
#include "report/document.h"

/* "+12.3 % ±0.8": the effect and half the width of its interval, in percentage points. All logarithms. */
char *cell_text_effect(double effect, double lo, double hi, struct arena *arena);
/* "+12.3 %": without an interval. */
char *cell_text_percent(double effect, struct arena *arena);
/* "0.9": a bound in per cent without sign or unit. */
char *cell_text_bound(double x, struct arena *arena);
/*
 * The whole cell without the number of its reason. brief: "~ ±2.3 %" for "~ can't tell ±2.3 %". Contains nothing
 * foreign but the unit.
 */
char *cell_text(const struct doc_cell *cell, bool brief, struct arena *arena);

#endif
