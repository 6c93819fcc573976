#include <string.h>

#include "base/num.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/plan_print.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "cli/bundle_print.h"
#include "session/layout_again.h"
#include "sys/process.h"

static const struct cli_option options[] = {
	{.name = "verify",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(verify),
		.help = "Build everything a second time from nothing and say what differs; exit code 1 if "
			"anything does"},
	{.name = "layouts",
		.kind = OPTION_COUNT,
		.offset = OPTION_AT(session.layouts),
		.value = "N",
		.min = 1,
		.max = BUILD_LAYOUTS,
		.allowed = "a number from 1 to 1024",
		.help = "Link this many layouts of each build, too, as a run does before it measures"},
	{.name = "layout",
		.kind = OPTION_HEX,
		.offset = OPTION_AT(layout),
		.value = "SEED",
		.max = HASH_HEX - 1,
		.allowed = "64 hex digits, as a record has them in builds[].layouts[].seed",
		.help = "Make one layout of a record again, bit for bit: the build and the link that have "
			"this "
			"seed; says where the program is and holds it against the record"},
	{.name = "bundle",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(bundle),
		.value = "FILE",
		.help = "Pack the programs of all layouts, the checks, units of work and facts into one "
			"file, "
			"which `flagstone run --bundle FILE` measures on another machine without a compiler; "
			"flagstone itself is in it"},
	OPTION_ONLY,
	OPTION_JOBS,
	OPTION_FRESH,
	OPTION_JSON,
};

struct call {
	struct cli *cli;
	struct progress progress;
	struct session session;
	struct words *differences;    /* one a cell, filled by --verify */
	struct build_layout *layouts; /* args.session.layouts a cell, in the order of the cells */
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

/* --layouts: all of them, as a run would. */
static int link_layouts(struct call *call, struct error *e)
{
	struct session *session = &call->session;
	uint32_t per_cell = call->cli->args.session.layouts;
	size_t cells = session->plan.cell_count, count = 0;
	struct build_layout *wanted = arena_array(&call->cli->arena, cells * per_cell, sizeof(*wanted));

	call->layouts = arena_array(&call->cli->arena, cells * per_cell, sizeof(*call->layouts));
	for (size_t i = 0; i < cells; i++)
		for (uint32_t k = 0; k < per_cell && session->builds[i].ok; k++)
			wanted[count++] = (struct build_layout){.build = &session->builds[i], .layout = k};
	if (builder_link(session->builder, wanted, count, 0, e) != 0)
		return -1;
	count = 0;
	for (size_t i = 0; i < cells; i++)
		for (uint32_t k = 0; k < per_cell && session->builds[i].ok; k++)
			call->layouts[i * per_cell + k] = wanted[count++];
	return 0;
}

/* Those of a cell that could be linked; *reason: why the first that could not be was not. */
static uint32_t linked_layouts(const struct call *call, size_t cell, const char **reason)
{
	uint32_t per_cell = call->cli->args.session.layouts, linked = 0;

	*reason = NULL;
	for (uint32_t k = 0; k < per_cell && call->session.builds[cell].ok; k++) {
		const struct build_layout *layout = &call->layouts[cell * per_cell + k];

		linked += layout->path != NULL;
		if (layout->path == NULL && *reason == NULL)
			*reason = layout->reason;
	}
	return linked;
}

static const char *layouts_text(const struct call *call, size_t cell)
{
	struct arena *arena = &call->cli->arena;
	const char *reason;
	uint32_t linked = linked_layouts(call, cell, &reason);

	return reason != NULL ? arena_printf(arena, "%u of %u layouts: %s", linked,
					call->cli->args.session.layouts, reason)
			      : arena_printf(arena, "%u layout%s", linked, text_plural(linked));
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
				  : call->layouts != NULL   ? layouts_text(call, i)
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

/* null: not asked for. */
static json_t *layouts_json(const struct call *call, size_t cell)
{
	uint32_t per_cell = call->cli->args.session.layouts;
	json_t *array = json_array();

	if (call->layouts == NULL) {
		json_decref(array);
		return json_null();
	}
	for (uint32_t k = 0; k < per_cell && call->session.builds[cell].ok; k++) {
		const struct build_layout *layout = &call->layouts[cell * per_cell + k];
		bool linked = layout->path != NULL;
		json_t *object = json_object();

		json_object_set_new(object, "layout", json_integer(layout->layout));
		json_object_set_new(object, "seed", json_string(layout->seed));
		json_object_set_new(object, "binary", json_safe_string(layout->path));
		json_object_set_new(object, "sha256", json_safe_string(linked ? layout->sha256 : NULL));
		json_object_set_new(object, "reason", json_safe_string(linked ? NULL : layout->reason));
		json_array_append_new(array, object);
	}
	return array;
}

/* bundle: what --bundle wrote, or null. */
static void print_json(struct call *call, json_t *bundle)
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
		json_object_set_new(object, "commands", json_safe_words(&build->commands));
		json_object_set_new(object, "facts", facts_to_json(&build->facts));
		json_object_set_new(object, "differences",
			call->cli->args.verify && build->ok ? json_safe_words(&call->differences[i])
							    : json_null());
		json_object_set_new(object, "layouts", layouts_json(call, i));
		json_array_append_new(builds, object);
	}
	json_object_set_new(root, "schema", json_string("flagstone.build/1"));
	json_object_set_new(root, "matrix", json_safe_string(session->matrix.name));
	json_object_set_new(root, "builds", builds);
	json_object_set_new(root, "bundle", bundle);
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
		else if (call->cli->args.session.layouts > 0)
			result = link_layouts(call, &e);
	}
	progress_clear(&call->progress);
	if (result != 0)
		return error_print(&e);
	if (call->cli->args.json)
		print_json(call, json_null());
	else
		print_text(call);
	code = build_code(&call->session);
	if (code == EXIT_CANNOT)
		say_nothing_built(&call->session);
	return differ ? exit_combine(code, EXIT_NO) : code;
}

