#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/compare_sides.h"
#include "cli/run_options.h"
#include "compare/explain.h"
#include "report/comparison.h"
#include "report/comparison_decompose.h"
#include "report/comparison_next.h"
#include "report/comparison_sources.h"
#include "report/comparison_verdict.h"
#include "report/report.h"

static const struct cli_option options[] = {
	{.name = "by",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(by),
		.value = "AXIS",
		.allowed = "variant, slot or copies",
		.help = "Within a record: what differs between a cell and its baseline: variant (flags), "
			"slot "
			"(toolchain) or copies"},
	{.name = "baseline",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(baseline),
		.value = "NAME",
		.help = "Within a record: the variant, slot or number of copies to hold the others against; "
			"else that of "
			"the matrix. Between records: one of those given; else the first"},
	OPTION_ONLY,
	OPTION_MATTERS,
	OPTION_PRECISION,
	{.name = "gate",
		.kind = OPTION_PERCENT,
		.offset = OPTION_AT(gate),
		.value = "P",
		.min = 0.0001,
		.max = 10,
		.allowed = "a percentage from 0.01% to 1000%, such as 5%",
		.help = "End with 1 if a cell is significantly slower, by more than this"},
	{.name = "strict",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(strict),
		.help = "End with 5 if any cell is undecided, missing or incomparable"},
	{.name = "force",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(force),
		.help = "Show differences of what is incomparable, too; the output says so at its top"},
	{.name = "why",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(why),
		.help = "Between records: every fact that differs, in three parts: what decides whether they "
			"may be "
			"compared, what may matter (and what it did elsewhere in the archive), and what is "
			"explained away"},
	{.name = "axis",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(axis),
		.value = "AXIS",
		.allowed = "machine, compiler, flags, source, kernel, firmware, virtualization or time",
		.help = "Between records: what is meant to differ: machine, compiler, flags, source, kernel, "
			"firmware, "
			"virtualization or time; else it is guessed from what does. Every other difference "
			"spoils the "
			"comparison, or is explained away"},
	{.name = "explain",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(explain),
		.value = "CELL",
		.help = "From the samples to the answer of this cell, step by step, and what else differs: "
			"functions, settings, counts, sizes"},
	{.name = "recommend",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(recommend),
		.help = "Which flags to use: those no worse than the best, the most portable and smallest "
			"first"},
	{.name = "decompose",
		.kind = OPTION_OPTIONAL,
		.offset = OPTION_AT(decompose),
		.value = "VARIANT",
		.help = "What each flag gave, for a record of a matrix with axes: how the gain of this "
			"combination (else of the last value of each axis) splits over its values, and each "
			"value's and pair's effect over all cells"},
	{.name = "next",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(next),
		.help = "What would settle the cells that are open: for each the rounds, layouts and time "
			"that it would "
			"take, and the runs to make, the cheapest first"},
	OPTION_AA,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_MARKDOWN,
};

/* What the output is made with. */
struct printing {
	struct cli *cli;
	enum format format;
	struct buf out;
};

static int parse_by(const char *text, enum within_axis *axis, struct error *e)
{
	static const enum within_axis axes[] = {WITHIN_VARIANT, WITHIN_SLOT, WITHIN_COPIES};

	*axis = WITHIN_ANY;
	for (size_t i = 0; text != NULL && i < sizeof(axes) / sizeof(axes[0]); i++)
		if (strcmp(text, within_axis_text(axes[i])) == 0)
			*axis = axes[i];
	if (text != NULL && *axis == WITHIN_ANY)
		return error_set(e, EXIT_USAGE,
			"--by: \"%s\" is not a value it takes; allowed: variant, slot, copies", text);
	return 0;
}

