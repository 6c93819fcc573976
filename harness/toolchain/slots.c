#include "toolchain/slots.h"

#include <string.h>

#include "toolchain/macros.h"
#include "toolchain/memory.h"

static bool finds_name(const struct spec_family *family, const struct toolchain *t)
{
	for (size_t i = 0; i < t->names.n; i++) {
		const char *slash = strrchr(t->names.v[i], '/');
		const char *name = slash != NULL ? slash + 1 : t->names.v[i];

		for (size_t j = 0; j < family->find.n; j++)
			if (text_glob(family->find.v[j], name))
				return true;
	}
	return false;
}

/* How well a family fits; 0: not at all. */
static int fitness(const struct spec_family *family, const struct toolchain *t, bool cross)
{
	const bool musl = strstr(family->name, "musl") != NULL;
	int points = 1;

	if (family->style != t->memory->style)
		return 0;
	/* clang makes programs for every machine: it has no family of its own for that. */
	if (family->cross != cross)
		return family->cross ? 0 : t->memory->style == STYLE_GCC ? 0 : 1;
	if (finds_name(family, t))
		points += 2;
	if (musl)
		points = t->memory->musl ? points + 1 : 0;
	return points;
}

const struct spec_family *slots_family(const struct spec_project *project, const struct toolchain *t)
{
	const char *host = macros_host_arch(t->memory->arena);
	const bool cross = !t->native && strcmp(t->arch, host) != 0;
	const struct spec_family *best = NULL;
	int most = 0;

	for (size_t i = 0; i < project->family_count; i++) {
		const int points = fitness(&project->families[i], t, cross);

		if (points > most) {
			most = points;
			best = &project->families[i];
		}
	}
	return best;
}

static struct toolchain *owner(struct toolchain **all, size_t count, const char *slot)
{
	for (size_t i = 0; i < count; i++)
		if (all[i]->slots.n > 0 && words_have(&all[i]->slots, slot))
			return all[i];
	return NULL;
}

/* Gives a slot unless another one has it. */
static bool give(
	struct arena *arena, struct toolchain **all, size_t count, struct toolchain *t, const char *slot)
{
	const struct toolchain *has = owner(all, count, slot);

	if (has == NULL)
		words_add(&t->slots, arena, slot);
	return has == NULL || has == t;
}

/* A program named like a family, or FAMILY-MAJOR, gives that slot when it is what its name says. */
static void give_by_name(struct discovery *d, const struct named *named, struct toolchain *t,
	struct toolchain **all, size_t count)
{
	const char *major = arena_printf(d->arena, "%s-%d", t->family, t->major);

	if (strcmp(named->name, t->family) == 0 || strcmp(named->name, major) == 0 || !t->native) {
		give(d->arena, all, count, t, named->name);
		return;
	}
	for (size_t i = 0; i < d->project->family_count; i++)
		if (strcmp(named->name, d->project->families[i].name) == 0)
			discover_fail(d, named->name, "the %s of PATH is %s %s (%s)", named->name, t->family,
				t->version, t->cc.v[0]);
}

/* The one name that `all` uses: FAMILY-MAJOR[-TARGET], made longer until it is its own. */
static void give_own(struct discovery *d, struct toolchain *t, struct toolchain **all, size_t count)
{
	struct arena *arena = d->arena;
	const char *tail = t->native ? "" : arena_printf(arena, "-%s", t->target);
	const char *const own[] = {arena_printf(arena, "%s-%d%s", t->family, t->major, tail),
		arena_printf(arena, "%s-%s%s", t->family, t->version, tail),
		arena_printf(arena, "%s-%s%s-%.6s", t->family, t->version, tail, t->identity)};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && t->own_slot == NULL; i++)
		if (give(arena, all, count, t, own[i]))
			t->own_slot = own[i];
	give(arena, all, count, t, arena_printf(arena, "%s-%d-%s", t->family, t->major, t->target));
}

