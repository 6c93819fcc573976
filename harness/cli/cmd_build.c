#include <string.h>

#include "base/num.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/plan_print.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "sys/process.h"

static const struct cli_option options[] = {
	{.name = "verify",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(verify),
		.help = "Build everything a second time from nothing and say what differs; exit code 1 if "
			"anything does"},
	OPTION_ONLY,
	OPTION_JOBS,
	OPTION_FRESH,
	OPTION_JSON,
};

struct call {
	struct cli *cli;
	struct progress progress;
	struct session session;
	struct words *differences; /* one a cell, filled by --verify */
};

static const char *status(const struct build *build)
{
	return build->reason != NULL && build->content_hash[0] == '\0' ? "cannot exist here"
	       : !build->ok					       ? "failed"
	       : build->cached					       ? "from the cache"
								       : "built";
}

static enum exit_code build_code(const struct session *session)
{
	bool ok = false, failed = false;

	for (size_t i = 0; i < session->plan.cell_count; i++) {
		ok |= session->builds[i].ok;
		failed |= session->plan.cells[i].reason == NULL && !session->builds[i].ok;
	}
	return !ok ? EXIT_CANNOT : failed ? EXIT_CELL_FAILED : EXIT_YES;
}

static void say_nothing_built(const struct session *session)
{
	struct error e;

	if (session->plan.possible == 0) {
		plan_impossible(session);
		return;
	}
	error_set(&e, EXIT_CANNOT, "nothing was built: all %zu cell%s that can exist here failed",
		session->plan.possible, text_plural(session->plan.possible));
	error_print(&e);
}

/* Cells with other copies or args share their build: it is verified once. */
static size_t first_with(const struct session *session, size_t cell)
{
	size_t i = 0;

	while (strcmp(session->builds[i].content_hash, session->builds[cell].content_hash) != 0)
		i++;
	return i;
}

static int verify(struct call *call, bool *differ, struct error *e)
{
	const struct session *session = &call->session;

	for (size_t i = 0; i < session->plan.cell_count; i++) {
		struct session_progress progress = {
			.what = "verify", .done = i, .total = session->plan.cell_count, .left_ns = -1};
		size_t first;

		if (!session->builds[i].ok)
			continue;
		first = first_with(session, i);
		progress_tell(&call->progress, &progress);
		if (first != i)
			call->differences[i] = call->differences[first];
		else if (builder_verify(session->builder, &session->builds[i], &call->differences[i], e) != 0)
			return error_context(e, "verifying %s", session->plan.cells[i].name);
		*differ |= call->differences[i].n > 0;
	}
	return 0;
}

static const char *seconds(const struct build *build, struct arena *arena)
{
	const char *wall = facts_value(&build->facts, "build.wall_ns");
	char text[NUM_SIZE];
	uint64_t ns;

	if (wall == NULL || !num_parse_u64(wall, &ns))
		return "";
	num_duration((int64_t)ns, text);
	return arena_strdup(arena, text);
}

static void print_text(struct call *call)
{
	const struct session *session = &call->session;
	struct arena *arena = &call->cli->arena;
	struct table table;
	struct buf out = {0};

	table_init(&table, arena, 4);
	table.right[2] = true;
	for (size_t i = 0; i < session->plan.cell_count; i++) {
		const struct build *build = &session->builds[i];
		const struct words *differences = &call->differences[i];

		table_add(&table, session->plan.cells[i].name);
		table_add(&table, status(build));
		table_add(&table, seconds(build, arena));
		table_add(&table, !build->ok		    ? build->reason
				  : !call->cli->args.verify ? ""
				  : differences->n == 0	    ? "the same again"
							    : differences->v[0]);
		for (size_t k = 1; k < differences->n; k++) {
			table_add(&table, "");
			table_add(&table, "");
			table_add(&table, "");
			table_add(&table, differences->v[k]);
		}
	}
	table_write(&table, &out);
	terminal_print(&out);
	buf_release(&out);
}

static void print_json(struct call *call)
{
	const struct session *session = &call->session;
	json_t *root = json_object(), *builds = json_array();

	for (size_t i = 0; i < session->plan.cell_count; i++) {
		const struct build *build = &session->builds[i];
		json_t *object = json_object();
		const char *hash = build->content_hash[0] != '\0' ? build->content_hash : NULL;

		json_object_set_new(object, "cell", json_safe_string(session->plan.cells[i].name));
		json_object_set_new(object, "status", json_string(status(build)));
		json_object_set_new(object, "reason", json_safe_string(build->ok ? NULL : build->reason));
		json_object_set_new(object, "content_hash", json_safe_string(hash));
		json_object_set_new(object, "code_hash", json_safe_string(build->code_hash));
		json_object_set_new(object, "binary", json_safe_string(build->ok ? build->binary : NULL));
		json_object_set_new(object, "log", json_safe_string(build->log));
		json_object_set_new(object, "commands", common_json_words(&build->commands));
		json_object_set_new(object, "facts", facts_to_json(&build->facts));
		json_object_set_new(object, "differences",
			call->cli->args.verify && build->ok ? common_json_words(&call->differences[i])
							    : json_null());
		json_array_append_new(builds, object);
	}
	json_object_set_new(root, "schema", json_string("flagstone.build/1"));
	json_object_set_new(root, "matrix", json_safe_string(session->matrix.name));
	json_object_set_new(root, "builds", builds);
	common_print_json(root);
}

static enum exit_code build_all(struct call *call)
{
	struct error e = {0};
	enum exit_code code;
	bool differ = false;
	int result = session_build(&call->session, &e);

	if (result == 0) {
		call->differences = arena_array(
			&call->cli->arena, call->session.plan.cell_count, sizeof(*call->differences));
		if (call->cli->args.verify)
			result = verify(call, &differ, &e);
	}
	progress_clear(&call->progress);
	if (result != 0)
		return error_print(&e);
	if (call->cli->args.json)
		print_json(call);
	else
		print_text(call);
	code = build_code(&call->session);
	if (code == EXIT_CANNOT)
		say_nothing_built(&call->session);
	return differ ? exit_combine(code, EXIT_NO) : code;
}

static enum exit_code build(struct cli *cli)
{
	const char *matrix = cli->args.words.n > 0 ? cli->args.words.v[0] : "quick";
	struct call call = {.cli = cli};
	struct session_events events = progress_events(&call.progress);
	enum exit_code code = EXIT_YES;

	progress_init(&call.progress, cli->args.quiet, cli->args.verbose);
	if (common_open(cli, matrix, true, &events, &call.session, &code) != 0)
		return code;
	process_catch_signals();
	code = build_all(&call);
	session_close(&call.session);
	return code;
}

const struct command cmd_build = {
	.name = "build",
	.words = "[MATRIX]",
	.words_max = 1,
	.title = "build only, or hold two builds against each other",
	.text = "Compiles and links the cells of a matrix (default: quick) and says what became of each. "
		"Builds are kept in a "
		"cache by all that goes into them, so that a later run takes them from there.",
	.example = "flagstone build\nflagstone build quick --verify --only lz77/gcc",
	.options = OPTION_TABLE(options),
	.run = build,
};
