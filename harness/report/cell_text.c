#include "report/cell_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_DECIMALS 6
#define HUGE_EFFECT   14.0 /* e^14 is a million times: per cent say nothing any more */

/* Decimals that leave a spread of this many per cent about two digits. */
static int decimals_for(double percent)
{
	if (percent >= 9.95)
		return 0;
	if (percent >= 0.095 || percent <= 0)
		return 1;
	return percent >= 0.0095 ? 2 : 3;
}

/* Is x, which is not 0, shown as 0 with so many decimals? */
static bool vanishes(double x, int decimals)
{
	return x != 0 && fabs(x) < 0.5 * pow(10, -decimals);
}

/* Is a loss of nearly everything shown as the loss of everything? */
static bool swallows(double percent, int decimals)
{
	return percent > -100 && percent - 0.5 * pow(10, -decimals) <= -100;
}

static char *factor_text(double effect, struct arena *arena)
{
	char number[NUM_SIZE];

	num_significant(exp(fabs(effect)), 3, number);
	return arena_printf(arena, effect > 0 ? "+%s times" : "1/%s times", number);
}

static char *percent_text(double effect, int decimals, struct arena *arena)
{
	char number[NUM_SIZE];

	num_effect(effect, decimals, number);
	return arena_strdup(arena, number);
}

static int decimals_of_effect(double effect, int decimals)
{
	double percent = 100 * expm1(effect);

	while (decimals < MOST_DECIMALS && (vanishes(percent, decimals) || swallows(percent, decimals)))
		decimals++;
	return decimals;
}

char *cell_text_percent(double effect, struct arena *arena)
{
	if (fabs(effect) > HUGE_EFFECT)
		return factor_text(effect, arena);
	return percent_text(effect, decimals_of_effect(effect, 1), arena);
}

char *cell_text_effect(double effect, double lo, double hi, struct arena *arena)
{
	double half = 50 * (exp(hi) - exp(lo));
	int decimals = decimals_of_effect(effect, decimals_for(half));

	if (fabs(effect) > HUGE_EFFECT || hi > HUGE_EFFECT)
		return factor_text(effect, arena);
	while (decimals < MOST_DECIMALS && vanishes(half, decimals))
		decimals++;
	return arena_printf(arena, "%s ±%.*f", percent_text(effect, decimals, arena), decimals, half);
}

char *cell_text_bound(double x, struct arena *arena)
{
	double percent = 100 * expm1(x);
	int decimals = decimals_for(percent);
	char number[NUM_SIZE];

	while (decimals < MOST_DECIMALS && vanishes(percent, decimals))
		decimals++;
	if (percent >= 1e6)
		num_significant(percent, 3, number);
	else
		snprintf(number, sizeof(number), "%.*f", decimals, percent);
	return arena_strdup(arena, number);
}

static char *rate_text(const struct doc_cell *cell, struct arena *arena)
{
	double rate = cell->summary->median;
	struct buf out = {0};
	char *text;

	num_quantity(&out, rate, cell->like > 0 ? cell->like : rate, cell->unit);
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static char *cant_tell_text(const struct comparison *c, bool brief, struct arena *arena)
{
	if (!c->has_effect)
		return arena_strdup(arena, brief ? "~" : "~ can't tell");
	return arena_printf(arena, brief ? "~ ±%s %%" : "~ can't tell ±%s %%", cell_text_bound(c->x, arena));
}

char *cell_text(const struct doc_cell *cell, bool brief, struct arena *arena)
{
	const struct comparison *c = cell->comparison;

	switch (cell->kind) {
	case DOC_RATE:
		return rate_text(cell, arena);
	case DOC_FASTER:
	case DOC_SLOWER:
		return cell_text_effect(c->effect, c->lo, c->hi, arena);
	case DOC_TOO_SMALL:
		return arena_printf(arena, "= (≤%s %%)", cell_text_bound(c->x, arena));
	case DOC_NO_DIFFERENCE:
		return arena_printf(arena, "= (±%s %%)", cell_text_bound(c->x, arena));
	case DOC_CANT_TELL:
		return cant_tell_text(c, brief, arena);
	case DOC_SAME_CODE:
		return arena_strdup(arena, "same code");
	case DOC_FAILED:
		return arena_strdup(arena, "failed");
	case DOC_IMPOSSIBLE:
		return arena_strdup(arena, "n/a");
	case DOC_NOT_MEASURED:
		return arena_strdup(arena, "not measured");
	case DOC_TEXT:
		return arena_strdup(arena, cell->text);
	case DOC_BLANK:
	case DOC_KINDS:
		break;
	}
	return arena_strdup(arena, "");
}
