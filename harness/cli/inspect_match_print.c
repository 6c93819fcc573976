#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "cli/inspect_print.h"
#include "cli/table.h"

enum { LINES = 16 };

/* One property of both, if it differs. */
static void property(struct table *table, const char *name, const char *a, const char *b)
{
	if (text_same(a, b))
		return;
	table_addf(table, "  %s", name);
	table_add(table, a != NULL ? a : "none");
	table_add(table, b != NULL ? b : "none");
}

/* One that is long: a line each. */
static void long_property(
	struct arena *arena, const char *name, const char *a, const char *b, struct buf *out)
{
	if (text_same(a, b))
		return;
	buf_addf(out, "  %-12s  first   %s\n", name, text_safe(arena, a));
	buf_addf(out, "                second  %s\n", text_safe(arena, b));
}

static const char *number(struct arena *arena, uint64_t x)
{
	char text[NUM_SIZE];

	num_grouped(x, text);
	return arena_strdup(arena, text);
}

static const char *claim(const struct inspection *x, bool flags)
{
	for (size_t i = 0; i < x->claim_count; i++)
		if (x->claims[i].flags == flags)
			return x->claims[i].text;
	return "not told";
}

/* Sets that one uses and the other does not, of at most as many as there are. */
static const char *sets(const struct code_isa *isa, struct arena *arena)
{
	if (isa->unknown != NULL)
		return "unknown";
	return isa->used[0] != '\0' ? arena_strdup(arena, isa->used) : "the baseline's";
}

static const char *vectors(const struct code_isa *isa, struct arena *arena)
{
	if (isa->unknown != NULL)
		return "unknown";
	return isa->scalable ? "scalable" : arena_printf(arena, "%u bits", isa->vector_bits);
}

static void properties(
	struct cli *cli, const struct inspection *a, const struct inspection *b, struct buf *out)
{
	struct arena *arena = &cli->arena;
	struct buf lines = {0};
	struct table table;

	table_init(&table, arena, 3);
	property(&table, "machine", a->info.machine, b->info.machine);
	property(&table, "level", a->isa.level, b->isa.level);
	property(&table, "instructions", sets(&a->isa, arena), sets(&b->isa, arena));
	property(&table, "vectors", vectors(&a->isa, arena), vectors(&b->isa, arena));
	property(&table, "libraries", words_between(&a->info.needed, " ", arena),
		words_between(&b->info.needed, " ", arena));
	property(&table, "code", number(arena, a->info.text_bytes), number(arena, b->info.text_bytes));
	property(&table, "constants", number(arena, a->info.rodata_bytes),
		number(arena, b->info.rodata_bytes));
	property(&table, "data", number(arena, a->info.data_bytes), number(arena, b->info.data_bytes));
	property(&table, "zeroes", number(arena, a->info.bss_bytes), number(arena, b->info.bss_bytes));
	long_property(arena, "what", a->what, b->what, &lines);
	long_property(arena, "compiler", claim(a, false), claim(b, false), &lines);
	long_property(arena, "flags", claim(a, true), claim(b, true), &lines);
	if (table.cells.n > 0 || lines.n > 0)
		buf_adds(out, "what differs\n");
	buf_adds(out, buf_text(&lines));
	table_write(&table, out);
	buf_release(&lines);
}

static const char *size(const struct inspect_function *function, struct arena *arena)
{
	return function != NULL ? arena_printf(arena, "%s bytes", number(arena, function->size)) : "-";
}

static void functions(struct cli *cli, const struct match_result *result, struct buf *out)
{
	static const enum match_state states[] = {
		MATCH_SAME, MATCH_ALIKE, MATCH_OTHER, MATCH_UNKNOWN, MATCH_FIRST, MATCH_SECOND};
	const size_t most = cli->args.verbose ? SIZE_MAX : LINES;
	struct arena *arena = &cli->arena;
	size_t shown = 0, differ = 0;
	struct words counts = {0};
	struct table table;

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (result->counts[states[i]] > 0)
			words_addf(&counts, arena, "%zu %s", result->counts[states[i]],
				match_state_text(states[i]));
	if (result->n == 0)
		return; /* told by the verdict */
	buf_addf(out, "functions: %s\n", words_between(&counts, ", ", arena));
	table_init(&table, arena, 4);
	table.right[2] = table.right[3] = true;
	for (size_t i = 0; i < result->n; i++) {
		const struct match *match = &result->v[i];
		const struct inspect_function *one = match->a != NULL ? match->a : match->b;

		if (match->state == MATCH_SAME || match->state == MATCH_ALIKE)
			continue;
		differ++;
		if (shown == most)
			continue;
		table_addf(&table, "  %s",
			one->name != NULL ? one->name
					  : arena_printf(arena, "without a name at 0x%llx",
						    (unsigned long long)one->address));
		table_add(&table, match_state_text(match->state));
		table_add(&table, size(match->a, arena));
		table_add(&table, size(match->b, arena));
		shown++;
	}
	table_write(&table, out);
	if (differ > shown)
		buf_addf(out, "  and %zu more (--verbose)\n", differ - shown);
}

void inspect_print_match(struct cli *cli, const struct inspection *a, const struct inspection *b,
	const struct match_result *result, struct buf *out)
{
	struct arena *arena = &cli->arena;

	buf_addf(out, "%s\n  first   %s\n  second  %s\n", match_verdict_text(result->verdict),
		text_safe(arena, a->path), text_safe(arena, b->path));
	buf_addf(out, "  because %s\n", text_safe(arena, result->why));
	if (result->verdict == VERDICT_SAME_FILE)
		return;
	properties(cli, a, b, out);
	functions(cli, result, out);
	if (result->sections.n > 0)
		buf_addf(out, "sections that are not equal byte by byte: %s\n",
			text_safe(arena, words_between(&result->sections, " ", arena)));
}
