#!/bin/sh
# README: short, opens with the two commands, shows what the command it names prints, and names no command that is none.
. tests/cli/cli_lib.sh

tap_is "$(awk 'END { print (NR < 200) }' README.md)" 1 'README has under 200 lines'
tap_is "$(grep -n -m1 'make quick' README.md | cut -d: -f1) $(grep -n -m1 'make check' README.md | cut -d: -f1)" '3 4' \
	'README opens with make quick and make check'

# `[...]` stands for lines left out; all others of the block must be printed, in their order
LC_ALL=C.UTF-8 COLUMNS=100 "$FLAGSTONE" show latest --archive archive/example 2>/dev/null |
	sed 's/^ *//; s/ *$//' | grep -v '^$' >"$scratch/printed"
awk '/^    matrix quick/ { on = 1 } on && /^[^ ]/ { exit } on' README.md |
	sed 's/^ *//; s/ *$//' | grep -v -e '^$' -e '^\[\.\.\.\]$' >"$scratch/shown"
awk 'NR == FNR { want[++n] = $0; next } $0 == want[at + 1] { at++ } END { print (n > 30 && at == n) ? "same" : "line " at + 1 ": " want[at + 1] }' \
	"$scratch/shown" "$scratch/printed" >"$scratch/verdict"
tap_is "$(cat "$scratch/verdict")" same 'README shows what show prints of the example archive'

"$FLAGSTONE" archive verify --archive archive/example >"$scratch/out" 2>&1
tap_is "$?" 0 'the example archive verifies'

bad=
# shellcheck disable=SC2013 # words are wanted
for command in $(grep -o '\./flagstone [a-z][a-z]*' README.md | cut -d' ' -f2 | sort -u); do
	"$FLAGSTONE" help "$command" >/dev/null 2>&1 || bad="$bad $command"
done
tap_is "$bad" '' 'every command that README names exists'
tap_end
