/*
 * text.h - words, quoting, escaping, matching.
 *
 * Everything that shows foreign text (file names, compiler output, record fields) on a terminal goes through
 * text_escape(): control characters, escape codes and invalid UTF-8 never reach it raw.
 */
#ifndef FLAGSTONE_BASE_TEXT_H
#define FLAGSTONE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

/* A list of words, NULL-terminated: v[n] is NULL, so that it can be an argv. Zeroed: empty, v NULL. */
struct words {
	char **v;
	size_t n, cap;
};

/* Appends a copy of the word. Words and array live in the arena. */
void words_add(struct words *words, struct arena *arena, const char *word);
void words_addf(struct words *words, struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void words_add_all(struct words *words, struct arena *arena, const struct words *more);
bool words_have(const struct words *words, const char *word);

/*
 * Splits text into words by the quoting rules of the POSIX shell (2.2 Quoting: blanks separate, single quotes,
 * double quotes with \" \\ \$ \` inside, backslash), with no shell: $, `, *, ~ and ; are plain characters. A
 * tilde at the start of a word is refused with advice, as a shell would have expanded it (a flag that begins
 * so has no meaning). Returns 0, or -1 with the column of an open quote (1-based, also in *column if not NULL).
 */
int words_split(struct words *words, struct arena *arena, const char *text, size_t *column, struct error *e);
/* One word quoted so that words_split (and any shell) gives it back; plain words stay as they are. */
void text_quote(struct buf *out, const char *word);
/* For qsort and bsearch over an array of texts (words.v): byte by byte. */
int text_compare(const void *a, const void *b);
/* All words as they are, with a text between two. */
char *words_between(const struct words *words, const char *between, struct arena *arena);
/* All words quoted, with blanks between. */
char *words_join(const struct words *words, struct arena *arena);

/*
 * Appends count bytes made safe for a terminal line: printable ASCII and valid UTF-8 (no C1 controls, no bidi
 * controls) stay, everything else becomes \n, \t, \e-style or \xNN. With `keep_newlines`, '\n' and '\t' stay.
 */
void text_escape(struct buf *out, const char *bytes, size_t count, bool keep_newlines);
/* The same of a whole string, in the arena. */
char *text_safe(struct arena *arena, const char *text);

/* Columns that valid UTF-8 text takes on a terminal (each code point one, combining marks none). */
size_t text_width(const char *text);

/* Shell-like pattern over the whole text: * and ? (which match '/' too), [a-z], [!a-z], \ escapes. */
bool text_glob(const char *pattern, const char *text);

/*
 * The candidate nearest to word by edit distance (Damerau's with adjacent swaps, case ignored), if near enough
 * to be a likely typing error: at most a third of the word's letters; else NULL. Borrowed from candidates.
 */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

bool text_starts(const char *text, const char *prefix);
bool text_ends(const char *text, const char *suffix);
/* Are both the same text? NULL is like NULL only. */
bool text_same(const char *a, const char *b);
/* "s" unless n is 1: "%zu cell%s". */
const char *text_plural(size_t n);
/* Is it a name: [A-Za-z0-9][A-Za-z0-9._+-]{0,63} */
bool text_is_name(const char *text);

#endif
