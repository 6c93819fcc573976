#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/text.h"
#include "sys/process.h"

static const char *oom_hint(const struct process_result *r)
{
	if (r->oom_kill)
		return "; the kernel ended a process for want of memory at that time: give it more memory or "
		       "fewer copies";
	if (r->signal == SIGKILL)
		return "; perhaps for want of memory (the kernel's count of such kills did not rise), or "
		       "somebody killed it";
	return "";
}

char *process_describe(const struct process_result *result, struct arena *arena)
{
	char duration[NUM_SIZE];

	if (result->timed_out) {
		num_duration(result->timeout_ns, duration);
		return arena_printf(arena, "timed out after %s", duration);
	}
	if (result->signal != 0)
		return arena_printf(arena, "killed by signal %d (%s)%s%s", result->signal,
			process_signal_name(result->signal), result->core_dumped ? ", core dumped" : "",
			oom_hint(result));
	return arena_printf(arena, "exit code %d", result->exit_code);
}

/* Appends NAME=VALUE, or puts it in place of the one with its name. */
static void env_set(struct words *env, struct arena *arena, const char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t i = 0; i < env->n; i++)
		if (strncmp(env->v[i], entry, n) == 0 && env->v[i][n] == '=') {
			env->v[i] = arena_strdup(arena, entry);
			return;
		}
	words_add(env, arena, entry);
}

static void env_copy(struct words *env, struct arena *arena, const char *name, const char *fallback)
{
	const char *value = getenv(name);

	if (value == NULL)
		value = fallback;
	if (value != NULL)
		words_addf(env, arena, "%s=%s", name, value);
}

char **process_clean_env(struct arena *arena, char *const *more)
{
	static const char *const fixed[] = {"LC_ALL=C", "TZ=UTC", "SOURCE_DATE_EPOCH=0",
		/* a cached object must not stand for a build on this machine */
		"CCACHE_DISABLE=1", "SCCACHE_RECACHE=1"};
	struct words env = {0};

	env_copy(&env, arena, "PATH", "/usr/local/bin:/usr/bin:/bin");
	env_copy(&env, arena, "HOME", NULL);
	env_copy(&env, arena, "TMPDIR", NULL);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		words_add(&env, arena, fixed[i]);
	for (; more != NULL && *more != NULL; more++)
		env_set(&env, arena, *more);
	return env.v;
}

int process_exec_error(const char *path, const char *folder, int errnum, struct error *e)
{
	error_errno(e, errnum, "starting %s", path);
	if (errnum == ENOENT && file_exists(path) && folder == NULL)
		error_advice(e, "the file is there, but the interpreter that it names (first line or ELF "
				"header) is not");
	else if (errnum == ENOEXEC)
		error_advice(e, "it is no program of this machine, and a script needs a first line "
				"\"#!interpreter\"");
	else if (errnum == EACCES && file_is_folder(path))
		error_advice(e, "it is a folder");
	else if (errnum == EACCES)
		error_advice(e, "is it executable (chmod +x), and its file system not mounted noexec?");
	else if (errnum == E2BIG)
		error_advice(e, "arguments and environment are too long");
	return -1;
}
