#!/bin/sh
# exec: one cell as it is measured, alone and under tools: the same program, words, environment, CPU, folder, input as
# in a run; exit codes and signals passed on; what does not match exactly one cell.
. tests/cli/cli_lib.sh

p=$scratch/p
project_small "$p"

# a workload that writes what it finds itself in, a line a process
mkdir -p "$p/workloads/dump"
cat >"$p/workloads/dump/workload.yaml" <<-'END'
	name: dump
	title: What a measured process finds
	sources: [dump.c]
	metric: {unit: lps, better: higher}
	small: 1
END
cat >"$p/workloads/dump/dump.c" <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <sched.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	#include "driver.h"
	extern char **environ;
	static void words(FILE *file, const char *path)
	{
		int c;
		FILE *in = fopen(path, "r");
		while ((c = getc(in)) != EOF)
			putc(c ? c : ' ', file);
		fclose(in);
	}
	static int setup(void)
	{
		char text[4096] = "";
		cpu_set_t cpus;
		FILE *file = fopen(getenv("DUMP"), "a");
		int i;
		words(file, "/proc/self/cmdline");
		for (i = 0; environ[i]; i++) /* the word of random size without its letters */
			if (strncmp(environ[i], "FLAGSTONE_SIZE=", 15) == 0)
				fprintf(file, "| FLAGSTONE_SIZE=%zu", strspn(environ[i] + 15, "x") == strlen(environ[i] + 15));
			else
				fprintf(file, "| %s ", environ[i]);
		fprintf(file, "| folder %s", getcwd(text, sizeof(text)));
		memset(text, 0, sizeof(text));
		if (readlink("/proc/self/fd/0", text, sizeof(text) - 1) < 0)
			return -1;
		fprintf(file, " | input %s | cpus", text);
		sched_getaffinity(0, sizeof(cpus), &cpus);
		for (i = 0; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &cpus))
				fprintf(file, " %d", i);
		fprintf(file, " | ignored");
		for (i = 1; i < 32; i++) {
			struct sigaction action;
			if (sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
				fprintf(file, " %d", i);
		}
		fprintf(file, "\n");
		fclose(file);
		return 0;
	}
	static int work(uint64_t units)
	{
		volatile uint64_t n = 100 * units;
		while (n > 0)
			n--;
		return 0;
	}
	static int check(char *text, size_t size)
	{
		snprintf(text, size, "0");
		return 0;
	}
	const struct workload flagstone_workload = {.name = "dump", .setup = setup, .work = work, .check = check};
END
cat >"$p/matrices/dump.yaml" <<-END
	workloads: [dump]
	slots: [gcc]
	baseline: O1
	variants:
	  O1: {cflags: -O1, env: {DUMP: $scratch/dump.O1}}
	  O2: {cflags: -O2, env: {DUMP: $scratch/dump.O2}}
	measure: {sample: 200us, layouts: 1, rounds: 6, precision: 50%, matters: 5%, timeout: 10s}
END

# without a record units are found with the cell alone
cli exec --matrix small -C "$p" syscall/gcc/O2
tap_is "$status $(cut -d' ' -f1-2 "$scratch/out")" '0 flagstone-result 1' 'exec: the result line goes to standard output'
cli_has "$scratch/err" 'found with this cell alone' 'where the units are from is said: here'
cli exec --matrix small -C "$p" syscall/gcc/O2 --units 123 --quiet
tap_is "$status $(grep -c 'units=123 ' "$scratch/out") $(wc -c <"$scratch/err")" '0 1 0' '--units, --quiet'

