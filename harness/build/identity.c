#include "build/identity.h"

#include <string.h>

#include "base/file.h"
#include "build/functions.h"
#include "build/recipe.h"
#include "code/code.h"
#include "code/step.h"

static const char source[] = "the workload's objects (hash " CODE_OBJECTS_HASH ")";
static const char at_link[] = "link-time optimisation makes the code at the link";
static const char whole[] = "code.objects_sha256", unpadded[] = "code.objects_unpadded_sha256";
static const char object_key[] = "code.object.";

enum { DIGITS = 16 };

typedef int hash_objects(const char *const *paths, size_t count, char hash[HASH_HEX], struct error *e);

static void set(hash_objects *hash, const struct words *objects, const char *key, struct facts *facts)
{
	char hex[HASH_HEX];
	struct error why = {0};

	if (hash((const char *const *)objects->v, objects->n, hex, &why) == 0)
		facts_set(facts, key, hex, source);
	else
		facts_unknown(facts, key, source, why.text);
}

static void set_unknown(const char *reason, struct facts *facts)
{
	facts_unknown(facts, whole, source, reason);
	facts_unknown(facts, unpadded, source, reason);
}

static void drop_objects(struct facts *facts)
{
	size_t kept = 0;

	for (size_t i = 0; i < facts->n; i++)
		if (!text_starts(facts->v[i].key, object_key))
			facts->v[kept++] = facts->v[i];
	facts->n = kept;
}

static void set_all(const struct words *objects, struct facts *facts)
{
	drop_objects(facts);
	set(code_hash_objects, objects, whole, facts);
	set(code_hash_unpadded, objects, unpadded, facts);
	for (size_t i = 0; i < objects->n; i++) {
		const char *path = objects->v[i];
		char hex[HASH_HEX];

		if (code_hash_objects(&path, 1, hex, NULL) == 0)
			facts_setf(facts, arena_printf(facts->arena, "%s%s", object_key, file_name(path)),
				source, "%.*s", DIGITS, hex);
	}
}

/* The sources' objects; do they hold LTO's intermediate form? */
static bool find(const struct build *build, const char *folder, struct arena *arena, struct words *objects)
{
	bool lto = false;

	for (size_t i = 0; i < build->workload->sources.n; i++) {
		bool intermediate = false;

		words_add(objects, arena,
			file_join(
				arena, folder, recipe_object(arena, i, build->workload->sources.v[i].text)));
		if (code_is_intermediate(objects->v[i], &intermediate, NULL) == 0)
			lto |= intermediate;
	}
	return lto;
}

void build_identity(const struct build *build, const char *folder, struct facts *facts)
{
	struct words objects = {0};

	if (find(build, folder, facts->arena, &objects))
		set_unknown(at_link, facts);
	else
		set_all(&objects, facts);
}

void build_identity_linked(const struct build *build, struct facts *facts)
{
	struct words objects = {0}, linked = {0};
	const char *reason;

	if (!find(build, build->folder, facts->arena, &objects))
		return;
	reason = build_code_objects(build, facts->arena, &linked);
	if (reason != NULL)
		set_unknown(reason, facts);
	else
		set_all(&linked, facts);
}

bool build_identity_is_current(const struct facts *facts)
{
	const struct fact *hash = facts_find(facts, whole), *other = facts_find(facts, unpadded);

	if (hash == NULL || other == NULL || !text_same(hash->source, source))
		return false;
	/* the decoder that was missing may be here now */
	return other->value != NULL || hash->value == NULL || !step_wanted_zydis(other->reason);
}
