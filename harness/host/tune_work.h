/*
 * tune_work.h - what the files of tune share. Private to host.
 */
#ifndef FLAGSTONE_HOST_TUNE_WORK_H
#define FLAGSTONE_HOST_TUNE_WORK_H

#include "host/probe.h"
#include "host/tune.h"

#define TUNE_GROUP "flagstone"	    /* the control group of the reserved CPUs */
#define TUNE_REST  "flagstone-rest" /* version 1: the group of everything else */

enum { TUNE_ROUNDING_KHZ = 100000 }; /* one step of most frequency drivers */

/* For reading below tune->root. */
struct probe tune_probe(const struct tune *tune);

/* tune_io.c */

/* The file's text without blanks at its ends; NULL and *reason (may be NULL). In the arena. */
char *tune_read(const struct tune *tune, const char *path, const char **reason);
/* 0 or an errno; ENOTSUP: it is the kernel's, and the root is not live. */
int tune_write(const struct tune *tune, const char *path, const char *text);
int tune_make_folder(const struct tune *tune, const char *path);
/* Of a recorded tree with all in it, as there no kernel takes its files back. */
int tune_remove_folder(const struct tune *tune, const char *path);
/* May it be written to? 0 or an errno. */
int tune_writable(const struct tune *tune, const char *path);
void tune_step(const struct tune *tune);
/* Does the folder below the root lie on one of the kernel's file systems? */
bool tune_root_is_live(const struct tune *tune, const char *path);
/* Does `is` say what `wanted` asks for? */
bool tune_match(enum tune_match match, const char *is, const char *wanted, struct arena *arena);

/* tune_state.c */

/* Writes the state file, synced. only_left: keeps but the changes with that outcome. */
int tune_save(struct tune *tune, bool only_left, struct error *e);
int tune_forget(struct tune *tune, struct error *e);

/* tune_plan.c: appends a change; texts are borrowed and must live as long as the arena. */
void tune_add(struct tune *tune, const struct tune_change *change);
/* A line for tune->left. */
void tune_leave_alone(struct tune *tune, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Appends a write of a file that exists and does not read as wanted, or a watch where it does. Gives whether the file
 * exists (*old: its text, may be NULL).
 */
bool tune_want(struct tune *tune, const struct tune_change *like, const char *path, const char **old);
/* A file that may follow others, if it exists. */
void tune_watch(struct tune *tune, const char *setting, const char *path);

/* tune_frequency.c: governor, preference, turbo, limit, idle states. */
int tune_plan_frequency(struct tune *tune, struct probe *probe, struct error *e);

/* tune_cpus.c: control groups, interrupts, work queues. */
int tune_plan_cpus(struct tune *tune, struct probe *probe, const char *cpus, struct error *e);

/* tune_tasks.c */

/* Moves the tasks of one group (its folder) to another; counts those that stayed. 0 or an errno. */
int tune_move_tasks(const struct tune *tune, const char *from, const char *to, size_t *moved, size_t *stayed);
/* Before anybody is moved: who is bound to the reserved CPUs, in tune->notes. */
void tune_note_processes(struct tune *tune);

/* tune.c */

/* Undoes one change, if it is ours to undo; sets its outcome. */
void tune_undo(struct tune *tune, struct tune_change *change, bool force);

#endif
