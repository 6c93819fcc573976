/*
 * version.h - which flagstone this is: what the Makefile knew when it was built. The running project's state says
 * nothing about it: that is the user's.
 */
#ifndef FLAGSTONE_BASE_VERSION_H
#define FLAGSTONE_BASE_VERSION_H

/* NULL: unknown, with the one reason in unknown_reason. */
struct version {
	const char *version;  /* "0.1.0"; "unknown" without the file .version */
	const char *commit;   /* of the sources, 40 hex digits; NULL: built without git */
	const char *dirty;    /* "yes": the sources differed from it, "no"; NULL: built without git */
	const char *compiler; /* first line of its --version */
	const char *cflags;   /* CFLAGS and the mode's (sanitizers, coverage) */
	const char *unknown_reason;
};

extern const struct version version;

#endif
