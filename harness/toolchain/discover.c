#include "toolchain/discover.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "toolchain/wrapper.h"

void discover_fail(struct discovery *d, const char *name, const char *fmt, ...)
{
	const char *reason;
	va_list ap;

	va_start(ap, fmt);
	reason = arena_vprintf(d->arena, fmt, ap);
	va_end(ap);
	if (d->failure_count == d->failure_cap) {
		struct toolchain_failure *old = d->failures;

		d->failure_cap = mem_grown(d->failure_cap, d->failure_count + 8);
		d->failures = arena_array(d->arena, d->failure_cap, sizeof(*d->failures));
		if (d->failure_count > 0)
			memcpy(d->failures, old, d->failure_count * sizeof(*old));
	}
	d->failures[d->failure_count++] = (struct toolchain_failure){arena_strdup(d->arena, name), reason};
}

const struct candidate *discover_named(const struct discovery *d, const char *name)
{
	for (size_t i = 0; i < d->named_count; i++)
		if (strcmp(d->named[i].name, name) == 0)
			return &d->candidates[d->named[i].candidate];
	return NULL;
}

void discover_folders(struct arena *arena, const char *path, struct words *folders)
{
	while (*path != '\0') {
		const size_t length = strcspn(path, ":");

		/* Relative parts mean another folder wherever one stands: not looked at. */
		if (path[0] == '/') {
			const char *folder = arena_strndup(arena, path, length);

			if (!words_have(folders, folder))
				words_add(folders, arena, folder);
		}
		path += length + (path[length] == ':');
	}
}

static void add_named(struct discovery *d, const char *name, size_t candidate)
{
	if (d->named_count == d->named_cap) {
		struct named *old = d->named;

		d->named_cap = mem_grown(d->named_cap, d->named_count + 16);
		d->named = arena_array(d->arena, d->named_cap, sizeof(*d->named));
		if (d->named_count > 0)
			memcpy(d->named, old, d->named_count * sizeof(*old));
	}
	d->named[d->named_count++] = (struct named){name, candidate};
}

static struct candidate *add_candidate(struct discovery *d)
{
	if (d->n == d->cap) {
		struct candidate *old = d->candidates;

		d->cap = mem_grown(d->cap, d->n + 16);
		d->candidates = arena_array(d->arena, d->cap, sizeof(*d->candidates));
		if (d->n > 0)
			memcpy(d->candidates, old, d->n * sizeof(*old));
	}
	return &d->candidates[d->n++];
}

/* What stands in front of the compiler's own name: "aarch64-linux-gnu-" of aarch64-linux-gnu-gcc-12. */
static const char *name_prefix(struct arena *arena, const char *name)
{
	static const char *const stems[] = {"musl-gcc", "gcc", "clang", "tcc", "cc"};

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		const char *at = strstr(name, stems[i]);

		if (at == name)
			return "";
		if (at != NULL && at[-1] == '-')
			return arena_strndup(arena, name, (size_t)(at - name));
	}
	return "";
}

static bool matches(const struct words *globs, const char *name)
{
	for (size_t i = 0; i < globs->n; i++)
		if (text_glob(globs->v[i], name))
			return true;
	return false;
}

static bool is_compiler_name(const struct spec_project *project, const char *name)
{
	for (size_t i = 0; i < project->family_count; i++)
		if (matches(&project->families[i].find, name) &&
			!matches(&project->families[i].exclude, name))
			return true;
	return false;
}

static bool is_family_name(const struct spec_project *project, const char *name)
{
	for (size_t i = 0; i < project->family_count; i++)
		if (strcmp(project->families[i].name, name) == 0)
			return true;
	return false;
}

/* The name that says most: one of a family's own, else the shortest. */
static bool is_better_name(const struct spec_project *project, const char *name, const char *old)
{
	if (is_family_name(project, old) != is_family_name(project, name))
		return is_family_name(project, name);
	return strlen(name) < strlen(old);
}

static struct candidate *find_group(struct discovery *d, const char *real, const char *prefix)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->candidates[i].user == NULL && strcmp(d->candidates[i].real, real) == 0 &&
			strcmp(d->candidates[i].prefix, prefix) == 0)
			return &d->candidates[i];
	return NULL;
}

static void add_program(
	struct discovery *d, const char *name, const char *path, const char *real, const char *wrapper)
{
	const char *prefix = name_prefix(d->arena, name);
	const struct candidate *known = discover_named(d, name);
	struct candidate *c = find_group(d, real, prefix);

	if (c == NULL) {
		c = add_candidate(d);
		*c = (struct candidate){.real = real, .prefix = prefix};
		words_add(&c->cc, d->arena, path);
	} else if (is_better_name(d->project, name, file_name(c->cc.v[0]))) {
		c->cc.v[0] = arena_strdup(d->arena, path);
	}
	if (c->wrapper == NULL)
		c->wrapper = wrapper;
	if (known == NULL) {
		words_add(&c->names, d->arena, name);
		add_named(d, name, (size_t)(c - d->candidates));
	} else if (!words_have(&c->names, name) && !words_have(&c->names, path)) {
		/* The name alone means another program, which stands earlier in PATH. */
		words_add(&c->names, d->arena, path);
	}
}

/*
 * One name of PATH that a family is found by. `behind`: the folders after this one; a wrapper's name goes to
 * seen_through.
 */
static void look_at(struct discovery *d, const char *folder, const char *name, const struct words *behind,
	struct words *seen_through)
{
	const char *path = file_join(d->arena, folder, name);
	const char *real = file_real(d->arena, path, NULL);
	const char *wrapper = NULL;