/* What cannot be asked for together. */
static int check_arguments(const struct arguments *args, enum format *format, struct error *e)
{
	bool between = args->words.n > 1;

	if (common_format(args, format, e) != 0)
		return -1;
	if (between && (args->by != NULL || args->recommend))
		return error_set(
			e, EXIT_USAGE, "--by and --recommend are for one record, found %zu", args->words.n);
	if (args->recommend && (args->explain != NULL || args->by != NULL || args->baseline != NULL))
		return error_set(e, EXIT_USAGE,
			"--recommend chooses over slots and variants, against the best: it takes no --by, "
			"--baseline or --explain");
	if (args->next && (between || args->recommend || args->explain != NULL))
		return error_set(e, EXIT_USAGE,
			"--next is for the open cells of one record: it takes no second record, "
			"--recommend or --explain");
	if (args->decompose != NULL && between)
		return error_set(e, EXIT_USAGE,
			"--decompose is for one record, found %zu; a combination is named as "
			"--decompose=VARIANT",
			args->words.n);
	if (args->decompose != NULL && (args->by != NULL || args->explain != NULL || args->recommend ||
					       args->next || args->gate > 0))
		return error_set(
			e, EXIT_USAGE, "--decompose takes no --by, --explain, --recommend, --next or --gate");
	if (args->explain != NULL && (args->csv || args->markdown))
		return error_set(e, EXIT_USAGE, "an explanation is printed as text or with --json");
	if (!between && args->words.n == 1 && strchr(args->words.v[0], ',') != NULL &&
		strchr(args->words.v[0], '/') == NULL)
		return error_set(e, EXIT_USAGE,
			"%s is one side of several runs: give a second one to hold against it",
			args->words.v[0]);
	if ((args->why || args->axis != NULL) && !between)
		return error_set(e, EXIT_USAGE,
			"%s is for two records: the cells of one were built and measured side by side",
			args->why ? "--why" : "--axis");
	if (args->why && (args->explain != NULL || args->csv))
		return error_set(e, EXIT_USAGE,
			"--why asks about records, --explain about a cell, and there is no table for --csv: "
			"one at a "
			"time");
	if (args->force && !between)
		return error_set(
			e, EXIT_USAGE, "--force is for two records: the cells of one can be compared");
	return 0;
}

static struct comparison_options report_options(const struct cli *cli, const char *path)
{
	return (struct comparison_options){.gate = cli->args.gate > 0 ? cli->args.gate : -1,
		.verbose = cli->args.verbose,
		.path = path,
		.forced = cli->args.force};
}

static void add_document(struct printing *p, const struct document *document)
{
	struct terminal terminal = terminal_of(STDOUT_FILENO);
	struct report_options how = {.width = terminal.width,
		.colour = terminal.colour,
		.unicode = terminal.unicode,
		.verbose = p->cli->args.verbose};

	if (p->format == FORMAT_MARKDOWN)
		document_markdown(document, &p->out);
	else
		document_terminal(document, &how, &p->out);
}

static void print_explained(struct printing *p, const char *title, const struct words *steps,
	const struct sources *sources, size_t count, bool within)
{
	struct document *document;

	if (p->format == FORMAT_JSON) {
		comparison_explained_json(
			title, steps, comparison_sources_json(sources, count, within), &p->out);
		return;
	}
	document = comparison_explained(title, steps, &p->cli->arena);
	comparison_add_sources(document, sources, count, &p->cli->arena);
	add_document(p, document);
}

/* --- one record --- */

static enum exit_code explain_one(struct printing *p, const struct within *within)
{
	struct arena *arena = &p->cli->arena;
	struct sources sources;
	struct words steps = {0};
	struct error e = {0};
	size_t index;

	if (explain_find_within(within, p->cli->args.explain, arena, &index, &e) != 0)
		return error_print(&e);
	explain_within(within, index, arena, &steps);
	sources_within(within, index, arena, &sources);
	print_explained(p, within->record.builds[within->result.comparisons[index].b].cell, &steps, &sources,
		1, true);
	return EXIT_YES;
}

static enum exit_code print_within(struct printing *p, const struct within *within, const char *path)
{
	struct comparison_options shown = report_options(p->cli, path);
	struct tally tally;
	struct document *document = comparison_within(within, &shown, &p->cli->arena, &tally);

	if (p->format == FORMAT_JSON)
		comparison_within_json(within, &shown, &p->out);
	else if (p->format == FORMAT_CSV)
		comparison_within_csv(within, &p->out);
	else
		add_document(p, document);
	return tally_code(&tally, p->cli->args.strict);
}

/* What would settle the rest. An estimate is no verdict: it ends with 0 also where everything is open. */
static enum exit_code print_next(
	struct printing *p, const struct record *record, const struct within *within, const char *path)
{
	struct comparison_options shown = report_options(p->cli, path);
	struct next_options how = {.where = common_where(p->cli, &p->cli->arena)};
	struct next next;

