/*
 * tune.h - sets what makes a machine measure steadily, and puts it back.
 *
 *	tune_plan(&tune, &options, &arena, &e)    what would be changed, and why; only reads
 *	tune_apply(&tune, &e)                     changes it; all of it or nothing
 *	...
 *	tune_load(&tune, &options, &arena, &e)    in another process, or after a crash or a reboot
 *	tune_restore(&tune, false, &counts, &e)
 *
 * Only what can be put back is set. Before the first change the old value of every file that will be written, or
 * that the kernel may move as a consequence, stands in the state file (TUNE_STATE, synced): whatever ends the program
 * at whatever moment, restore knows what was. Each write is read back; one that failed, or that the kernel took and
 * ignored, makes tune_apply() undo all of them.
 *
 * Profiles. Both let no governor decide during a sample at which frequency it runs, and switch off the page faults and
 * interrupts that the kernel makes for itself:
 *	as-used   turbo stays as it is: figures are those that a user of this machine sees
 *	steady    turbo off, one limit for all CPUs that each can hold for ever, and no idle state that takes long to
 *	          leave: slower, and the same on a warm afternoon
 * Left alone, since flagstone averages over it or since it would make results those of another machine: address space
 * randomisation, huge pages, SMT, mitigations, swap (tune_left).
 *
 * Restoring: in reverse order. What reads as tune left it is put back; what reads as before needs nothing; what
 * somebody else changed meanwhile is left and said, unless forced. Some files follow others (a limit follows the turbo
 * switch), so that a second pass writes what the first one's writes moved. After a reboot the kernel's own values are
 * in force already; then only what still reads as tune left it is put back, and the files of interrupts and control
 * groups, whose numbers and folders mean something else now, are not touched.
 *
 * All paths are below a root folder; "" is the live system. Below another one files of the kernel's own file systems
 * are refused, so that nobody tunes a machine while trying out a recorded tree.
 *
 * Not for two at once: the caller holds the lock (sys/lock.h).
 */
#ifndef FLAGSTONE_HOST_TUNE_H
#define FLAGSTONE_HOST_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "record/fact.h"
#include "sys/cpu.h"

#define TUNE_STATE_FOLDER "/var/lib/flagstone"
#define TUNE_STATE	  TUNE_STATE_FOLDER "/tune.json"

enum tune_profile { TUNE_AS_USED, TUNE_STEADY };

/* "as-used", "steady". */
const char *tune_profile_name(enum tune_profile profile);
bool tune_profile_parse(const char *text, enum tune_profile *profile);

/* A test's stand-in for files that fail, ignore writes or move others, and for a program that is killed. */
struct tune_io {
	/* Writes text and a line's end to the file (its full path); 0 or an errno. NULL: as it is done for real. */
	int (*write)(const char *path, const char *text, void *context);
	/* Called before each change of a file, a folder or the state. NULL: not. */
	void (*step)(void *context);
	void *context;
};

struct tune_options {
	const char *root; /* "" live */
	enum tune_profile profile;
	const char *cpus;  /* to be reserved, "2,4-7"; NULL: none */
	bool counters;	   /* let every user count events */
	const char *owner; /* "tune"; "run": for the time of a run only */
	const struct tune_io *io;
};

enum tune_kind {
	TUNE_WRITE,	/* a file gets a value */
	TUNE_WATCH,	/* a file that is not written: it has the value already, or may follow one that is */
	TUNE_FOLDER,	/* a control group is made */
	TUNE_OWN,	/* a file in such a group: goes with it */
	TUNE_TASKS,	/* all tasks of the group `old` move to the group `path` (cgroup version 1) */
	TUNE_CONTROLLER /* a word, `want` such as "+cpuset", for cgroup.subtree_control */
};
enum { TUNE_KINDS = TUNE_CONTROLLER + 1 };

/* How the value read back is held against the one written. */
enum tune_match {
	TUNE_EXACT,
	TUNE_CPUS, /* a list of CPUs: 0-3 is 0,1,2,3 */
	TUNE_MASK, /* hex digits: 00f is f */
	TUNE_LIMIT /* a frequency in kHz, which drivers round to one of theirs */
};

enum tune_outcome {
	TUNE_PENDING, /* not done yet */
	TUNE_SET,
	TUNE_HAD,      /* had the value already, or needed nothing */
	TUNE_NOT_SET,  /* could not be set, which this one may: see remark */
	TUNE_RESTORED, /* put back */
	TUNE_AS_BEFORE,
	TUNE_GONE,  /* file or folder is not there any more */
	TUNE_LEFT,  /* somebody else's value stays: `now` */
	TUNE_FAILED /* could not be put back: see remark */
};

