/*
 * comparable_groups.h - many records at once: which of them may be held against each other?
 *
 * A group is a set of records each two of which compare in every cell that both have, with or without caveats. Whether
 * two compare is no transitive relation (a fact that one side does not know is a caveat with either of two that
 * differ), so each record is held against all of a group before it joins; it joins the first that takes it. The
 * largest group is first.
 */
#ifndef FLAGSTONE_COMPARE_COMPARABLE_GROUPS_H
#define FLAGSTONE_COMPARE_COMPARABLE_GROUPS_H

#include "base/text.h"
#include "compare/comparable.h"

struct comparable_group {
	size_t *members; /* indexes of records, in their order */
	size_t n;
	enum comparability within;  /* the worst verdict of two of them */
	const char *caveat;	    /* of the first two with one: the first clause; NULL: none */
	size_t against;		    /* the member of the first group that `reason` is about */
	enum comparability verdict; /* with it */
	const char *reason; /* why its first member does not compare with that one; NULL in the first group */
};

struct comparable_groups {
	struct comparable_group *v;
	size_t n;   /* 0: not asked for */
	size_t *of; /* each record's group */
	size_t records;
	size_t hosts; /* machines among them */
};

/* only: cell patterns, NULL or empty: all. Everything in the arena. */
void comparable_group(const struct comparable_view *const *views, size_t count, enum axis axis,
	const struct words *only, struct arena *arena, struct comparable_groups *out);

/*
 * Two records in all the cells that both have: the worst of the cells', and of the records'. *reason: the clause that
 * decides, with the cells it is about; NULL where nothing worsens it. Without a cell in both: INCOMPARABLE.
 */
enum comparability comparable_pair(const struct comparable_view *a, const struct comparable_view *b,
	enum axis axis, const struct words *only, struct arena *arena, const char **reason);

/* "27 of 30 hosts compare with one another; 3 do not." In the arena. */
const char *comparable_groups_sentence(const struct comparable_groups *groups, struct arena *arena);

#endif
