#include "cli/common.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "record/json.h"

int common_format(const struct arguments *args, enum format *format, struct error *e)
{
	if (args->json + args->csv + args->markdown > 1)
		return error_set(e, EXIT_USAGE,
			"give only one of --json, --csv, --markdown: there is one standard output");
	*format = args->json	   ? FORMAT_JSON
		  : args->csv	   ? FORMAT_CSV
		  : args->markdown ? FORMAT_MARKDOWN
				   : FORMAT_TERMINAL;
	return 0;
}

/* TREE of TREE/.build/HASH/flagstone, if it has what a project may lack; else NULL. */
static const char *tree_of(struct arena *arena, char *program)
{
	char *build = file_folder(arena, file_folder(arena, program));
	char *tree = file_folder(arena, build);

	return strcmp(file_name(build), ".build") == 0 &&
			       file_is_folder(file_join(arena, tree, "workloads/driver")) &&
			       file_is_folder(file_join(arena, tree, "toolchains"))
		       ? tree
		       : NULL;
}

const char *common_installed(struct arena *arena, bool *source_tree)
{
	char *program = file_real(arena, "/proc/self/exe", NULL);
	const char *share, *tree;

	if (program == NULL)
		return NULL;
	share = file_real(arena, file_join(arena, file_folder(arena, program), "../share/flagstone"), NULL);
	if (share != NULL && file_is_folder(share))
		return share;
	tree = tree_of(arena, program);
	if (source_tree != NULL)
		*source_tree = tree != NULL;
	return tree;
}

struct session_options common_options(struct cli *cli)
{
	struct session_options options = cli->args.session;

	options.installed = common_installed(&cli->arena, &options.source_tree);
	return options;
}

enum exit_code common_spec_errors(const struct spec_errors *errors)
{
	const char *text = spec_errors_text(errors);

	/* each for itself, since only those with a place stand as they are */
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		remark_print(arena_strndup(errors->arena, text, n));
		text += n + (text[n] == '\n');
	}
	return EXIT_USAGE;
}

int common_open(struct cli *cli, const char *matrix, bool probe, const struct session_events *events,
	struct session *session, enum exit_code *code)
{
	struct session_options options = common_options(cli);
	struct error e = {0};

	options.matrix = matrix;
	options.probe = probe;
	if (session_open(session, &options, events, &cli->arena, &e) == 0)
		return 0;
	*code = session->errors.n > 0 ? common_spec_errors(&session->errors) : error_print(&e);
	return -1;
}

int common_archive(struct cli *cli, struct archive *archive, struct error *e)
{
	struct session_options options = common_options(cli);
	const char *folder;

	if (session_archive_folder(&options, &folder, &cli->arena, e) != 0)
		return -1;
	return archive_open(archive, &cli->arena, folder, false, e);
}

int common_record(
	struct cli *cli, const char *name, const char **path, struct record **record, struct error *e)
{
	struct archive archive = {.root = ".", .arena = &cli->arena};
	bool is_path = strchr(name, '/') != NULL || text_ends(name, ".json.gz");

	/* a path needs no archive */
	if (!is_path && common_archive(cli, &archive, e) != 0)
		return -1;
	if (archive_find(&archive, name, path, e) != 0)
		return -1;
	return record_read_file(*path, NULL, &cli->arena, record, e);
}

const char *common_where(const struct cli *cli, struct arena *arena)
{
	const struct session_options *options = &cli->args.session;
	struct buf out = {0};
	char *text;

	if (options->project != NULL) {
		buf_adds(&out, " -C ");
		text_quote(&out, options->project);
	}
	if (options->archive != NULL) {
		buf_adds(&out, " --archive ");
		text_quote(&out, options->archive);
	}
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static int append(const char *bytes, size_t count, void *out)
{
	buf_add(out, bytes, count);
	return 0;
}

void common_print_json(json_t *root)
{
	struct buf text = {0};

	/* in ASCII, since foreign text may hold what a terminal would obey */
	json_dump_callback(root, append, &text, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
	buf_addc(&text, '\n');
	terminal_print(&text);
	buf_release(&text);
	json_decref(root);
}
