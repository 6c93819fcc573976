/*
 * tree.h - a YAML file as a tree of texts, lists and mappings with the place of each. Inside spec only.
 *
 * What flagstone reads is YAML with less in it: one document, no anchors, no aliases, no tags, no key twice. A
 * text is a text: whether `1`, `yes` or `null` means something else is for the key that holds it. Bounds: 1 MiB
 * a file, 32 levels.
 */
#ifndef FLAGSTONE_SPEC_TREE_H
#define FLAGSTONE_SPEC_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "spec/spec.h"

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP };

struct node {
	enum node_kind kind;
	struct spec_place place;
	const char *text;    /* NODE_TEXT; never holds NUL bytes inside */
	bool quoted;	     /* NODE_TEXT: in quotes or a block, so "" and "null" are meant as such */
	struct node **items; /* of a list: its entries; of a mapping: its values */
	struct node **keys;  /* of a mapping: its keys, all NODE_TEXT, each once */
	size_t n, cap;
};

/* The root of a file, or NULL with the reason added to errors. *text, if not NULL: the file as it is. */
struct node *tree_read(const char *path, struct arena *arena, struct spec_errors *errors, const char **text);
/* The same of bytes in memory; path is for the places (borrowed, must live as long as the arena). */
struct node *tree_parse(
	const char *bytes, size_t count, const char *path, struct arena *arena, struct spec_errors *errors);
/* The value of a key, or NULL. */
const struct node *node_get(const struct node *map, const char *key);
/* Is it no value: nothing behind the colon, `~` or `null`? */
bool node_is_null(const struct node *node);
/* "a mapping", "a list", "nothing", "the text `x`": for error texts. */
const char *node_what(const struct node *node, struct arena *arena);

#endif
