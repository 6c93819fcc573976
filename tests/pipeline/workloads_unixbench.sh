#!/bin/sh
# workloads_unixbench.sh - the driver and the workloads dhrystone, whetstone, syscall and pipe: that each build gives
# the right check value, still has the work in its machine code, and takes time in proportion to the units.
#
#	sh tests/pipeline/workloads_unixbench.sh        from the repository's root folder
#
# Needs gcc and binutils. What else is missing (clang, tcc, musl-gcc, strace, libraries for -static, LTO) is skipped
# with a line that says so. With FULL=1, as in tests/soak, each build is asked for twice the time of twice the units.

. tests/pipeline/workload_lib.sh

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

FULL=${FULL:-}
workloads='dhrystone whetstone syscall pipe'

have()
{
	command -v "$1" >/dev/null 2>&1
}

# Whether a compiler can make a running program with these flags at all.
can_build()
{
	printf 'int main(void)\n{\n\treturn 0;\n}\n' >"$scratch/empty.c"
	"$@" -o "$scratch/empty" "$scratch/empty.c" -lm >/dev/null 2>&1 && "$scratch/empty"
}

# must_build OUT NAME CC FLAG..: wl_build for tests that can not go on without it
must_build()
{
	wl_build "$@" && return 0
	shift
	tap_not_ok "builds: $*"
	return 1
}

# The instructions of work(), with the names of what it calls. LTO objects hold no instructions, so with LTO they
# come from the program; else from the object, since in a static program calls may go through nameless stubs.
code_of_work()
{
	case $2 in
	*-flto*) objdump -d --no-show-raw-insn "$1" ;;
	*) objdump -dr --no-show-raw-insn "$1.d/$3.c.o" ;;
	esac | awk '/^[0-9a-f]+ <work(\.[^>]*)?>:/ { on = 1 } /^$/ { on = 0 } on'
}

# test_calls BIN FLAGS NAME CALL..: work() of NAME.c calls each of them
test_calls()
{
	calls_text="$3, $cc $2: the loop calls"
	code_of_work "$1" "$2" "$3" >"$scratch/code"
	shift 3
	calls_missing=
	for calls_name in "$@"; do
		if ! grep -Eq "(call|bl|jal|R_[A-Z0-9_]+).*[[:space:]<]$calls_name([^a-zA-Z0-9_]|\$)" "$scratch/code"; then
			calls_missing="$calls_missing $calls_name"
		fi
	done
	tap_is "$calls_missing" '' "$calls_text $*"
}

# The sections that no compiler may shorten: 0.3 ns a loop is less than any of them takes.
test_sections()
{
	sections_line=$(wl_run "$1" units=2)
	sections_bad=
	for sections_pair in 1:1200 2:1400 5:3199 6:89900 8:9300; do
		sections_ns=$(wl_field "$sections_line" "s${sections_pair%:*}")
		if ! awk -v ns="$sections_ns" -v loops="${sections_pair#*:}" 'BEGIN { exit !(ns >= 0.3 * 2 * loops) }'; then
			sections_bad="$sections_bad s${sections_pair%:*}=$sections_ns"
		fi
	done
	tap_is "$sections_bad" '' "$2: sections 1, 2, 5, 6 and 8 are not removed"
	printf '%s\n' "$sections_line" | tr ' ' '\n' | awk -F= '
	/^rate=/ { rate = $2 }
	/^s[1-8]=/ { sum += $2 }
	END { d = rate * sum / 20e9 - 1; exit !(d < 1e-4 && d > -1e-4) }'
	tap_is $? 0 "$2: the rate follows from the eight times"
}

# A unit can not take less: floors far below what a fast machine needs, far above a loop without its work.
test_floor()
{
	case $3 in
	dhrystone) floor_ns=1 ;;
	whetstone) floor_ns=100000 ;;
	*) floor_ns=20 ;;
	esac
	floor_elapsed=$(wl_field "$(wl_run "$1" "units=$2")" elapsed_ns)
	if [ "$floor_elapsed" -ge $((floor_ns * $2)) ]; then
		tap_ok "$4: a unit takes at least $floor_ns ns"
	else
		tap_not_ok "$4: a unit takes at least $floor_ns ns"
		tap_note "$2 units took $floor_elapsed ns"
	fi
}

