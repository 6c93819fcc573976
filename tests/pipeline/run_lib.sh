# shellcheck shell=sh
# Shared by tests that run flagstone on small projects of their own. Sourced with the repository as current folder;
# needs FLAGSTONE (the program). TAP functions come from workload_lib.sh.

# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh

top=$(pwd)
scratch=$(mktemp -d) || exit 3
trap 'chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME="$scratch/cache"
export FLAGSTONE_LOCK_FOLDER="$scratch"
# other tests go on beside this one: the machine does not come to rest, and no claim here is about a rate
export FLAGSTONE_SETTLE=0s
mkdir -p "$scratch/cache" "$scratch/program"
# a copy, since the program in the source tree has the tree's workloads, toolchains and matrices at hand
cp "$FLAGSTONE" "$scratch/program/flagstone"
FLAGSTONE=$scratch/program/flagstone

# A project with the workload `count` (a multiply-add chain; MODE=... makes it misbehave) and the matrix `two`.
project_make() { # project_make FOLDER
	mkdir -p "$1/workloads/count" "$1/workloads/driver" "$1/matrices" "$1/toolchains"
	cp "$top"/workloads/driver/* "$1/workloads/driver/"
	cp "$top/toolchains/gcc.yaml" "$1/toolchains/" # a compiler that is there is probed, used or not
	cat >"$1/workloads/count/workload.yaml" <<-'EOF'
		name: count
		title: A chain of multiplications
		tags: [test]
		sources: [count.c, step.c]
		metric: {unit: step/s, better: higher}
		# 3^1000 mod 2^32, from Python: pow(3, 1000, 2**32)
		check: {units: 1000, value: "3552074529", rel: 0}
	EOF
	cat >"$1/workloads/count/step.c" <<-'EOF'
		#include <stdint.h>
		uint32_t step(uint32_t x);
		uint32_t step(uint32_t x)
		{
			return x * 3u;
		}
	EOF
	cat >"$1/workloads/count/count.c" <<-'EOF'
		#include "driver.h"
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>

		uint32_t step(uint32_t x);
		static uint32_t x = 1;
		#ifndef MODE
		#define MODE ""
		#endif
		static int is(const char *mode)
		{
			return strcmp(MODE, mode) == 0;
		}
		static int work(uint64_t units)
		{
			for (uint64_t i = 0; i < units; i++) {
				x = step(x);
				GUARD_VALUE(x);
			}
			return 0;
		}
		static int setup(void)
		{
			if (is("crash"))
				raise(SIGSEGV);
			if (is("exit22")) {
				fprintf(stderr, "cannot go on: \033[31mred\033[0m\n");
				exit(22);
			}
			while (is("hang"))
				pause();
			if (is("stubborn")) {
				signal(SIGTERM, SIG_IGN);
				if (fork() == 0)
					setsid();
				for (;;)
					pause();
			}
			if (is("cat")) {
				char byte;
				while (read(0, &byte, 1) == 1)
					;
			}
			if (is("input")) {
				char line[16] = "";
				if (!fgets(line, sizeof(line), stdin) || strcmp(line, "needed\n") != 0)
					exit(8);
			}
			if (is("tty") && (isatty(0) || isatty(1) || isatty(2)))
				exit(9);
			if (is("flood")) {
				static char block[65536];
				memset(block, 'x', sizeof(block));
				for (int i = 0; i < 32; i++) {
					fwrite(block, 1, sizeof(block), stdout);
					fwrite(block, 1, sizeof(block), stderr);
				}
			}
			return 0;
		}
		static int reset(void)
		{
			x = 1;
			return 0;
		}
		static int check(char *text, size_t size)
		{
			snprintf(text, size, "%lu", (unsigned long)(is("wrong") ? x + 1 : x));
			return 0;
		}
		const struct workload flagstone_workload = {
			.name = "count", .setup = setup, .work = work, .check = check, .reset = reset};
	EOF
	cat >"$1/matrices/two.yaml" <<-'EOF'
		workloads: [count]
		slots: [gcc]
		baseline: O1
		variants:
		  O1: {cflags: -O1}
		  O2: {cflags: -O2}
		measure: {sample: 1ms, layouts: 8, rounds: 8..16, precision: 10%, matters: 5%, budget: 20s, timeout: 10s}
	EOF
}

# A matrix of one misbehaving cell beside a good one.
project_mode() { # project_mode FOLDER MODE [TIMEOUT]
	cat >"$1/matrices/$2.yaml" <<-EOF
		workloads: [count]
		slots: [gcc]
		baseline: good
		variants:
		  good: {cflags: -O1}
		  bad:  {cflags: -O1 '-DMODE="$2"'}
		measure: {sample: 1ms, layouts: 1, rounds: 8, precision: 10%, matters: 5%, budget: 20s, timeout: ${3:-5s}}
	EOF
}

# Runs flagstone in a project; its status in $status, output in $scratch/out and $scratch/err.
fs() { # fs FOLDER ARGS...
	project=$1
	shift
	"$FLAGSTONE" "$@" -C "$project" >"$scratch/out" 2>"$scratch/err"
	# shellcheck disable=SC2034 # for the scripts that source this
	status=$?
}

# Does the output hold this text?
tap_has() { # tap_has FILE TEXT CLAIM
	if grep -qF -- "$2" "$1"; then
		tap_ok "$3"
	else
		tap_not_ok "$3"
		sed 's/^/  | /' "$1" | head -n 25
	fi
}
