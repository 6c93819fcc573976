#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/result_print.h"
#include "cli/run_options.h"
#include "compare/directory.h"
#include "compare/within.h"
#include "report/report.h"

static const struct cli_option options[] = {
	{.name = "facts",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(facts),
		.help = "What is known of host, toolchains, workloads and builds, each with its source"},
	{.name = "samples",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(samples),
		.help = "Every sample: on a terminal drawn over the rounds, a picture a cell; elsewhere, and "
			"with --csv, "
			"as CSV, a line a process, the columns of the record"},
	{.name = "plot",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(plot),
		.help = "The pictures of --samples also where standard output is no terminal"},
	{.name = "builds",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(builds),
		.help = "Each cell's build: commands, what its options resolved to, sizes, what the compiler "
			"said"},
	{.name = "only",
		.kind = OPTION_LIST,
		.offset = OPTION_AT(session.only),
		.value = "CELL",
		.allowed = "a cell or a pattern of cells, such as dhrystone/gcc/O?",
		.help = "Only the rows of these cells and of their baselines, judged as in the whole table; "
			"with "
			"--samples only these cells; patterns as for run"},
	OPTION_AA,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_MARKDOWN,
};

static void add_value(struct buf *out, const struct sample *row, const struct column *column)
{
	const char *at = (const char *)row + column->offset;

	switch (column->type) {
	case COLUMN_DOUBLE:
		if (*(const double *)(const void *)at ==
			*(const double *)(const void *)at) /* not NAN: null */
			json_add_double(out, *(const double *)(const void *)at);
		break;
	case COLUMN_U64:
		buf_addf(out, "%llu", (unsigned long long)*(const uint64_t *)(const void *)at);
		break;
	case COLUMN_I64:
		if (!column->nullable || *(const int64_t *)(const void *)at != -1)
			buf_addf(out, "%lld", (long long)*(const int64_t *)(const void *)at);
		break;
	case COLUMN_U32:
		if (!column->nullable || *(const uint32_t *)(const void *)at != SAMPLE_NONE)
			buf_addf(out, "%u", *(const uint32_t *)(const void *)at);
		break;
	}
}

/* RFC 4180; an apostrophe keeps a spreadsheet from taking the name for a formula. */
static void add_name(struct buf *out, const char *name, struct arena *arena)
{
	const char *safe = text_safe(arena, name);

	buf_adds(out, strchr("=+-@", safe[0]) != NULL ? "\"'" : "\"");
	for (const char *p = safe; *p != '\0'; p++)
		buf_addf(out, *p == '"' ? "\"%c" : "%c", *p);
	buf_addc(out, '"');
}

/* The pictures. */
static void plot_samples(struct cli *cli, const struct record *record)
{
	struct terminal terminal = terminal_of(STDOUT_FILENO);
	struct report_options how = {
		.width = terminal.width, .unicode = terminal.unicode, .only = &cli->args.session.only};
	struct buf out = {0};

	report_samples(record, &how, &out);
	terminal_print(&out);
	buf_release(&out);
}

/* The columns of the record with the cell's name in front; empty where the record has null. */
static void print_samples(struct cli *cli, const struct record *record)
{
	struct buf out = {0};
	const char **names;

	buf_adds(&out, "cell");
	for (size_t c = 0; c < sample_column_count; c++)
		buf_addf(&out, ",%s", sample_columns[c].name);
	buf_adds(&out, "\r\n");
	names = arena_array(&cli->arena, record->build_count, sizeof(*names));
	for (size_t i = 0; i < record->build_count; i++) {
		struct buf name = {0};

		if (!directory_wants(&cli->args.session.only, record->builds[i].cell))
			continue;
		add_name(&name, record->builds[i].cell, &cli->arena);
		names[i] = arena_strdup(&cli->arena, buf_text(&name));
		buf_release(&name);
	}
	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *row = &record->samples.v[i];

		if (names[row->build] == NULL)
			continue;
		buf_adds(&out, names[row->build]);
		for (size_t c = 0; c < sample_column_count; c++) {
			buf_addc(&out, ',');
			add_value(&out, row, &sample_columns[c]);
		}
		buf_adds(&out, "\r\n");
		if (out.n > 65536) {
			terminal_print(&out);
			buf_clear(&out);
		}
	}
	terminal_print(&out);
	buf_release(&out);
}

