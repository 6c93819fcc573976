#include <string.h>

#include "base/mem.h"
#include "session/reproduce_work.h"

/* The toolchains that a record was built with, found again by what they are. */

/* What a toolchain is: the bytes of its files, and how it describes itself. */
static bool is_identity(const char *key)
{
	return text_ends(key, ".sha256") || strcmp(key, "toolchain.version") == 0 ||
	       strcmp(key, "toolchain.target") == 0;
}

/* Facts that are known on both sides and differ; each as a line if lines is not NULL. Returns their number. */
static size_t differences(
	const struct facts *then, const struct facts *now, struct arena *arena, struct words *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < then->n; i++) {
		const char *before = then->v[i].value, *after = facts_value(now, then->v[i].key);

		if (!is_identity(then->v[i].key) || before == NULL || after == NULL ||
			strcmp(before, after) == 0)
			continue;
		n++;
		if (lines != NULL)
			words_addf(lines, arena, "%s: was %.12s, is %.12s", then->v[i].key, before, after);
	}
	return n;
}

static bool is_like(const struct facts *then, const struct toolchain *now)
{
	return text_same(facts_value(then, "toolchain.family"), now->family) &&
	       text_same(facts_value(then, "toolchain.version"), now->version) &&
	       text_same(facts_value(then, "toolchain.target"), now->target);
}

/* Nothing known that differs is not enough: the driver itself must be known. */
static bool is_same(const struct facts *then, const struct toolchain *now)
{
	const char *driver = facts_value(then, "toolchain.driver.sha256");

	return driver != NULL && text_same(driver, facts_value(&now->facts, "toolchain.driver.sha256")) &&
	       differences(then, &now->facts, NULL, NULL) == 0;
}

/* The slot's own one if it is the same; else any that is; else the slot's own; else one of this version. */
static struct toolchain *choose(struct reproducing *r, const struct facts *then, const struct toolchain *own)
{
	const struct toolchains *all = &r->session->toolchains;
	struct toolchain *like = NULL, *of_slot = NULL;

	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i] == own)
			of_slot = all->v[i];
		if (like == NULL && is_like(then, all->v[i]))
			like = all->v[i];
	}
	if (of_slot != NULL && is_same(then, of_slot))
		return of_slot;
	for (size_t i = 0; i < all->n; i++)
		if ((all->v[i]->native || all->v[i]->runner.n > 0) && is_same(then, all->v[i]))
			return all->v[i];
	return of_slot != NULL ? of_slot : like;
}

static void remove_word(struct words *words, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->v[i], word) != 0)
			words->v[kept++] = words->v[i];
	words->n = kept;
	if (words->v != NULL)
		words->v[kept] = NULL;
}

/* From now on the slot means this toolchain, for this session alone. */
static void give_slot(struct reproducing *r, const char *slot, struct toolchain *toolchain)
{
	const struct toolchains *all = &r->session->toolchains;

	for (size_t i = 0; i < all->n; i++)
		remove_word(&all->v[i]->slots, slot);
	words_add(&toolchain->slots, r->arena, slot);
}

static void find_one(
	struct reproducing *r, const struct record_toolchain *then, struct reproduce_toolchain *out)
{
	const struct session *session = r->session;
	const char *name = then->slots.v[0];
	struct toolchain_slot slot = toolchains_slot(&session->toolchains, &session->project, name, r->arena);
	struct toolchain *chosen = choose(r, &then->facts, slot.toolchain);

	*out = (struct reproduce_toolchain){.slot = name};
	if (chosen == NULL) {
		out->reason = slot.reason;
		return;
	}
	out->used = arena_printf(r->arena, "%s %s (%s)", chosen->family, chosen->version, chosen->cc.v[0]);
	out->same = is_same(&then->facts, chosen);
	if (!out->same && differences(&then->facts, &chosen->facts, r->arena, &out->differs) == 0)
		words_add(&out->differs, r->arena,
			"nothing that is known differs, but the hash of its driver is not known on both "
			"sides");
	if (chosen == slot.toolchain)
		return;
	out->reason = slot.toolchain != NULL
			      ? arena_printf(r->arena, "%s means %s %s here, which is another one", name,
					slot.toolchain->family, slot.toolchain->version)
			      : slot.reason;
	give_slot(r, name, chosen);
}

void reproduce_find_toolchains(struct reproducing *r)
{
	struct reproduction *out = r->out;

	out->toolchain_count = r->record->toolchain_count;
	out->toolchains = arena_array(r->arena, out->toolchain_count, sizeof(*out->toolchains));
	for (size_t i = 0; i < out->toolchain_count; i++)
		find_one(r, &r->record->toolchains[i], &out->toolchains[i]);
}