	next_plan(record, &within->result, &within->record.plan.settings, &how, &p->cli->arena, &next);
	if (p->format == FORMAT_JSON)
		comparison_next_json(record, &within->result, &next, &shown, &p->out);
	else if (p->format == FORMAT_CSV)
		comparison_next_csv(record, &within->result, &next, &p->out);
	else
		add_document(p, comparison_next(record, &within->result, &next, &shown, &p->cli->arena));
	return EXIT_YES;
}

static enum exit_code print_recommendation(struct printing *p, const struct record *record,
	const struct within_options *chosen, const char *path)
{
	struct comparison_options report = report_options(p->cli, path);
	struct recommendation advice;
	struct error e = {0};

	if (recommend(record, chosen, &p->cli->arena, &advice, &e) != 0)
		return error_print(&e);
	if (p->format == FORMAT_JSON)
		comparison_recommend_json(record, &advice, &p->out);
	else if (p->format == FORMAT_CSV)
		comparison_recommend_csv(&advice, &p->out);
	else
		add_document(p, comparison_recommend(record, &advice, &report, &p->cli->arena));
	return EXIT_YES;
}

static enum exit_code print_decomposed(struct printing *p, const struct record *record,
	const struct within_options *chosen, const char *path)
{
	const char *target = p->cli->args.decompose;
	struct decompose_options asked = {.target = target[0] != '\0' ? target : NULL,
		.reference = chosen->baseline,
		.only = chosen->only,
		.matters = chosen->matters,
		.precision = chosen->precision,
		.no_same_code = chosen->no_same_code,
		.where = chosen->where};
	struct comparison_options report = report_options(p->cli, path);
	struct decomposition parts;
	struct document *document;
	struct error e = {0};
	struct tally tally;

	if (decompose(record, &asked, &p->cli->arena, &parts, &e) != 0)
		return error_print(&e);
	document = comparison_decompose(&parts, &report, &p->cli->arena, &tally);
	if (p->format == FORMAT_JSON)
		comparison_decompose_json(&parts, &report, &p->out);
	else if (p->format == FORMAT_CSV)
		comparison_decompose_csv(&parts, &p->out);
	else
		add_document(p, document);
	return tally_code(&tally, p->cli->args.strict);
}

static enum exit_code compare_within(struct printing *p, enum within_axis by)
{
	const struct arguments *args = &p->cli->args;
	struct within_options within_options = {.by = by,
		.baseline = args->baseline,
		.only = &args->session.only,
		.matters = args->session.matters,
		.precision = args->session.precision,
		.no_same_code = args->session.aa,
		.where = common_where(p->cli, &p->cli->arena)};
	const char *path, *name = args->words.n > 0 ? args->words.v[0] : "latest";
	struct record *record;
	struct within within;
	struct error e = {0};
	enum exit_code code;

	if (common_record(p->cli, name, &path, &record, &e) != 0)
		return error_print(&e);
	if (args->recommend)
		code = print_recommendation(p, record, &within_options, path);
	else if (args->decompose != NULL)
		code = print_decomposed(p, record, &within_options, path);
	else if (within_compare(record, &within_options, &p->cli->arena, &within, &e) != 0)
		code = error_print(&e);
	else if (args->next)
		code = print_next(p, record, &within, path);
	else
		code = args->explain != NULL ? explain_one(p, &within) : print_within(p, &within, path);
	record_release(record);
	return code;
}

/* --- several --- */

static enum exit_code explain_several(struct printing *p, const struct between *between)
{
	struct arena *arena = &p->cli->arena;
	struct sources *sources = arena_array(arena, between->side_count, sizeof(*sources));
	struct words steps = {0};
	struct error e = {0};
	size_t index, count = 0;

	if (explain_find_between(between, p->cli->args.explain, arena, &index, &e) != 0)
		return error_print(&e);
	if (p->cli->args.force)
		words_add(&steps, arena,
			"FORCED: --force asked for differences of what is incomparable, too; they mean "
			"nothing by "
			"themselves.");
	for (size_t s = 0; s < between->side_count; s++) {
		if (s == between->baseline)
			continue;
		explain_between(between, index, s, arena, &steps);
		count += sources_between(between, p->cli->args.force, index, s, arena, &sources[count]);
	}
	print_explained(p, between->cells[index].cell, &steps, sources, count, false);
	return EXIT_YES;
}