static void print_facts(struct cli *cli, const struct record *record)
{
	struct buf out = {0};
	json_t *root, *toolchains, *workloads;

	if (!cli->args.json) {
		report_facts(record, &out);
		terminal_print(&out);
		buf_release(&out);
		return;
	}
	root = json_object();
	toolchains = json_array();
	workloads = json_object();
	for (size_t i = 0; i < record->toolchain_count; i++) {
		json_t *object = json_object();

		json_object_set_new(object, "slots", json_safe_words(&record->toolchains[i].slots));
		json_object_set_new(object, "facts", facts_to_json(&record->toolchains[i].facts));
		json_array_append_new(toolchains, object);
	}
	for (size_t i = 0; i < record->workload_count; i++)
		json_object_set_new(
			workloads, record->workloads[i].name, facts_to_json(&record->workloads[i].facts));
	json_object_set_new(root, "schema", json_string("flagstone.facts/1"));
	json_object_set_new(root, "id", json_safe_string(record->id));
	json_object_set_new(root, "harness", facts_to_json(&record->harness));
	json_object_set_new(root, "project", facts_to_json(&record->project));
	json_object_set_new(root, "host", facts_to_json(&record->host));
	json_object_set_new(root, "toolchains", toolchains);
	json_object_set_new(root, "workloads", workloads);
	common_print_json(root);
}

static void add_indented(struct buf *out, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		buf_adds(out, "    ");
		text_escape(out, text, n, false);
		buf_addc(out, '\n');
		text += n + (text[n] == '\n');
	}
}

/* Links under the build's first name: a second arm has as many of its own. */
static size_t own_layouts(const struct record_build *build)
{
	size_t own = 0;

	for (size_t i = 0; i < build->layout_count; i++)
		own += build->layouts[i].arm == 0;
	return own;
}

static void add_build(struct buf *out, const struct record_build *build, struct arena *arena)
{
	size_t own = own_layouts(build);

	buf_addf(out, "%s: %s%s%s\n", text_safe(arena, build->cell), cell_status_text(build->status),
		build->reason != NULL ? ": " : "",
		build->reason != NULL ? text_safe(arena, build->reason) : "");
	buf_addf(out, "  content %s\n",
		build->content_hash != NULL ? text_safe(arena, build->content_hash) : "unknown");
	buf_addf(out, "  code    %s\n",
		build->code_hash != NULL ? text_safe(arena, build->code_hash) : "unknown");
	buf_addf(out, "  layouts %zu", own);
	if (build->layout_count > own)
		buf_addf(out, ", and %zu of a second arm", build->layout_count - own);
	buf_addc(out, '\n');
	if (build->commands.n > 0)
		buf_adds(out, "  commands\n");
	for (size_t i = 0; i < build->commands.n; i++)
		add_indented(out, build->commands.v[i]);
	if (build->facts.n > 0)
		buf_adds(out, "  facts\n");
	for (size_t i = 0; i < build->facts.n; i++) {
		const struct fact *fact = &build->facts.v[i];
		const char *value = fact->value != NULL
					    ? fact->value[0] != '\0' ? fact->value : "(none)"
					    : arena_printf(arena, "unknown: %s",
						      fact->reason != NULL ? fact->reason : "no reason");

		buf_addf(out, "    %s = %s\n", text_safe(arena, fact->key), text_safe(arena, value));
	}
	if (build->log_excerpt != NULL && build->log_excerpt[0] != '\0') {
		buf_adds(out, "  what the tools said\n");
		add_indented(out, build->log_excerpt);
	}
	buf_addc(out, '\n');
}

static json_t *build_json(const struct record_build *build)
{
	json_t *object = json_object();

	json_object_set_new(object, "cell", json_safe_string(build->cell));
	json_object_set_new(object, "status", json_string(cell_status_text(build->status)));
	json_object_set_new(object, "reason", json_safe_string(build->reason));
	json_object_set_new(object, "content_hash", json_safe_string(build->content_hash));
	json_object_set_new(object, "code_hash", json_safe_string(build->code_hash));
	json_object_set_new(object, "build_id", json_safe_string(build->build_id));
	json_object_set_new(object, "commands", json_safe_words(&build->commands));
	json_object_set_new(object, "facts", facts_to_json(&build->facts));
	json_object_set_new(object, "layouts", json_integer((json_int_t)own_layouts(build)));
	json_object_set_new(object, "second_arm_layouts",
		json_integer((json_int_t)(build->layout_count - own_layouts(build))));
	json_object_set_new(object, "check_value", json_safe_string(build->check_value));
	json_object_set_new(object, "log", json_safe_string(build->log_excerpt));
	return object;
}

