/*
 * ask.h - asking a compiler something: one command in a private folder, clean environment, bounded output and
 * time. What it says is bytes: it is kept as a text cut at the first NUL and escaped where it goes into a reason.
 */
#ifndef FLAGSTONE_TOOLCHAIN_ASK_H
#define FLAGSTONE_TOOLCHAIN_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

struct asker {
	struct arena *arena;
	const struct words *command; /* argv begins with these */
	const struct words *env;     /* beyond process_clean_env(); may be NULL */
	const char *folder;	     /* private; the command's working directory */
	int64_t timeout_ns;
};

struct answer {
	bool ok; /* started, exit code 0, no signal, in time */
	const char *out, *err;
	const char *problem; /* !ok: "exit code 1: <first words of its error output>", made safe to print */
};

/* Words behind the command. */
struct answer ask_words(const struct asker *asker, const struct words *more);
/* Several questions at once; answers[i] is that of questions[i]. They must not write the same files. */
void ask_several(
	const struct asker *asker, const struct words *questions, size_t count, struct answer *answers);
/* The same for a list that ends with NULL. */
struct answer ask(const struct asker *asker, ...) __attribute__((sentinel));
/* The first line of a text, without blanks around it, in the arena. */
char *ask_first_line(struct arena *arena, const char *text);
/*
 * The first lines that say something, at most `lines` and some 600 bytes, made safe to print. Lines that only
 * introduce ("In file included from") count too.
 */
char *ask_excerpt(struct arena *arena, const char *text, size_t lines);
/* A fresh private folder below `scratch` (NULL: TMPDIR, else /tmp). NULL with the error set. */
char *ask_folder(struct arena *arena, const char *scratch, struct error *e);

#endif
