#include <link.h>
#include <string.h>

#include "base/file.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/common.h"
#include "record/record.h"

static const struct cli_option options[] = {
	{.name = "json", .kind = OPTION_FLAG, .offset = OPTION_AT(json), .help = "Print it as JSON"},
};

struct libraries {
	struct arena *arena;
	bool all;
	struct words files;
};

/* The libraries that flagstone calls itself, without what these bring along. */
static bool is_own(const char *name)
{
	static const char *const own[] = {"libgit2.so", "libz.so", "libjansson.so", "libelf.so", "libelf-",
		"libyaml", "libc.so", "libc-", "libc.musl", "ld-musl"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (text_starts(name, own[i]))
			return true;
	return false;
}

/* What is loaded, by the real file's name: it says more than what the headers said when flagstone was built. */
static int add_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct libraries *libraries = context;
	const char *path = info->dlpi_name;
	char *real;

	(void)size;
	if (path == NULL || path[0] != '/' || (!libraries->all && !is_own(file_name(path))))
		return 0;
	real = file_real(libraries->arena, path, NULL);
	words_add(&libraries->files, libraries->arena, file_name(real != NULL ? real : path));
	return 0;
}

static void print_json(const struct libraries *libraries, const char *installed)
{
	json_t *root = json_object();

	json_object_set_new(root, "schema", json_string("flagstone.version/1"));
	json_object_set_new(root, "version", json_string(version.version));
	json_object_set_new(root, "commit", json_safe_string(version.commit));
	json_object_set_new(root, "dirty",
		version.dirty != NULL ? json_boolean(strcmp(version.dirty, "yes") == 0) : json_null());
	json_object_set_new(root, "compiler", json_safe_string(version.compiler));
	json_object_set_new(root, "cflags", json_safe_string(version.cflags));
	json_object_set_new(root, "record_schema", json_string(RECORD_SCHEMA));
	json_object_set_new(root, "libraries", json_safe_words(&libraries->files));
	json_object_set_new(root, "installed_data", json_safe_string(installed));
	common_print_json(root);
}

static void print_text(struct cli *cli, const struct libraries *libraries, const char *installed)
{
	struct buf out = {0};

	buf_addf(&out, "flagstone %s\n", version.version);
	if (version.commit == NULL)
		buf_addf(&out, "commit     unknown: %s\n", version.unknown_reason);
	else
		buf_addf(&out, "commit     %s%s\n", version.commit,
			strcmp(version.dirty, "yes") == 0 ? ", sources changed since" : "");
	buf_addf(&out, "compiler   %s\n", version.compiler != NULL ? version.compiler : "unknown");
	buf_addf(&out, "flags      %s\n", version.cflags != NULL ? version.cflags : "unknown");
	buf_addf(&out, "records    %s\n", RECORD_SCHEMA);
	buf_addf(&out, "libraries ");
	for (size_t i = 0; i < libraries->files.n; i++)
		buf_addf(&out, " %s", text_safe(&cli->arena, libraries->files.v[i]));
	buf_addf(&out, "%s\n", libraries->files.n == 0 ? " linked in" : "");
	if (cli->args.verbose)
		buf_addf(&out, "data       %s\n",
			installed != NULL ? text_safe(&cli->arena, installed)
					  : "none installed beside the program");
	terminal_print(&out);
	buf_release(&out);
}

static enum exit_code run(struct cli *cli)
{
	struct libraries libraries = {.arena = &cli->arena, .all = cli->args.verbose};
	const char *installed = common_installed(&cli->arena, NULL);

	dl_iterate_phdr(add_library, &libraries);
	if (cli->args.json)
		print_json(&libraries, installed);
	else
		print_text(cli, &libraries, installed);
	return EXIT_YES;
}

const struct command cmd_version = {
	.name = "version",
	.words = "",
	.title = "version, compiler and libraries of flagstone itself",
	.text = "Says which flagstone this is, what compiled it and which libraries it runs with. With "
		"--verbose also the "
		"libraries that these bring along, and where the installed workloads and matrices are.",
	.options = OPTION_TABLE(options),
	.run = run,
};
