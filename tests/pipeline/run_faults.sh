#!/bin/sh
# Workloads and compilers that misbehave: each fails its own cell with a reason that helps, and nothing else.
# Cases 2, 4, 5, 7, 9, 19 to 24, 27, 28, 30, 32, 35 to 37, 49, 57 of the collection of what broke other tools.
. tests/pipeline/run_lib.sh

p=$scratch/project
project_make "$p"

reason_of() { # reason_of CELL: from the newest record
	zcat "$(newest_record "$p/archive")" | jq -r --arg cell "$1" '.builds[] | select(.cell == $cell) | .status + ": " + (.reason // "")'
}

# A matrix of misbehaving cells beside a good one, one run of it.
run_modes() { # run_modes NAME TIMEOUT STATUS MODE...
	modes_name=$1 modes_timeout=$2 modes_status=$3
	shift 3
	{
		printf 'workloads: [count]\nslots: [gcc]\nbaseline: good\nvariants:\n  good: {cflags: -O1}\n'
		for mode; do
			printf "  %s: {cflags: -O1 '-DMODE=\"%s\"'}\n" "$mode" "$mode"
		done
		printf 'measure: {sample: 1ms, layouts: 1, rounds: 8, precision: 10%%, matters: 5%%, budget: 20s, timeout: %s}\n' "$modes_timeout"
	} >"$p/matrices/$modes_name.yaml"
	fs "$p" run "$modes_name"
	tap_is "$(tap_run_code "$status")" "$modes_status" "$*: the run ends with $modes_status"
	tap_is "$(reason_of count/gcc/good/1)" 'measured: ' "$*: the good cell is measured"
	tap_has "$scratch/out" 'step/s' "$*: the table shows its rate"
}

# expect_mode MODE STATUS TEXT: of the run that was
expect_mode() {
	reason_of "count/gcc/$1/1" >"$scratch/reason"
	tap_has "$scratch/reason" "$2: " "$1: the cell's status is \"$2\""
	tap_has "$scratch/reason" "$3" "$1: the reason says \"$3\""
}

run_modes died 5s 6 crash exit22
expect_mode crash 'run failed' 'killed by signal 11 (SIGSEGV)'
expect_mode exit22 'run failed' 'exit code 22'
tap_is "$(grep -c "$(printf '\033')" "$scratch/out")" 0 'exit22: its escape codes do not reach the table'
run_modes late 300ms 6 hang stubborn
expect_mode hang 'run failed' 'did not end within 300 ms'
expect_mode stubborn 'run failed' 'did not end within 300 ms'
tap_is "$(pgrep -c -f "$scratch/cache/flagstone/builds" || :)" 0 'stubborn: no descendant is left, not even one in a session of its own'
run_modes wrong 5s 6 wrong
expect_mode wrong 'check failed' 'wrong result: check value'
run_modes talk 5s 0 cat flood
for mode in cat flood; do
	tap_is "$(reason_of "count/gcc/$mode/1")" 'measured: ' "$mode: measured: standard input is empty, output is drained"
done

# a program that asks whether it talks to a terminal: never, though flagstone does
project_mode "$p" tty
if command -v script >/dev/null 2>&1; then
	script -qec "'$FLAGSTONE' run tty -C '$p'" "$scratch/terminal" >/dev/null 2>&1 </dev/null
	tap_is "$(tap_run_code $?)" 0 'tty: flagstone on a terminal, and the run ends with 0'
	tap_is "$(reason_of count/gcc/bad/1)" 'measured: ' 'tty: the measured program finds no terminal'
	tap_is "$(zcat "$(newest_record "$p/archive")" | jq -r '.harness | [.["harness.child.stdin"], .["harness.child.stdout"],
		.["harness.child.stderr"]] | map(.value) | join(" ")')" '/dev/null pipe pipe' 'tty: the record says what it finds instead'
else
	tap_skip 'tty: the measured program finds no terminal' 'no script(1) to make a terminal'
fi

# a workload's own input: each process reads it from its beginning; none, and a wrong one, are said
project_mode "$p" input
fs "$p" run input
tap_is "$(reason_of count/gcc/bad/1 | grep -c 'exit code 8')" 1 'stdin: /dev/null where the workload states no file'
echo needed >"$p/workloads/count/input.txt"
cp "$p/workloads/count/workload.yaml" "$scratch/count.yaml"
echo 'stdin: input.txt' >>"$p/workloads/count/workload.yaml"
fs "$p" run input
tap_is "$(tap_run_code "$status") $(reason_of count/gcc/bad/1)" '0 measured: ' 'stdin: the file of workload.yaml'
tap_is "$(zcat "$(newest_record "$p/archive")" | jq -r '.workloads[0].facts["workload.stdin"].value')" input.txt \
	'stdin: the record says which'
echo 'stdin: ../../matrices' >>"$scratch/count.yaml"
mv "$scratch/count.yaml" "$p/workloads/count/workload.yaml"
fs "$p" plan input
tap_is "$status $(grep -c 'leads out of the workload' "$scratch/err")" '2 1' 'stdin: a path that leads out of the folder is refused'
sed -i '/^stdin:/d' "$p/workloads/count/workload.yaml"

# a compile error, and a link error
cat >"$p/matrices/broken.yaml" <<-'EOF'
	workloads: [count]
	slots: [gcc]
	baseline: good
	variants:
	  good:    {cflags: -O1}
	  compile: {cflags: "-O1 -include no-such-file.h"}
	  link:    {cflags: -O1, ldflags: -lno-such-library}
	  empty:   {cflags: ""}
	measure: {sample: 1ms, layouts: 1, rounds: 8, precision: 10%, matters: 5%}
