/*
 * terminal_text.h - texts as a terminal may have them, for what is no document: escaped, in its characters, wrapped.
 */
#ifndef FLAGSTONE_REPORT_TERMINAL_TEXT_H
#define FLAGSTONE_REPORT_TERMINAL_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "report/report.h"

/* Any text safe for a terminal; without unicode our own signs in ASCII and all else beyond it as \xNN. In the arena. */
char *terminal_text(const char *text, bool unicode, struct arena *arena);
/* Columns that the options give. */
unsigned terminal_width(const struct report_options *options);
/* A paragraph of any text, broken at blanks, lines after the first one set in. */
void terminal_paragraph(const char *text, const struct report_options *options, struct buf *out);

#endif
