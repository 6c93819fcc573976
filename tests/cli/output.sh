#!/bin/sh
# Standard output that cannot be written, is closed early, is or is not a terminal.
. tests/cli/cli_lib.sh

"$FLAGSTONE" help >&- 2>"$scratch/err"
tap_is "$?" 3 'a closed standard output: exit code 3'
cli_has "$scratch/err" 'closed' 'and it is said'
"$FLAGSTONE" help >/dev/full 2>"$scratch/err"
tap_is "$?" 3 'a full disk behind standard output: exit code 3'
cli_has "$scratch/err" 'No space left on device' 'and it is said'
"$FLAGSTONE" help 0<&- >"$scratch/out" 2>&-
tap_is "$? $(head -c 6 "$scratch/out")" '0 usage:' 'closed standard input and error do not matter'
"$FLAGSTONE" nonsense >&- 2>"$scratch/err"
tap_is "$?" 2 'a usage error stays one when there was nothing to write'

# longer than a pipe holds, so that writing meets the closed end
{ "$FLAGSTONE" help --man; echo "$?" >"$scratch/code"; } 2>"$scratch/err" | head -n 1 >"$scratch/out"
tap_is "$(cat "$scratch/code") $(wc -c <"$scratch/err")" '0 0' '| head is quiet'
(sleep 1; exec "$FLAGSTONE" help --man; ) 2>"$scratch/err" | true
tap_is "$(wc -c <"$scratch/err")" 0 'a reader that is gone before the first byte is quiet too'

# files opened by the program never take the place of a closed standard error
p=$scratch/p
project_small "$p"
cp -R workloads/dhrystone "$p/workloads/"
# what is twice as fast is faster on any machine, so that there is something to colour
cat >"$p/matrices/wide.yaml" <<-'END'
	workloads: [dhrystone]
	slots: [gcc]
	baseline: O0
	variants:
	  O0: {cflags: -O0}
	  O2: {cflags: -O2}
	measure: {sample: 1ms, layouts: 1, rounds: 24, precision: 10%, matters: 5%, timeout: 10s}
END
"$FLAGSTONE" run wide -C "$p" --archive "$scratch/archive" >/dev/null 2>&-
tap_is "$?" 0 'a run with closed standard error'
cli archive verify --archive "$scratch/archive"
tap_is "$status $(cat "$scratch/out")" '0 1 record intact, 0 wrong' 'whose record is intact'

show()
{
	"$FLAGSTONE" show --archive "$scratch/archive"
}
show >"$scratch/plain"
esc=$(printf '\033')
tap_is "$(grep -c "$esc" "$scratch/plain")" 0 'no colours where standard output is no terminal'
LC_ALL=C show | LC_ALL=C grep -c '[^ -~]' >"$scratch/out"
tap_is "$(cat "$scratch/out")" 0 'only ASCII with LC_ALL=C'
LC_ALL=C.UTF-8 show >"$scratch/out"
cli_has "$scratch/out" '±' 'an interval has its sign with UTF-8'
for width in 40 60; do
	COLUMNS=$width show | awk -v w="$width" '!/^ *(flagstone|\/)/ && length($0) > w' >"$scratch/out"
	tap_is "$(cat "$scratch/out")" '' "the table fits into COLUMNS=$width"
done
for width in 0 -3 abc 99999999999999999999; do
	COLUMNS=$width show >"$scratch/out"
	tap_is "$? $(cmp "$scratch/out" "$scratch/plain" && echo same)" '0 same' "COLUMNS=$width is as if it were not set"
done

# samples: CSV for pipes and files, pictures where asked for
"$FLAGSTONE" show --archive "$scratch/archive" --samples >"$scratch/samples.csv"
tr -d '\r' <"$scratch/samples.csv" >"$scratch/samples.lf"
tap_is "$(head -n 1 "$scratch/samples.csv" | cut -d, -f1-2)" 'cell,build' 'samples in a file are CSV'
"$FLAGSTONE" show --archive "$scratch/archive" --samples --only //O2 >"$scratch/out"
tap_is "$(tail -n +2 "$scratch/out" | cut -d, -f1 | sort -u) $(wc -l <"$scratch/out")" \
	"\"dhrystone/gcc/O2/1\" $(($(grep -c O2 "$scratch/samples.csv") + 1))" 'with --only those of these cells, no baseline'
LC_ALL=C COLUMNS=60 "$FLAGSTONE" show --archive "$scratch/archive" --plot >"$scratch/out"
tap_is "$? $(grep -c '^ *round 0 ' "$scratch/out") $(LC_ALL=C grep -c '[^ -~]' "$scratch/out")" '0 2 0' '--plot draws them anywhere, in ASCII with LC_ALL=C'
tap_is "$(awk 'length($0) > 60' "$scratch/out")" '' 'as wide as COLUMNS says'
LC_ALL=C.UTF-8 "$FLAGSTONE" show --archive "$scratch/archive" --plot >"$scratch/out"
cli_has "$scratch/out" '│' 'with more signs in UTF-8'
cli_fails 2 'draws for a terminal' '--plot --csv' show --archive "$scratch/archive" --plot --csv
cli_fails 2 'leave it or --facts, --builds out' '--facts --only' show --archive "$scratch/archive" --facts --only //O2

# on a terminal: script gives one
if command -v script >/dev/null; then
	terminal()
	{
		script -qec "$1" /dev/null </dev/null >"$scratch/out" 2>&1
	}
	command="'$FLAGSTONE' show --archive '$scratch/archive'"
	TERM=xterm terminal "$command"
	tap_is "$([ "$(grep -c "$esc\\[" "$scratch/out")" -gt 0 ] && echo colours)" colours 'colours on a terminal'
	NO_COLOR=1 TERM=xterm terminal "$command"
	tap_is "$(grep -c "$esc\\[" "$scratch/out")" 0 'none with NO_COLOR'
	NO_COLOR='' TERM=xterm terminal "$command"
	tap_is "$([ "$(grep -c "$esc\\[" "$scratch/out")" -gt 0 ] && echo colours)" colours 'an empty NO_COLOR is as if it were not set'
	TERM=dumb terminal "$command"
	tap_is "$(grep -c "$esc\\[" "$scratch/out")" 0 'none on a dumb terminal'
	command="'$FLAGSTONE' show --archive '$scratch/archive' --samples"
	TERM=xterm terminal "$command"
	tap_is "$(grep -c '^ *round 0 ' "$scratch/out") $(grep -c ',' "$scratch/samples.csv")" \
		"2 $(wc -l <"$scratch/samples.csv")" 'samples are drawn on a terminal'
	TERM=xterm terminal "$command --csv"
	tap_is "$(tr -d '\r' <"$scratch/out" | cmp - "$scratch/samples.lf" && echo same)" same 'but not with --csv'
	run="'$FLAGSTONE' run small -C '$p' --archive '$scratch/archive'"
	TERM=xterm terminal "$run >/dev/null"
	tap_is "$(grep -c "$(printf '\r')$esc\\[Kmeasure  round 1/6" "$scratch/out")" 1 'progress is one line that is drawn again'
	TERM=dumb terminal "$run >/dev/null"
	tap_is "$(tr -d '\r' <"$scratch/out" | grep -c "^flagstone: measure  round 1/6")" 1 'plain lines on a dumb terminal'
	TERM=xterm terminal "$run --quiet >/dev/null"
	tap_is "$(wc -c <"$scratch/out")" 0 'nothing at all with --quiet'
else
	tap_skip 'colours and progress on a terminal' 'no script(1) here to make one'
fi
tap_end
