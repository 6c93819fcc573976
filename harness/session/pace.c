#include "session/pace.h"

void pace_add(struct pace *pace, int64_t block_ns, int64_t once_ns, size_t items)
{
	pace->recent[pace->blocks++ % PACE_RECENT] = (double)block_ns / (double)items;
	pace->work_ns += (double)(block_ns - once_ns);
	pace->items += (double)items;
}

double pace_mean_ns(const struct pace *pace)
{
	return pace->items > 0 ? pace->work_ns / pace->items : 0;
}

double pace_slow_ns(const struct pace *pace)
{
	double slow = 0;

	for (size_t i = 0; i < PACE_RECENT; i++)
		slow = pace->recent[i] > slow ? pace->recent[i] : slow;
	return slow;
}
