#include "build/builder.h"

#include <string.h>

#include "base/file.h"
#include "code/code.h"

/* build --verify: the same commands again, in another folder, and a look at what differs. */

static void compare_files(
	const char *a, const char *b, const char *name, struct arena *arena, struct words *differences)
{
	char first[HASH_HEX], second[HASH_HEX];
	struct code_info x = {0}, y = {0};
	struct error why = {0};

	if (hash_file_hex(a, first, &why) != 0 || hash_file_hex(b, second, &why) != 0) {
		words_addf(differences, arena, "%s: %s", name, why.text);
		return;
	}
	if (strcmp(first, second) == 0)
		return;
	if (code_read(a, arena, &x, NULL) != 0 || code_read(b, arena, &y, NULL) != 0) {
		words_addf(differences, arena,
			"%s differs (no machine code to compare: an intermediate form)", name);
		return;
	}
	words_addf(differences, arena,
		"%s differs: %s; sizes of code %llu and %llu, read-only data %llu and %llu, data "
		"%llu and %llu bytes",
		name,
		strcmp(x.code_hash, y.code_hash) == 0 ? "code and data are the same" : "in its code or data",
		(unsigned long long)x.text_bytes, (unsigned long long)y.text_bytes,
		(unsigned long long)x.rodata_bytes, (unsigned long long)y.rodata_bytes,
		(unsigned long long)x.data_bytes, (unsigned long long)y.data_bytes);
}

int builder_verify(
	struct builder *builder, const struct build *build, struct words *differences, struct error *e)
{
	struct arena *arena = builder->arena;
	struct build again = *build;
	struct build *builds[1] = {&again};
	char *folder = build_cache_begin(
		&builder->cache, arena, "builds", arena_printf(arena, "%s-again", build->content_hash), e);
	int result;

	if (folder == NULL)
		return -1;
	again.commands = (struct words){0};
	again.facts = (struct facts){.arena = arena};
	again.reason = NULL;
	result = builder_make(builder, builds, &folder, 1, e);
	if (result == 0 && again.reason != NULL)
		words_addf(differences, arena, "the second build failed: %s", again.reason);
	for (size_t i = 0; i < build->workload->sources.n && result == 0 && again.reason == NULL; i++) {
		char *name = recipe_object(arena, i, build->workload->sources.v[i].text);

		compare_files(file_join(arena, build->folder, name), file_join(arena, folder, name), name,
			arena, differences);
	}
	if (result == 0 && again.reason == NULL)
		compare_files(
			build->binary, file_join(arena, folder, "program"), "program", arena, differences);
	file_remove_tree(folder, NULL);
	return result;
}