static enum exit_code print_between(struct printing *p, const struct between *between)
{
	struct comparison_options shown = report_options(p->cli, NULL);
	struct tally tally;
	struct document *document = comparison_between(between, &shown, &p->cli->arena, &tally);

	if (p->format == FORMAT_JSON)
		comparison_between_json(between, &shown, &p->out);
	else if (p->format == FORMAT_CSV)
		comparison_between_csv(between, &shown, &p->out);
	else
		add_document(p, document);
	return tally_code(&tally, p->cli->args.strict);
}

/* An explanation: it ends with 4 where nothing can be compared, else with 0, whatever the numbers say. */
static enum exit_code print_why(struct printing *p, const struct between *between)
{
	struct comparison_options shown = report_options(p->cli, NULL);

	shown.elsewhere = compare_elsewhere(p->cli, between);
	if (p->format == FORMAT_JSON)
		comparison_between_json(between, &shown, &p->out);
	else
		add_document(p, comparison_why(between, shown.elsewhere, shown.forced, &p->cli->arena));
	return compare_any(between) ? EXIT_YES : EXIT_NOTHING;
}

static enum exit_code compare_between(struct printing *p)
{
	const struct arguments *args = &p->cli->args;
	struct between_options between_options = {.only = &args->session.only,
		.matters = args->session.matters,
		.precision = args->session.precision,
		.force = args->force};
	struct between_side *sides;
	struct between between;
	struct error e = {0};

	if ((args->axis != NULL && axis_parse(args->axis, &between_options.axis, &e) != 0) ||
		compare_sides(p->cli, &sides, &e) != 0 ||
		compare_baseline(args, &between_options.baseline, &e) != 0 ||
		between_compare(sides, args->words.n, &between_options, &p->cli->arena, &between, &e) != 0)
		return error_print(&e);
	if (args->why)
		return print_why(p, &between);
	return args->explain != NULL ? explain_several(p, &between) : print_between(p, &between);
}

static enum exit_code compare(struct cli *cli)
{
	struct printing p = {.cli = cli};
	struct error e = {0};
	enum within_axis by;
	enum exit_code code;

	if (check_arguments(&cli->args, &p.format, &e) != 0 || parse_by(cli->args.by, &by, &e) != 0)
		return error_print(&e);
	code = cli->args.words.n > 1 ? compare_between(&p) : compare_within(&p, by);
	terminal_print(&p.out);
	buf_release(&p.out);
	return code;
}

const struct command cmd_compare = {
	.name = "compare",
	.words = "[RECORD [RECORD...]]",
	.words_max = 1000,
	.title = "cells of a record, or records, against each other",
	.text = "With one record (default: the latest run): its cells against those of any variant, slot or "
		"number of copies, "
		"paired by rounds. With more: each against the first, cell by cell; the run is then the "
		"unit, so that there is "
		"a verdict from three runs a side on, and never from one. Several runs of a side are joined "
		"by commas; the "
		"id or name of one run of `run --repeat` stands for all of them, a path for that file "
		"only.\n\n"
		"First comes whether the two may be compared at all: the verdict, the row of the table that "
		"decided it, "
		"the facts on both sides, and what to do. What is INCOMPARABLE shows no difference unless "
		"--force is "
		"given. With more than two records: which of them compare with one another, and why the "
		"others do "
		"not.\n\n"
		"Ends with 0; with 4 when nothing could be compared; with 5 when no cell was decided; with "
		"--gate also "
		"with 1.",
	.example = "flagstone compare --by slot --baseline gcc\n"
		   "flagstone compare latest --baseline O3 --gate 5%\n"
		   "flagstone compare latest~1 latest\n"
		   "flagstone compare --explain dhrystone/gcc/O3\n"
		   "flagstone compare --recommend\n"
		   "flagstone compare --decompose\n"
		   "flagstone compare latest~1 latest --why\n"
		   "flagstone compare latest~1 latest --axis kernel\n"
		   "flagstone compare --next --precision 1%",
	.options = OPTION_TABLE(options),
	.run = compare,
};