	if (real == NULL) {
		words_addf(d->notes, d->arena, "%s leads to nothing: a broken link", path);
		return;
	}
	if (!file_is_program(real))
		return;
	if (wrapper_is(file_name(real))) {
		const char *behind_it = wrapper_real(d->arena, name, behind);

		wrapper = arena_printf(d->arena, "%s (%s)", file_name(real), path);
		if (behind_it == NULL) {
			words_addf(d->notes, d->arena,
				"%s is %s, and no %s stands behind it in PATH: left out", path,
				file_name(real), name);
			return;
		}
		words_add(seen_through, d->arena, name);
		path = behind_it;
		real = file_real(d->arena, path, NULL);
		if (real == NULL)
			return;
	}
	add_program(d, name, path, real, wrapper);
}

static void discover_path(struct discovery *d)
{
	struct words folders = {0};
	struct words seen = {0};

	discover_folders(d->arena, d->path, &folders);
	for (size_t i = 0; i < folders.n; i++) {
		const struct words behind = {.v = folders.v + i + 1, .n = folders.n - i - 1};
		const char *real = file_real(d->arena, folders.v[i], NULL);
		struct words names = {0}, seen_through = {0};

		/* /bin is mostly /usr/bin */
		if (real == NULL || words_have(&seen, real) ||
			file_list(folders.v[i], d->arena, &names, NULL) != 0)
			continue;
		words_add(&seen, d->arena, real);
		for (size_t j = 0; j < names.n; j++) {
			if (is_compiler_name(d->project, names.v[j]))
				look_at(d, folders.v[i], names.v[j], &behind, &seen_through);
		}
		if (seen_through.n > 0)
			words_addf(d->notes, d->arena,
				"%s holds links to a compiler cache or distributor (%s): what stands behind "
				"them in "
				"PATH is called instead",
				folders.v[i], words_join(&seen_through, d->arena));
	}
}

/* Looks a user's program up; a path is taken from the project's folder. */
static const char *locate(const struct discovery *d, const char *word)
{
	if (strchr(word, '/') != NULL) {
		const char *path =
			file_join(d->arena, d->project->folder != NULL ? d->project->folder : ".", word);
		const char *folder = file_real(d->arena, file_folder(d->arena, path), NULL);

		return folder != NULL && file_is_program(path) ? file_join(d->arena, folder, file_name(path))
							       : NULL;
	}
	return file_find_program(d->arena, word, d->path);
}

/* What a user may have meant: the nearest of the names found in PATH. */
static const char *nearest_program(const struct discovery *d, const char *word)
{
	struct words names = {0};

	for (size_t i = 0; i < d->named_count; i++)
		words_add(&names, d->arena, d->named[i].name);
	return text_nearest(file_name(word), (const char *const *)names.v, names.n);
}

static void fail_missing(
	struct discovery *d, const struct spec_toolchain *user, const char *what, const char *word)
{
	const char *nearest = nearest_program(d, word);

	discover_fail(d, user->name, "toolchains/%s.yaml: no program %s%s%s%s", user->name,
		text_safe(d->arena, word), strchr(word, '/') == NULL ? " in PATH" : "", what,
		nearest != NULL ? arena_printf(d->arena, "; there is %s", nearest) : "");
	words_add(d->notes, d->arena, d->failures[d->failure_count - 1].reason);
}

static void discover_user(struct discovery *d, const struct spec_toolchain *user)
{
	struct words cc = {0};
	const char *wrapper = wrapper_strip(d->arena, &user->cc, &cc);
	struct candidate *c;
	const char *path, *real, *runner = NULL;

	if (cc.n == 0) {
		discover_fail(
			d, user->name, "toolchains/%s.yaml: no compiler behind %s", user->name, wrapper);
		words_add(d->notes, d->arena, d->failures[d->failure_count - 1].reason);
		return;
	}
	path = locate(d, cc.v[0]);
	real = path != NULL ? file_real(d->arena, path, NULL) : NULL;
	if (real != NULL && wrapper_is(file_name(real))) {
		struct words folders = {0};

		wrapper = file_name(real);
		discover_folders(d->arena, d->path, &folders);
		path = wrapper_real(d->arena, file_name(cc.v[0]), &folders);
		real = path != NULL ? file_real(d->arena, path, NULL) : NULL;
	}
	if (real == NULL) {
		fail_missing(d, user, "", cc.v[0]);
		return;
	}
	if (user->runner.n > 0 && (runner = locate(d, user->runner.v[0])) == NULL) {
		fail_missing(d, user, " (its runner)", user->runner.v[0]);
		return;
	}
	if (wrapper != NULL)
		words_addf(d->notes, d->arena,
			"toolchains/%s.yaml calls %s: %s is called instead, without it", user->name, wrapper,
			path);
	c = add_candidate(d);
	*c = (struct candidate){.real = real,
		.prefix = name_prefix(d->arena, file_name(path)),
		.wrapper = wrapper,
		.user = user};
	words_add(&c->names, d->arena, path);
	cc.v[0] = arena_strdup(d->arena, path);
	words_add_all(&c->cc, d->arena, &cc);
	words_add_all(&c->env, d->arena, &user->env);
	words_add_all(&c->runner, d->arena, &user->runner);
	if (runner != NULL)
		c->runner.v[0] = arena_strdup(d->arena, runner);
}

void discover(struct discovery *d)
{
	discover_path(d);
	for (size_t i = 0; i < d->project->toolchain_count; i++)
		discover_user(d, &d->project->toolchains[i]);
}
