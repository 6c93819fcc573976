/*
 * git.c - what sys/git.h and sys/git_export.h say, for a flagstone without libgit2: the statically linked one of a bundle
 * (build/bundle.h), which measures where there are no sources.
 */
#include "sys/git.h"
#include "sys/git_export.h"

static const char reason[] = "this flagstone was linked without libgit2";

void git_read(
	const char *folder, bool below_only, const char *except, struct arena *arena, struct git_state *state)
{
	(void)folder;
	(void)below_only;
	(void)except;
	(void)arena;
	*state = (struct git_state){.commit_reason = reason, .dirty_reason = reason};
}

int git_export(const char *folder, const char *commit, const char *into, const char **inside,
	struct arena *arena, struct error *e)
{
	(void)into;
	(void)inside;
	(void)arena;
	return error_set(
		e, EXIT_CANNOT, "the files of commit %.12s of %s cannot be had: %s", commit, folder, reason);
}
