/*
 * bundle.h - the programs of a matrix in one file, to be measured on another machine without a compiler: the format
 * flagstone.bundle/1, specified in archive/README.md.
 *
 * A bundle is a gzip-compressed tar file that any tar lists and unpacks. Its first member, flagstone-bundle/bundle.json,
 * says what the others are, with size and SHA-256 each, and holds the head of a record: cells, builds, facts,
 * settings, seed. The SHA-256 of bundle.json is the bundle's id.
 *
 * What is read is hostile: bundle_read() takes nothing that bundle.json does not list, in its order, and writes into
 * the folder that it is given only. Programs of a bundle are run: who runs a bundle trusts who made it.
 */
#ifndef FLAGSTONE_BUILD_BUNDLE_H
#define FLAGSTONE_BUILD_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "code/needs.h"
#include "record/record.h"

#define BUNDLE_SCHEMA	    "flagstone.bundle/1"
#define BUNDLE_SCHEMA_MAJOR 1
#define BUNDLE_FOLDER	    "flagstone-bundle" /* the one at the top of the tar file */

/* Facts of `harness` in a record that was measured from a bundle. */
#define BUNDLE_ID_KEY	   RECORD_BUNDLE_KEY
#define BUNDLE_HOST_KEY	   "harness.bundle.host"
#define BUNDLE_VERSION_KEY "harness.bundle.version"
#define BUNDLE_COMMIT_KEY  "harness.bundle.commit"

struct bundle_file {
	const char *path; /* below flagstone-bundle: "builds/HASH/layouts/0-3" */
	uint64_t bytes;
	char sha256[HASH_HEX];
	bool program;
	/* writing: where its bytes are */
	const char *from;    /* path on this machine, or NULL */
	const char *content; /* then: the bytes themselves */
};

/* What a record does not say of its workload. */
struct bundle_workload {
	uint64_t check_units;
	const char *check_value; /* NULL: no check */
	double check_rel;
	const char *input; /* file of the bundle for standard input; NULL: /dev/null */
	uint32_t cpus;	   /* that a copy needs */
};

/* What a record does not say of its cell. */
struct bundle_cell {
	const char *copies_keyword; /* or NULL */
	struct words env, runner;
	double check_rel;	 /* the variant's; < 0: the workload's */
	struct code_needs needs; /* of its programs; machine NULL: it has none */
};

/* flagstone itself, as it is in the bundle. */
struct bundle_self {
	const char *linked;	 /* "static", or "dynamic" with its libraries in lib/ */
	const char *reason;	 /* why not static; NULL */
	struct code_needs needs; /* what it needs there; of its libraries, too: the C library */
	const char *flags;	 /* that it was compiled with */
};

struct bundle {
	char id[HASH_HEX]; /* set when written or read */
	const char *arch;  /* of the machine it was made on, and for: "x86_64" */
	struct bundle_self self;
	struct bundle_file *files;
	size_t file_count;
	struct bundle_workload *workloads; /* one a workload of the record */
	struct bundle_cell *cells;	   /* one a build of the record */
	/*
	 * As before the first round; programs are there of builds with status "built", of all the layouts they list. Facts
	 * cell.units: the work that an earlier run did.
	 */
	struct record *record;
};

/* Paths in the bundle of a build's canonical program, and of a layout's. In the arena. */
char *bundle_program(const char *content_hash, struct arena *arena);
char *bundle_layout(const char *content_hash, uint32_t arm, uint32_t layout, struct arena *arena);

/*
 * bundle_self.c: adds flagstone, its spawner, its libraries where it is not static, and run.sh, and sets bundle->self.
 * files must have room for BUNDLE_SELF_FILES more.
 */
enum { BUNDLE_SELF_FILES = 256 };
int bundle_add_self(struct bundle *bundle, struct arena *arena, struct error *e);
/* Adds a file of this machine: reads its size and hash. files must have room. */
int bundle_add_file(struct bundle *bundle, const char *path, const char *from, bool program, struct error *e);

struct bundle_written {
	uint64_t bytes;	   /* of the file */
	uint64_t unpacked; /* of all members */
};
/*
 * Writes the bundle to a path: to a temporary file beside it, synced, renamed. What stands there is replaced if it is a
 * bundle (a gzip file), else left with an error (EXIT_USAGE). Sets bundle->id. (EXIT_CANNOT): a member changed since its hash
 * was taken, cannot be read; disk full; the temporary file is removed. (EXIT_INTERRUPTED)
 */
int bundle_write(struct bundle *bundle, const char *path, struct arena *arena, struct bundle_written *written,
	struct error *e);

/*
 * Reads a bundle, a file or a folder that one was unpacked to, and puts programs and inputs into the folder `into`,
 * which must be empty and this process' own. arch: this machine's; another one is refused before anything is unpacked.
 *
 * Errors (EXIT_CANNOT): not a bundle, of a newer version, for another architecture; cut, damaged; a member that is not
 * listed, or is a link, a folder or a device, has a path with .. or from the root, is there twice, has another size or hash;
 * larger than the limits (64 MiB bundle.json, 1 GiB a member, 32 GiB in all); disk full. (EXIT_INTERRUPTED)
 */
int bundle_read(const char *path, const char *arch, const char *into, struct arena *arena,
	struct bundle *bundle, struct error *e);

/* bundle_manifest.c: bundle.json, appended to out; bundle_manifest_read.c: what it says, checked as a whole. name: for errors. */
void bundle_manifest_write(const struct bundle *bundle, struct buf *out);
int bundle_manifest_read(const char *text, size_t count, const char *name, struct arena *arena,
	struct bundle *bundle, struct error *e);
/* Why a path cannot be one of a bundle: "goes up (..)", "begins at the root"; NULL: it can. */
const char *bundle_path_fault(const char *path);

enum {
	BUNDLE_MANIFEST_LIMIT = 64 << 20,
	BUNDLE_FILES_MOST = 1000000,
	BUNDLE_PATH_MOST = 200,
	BUNDLE_FILE_LIMIT = 1 << 30
};
static const uint64_t bundle_limit = 32ULL << 30; /* bytes of all members */

#endif