test_machine_code()
{
	case $3 in
	dhrystone)
		case $2 in
		*-flto*)
			test_calls "$1" "$2" dhrystone strcmp
			;;
		*)
			test_calls "$1" "$2" dhrystone f2 p7 p8 f1
			code_of_work "$1" "$2" dhrystone | grep -Eq '[[:space:]](idiv|sdiv|div)'
			tap_is $? 0 "dhrystone, $cc $2: the loop divides"
			nm -u "$1.d/procedures.c.o" | grep -q ' strcmp$'
			tap_is $? 0 "dhrystone, $cc $2: strings are compared by the C library"
			;;
		esac
		;;
	whetstone)
		case $2 in
		*-flto*) nm "$1" ;;
		*) nm "$1.d/whetstone.c.o" ;;
		esac >"$scratch/symbols"
		code_missing=
		for code_name in atan '(sin|sincos)' '(cos|sincos)' exp log; do
			grep -Eq " U (__)?$code_name(_finite)?(@.*)?\$" "$scratch/symbols" || code_missing="$code_missing $code_name"
		done
		tap_is "$code_missing" '' "whetstone, $cc $2: the mathematical functions are the library's"
		test_sections "$1" "whetstone, $cc $2"
		;;
	syscall)
		test_calls "$1" "$2" syscall dup close syscall getuid umask
		;;
	pipe)
		test_calls "$1" "$2" pipe write read
		;;
	esac
}

test_build()
{
	build_flags=$1
	# shellcheck disable=SC2086
	wl_build_all "$scratch" "$cc" "$workloads" $build_flags -std=gnu11 -Wall -Wextra
	for build_name in $workloads; do
		build_text="$build_name, $cc $build_flags"
		build_bin="$scratch/$build_name"
		if ! wl_built "$build_bin"; then
			tap_not_ok "$build_text: builds"
			continue
		fi
		tap_is "$(cat "$build_bin.log")" '' "$build_text: builds without warnings"
		wl_test_check "$build_bin" "$build_name" "$build_text"
		test_machine_code "$build_bin" "$build_flags" "$build_name"
		build_units=$(wl_calibrated "$build_bin" 1000000)
		test_floor "$build_bin" "$build_units" "$build_name" "$build_text"
		case $build_flags$FULL in
		-O2 | '-O2 -flto' | -O3 | *1) wl_test_doubling "$build_bin" "$build_units" "$build_text" ;;
		esac
	done
}

