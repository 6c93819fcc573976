#include "compare/comparable.h"

#include <string.h>

#include "base/buf.h"
#include "compare/comparable_work.h"

const char *comparability_text(enum comparability verdict)
{
	static const char *const texts[] = {
		[COMPARABLE] = "comparable", [COMPARABLE_CAVEAT] = "caveat", [INCOMPARABLE] = "incomparable"};

	return texts[verdict];
}

const char *comparability_loud(enum comparability verdict)
{
	static const char *const texts[] = {
		[COMPARABLE] = "COMPARABLE", [COMPARABLE_CAVEAT] = "CAVEAT", [INCOMPARABLE] = "INCOMPARABLE"};

	return texts[verdict];
}

enum comparability comparable_worse(enum comparability a, enum comparability b)
{
	return a > b ? a : b;
}

void comparable_records(const struct comparable_view *a, const struct comparable_view *b, enum axis axis,
	struct arena *arena, struct comparable *out)
{
	*out = (struct comparable){.verdict = COMPARABLE};
	comparable_choose_axis(a, b, axis, arena, out);
	comparable_judge_host(a, b, arena, out);
}

static const char *text_or_unknown(const char *text)
{
	return text != NULL ? text : "unknown";
}

/* Why the numbers of the two cells are not of one kind; NULL: they are. */
static const char *other_metric(
	const struct record_workload *a, const struct record_workload *b, struct arena *arena)
{
	if (a == NULL || b == NULL)
		return "a record does not describe its workload";
	if (!text_same(a->unit, b->unit))
		return arena_printf(arena, "other metric: %s against %s", text_or_unknown(a->unit),
			text_or_unknown(b->unit));
	if (a->lower_is_better != b->lower_is_better)
		return "other metric: lower is better on one side only";
	return NULL;
}

/* Other sources off the axis may do other work, whatever row the code leads to. */
static void judge_source(struct code_pair *p)
{
	struct comparable_facts *facts = &p->out->facts;

	if (p->source != FACING_DIFFERS || p->axis == AXIS_SOURCE)
		return;
	for (size_t i = 0; i < facts->n; i++) {
		struct comparable_fact *fact = &facts->v[i];

		if (strcmp(fact->key, "workload.content_hash") != 0)
			continue;
		if (p->code == CODE_SAME) {
			fact->part = FACT_MAY_MATTER;
			fact->worsens = COMPARABLE_CAVEAT;
			fact->why = "other workload content: its code is the same, what it is told to do may "
				    "not be";
		} else {
			fact->part = FACT_DECIDES;
			fact->worsens = INCOMPARABLE;
			fact->why = "other workload content: other work may be done";
		}
	}
}

/* "GLIBC_TUNABLES=...", to the next blank outside of quotes; NULL: not set. */
static const char *tunables(const struct fact *env, struct arena *arena)
{
	struct words words = {0};

	if (!comparable_known(env) || words_split(&words, arena, env->value, NULL, NULL) != 0)
		return comparable_known(env) && strstr(env->value, "GLIBC_TUNABLES=") != NULL ? env->value
											      : NULL;
	for (size_t i = 0; i < words.n; i++)
		if (text_starts(words.v[i], "GLIBC_TUNABLES="))
			return words.v[i];
	return NULL;
}

static void judge_environment(struct code_pair *p)
{
	static const struct fact none = {.value = ""};
	const struct fact *a = p->a->facts[B_ENV], *b = p->b->facts[B_ENV];
	const char *x = tunables(a, p->arena), *y = tunables(b, p->arena);

	if (!text_same(x, y))
		comparable_add_text(&p->out->facts, p->arena, "GLIBC_TUNABLES", x != NULL ? x : "",
			y != NULL ? y : "", FACT_DECIDES, INCOMPARABLE,
			"the C library chooses other code by it");
	else if (!text_same(comparable_known(a) ? a->value : "", comparable_known(b) ? b->value : ""))
		comparable_add(&p->out->facts, p->arena, "run.env", comparable_known(a) ? a : &none,
			comparable_known(b) ? b : &none,
			p->axis == AXIS_FLAGS ? FACT_EXPLAINED : FACT_MAY_MATTER,
			p->axis == AXIS_FLAGS ? COMPARABLE : COMPARABLE_CAVEAT,
			p->axis == AXIS_FLAGS ? comparable_on_axis : comparable_off_axis);
}

