#include "toolchain/wrapper.h"

#include <string.h>

#include "base/file.h"

bool wrapper_is(const char *name)
{
	static const char *const names[] = {"ccache", "sccache", "distcc", "icecc", "buildcache"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

const char *wrapper_strip(struct arena *arena, const struct words *command, struct words *rest)
{
	const char *dropped = NULL;
	size_t i = 0;

	while (i < command->n && wrapper_is(file_name(command->v[i]))) {
		dropped = dropped == NULL ? file_name(command->v[i])
					  : arena_printf(arena, "%s %s", dropped, file_name(command->v[i]));
		i++;
		/* "ccache --debug gcc", "ccache compiler_check=content gcc" */
		while (i < command->n && (command->v[i][0] == '-' || strchr(command->v[i], '=') != NULL))
			i++;
	}
	for (; i < command->n; i++)
		words_add(rest, arena, command->v[i]);
	return dropped;
}

const char *wrapper_real(struct arena *arena, const char *name, const struct words *folders)
{
	for (size_t i = 0; i < folders->n; i++) {
		const char *path = file_join(arena, folders->v[i], name);
		const char *real = file_is_program(path) ? file_real(arena, path, NULL) : NULL;

		if (real != NULL && !wrapper_is(file_name(real)))
			return path;
	}
	return NULL;
}
