#include "sys/git_export.h"

#include <git2.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "sys/process.h"

enum { GIT_TIMEOUT_S = 300, OUTPUT_LIMIT = 1 << 20 };

static const char *library_error(struct arena *arena)
{
	const git_error *error = git_error_last();

	return arena_strdup(
		arena, error != NULL && error->message != NULL ? error->message : "unknown error");
}

/* The part of folder below the work tree's top, "" at the top; NULL: it is not below. */
static const char *below(const char *folder, const char *top)
{
	size_t n = strlen(top);

	while (n > 1 && top[n - 1] == '/')
		n--;
	if (strncmp(folder, top, n) != 0 || (folder[n] != '\0' && folder[n] != '/'))
		return NULL;
	folder += n;
	while (*folder == '/')
		folder++;
	return folder;
}

static int no_commit(const char *folder, const char *commit, const char *why, struct error *e)
{
	error_set(e, EXIT_CANNOT, "the repository of %s does not have the commit %.12s: %s", folder, commit,
		why);
	return error_advice(e, "fetch it (git fetch --unshallow, or from where the record was made)");
}

static int set_inside(const char *folder, const char *top, const char *commit, const char *into,
	const char **inside, struct arena *arena, struct error *e)
{
	const char *real = file_real(arena, top, e), *part;

	if (real == NULL)
		return -1;
	part = below(folder, real);
	if (part == NULL)
		return error_set(e, EXIT_CANNOT, "%s is not in the work tree %s", folder, real);
	*inside = part[0] != '\0' ? file_join(arena, into, part) : into;
	if (!file_is_folder(*inside))
		return error_set(e, EXIT_CANNOT,
			"at the commit %.12s there was no folder %s in the repository", commit, part);
	return 0;
}

/* 1: libgit2 cannot read this repository, *why; the program may. */
static int by_library(const char *folder, const char *commit, const char *into, const char **top,
	const char **why, struct arena *arena, struct error *e)
{
	git_repository *repository = NULL;
	git_commit *object = NULL;
	git_checkout_options options;
	git_oid id;
	int result = 1;

	*why = NULL;
	git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION);
	if (git_repository_open_ext(&repository, folder, 0, NULL) != 0 || strlen(commit) != GIT_OID_HEXSZ ||
		git_oid_fromstr(&id, commit) != 0) {
		*why = library_error(arena);
		goto out;
	}
	if (git_repository_workdir(repository) == NULL) {
		result = error_set(e, EXIT_CANNOT, "the repository of %s has no work tree", folder);
		goto out;
	}
	*top = arena_strdup(arena, git_repository_workdir(repository));
	if (git_commit_lookup(&object, repository, &id) != 0) {
		result = no_commit(folder, commit, library_error(arena), e);
		goto out;
	}
	options.checkout_strategy = GIT_CHECKOUT_FORCE | GIT_CHECKOUT_DONT_UPDATE_INDEX;
	options.target_directory = into;
	if (git_checkout_tree(repository, (const git_object *)object, &options) != 0)
		result = error_set(e, EXIT_CANNOT, "writing the files of the commit %.12s to %s: %s", commit,
			into, library_error(arena));
	else
		result = 0;
out:
	git_commit_free(object);
	git_repository_free(repository);
	return result;
}

/* Runs git with an index of our own; its first line of output, NULL: *why. */
static const char *run_git(const char *folder, const char *index, const char *const *arguments,
	struct arena *arena, const char **why)
{
	char *more[] = {arena_printf(arena, "GIT_INDEX_FILE=%s", index), NULL};
	struct process_options options = {.cpu = -1,
		.timeout_ns = (int64_t)GIT_TIMEOUT_S * 1000000000,
		.output_limit = OUTPUT_LIMIT,
		.env = process_clean_env(arena, more)};
	struct process_result result = {0};
	struct words argv = {0};
	struct error e = {0};
	const char *line = NULL;

	/* a program that the repository's own settings name is not run */
	words_add(&argv, arena, "git");
	words_add(&argv, arena, "-c");
	words_add(&argv, arena, "core.fsmonitor=false");
	words_add(&argv, arena, "-C");
	words_add(&argv, arena, folder);
	for (; *arguments != NULL; arguments++)
		words_add(&argv, arena, *arguments);
	options.argv = argv.v;
	if (process_run(&options, &result, &e) != 0)
		*why = arena_printf(arena, "git could not be asked: %s", e.text);
	else if (!process_ok(&result))
		*why = arena_printf(arena, "git says: %.400s",
			result.err.n > 0 ? buf_text(&result.err) : process_describe(&result, arena));
	else
		line = arena_strndup(arena, buf_text(&result.out), strcspn(buf_text(&result.out), "\n"));
	process_result_release(&result);
	return line;
}
#define GIT(...) ((const char *const[]){__VA_ARGS__, NULL})

static int by_program(const char *folder, const char *commit, const char *into, const char **top,
	const char *library_why, struct arena *arena, struct error *e)
{
	char *index = arena_printf(arena, "%s.index", into);
	const char *prefix = arena_printf(arena, "--prefix=%s/", into);
	const char *object = arena_printf(arena, "%s^{commit}", commit);
	const char *why = NULL;
	int result = -1;

	*top = run_git(folder, index, GIT("rev-parse", "--show-toplevel"), arena, &why);
	if (*top == NULL)
		return error_set(e, EXIT_CANNOT, "libgit2 cannot read the repository of %s (%s), and %s",
			folder, library_why, why);
	if (run_git(folder, index, GIT("rev-parse", "--verify", "-q", object), arena, &why) == NULL)
		result = no_commit(folder, commit, why, e);
	else if (run_git(*top, index, GIT("read-tree", commit), arena, &why) == NULL ||
		 run_git(*top, index, GIT("checkout-index", "--all", "--force", prefix), arena, &why) == NULL)
		error_set(
			e, EXIT_CANNOT, "writing the files of the commit %.12s to %s: %s", commit, into, why);
	else
		result = 0;
	file_remove_tree(index, NULL);
	return result;
}

int git_export(const char *folder, const char *commit, const char *into, const char **inside,
	struct arena *arena, struct error *e)
{
	const char *real = file_real(arena, folder, e), *top = NULL, *why = NULL;
	int result;

	if (real == NULL)
		return -1;
	git_libgit2_init();
	result = by_library(real, commit, into, &top, &why, arena, e);
	git_libgit2_shutdown();
	if (result == 1)
		result = by_program(real, commit, into, &top, why, arena, e);
	return result == 0 ? set_inside(real, top, commit, into, inside, arena, e) : -1;
}