/* The name of the program in front: "/usr/bin/qemu-aarch64 -cpu max" is qemu-aarch64. */
static const char *emulator(const struct fact *runner, struct arena *arena)
{
	const char *name;
	size_t n;

	if (!comparable_known(runner) || runner->value[0] == '\0')
		return NULL;
	n = strcspn(runner->value, " ");
	name = arena_strndup(arena, runner->value, n);
	return strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
}

static void judge_emulation(struct code_pair *p)
{
	const struct fact *a = p->a->facts[B_RUNNER], *b = p->b->facts[B_RUNNER];
	const char *x = emulator(a, p->arena), *y = emulator(b, p->arena);
	bool one = text_same(x, y);

	if (x == NULL && y == NULL)
		return;
	if (!one)
		comparable_add_text(&p->out->facts, p->arena, "run.runner", x != NULL ? a->value : "",
			y != NULL ? b->value : "", FACT_DECIDES, INCOMPARABLE,
			"an emulator's speed is not the CPU's");
	else if (comparable_facing(a, b) == FACING_DIFFERS)
		comparable_add(&p->out->facts, p->arena, "run.runner", a, b, FACT_MAY_MATTER,
			COMPARABLE_CAVEAT, comparable_off_axis);
}

static void judge_sampling(struct code_pair *p)
{
	const struct record_build *a = p->a->build, *b = p->b->build;
	const struct fact *units_a = p->a->facts[B_UNITS], *units_b = p->b->facts[B_UNITS];
	enum facing units = comparable_facing(units_a, units_b);

	if (units == FACING_DIFFERS || units == FACING_ONE_UNKNOWN)
		comparable_add(&p->out->facts, p->arena, "cell.units", units_a, units_b, FACT_MAY_MATTER,
			COMPARABLE_CAVEAT, "other units of work a sample");
	if (!p->layouts_averaged && !(p->out->row == 1))
		comparable_add_text(&p->out->facts, p->arena, "build.layouts",
			arena_printf(p->arena, "%zu", a->layout_count),
			arena_printf(p->arena, "%zu", b->layout_count),
			p->out->row == 3 ? FACT_DECIDES : FACT_MAY_MATTER, COMPARABLE_CAVEAT,
			"placement not averaged");
	if (a->check_value != NULL && b->check_value != NULL && strcmp(a->check_value, b->check_value) != 0)
		comparable_add_text(&p->out->facts, p->arena, "check_value", a->check_value, b->check_value,
			FACT_MAY_MATTER, COMPARABLE_CAVEAT, "the check run gave something else");
}

static void conclude(struct code_pair *p)
{
	struct comparable_cell *out = p->out;
	const char *first = NULL;

	out->verdict = out->by_row;
	for (size_t i = 0; i < out->facts.n; i++) {
		const struct comparable_fact *fact = &out->facts.v[i];

		out->verdict = comparable_worse(out->verdict, fact->worsens);
		if (fact->worsens == INCOMPARABLE && first == NULL)
			first = comparable_fact_text(fact, p->arena);
		if (fact->worsens == COMPARABLE_CAVEAT)
			comparable_add_caveat(&out->caveats, fact, p->arena);
	}
	if (out->verdict != INCOMPARABLE)
		return;
	if (out->by_row == INCOMPARABLE)
		out->reason = arena_printf(p->arena, "%s%s%s", comparable_row_text(out->row),
			first != NULL ? ": " : "", first != NULL ? first : "");
	else
		for (size_t i = 0; i < out->facts.n && out->reason == NULL; i++)
			if (out->facts.v[i].worsens == INCOMPARABLE)
				out->reason = arena_printf(p->arena, "%s (%s)", first, out->facts.v[i].why);
}

