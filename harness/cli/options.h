/*
 * options.h - the options of the command line: one table gives parsing, help and the manual.
 *
 * Long options take their value after `=` or as the next word; short ones as the next word or joined to the
 * letter. Options and other words come in any order; all after `--` are words. An option given twice: the last
 * one counts, but lists grow.
 */
#ifndef FLAGSTONE_CLI_OPTIONS_H
#define FLAGSTONE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "session/session.h"

/* All that a command line can say; each command's table reaches the members it knows. Texts are borrowed. */
struct arguments {
	struct session_options session;
	struct words words;  /* what is no option, the command's name excluded */
	size_t after_dashes; /* how many of them, at the end, stand behind `--` */
	bool help, show_version;
	bool quiet, verbose;
	bool json, csv, markdown;
	bool dry_run, verify;
	bool facts, samples, plot, builds;
	bool manual;
	/* compare */
	const char *by, *baseline, *explain;
	const char *decompose; /* NULL: not asked for; "": without a variant */
	bool recommend, next, strict, force, why;
	const char *axis; /* NULL: guess it */
	/* exec */
	const char *layout;
	uint32_t units;
	bool print;
	double gate;	    /* 0: none */
	const char *resume; /* NULL: not asked for; "": without a record's name */
	const char *bundle; /* of build: where to write it */
	bool no_measure;    /* of reproduce */
	uint32_t repeat;
	int64_t pause_ns;
	/* tune, restore, run --tune */
	const char *tune;    /* of run: a profile; NULL: not asked for; "": as-used */
	const char *profile; /* of tune */
	const char *root;    /* of a recorded tree; NULL: this machine */
	bool counters;
	/* inspect */
	bool native;
	/* doctor */
	bool quick, host_parts;
	uint32_t seconds; /* 0: not given */
};

enum option_kind {
	OPTION_FLAG,	 /* bool */
	OPTION_TEXT,	 /* const char * */
	OPTION_OPTIONAL, /* const char *: "" without a value, which stands behind `=` only */
	OPTION_LIST,	 /* struct words */
	OPTION_COUNT,	 /* uint32_t within min ... max */
	OPTION_RANGE,	 /* uint32_t[2] within min ... max */
	OPTION_DURATION, /* int64_t nanoseconds within min ... max */
	OPTION_PERCENT,	 /* double, a fraction within min ... max */
	OPTION_HEX	 /* const char *, max hex digits exactly */
};

struct cli_option {
	const char *name; /* without the dashes */
	char letter;	  /* 0: none */
	enum option_kind kind;
	size_t offset;	   /* in struct arguments */
	const char *value; /* what help calls its value; NULL for a flag */
	double min, max;
	const char *allowed; /* of a value, for the error */
	const char *help;    /* a sentence or two without a full stop at the end */
};

#define OPTION_AT(member) offsetof(struct arguments, member)

struct option_table {
	const struct cli_option *v;
	size_t n;
};
#define OPTION_TABLE(array)                                                                                  \
	{                                                                                                    \
		(array), sizeof(array) / sizeof((array)[0])                                                  \
	}

/* What every command knows. */
extern const struct option_table options_everywhere;
/* What is known before a command only. */
extern const struct option_table options_before;

/*
 * Parses argv[*at] ... argv[argc - 1] with the options of `own` (may be empty) and options_everywhere. first_word:
 * stop at the first word that is no option, *at is then its index. Lists go to the arena. Error (EXIT_USAGE): an
 * unknown option with the nearest, a missing value, a bad one with what is allowed.
 */
int options_parse(const struct option_table *own, int argc, char **argv, int *at, bool first_word,
	struct arena *arena, struct arguments *arguments, struct error *e);

/* "-C DIR", "--only CELL", "-q, --quiet": how help writes it. In the arena. */
char *option_usage(const struct cli_option *option, struct arena *arena);

#endif
