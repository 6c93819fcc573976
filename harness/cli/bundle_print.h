/*
 * bundle_print.h - what `build --bundle` made, as text and as JSON.
 */
#ifndef FLAGSTONE_CLI_BUNDLE_PRINT_H
#define FLAGSTONE_CLI_BUNDLE_PRINT_H

#include "base/json.h"
#include "session/bundle.h"

/* What is in it, what is not and why, what the target needs, and how it is run there. */
void bundle_print(const struct session *session, const struct session_bundle_made *made);
/* Object BUNDLE of flagstone.build/1; null where nothing was built, so that nothing was packed. New reference. */
json_t *bundle_json(const struct session_bundle_made *made);

#endif