void comparable_cells(const struct comparable_view *a, size_t build_a, const struct comparable_view *b,
	size_t build_b, const struct comparable *records, struct arena *arena, struct comparable_cell *out)
{
	struct code_pair p = {.va = a,
		.vb = b,
		.a = &a->builds[build_a],
		.b = &b->builds[build_b],
		.axis = records->axis,
		.arena = arena,
		.out = out};

	*out = (struct comparable_cell){.verdict = COMPARABLE, .code = CODE_UNKNOWN};
	comparable_read_pair(&p);
	out->code = p.code;
	out->reason = other_metric(p.a->workload, p.b->workload, arena);
	if (out->reason != NULL) {
		out->verdict = INCOMPARABLE;
		comparable_add_text(&out->facts, arena, "metric",
			p.a->workload != NULL ? p.a->workload->unit : NULL,
			p.b->workload != NULL ? p.b->workload->unit : NULL, FACT_DECIDES, INCOMPARABLE,
			"the numbers are of two kinds");
		return;
	}
	comparable_choose_row(&p);
	judge_source(&p);
	judge_environment(&p);
	judge_emulation(&p);
	judge_sampling(&p);
	conclude(&p);
}

enum comparability comparable_verdict(const struct comparable *records, const struct comparable_count *count)
{
	if (records->verdict == INCOMPARABLE || count->incomparable == count->cells)
		return INCOMPARABLE;
	if (records->verdict == COMPARABLE_CAVEAT || count->caveats > 0 || count->incomparable > 0)
		return COMPARABLE_CAVEAT;
	return COMPARABLE;
}

/* "axis: machine, guessed: A against B" */
static const char *axis_clause(const struct comparable *records, struct arena *arena)
{
	return arena_printf(arena, "axis: %s, %s%s%s", axis_text(records->axis),
		records->declared ? "declared" : "guessed", records->what != NULL ? ": " : "",
		records->what != NULL ? records->what : "");
}

const char *comparable_sentence(
	const struct comparable *records, const struct comparable_count *count, struct arena *arena)
{
	enum comparability verdict = comparable_verdict(records, count);
	const char *axis = axis_clause(records, arena), *some = "";
	size_t good = count->cells - count->incomparable;

	if (records->verdict == INCOMPARABLE)
		return arena_printf(arena, "INCOMPARABLE: %s (%s).", records->reason, axis);
	if (count->cells == 0)
		return arena_printf(arena, "INCOMPARABLE: no cell is in both (%s).", axis);
	if (verdict == INCOMPARABLE)
		return arena_printf(arena,
			"INCOMPARABLE: none of the %zu cell%s in both can be compared (%s).", count->cells,
			text_plural(count->cells), axis);
	if (count->incomparable > 0)
		some = arena_printf(arena, "%zu of %zu cells compare, %zu %s incomparable; ", good,
			count->cells, count->incomparable, count->incomparable == 1 ? "is" : "are");
	return arena_printf(arena, "%s: %s%s (%s).", comparability_loud(verdict), some,
		records->verdict == COMPARABLE && count->caveats == 0
			? "nothing else differs that is known to matter"
			: "comparable but for differences that are not explained away",
		axis);
}

void comparable_cell_worsen(struct comparable_cell *cell, struct arena *arena, const char *key, const char *a,
	const char *b, const char *why)
{
	const struct comparable_fact *fact =
		comparable_add_text(&cell->facts, arena, key, a, b, FACT_MAY_MATTER, COMPARABLE_CAVEAT, why);

	comparable_add_caveat(&cell->caveats, fact, arena);
	cell->verdict = comparable_worse(cell->verdict, COMPARABLE_CAVEAT);
}
