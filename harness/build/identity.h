/*
 * identity.h - which code a build's own objects hold, before any layout: facts code.objects_sha256 and
 * code.objects_unpadded_sha256 (code.h), and code.object.NAME, the first 16 digits of the hash of each object, so that
 * one that differs can be named. The driver's and the C library's are no part of it.
 */
#ifndef FLAGSTONE_BUILD_IDENTITY_H
#define FLAGSTONE_BUILD_IDENTITY_H

#include "build/build.h"

/*
 * Of a build that was compiled in `folder`. Under link-time optimisation the code is made at the link: then they are
 * unknown with that reason, until build_identity_linked().
 */
void build_identity(const struct build *build, const char *folder, struct facts *facts);
/*
 * Of a finished build: under link-time optimisation, once builder_link() had its objects made, sets the facts from these;
 * where it had not, the reason says why. Else they stay as they are. facts: the build's, perhaps a copy of them.
 */
void build_identity_linked(const struct build *build, struct facts *facts);
/* Are these facts there, and made as they would be now? */
bool build_identity_is_current(const struct facts *facts);

#endif
