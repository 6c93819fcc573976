/*
 * judge.h - rows of the runs in a trust record, for the files that count them.
 */
#ifndef TRUST_JUDGE_H
#define TRUST_JUDGE_H

#include "trust.h"

/* One row of a run: cells of one workload, the first of them the baseline. */
struct row {
	struct record *view;
	const char *workload;
	struct trust_pair pairs[TRUST_CELLS_MAX];
	struct trust_outcome outcomes[TRUST_CELLS_MAX]; /* after judge_row() */
	size_t n;
};

typedef void judge_row_do(struct row *row, void *context);

/* Calls `each` for every row of a part, run by run. */
void judge_each_row(const struct trust *t, const char *part, judge_row_do *each, void *context);
void judge_row(struct row *row);

#endif
