/*
 * host_name.h - the form of HOST: the name of a machine (or pool of equal machines) in records and the name of
 * its folder in an archive. It is a name of letters, digits and . _ + - (64 characters at most) followed by "-"
 * and 12 lower case hex digits: x86_64-6-85-0123456789ab. Nothing else is ever made a folder's name, and
 * readers of an archive enter only folders of this form.
 */
#ifndef FLAGSTONE_RECORD_HOST_NAME_H
#define FLAGSTONE_RECORD_HOST_NAME_H

#include <stdbool.h>

#include "base/arena.h"

bool host_name_is_valid(const char *name);
/*
 * The HOST of a name that a person gave (--host, FLAGSTONE_HOST, settings): the name itself if it has the form,
 * else the name with 12 hex digits of SHA-256 over "flagstone host name\n" and the name behind it, so that one
 * name gives one HOST everywhere. NULL when it is no name (text_is_name). In the arena.
 */
char *host_name_of(struct arena *arena, const char *given);

#endif