# as it is measured
cli run dump -C "$p"
tap_is "$(tap_run_code "$status")" 0 'a run of what dumps itself'
units=$(zcat "$(find "$p/archive" -name '*.json.gz')" | jq -r '.builds[1].facts["cell.units"].value')
# what samples of a variant found; where stack and heap begin is drawn for each of them
found()
{
	grep warmup= "$scratch/dump.$1" | sed 's/stack=[0-9]* heap=[0-9]* /stack=N heap=N /'
}
for variant in O1 O2; do
	found "$variant" | sort -u >"$scratch/measured"
	tap_is "$(wc -l <"$scratch/measured")" 1 "all samples of $variant find the same"
	rm "$scratch/dump.$variant"
	cli exec --matrix dump -C "$p" "dump/gcc/$variant"
	tap_is "$(found "$variant")" "$(cat "$scratch/measured")" \
		'exec: program, words, environment, folder, input, CPU and signals are those of a sample'
done
record=$(zcat "$(find "$p/archive" -name '*.json.gz')" | jq -r .id | cut -c1-12)
cli_has "$scratch/err" "$units units of work, as in record $record" 'and its units those of the newest record, said'
tap_is "$(grep -c "units=$units " "$scratch/out")" 1 'which the result line confirms'
cli exec --matrix dump -C "$p" dump/gcc/O2 --fresh --cpus 0
tap_is "$(tail -n 1 "$scratch/dump.O2" | sed 's/.*| cpus/cpus/')" 'cpus 0 | ignored' '--cpus: another one'

# under tools
cli exec --matrix small -C "$p" syscall/gcc/O2 -- env
tap_is "$status $(cut -d' ' -f1 "$scratch/out")" '0 flagstone-result' '-- env: the tool gets the program to start'
# shellcheck disable=SC2016
HOME=/home/of TERM=vt100 SECRET=1 cli exec --matrix small -C "$p" syscall/gcc/O2 --layout 0 -- sh -c 'pwd; env; echo "$0" "$@"; exit 7'
tap_is "$status" 7 'its exit code is the one that is seen'
tap_is "$(head -n 1 "$scratch/out")" "$scratch/here" 'it stays in the folder of the caller'
tap_is "$(grep -c -e '^HOME=/home/of$' -e '^TERM=vt100$' -e '^LC_ALL=C$' -e '^PATH=/usr/local/bin:/usr/bin:/bin$' "$scratch/out")" 4 \
	'its environment is the measured one, with what a tool needs'
tap_is "$(grep -c SECRET "$scratch/out")" 0 'and nothing else of the caller'
tap_is "$(tail -n 1 "$scratch/out" | grep -c '/layouts/0-0 units=[0-9]* warmup=[0-9]* stack=0 heap=0$')" 1 'the program and its words stand at the end'
if command -v taskset >/dev/null; then
	# shellcheck disable=SC2016 # of the tool's shell
	cli exec --matrix small -C "$p" syscall/gcc/O2 --cpus 0 -- sh -c 'taskset -p $$'
	cli_has "$scratch/out" 'mask: 1' 'a tool is pinned as the cell is'
else
	tap_skip 'a tool is pinned as the cell is' 'no taskset(1)'
fi
# shellcheck disable=SC2016
open='cd /proc/$$/fd && echo *' # no pipe, which would have descriptors of its own
sh -c "$open" >"$scratch/open" </dev/null 2>"$scratch/err" 3>&- 4>&-
cli exec --matrix small -C "$p" syscall/gcc/O2 -- sh -c "$open"
tap_is "$(cat "$scratch/out")" "$(cat "$scratch/open")" 'no descriptor of ours is left open'
(cd "$scratch/here" && echo typed | "$FLAGSTONE" exec --matrix small -C "$p" syscall/gcc/O2 -- head -n 1 -) >"$scratch/out" 2>/dev/null 3>"$scratch/three"
tap_is "$(head -n 2 "$scratch/out" | tail -n 1)" typed 'a tool has the input of the caller'
(cd "$scratch/here" && "$FLAGSTONE" exec --matrix small -C "$p" syscall/gcc/O2) >"$scratch/out" 2>/dev/null 3>"$scratch/three"
tap_is "$(cut -d' ' -f1 "$scratch/out") $(wc -c <"$scratch/three")" 'flagstone-result 0' 'a descriptor 3 of the caller does not get the result'
cli_fails 3 'no program no-such-tool in PATH' 'a tool that is not there' exec --quiet --matrix small -C "$p" syscall/gcc/O2 -- no-such-tool
cli_fails 3 'starting /dev/null' 'a tool that is no program' exec --quiet --matrix small -C "$p" syscall/gcc/O2 -- /dev/null

