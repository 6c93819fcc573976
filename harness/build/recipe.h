/*
 * recipe.h - the commands of a build, as argument lists; no command is run here.
 *
 * Files in a build's folder: driver.o, NN-SOURCE.o, program (canonical link), layouts/ARM-K, log. Sources are given
 * by absolute path with a prefix map, so that no path of this machine gets into the code.
 */
#ifndef FLAGSTONE_BUILD_RECIPE_H
#define FLAGSTONE_BUILD_RECIPE_H

#include "base/arena.h"
#include "base/text.h"
#include "build/build.h"
#include "build/jobs.h"

/* Padding objects: sizes of .text and of the other sections, in bytes. */
enum { PAD_COUNT = 8, PAD_SMALLEST = 16 };

/* Objects that every build of one toolchain and one set of ABI flags shares: driver and padding. */
struct shared_objects {
	const struct toolchain *toolchain;
	struct words abi;    /* ABI flags */
	char hash[HASH_HEX]; /* key in the cache */
	const char *folder;  /* where driver.o and pad-N.o are */
	const char *reason;  /* why they could not be built; NULL */
};

/* Name of a source's object: "01-main.o". In the arena. */
char *recipe_object(struct arena *arena, size_t index, const char *source);
/* Compiles a source of the workload. */
void recipe_compile(const struct build *build, size_t index, const char *driver_folder, struct arena *arena,
	struct words *argv);
/* Compiles the driver (driver_folder/driver.c) or padding object n (pad-N.s, in the folder) to an object. */
void recipe_driver(const struct shared_objects *shared, const char *driver_folder, struct arena *arena,
	struct words *argv);
void recipe_pad(const struct shared_objects *shared, size_t n, struct arena *arena, struct words *argv);
/* Assembler text of padding object n. */
char *recipe_pad_source(size_t n, bool elf_sections, struct arena *arena);
/*
 * Objects of a link in their order, paths from the build's folder. lto_objects (NULL or empty: none) stand in place of
 * the sources' objects. seed NULL: canonical; else shuffled, with padding between.
 */
void recipe_objects(const struct build *build, const struct shared_objects *shared,
	const struct words *lto_objects, const char *seed, struct arena *arena, struct words *objects);
/*
 * Links to `output`. seed NULL: canonical (driver, sources in order, no padding); else objects in the seed's
 * order with the padding drawn from it.
 */
void recipe_link(const struct build *build, const struct shared_objects *shared, const char *seed,
	const char *output, struct arena *arena, struct words *argv);

#endif