void slots_assign(struct discovery *d, struct toolchain *const *of, struct toolchain **all, size_t count)
{
	/* Users' names first: theirs win over programs of the same name. */
	for (size_t i = 0; i < d->n; i++)
		if (d->candidates[i].user != NULL && of[i] != NULL)
			give(d->arena, all, count, of[i], d->candidates[i].user->name);
	for (size_t i = 0; i < d->named_count; i++)
		if (of[d->named[i].candidate] != NULL)
			give_by_name(d, &d->named[i], of[d->named[i].candidate], all, count);
	for (size_t i = 0; i < count; i++) {
		/* One that only a user names goes by that name alone, so that it takes none from PATH's. */
		if (all[i]->user != NULL)
			all[i]->own_slot = all[i]->user->name;
		else
			give_own(d, all[i], all, count);
	}
}

static void add_near(const struct toolchain *toolchain, const char *name, size_t stem, struct arena *arena,
	struct words *near)
{
	if (stem > 1 && toolchain->own_slot != NULL && strncmp(toolchain->own_slot, name, stem) == 0)
		words_add(near, arena, toolchain->own_slot);
}

static const char *slots_of_family(const struct toolchains *found, struct arena *arena, const char *name)
{
	struct words near = {0};
	const size_t stem = strcspn(name, "0123456789");

	for (size_t i = 0; i < found->n; i++)
		add_near(found->v[i], name, stem, arena, &near);
	return near.n > 0 ? words_join(&near, arena) : NULL;
}

static const char *nearest_slot(const struct toolchains *found, struct arena *arena, const char *name)
{
	const char *family = slots_of_family(found, arena, name);
	struct words all = {0};

	if (family != NULL)
		return family;
	for (size_t i = 0; i < found->n; i++)
		words_add_all(&all, arena, &found->v[i]->slots);
	return text_nearest(name, (const char *const *)all.v, all.n);
}

static const char *failure_of(const struct toolchains *found, const char *name)
{
	for (size_t i = 0; i < found->failure_count; i++)
		if (strcmp(found->failures[i].name, name) == 0)
			return found->failures[i].reason;
	return NULL;
}

static void set_missing(struct toolchain_slot *slot, const struct toolchains *found, struct arena *arena)
{
	const char *name = text_safe(arena, slot->name);
	const char *failure = failure_of(found, slot->name);
	const char *nearest = nearest_slot(found, arena, slot->name);
	const char *there = nearest != NULL ? arena_printf(arena, "; there is %s", nearest) : "";

	if (failure != NULL) {
		slot->reason = arena_printf(arena, "%s%s", failure, there);
		slot->brief = arena_printf(arena, "no usable %s here", name);
		return;
	}
	slot->reason = arena_printf(arena, "no %s in PATH (looked through %s)%s", name,
		text_safe(arena, found->path[0] != '\0' ? found->path : "nothing: PATH is empty"), there);
	slot->brief = arena_printf(arena, "no %s in PATH", name);
}

static void set_idle(struct toolchain_slot *slot, struct arena *arena)
{
	const struct toolchain *t = slot->idle;
	struct buf cc = {0};

	text_quote(&cc, t->cc.v[0]);
	slot->reason = arena_printf(arena,
		"programs for %s cannot run here without a runner: write toolchains/NAME.yaml with `family: "
		"%s`, "
		"`cc: %s` and `runner: qemu-%s`, and use NAME",
		t->arch, t->family, buf_text(&cc), t->arch);
	slot->brief = arena_printf(arena, "programs for %s cannot run here without a runner", t->arch);
	buf_release(&cc);
}

struct toolchain_slot toolchains_slot(const struct toolchains *found, const struct spec_project *project,
	const char *name, struct arena *arena)
{
	struct toolchain_slot slot = {.name = name};

	/* A user's toolchain that does not work is not replaced by a program of the same name. */
	for (size_t i = 0; i < project->toolchain_count; i++)
		if (strcmp(project->toolchains[i].name, name) == 0 && failure_of(found, name) != NULL) {
			set_missing(&slot, found, arena);
			return slot;
		}
	slot.toolchain = owner(found->v, found->n, name);
	if (slot.toolchain == NULL) {
		set_missing(&slot, found, arena);
	} else if (!slot.toolchain->native && slot.toolchain->runner.n == 0) {
		slot.idle = slot.toolchain;
		slot.toolchain = NULL;
		set_idle(&slot, arena);
	}
	return slot;
}

void toolchains_all_slots(const struct toolchains *found, struct arena *arena, struct words *names)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->v[i]->native)
			words_add(names, arena, found->v[i]->own_slot);
}
