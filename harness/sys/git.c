#include "sys/git.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "sys/process.h"

enum {
	MAX_NESTING = 4,       /* repositories inside repositories whose dirt is looked at */
	LARGE_FILE = 64 << 20, /* of a dirty file beyond this only the size goes into the hash */
	OID_TEXT = 65,
	GIT_OUTPUT_LIMIT = 64 << 20,
};

/* What a question needs all along. */
struct reader {
	const char *folder; /* real path */
	const char *top;    /* real path of the work tree, NULL: bare */
	bool below_only;
	const char *except;
	struct arena *arena;
	struct git_state *state;
	int nesting;
};

/*
 * libgit2 1.5 loses its PCRE2 match data for every setting whose name does not fit the pattern it looks for: not
 * ours to free, and not to hide our own leaks.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_ARE_LOOKED_FOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(LEAKS_ARE_LOOKED_FOR)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2\n";
}
#endif

static void read_state(struct reader *reader);

/* Is path `inside` itself or below it? "" holds everything. */
static bool path_below(const char *path, const char *inside)
{
	size_t length = strlen(inside);

	while (length > 0 && inside[length - 1] == '/')
		length--;
	return length == 0 ||
	       (strncmp(path, inside, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

/* The folder asked about, relative to the top: "" for the top itself. */
static const char *folder_in_tree(const struct reader *reader)
{
	size_t length = strlen(reader->top);

	while (length > 1 && reader->top[length - 1] == '/')
		length--;
	if (strncmp(reader->folder, reader->top, length) != 0)
		return "";
	return reader->folder[length] == '/' ? reader->folder + length + 1 : reader->folder + length;
}

static bool counts(const struct reader *reader, const char *path)
{
	const char *inside = folder_in_tree(reader);

	if (reader->below_only && !path_below(path, inside))
		return false;
	if (reader->except == NULL)
		return true;
	if (path_below(path, reader->except))
		return false;
	return *inside == '\0' ||
	       !path_below(path, arena_printf(reader->arena, "%s/%s", inside, reader->except));
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A submodule, or a repository that lies in the tree without being one: its commit and its own dirt. */
static void hash_repository(const struct reader *outer, struct hash *hash, const char *path)
{
	struct git_state state = {0};
	struct reader reader = {
		.folder = path, .arena = outer->arena, .state = &state, .nesting = outer->nesting + 1};

	hash_add_field(hash, "repository");
	if (reader.nesting <= MAX_NESTING)
		read_state(&reader);
	hash_add_field(hash, state.commit);
	hash_add_field(hash, state.diff_hash);
}

static void hash_regular(
	const struct reader *reader, struct hash *hash, const char *path, const struct stat *about)
{
	char hex[HASH_HEX];
	bool readable = about->st_size <= LARGE_FILE && hash_file_hex(path, hex, NULL) == 0;

	hash_add_field(hash, about->st_mode & S_IXUSR ? "program" : "file");
	hash_add_field(hash, arena_printf(reader->arena, "%lld", (long long)about->st_size));
	hash_add_field(hash, readable ? hex : NULL);
}

/* What stands in the work tree at a dirty path. Whether it is staged does not matter: it is what gets built. */
static void hash_path(const struct reader *reader, struct hash *hash, const char *path)
{
	char *full = file_join(reader->arena, reader->top, path);
	char target[4096];
	struct stat about;
	ssize_t length;

	hash_add_field(hash, path);
	if (lstat(full, &about) != 0) {
		hash_add_field(hash, "deleted");
	} else if (S_ISREG(about.st_mode)) {
		hash_regular(reader, hash, full, &about);
	} else if (S_ISLNK(about.st_mode)) {
		length = readlink(full, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		hash_add_field(hash, "link");
		hash_add_field(hash, target);
	} else if (S_ISDIR(about.st_mode)) {
		hash_repository(reader, hash, full);
	} else {
		hash_add_field(hash, "special");
	}
}

/* Paths relative to the top, in any order, possibly twice. */
static void set_dirt(struct reader *reader, struct words *paths)
{
	struct git_state *state = reader->state;
	char hex[HASH_HEX];
	struct hash hash;
	const char *last = NULL;

	state->dirty_known = true;
	state->dirty = false;
	if (paths->n > 0)
		qsort(paths->v, paths->n, sizeof(*paths->v), by_path);
	hash_init(&hash);
	for (size_t i = 0; i < paths->n; i++) {
		if (!counts(reader, paths->v[i]) || (last != NULL && strcmp(last, paths->v[i]) == 0))
			continue;
		last = paths->v[i];
		state->dirty = true;
		hash_path(reader, &hash, last);
	}
	if (!state->dirty)
		return;
	hash_final_hex(&hash, hex);
	state->diff_hash = arena_strdup(reader->arena, hex);
}

/* --- through libgit2 --- */

/* Looked at here as libgit2 1.5 asks the wrong folder in a second work tree. */
static bool is_shallow(const struct reader *reader, const char *common_folder)
{
	struct stat about;

	return stat(file_join(reader->arena, common_folder, "shallow"), &about) == 0 && about.st_size > 0;
}

/* "main" of HEAD, also before the first commit; stays NULL when HEAD is a commit itself. */
static void library_branch(struct reader *reader, git_repository *repository)
{
	git_reference *head = NULL;
	const char *target;

	if (git_reference_lookup(&head, repository, "HEAD") != 0)
		return;
	target = git_reference_symbolic_target(head);
	if (target != NULL && text_starts(target, "refs/heads/"))
		reader->state->branch = arena_strdup(reader->arena, target + strlen("refs/heads/"));
	git_reference_free(head);
}

static void library_describe(struct reader *reader, git_object *commit)
{
	git_describe_options options;
	git_describe_result *result = NULL;
	git_buf text = {0};

	git_describe_options_init(&options, GIT_DESCRIBE_OPTIONS_VERSION);
	options.describe_strategy = GIT_DESCRIBE_TAGS;
	if (git_describe_commit(&result, commit, &options) != 0)
		return;
	if (git_describe_format(&text, result, NULL) == 0)
		reader->state->describe = arena_strdup(reader->arena, text.ptr);
	git_buf_dispose(&text);
	git_describe_result_free(result);
}

/* 0: commit or its absence is known; else libgit2 cannot read it. */
static int library_commit(struct reader *reader, git_repository *repository)
{
	char text[OID_TEXT];
	git_object *commit = NULL;
	int result;

	library_branch(reader, repository);
	result = git_revparse_single(&commit, repository, "HEAD^{commit}");
	if (result == GIT_ENOTFOUND && git_repository_head_unborn(repository) == 1) {
		reader->state->commit_reason = "no commits yet";
		return 0;
	}
	if (result != 0)
		return result;
	git_oid_tostr(text, sizeof(text), git_object_id(commit));
	reader->state->commit = arena_strdup(reader->arena, text);
	reader->state->commit_unix_s = git_commit_time((git_commit *)commit);
	library_describe(reader, commit);
	git_object_free(commit);
	return 0;
}

static const char *status_path(const git_status_entry *entry)
{
	const git_diff_delta *delta =
		entry->index_to_workdir != NULL ? entry->index_to_workdir : entry->head_to_index;

	return delta->old_file.path != NULL ? delta->old_file.path : delta->new_file.path;
}

static int library_dirt(struct reader *reader, git_repository *repository)
{
	git_status_options options;
	char *pathspec = arena_strdup(reader->arena, reader->below_only ? folder_in_tree(reader) : "");
	git_status_list *list = NULL;
	struct words paths = {0};

	git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
	options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
	options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS |
			GIT_STATUS_OPT_INCLUDE_UNREADABLE_AS_UNTRACKED |
			GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH;
	if (*pathspec != '\0')
		options.pathspec = (git_strarray){&pathspec, 1};
	if (git_status_list_new(&list, repository, &options) != 0)
		return -1;
	for (size_t i = 0; i < git_status_list_entrycount(list); i++)
		words_add(&paths, reader->arena, status_path(git_status_byindex(list, i)));
	git_status_list_free(list);
	set_dirt(reader, &paths);
	return 0;
}

static const char *library_error(struct reader *reader)
{
	const git_error *error = git_error_last();

	return arena_strdup(
		reader->arena, error != NULL && error->message != NULL ? error->message : "no reason given");
}

/* 0: answered; else the git program is to be asked, and *why says what libgit2 could not do. */
static int read_with_library(struct reader *reader, git_repository *repository, const char **why)
{
	const char *top = git_repository_workdir(repository);

	reader->state->shallow = is_shallow(reader, git_repository_commondir(repository));
	reader->top = top != NULL ? file_real(reader->arena, top, NULL) : NULL;
	if (library_commit(reader, repository) != 0) {
		*why = library_error(reader);
		return -1;
	}
	if (reader->top == NULL) {
		reader->state->dirty_reason = "the repository has no work tree";
		return 0;
	}
	if (library_dirt(reader, repository) != 0) {
		*why = library_error(reader);
		return -1;
	}
	return 0;
}

/* --- through the git program --- */

/* Runs `git -C FOLDER ...`; its output, or NULL and why. Optional locks off: nothing is written to the repository. */
static char *git_output(struct reader *reader, const char *const *arguments, size_t *size, const char **why)
{
	char *more[] = {(char[]){"GIT_OPTIONAL_LOCKS=0"}, NULL};
	struct process_options options = {
		.cpu = -1, .timeout_ns = INT64_C(60000000000), .output_limit = GIT_OUTPUT_LIMIT};
	struct process_result result = {0};
	struct error e = {0};
	struct words argv = {0};
	char *output = NULL;

	words_add(&argv, reader->arena, "git");
	/* a program that the repository's own settings name is not run */
	words_add(&argv, reader->arena, "-c");
	words_add(&argv, reader->arena, "core.fsmonitor=false");
	words_add(&argv, reader->arena, "-C");
	words_add(&argv, reader->arena, reader->folder);
	for (; *arguments != NULL; arguments++)
		words_add(&argv, reader->arena, *arguments);
	options.argv = argv.v;
	options.env = process_clean_env(reader->arena, more);
	if (process_run(&options, &result, &e) != 0) {
		*why = arena_printf(reader->arena, "git could not be asked: %s", e.text);
	} else if (!process_ok(&result) || result.out_bytes > result.out.n) {
		*why = arena_printf(reader->arena, "git says: %.400s",
			result.err.n > 0 ? buf_text(&result.err) : process_describe(&result, reader->arena));
	} else {
		output = arena_strndup(reader->arena, buf_text(&result.out), result.out.n);
		*size = result.out.n;
	}
	process_result_release(&result);
	return output;
}

/* The first line of the output, or NULL and why. */
static char *git_line(struct reader *reader, const char *const *arguments, const char **why)
{
	size_t size = 0;
	char *output = git_output(reader, arguments, &size, why);

	if (output != NULL)
		output[strcspn(output, "\n")] = '\0';
	return output;
}
#define GIT(...) ((const char *const[]){__VA_ARGS__, NULL})

static void program_commit(struct reader *reader)
{
	struct git_state *state = reader->state;
	const char *why = NULL;
	const char *committer;
	size_t size = 0;
	char *object;

	state->branch = git_line(reader, GIT("symbolic-ref", "-q", "--short", "HEAD"), &why);
	state->commit = git_line(reader, GIT("rev-parse", "--verify", "-q", "HEAD^{commit}"), &why);
	if (state->commit == NULL) {
		state->commit_reason = state->branch != NULL ? "no commits yet" : why;
		return;
	}
	state->commit_reason = NULL;
	state->describe = git_line(reader, GIT("describe", "--tags"), &why);
	object = git_output(reader, GIT("cat-file", "commit", "HEAD"), &size, &why);
	committer = object != NULL ? strstr(object, "\ncommitter ") : NULL;
	/* "committer NAME <ADDRESS> SECONDS ZONE" */
	if (committer != NULL && (committer = strstr(committer, "> ")) != NULL)
		state->commit_unix_s = strtoll(committer + 2, NULL, 10);
}

/* Entries "XY PATH", each with a NUL at its end (git-status(1), porcelain version 1 with -z). */
static void program_dirt(struct reader *reader)
{
	size_t size = 0;
	const char *why = NULL;
	struct words paths = {0};
	char *output = git_output(reader,
		GIT("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all",
			"--ignore-submodules=none"),
		&size, &why);

	if (output == NULL) {
		reader->state->dirty_reason = why;
		return;
	}
	for (size_t at = 0; at < size; at += strlen(output + at) + 1)
		if (strlen(output + at) > 3)
			words_add(&paths, reader->arena, output + at + 3);
	set_dirt(reader, &paths);
}

/* 0: answered; -1: could not, *why says it. */
static int read_with_program(struct reader *reader, const char **why)
{
	const char *top = NULL;
	const char *common = git_line(reader, GIT("rev-parse", "--git-common-dir"), why);

	if (common == NULL)
		return -1;
	reader->state->shallow = is_shallow(reader, file_join(reader->arena, reader->folder, common));
	program_commit(reader);
	top = git_line(reader, GIT("rev-parse", "--show-toplevel"), why);
	reader->top = top != NULL ? file_real(reader->arena, top, NULL) : NULL;
	if (reader->top == NULL)
		reader->state->dirty_reason = "the repository has no work tree";
	else
		program_dirt(reader);
	return 0;
}

/* --- both --- */

static void unknown(struct reader *reader, const char *reason)
{
	*reader->state = (struct git_state){.commit_reason = reason, .dirty_reason = reason};
}

/* git's own line of advice names the folder to trust, which is not always the one asked about. */
static const char *trust_advice(struct reader *reader, const char *why)
{
	const char *command = "git config --global --add safe.directory ";
	const char *said = strstr(why, command);
	struct words words = {0};

	if (said != NULL)
		return arena_strndup(reader->arena, said, strcspn(said, "\n"));
	words_add(&words, reader->arena, reader->folder);
	return arena_printf(reader->arena, "%s%s", command, words_join(&words, reader->arena));
}

static void ask_program(struct reader *reader, int failure, const char *library_why)
{
	const char *why = NULL;

	*reader->state = (struct git_state){0};
	if (read_with_program(reader, &why) == 0)
		return;
	if (failure == GIT_EOWNER || strstr(why, "dubious ownership") != NULL)
		unknown(reader,
			arena_printf(reader->arena,
				"owned by another user: git calls this dubious ownership and reads nothing; "
				"if you trust it: %s",
				trust_advice(reader, why)));
	else
		unknown(reader, arena_printf(reader->arena, "libgit2 cannot read the repository (%s), and %s",
					library_why, why));
}

/* Also when libgit2 1.5 says "not found" of what another user owns, as it does where there is no ~/.gitconfig. */
static bool is_repository(const struct reader *reader)
{
	git_buf found = {0};
	bool is_one = git_repository_discover(&found, reader->folder, 0, NULL) == 0;

	git_buf_dispose(&found);
	return is_one;
}

static void read_state(struct reader *reader)
{
	git_repository *repository = NULL;
	const char *why = NULL;
	int failure;

	git_libgit2_init();
	failure = git_repository_open_ext(&repository, reader->folder, 0, NULL);
	if (failure == GIT_ENOTFOUND && !is_repository(reader))
		unknown(reader, "no repository");
	else if (failure != 0)
		/* another owner (which git's settings may trust), SHA-256, or an extension newer than this libgit2 */
		ask_program(reader, failure, library_error(reader));
	else if (read_with_library(reader, repository, &why) != 0)
		ask_program(reader, 0, why);
	git_repository_free(repository);
	git_libgit2_shutdown();
}

void git_read(
	const char *folder, bool below_only, const char *except, struct arena *arena, struct git_state *state)
{
	struct error e = {0};
	struct reader reader = {.below_only = below_only, .except = except, .arena = arena, .state = state};

	*state = (struct git_state){0};
	reader.folder = file_real(arena, folder, &e);
	if (reader.folder == NULL) {
		unknown(&reader, arena_strdup(arena, e.text));
		return;
	}
	read_state(&reader);
}
