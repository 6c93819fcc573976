/* The table of COMPARABILITY.md: the first row that fits. */
#include <string.h>

#include "compare/comparable_work.h"

enum { ROWS = 11 };

const char *comparable_row_text(unsigned row)
{
	static const char *const texts[] = {"not asked", "same file", "same code, linker and C library",
		"same code, but another linker, C library or placement", "same code but for padding",
		"other options off the axis", "native was asked for, and how it was answered is not known",
		"same CPU features, but another tuning or compiler, and other code",
		"other sources, built alike", "other code from equal sources and options: a hidden input",
		"all that differs is on the axis", "differences that are not explained"};

	return row <= ROWS ? texts[row] : texts[0];
}

/* --- which row --- */

static bool tunables_same(const struct code_pair *p)
{
	const struct fact *a = p->a->facts[B_ENV], *b = p->b->facts[B_ENV];
	const char *x = comparable_known(a) ? strstr(a->value, "GLIBC_TUNABLES=") : NULL;
	const char *y = comparable_known(b) ? strstr(b->value, "GLIBC_TUNABLES=") : NULL;

	return text_same(x, y);
}

static bool fits_row5(const struct code_pair *p)
{
	for (size_t i = 0; comparable_row5[i] != B_COUNT; i++)
		if (p->resolved[comparable_row5[i]] == FACING_DIFFERS &&
			!comparable_option_on_axis(p, comparable_row5[i]))
			return true;
	return false;
}

static bool all_resolved_same(const struct code_pair *p)
{
	for (size_t i = 0; comparable_judged[i] != B_COUNT; i++)
		if (p->resolved[comparable_judged[i]] != FACING_SAME)
			return false;
	return true;
}

static bool fits_row7(const struct code_pair *p)
{
	return p->axis != AXIS_COMPILER && p->axis != AXIS_FLAGS && p->code == CODE_OTHER &&
	       p->resolved[B_FEATURES] == FACING_SAME &&
	       (p->resolved[B_TUNE] == FACING_DIFFERS || p->compiler == FACING_DIFFERS);
}

static bool any_differs(const struct code_pair *p, const enum build_fact *list)
{
	for (; *list != B_COUNT; list++)
		if (comparable_facing(p->a->facts[*list], p->b->facts[*list]) == FACING_DIFFERS)
			return true;
	return false;
}

static bool built_alike(const struct code_pair *p)
{
	return all_resolved_same(p) && p->compiler == FACING_SAME && p->asked == FACING_SAME;
}

static bool fits_row9(const struct code_pair *p)
{
	return p->source == FACING_SAME && built_alike(p) && p->code == CODE_OTHER &&
	       p->assembler != FACING_DIFFERS && p->headers != FACING_DIFFERS &&
	       !any_differs(p, comparable_others);
}

/* What of all that goes into a build is on the axis, off it, or not known. */
struct sum {
	bool on, off;
};

static void count(struct sum *sum, enum facing facing, bool on_axis)
{
	if (facing == FACING_SAME)
		return;
	if (on_axis)
		sum->on = sum->on || facing == FACING_DIFFERS;
	else
		sum->off = true;
}

static bool fits_row10(const struct code_pair *p)
{
	bool compiler = p->axis == AXIS_COMPILER, options = comparable_option_on_axis(p, B_COUNT);
	struct sum sum = {false, p->code != CODE_OTHER};

	count(&sum, p->source, p->axis == AXIS_SOURCE);
	count(&sum, p->compiler, compiler);
	count(&sum, p->asked, p->axis == AXIS_FLAGS);
	for (size_t i = 0; comparable_judged[i] != B_COUNT; i++)
		count(&sum, p->resolved[comparable_judged[i]],
			comparable_option_on_axis(p, comparable_judged[i]));
	if (p->assembler == FACING_DIFFERS || p->headers == FACING_DIFFERS)
		count(&sum, FACING_DIFFERS, compiler);
	count(&sum, p->linker, compiler);
	count(&sum, p->libc, false);
	if (any_differs(p, comparable_others))
		count(&sum, FACING_DIFFERS, options);
	if (any_differs(p, comparable_hidden))
		sum.off = true;
	return sum.on && !sum.off;
}

static unsigned first_row(const struct code_pair *p)
{
	if (p->same_file && p->libc == FACING_SAME && tunables_same(p))
		return 1;
	if (p->code == CODE_SAME)
		return p->linker == FACING_SAME && p->libc == FACING_SAME && p->layouts_averaged ? 2 : 3;
	if (p->code == CODE_UNPADDED)
		return 4;
	if (fits_row5(p))
		return 5;
	if (p->native && !p->features_known && !comparable_option_on_axis(p, B_FEATURES))
		return 6;
	if (fits_row7(p))
		return 7;
	if (p->axis == AXIS_SOURCE && p->source == FACING_DIFFERS && built_alike(p))
		return 8;
	if (fits_row9(p))
		return 9;
	return fits_row10(p) ? 10 : 11;
}

static enum comparability verdict_of(unsigned row, enum axis axis)
{
	static const enum comparability verdicts[] = {INCOMPARABLE, COMPARABLE, COMPARABLE, COMPARABLE_CAVEAT,
		COMPARABLE_CAVEAT, INCOMPARABLE, INCOMPARABLE, INCOMPARABLE, COMPARABLE, INCOMPARABLE,
		COMPARABLE, COMPARABLE_CAVEAT};

	return row == 7 && axis == AXIS_SOURCE ? COMPARABLE_CAVEAT : verdicts[row];
}

void comparable_choose_row(struct code_pair *p)
{
	p->out->code = p->code;
	p->out->row = first_row(p);
	p->out->by_row = verdict_of(p->out->row, p->axis);
	comparable_list_facts(p);
}
