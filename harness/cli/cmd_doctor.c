#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "host/host.h"
#include "record/host_name.h"
#include "report/doctor.h"
#include "report/result_json.h"
#include "sys/process.h"

static const struct cli_option options[] = {
	{.name = "quick",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(quick),
		.help = "Measure nothing: only read and judge"},
	{.name = "seconds",
		.kind = OPTION_COUNT,
		.offset = OPTION_AT(seconds),
		.value = "N",
		.min = 1,
		.max = 3600,
		.allowed = "a number from 1 to 3600",
		.help = "Measure the noise for so long; else 5"},
	OPTION_CPUS,
	{.name = "host",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(host_parts),
		.help = "Only print the name that this machine has in the archive, and what it is made of"},
	{.name = "root",
		.kind = OPTION_TEXT,
		.offset = OPTION_AT(root),
		.value = "DIR",
		.help = "Judge a recorded tree of /proc, /sys and /etc below DIR instead of this machine; "
			"nothing is "
			"measured"},
	OPTION_JSON,
};

/* What the host's name is made of, and what tells two machines with one name apart. */
static const char *const name_keys[] = {"host.arch", "cpu.family", "cpu.model", "host.id", "cpu.vendor",
	"cpu.stepping", "host.machine_id", "product.uuid_hash", "board.serial_hash"};
enum { NAME_KEYS = sizeof(name_keys) / sizeof(name_keys[0]) };

/* The machine's name: made of its parts, or given. */
struct named {
	struct facts facts;
	const char *name; /* NULL: none; then why */
	bool given;
	struct error why;
};

/* FLAGSTONE_HOST, or what the project's settings say; NULL: neither. */
static int given_name(struct cli *cli, const char **given, struct error *e)
{
	struct session_options wanted = common_options(cli);
	struct session session;
	struct error why = {0};

	*given = getenv("FLAGSTONE_HOST");
	if (*given != NULL && (*given)[0] != '\0')
		return 0;
	*given = NULL;
	if (session_open(&session, &wanted, NULL, &cli->arena, &why) == 0) {
		*given = session.project.settings.host;
		session_close(&session);
		return 0;
	}
	/* a folder that is no project has no settings; one whose files are wrong may have */
	if (session.errors.n == 0 && wanted.project == NULL)
		return 0;
	if (e != NULL)
		*e = why;
	return -1;
}

static int read_name(struct cli *cli, struct named *named, struct error *e)
{
	const char *given;

	if (given_name(cli, &given, e) != 0)
		return -1;
	*named = (struct named){.facts = {.arena = &cli->arena}, .given = given != NULL};
	if (host_read("", &named->facts, e) != 0)
		return -1;
	if (given == NULL) {
		/* without a machine id an archive keeps a random one, which is not looked for here */
		named->name = host_name(&named->facts, NULL, &cli->arena, &named->why);
		return 0;
	}
	named->name = host_name_of(&cli->arena, given);
	if (named->name == NULL)
		return error_set(e, EXIT_USAGE,
			"\"%s\" cannot be a host's name; allowed: letters, digits, . _ + -, at most 64",
			given);
	return 0;
}

static void print_host_json(const struct named *named)
{
	struct buf out = {0};
	json_t *root = json_object(), *parts = json_array();

	for (size_t i = 0; i < NAME_KEYS; i++) {
		const struct fact *fact = facts_find(&named->facts, name_keys[i]);
		const struct fact missing = {.key = name_keys[i], .reason = "it was not read"};

		json_array_append_new(parts, report_read_json(fact != NULL ? fact : &missing));
	}
	json_object_set_new(root, "schema", json_string("flagstone.host/1"));
	json_object_set_new(root, "name", json_safe_string(named->name));
	json_object_set_new(root, "given", json_boolean(named->given));
	json_object_set_new(root, "unnamed", json_safe_string(named->name == NULL ? named->why.text : NULL));
	json_object_set_new(root, "parts", parts);
	result_json_print(root, &out);
	terminal_print(&out);
	buf_release(&out);
}