# 100 units more are exactly 100 more of each call.
test_trace()
{
	trace_text="syscall, gcc $1: 100 units more are 100 more of each call"
	if ! have strace; then
		tap_skip "$trace_text" 'strace not installed'
		return
	fi
	if ! strace -o "$scratch/trace" true 2>/dev/null; then
		tap_skip "$trace_text" 'strace may not trace here'
		return
	fi
	# shellcheck disable=SC2086
	if ! wl_build "$scratch/traced" syscall gcc $1; then
		tap_not_ok "$trace_text"
		return
	fi
	for trace_units in 100 200; do
		strace -o "$scratch/trace.$trace_units" "$scratch/traced" "units=$trace_units" >/dev/null 2>&1 3>&-
	done
	trace_more=$(awk '
	FNR == NR { sub(/\(.*/, ""); sub(/^getuid32$/, "getuid"); before[$0]++; next }
	{ sub(/\(.*/, ""); sub(/^getuid32$/, "getuid"); after[$0]++ }
	END {
		n = split("dup close getpid getuid umask", name, " ")
		for (i = 1; i <= n; i++)
			printf "%s %d ", name[i], after[name[i]] - before[name[i]]
	}' "$scratch/trace.100" "$scratch/trace.200")
	tap_is "$trace_more" 'dup 100 close 100 getpid 100 getuid 100 umask 100 ' "$trace_text"
}

test_arguments()
{
	for args_name in $workloads; do
		must_build "$scratch/$args_name" "$args_name" gcc -O2 || return
		wl_test_refused "$scratch/$args_name" "$args_name" nonsense=1 units=1
	done
	args_bin="$scratch/dhrystone"
	wl_test_refused "$args_bin" 'no units'
	wl_test_refused "$args_bin" 'a word without =' units
	wl_test_refused "$args_bin" 'no number' units=
	wl_test_refused "$args_bin" 'not a number' units=many
	wl_test_refused "$args_bin" 'a sign' units=+1
	wl_test_refused "$args_bin" 'negative' units=-1
	wl_test_refused "$args_bin" 'a fraction' units=1.5
	wl_test_refused "$args_bin" 'something behind the number' units=1k
	wl_test_refused "$args_bin" 'zero' units=0
	wl_test_refused "$args_bin" 'no time' calibrate=0
	wl_test_refused "$args_bin" 'more than the workload can do' units=2000000001
	wl_test_refused "$args_bin" 'too long a warm-up' units=1 warmup=2000000001
	wl_test_refused "$args_bin" 'both' units=1 calibrate=1
	wl_test_refused "$args_bin" 'twice' units=1 units=1
	wl_test_refused "$scratch/pipe" 'more than 2^53' units=9007199254740993
	wl_test_refused "$scratch/pipe" 'more than 64 bits' units=99999999999999999999999
	args_said=$("$args_bin" units=0 2>&1)
	tap_is "$args_said" "dhrystone: 'units=0': not a whole number from 1 to 2000000000" 'a refusal says what is allowed'
}

# Starts workers as flagstone does: COPIES of them, each with the result on descriptor 3 and the barrier on 4.
#	run COPIES PROGRAM ARG..      opens the barrier when all have arrived; exit 0 when all exit 0
#	give-up COPIES PROGRAM ARG..  gives up instead; exit 0 when all exit 75
#	orphan 1 PROGRAM ARG..        ends the worker's parent; exit 0 when the worker was killed by it
write_starter()
{
	cat >"$scratch/starter.c" <<'END'
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "protocol.h"

static volatile struct flagstone_barrier *barrier;

static void start(char **argv)
{
	setenv(FLAGSTONE_BARRIER_ENV, "1", 1);
	execv(argv[0], argv);
	_exit(127);
}

static void wait_for_arrival(uint32_t copies)
{
	uint32_t seen;

	while ((seen = barrier->arrived) < copies)
		syscall(SYS_futex, &barrier->arrived, 0, seen, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
	int copies, i, status, bad = 0;
	FILE *file = tmpfile();

	if (argc < 4 || !file || ftruncate(fileno(file), sizeof(*barrier)))
		return 2;
	copies = atoi(argv[2]);
	/* in this order: the file may have been given descriptor 3 itself */
	dup2(fileno(file), FLAGSTONE_BARRIER_FD);
	dup2(1, FLAGSTONE_RESULT_FD);
	barrier = mmap(NULL, sizeof(*barrier), PROT_READ | PROT_WRITE, MAP_SHARED, FLAGSTONE_BARRIER_FD, 0);
	if (barrier == MAP_FAILED)
		return 2;
	alarm(60);
	if (!strcmp(argv[1], "orphan")) {
		pid_t middle;

		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
		middle = fork();
		if (middle == 0) {
			if (fork() == 0)
				start(argv + 3);
			wait_for_arrival(1);
			_exit(0);
		}
		waitpid(middle, &status, 0);
		if (wait(&status) < 0)
			return 1;
		return !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	for (i = 0; i < copies; i++) {
		if (fork() == 0)
			start(argv + 3);
	}
	wait_for_arrival((uint32_t)copies);
	usleep(20000);
	if (waitpid(-1, &status, WNOHANG) != 0)
		return 3;
	barrier->go = strcmp(argv[1], "run") ? 2 : 1;
	syscall(SYS_futex, &barrier->go, 1, INT_MAX, NULL, NULL, 0);
	while (wait(&status) > 0)
		bad |= !WIFEXITED(status) || WEXITSTATUS(status) != (strcmp(argv[1], "run") ? FLAGSTONE_EXIT_BARRIER : 0);
	return bad;
}
END
	gcc -O2 -Iworkloads/driver -o "$scratch/starter" "$scratch/starter.c"
}

test_barrier()
{
	barrier_bin=$scratch/barrier
	# shellcheck disable=SC2086
	must_build "$barrier_bin" dhrystone $1 || return
	"$scratch/starter" run 3 "$barrier_bin" units=1000 warmup=1000 >"$scratch/lines"
	tap_is $? 0 "barrier, $1: three copies wait and run"
	tap_is "$(grep -c "^flagstone-result 1 units=1000 .*check=$(wl_yaml dhrystone check.value)\$" "$scratch/lines")" 3 \
		"barrier, $1: three result lines"
	"$scratch/starter" give-up 2 "$barrier_bin" units=1000 >"$scratch/lines" 2>"$scratch/said"
	tap_is $? 0 "barrier, $1: given up, exit 75"
	tap_is "$(cat "$scratch/lines")" '' "barrier, $1: given up, no result"
	"$scratch/starter" orphan 1 "$barrier_bin" units=1000 >"$scratch/lines"
	tap_is $? 0 "barrier, $1: a worker dies with its parent"
}

test_results()
{
	result_bin=$scratch/result
	must_build "$result_bin" pipe gcc -O2 || return
	result_line=$("$result_bin" units=10 3>&-)
	tap_is "$(wl_field "$result_line" check)" 55 'descriptor 3 closed: the result goes to standard output'
	tap_is "$(wl_field "$result_line" elapsed_ns)" \
		"$(($(wl_field "$result_line" end_ns) - $(wl_field "$result_line" start_ns)))" \
		'elapsed_ns is end_ns - start_ns'
	tap_is "$("$result_bin" units=10 3>"$scratch/three")" '' 'descriptor 3 open: nothing on standard output'
	tap_is "$(wl_field "$(cat "$scratch/three")" units)" 10 'descriptor 3 open: the result goes there'
	"$result_bin" units=10 3</dev/null 2>"$scratch/said"
	tap_is $? 70 'descriptor 3 not writable: exit 70'
	tap_is "$(wc -l <"$scratch/said" | tr -d ' ')" 1 'descriptor 3 not writable: said'
	if [ -w /dev/full ]; then
		"$result_bin" units=10 3>/dev/full 2>"$scratch/said"
		tap_is $? 70 'the result can not be written: exit 70'
	else
		tap_skip 'the result can not be written: exit 70' 'no /dev/full'
	fi
	FLAGSTONE_BARRIER=1 "$result_bin" units=10 4>&- 2>"$scratch/said" >/dev/null
	tap_is $? 70 'no barrier where one was announced: exit 70'
	for result_name in $workloads; do
		result_small=$(wl_yaml "$result_name" small)
		must_build "$result_bin" "$result_name" gcc -O2 || return
		result_cold=$(wl_field "$(wl_run "$result_bin" "units=$result_small")" check)
		result_warm=$(wl_field "$(wl_run "$result_bin" "units=$result_small" warmup=7)" check)
		tap_is "$result_warm" "$result_cold" "$result_name: the check value does not depend on the warm-up"
	done
	result_line=$(wl_run "$result_bin" calibrate=1000000)
	result_units=$(wl_field "$result_line" units)
	tap_is "$(wl_field "$result_line" check)" "$((result_units * (result_units + 1) / 2))" \
		'calibrate: the check value is that of the last step'
	tap_is "$((result_units & (result_units - 1)))" 0 'calibrate: a power of two'
	[ "$(wl_field "$result_line" elapsed_ns)" -ge 1000000 ]
	tap_is $? 0 'calibrate: at least the time asked for'
}

# test_change TEXT NAME FILE SED: a build that computes something else must not pass
test_change()
{
	rm -rf "$scratch/changed"
	mkdir -p "$scratch/changed"
	cp "workloads/$2/"*.[ch] "$scratch/changed"
	sed "$4" "workloads/$2/$3" >"$scratch/changed/$3"
	if cmp -s "workloads/$2/$3" "$scratch/changed/$3"; then
		tap_not_ok "$1 is seen"
		tap_note "nothing was changed"
		return
	fi
	if ! gcc -O2 -Iworkloads/driver -o "$scratch/changed/program" "$scratch/changed/"*.c workloads/driver/driver.c -lm; then
		tap_not_ok "$1 is seen"
		return
	fi
	change_line=$(wl_run "$scratch/changed/program" "units=$(wl_yaml "$2" check.units)" 2>/dev/null)
	change_status=$?
	if [ "$change_status" -eq 70 ]; then
		tap_ok "$1 is seen by the workload"
	elif [ "$change_status" -eq 0 ] &&
		! wl_agrees "$(wl_field "$change_line" check)" "$(wl_yaml "$2" check.value)" "$(wl_yaml "$2" check.rel)"; then
		tap_ok "$1 is seen by the check value"
	else
		tap_not_ok "$1 is seen"
		tap_note "exit $change_status: $change_line"
	fi
}

test_small_compilers()
{
	for cc in tcc musl-gcc; do
		for small_name in $workloads; do
			small_text="$small_name, $cc -O2"
			if ! have "$cc"; then
				tap_skip "$small_text" "$cc not installed"
			elif wl_build "$scratch/small" "$small_name" "$cc" -O2 -std=gnu11 -Wall -Wextra; then
				tap_is "$(cat "$scratch/small.log")" '' "$small_text: builds without warnings"
				wl_test_check "$scratch/small" "$small_name" "$small_text"
			else
				tap_not_ok "$small_text: builds"
			fi
		done
	done
}

if ! have gcc || ! have objdump; then
	tap_skip 'the UnixBench workloads' 'needs gcc and binutils'
	tap_end
	exit
fi

for cc in gcc clang; do
	for flags in '-O2' '-O3' '-O2 -flto' '-O2 -static'; do
		# shellcheck disable=SC2086
		if ! have "$cc"; then
			tap_skip "all four, $cc $flags" "$cc not installed"
		elif ! can_build "$cc" $flags; then
			tap_skip "all four, $cc $flags" "$cc can not build with $flags here"
		else
			test_build "$flags"
		fi
	done
done
test_small_compilers
for cc in gcc clang tcc musl-gcc; do
	if ! have "$cc"; then
		tap_skip "driver, $cc: no warnings" "$cc not installed"
	else
		tap_is "$("$cc" -std=gnu11 -O2 -Wall -Wextra -c workloads/driver/driver.c -o "$scratch/driver.o" 2>&1)" '' \
			"driver, $cc: no warnings"
	fi
done
test_trace -O2
test_trace '-O2 -static'
test_arguments
test_results
if write_starter; then
	test_barrier 'gcc -O2'
	for cc in clang tcc musl-gcc; do
		if have "$cc"; then
			test_barrier "$cc -O2"
		else
			tap_skip "barrier, $cc -O2" "$cc not installed"
		fi
	done
else
	tap_not_ok 'barrier: the starter builds'
fi
test_change 'Dhrystone: a wrong sum' dhrystone procedures.c 's/t = a + 2/t = a + 3/'
test_change 'Dhrystone: another order of strings' dhrystone procedures.c 's/strcmp(a, b)/strcmp(b, a)/'
test_change 'Whetstone: a constant off by 2e-8' whetstone whetstone.c 's/0\.49999975/0.49999976/'
test_change 'Whetstone: a loop fewer' whetstone whetstone.c 's/LOOPS_8 9300/LOOPS_8 9299/'
test_change 'pipe: a number sent twice' pipe pipe.c 's/done + i;/done + 1;/'
test_change 'syscall: another mask' syscall syscall.c 's/umask(MASK) == MASK/umask(0) == MASK/'
tap_end
