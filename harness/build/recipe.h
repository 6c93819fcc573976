/*
 * recipe.h - the commands of a build, as argument lists; no command is run here.
 *
 * Files in a build's folder: driver.o, NN-SOURCE.o, program (canonical link), layouts/ARM-K (with .order, .sha256),
 * log. Sources are given by absolute path with a prefix map, so that no path of this machine gets into the code.
 */
#ifndef FLAGSTONE_BUILD_RECIPE_H
#define FLAGSTONE_BUILD_RECIPE_H

#include "base/arena.h"
#include "base/text.h"
#include "build/build.h"
#include "build/jobs.h"
#include "build/placement.h"

/* Objects that every build of one toolchain and one set of ABI flags shares: driver and padding. */
struct shared_objects {
	const struct toolchain *toolchain;
	struct words abi;    /* ABI flags */
	char hash[HASH_HEX]; /* key in the cache */
	const char *folder;  /* where driver.o and the padding objects are */
	const char *reason;  /* why they could not be built; NULL */
};

/* Name of a source's object: "01-main.o". In the arena. */
char *recipe_object(struct arena *arena, size_t index, const char *source);
/* Compiles a source of the workload. */
void recipe_compile(const struct build *build, size_t index, const char *driver_folder, struct arena *arena,
	struct words *argv);
/* Compiles the driver (driver_folder/driver.c) or a padding object (its assembler text, in the folder) to an object. */
void recipe_driver(const struct shared_objects *shared, const char *driver_folder, struct arena *arena,
	struct words *argv);
void recipe_pad(const struct shared_objects *shared, enum pad_kind kind, size_t n, struct arena *arena,
	struct words *argv);
/*
 * Flags that flagstone adds to every compile, before the variant's own (which can take them back):
 * -ffunction-sections where the compiler has it, so that layouts can have functions in another order. It changes no
 * instruction within a function; what it takes away is the short form of a jump from one function to another, whose
 * distance the assembler then does not know. Since the same objects go into the canonical program and all layouts,
 * every cell of a run has it, and what is hashed, checked and counted is what is measured.
 */
void recipe_added_flags(const struct toolchain *toolchain, struct arena *arena, struct words *flags);
/* The flags by which the sources' code is made, variant's and workload's: the C++ ones where all sources are C++. */
void recipe_compile_flags(const struct build *build, struct arena *arena, struct words *flags);
/* The flags of the canonical link in front of output and objects. */
void recipe_link_flags(const struct build *build, const struct shared_objects *shared, struct arena *arena,
	struct words *flags);
/* Do the variant's flags ask for link-time optimisation? */
bool recipe_is_lto(const struct build *build);
/*
 * Objects of the canonical link in their order, paths from the build's folder. lto_objects (NULL or empty: none) stand
 * in place of the sources' objects.
 */
void recipe_objects(const struct build *build, const struct shared_objects *shared,
	const struct words *lto_objects, struct arena *arena, struct words *objects);
/*
 * Links to `output` through the compiler's driver. placement NULL: canonical (driver, sources in order, no padding);
 * else its objects, and its options passed on to the linker.
 */
void recipe_link(const struct build *build, const struct shared_objects *shared,
	const struct placement *placement, const char *output, struct arena *arena, struct words *argv);

#endif