# signals: exec has the process, so what it is sent reaches the tool
(cd "$scratch/here" && exec "$FLAGSTONE" exec --quiet --matrix small -C "$p" syscall/gcc/O2 -- sh -c 'trap "echo got it; exit 9" TERM; echo ready; while :; do sleep 0.1; done') \
	>"$scratch/out" 2>"$scratch/err" &
pid=$!
i=0
while ! grep -q ready "$scratch/out" && [ $i -lt 200 ]; do
	sleep 0.1
	i=$((i + 1))
done
kill -TERM "$pid"
wait "$pid"
tap_is "$? $(tail -n 1 "$scratch/out")" '9 got it' 'a signal reaches the tool, which may handle it'
(cd "$scratch/here" && exec "$FLAGSTONE" exec --quiet --matrix small -C "$p" syscall/gcc/O2 -- sh -c 'kill -9 $$') >"$scratch/out" 2>"$scratch/err"
tap_is "$?" 137 'one that a signal ends is ended by that signal'
if command -v script >/dev/null; then
	script -qec "'$FLAGSTONE' exec --quiet --matrix small -C '$p' syscall/gcc/O2 -- sh -c 'test -t 0 && test -t 1 && ps -o stat= -p \$\$ | grep -c +'" /dev/null </dev/null >"$scratch/out" 2>&1
	tap_is "$(tr -d '\r' <"$scratch/out" | tail -n 1)" 1 'a tool has the terminal, in its foreground'
else
	tap_skip 'a tool has the terminal, in its foreground' 'no script(1) here to make one'
fi

# what would be started
cli exec --matrix small -C "$p" syscall/gcc/O2 --print
tap_is "$status $(wc -l <"$scratch/out") $(grep -c flagstone-result "$scratch/out")" '0 1 0' '--print: one line, and nothing is started'
sh "$scratch/out" >"$scratch/by-hand"
tap_is "$(cut -d' ' -f1 "$scratch/by-hand")" flagstone-result 'which a shell takes as it is'
cli exec --matrix dump -C "$p" dump/gcc/O2 -n
rm "$scratch/dump.O2"
sh "$scratch/out" >"$scratch/by-hand"
tap_is "$(found O2)" "$(cat "$scratch/measured")" 'and by which a process finds what a sample finds'
cli exec --matrix small -C "$p" syscall/gcc/O2 -n --units 5 -- "$p/../p/two words" -x 2>/dev/null
cli_has "$scratch/out" "'$p/../p/two words' -x /" 'words are quoted'
cli exec --matrix small -C "$p" syscall/gcc/O2 --print --json --layout 3 --units 5
tap_is "$(jq -r '[.schema, .cell, .layout, .units, .units_from, .copies, (.argv | length), (.seed | length), .folder, .stdin] | map(tostring) | join(",")' "$scratch/out")" \
	'flagstone.exec/1,syscall/gcc/O2/1,layout 3,5,null,1,5,64,/,/dev/null' '--print --json'

