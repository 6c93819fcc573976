/*
 * bundle.h - a matrix' programs packed for another machine, and a run of them there.
 *
 *	session_open(), then session_bundle()             on the machine with the compilers
 *	session_open() with options.bundle, session_run()  on the other one
 *
 * A session of a bundle has the plan, builds, facts and settings that the bundle says; the host, the archive and the CPUs
 * are this machine's. Cells that cannot run here (another architecture, no C library or too old a one, no runner) have
 * their reason, as have those that were not built where the bundle was made. The units of work are the bundle's where
 * they still fit here, so that records of several machines did the same work.
 */
#ifndef FLAGSTONE_SESSION_BUNDLE_H
#define FLAGSTONE_SESSION_BUNDLE_H

#include "build/bundle.h"
#include "session/session.h"
#include "sys/private_folder.h"

struct run;

/* A bundle that a session was opened with. */
struct session_bundle {
	struct bundle bundle;
	struct private_folder folder; /* where its programs are */
	struct plan_cell
		*cells; /* one a build of bundle.record, without --only; baseline_index among these */
	size_t *of;	/* by cell of the plan: index in bundle.record->builds */
};

struct session_bundle_made {
	const char *path;
	struct bundle bundle;
	struct bundle_written written;
	size_t cells, programs; /* packed */
	const char
		*glibc; /* the newest version of glibc that a program needs: "2.34"; NULL: none needs glibc */
	bool musl;	/* a program needs musl's dynamic linker */
};

/*
 * Builds the session's matrix, links all layouts that a run would begin with (and second arms for its A/A check), and
 * packs them with facts, settings, a seed and the units of work of this host's newest records. session->builds says what
 * became of each cell; made->path is NULL where none was built, and no file is written then. made->bundle.record is the
 * session's; it has no samples. Errors: those of builds, links, bundle_write().
 */
int session_bundle(
	struct session *session, const char *path, struct session_bundle_made *made, struct error *e);

/* open.c's part: unpacks options.bundle and fills the session with what it says. */
int session_bundle_open(struct session *session, struct error *e);
void session_bundle_close(struct session *session);
/* The plan: cells of the bundle, those that --only names and their baselines. Error (EXIT_USAGE): a pattern matches none. */
int session_bundle_plan(struct session *session, struct error *e);
/* session->builds, from the bundle. */
void session_bundle_builds(struct session *session);
/* As builder_link(): fills path, seed and hash, or the reason. */
void session_bundle_link(const struct session *session, struct build_layout *layouts, size_t count);
/* Has a cell of the plan layouts under this arm? */
bool session_bundle_has_arm(const struct session *session, size_t cell, uint32_t arm);
/* The record's build of a cell of the plan. */
const struct record_build *session_bundle_build(const struct session *session, size_t cell);
/* Facts of `harness`: which bundle, and where it is from. */
void session_bundle_facts(const struct session *session, struct facts *facts);

/*
 * bundle_here.c: sets the reasons of cells whose programs cannot be started on this machine, and for those that can the
 * facts run.interpreter, run.libraries, run.libc.path, run.libc.sha256, run.libc.build_id of their builds. -1: interrupted.
 */
int session_bundle_here(struct session *session, struct error *e);

#endif
