#include "session/bundle.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "code/code.h"
#include "sys/process.h"

/*
 * Can a bundle's programs be started on this machine, and with which libraries? A file's own claims are not enough, since
 * a library needs others in turn: the dynamic linker itself is asked (ld.so(8), --list: it loads the libraries as for a
 * start, says where each is, and starts nothing; musl's does the same).
 */

enum { ASK_TIMEOUT_S = 10, SHOWN = 300 };

/* What was found for one build, for the other cells that share it. */
struct answer {
	const char *content_hash;
	const char *reason;
	struct facts facts;
};

struct asking {
	struct session *session;
	struct arena *arena;
	VEC(struct answer) answers;
};

static const char *first_line(struct arena *arena, const char *text)
{
	size_t n = strcspn(text, "\n");

	return arena_strndup(arena, text, n < SHOWN ? n : SHOWN);
}

/* The line of the dynamic linker's words that tells what is missing; the first one where none does. */
static const char *complaint(struct arena *arena, const char *text)
{
	static const char *const signs[] = {"not found", "annot", "rror"};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *at = strstr(text, signs[i]);

		if (at == NULL)
			continue;
		while (at > text && at[-1] != '\n')
			at--;
		while (*at == ' ' || *at == '\t')
			at++;
		return first_line(arena, at);
	}
	return first_line(arena, text);
}

/* "GLIBC_2.34 of libc.so.6, libm.so.6": what the file asks for. */
static const char *needs_text(const struct code_needs *needs, struct arena *arena)
{
	const char *glibc = code_needs_highest(needs, "GLIBC_", arena);
	struct words names = {0};

	for (size_t i = 0; i < needs->n; i++)
		words_add(&names, arena, needs->v[i].library);
	return glibc != NULL ? arena_printf(arena, "%s of glibc %s or newer",
				       words_between(&names, ", ", arena), glibc)
			     : words_between(&names, ", ", arena);
}

/* One line of the list: "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x...)"; false: none. */
static bool parse_line(struct arena *arena, const char *line, const char **name, const char **path)
{
	const char *arrow = strstr(line, " => "), *end;

	while (*line == ' ' || *line == '\t')
		line++;
	if (arrow == NULL || arrow[4] != '/')
		return false;
	end = strstr(arrow, " (0x");
	*name = arena_strndup(arena, line, (size_t)(arrow - line));
	*path = end != NULL ? arena_strndup(arena, arrow + 4, (size_t)(end - arrow - 4))
			    : first_line(arena, arrow + 4);
	return true;
}

static bool is_libc(const char *name)
{
	return text_starts(name, "libc.so") || text_starts(name, "ld-musl") || text_starts(name, "libc.musl");
}

/* Which C library: equal ones are equal by hash or build-id, whatever their version says. */
static void set_libc(struct answer *answer, const char *path, struct arena *arena)
{
	struct code_info info = {0};
	struct error why = {0};

	facts_set(&answer->facts, "run.libc.path", path, "the dynamic linker");
	if (code_read(path, arena, &info, &why) != 0) {
		facts_unknown(&answer->facts, "run.libc.sha256", path, why.text);
		facts_unknown(&answer->facts, "run.libc.build_id", path, why.text);
		return;
	}
	facts_set(&answer->facts, "run.libc.sha256", info.file_hash, path);
	if (info.build_id != NULL)
		facts_set(&answer->facts, "run.libc.build_id", info.build_id, path);
	else
		facts_unknown(&answer->facts, "run.libc.build_id", path, "the linker wrote no build-id");
}

static void set_libraries(struct answer *answer, const char *list, struct arena *arena)
{
	struct words found = {0};

	for (const char *line = list; *line != '\0';) {
		size_t n = strcspn(line, "\n");
		const char *name, *path;

		if (parse_line(arena, arena_strndup(arena, line, n), &name, &path)) {
			words_addf(&found, arena, "%s=%s", name, path);
			if (is_libc(name))
				set_libc(answer, path, arena);
		}
		line += n + (line[n] == '\n');
	}
	facts_set(&answer->facts, "run.libraries", words_join(&found, arena), "the dynamic linker's --list");
}

/* Asks the dynamic linker about a program. -1: interrupted. */
static int ask_linker(struct asking *asking, const struct code_needs *needs, const char *program,
	struct answer *answer, struct error *e)
{
	struct arena *arena = asking->arena;
	struct words argv = {0};
	struct process_options options = {
		.timeout_ns = (int64_t)ASK_TIMEOUT_S * 1000000000, .merge = true, .folder = "/", .cpu = -1};
	struct process_result result = {0};
	struct error why = {0};
	const char *said;