static void print_again(const struct call *call, const struct session_layout *again)
{
	struct table table;
	struct buf out = {0};

	table_init(&table, &call->cli->arena, 2);
	table_add(&table, "cell");
	table_add(&table, again->cell);
	table_add(&table, "layout");
	if (again->arm == 0)
		table_addf(&table, "%u", again->layout);
	else
		table_addf(&table, "%u of arm %u", again->layout, again->arm);
	table_add(&table, "program");
	table_add(&table, again->path);
	table_add(&table, "sha256");
	table_add(&table, again->sha256);
	table_add(&table, "record");
	if (again->record_id == NULL)
		table_add(&table,
			"none in the archive names this seed, so there is nothing to hold it against");
	else
		table_addf(&table, "%.12s: %s%s", again->record_id,
			strcmp(again->sha256, again->record_sha256) == 0 ? "the same file" : "another file, ",
			strcmp(again->sha256, again->record_sha256) == 0 ? "" : again->record_sha256);
	table_write(&table, &out);
	terminal_print(&out);
	buf_release(&out);
}

static void print_again_json(const struct call *call, const struct session_layout *again)
{
	json_t *root = json_object(), *record = json_null();

	if (again->record_id != NULL) {
		record = json_object();
		json_object_set_new(record, "id", json_string(again->record_id));
		json_object_set_new(record, "path", json_safe_string(again->record_path));
		json_object_set_new(record, "sha256", json_safe_string(again->record_sha256));
	}
	json_object_set_new(root, "schema", json_string("flagstone.layout/1"));
	json_object_set_new(root, "matrix", json_safe_string(call->session.matrix.name));
	json_object_set_new(root, "cell", json_safe_string(again->cell));
	json_object_set_new(root, "arm", json_integer(again->arm));
	json_object_set_new(root, "layout", json_integer(again->layout));
	json_object_set_new(root, "seed", json_safe_string(call->cli->args.layout));
	json_object_set_new(root, "binary", json_safe_string(again->path));
	json_object_set_new(root, "sha256", json_safe_string(again->sha256));
	json_object_set_new(root, "record", record);
	common_print_json(root);
}

