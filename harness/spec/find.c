#include "spec/spec.h"

#include <string.h>

#include "base/file.h"

static bool is_project(struct arena *arena, const char *folder)
{
	return file_is_folder(file_join(arena, folder, "workloads")) &&
	       file_is_folder(file_join(arena, folder, "matrices"));
}

static char *given_project(const char *given, struct arena *arena, struct error *e)
{
	char *folder = file_real(arena, given, e);

	if (folder == NULL) {
		if (e != NULL)
			e->code = EXIT_USAGE;
		error_advice(e, "-C takes the folder of a project");
		return NULL;
	}
	if (!is_project(arena, folder)) {
		error_set(e, EXIT_USAGE,
			"%s is no project: it needs the folders workloads/ and matrices/; make them, or name "
			"another folder with -C DIR",
			folder);
		return NULL;
	}
	return folder;
}

char *spec_find_project(const char *given, const char *from, struct arena *arena, struct error *e)
{
	char *folder;

	if (given != NULL)
		return given_project(given, arena, e);
	folder = file_real(arena, from, e);
	if (folder == NULL) {
		if (e != NULL)
			e->code = EXIT_USAGE;
		return NULL;
	}
	for (;;) {
		if (is_project(arena, folder))
			return folder;
		if (strcmp(folder, "/") == 0)
			break;
		folder = file_folder(arena, folder);
	}
	error_set(e, EXIT_USAGE,
		"neither %s nor a folder above it is a project (has workloads/ and matrices/); go to one, "
		"name it with -C DIR, or make a folder with workloads/ and matrices/",
		from);
	return NULL;
}