EOF
fs "$p" run broken
tap_is "$status" 6 'broken builds: the run ends with 6'
reason_of count/gcc/compile/1 >"$scratch/reason"
tap_has "$scratch/reason" 'no-such-file.h' 'a compile error names what the compiler named'
reason_of count/gcc/link/1 >"$scratch/reason"
tap_has "$scratch/reason" 'no-such-library' 'a link error names the library'
tap_is "$(reason_of count/gcc/empty/1)" 'measured: ' 'an empty flag string is a variant like others'
tap_has "$scratch/out" 'count/gcc/compile/1' 'the failed cell is named below the table'

# fake compilers by user toolchains
fake() { # fake NAME SCRIPT: a compiler that is gcc but for what the script does first
	mkdir -p "$scratch/fake dir"
	printf '#!/bin/sh\n%s\nexec gcc "$@"\n' "$2" >"$scratch/fake dir/$1"
	chmod +x "$scratch/fake dir/$1"
	printf 'name: %s\nfamily: gcc\ncc: "'"'%s'"'"\n' "$1" "$scratch/fake dir/$1" >"$p/toolchains/$1.yaml"
}
cat >"$p/matrices/fakes.yaml" <<-'EOF'
	workloads: [count]
	slots: [gcc, nothing, noisy]
	baseline: O1
	variants: {O1: {cflags: -O1}, O2: {cflags: -O2}}
	measure: {sample: 1ms, layouts: 1, rounds: 8, precision: 10%, matters: 5%}
EOF
# shellcheck disable=SC2016 # the scripts are for the fakes' own shells
{
	fake nothing 'case "$*" in *count.c*-O2* | *-O2*count.c*) kill -9 $$ ;; *count.c*) exit 0 ;; esac'
	fake noisy 'case "$*" in *count.c*-O2* | *-O2*count.c*) i=0; while [ $i -lt 50000 ]; do echo "count.c:1: error: 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 $i" >&2; i=$((i + 1)); done; exit 1 ;; esac'
}
fs "$p" run fakes
tap_is "$status" 6 'compilers that fail: the run ends with 6'
reason_of count/nothing/O1/1 >"$scratch/reason"
tap_has "$scratch/reason" 'left no output file' 'a compiler that exits 0 without output has failed, and it is said'
tap_is "$(reason_of count/gcc/O1/1)" 'measured: ' 'the compiler that works is not touched by it; a path with a blank works'
reason_of count/noisy/O2/1 >"$scratch/reason"
tap_has "$scratch/reason" 'build failed: ' '5 MB of errors: the cell failed'
tap_is "$([ "$(wc -c <"$scratch/reason")" -lt 4096 ] && echo short)" short '5 MB of errors: the reason is short'
tap_is "$([ "$(zcat "$(newest_record "$p/archive")" | wc -c)" -lt 2000000 ] && echo small)" small '5 MB of errors: the record stays small'
tap_is "$(reason_of count/noisy/O1/1)" 'measured: ' 'the same compiler without that flag works'
reason_of count/nothing/O2/1 >"$scratch/reason"
tap_has "$scratch/reason" 'SIGKILL' 'a compiler that is killed: the signal is named'

rm "$p/toolchains/nothing.yaml" "$p/toolchains/noisy.yaml"

# slots that are not there
cat >"$p/matrices/absent.yaml" <<-'EOF'
	workloads: [count]
	slots: [gcc, gcc-1]
	baseline: O1
	variants: {O1: {cflags: -O1}}
	measure: {sample: 1ms, layouts: 1, rounds: 8}
EOF
fs "$p" run absent
tap_is "$status" 0 'a compiler that is not here is no failure'
tap_has "$scratch/out" 'gcc-1' 'but its cells stand below the table with the reason'
fs "$p" plan absent
tap_has "$scratch/out" 'gcc-1' 'plan says it, too'

# CPUs that may not be used
fs "$p" run two --cpus 4095
tap_is "$status" 2 '--cpus with an absent CPU is a usage error'
tap_has "$scratch/err" '4095' 'and the CPU is named'

# one run at a time
"$FLAGSTONE" run two -C "$p" --rounds 16 --sample 20ms >/dev/null 2>&1 &
first=$!
sleep 0.5
fs "$p" run two
tap_is "$status" 3 'a second run at the same time is refused'
tap_has "$scratch/err" "$first" 'and the process that runs is named'
kill -INT $first
wait $first
tap_is "$?" 130 'Ctrl-C ends a run with 130'
tap_is "$(find "$p/archive" -name '*.journal' | wc -l)" 0 'and leaves no journal: what was measured is a record'

# a full disk
if mkdir "$scratch/small" && mount -t tmpfs -o size=64k none "$scratch/small" 2>/dev/null; then
	fs "$p" run two --archive "$scratch/small/archive" --rounds 16 --layouts 8
	head -c 100000 /dev/zero >"$scratch/small/filler" 2>/dev/null
	fs "$p" run two --archive "$scratch/small/archive" --rounds 16 --layouts 8
	tap_is "$status" 3 'a full disk ends a run with 3'
	tap_has "$scratch/err" 'No space left' 'and says so'
	fs "$p" archive verify --archive "$scratch/small/archive"
	rm "$scratch/small/filler"
	fs "$p" archive verify --archive "$scratch/small/archive"
	tap_is "$status" 0 'nothing in the archive is broken by it'
	umount "$scratch/small"
else
	tap_skip 'a full disk ends a run with 3' 'no right to mount a small file system'
fi
tap_end
