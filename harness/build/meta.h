/*
 * meta.h - what is known of a finished build, kept beside it in the cache as build.json, so that a build taken
 * from the cache tells as much as one just made.
 */
#ifndef FLAGSTONE_BUILD_META_H
#define FLAGSTONE_BUILD_META_H

#include "build/build.h"

/* Writes folder/build.json: commands, facts, code hash, build id, log excerpt. */
int meta_write(const struct build *build, const char *folder, struct error *e);
/* Reads it back into the build's fields; -1: not there or not readable (the entry is then made again). */
int meta_read(struct build *build, const char *folder, struct arena *arena, struct error *e);

#endif
