/*
 * dwarf_forms.h - values of attributes, for dwarf.c: texts are found, all else is passed over.
 */
#ifndef FLAGSTONE_CODE_DWARF_FORMS_H
#define FLAGSTONE_CODE_DWARF_FORMS_H

#include "code/dwarf_bytes.h"

/* What the size of values depends on. */
struct dwarf_head {
	unsigned version, address_size;
	size_t offset_size;
};

/* Where texts are. */
struct dwarf_strings {
	struct dwarf_bytes str, line_str;
};

/* A text as a form gives it: at once, or by its number in .debug_str_offsets. */
struct dwarf_string {
	const char *at;
	bool indexed;
	uint64_t index;
};

enum { DWARF_IMPLICIT_CONST = 0x21 /* the form whose value stands with the abbreviation */ };

/*
 * Reads one attribute of this form, or skips it. *string: a text; *number: an offset into another section. false: a form
 * that is not known, so that what follows cannot be found.
 */
bool dwarf_value(const struct dwarf_strings *strings, struct dwarf_cursor *cursor, uint64_t form,
	const struct dwarf_head *head, struct dwarf_string *string, uint64_t *number);

#endif
