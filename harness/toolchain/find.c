#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "toolchain/identify.h"
#include "toolchain/memory.h"
#include "toolchain/probe.h"
#include "toolchain/slots.h"

static const int64_t timeout_default_ns = 10000000000;

/* All that is identified, before it is sorted; in the order of PATH. */
struct found {
	struct toolchain **v;
	size_t n;
	struct toolchain **of; /* by candidate; NULL: none */
};

static void add_name(struct arena *arena, struct toolchain *t, const char *name)
{
	if (!words_have(&t->names, name))
		words_add(&t->names, arena, name);
}

/* Is a compiler like this one known already? However it was found, it is kept once. */
static struct toolchain *known(const struct found *found, const struct toolchain *t)
{
	for (size_t i = 0; i < found->n; i++)
		if (strcmp(found->v[i]->identity, t->identity) == 0)
			return found->v[i];
	return NULL;
}

static void refuse(struct discovery *d, const struct candidate *c, const char *reason)
{
	const char *what =
		c->user != NULL ? arena_printf(d->arena, "toolchains/%s.yaml", c->user->name) : c->cc.v[0];

	reason = arena_printf(d->arena, "%s: %s", what, reason);
	words_add(d->notes, d->arena, reason);
	if (c->user != NULL) {
		discover_fail(d, c->user->name, "%s", reason);
		return;
	}
	for (size_t i = 0; i < c->names.n; i++)
		discover_fail(d, c->names.v[i], "%s", reason);
}

static void take(struct finding *f, struct discovery *d, size_t index, struct found *found)
{
	const struct candidate *c = &d->candidates[index];
	const char *reason = "";
	struct toolchain *t = identify(f, c, &reason);
	struct toolchain *same = t != NULL ? known(found, t) : NULL;

	if (t == NULL) {
		refuse(d, c, reason);
		return;
	}
	if (same == NULL) {
		found->v[found->n++] = t;
		same = t;
	}
	for (size_t i = 0; i < c->names.n; i++)
		add_name(f->arena, same, c->names.v[i]);
	if (c->user != NULL && c->user->cxx.n > 0 && same->memory->cxx_user == NULL)
		same->memory->cxx_user = c->user;
	if (c->wrapper != NULL)
		facts_set(&same->facts, "toolchain.wrapper", c->wrapper, "PATH, toolchains/*.yaml");
	found->of[index] = same;
}

/* Drops what the project has no family for. */
static void set_families(struct discovery *d, struct found *found)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->n; i++) {
		struct toolchain *t = found->v[i];

		t->spec = slots_family(d->project, t);
		if (t->spec != NULL) {
			t->family = t->spec->name;
			facts_set(&t->facts, "toolchain.family", t->family, "-dM -E, target, C library");
			found->v[kept++] = t;
			continue;
		}
		words_addf(d->notes, d->arena,
			"%s: no family in toolchains/ fits a compiler for %s like this", t->cc.v[0],
			t->target);
		for (size_t j = 0; j < d->n; j++)
			if (found->of[j] == t)
				found->of[j] = NULL;
	}
	found->n = kept;
}

/* What is said about families that are not what a name or a user says. */
static void note_families(struct discovery *d, const struct found *found)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct candidate *c = &d->candidates[i];
		const struct toolchain *t = found->of[i];

		if (t == NULL)
			continue;
		if (c->user != NULL && c->user->family.text != NULL &&
			strcmp(c->user->family.text, t->family) != 0)
			words_addf(d->notes, d->arena, "toolchains/%s.yaml says family %s, but %s is %s %s",
				c->user->name, c->user->family.text, c->cc.v[0], t->family, t->version);
		for (size_t j = 0; c->user == NULL && j < d->project->family_count; j++) {
			const struct spec_family *called = &d->project->families[j];

			if (called->style != t->spec->style && words_have(&c->names, called->name))
				words_addf(d->notes, d->arena, "%s is called %s, but is %s %s", c->cc.v[0],
					called->name, t->family, t->version);
		}
	}
}

static int by_family(const void *left, const void *right)
{
	const struct toolchain *a = *(struct toolchain *const *)left, *b = *(struct toolchain *const *)right;
	int order = strcmp(a->family, b->family);

	if (order == 0)
		order = (a->major > b->major) - (a->major < b->major);
	if (order == 0)
		order = strcmp(a->target, b->target);
	if (order == 0)
		order = strcmp(a->version, b->version);
	return order != 0 ? order : strcmp(a->identity, b->identity);
}

static void set_name_facts(struct arena *arena, struct found *found)
{
	for (size_t i = 0; i < found->n; i++)
		facts_set(&found->v[i]->facts, "toolchain.names", words_join(&found->v[i]->names, arena),
			"PATH");
}

static void find_all(struct finding *f, struct discovery *d, struct toolchains *out)
{
	struct found found = {0};

	discover(d);
	found.v = arena_array(f->arena, d->n + 1, sizeof(struct toolchain *));
	found.of = arena_array(f->arena, d->n + 1, sizeof(struct toolchain *));
	for (size_t i = 0; i < d->n; i++)
		take(f, d, i, &found);
	set_families(d, &found);
	note_families(d, &found);
	for (size_t i = 0; i < found.n; i++)
		probe(f, found.v[i]);
	set_name_facts(f->arena, &found);
	slots_assign(d, found.of, found.v, found.n);
	if (found.n > 0)
		qsort(found.v, found.n, sizeof(*found.v), by_family);
	out->v = found.v;
	out->n = found.n;
	out->failures = d->failures;
	out->failure_count = d->failure_count;
}

int toolchains_find(const struct spec_project *project, const struct toolchain_options *options,
	struct arena *arena, struct toolchains *out, struct error *e)
{
	struct toolchains result = {0};
	struct words folders = {0};
	struct finding f = {.arena = arena, .options = options, .cpu = options->cpu};
	struct discovery d = {.arena = arena, .project = project, .notes = &result.notes};
	const char *path = options->path != NULL ? options->path : getenv("PATH");

	f.folder = ask_folder(arena, options->scratch, e);
	if (f.folder == NULL)
		return -1;
	if (f.cpu == NULL)
		f.cpu = memory_cpu(arena);
	f.timeout_ns = options->timeout_ns > 0 ? options->timeout_ns : timeout_default_ns;
	d.path = path != NULL ? arena_strdup(arena, path) : "";
	discover_folders(arena, d.path, &folders);
	result.path = words_between(&folders, ":", arena);
	cache_open(&f.cache, options->cache_folder);
	find_all(&f, &d, &result);
	cache_close(&f.cache);
	(void)file_remove_tree(f.folder, NULL);
	*out = result;
	return 0;
}
