#include "stats/geomean.h"

#include <math.h>

#include "base/mem.h"

enum stats_status stats_geomean(const double *ratio, const bool *usable, size_t m, struct stats_geomean *out)
{
	*out = (struct stats_geomean){.m = m};
	double *logs = mem_alloc_array((m ? m : 1), sizeof *logs);
	for (size_t i = 0; i < m; i++) {
		if (usable != NULL && !usable[i])
			continue;
		if (!isfinite(ratio[i]) || ratio[i] <= 0) {
			out->n = 0;
			out->bad_index = i;
			out->status = STATS_BAD_VALUE;
			mem_free(logs);
			return out->status;
		}
		logs[out->n++] = log(ratio[i]);
	}
	if (out->n == 0)
		out->status = STATS_EMPTY;
	else
		out->value = exp(stats_mean(logs, out->n));
	mem_free(logs);
	return out->status;
}
