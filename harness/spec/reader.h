/*
 * reader.h - mappings read by a const table of their keys. Inside spec only.
 *
 * A table says for each key its name, its type, where its value goes (an offset into the target struct) and its
 * bounds. From it come parsing and every complaint: unknown keys with the nearest match, wrong types, missing
 * keys, values out of bounds. What a table cannot say is in a function of the key (`read`).
 *
 *	static const struct key keys[] = {
 *		{.name = "name", .type = KEY_NAME, .offset = offsetof(struct thing, name), .required = true},
 *		{.name = "jobs", .type = KEY_U32, .offset = offsetof(struct thing, jobs), .min = 1, .max = 4096},
 *	};
 *	read_map(&reader, root, "a thing", KEYS(keys), &thing);
 */
#ifndef FLAGSTONE_SPEC_READER_H
#define FLAGSTONE_SPEC_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/spec.h"
#include "spec/tree.h"

struct reader {
	struct arena *arena;
	struct spec_errors *errors;
};

enum key_type {
	KEY_TEXT,     /* const char *: a text without control characters */
	KEY_NAME,     /* const char *: text_is_name() */
	KEY_CHOICE,   /* const char *: one of choices */
	KEY_VERBATIM, /* const char *: any text, a number as it is written */
	KEY_FLAGS, /* struct words: a text split by shell quoting rules, or a list with one argument an entry */
	KEY_COMMAND,  /* struct words: like KEY_FLAGS, with a program in front */
	KEY_NAMES,    /* struct words: a list of names, none twice */
	KEY_TEXTS,    /* struct words: a list of texts, none twice */
	KEY_PLACED,   /* struct spec_words: a list of texts, none twice */
	KEY_WORD,     /* struct spec_word: a name and its place */
	KEY_ENV,      /* struct words: a mapping NAME: value, as NAME=VALUE */
	KEY_BOOL,     /* bool: true or false */
	KEY_U64,      /* uint64_t within min ... max */
	KEY_U32,      /* uint32_t within min ... max */
	KEY_DOUBLE,   /* double within min ... max */
	KEY_DURATION, /* int64_t nanoseconds within min ... max */
	KEY_PERCENT,  /* double, a fraction within min ... max */
	KEY_SIZE,     /* uint64_t bytes within min ... max */
	KEY_RANGE,    /* uint32_t [2], low and high, within min ... max */
	KEY_MAP,      /* a mapping with keys of its own, whose offsets count from this one's */
	KEY_READ      /* the function does it all */
};

struct key {
	const char *name;
	enum key_type type;
	size_t offset;
	bool required;
	double min, max;
	const char *form; /* the allowed text in words, with an example: for numbers, lists and KEY_READ */
	const char *const *choices; /* NULL-terminated */
	const struct key *keys;
	size_t key_count;
	void (*read)(struct reader *reader, const struct key *key, const struct node *node, void *target);
};

#define KEYS(table) (table), sizeof(table) / sizeof((table)[0])

/* Reads a mapping into target. what: what the mapping is, with its article: "a variant". */
void read_map(struct reader *reader, const struct node *node, const char *what, const struct key *keys,
	size_t count, void *target);
/* A reader of one value by the key's type; field is where it goes. */
void read_value(struct reader *reader, const struct key *key, const struct node *node, void *field);

/* "`KEY`: expected FORM, found WHAT" */
void read_expected(struct reader *reader, const char *key, const struct node *node, const char *form);
/* Adds ": allowed here: a, b, c; did you mean `b`?" behind a complaint about word. */
void read_unknown(struct reader *reader, struct spec_place place, const char *what, const char *word,
	const char *const *allowed, size_t count);
/* A text that is a name, or NULL with the error added. what: "a name", "the name of a variant". */
const char *read_name(struct reader *reader, const struct node *node, const char *what);
/* Keys that are equal but for case: an error. */
void read_refuse_case_twins(struct reader *reader, const struct node *map);
/* The value's text, or NULL with "expected FORM" added: nothing, a list or a mapping stands there. */
const char *read_text(struct reader *reader, const struct key *key, const struct node *node);
/* Is it a list with at least one entry? Else an error. */
bool read_is_list(struct reader *reader, const struct key *key, const struct node *node);

/* value.c: numbers; called by read_value(). */
void read_number(struct reader *reader, const struct key *key, const struct node *node, void *field);
/* words.c: flags, lists, environments; called by read_value(). */
void read_words(struct reader *reader, const struct key *key, const struct node *node, void *field);

#endif
