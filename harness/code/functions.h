/*
 * functions.h - the functions of a build, each with a hash of its code: which ones differ between two builds?
 *
 * What is read are the object files that a build makes from its sources (under LTO: those that link-time
 * optimisation made), since there a relocation still says by name what an instruction refers to. A function's hash
 * is SHA-256 over its bytes, without the fields that a linker fills, and over what these fields refer to:
 *
 *	functions, variables, imports	by name; a place inside of one by its distance from the start
 *	unnamed constants		by their content: literals, strings, jump tables
 *	the function itself		by the distance from its start
 *
 * So the hash does not change with debug information, the build's folder, file names, the order of functions and
 * objects or other functions' strings and constants. What a compiler adds to names only to tell them apart (.lto_priv.0,
 * .llvm.123, the number of a function's static variable) does not count. Calls within one section that the assembler
 * resolved are found on x86 and aarch64 by where they lead: to the start of another function. Equal hashes mean equal
 * code; unlike ones mean other bytes or another target, in rare cases only of another form (a jump that is short since
 * its target stands nearby).
 *
 * Sources: System V ABI and its supplements for relocations (x86-64, i386, AArch64), gcc's and LLVM's name suffixes.
 */
#ifndef FLAGSTONE_CODE_FUNCTIONS_H
#define FLAGSTONE_CODE_FUNCTIONS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "record/record.h"

/* Rises when the same code gets another hash. */
#define CODE_FUNCTION_HASH "1"

struct code_functions {
	struct record_function *v; /* the largest first, then by name and hash */
	size_t n;
};

/*
 * The functions of relocatable objects, as their symbol tables name them; names and sizes are those of `nm -S`. One
 * that several objects have (inline functions of C++) counts once, as the linker keeps one. program: the file linked
 * from the objects, or NULL; functions that its symbol table does not have (--gc-sections) are left out, unless it was
 * stripped. A function whose symbol tells no size has size 0 and no hash. Errors: not ELF, damaged, no relocatable
 * object, intermediate form (LTO), no symbol table. Never crashes on hostile files, and takes no more time than some
 * passes over them.
 */
int code_functions(const char *const *paths, size_t count, const char *program, struct arena *arena,
	struct code_functions *out, struct error *e);

/* Length of a name without a compiler's suffixes: "multiply" of "multiply.constprop.0.cold". */
size_t code_function_base(const char *name);

#endif
