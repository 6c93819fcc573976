#include "session/exec.h"

#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "host/host.h"
#include "measure/sample.h"
#include "session/run.h"

enum { LISTED = 20, HOST_TEXT_LIMIT = 64 };

static int several(const struct session *session, const char *pattern, struct error *e)
{
	struct words names = {0};
	size_t count = 0;

	for (size_t i = 0; i < session->plan.cell_count; i++) {
		const char *name = session->plan.cells[i].name;

		if (plan_cell_matches(pattern, name) && count++ < LISTED)
			words_add(&names, session->arena, name);
	}
	error_set(e, EXIT_USAGE, "\"%s\" matches %zu cells of matrix %s, one is needed: %s", pattern, count,
		session->matrix.name, words_join(&names, session->arena));
	return count > LISTED ? error_advice(e, "and %zu more", count - LISTED) : -1;
}

/* The plan becomes that one cell: nothing else is built. The baselines of --only are not meant. */
static int choose(struct session *session, const char *pattern, struct error *e)
{
	struct plan *plan = &session->plan;
	struct plan_cell *cell = arena_new(session->arena, struct plan_cell);
	size_t count = 0;

	for (size_t i = 0; i < plan->cell_count; i++)
		if (plan_cell_matches(pattern, plan->cells[i].name) && count++ == 0)
			*cell = plan->cells[i];
	if (count == 0)
		return error_set(
			e, EXIT_USAGE, "no cell of matrix %s matches \"%s\"", session->matrix.name, pattern);
	if (count > 1)
		return several(session, pattern, e);
	if (cell->reason != NULL)
		return error_set(e, EXIT_CANNOT, "%s cannot exist here: %s", cell->name, cell->reason);
	cell->baseline_index = -1;
	plan->cells = cell;
	plan->cell_count = plan->possible = 1;
	return 0;
}

static int parse_layout(
	const struct build *build, const char *text, uint32_t *arm, uint32_t *layout, struct error *e)
{
	uint64_t number;

	*arm = 0;
	if (strlen(text) == HASH_HEX - 1 && strspn(text, "0123456789abcdef") == HASH_HEX - 1)
		return build_layout_find(build->content_hash, text, arm, layout)
			       ? 0
			       : error_set(e, EXIT_CANNOT,
					 "no layout of this build has the seed %s: seeds follow from "
					 "sources, flags and compiler, and the record that names it had "
					 "others",
					 text);
	if (!num_parse_u64(text, &number) || number >= BUILD_LAYOUTS)
		return error_set(e, EXIT_USAGE,
			"--layout: \"%s\" is not a value it takes; allowed: a number from 0 to %d, the 64 "
			"hex digits of a layout's seed, canonical",
			text, BUILD_LAYOUTS - 1);
	*layout = (uint32_t)number;
	return 0;
}

static int link_it(struct session *session, const char *text, struct session_exec *out, struct error *e)
{
	struct build *build = &session->builds[0];
	struct build_layout layout = {.build = build};

	if (text != NULL && strcmp(text, "canonical") == 0) {
		out->layout = "canonical link";
		out->program = build->binary;
		return 0;
	}
	if (parse_layout(build, text != NULL ? text : "0", &layout.arm, &layout.layout, e) != 0 ||
		builder_link(session->builder, &layout, 1, 0, e) != 0)
		return -1;
	out->layout = layout.arm == 0 ? arena_printf(session->arena, "layout %u", layout.layout)
				      : arena_printf(session->arena, "layout %u of arm %u", layout.layout,
						layout.arm);
	out->seed = arena_strdup(session->arena, layout.seed);
	if (layout.path == NULL)
		return error_set(
			e, EXIT_CANNOT, "linking %s of %s: %s", out->layout, out->cell->name, layout.reason);
	out->program = layout.path;
	return 0;
}

