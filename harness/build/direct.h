/*
 * direct.h - layouts are linked by the linker itself, not through the compiler's driver, and under LTO from the
 * objects that link-time optimisation made once.
 *
 * Why: a driver costs as much as its link (clang's several times as much), and an LTO link compiles everything
 * again; 16 layouts of 96 builds would take minutes. What the linker is called with is asked of the driver (-###), and
 * nothing is taken on trust: the canonical program is linked this way once, and must come out as the driver made it,
 * byte by byte (under LTO: with the same code and data). Where that fails, or the driver's answer is not
 * understood, layouts are linked through the driver, and the build says so.
 */
#ifndef FLAGSTONE_BUILD_DIRECT_H
#define FLAGSTONE_BUILD_DIRECT_H

#include "build/builder.h"

/* How a build's layouts are linked. */
struct direct_link {
	bool usable;
	const char *reason;	  /* why not */
	struct words argv;	  /* the linker's command without objects and output */
	size_t output, objects;	  /* where in argv output and objects go: before these indices */
	struct words lto_objects; /* in place of the sources' objects; n == 0: not LTO */
	struct linker linker;	  /* that is called, directly or through the driver */
};

/*
 * Takes apart a driver's answer to -###: the one command that has all the objects in a row. text is borrowed. Returns
 * false with link->reason.
 */
bool direct_parse(const char *text, const char *linker, const struct words *objects, const char *output,
	struct arena *arena, struct direct_link *link);
/* The command for one link: the linker's own options (NULL: none) and objects, in the given order. */
void direct_command(const struct direct_link *link, const struct words *options, const struct words *objects,
	const char *output, struct arena *arena, struct words *argv);
/*
 * Sets links[i] for count builds: asks, makes LTO objects, links canonically and compares, several at once. -1:
 * interrupted.
 */
int direct_prepare(struct builder *builder, struct build *const *builds, struct direct_link *links,
	size_t count, struct error *e);

#endif
