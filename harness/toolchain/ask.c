#include "toolchain/ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sys/process.h"

enum { OUTPUT_LIMIT = 1 << 20, EXCERPT_BYTES = 600 };

char *ask_first_line(struct arena *arena, const char *text)
{
	const size_t blank = strspn(text, " \t\r\n");
	size_t length = strcspn(text + blank, "\n");

	while (length > 0 && strchr(" \t\r", text[blank + length - 1]) != NULL)
		length--;
	return arena_strndup(arena, text + blank, length);
}

char *ask_excerpt(struct arena *arena, const char *text, size_t lines)
{
	struct buf excerpt = {0};
	char *safe;

	while (lines > 0 && *text != '\0' && excerpt.n < EXCERPT_BYTES) {
		const size_t length = strcspn(text, "\n");
		const size_t room = EXCERPT_BYTES - excerpt.n;

		if (length > strspn(text, " \t\r")) {
			if (excerpt.n > 0)
				buf_adds(&excerpt, " | ");
			text_escape(&excerpt, text, length < room ? length : room, false);
			lines--;
		}
		text += length + (text[length] == '\n');
	}
	safe = arena_strdup(arena, buf_text(&excerpt));
	buf_release(&excerpt);
	return safe;
}

char *ask_folder(struct arena *arena, const char *scratch, struct error *e)
{
	const char *parent = scratch != NULL ? scratch : getenv("TMPDIR");
	char *path;

	path = file_join(
		arena, parent != NULL && parent[0] != '\0' ? parent : "/tmp", "flagstone-ask-XXXXXX");
	if (mkdtemp(path) == NULL) {
		error_errno(e, errno, "making the folder %s to ask compilers in", path);
		error_advice(e, "set TMPDIR to a folder that may be written");
		return NULL;
	}
	return path;
}

static const char *problem_of(struct arena *arena, const struct process_result *result)
{
	const char *ended = process_describe(result, arena);
	const char *said = ask_excerpt(arena, buf_text(result->err.n > 0 ? &result->err : &result->out), 2);

	return said[0] != '\0' ? arena_printf(arena, "%s: %s", ended, said) : ended;
}

static struct answer no_answer(struct arena *arena, const struct error *e)
{
	return (struct answer){.out = "", .err = "", .problem = text_safe(arena, e->text)};
}

static struct answer answer_of(struct arena *arena, struct process_result *result)
{
	struct answer answer = {.ok = process_ok(result),
		.out = arena_strdup(arena, buf_text(&result->out)),
		.err = arena_strdup(arena, buf_text(&result->err))};

	if (!answer.ok)
		answer.problem = problem_of(arena, result);
	process_result_release(result);
	return answer;
}

static struct process_options options_of(const struct asker *asker, const struct words *more)
{
	struct words argv = {0};

	words_add_all(&argv, asker->arena, asker->command);
	words_add_all(&argv, asker->arena, more);
	return (struct process_options){.argv = argv.v,
		.env = process_clean_env(asker->arena, asker->env != NULL ? asker->env->v : NULL),
		.folder = asker->folder,
		.output_limit = OUTPUT_LIMIT,
		.timeout_ns = asker->timeout_ns,
		.grace_ns = 200000000,
		.cpu = -1};
}

struct answer ask_words(const struct asker *asker, const struct words *more)
{
	const struct process_options options = options_of(asker, more);
	struct process_result result = {0};
	struct error e = {0};

	if (process_run(&options, &result, &e) != 0)
		return no_answer(asker->arena, &e);
	return answer_of(asker->arena, &result);
}

void ask_several(
	const struct asker *asker, const struct words *questions, size_t count, struct answer *answers)
{
	struct process **processes = arena_array(asker->arena, count, sizeof(*processes));
	struct process_result result = {0};
	struct error e = {0};
	int ended;

	for (size_t i = 0; i < count; i++) {
		const struct process_options options = options_of(asker, &questions[i]);

		processes[i] = process_start(&options, &e);
		if (processes[i] == NULL)
			answers[i] = no_answer(asker->arena, &e);
	}
	while ((ended = process_wait_any(processes, count, -1, &result)) >= 0) {
		answers[ended] = answer_of(asker->arena, &result);
		result = (struct process_result){0};
	}
	error_set(&e, EXIT_INTERRUPTED, "interrupted");
	for (size_t i = 0; i < count; i++) {
		if (processes[i] == NULL)
			continue;
		process_kill(processes[i]);
		answers[i] = no_answer(asker->arena, &e);
	}
}

struct answer ask(const struct asker *asker, ...)
{
	struct words more = {0};
	const char *word;
	va_list ap;

	va_start(ap, asker);
	while ((word = va_arg(ap, const char *)) != NULL)
		words_add(&more, asker->arena, word);
	va_end(ap);
	return ask_words(asker, &more);
}
