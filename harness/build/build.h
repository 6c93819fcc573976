/*
 * build.h - builds of workloads: compile, link, lay out, cache.
 *
 * A build is one workload compiled by one toolchain with one set of flags. Its content hash says all that went
 * in: the bytes of workload.yaml's sources and headers and of the driver, the full argument lists, the
 * toolchain's identity, and the *resolved* options, so that a cached native build of another CPU is another
 * build. Equal content hash: the build is taken from the cache (folder CACHE/builds/HASH), else made in a folder
 * of its own and moved there when complete; what is not complete is never used, and nothing is run that was not
 * made or found complete in this run.
 *
 * Objects of the workload are compiled with the variant's flags; the driver and the padding objects with -O2
 * and the ABI flags alone. The canonical link (driver, then sources in order, no padding) gives code hash and
 * check run; layout k links the same objects in another order with padding ahead and between, and its functions
 * in another order where the linker can be told (placement.h), all drawn from its seed SHA-256(content hash, arm, k).
 *
 * Commands run several at once, each in the build's folder, with a clean environment (process_clean_env), time
 * and memory limits, and no user flags from outside. The output is removed before and looked at after: a
 * compiler that exits 0 and leaves nothing has failed.
 */
#ifndef FLAGSTONE_BUILD_BUILD_H
#define FLAGSTONE_BUILD_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "record/fact.h"
#include "record/record.h"
#include "spec/spec.h"
#include "toolchain/toolchain.h"

struct builder;

struct builder_options {
	const char *cache_folder;  /* made if missing; builds live in its builds/ */
	uint64_t cache_limit;	   /* bytes; 0: 4 GiB. Oldest unused builds go first, never this run's */
	const char *driver_folder; /* workloads/driver */
	uint32_t jobs;		   /* commands at once; 0: CPUs this process may use */
	int64_t timeout_ns;	   /* of one command; 0: 120 s */
	uint64_t memory_limit;	   /* of one command's address space; 0: 4 GiB */
	bool fresh;		   /* do not take builds from the cache */
	/* called as work gets done; what: "compile", "link"; may be NULL */
	void (*progress)(void *context, const char *what, size_t done, size_t total);
	void *context;
};

/* Error: cache folder cannot be made or written (EXIT_CANNOT, with advice). */
struct builder *builder_new(const struct builder_options *options, struct arena *arena, struct error *e);
void builder_free(struct builder *builder);

/* One build and what became of it. The caller fills the first part. */
struct build {
	const struct spec_workload *workload;
	const struct toolchain *toolchain;
	struct words cflags, cxxflags, ldflags; /* the variant's */

	/* filled by builder_build */
	char content_hash[HASH_HEX];
	bool ok;
	bool cached;
	const char *reason;    /* why not ok: command, exit code or signal, first lines of its words */
	const char *folder;    /* CACHE/builds/HASH */
	const char *binary;    /* canonical link */
	const char *code_hash; /* NULL: unknown (reason as fact build.code_hash) */
	const char *build_id;
	struct words
		commands;   /* as run in the build's folder, quoted; shared objects by ../../objects/HASH/ */
	struct facts facts; /* build.cflags, build.cxxflags, build.ldflags ("(none)" is an empty value),
				 build.added_flags (recipe.h), build.wall_ns, build.cpu_ns,
				 build.peak_kib, build.warnings; resolved.*; size.*, code.*, isa.* */
	const char *log;    /* path of the full log */
	const char *log_excerpt; /* first and last KiB of it, "" when empty */
};

/*
 * Builds count different builds (equal ones are built once), several commands at once. Never fails as a whole
 * because one build fails: that stands in its `reason`. -1: interrupted, or the cache folder is full or gone.
 */
int builder_build(struct builder *builder, struct build *builds, size_t count, struct error *e);

/*
 * Only finds out what goes into these builds: their content_hash, or the reason why they cannot be made. What all
 * builds of a toolchain share is made, nothing else. -1: interrupted.
 */
int builder_identify(struct builder *builder, struct build *builds, size_t count, struct error *e);

/*
 * Only looks which of these builds builder_build() would take from the cache: sets `cached`, and what a finished entry
 * knows. Compilers are asked what their flags mean, nothing is compiled. -1: interrupted.
 */
int builder_look_up(struct builder *builder, struct build *builds, size_t count, struct error *e);

/* One link wanted. */
struct build_layout {
	struct build *build;
	uint32_t arm, layout;
	char seed[HASH_HEX];   /* filled */
	const char *path;      /* filled: the linked program, or NULL */
	char sha256[HASH_HEX]; /* filled */
	const char *reason;    /* filled when path is NULL */
};

/* The reason of layouts above 0 of an arm whose links all came out as the same file. */
#define BUILD_NOTHING_MOVED                                                                                  \
	"every link came out the same: this toolchain's links cannot be varied, so placement is not "        \
	"averaged"

/*
 * Links count layouts, several at once, those in the cache taken from it. Where layout 0 of arm 0 is asked for,
 * its build gets the facts build.layout_link ("linker": called directly; else why the compiler's driver links),
 * build.layout_command (that link's words, as builds' commands) and build.layout_functions ("shuffled by LINKER", or
 * "with their objects: " and why). deadline_ns (clock_ns() time, 0:
 * none): links not begun by then are left out with the reason "build budget used up". Order of work: all
 * builds' layout 0 first, then all layout 1, ..., so that what fits into the budget is the same for all.
 */
int builder_link(struct builder *builder, struct build_layout *layouts, size_t count, int64_t deadline_ns,
	struct error *e);

/* Is this layout of a finished build in the cache? */
bool builder_has_layout(const struct build *build, uint32_t arm, uint32_t layout);

/* Layouts that there can be of one build: arms, and links of each. */
enum { BUILD_ARMS = 16, BUILD_LAYOUTS = 1024 };

/* SHA-256(content hash, arm, k) as 64 hex digits. */
void build_layout_seed(const char *content_hash, uint32_t arm, uint32_t layout, char seed[HASH_HEX]);
/* The layout below BUILD_ARMS and BUILD_LAYOUTS that has this seed; false: none of this build. */
bool build_layout_find(const char *content_hash, const char *seed, uint32_t *arm, uint32_t *layout);

/*
 * build --verify: builds again from nothing in another folder and compares. differences: sentences, empty when
 * the two are the same byte by byte: which object or link differs, and in which sections.
 */
int builder_verify(
	struct builder *builder, const struct build *build, struct words *differences, struct error *e);

/* Hash over a workload's yaml and sources, headers beside them included, by content (record_workload.content_hash). */
int build_workload_hash(const struct spec_workload *workload, char hash[HASH_HEX], struct error *e);

#endif