static void print_builds(struct cli *cli, const struct record *record)
{
	struct buf out = {0};
	json_t *root, *builds;

	if (!cli->args.json) {
		for (size_t i = 0; i < record->build_count; i++)
			add_build(&out, &record->builds[i], &cli->arena);
		terminal_print(&out);
		buf_release(&out);
		return;
	}
	root = json_object();
	builds = json_array();
	for (size_t i = 0; i < record->build_count; i++)
		json_array_append_new(builds, build_json(&record->builds[i]));
	json_object_set_new(root, "schema", json_string("flagstone.builds/1"));
	json_object_set_new(root, "id", json_safe_string(record->id));
	json_object_set_new(root, "builds", builds);
	common_print_json(root);
}

static void print_table(struct cli *cli, const struct record *record, const char *path, enum format format)
{
	struct result result = {0};
	struct buf out = {0};

	result_add(cli, record, path, format, &result, &out);
	terminal_print(&out);
	buf_release(&out);
}

static int check_arguments(const struct arguments *args, enum format *format, struct error *e)
{
	if (common_format(args, format, e) != 0)
		return -1;
	if (args->facts + (args->samples || args->plot) + args->builds > 1)
		return error_set(e, EXIT_USAGE, "give only one of --facts, --samples, --builds");
	if (args->plot && *format != FORMAT_TERMINAL)
		return error_set(e, EXIT_USAGE,
			"--plot draws for a terminal: leave it or --json, --csv, --markdown out");
	if (args->samples && args->json)
		return error_set(
			e, EXIT_USAGE, "samples are printed as CSV; the record itself is JSON: zcat it");
	if ((args->facts || args->builds) && (args->csv || args->markdown))
		return error_set(e, EXIT_USAGE, "facts and builds are printed as text or with --json only");
	if (args->session.only.n > 0 && (args->facts || args->builds))
		return error_set(e, EXIT_USAGE,
			"--only chooses rows of the table, or samples; leave it or --facts, --builds out");
	if (args->samples && args->markdown)
		return error_set(e, EXIT_USAGE, "samples are printed as CSV only");
	return 0;
}

static enum exit_code show(struct cli *cli)
{
	const char *name = cli->args.words.n > 0 ? cli->args.words.v[0] : "latest";
	struct record *record;
	enum format format;
	struct error e = {0};
	const char *path;

	if (check_arguments(&cli->args, &format, &e) != 0 ||
		common_record(cli, name, &path, &record, &e) != 0)
		return error_print(&e);
	if (within_check_patterns(record, &cli->args.session.only, &e) != 0) {
		record_release(record);
		return error_print(&e);
	}
	if (cli->args.facts)
		print_facts(cli, record);
	else if (cli->args.plot ||
		 (cli->args.samples && format == FORMAT_TERMINAL && terminal_of(STDOUT_FILENO).is_terminal))
		plot_samples(cli, record);
	else if (cli->args.samples)
		print_samples(cli, record);
	else if (cli->args.builds)
		print_builds(cli, record);
	else
		print_table(cli, record, path, format);
	record_release(record);
	return EXIT_YES;
}

const struct command cmd_show = {
	.name = "show",
	.words = "[RECORD]",
	.words_max = 1,
	.title = "one record: its table, facts, builds or samples",
	.text = "Prints what a record of the archive says (default: the latest run). Verdicts are computed "
		"from the samples "
		"each time, so that the same record gives the same table, and a later flagstone may do "
		"better.",
	.example = "flagstone show\nflagstone show latest~1 --facts\nflagstone show 3f2a --samples "
		   ">samples.csv\n"
		   "flagstone show --samples --only matmul/gcc",
	.options = OPTION_TABLE(options),
	.run = show,
};
