#!/bin/sh
# The driver's words stack=N and heap=N: what a workload has on its stack begins N bytes lower, what it takes from the
# heap lies above a block of N bytes. Asked of a workload that says where its things are, where the kernel can be told
# to put processes at the same place each time.
# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh

scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/where.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include "driver.h"
	static unsigned long stack, heap;
	static int work(uint64_t units)
	{
		char *block = malloc(100);
		char local = (char)units;
		driver_escape(&local);
		driver_escape(block);
		stack = (unsigned long)&local;
		heap = (unsigned long)block;
		return 0;
	}
	static int check(char *text, size_t size)
	{
		snprintf(text, size, "%lu,%lu", stack, heap);
		return 0;
	}
	const struct workload flagstone_workload = {.name = "where", .work = work, .check = check};
END

# where WORD...: the place of stack and heap, in a process that the kernel does not move
where()
{
	setarch -R env -i "$scratch/where" units=1 "$@" 3>&- | tr ' ' '\n' | sed -n 's/^check=//p'
}

# try NAME COMPILER [FLAG...]: as long as the words are equally long, nothing else moves the stack
try()
{
	name=$1
	shift
	if ! command -v "$1" >/dev/null 2>&1; then
		tap_skip "$name: stack= and heap=" "there is no $1 here"
		return
	fi
	if ! "$@" -Iworkloads/driver -o "$scratch/where" workloads/driver/driver.c "$scratch/where.c" 2>"$scratch/log"; then
		tap_not_ok "$name: compiles"
		tap_note "$(cat "$scratch/log")"
		return
	fi
	if ! setarch -R true 2>/dev/null || [ "$(where stack=16 heap=16)" != "$(where stack=16 heap=16)" ]; then
		tap_skip "$name: stack= and heap=" 'processes cannot be kept at one place here (setarch -R)'
		return
	fi
	moved=
	for pair in '16 96' '1024 4080'; do
		a=$(where "stack=${pair% *}" heap=1024)
		b=$(where "stack=${pair#* }" heap=1024)
		c=$(where "stack=${pair% *}" heap=4080)
		moved="$moved $((${a%,*} - ${b%,*})),$((${b#*,} - ${a#*,})) $((${c%,*} - ${a%,*})),$((${c#*,} - ${a#*,}))"
	done
	tap_is "$moved" ' 80,0 0,3056 3056,0 0,3056' "$name: stack and heap move by as much as was asked, each alone"
}

# the C library of musl has its own sizes of blocks, which move by about as much
try 'gcc -O2' gcc -O2
try 'gcc -O0' gcc -O0
try 'gcc -O2 -static' gcc -O2 -static
try 'clang -O2' clang -O2
try 'tcc' tcc

gcc -O2 -Iworkloads/driver -o "$scratch/where" workloads/driver/driver.c "$scratch/where.c" || exit 1
plain=$(wl_run "$scratch/where" units=1 stack=0 heap=0)
tap_is "$(wl_field "$plain" units)" 1 '0 is the default said aloud'
wl_test_refused "$scratch/where" 'a stack that is no number' units=1 stack=x
wl_test_refused "$scratch/where" 'a stack too low' units=1 stack=65537
wl_test_refused "$scratch/where" 'a heap too high' units=1 heap=65537
wl_test_refused "$scratch/where" 'the same twice' units=1 heap=16 heap=16
tap_end
