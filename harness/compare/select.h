/*
 * select.h - a part of a result to show. The analysis stays that of all cells: a verdict does not depend on what else
 * is looked at.
 */
#ifndef FLAGSTONE_COMPARE_SELECT_H
#define FLAGSTONE_COMPARE_SELECT_H

#include "base/text.h"
#include "compare/effect.h"

/*
 * Hides all cells but those that match one of the patterns, as plan_cell_matches() takes them, and the baselines of
 * these. NULL or no patterns: nothing is hidden.
 */
void select_cells(const struct record *record, struct result *result, const struct words *patterns);

#endif
