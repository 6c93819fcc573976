/*
 * test_build_gcc.h - a site whose gcc is this machine's, behind a stub that logs each start and can be made to misbehave.
 */
#ifndef FLAGSTONE_TEST_BUILD_GCC_H
#define FLAGSTONE_TEST_BUILD_GCC_H

#include "test_build_tools.h"

static struct site site;

static inline int compiles(void)
{
	return atoi(tools_run(NULL, "grep -c -e ' -c /.*/w/' log; true"));
}

static bool is_plain; /* bin/gcc passes everything on, and was found */

/* Puts a stub in gcc's place and finds it. */
static inline void use_gcc(const char *body, const char *cpu)
{
	site_close(&site);
	world_close(&site.world);
	world_open(&site.world);
	site.world.options.probe = false;
	site.world.options.cpu = cpu;
	stub("bin/gcc", body);
	world_find(&site.world);
	site_open(&site);
	is_plain = body[0] == '\0';
}

static inline int open_site(void **state)
{
	(void)state;
	if (is_plain)
		site_open(&site);
	else
		use_gcc("", NULL);
	tools_run(NULL, ": >log");
	return 0;
}

static inline int close_site(void **state)
{
	(void)state;
	site_close(&site);
	return 0;
}

#endif