# layouts
seed=$(jq -r .seed "$scratch/out")
program=$(jq -r .program "$scratch/out")
cli exec --matrix small -C "$p" syscall/gcc/O2 --print --json --layout "$seed" --units 5
tap_is "$(jq -r '.layout, .program' "$scratch/out" | tr '\n' ' ')" "layout 3 $program " '--layout SEED is the layout that has it'
recorded=$(zcat "$(find "$p/archive" -name '*.json.gz')" | jq -r '.builds[1].layouts[0].seed')
cli exec --matrix dump -C "$p" dump/gcc/O2 --print --json --layout "$recorded" --units 5
tap_is "$(jq -r .layout "$scratch/out") $(sha256sum <"$(jq -r .program "$scratch/out")" | cut -c1-64)" \
	"layout 0 $(zcat "$(find "$p/archive" -name '*.json.gz')" | jq -r '.builds[1].layouts[0].sha256')" 'a seed of a record gives its link bit for bit'
cli exec --matrix small -C "$p" syscall/gcc/O2 --print --json --layout canonical --units 5
tap_is "$(jq -r '[.layout, .seed] | map(tostring) | join(",")' "$scratch/out")" 'canonical link,null' '--layout canonical'
cli_fails 3 'no layout of this build has the seed' 'a seed of another build' exec --matrix small -C "$p" syscall/gcc/O2 \
	--layout 0000000000000000000000000000000000000000000000000000000000000000
cli_fails 2 'allowed: a number from 0 to 1023' 'a layout that is none' exec --quiet --matrix small -C "$p" syscall/gcc/O2 --layout 1024

# which cell
cli_fails 2 'matches 2 cells of matrix small, one is needed: syscall/gcc/O1/1 syscall/gcc/O2/1' 'two cells match' exec --matrix small -C "$p" syscall/gcc
# shellcheck disable=SC2016 # backticks of the message
cli_fails 2 'did you mean `syscall`?' 'a cell that is misspelt' exec --matrix small -C "$p" sycall/gcc/O2
cli_fails 2 'needs a cell' 'no cell' exec --matrix small -C "$p"
cli_fails 2 'a tool stands behind --' 'a tool without --' exec --matrix small -C "$p" syscall/gcc/O2 env
cli_fails 2 'for --print' '--json without --print' exec --matrix small -C "$p" syscall/gcc/O2 --json

# what cannot be
cat >"$p/matrices/odd.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc]
	baseline: O1
	variants:
	  O1: {cflags: -O1}
	  other: {cflags: -O2, arch: s390x}
	  broken: {cflags: -O2 -Dsetup=1}
	copies: [1, 2]
	measure: {sample: 200us, layouts: 1, rounds: 6}
END
cli_fails 3 'cannot exist here' 'a cell that cannot exist here' exec --quiet --matrix odd -C "$p" syscall/gcc/other/1
cli_fails 3 'could not be built' 'a cell that does not compile' exec --quiet --matrix odd -C "$p" syscall/gcc/broken/1
cli_has "$scratch/err" 'log: /' 'with the path of its log'
cli_fails 2 'matches 2 cells' 'copies are a part of the name' exec --matrix odd -C "$p" syscall/gcc/O1
cli exec --matrix odd -C "$p" syscall/gcc/O1/2 --units 5
tap_is "$status" 0 'of two copies it is one'
cli_has "$scratch/err" 'a run measures 2 copies of it at once; this is the first one of them, alone' 'and that is said'
cat >"$p/workloads/dump/dump.c" <<-'END'
	#include <stdlib.h>
	#include "driver.h"
	static int work(uint64_t units)
	{
		(void)units;
		abort();
	}
	static int check(char *text, size_t size)
	{
		(void)text;
		(void)size;
		return -1;
	}
	const struct workload flagstone_workload = {.name = "dump", .work = work, .check = check};
END
cli_fails 3 'killed by signal 6' 'a cell that crashes cannot be calibrated' exec --quiet --matrix dump -C "$p" dump/gcc/O2
cli_has "$scratch/err" '--units N' 'but with --units it can be looked at, which is said'
(cd "$scratch/here" && exec "$FLAGSTONE" exec --quiet --matrix dump -C "$p" dump/gcc/O2 --units 1) >"$scratch/out" 2>"$scratch/err"
tap_is "$?" 134 'and its end is its own'
tap_end
