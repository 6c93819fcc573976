/*
 * git.h - commit and dirt of a folder through libgit2, as facts. A SHA-256 repository, which libgit2 before
 * 1.9 cannot read, is asked through `git` when that is installed, else unknown with that reason.
 */
#ifndef FLAGSTONE_SYS_GIT_H
#define FLAGSTONE_SYS_GIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct git_state {
	const char *commit;	   /* full hash, 40 or 64 digits; NULL: unknown or none */
	const char *commit_reason; /* why NULL: "no repository", "no commits yet", "owned by another ..." */
	const char *branch;	   /* NULL when detached */
	const char *describe;	   /* nearest tag in `git describe` form, or NULL */
	bool dirty_known;
	const char *dirty_reason; /* why not known */
	bool dirty;	       /* tracked changes, staged changes, or untracked files that are not ignored */
	const char *diff_hash; /* SHA-256 over the dirt (paths and contents), NULL when clean or unknown */
	bool shallow;
	int64_t commit_unix_s; /* committer date; 0 unknown */
};

/*
 * The state of the repository that holds `folder`, counting only dirt below `folder` when `below_only`, and
 * never counting paths below `except` (relative to the repository's top or to folder; NULL: none). Never
 * fails: what cannot be had is in the reasons. Texts in the arena.
 */
void git_read(const char *folder, bool below_only, const char *except, struct arena *arena,
	struct git_state *state);

#endif
