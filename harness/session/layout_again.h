/*
 * layout_again.h - one layout made again from its seed, and held against the record that names it: what was measured
 * can be looked at, and a lucky or unlucky placement be told from the code.
 *
 * A seed is SHA-256(build content hash, arm, layout), so it says by itself whether this machine's sources, flags and
 * compilers still are those of the run: if they are not, no build here has a layout with this seed.
 */
#ifndef FLAGSTONE_SESSION_LAYOUT_AGAIN_H
#define FLAGSTONE_SESSION_LAYOUT_AGAIN_H

#include "session/session.h"

struct session_layout {
	const char *cell; /* the first of the matrix with this build */
	uint32_t arm, layout;
	const char *path; /* the linked program */
	const char *sha256;
	/* the newest record that names the seed; NULL: none does, or its sha256 is not known */
	const char *record_id, *record_path, *record_sha256;
};

/*
 * Finds the cell of the session's plan whose build has a layout with this seed (64 hex digits), builds that alone, and
 * links the layout, unless they are in the cache. Leaves a plan of this one cell. Errors: no cell has it (EXIT_USAGE
 * where no record knows the seed, EXIT_CANNOT where one does: what is different now), the build or link failed.
 */
int session_layout_again(
	struct session *session, const char *seed, struct session_layout *out, struct error *e);

#endif
