/*
 * members.h - a record's members as a tree, all but schema, id and samples. json.c puts the document together;
 * the journal writes the same members, so that it says nothing in a second way.
 */
#ifndef FLAGSTONE_RECORD_MEMBERS_H
#define FLAGSTONE_RECORD_MEMBERS_H

#include "base/json.h"
#include "record/record.h"

/* All members in the document's order, then the unknown ones. New reference. */
json_t *members_to_json(const struct record *record);
/* One element of "builds". New reference. */
json_t *members_build(const struct record_build *build);
/*
 * Fills the record from such a tree. Every known member must be there with its type; unknown ones are kept in
 * record->unknown. `name` names the document in errors.
 */
int members_from_json(struct record *record, json_t *root, const char *name, struct error *e);

#endif
