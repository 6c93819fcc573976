/*
 * run_options.h - options that run, plan and build share, each written once.
 */
#ifndef FLAGSTONE_CLI_RUN_OPTIONS_H
#define FLAGSTONE_CLI_RUN_OPTIONS_H

#include "cli/options.h"

/* clang-format off */
#define OPTION_ONLY { \
	.name = "only", .kind = OPTION_LIST, .offset = OPTION_AT(session.only), .value = "CELL", \
	.allowed = "a cell or a pattern of cells, such as dhrystone/gcc/O?", \
	.help = "Only these cells and the baselines they are compared with: WORKLOAD/SLOT/VARIANT/COPIES/ARGS, where" \
		" trailing parts may be left out, an empty part is any, and * ? [ ] are patterns; can be given more than once"}
#define OPTION_ROUNDS { \
	.name = "rounds", .kind = OPTION_RANGE, .offset = OPTION_AT(session.rounds_min), .value = "N|MIN..MAX", \
	.min = 6, .max = 1e6, .allowed = "a number or range from 6, such as 64 or 16..256", \
	.help = "Measure every cell at least MIN and at most MAX times, or N times; the budget may end it before"}
#define OPTION_LAYOUTS { \
	.name = "layouts", .kind = OPTION_RANGE, .offset = OPTION_AT(session.layouts), .value = "N|MIN..MAX", \
	.min = 1, .max = 1024, .allowed = "1, or a number or range from 8 to 1024, such as 16 or 16..64, since 2 to 7 say" \
		" nothing about placement", \
	.help = "Links of each build with other placement of the code: 1, or 8 and more; from MIN on, up to MAX where" \
		" placement turns out to dominate the noise"}
#define OPTION_SAMPLE { \
	.name = "sample", .kind = OPTION_DURATION, .offset = OPTION_AT(session.sample_ns), .value = "TIME", \
	.min = 100e3, .max = 60e9, .allowed = "a duration from 100us to 60s, such as 5ms", \
	.help = "Length of a sample of the fastest cell; the matrix says 5ms where it says nothing"}
#define OPTION_BUDGET { \
	.name = "budget", .kind = OPTION_DURATION, .offset = OPTION_AT(session.budget_ns), .value = "TIME", \
	.min = 1e9, .max = 30 * 86400e9, .allowed = "a duration from 1s to 30 days, such as 90s, 20m or 2h", \
	.help = "End measuring when this time is used up, at the end of a block of one workload's cells at the latest;" \
		" builds, checks and calibration before the first round are not part of it, links of more layouts are"}
#define OPTION_BUILD_BUDGET { \
	.name = "build-budget", .kind = OPTION_DURATION, .offset = OPTION_AT(session.build_budget_ns), .value = "TIME", \
	.min = 1e9, .max = 30 * 86400e9, .allowed = "a duration from 1s to 30 days, such as 50s", \
	.help = "Begin no more links after this time; the run then has fewer layouts"}
#define OPTION_PRECISION { \
	.name = "precision", .kind = OPTION_PERCENT, .offset = OPTION_AT(session.precision), .value = "P", \
	.min = 0.0001, .max = 0.5, .allowed = "a percentage from 0.01% to 50%, such as 1%", \
	.help = "An interval within plus and minus this is narrow enough to stop"}
#define OPTION_MATTERS { \
	.name = "matters", .kind = OPTION_PERCENT, .offset = OPTION_AT(session.matters), .value = "P", \
	.min = 0.0001, .max = 0.5, .allowed = "a percentage from 0.01% to 50%, such as 0.5%", \
	.help = "The smallest difference that matters"}
#define OPTION_TIMEOUT { \
	.name = "timeout", .kind = OPTION_DURATION, .offset = OPTION_AT(session.timeout_ns), .value = "TIME", \
	.min = 1e6, .max = 86400e9, .allowed = "a duration from 1ms to 24h, such as 60s", \
	.help = "A process that runs longer has failed"}
#define OPTION_WAIT { \
	.name = "wait", .kind = OPTION_DURATION, .offset = OPTION_AT(session.lock_wait_ns), .value = "TIME", \
	.min = 0, .max = 7 * 86400e9, .allowed = "a duration up to 7 days, such as 10m", \
	.help = "Wait so long for another run on this machine to end, instead of giving up at once"}
#define OPTION_CPUS { \
	.name = "cpus", .kind = OPTION_TEXT, .offset = OPTION_AT(session.cpus), .value = "LIST", \
	.help = "The CPUs to measure on, the lowest first, such as 2,4-7; else all that are allowed, CPU 0 last"}
#define OPTION_JOBS { \
	.name = "jobs", .kind = OPTION_COUNT, .offset = OPTION_AT(session.jobs), .value = "N", \
	.min = 1, .max = 4096, .allowed = "a number from 1 to 4096", \
	.help = "Compile and link commands at once; else the number of CPUs"}
#define OPTION_FRESH { \
	.name = "fresh", .kind = OPTION_FLAG, .offset = OPTION_AT(session.fresh), \
	.help = "Build everything again, whatever the cache holds"}
#define OPTION_JSON { \
	.name = "json", .kind = OPTION_FLAG, .offset = OPTION_AT(json), .help = "Print the result as JSON"}
#define OPTION_CSV { \
	.name = "csv", .kind = OPTION_FLAG, .offset = OPTION_AT(csv), .help = "Print the result as CSV, a line a cell"}
#define OPTION_MARKDOWN { \
	.name = "markdown", .kind = OPTION_FLAG, .offset = OPTION_AT(markdown), .help = "Print the result as Markdown"}
#define OPTION_TUNE_ROOT { \
	.name = "root", .kind = OPTION_TEXT, .offset = OPTION_AT(root), .value = "DIR", \
	.help = "Not this machine: change the files of a copy of /sys and /proc below this folder, to see what would happen" \
		" there; the kernel's own file systems are refused"}
#define OPTION_AA { \
	.name = "aa", .kind = OPTION_FLAG, .offset = OPTION_AT(session.aa), \
	.help = "Judge identical code like any other code, to see what this machine calls a difference"}
/* clang-format on */

#endif
