#include "build/jobs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "sys/process.h"

enum { OUTPUT_KEPT = 64 * 1024, REASON_LINE = 600 };

struct running {
	struct process **processes;
	size_t *jobs; /* index of the job in each place */
	size_t count, places;
};

/* Starts a job; false: it could not be, and has its reason. */
static bool start(struct job *job, struct running *running, size_t index, const struct jobs_options *options,
	struct arena *arena)
{
	struct process_options o = {.argv = job->argv.v,
		.env = process_clean_env(arena, job->env.v),
		.folder = job->folder,
		.merge = true,
		.output_limit = OUTPUT_KEPT,
		.timeout_ns = options->timeout_ns,
		.memory_limit = options->memory_limit,
		.cpu = -1};
	char *output = file_join(arena, job->folder, job->output);
	struct error why = {0};
	size_t place = 0;

	if (unlink(output) != 0 && errno != ENOENT) {
		job->reason = arena_printf(
			arena, "the old output %s cannot be removed: %s", output, strerror(errno));
		return false;
	}
	while (running->processes[place] != NULL)
		place++;
	running->processes[place] = process_start(&o, &why);
	if (running->processes[place] == NULL) {
		job->reason = arena_strdup(arena, why.text);
		return false;
	}
	running->jobs[place] = index;
	running->count++;
	return true;
}

/*
 * Drivers end with a line of their own (collect2, lto-wrapper, clang), which says nothing: what went wrong stands before
 * it. So does "in function `main':", which the linker puts in front.
 */
static bool says_nothing(const char *line, size_t n)
{
	return n == 0 || line[n - 1] == ':' || memmem(line, n, "exit status", 11) != NULL ||
	       memmem(line, n, "linker command failed", 21) != NULL;
}

/* The line that a compiler's user would look at: the first that has the word and says something. NULL: none. */
static const char *telling_line(const char *text, const char *word, size_t *n)
{
	for (const char *line = text; *line != '\0'; line += *n + (line[*n] == '\n')) {
		*n = strcspn(line, "\n");
		if (memmem(line, *n, word, strlen(word)) != NULL && !says_nothing(line, *n))
			return line;
	}
	return NULL;
}

static char *first_words(const char *text, struct arena *arena)
{
	size_t n;
	const char *line = telling_line(text, "error:", &n);

	if (line == NULL)
		line = telling_line(text, "", &n);
	if (line == NULL)
		return arena_strndup(arena, text, strcspn(text, "\n"));
	return n > REASON_LINE ? arena_printf(arena, "%.*s...", REASON_LINE, line)
			       : arena_strndup(arena, line, n);
}

static void finish(struct job *job, const struct process_result *result, struct arena *arena)
{
	char *output = file_join(arena, job->folder, job->output);
	struct stat st;

	job->wall_ns = result->wall_ns;
	job->cpu_ns = result->user_ns + result->system_ns;
	job->peak_kib = result->peak_kib;
	job->text = arena_strndup(arena, buf_text(&result->out), result->out.n);
	if (result->out_bytes > result->out.n)
		job->text = arena_printf(arena, "%s\n(%llu bytes in all; the rest was cut)\n", job->text,
			(unsigned long long)result->out_bytes);
	if (!process_ok(result))
		job->reason = arena_printf(arena, "`%s` ended with %s%s%s", file_name(job->argv.v[0]),
			process_describe(result, arena), job->text[0] != '\0' ? ": " : "",
			first_words(job->text, arena));
	else if (stat(output, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		job->reason = arena_printf(arena, "`%s` ended with exit code 0 but left no output file %s",
			file_name(job->argv.v[0]), job->output);
	else if (job->executable && access(output, X_OK) != 0)
		job->reason = arena_printf(arena, "`%s` left %s, which is not executable",
			file_name(job->argv.v[0]), job->output);
	else
		job->ok = true;
	if (!job->ok)
		unlink(output);
}

int jobs_run(struct job *jobs, size_t count, const struct jobs_options *options, struct arena *arena,
	struct error *e)
{
	struct running running = {.places = options->parallel > 0 ? options->parallel : 1};
	size_t done = 0, next = 0;
	int result = 0;

	running.processes = mem_alloc_array(running.places, sizeof(*running.processes));
	running.jobs = mem_alloc_array(running.places, sizeof(*running.jobs));
	while (done < count) {
		struct process_result ended = {0};
		int place;

		for (; next < count && running.count < running.places; next++) {
			if (options->deadline_ns > 0 && clock_ns() > options->deadline_ns)
				jobs[next].reason = JOB_OUT_OF_TIME;
			else if (start(&jobs[next], &running, next, options, arena))
				continue;
			done++;
		}
		if (running.count == 0)
			continue;
		place = process_wait_any(running.processes, running.places, -1, &ended);
		if (place < 0) {
			result =
				error_set(e, process_interrupted() == 15 ? EXIT_TERMINATED : EXIT_INTERRUPTED,
					"interrupted while building");
			break;
		}
		finish(&jobs[running.jobs[place]], &ended, arena);
		process_result_release(&ended);
		running.count--;
		done++;
		if (options->progress != NULL)
			options->progress(options->context, options->what, done, count);
	}
	for (size_t i = 0; i < running.places; i++)
		if (running.processes[i] != NULL)
			process_kill(running.processes[i]);
	mem_free(running.processes);
	mem_free(running.jobs);
	return result;
}
