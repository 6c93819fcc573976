# shellcheck shell=sh
# cli_lib.sh - what the tests of the command line share. Sourced, from the repository's root folder; needs FLAGSTONE,
# the program. TAP functions come from workload_lib.sh.
#
#	cli ARG...              runs flagstone in $scratch; $status, $scratch/out, $scratch/err
#	cli_fails CODE TEXT CLAIM ARG...  it ends with CODE, says TEXT on standard error and prints nothing
#	cli_has FILE TEXT CLAIM the file holds the text
#	cli_commands            names of all commands, as help lists them
#	project_small FOLDER    a project of one workload (system calls), gcc, and the matrix small

# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh

: "${FLAGSTONE:?the program, set by tests/run.sh}"
top=$(pwd)
scratch=$(mktemp -d) || exit 3
trap 'chmod -R u+rwx "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME="$scratch/cache" XDG_CONFIG_HOME="$scratch/config" XDG_DATA_HOME="$scratch/data"
export FLAGSTONE_LOCK_FOLDER="$scratch"
# other tests go on beside this one: the machine does not come to rest, and no claim here is about a rate
export FLAGSTONE_SETTLE=0s
unset COLUMNS NO_COLOR FLAGSTONE_HOST
mkdir -p "$scratch/cache" "$scratch/here" "$scratch/program"
# a copy, since the program in the source tree has the tree's workloads, toolchains and matrices at hand
cp "$FLAGSTONE" "$scratch/program/flagstone"
FLAGSTONE=$scratch/program/flagstone

cli()
{
	(cd "$scratch/here" && exec "$FLAGSTONE" "$@") >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
}

cli_has()
{
	if grep -qF -e "$2" "$1"; then
		tap_ok "$3"
	else
		tap_not_ok "$3"
		tap_note "no line with: $2"
		tap_note "$(head -n 20 "$1")"
	fi
}

cli_fails()
{
	want_status=$1 want_text=$2 claim=$3
	shift 3
	cli "$@"
	if [ "$status" -ne "$want_status" ]; then
		tap_not_ok "$claim"
		tap_note "exit code $status instead of $want_status"
		tap_note "$(head -n 20 "$scratch/err")"
	elif [ -s "$scratch/out" ]; then
		tap_not_ok "$claim"
		tap_note "standard output should be empty: $(head -n 3 "$scratch/out")"
	else
		cli_has "$scratch/err" "$want_text" "$claim"
	fi
}

cli_commands()
{
	"$FLAGSTONE" help | sed -n '/^commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'
}

project_small()
{
	mkdir -p "$1/workloads" "$1/matrices" "$1/toolchains"
	cp -R "$top/workloads/driver" "$top/workloads/syscall" "$1/workloads/"
	cp "$top/toolchains/gcc.yaml" "$1/toolchains/"
	cat >"$1/matrices/small.yaml" <<-'END'
		title: As little as there can be
		workloads: [syscall]
		slots: [gcc]
		baseline: O1
		variants:
		  O1: {cflags: -O1}
		  O2: {cflags: -O2}
		measure: {sample: 200us, layouts: 1, rounds: 6, precision: 50%, matters: 5%, timeout: 10s}
	END
}