static void print_host_text(struct cli *cli, const struct named *named)
{
	struct table table;
	struct buf out = {0};

	if (named->name != NULL)
		buf_addf(&out, "%s%s\n\n", text_safe(&cli->arena, named->name),
			named->given ? "  (given by FLAGSTONE_HOST or a setting, not made of these parts)"
				     : "");
	else
		buf_addf(&out, "no name: %s\n\n", text_safe(&cli->arena, named->why.text));
	table_init(&table, &cli->arena, 3);
	for (size_t i = 0; i < NAME_KEYS; i++) {
		const struct fact *fact = facts_find(&named->facts, name_keys[i]);

		table_add(&table, name_keys[i]);
		if (fact != NULL && fact->value != NULL)
			table_add(&table, fact->value);
		else
			table_addf(&table, "unknown: %s", fact != NULL ? fact->reason : "it was not read");
		table_add(&table, fact != NULL ? fact->source : "");
	}
	table_write(&table, &out);
	terminal_print(&out);
	buf_release(&out);
}

static enum exit_code print_host(struct cli *cli)
{
	struct named named;
	struct error e = {0};

	if (read_name(cli, &named, &e) != 0)
		return error_print(&e);
	if (cli->args.json)
		print_host_json(&named);
	else
		print_host_text(cli, &named);
	return EXIT_YES;
}

static void print(struct cli *cli, const struct fitness *fitness)
{
	struct terminal terminal = terminal_of(STDOUT_FILENO);
	struct report_options report = {.width = terminal.width,
		.colour = terminal.colour,
		.unicode = terminal.unicode,
		.verbose = cli->args.verbose,
		.quiet = cli->args.quiet};
	struct buf out = {0};

	if (cli->args.json)
		report_doctor_json(fitness, &out);
	else
		report_doctor(fitness, &report, &out);
	terminal_print(&out);
	buf_release(&out);
}

static int check_arguments(const struct arguments *args, struct error *e)
{
	if (args->session.project != NULL && !file_is_folder(args->session.project))
		return error_set(e, EXIT_USAGE, "-C %s: there is no such folder", args->session.project);
	if (args->quick && args->seconds > 0)
		return error_set(e, EXIT_USAGE,
			"--quick measures nothing, and --seconds says for how long: give one of them");
	if (args->root != NULL && args->seconds > 0)
		return error_set(e, EXIT_USAGE,
			"a recorded tree can't be measured: --root and --seconds don't go together");
	if (args->host_parts &&
		(args->root != NULL || args->quick || args->seconds > 0 || args->session.cpus != NULL))
		return error_set(e, EXIT_USAGE,
			"--host only prints this machine's name: --quick, --seconds, --cpus and --root say "
			"nothing beside "
			"it");
	return 0;
}

static enum exit_code doctor(struct cli *cli)
{
	const struct arguments *args = &cli->args;
	struct fitness_options how = {
		.root = args->root, .folder = args->session.project, .cpu_text = args->session.cpus};
	struct fitness fitness;
	struct error e = {0};

	if (check_arguments(args, &e) != 0)
		return error_print(&e);
	if (args->host_parts)
		return print_host(cli);
	if (!args->quick && args->root == NULL)
		how.seconds = args->seconds > 0 ? args->seconds : FITNESS_SECONDS;
	process_catch_signals();
	if (fitness_read(&fitness, &how, &cli->arena, &e) != 0)
		return error_print(&e);
	print(cli, &fitness);
	return fitness.checks.verdict == VERDICT_UNFIT ? EXIT_NO : EXIT_YES;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.words = "",
	.title = "is this machine fit to measure on? what to do about it",
	.text = "Reads how the machine is set up and what goes on on it, measures its noise for 5 s with two "
		"fixed "
		"pieces of work of 25 µs on each CPU in turn, and how fast memory is read, and says in one "
		"line "
		"whether it is fit, usable with caveats, or unfit to measure on. Nothing is changed.\n\n"
		"Below, each check that is not ok: what was found, what was read and where, why it matters "
		"with the "
		"size of the effect where that is known, what to do, and the command. --verbose has that of "
		"all "
		"checks, --quiet only the verdict. What can't be read is unknown, with the reason, and never "
		"taken "
		"for good: the machine is fit only if every check that decides is known and ok.\n\n"
		"A run makes the same checks without measuring, keeps the verdict in its record (facts "
		"doctor.*) and "
		"says below the table where the machine is unfit; it never refuses for that.\n\n"
		"Ends with 0 when the machine is fit or usable, with 1 when it is unfit.",
	.example =
		"flagstone doctor\nflagstone doctor --quick --json | jq -r .verdict\nflagstone doctor --host",
	.options = OPTION_TABLE(options),
	.run = doctor,
};