static int build_it(struct session *session, struct error *e)
{
	const struct build *build;

	if (session_build(session, e) != 0)
		return -1;
	build = &session->builds[0];
	if (build->ok)
		return 0;
	error_set(e, EXIT_CANNOT, "%s could not be built: %s", session->plan.cells[0].name, build->reason);
	return build->log != NULL ? error_advice(e, "log: %s", build->log) : -1;
}

/* For reading; without one there are no units to take from it. */
static void open_archive(struct run *run)
{
	struct session *session = run->session;
	struct archive *archive = arena_new(run->arena, struct archive);
	struct buf random = {0};

	if (archive_open(archive, run->arena, session->archive_folder, false, NULL) != 0)
		return;
	run->archive = archive;
	if (session->host_name == NULL &&
		file_read(file_join(run->arena, archive->root, ".host"), HOST_TEXT_LIMIT, &random, NULL) == 0)
		session->host_name = host_name(&session->host, buf_text(&random), run->arena, NULL);
	run->record->host_name = session->host_name;
	buf_release(&random);
}

static int find_units(struct run *run, struct error *e)
{
	struct session *session = run->session;
	char *spawner = spawner_find_helper(run->arena, "spawner", e);

	if (spawner == NULL || measurer_init(&run->measurer, spawner, &session->pin_order,
				       run->record->plan.seed, run->arena, e) != 0)
		return -1;
	run->measuring = true;
	run->measurer.timeout_ns = run->settings.timeout_ns;
	if (run_calibrate(run, e) != 0)
		return -1;
	if (run->items[0].open)
		return 0;
	error_set(e, EXIT_CANNOT, "%s: %s: %s", session->plan.cells[0].name,
		cell_status_text(run->record->builds[0].status), run->record->builds[0].reason);
	return error_advice(e, "--units N says how much work it is to do, and nothing is tried before");
}

static int prepare(struct run *run, const struct session_exec_options *options, struct session_exec *out,
	struct error *e)
{
	struct session *session = run->session;
	struct run_item *item = run->items = arena_new(run->arena, struct run_item);
	const char **path = arena_new(run->arena, const char *);

	if (run_describe(run, NULL, e) != 0 || build_it(session, e) != 0 ||
		link_it(session, options->layout, out, e) != 0)
		return -1;
	run_describe_builds(run);
	open_archive(run);
	*path = out->program;
	*item = (struct run_item){.open = true, .paths = path};
	run->item_count = 1;
	if (options->units == 0)
		return find_units(run, e);
	item->units = arena_new(run->arena, struct run_units);
	item->units->units = options->units;
	return 0;
}

static void fill(const struct run *run, struct session_exec *out)
{
	struct arena *arena = run->arena;
	struct measure_item item = run_measure_item(run, &run->items[0], 0);
	uint32_t bytes;

	sample_words(&item, arena, &out->arguments);
	sample_add_start(0, 0, arena, &out->arguments);
	out->stdin_path = item.stdin_path;
	for (char **entry = sample_environment_of(&item.env, 0, arena, &bytes); *entry != NULL; entry++)
		words_add(&out->env, arena, *entry);
	out->cpu = run->session->pin_order.v[0];
	out->closed = sample_descriptors;
	out->units = run->items[0].units->units;
	out->units_from = run->items[0].units->from;
}

int session_exec(struct session *session, const struct session_exec_options *options,
	struct session_exec *out, struct error *e)
{
	struct run run = {.session = session, .arena = session->arena, .lock = {.fd = -1}};
	int result = -1;

	memset(out, 0, sizeof(*out));
	run.settings = session_settings(session);
	if (choose(session, options->cell, e) != 0)
		return -1;
	out->cell = &session->plan.cells[0];
	if (lock_take(&run.lock,
		    arena_printf(session->arena, "flagstone exec %s", session->plan.cells[0].name),
		    session->options.lock_wait_ns, e) == 0) {
		result = prepare(&run, options, out, e);
		if (result == 0)
			fill(&run, out);
	}
	if (run.measuring)
		measurer_release(&run.measurer);
	lock_release(&run.lock);
	if (run.record != NULL)
		record_release(run.record);
	return result;
}
