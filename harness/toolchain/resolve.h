/*
 * resolve.h - the parts of toolchain_resolve(), shared by resolve*.c: what they ask, what they found so far.
 */
#ifndef FLAGSTONE_TOOLCHAIN_RESOLVE_H
#define FLAGSTONE_TOOLCHAIN_RESOLVE_H

#include "base/hash.h"
#include "toolchain/command_line.h"
#include "toolchain/memory.h"
#include "toolchain/toolchain.h"

/* What is asked, all at once. */
enum resolve_question {
	ASK_MACROS,  /* -dM -E */
	ASK_COMMAND, /* -### */
	ASK_HELP,    /* gcc's -Q --help= */
	ASK_WIDTH,   /* -S of small functions */
	ASK_COUNT
};

struct resolving {
	struct arena *arena;
	const struct toolchain *t;
	const struct words *cflags;
	struct asker asker;
	struct answer answers[ASK_COUNT]; /* !ok without a problem: not asked */
	char width_key[HASH_HEX];
	struct resolved *out;
	struct hash hash;
	const char *macros;	  /* -dM -E */
	struct words target;	  /* gcc: lines of --help=target, "-mavx2 [enabled]", sorted */
	struct words optimizers;  /* gcc: of --help=optimizers */
	struct words params;	  /* gcc: of --help=params, "--param=l1-cache-line-size= 64" */
	struct command_line line; /* of -### */
	bool has_line;
	struct words config_files; /* that it read */
	struct words watch;	   /* files and folders that the answer also rests on */
	struct error *e;
};

/* Sets the error: what was asked, the compiler's words, advice. Returns -1. */
int resolve_refuse(const struct resolving *r, const char *what, enum resolve_question question);
void resolve_set(const struct resolving *r, const char *key, const char *value, const char *source);

/* gcc's -Q --help= lists: target, optimizers, params; march, mtune, mcpu; cache line. -1: refused. */
int resolve_gcc_help(struct resolving *r);
/* Lines of --help= in one section: "target specific", "optimizations" or "parameters". */
void resolve_help_section(struct arena *arena, const char *text, const char *section, struct words *lines);
/* The value behind an option's name among such lines; placeholders of names are passed over. NULL: absent or empty. */
const char *resolve_help_value(const struct words *lines, const char *name);

/* From macros and the compiler's command: arch, level, LTO, PGO, sanitizers, position independence, hardening, native. */
void resolve_options(const struct resolving *r, const char *said);
/* The floating-point model. */
void resolve_fp(const struct resolving *r);
/* Vector width, widths of copies: read off the assembly of small functions. The words of that question; NULL, else why
 * it cannot be asked. */
const char *resolve_width_question(const struct resolving *r, struct words *words);
void resolve_width(const struct resolving *r, const char *unasked);
/* tcc: which flags change nothing. */
void resolve_ignored(const struct resolving *r);

/* --- parts that need no compiler, for tests --- */

/* The widest register in the assembly of one function, as resolved.vector_width and resolved.move_max have it. */
const char *resolve_widest(const char *assembly, const char *function, const char *arch, bool scalar_floats);
/* "-fsanitize=address,null,..." lists in order as resolved.sanitizers has them. */
const char *resolve_sanitizers(const struct words *options, struct arena *arena);
/* One name for a CPU that compilers call differently. */
const char *resolve_tune_name(const char *name);
/* Facts of a link line (the text of -###); false: there is none in it. */
bool resolve_link_line(const char *text, struct arena *arena, struct facts *facts);

#endif
