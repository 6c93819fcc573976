#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/run_options.h"
#include "cli/table.h"

static const struct cli_option options[] = {OPTION_JSON};

/* Prints a list: its text for people, or the JSON array under its name. Takes the text and the array. */
static void print_list(
	struct cli *cli, const struct session *session, const char *kind, struct buf *text, json_t *list)
{

	if (cli->args.json) {
		json_t *root = json_object();

		json_object_set_new(root, "schema", json_string("flagstone.list/1"));
		json_object_set_new(root, kind, list);
		json_object_set_new(root, "shadowed", json_safe_words(&session->project.shadowed));
		common_print_json(root);
	} else {
		json_decref(list);
		for (size_t i = 0; i < session->project.shadowed.n; i++)
			buf_addf(text, "note: %s\n", text_safe(&cli->arena, session->project.shadowed.v[i]));
		terminal_print(text);
	}
	buf_release(text);
}

/* An empty list is printed as one; why it is empty is no result. */
static void say_none(struct cli *cli, const struct session *session, const char *kind, size_t n)
{
	if (n == 0 && !cli->args.quiet)
		remark_print(
			arena_printf(&cli->arena, "no %s in %s/%s", kind, session->project_folder, kind));
}

static enum exit_code list_workloads(struct cli *cli, const struct session *session)
{
	struct table table;
	struct buf out = {0};
	json_t *list = json_array();

	table_init(&table, &cli->arena, 5);
	for (size_t i = 0; i < session->project.workload_count; i++) {
		const struct spec_workload *workload = &session->project.workloads[i];
		json_t *object = json_object();

		table_add(&table, workload->name);
		table_add(&table, workload->unit);
		table_add(&table, words_between(&workload->tags, ",", &cli->arena));
		table_add(&table, workload->installed ? "installed" : "project");
		table_add(&table, workload->title);
		json_object_set_new(object, "name", json_safe_string(workload->name));
		json_object_set_new(object, "title", json_safe_string(workload->title));
		json_object_set_new(object, "tags", json_safe_words(&workload->tags));
		json_object_set_new(object, "unit", json_safe_string(workload->unit));
		json_object_set_new(
			object, "better", json_string(workload->lower_is_better ? "lower" : "higher"));
		json_object_set_new(object, "parameters", json_safe_words(&workload->parameter_names));
		json_object_set_new(object, "folder", json_safe_string(workload->folder));
		json_object_set_new(object, "installed", json_boolean(workload->installed));
		json_array_append_new(list, object);
	}
	table_write(&table, &out);
	print_list(cli, session, "workloads", &out, list);
	say_none(cli, session, "workloads", session->project.workload_count);
	return EXIT_YES;
}

static const char *tri_text(enum tri tri)
{
	return tri == TRI_YES ? "yes" : tri == TRI_NO ? "no" : "unknown";
}

/* One answer of a probe as a line below its toolchain, with the reason where it is not yes. */
static void add_probe(
	struct buf *out, struct arena *arena, const char *what, enum tri answer, const char *reason)
{
	buf_addf(out, "    %s: %s", what, tri_text(answer));
	if (answer != TRI_YES && reason != NULL)
		buf_addf(out, ", %s", text_safe(arena, reason));
	buf_addc(out, '\n');
}

static void add_toolchain(struct buf *out, struct arena *arena, const struct toolchain *t)
{
	static const char foreign[] = "its programs are for another machine, and no runner is named";

	buf_addf(out, "%s\n", text_safe(arena, words_between(&t->slots, "  ", arena)));
	buf_addf(out, "    %s %s for %s: %s\n", text_safe(arena, t->family), text_safe(arena, t->version),
		text_safe(arena, t->target), text_safe(arena, words_join(&t->cc, arena)));
	buf_addf(out, "    identity: %.12s\n", t->identity);
	add_probe(out, arena, "LTO", t->lto, t->lto_reason);
	add_probe(out, arena, "static C library", t->static_libc, t->static_reason);
	if (!t->native)
		add_probe(out, arena, "runs here", t->runner.n > 0 ? TRI_YES : TRI_NO, foreign);
}

static json_t *probe_json(enum tri answer, const char *reason)
{
	json_t *object = json_object();

	json_object_set_new(object, "answer", json_string(tri_text(answer)));
	json_object_set_new(object, "reason", json_safe_string(answer == TRI_YES ? NULL : reason));
	return object;
}

