#!/bin/sh
# A wrong command line: exit code 2, what is wrong, what is allowed, the nearest match, nothing on standard output.
. tests/cli/cli_lib.sh

cli_fails 2 'did you mean run?' 'an unknown command with the nearest one' rnu
cli_fails 2 'there are: run build plan' 'and the list of all' frobnicate
tap_is "$(grep -c 'did you mean' "$scratch/err")" 0 'nothing is suggested that is not near'
cli_fails 2 'there is no command "history"' 'a command that is not there yet is unknown' history
cli_fails 2 'did you mean archive?' 'help of an unknown command too' help archiv

cli_fails 2 'did you mean --rounds?' 'an unknown option with the nearest one' run --ronuds 16
cli_fails 2 'flagstone help run' 'and where its options are listed' run --ronuds 16
cli_fails 2 'there is no option --frobnicate here' 'an unknown option with nothing near' show --frobnicate
cli_fails 2 'there is no option -z here' 'an unknown letter' run -z
cli_fails 2 'there is no option -z here' 'an unknown letter among known ones' run -qz
cli_fails 2 'there is no option --rounds here' 'an option of another command' show --rounds 16
cli_fails 2 'there is no option --json here' 'an option before the command that is for commands' --json list

cli_fails 2 '--rounds N|MIN..MAX' 'a value that is missing, with the form' run --rounds
cli_fails 2 '-C, --project DIR' 'a value that is missing after a letter' run -C
cli_fails 2 '--json takes no value, found "yes"' 'a value where none is taken' show --json=yes
cli_fails 2 'allowed: a number or range from 6, such as 64 or 16..256' 'rounds that are no number' run --rounds many
cli_fails 2 'allowed: a number or range from 6' 'too few rounds' run --rounds=5
cli_fails 2 'allowed: a number or range from 6' 'a range that goes down' run --rounds 64..16
cli_fails 2 'allowed: a number or range from 6' 'a negative number' run --rounds -1
cli_fails 2 'allowed: a number or range from 6' 'a number beyond all bounds' run --rounds 99999999999999999999999
cli_fails 2 'allowed: a duration from 100us to 60s, such as 5ms' 'a duration without a unit' run --sample 5
cli_fails 2 'allowed: a duration from 100us to 60s' 'a duration that is too short' run --sample 1us
cli_fails 2 'allowed: a percentage from 0.01% to 50%, such as 1%' 'a percentage without its sign' run --precision 0.5
cli_fails 2 'allowed: a percentage' 'a percentage that is none' run --matters nan%
cli_fails 2 'allowed: 32 hex digits' 'a seed that is too short' run --seed abc
cli_fails 2 'allowed: 32 hex digits' 'a seed of other digits' run --seed 0123456789abcdef0123456789abcdeg
cli_fails 2 'allowed: a number from 1 to 4096' 'no jobs at all' build --jobs 0
cli_fails 2 '2 to 7 say nothing about placement' 'layouts between 1 and 8' run --layouts 4
cli_fails 2 'not empty' 'an empty folder, as from an unset variable' run -C ''
cli_fails 2 'not empty' 'an empty folder behind =' run --archive=
cli_fails 2 'a pattern of cells' 'an empty cell' run --only ''

cli_fails 2 'run takes [MATRIX], found one more: "b"' 'too many words' run a b
cli_fails 2 'version takes options only' 'a word where none is taken' version now
cli_fails 2 'found one more: "--json"' 'after -- everything is a word' version -- --json
cli_fails 2 'only one of --json, --csv, --markdown' 'two formats at once' show --json --csv
cli_fails 2 'only one of --facts, --samples, --builds' 'two parts of a record at once' show --facts --builds
cli_fails 2 'it needs --repeat 2' 'a pause without repeats' run --pause 3m
cli_fails 2 'measuring any command (run -- COMMAND) is not there yet' 'any command to measure is not there yet' run -- ls
cli_fails 2 'measuring any command (run -- COMMAND) is not there yet' 'also one with options' run -q -- ls -l /
for option in '--only a' --rounds=8 --layouts=8 --sample=5ms --budget=5m --build-budget=5m --precision=1% --matters=1% \
	--seed=0123456789abcdef0123456789abcdef --cpus=0 --aa --timeout=5s --dry-run; do
	# shellcheck disable=SC2086 # an option and its value
	cli_fails 2 "--resume goes on with the settings of its record; leave $(echo "$option" | sed 's/[= ].*//') out" \
		"--resume refuses $option, which it could only ignore" run --resume $option
done
# every other option of run acts on a resumed run, too: a new one belongs into one of the two lists
"$FLAGSTONE" help run | sed -n '/^options:/,/^every command/s/^  \(--[a-z-]*\).*/\1/p' | sort >"$scratch/options"
tap_is "$(grep -o '{"--[a-z-]*", ' harness/cli/cmd_run.c | sed 's/{"//; s/".*//' | sort | comm -3 - "$scratch/options" | tr -d '\t' | tr '\n' ' ')" \
	'--bundle --csv --fresh --host --jobs --json --markdown --pause --repeat --resume --root --tune --wait ' 'and it does not ignore any option'
cli_fails 2 'cannot be repeated' 'a resume that is repeated' run --resume --repeat 3
cli_fails 2 'names the record already' 'a resume of two records' run --resume=abcd efgh
cli_fails 2 'list what? workloads, toolchains, or matrices' 'a list of nothing' list
cli_fails 2 'did you mean toolchains?' 'a list of something near' list toolchain
cli_fails 2 'list, verify, or finish' 'archive without a word' archive
cli_fails 2 'did you mean verify?' 'archive with a word near' archive verfy

# errors never bring escape codes or line breaks of others to the terminal
esc=$(printf '\033')
cli "run${esc}[31m" x
tap_is "$(grep -c "$esc" "$scratch/err")" 0 'an escape code in a command is shown as text'
cli run "$(printf -- '--rounds=1\nflagstone: all is well')"
tap_is "$(grep -c '^flagstone: all is well' "$scratch/err")" 0 'a line break in a value makes no line of its own'

# options stand anywhere, before and after words, joined or apart
project_small "$scratch/p"
for words in "-C $scratch/p list workloads" "list -C $scratch/p workloads" "list workloads --project=$scratch/p" \
	"list workloads -C$scratch/p" "list workloads -qC $scratch/p" "-q -C $scratch/p list -- workloads"; do
	# shellcheck disable=SC2086 # words of a command line
	cli $words
	tap_is "$status $(cut -d' ' -f1 "$scratch/out")" '0 syscall' "taken: $(echo "$words" | sed "s|$scratch|.|")"
done
tap_end
