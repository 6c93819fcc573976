#include "compare/tally.h"

#include <math.h>

bool tally_is_beyond(const struct comparison *comparison, double limit)
{
	return limit >= 0 && comparison->answer == ANSWER_SLOWER && comparison->effect < -log1p(limit);
}

void tally_add(struct tally *tally, const struct comparison *comparison, double limit)
{
	tally->all++;
	tally->comparable += comparison->answer != ANSWER_NONE;
	tally->decided += comparison->answer != ANSWER_NONE && comparison->answer != ANSWER_CANT_TELL;
	tally->beyond += tally_is_beyond(comparison, limit);
}

enum exit_code tally_code(const struct tally *tally, bool strict)
{
	if (tally->beyond > 0)
		return EXIT_NO;
	if (tally->comparable == 0)
		return EXIT_NOTHING;
	if (tally->decided == 0 || (strict && tally->decided < tally->all))
		return EXIT_UNDECIDED;
	return EXIT_YES;
}