static json_t *toolchain_json(const struct toolchain *t)
{
	json_t *object = json_object();

	json_object_set_new(object, "slots", json_safe_words(&t->slots));
	json_object_set_new(object, "names", json_safe_words(&t->names));
	json_object_set_new(object, "family", json_safe_string(t->family));
	json_object_set_new(object, "version", json_safe_string(t->version));
	json_object_set_new(object, "target", json_safe_string(t->target));
	json_object_set_new(object, "identity", json_safe_string(t->identity));
	json_object_set_new(object, "cc", json_safe_words(&t->cc));
	json_object_set_new(object, "cxx", json_safe_words(&t->cxx));
	json_object_set_new(object, "cxx_reason", json_safe_string(t->cxx.n > 0 ? NULL : t->cxx_reason));
	json_object_set_new(object, "native", json_boolean(t->native));
	json_object_set_new(object, "lto", probe_json(t->lto, t->lto_reason));
	json_object_set_new(object, "static_libc", probe_json(t->static_libc, t->static_reason));
	json_object_set_new(object, "gnu_asm", probe_json(t->gnu_asm, t->gnu_asm_reason));
	json_object_set_new(object, "facts", facts_to_json(&t->facts));
	return object;
}

static enum exit_code list_toolchains(struct cli *cli, const struct session *session)
{
	const struct toolchains *found = &session->toolchains;
	struct buf out = {0};
	json_t *list = json_array();

	for (size_t i = 0; i < found->n; i++) {
		add_toolchain(&out, &cli->arena, found->v[i]);
		json_array_append_new(list, toolchain_json(found->v[i]));
	}
	print_list(cli, session, "toolchains", &out, list);
	for (size_t i = 0; i < found->notes.n && !cli->args.quiet; i++)
		remark_print(found->notes.v[i]);
	if (session->project.family_count == 0)
		remark_print(
			"no toolchain families: toolchains/*.yaml are neither in the project nor installed");
	else if (found->n == 0)
		remark_print(arena_printf(&cli->arena, "no compiler was found in PATH=%s", found->path));
	return found->n > 0 ? EXIT_YES : EXIT_CANNOT;
}

/* A matrix that is wrong is listed too: its errors go to standard error, and the exit code says so. */
static enum exit_code list_matrices(struct cli *cli, const struct session *session)
{
	struct spec_errors errors = {.arena = &cli->arena};
	struct table table;
	struct buf out = {0};
	json_t *list = json_array();

	table_init(&table, &cli->arena, 3);
	for (size_t i = 0; i < session->project.matrix_names.n; i++) {
		const char *path = session->project.matrix_paths.v[i];
		struct spec_matrix matrix;
		bool ok = spec_read_matrix(path, &cli->arena, &matrix, &errors) == 0;
		json_t *object = json_object();

		table_add(&table, session->project.matrix_names.v[i]);
		table_add(&table, path);
		table_add(&table, ok ? matrix.title : "(it has errors)");
		json_object_set_new(object, "name", json_safe_string(session->project.matrix_names.v[i]));
		json_object_set_new(object, "path", json_safe_string(path));
		json_object_set_new(object, "title", json_safe_string(ok ? matrix.title : NULL));
		json_object_set_new(object, "valid", json_boolean(ok));
		json_array_append_new(list, object);
	}
	table_write(&table, &out);
	print_list(cli, session, "matrices", &out, list);
	say_none(cli, session, "matrices", session->project.matrix_names.n);
	return errors.n == 0 ? EXIT_YES : common_spec_errors(&errors);
}

static const struct {
	const char *name;
	bool probe;
	enum exit_code (*list)(struct cli *cli, const struct session *session);
} kinds[] = {{"workloads", false, list_workloads}, {"toolchains", true, list_toolchains},
	{"matrices", false, list_matrices}};

static enum exit_code unknown_kind(const char *name)
{
	const char *names[] = {kinds[0].name, kinds[1].name, kinds[2].name};
	const char *nearest = name != NULL ? text_nearest(name, names, 3) : NULL;
	struct error e = {0};

	if (name == NULL)
		error_set(&e, EXIT_USAGE, "list what? workloads, toolchains, or matrices");
	else
		error_set(&e, EXIT_USAGE,
			"there is no list of \"%s\"; allowed: workloads, toolchains, matrices", name);
	if (nearest != NULL)
		error_advice(&e, "did you mean %s?", nearest);
	return error_print(&e);
}

static enum exit_code list(struct cli *cli)
{
	const char *name = cli->args.words.n > 0 ? cli->args.words.v[0] : NULL;
	struct session session;
	enum exit_code code = EXIT_YES;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && name != NULL; i++) {
		if (strcmp(name, kinds[i].name) != 0)
			continue;
		if (common_open(cli, NULL, kinds[i].probe, NULL, &session, &code) != 0)
			return code;
		code = kinds[i].list(cli, &session);
		session_close(&session);
		return code;
	}
	return unknown_kind(name);
}

const struct command cmd_list = {
	.name = "list",
	.words = "workloads|toolchains|matrices",
	.words_max = 1,
	.title = "workloads, toolchains or matrices there are",
	.text = "Lists what the project has, and what is installed with flagstone where the project has "
		"nothing of that name; "
		"names of the project win, which a note says.\n\n"
		"Toolchains are the compilers found on this machine, each once, with the names that mean it "
		"in a matrix, what "
		"they are, and what they were found able to do.",
	.example = "flagstone list toolchains\nflagstone list workloads --json",
	.options = OPTION_TABLE(options),
	.run = list,
};