/* --layout: 1 where the record that names it has another file. */
static enum exit_code build_again(struct call *call)
{
	struct session_layout again;
	struct error e = {0};
	int result = session_layout_again(&call->session, call->cli->args.layout, &again, &e);

	progress_clear(&call->progress);
	if (result != 0)
		return error_print(&e);
	if (call->cli->args.json)
		print_again_json(call, &again);
	else
		print_again(call, &again);
	return again.record_id == NULL || strcmp(again.sha256, again.record_sha256) == 0 ? EXIT_YES : EXIT_NO;
}

static enum exit_code build_bundle(struct call *call)
{
	struct session *session = &call->session;
	struct session_bundle_made made;
	struct error e = {0};
	enum exit_code code;
	int result = session_bundle(session, call->cli->args.bundle, &made, &e);

	progress_clear(&call->progress);
	if (result != 0)
		return error_print(&e);
	call->differences =
		arena_array(&call->cli->arena, session->plan.cell_count, sizeof(*call->differences));
	if (call->cli->args.json)
		print_json(call, bundle_json(&made));
	else
		bundle_print(session, &made);
	code = build_code(session);
	if (code == EXIT_CANNOT)
		say_nothing_built(session);
	return code;
}

static int check_arguments(const struct arguments *args, struct error *e)
{
	if (args->bundle != NULL && (args->verify || args->layout != NULL))
		return error_set(e, EXIT_USAGE, "--bundle packs what a run would measure; leave %s away",
			args->verify ? "--verify" : "--layout");
	if (args->bundle != NULL && plan_check_layouts(args, e) != 0)
		return -1;
	if (args->layout != NULL && (args->verify || args->session.layouts > 0))
		return error_set(e, EXIT_USAGE, "--layout makes one layout again; leave %s away",
			args->verify ? "--verify" : "--layouts");
	if (args->verify && args->session.layouts > 0)
		return error_set(e, EXIT_USAGE,
			"--verify compares canonical programs, not layouts; leave --verify or --layouts "
			"away");
	return 0;
}

static enum exit_code build(struct cli *cli)
{
	struct error e = {0};
	const char *matrix = cli->args.words.n > 0 ? cli->args.words.v[0] : "quick";
	struct call call = {.cli = cli};
	struct session_events events = progress_events(&call.progress);
	enum exit_code code = EXIT_YES;

	if (check_arguments(&cli->args, &e) != 0)
		return error_print(&e);
	progress_init(&call.progress, cli->args.quiet, cli->args.verbose);
	if (common_open(cli, matrix, true, &events, &call.session, &code) != 0)
		return code;
	process_catch_signals();
	code = cli->args.bundle != NULL	  ? build_bundle(&call)
	       : cli->args.layout != NULL ? build_again(&call)
					  : build_all(&call);
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
		"cache by all that goes into them, so that a later run takes them from there.\n\n"
		"A run links each build several times with its code and data placed otherwise, since that "
		"alone "
		"changes speed by some per cent; each such layout follows from a seed, which the record "
		"keeps. "
		"With --layout SEED that program is made again, to look at it or to run it under a "
		"profiler.\n\n"
		"With --bundle FILE the programs go into one file for another machine of the same "
		"architecture, "
		"or for another kernel or distribution: there, `flagstone run --bundle FILE` measures them, "
		"or, where "
		"there is no flagstone, the run.sh in it (tar xzf FILE, then flagstone-bundle/run.sh). The "
		"same "
		"files run on both sides, so that what differs is the machine: the cleanest comparison of "
		"two "
		"machines there is. A bundle holds programs: run only one that you would run a program of.",
	.example = "flagstone build\nflagstone build quick --verify --only lz77/gcc\n"
		   "flagstone build quick --layouts 16\nflagstone build quick --bundle quick.tar.gz",
	.options = OPTION_TABLE(options),
	.run = build,
};
