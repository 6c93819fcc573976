#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/inspect_native.h"
#include "cli/inspect_print.h"
#include "cli/run_options.h"
#include "code/kind.h"
#include "code/members.h"
#include "host/host.h"

static const struct cli_option options[] = {
	{.name = "native",
		.kind = OPTION_FLAG,
		.offset = OPTION_AT(native),
		.help = "What -march=native means here to each compiler (words are then compilers, none: all "
			"that are "
			"found): name, tuning, features, vector width, and the options that say it "
			"explicitly"},
	OPTION_JSON,
};

static int read_file(struct cli *cli, const char *path, struct inspected *out, struct error *e)
{
	out->v = arena_array(&cli->arena, 1, sizeof(*out->v));
	out->n = 1;
	return inspect_file(path, path, &cli->arena, &out->v[0], e);
}

/* Objects of an archive, each through a file in memory. */
static int read_member(struct cli *cli, const struct member *member, struct inspected *out, struct error *e)
{
	struct arena *arena = &cli->arena;
	const char *shown = arena_printf(arena, "%s(%s)", out->path, member->name);
	int fd, result;
	const char *path = member_path(member, arena, &fd, e);

	if (path == NULL)
		return -1;
	result = inspect_file(path, shown, arena, &out->v[out->n], e);
	close(fd);
	out->n += result == 0;
	return result;
}

static int read_archive(struct cli *cli, const char *path, struct inspected *out, struct error *e)
{
	struct arena *arena = &cli->arena;
	struct members members;

	if (members_open(path, arena, &members, e) != 0)
		return -1;
	out->archive = true;
	out->v = arena_array(arena, members.n, sizeof(*out->v));
	for (size_t i = 0; i < members.n; i++) {
		const struct member *member = &members.v[i];
		struct error why = {0};

		if (member->size < 4 || memcmp(member->bytes,
						"\x7F"
						"ELF",
						4) != 0)
			out->others++;
		else if (read_member(cli, member, out, &why) != 0)
			words_addf(&out->broken, arena, "%s: %s", member->name, why.text);
	}
	members_release(&members);
	if (out->n > 0)
		return 0;
	return error_set(e, EXIT_CANNOT,
		"inspecting %s: it is an archive without a readable ELF object (%zu other member%s)%s%s",
		path, out->others, text_plural(out->others), out->broken.n > 0 ? "; " : "",
		out->broken.n > 0 ? out->broken.v[0] : "");
}

static int read_given(struct cli *cli, const char *path, struct inspected *out, struct error *e)
{
	const char *what, *what_to_do;
	enum code_kind kind;

	*out = (struct inspected){.path = path};
	if (code_kind(path, &cli->arena, &kind, &what, &what_to_do, e) != 0)
		return -1;
	if (kind == CODE_KIND_ELF)
		return read_file(cli, path, out, e);
	if (kind == CODE_KIND_ARCHIVE)
		return read_archive(cli, path, out, e);
	error_set(e, EXIT_CANNOT, "inspecting %s: it is %s, not an ELF file with machine code", path, what);
	return what_to_do != NULL ? error_advice(e, "%s", what_to_do) : -1;
}

/* The CPUs' features as the kernel tells them; where CPUs differ, none are known of all. */
static void read_cpu(struct cli *cli, struct inspect_cpu *cpu)
{
	struct facts facts = {.arena = &cli->arena};
	struct error e = {0};

	*cpu = (struct inspect_cpu){.machine = "unknown"};
	if (host_read("", &facts, &e) != 0)
		return;
	if (facts_value(&facts, "host.arch") != NULL)
		cpu->machine = facts_value(&facts, "host.arch");
	cpu->flags = facts_value(&facts, "cpu.flags");
	cpu->kernel = facts_value(&facts, "kernel.release");
	if (cpu->flags != NULL && strstr(cpu->flags, " (cpus ") != NULL)
		cpu->flags = NULL;
}

