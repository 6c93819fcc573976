/*
 * compare_sides.h - the words of `compare` become sides: records read, repeats of a group found.
 */
#ifndef FLAGSTONE_CLI_COMPARE_SIDES_H
#define FLAGSTONE_CLI_COMPARE_SIDES_H

#include "cli/command.h"
#include "compare/between.h"

/*
 * One side a word. "a,b,c" is three runs. One word that is no path stands for all runs of its group in the archive, if
 * they are no other word's, too. Of each record the summaries are computed and the samples are let go, but with --explain
 * those of the cells that it matches. Errors: what
 * common_record() says; a record on two sides, or twice on one (EXIT_USAGE).
 */
int compare_sides(struct cli *cli, struct between_side **sides, struct error *e);

/* Which of the words --baseline names; 0 without one. Error (EXIT_USAGE): none, with the list. */
int compare_baseline(const struct arguments *args, size_t *index, struct error *e);

/*
 * What the facts that may matter did elsewhere in the archive, a list a side (of the first two beside the baseline), or why no
 * archive was searched (there need not be one where files are given by their paths). Memory of the arena.
 */
const struct words *compare_elsewhere(struct cli *cli, const struct between *between);
/* Does any side compare with the baseline, in any cell? */
bool compare_any(const struct between *between);

#endif
