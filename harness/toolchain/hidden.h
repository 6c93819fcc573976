/*
 * hidden.h - what acts on compilers without standing in any flag: variables of the environment. Compilers are started
 * with an environment of flagstone's own (process_clean_env), so that none of these acts; that there were some is a
 * fact, since a build by hand in the same shell would not be the same.
 *
 * Other hidden inputs: configuration and specs files are the fact resolved.config_files (toolchain.h) and count in the
 * resolved hash; variables that a toolchain's file sets on purpose are the fact toolchain.env and count in its identity.
 *
 * Sources: GCC manual "Environment Variables Affecting GCC"; ld's, clang's, ccache's and tcc's manual pages.
 */
#ifndef FLAGSTONE_TOOLCHAIN_HIDDEN_H
#define FLAGSTONE_TOOLCHAIN_HIDDEN_H

#include "record/fact.h"

/*
 * Sets build.hidden.environment: "NAME=VALUE ..." quoted as for a shell, sorted; "" none. Of compiler caches only
 * the names, since their values may hold passwords. environment: as environ(7).
 */
void hidden_environment(char *const *environment, struct facts *facts);

#endif