static enum exit_code verdict_code(enum match_verdict verdict)
{
	switch (verdict) {
	case VERDICT_SAME_FILE:
	case VERDICT_SAME_CODE:
	case VERDICT_SAME_PLACED:
		return EXIT_YES;
	case VERDICT_SAME_PADDING:
	case VERDICT_OTHER:
		return EXIT_NO;
	case VERDICT_UNSURE:
		break;
	}
	return EXIT_UNDECIDED;
}

static void print(struct cli *cli, const struct inspected *given, size_t count,
	const struct inspection *sides, const struct match_result *match)
{
	struct inspect_cpu cpu;
	struct buf out = {0};

	read_cpu(cli, &cpu);
	if (cli->args.json) {
		common_print_json(inspect_json(cli, given, count, &cpu, match));
		return;
	}
	if (match != NULL)
		inspect_print_match(cli, &sides[0], &sides[1], match, &out);
	for (size_t i = 0; i < count && match == NULL; i++) {
		if (i > 0)
			buf_addc(&out, '\n');
		inspect_print(cli, &given[i], &cpu, &out);
	}
	terminal_print(&out);
	buf_release(&out);
}

/* Two files, or the objects of two archives. */
static enum exit_code compare(struct cli *cli, const struct inspected given[2], struct inspection sides[2],
	struct match_result *match)
{
	for (size_t i = 0; i < 2; i++) {
		if (given[i].archive)
			inspect_merge(given[i].path, given[i].v, given[i].n, &cli->arena, &sides[i]);
		else if (given[i].v != NULL)
			sides[i] = given[i].v[0];
	}
	inspect_match(&sides[0], &sides[1], &cli->arena, match);
	return verdict_code(match->verdict);
}

static enum exit_code inspect(struct cli *cli)
{
	const struct words *words = &cli->args.words;
	struct inspected *given = arena_array(&cli->arena, words->n + 1, sizeof(*given));
	enum exit_code code = EXIT_YES;
	struct inspection sides[2];
	struct match_result match;
	struct error e = {0};
	size_t count = 0;
	bool compared;

	if (cli->args.native)
		return inspect_native(cli);
	if (words->n == 0) {
		error_set(&e, EXIT_USAGE,
			"inspect needs a file: an executable, a library, an object or an archive");
		error_advice(&e, "or --native, for what -march=native means here");
		return error_print(&e);
	}
	for (size_t i = 0; i < words->n; i++) {
		if (read_given(cli, words->v[i], &given[count], &e) == 0)
			count++;
		else
			code = exit_combine(code, error_print(&e));
		e = (struct error){0};
	}
	compared = words->n == 2 && count == 2 && given[0].archive == given[1].archive;
	if (compared)
		code = compare(cli, given, sides, &match);
	else if (words->n == 2 && count == 2)
		remark_print(
			"an archive and a file are not held against each other; ar x takes its members out");
	for (size_t i = 0; i < count; i++)
		if (given[i].broken.n > 0)
			code = exit_combine(code, EXIT_CANNOT);
	if (count > 0 && (words->n != 2 || count == 2))
		print(cli, given, count, sides, compared ? &match : NULL);
	return code;
}

const struct command cmd_inspect = {
	.name = "inspect",
	.words = "FILE...",
	.words_max = SIZE_MAX,
	.title = "what machine code says of itself, or how two files differ",
	.text = "Reads an executable, a library, an object or an archive of objects: which compiler and "
		"flags made it, as "
		"far as it tells and how far that can be believed; which instruction sets it uses, with an "
		"instruction of each; whether this machine can run it; libraries, sizes, hashes.\n\n"
		"Two files are held against each other, function by function. The exit code is 0 where they "
		"have the same "
		"code, wherever it stands, 1 where they differ, and 5 where that cannot be told: stripped "
		"programs refer "
		"to places that have no name. Objects (.o) are compared exactly, since they still name what "
		"they refer to.",
	.example = "flagstone inspect /usr/bin/env\nflagstone inspect old/multiply.o new/multiply.o\n"
		   "flagstone inspect --native gcc clang",
	.options = OPTION_TABLE(options),
	.run = inspect,
};