struct tune_change {
	enum tune_kind kind;
	enum tune_match match;
	const char *setting; /* "governor": a word for all files of one kind */
	const char *path;
	const char *old;   /* what it read before; TUNE_TASKS: the group that tasks come from */
	const char *want;  /* NULL: anything, as TUNE_WATCH and TUNE_FOLDER may */
	const char *after; /* what it read when all was set; NULL: not set, or not yet */
	const char
		*means;	 /* what it comes to, such as "off", for tune_summary(); NULL: not to be told there */
	const char *why; /* in a sentence, with figures of this machine where it has them */
	bool may_fail;	 /* without it the profile is in force all the same */
	bool follows;	 /* may have been moved by another change */
	bool instead;	 /* only where the kernel refuses the partition before it */
	bool foreign;	 /* when restoring began, it read what neither tune nor the time before tune left */
	/* of this process, not kept */
	enum tune_outcome outcome;
	const char *now;
	const char *remark;
};

enum tune_phase {
	TUNE_PLANNED,	/* some of the changes may have been made: tune was cut off */
	TUNE_IN_FORCE,	/* all are */
	TUNE_RESTORING, /* some may have been undone: restore was cut off */
	TUNE_LEFT_OVER	/* all undone but what somebody else changed */
};

struct tune {
	struct arena *arena;
	const char *root;
	const struct tune_io *io;
	bool found;    /* tune_load(): there is a state file */
	bool complete; /* all changes were made once: where `after` is NULL, nothing was set */
	enum tune_phase phase;
	enum tune_profile profile;
	const char *cpus;    /* reserved; NULL: none */
	const char *group;   /* folder of the control group for who measures on them; NULL: none */
	const char *owner;   /* "tune", "run" */
	const char *boot_id; /* "" unknown */
	const char *started; /* UTC */
	long pid;
	bool rebooted; /* tune_load(): since then */
	struct tune_change *v;
	size_t n, cap;
	struct words left;  /* "WHAT: why it is not touched", tune_plan() only */
	struct words notes; /* what is to be known of the CPUs to be reserved */
};

/*
 * Reads the machine and lists the changes. Error (EXIT_USAGE): CPUs to reserve that are not online, or all of them;
 * (EXIT_CANNOT): this machine cannot have that profile, or its CPUs cannot be reserved, and why.
 */
int tune_plan(struct tune *tune, const struct tune_options *options, struct arena *arena, struct error *e);
/* Is there anything to change, watched files aside? */
bool tune_changes_something(const struct tune *tune);
/*
 * Makes the changes. -1: nothing is changed: it lacks permission or a file cannot be written (EXIT_CANNOT, the error
 * lists them), a write failed or was ignored, or the program was interrupted (EXIT_INTERRUPTED), and what had been set
 * is back; where that failed too, the error says so and the state file stays. Outcomes stand in the changes.
 */
int tune_apply(struct tune *tune, struct error *e);

/*
 * Reads the state file; tune->found says whether there is one. Of options only root and io count. Error: it cannot
 * be read or is damaged.
 */
int tune_load(struct tune *tune, const struct tune_options *options, struct arena *arena, struct error *e);

struct tune_counts {
	size_t restored, as_before, gone, left,
		failed; /* changes by their outcome; watched files that stayed are none */
};
/*
 * Puts back what tune_load() or tune_apply() has. force: somebody else's values are overwritten. Error: something could
 * not be put back; the state file stays then. With counts->left > 0 it stays too, for a call with force.
 */
int tune_restore(struct tune *tune, bool force, struct tune_counts *counts, struct error *e);

/*
 * Is what tune_load() found in force as it was set? Else *why (in the arena): which file reads what. Reads only.
 */
bool tune_holds(struct tune *tune, const char **why);
/* What holds under it, a word a setting: "governor=performance turbo=off"; "none". In the arena. */
char *tune_summary(const struct tune *tune);

/*
 * Facts tune.profile ("as-used", "steady", "none"), tune.changes and tune.cpus; unknown where tune or restore was cut
 * off, where a value was changed since, and in a container, whose host may be tuned without its knowledge (the fact
 * container.kind, if the list has it).
 */
void tune_facts(const char *root, struct facts *facts);

/*
 * Moves this process into the group for the reserved CPUs; *from: the group it comes from, for tune_leave(), in the
 * arena. Error: why not (it takes root).
 */
int tune_join(struct tune *tune, const char **from, struct error *e);
int tune_leave(struct tune *tune, const char *from, struct error *e);

#endif
