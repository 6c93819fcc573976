#include "spec/syntax.h"

#include <string.h>

static struct spec_place at_mark(const char *path, yaml_mark_t mark)
{
	return (struct spec_place){path, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

/* The reader's errors come with a byte offset only. */
static struct spec_place at_offset(const char *path, const char *bytes, size_t count, size_t offset)
{
	struct spec_place place = {path, 1, 1};

	for (size_t i = 0; i < offset && i < count; i++) {
		if (bytes[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (((unsigned char)bytes[i] & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

static void reader_error(const yaml_parser_t *parser, const char *bytes, size_t count, const char *path,
	struct spec_errors *errors)
{
	struct spec_place place = at_offset(path, bytes, count, parser->problem_offset);
	const char *problem = parser->problem != NULL ? parser->problem : "unreadable";

	if (strstr(problem, "control characters") != NULL)
		spec_error(errors, place,
			"the control character 0x%02x cannot stand in a file; remove it, or write it as an "
			"escape "
			"in double quotes",
			(unsigned)parser->problem_value);
	else
		spec_error(errors, place, "the file is not UTF-8 (%s); save it as UTF-8", problem);
}

/* libyaml's words, and ours. */
static const struct {
	const char *context; /* NULL: any */
	const char *problem;
	const char *words;
} known[] = {
	{"while scanning an alias", "",
		"a text that starts with * must be in quotes, such as \"*\" (YAML takes it for an alias)"},
	{"while scanning an anchor", "",
		"a text that starts with & must be in quotes (YAML takes it for an anchor)"},
	{"while scanning a tag", "", "a text that starts with ! must be in quotes (YAML takes it for a tag)"},
	{"while parsing a tag", "", "a text that starts with ! must be in quotes (YAML takes it for a tag)"},
	{NULL, "tab character", "a tab stands where only blanks may; indent with blanks"},
	{NULL, "mapping values are not allowed",
		"a `:` cannot stand here; put the text in quotes if the `:` belongs to it, else look at the "
		"indentation"},
	{NULL, "unexpected ':'",
		"a `:` cannot stand here; put the text in quotes if the `:` belongs to it, else look at the "
		"indentation"},
	{NULL, "could not find expected ':'", "expected `key: value`, found a line without `:`"},
	{NULL, "did not find expected key", "expected a key here; look at the indentation"},
	{NULL, "did not find expected '-' indicator",
		"expected `- ` here: the entries of a list are indented alike"},
	{NULL, "block sequence entries are not allowed",
		"a list entry `- ` cannot stand here; begin the list on the next line"},
	{NULL, "found unknown escape character",
		"unknown escape in double quotes; write \\\\ for a backslash, or use single quotes"},
	{NULL, "did not find expected <document start>",
		"the document ended before this; look at the indentation"},
	{NULL, "comment or line break", "the text of a block (| or >) begins on the next line"},
	{NULL, "did not find expected node content", "a value is missing here"},
};

/* What opened at the context mark and does not close; NULL: it is something else. */
static const char *open_thing(const yaml_parser_t *parser)
{
	if (strstr(parser->problem, "',' or ']'") != NULL)
		return "a list that misses a `,` or its `]`";
	if (strstr(parser->problem, "',' or '}'") != NULL)
		return "a mapping that misses a `,` or its `}`";
	if (parser->context != NULL && strstr(parser->context, "quoted scalar") != NULL &&
		strstr(parser->problem, "end of stream") != NULL)
		return "a quote that is never closed";
	return NULL;
}

static void scanner_error(
	const yaml_parser_t *parser, struct spec_place place, char c, struct spec_errors *errors)
{
	const char *open = open_thing(parser);

	if (open != NULL) {
		spec_error(errors, at_mark(place.file, parser->context_mark),
			"here begins %s (noticed at line %u, column %u)", open, place.line, place.column);
		return;
	}
	if (strstr(parser->problem, "cannot start any token") != NULL) {
		if (c == '\t')
			spec_error(errors, place, "a tab stands where only blanks may; indent with blanks");
		else
			spec_error(errors, place, "a text that starts with %c must be in quotes", c);
		return;
	}
	if (strstr(parser->problem, "could not find expected ':'") != NULL && parser->context != NULL)
		place = at_mark(place.file,
			parser->context_mark); /* where the line begins, not where it was noticed */
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].context != NULL &&
			(parser->context == NULL || strstr(parser->context, known[i].context) == NULL))
			continue;
		if (strstr(parser->problem, known[i].problem) == NULL)
			continue;
		spec_error(errors, place, "%s", known[i].words);
		return;
	}
	spec_error(errors, place, "not valid YAML: %s", parser->problem);
}

/* The byte at a place; the mark's own index counts characters. */
static char byte_at(const char *bytes, size_t count, size_t index)
{
	size_t i = 0;

	for (; i < count; i++) {
		if (((unsigned char)bytes[i] & 0xc0) == 0x80)
			continue;
		if (index-- == 0)
			return bytes[i];
	}
	return '\0';
}

void syntax_error(const yaml_parser_t *parser, const char *bytes, size_t count, const char *path,
	struct spec_errors *errors)
{
	if (parser->error == YAML_READER_ERROR)
		reader_error(parser, bytes, count, path, errors);
	else if (parser->problem == NULL)
		spec_error(errors, (struct spec_place){path, 0, 0}, "not valid YAML");
	else
		scanner_error(parser, at_mark(path, parser->problem_mark),
			byte_at(bytes, count, parser->problem_mark.index), errors);
}