	words_add(&argv, arena, needs->interpreter);
	words_add(&argv, arena, "--list");
	words_add(&argv, arena, program);
	options.argv = argv.v;
	if (process_run(&options, &result, &why) != 0) {
		if (process_interrupted())
			return error_set(e, EXIT_INTERRUPTED, "interrupted");
		answer->reason = arena_printf(
			arena, "it needs the dynamic linker %s, and here: %s", needs->interpreter, why.text);
		return 0;
	}
	said = arena_strndup(arena, buf_text(&result.out), result.out.n);
	if (!process_ok(&result) || strstr(said, "not found") != NULL)
		answer->reason = arena_printf(arena,
			"it needs %s, and this machine's dynamic linker says: %s", needs_text(needs, arena),
			said[0] != '\0' ? complaint(arena, said) : process_describe(&result, arena));
	else
		set_libraries(answer, said, arena);
	process_result_release(&result);
	return 0;
}

/* A 64-bit x86 kernel mostly runs 32-bit programs, an arm64 one sometimes: then trying tells. */
static bool may_run(const char *machine, const char *arch)
{
	if (strcmp(machine, arch) == 0 || (strcmp(arch, "i686") == 0 && strcmp(machine, "i386") == 0))
		return true;
	if (strcmp(arch, "x86_64") == 0)
		return strcmp(machine, "i386") == 0 || strcmp(machine, "x32") == 0;
	return strcmp(arch, "aarch64") == 0 && strcmp(machine, "arm") == 0;
}

/* As many copies as the other machine had CPUs may be more than this one has. */
static const char *too_many(const struct session *session, size_t cell)
{
	const struct bundle *bundle = &session->bundle->bundle;
	const struct record *record = bundle->record;
	const struct record_build *build = &record->builds[cell];
	const struct bundle_workload *workload =
		&bundle->workloads[record_workload(record, build->workload) - record->workloads];
	uint64_t needed = (uint64_t)build->copies * workload->cpus;

	return needed > session->allowed.n
		       ? arena_printf(session->arena,
				 "%u cop%s at once need %llu CPUs, and %zu can be used here", build->copies,
				 build->copies == 1 ? "y" : "ies", (unsigned long long)needed,
				 session->allowed.n)
		       : NULL;
}

static int ask(struct asking *asking, const struct bundle_cell *cell, const char *program,
	struct answer *answer, struct error *e)
{
	const struct bundle *bundle = &asking->session->bundle->bundle;
	const struct code_needs *needs = &cell->needs;
	struct arena *arena = asking->arena;

	answer->facts.arena = arena;
	if (cell->runner.n > 0) {
		if (file_find_program(arena, cell->runner.v[0], NULL) == NULL)
			answer->reason = arena_printf(
				arena, "it runs by %s, which is not on this machine", cell->runner.v[0]);
		return 0;
	}
	if (!may_run(needs->machine, bundle->arch)) {
		answer->reason = arena_printf(
			arena, "it is for %s, and this machine is %s", needs->machine, bundle->arch);
		return 0;
	}
	facts_set(&answer->facts, "run.interpreter", needs->interpreter != NULL ? needs->interpreter : "none",
		"ELF program headers");
	if (needs->interpreter == NULL) {
		facts_set(&answer->facts, "run.libraries", "", "it is static");
		return 0;
	}
	if (!file_is_program(needs->interpreter)) {
		answer->reason = arena_printf(arena,
			"it needs %s and the dynamic linker %s, which this machine does not have; a variant "
			"with "
			"-static needs neither",
			needs_text(needs, arena), needs->interpreter);
		return 0;
	}
	return ask_linker(asking, needs, program, answer, e);
}

static const struct answer *find(const struct asking *asking, const char *content_hash)
{
	for (size_t i = 0; i < asking->answers.n; i++)
		if (strcmp(asking->answers.v[i].content_hash, content_hash) == 0)
			return &asking->answers.v[i];
	return NULL;
}

/* Cells that differ in copies or args share their build. They stand near each other, mostly: the newest first. */
static int answer_for(struct asking *asking, size_t cell, const struct answer **out, struct error *e)
{
	const struct session_bundle *b = asking->session->bundle;
	const struct record_build *build = &b->bundle.record->builds[cell];
	struct answer answer = {.content_hash = build->content_hash};
	char *program =
		file_join(asking->arena, b->folder.path, bundle_program(build->content_hash, asking->arena));

	*out = find(asking, build->content_hash);
	if (*out != NULL)
		return 0;
	if (ask(asking, &b->bundle.cells[cell], program, &answer, e) != 0)
		return -1;
	vec_push(&asking->answers, answer);
	*out = &asking->answers.v[asking->answers.n - 1];
	return 0;
}

int session_bundle_here(struct session *session, struct error *e)
{
	struct session_bundle *b = session->bundle;
	struct asking asking = {.session = session, .arena = session->arena};
	struct record *record = b->bundle.record;
	int result = 0;

	for (size_t i = 0; i < record->build_count && result == 0; i++) {
		const struct answer *answer;

		if (b->cells[i].reason != NULL)
			continue;
		result = answer_for(&asking, i, &answer, e);
		if (result != 0)
			break;
		b->cells[i].reason = answer->reason != NULL ? answer->reason : too_many(session, i);
		facts_copy(&record->builds[i].facts, &answer->facts);
	}
	vec_release(&asking.answers);
	return result;
}
