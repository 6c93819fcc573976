#!/bin/sh
# Help and manual say the same, of every command and every option, and the parser knows all of them.
. tests/cli/cli_lib.sh

cli_commands >"$scratch/commands"
tap_is "$(tr '\n' ' ' <"$scratch/commands")" 'run build plan list show compare exec reproduce archive inspect doctor tune restore version help ' 'help lists the commands that exist'

"$FLAGSTONE" help --man >"$scratch/manual"
if cmp -s "$scratch/manual" harness/man/flagstone.1; then
	tap_ok 'harness/man/flagstone.1 is what flagstone help --man prints'
else
	tap_not_ok 'harness/man/flagstone.1 is what flagstone help --man prints'
	tap_note "make it again: flagstone help --man >harness/man/flagstone.1; $(diff "$scratch/manual" harness/man/flagstone.1 | head -n 6)"
fi

# the options of a command, one a line: "--only CELL", "-q, --quiet"
options_of()
{
	"$FLAGSTONE" help "$1" | sed -n 's/^  \(-.*\)/\1/p' | sed 's/   *[A-Z].*//'
}

# what stands before the value or the end: --only
name_of()
{
	echo "$1" | sed 's/^-., //; s/[ =[].*//'
}

while read -r command; do
	cli help "$command"
	cp "$scratch/out" "$scratch/help"
	tap_is "$status" 0 "help $command ends with 0"
	tap_is "$(head -n 1 "$scratch/help" | cut -d' ' -f1-3)" "usage: flagstone $command" "help $command begins with its usage"
	cli "$command" --help
	tap_is "$status $(cmp "$scratch/out" "$scratch/help" && echo same)" '0 same' "$command --help prints the same"
	cli "$command" -h nothing --whatever-follows
	tap_is "$status" 2 "$command -h with an unknown option is still an error"
	sed -n "/^\\.SS \"flagstone $command /,/^\\.S[SH]/p" "$scratch/manual" >"$scratch/section"
	sed -n '/^\.SH OPTIONS OF EVERY/,/^\.SH WORDS/p' "$scratch/manual" >>"$scratch/section"
	missing='' unknown=''
	options_of "$command" >"$scratch/options"
	while read -r option; do
		name=$(name_of "$option")
		grep -qFx -e ".B $(echo "$option" | sed 's/-/\\-/g')" "$scratch/section" || missing="$missing $option"
		# last on the line: a flag is taken and --help before it wins, any other one misses its value
		cli "$command" --help "$name"
		if [ "$status" -ne 0 ] && ! grep -q 'has no value' "$scratch/err"; then
			unknown="$unknown $name"
		fi
	done <"$scratch/options"
	tap_is "$missing" '' "every option of $command is in the manual"
	tap_is "$unknown" '' "every option of $command in its help is one that is parsed"
	if [ "$(wc -l <"$scratch/options")" -ge 5 ]; then
		tap_ok "$command lists at least the five common options"
	else
		tap_not_ok "$command lists at least the five common options"
	fi
done <"$scratch/commands"

# what the examples in the help do is understood: each is a command with options that exist (--help asks no more)
"$FLAGSTONE" help --man | sed -n '/^\.SH EXAMPLES/,$p' | sed -n 's/^flagstone //p' | sed 's/\\-/-/g; s/ [|>].*//; s/ -- .*//' >"$scratch/examples"
while read -r example; do
	# shellcheck disable=SC2086 # words of an example
	cli $example --help
	tap_is "$status" 0 "example: flagstone $example"
done <"$scratch/examples"

cli
tap_is "$status" 2 'without a command the exit code is 2'
tap_is "$(wc -c <"$scratch/out")" 0 'and nothing goes to standard output'
cli_has "$scratch/err" 'usage: flagstone COMMAND' 'but help to standard error'
cp "$scratch/err" "$scratch/overview"
for words in --help -h help; do
	cli "$words"
	tap_is "$status $(cmp "$scratch/out" "$scratch/overview" && echo same)" '0 same' "flagstone $words prints it to standard output"
done
cli --version
cp "$scratch/out" "$scratch/version"
cli version
tap_is "$status $(cmp "$scratch/out" "$scratch/version" && echo same)" '0 same' '--version is version'
cli_has "$scratch/out" "flagstone $(cat .version 2>/dev/null || echo unknown)" 'version says the version of the repository'
cli_has "$scratch/out" 'flagstone.record/1' 'and which records it writes'
cli version --json
tap_is "$(jq -r '.libraries | map(select(startswith("libgit2") or startswith("libjansson"))) | length' "$scratch/out")" 2 \
	'version --json names the libraries'

# What messages recommend exists. Literals of several lines are joined first; in backticks stands what to type, and
# what is called like a command elsewhere ("like flagstone plan") is one, or is no word for a command at all.
find harness -name '*.[ch]' -exec cat {} + | tr '\n\t' '  ' | sed "s/'\"'//g; s/'\\\\\"'//g"'; s/" *"//g' |
	grep -o '"\(\\.\|[^"\]\)*"' | grep -o '`*flagstone [a-z][a-z-]*' | sort -u >"$scratch/said"
sed -n 's/^`flagstone //p' "$scratch/said" >"$scratch/typed"
tap_is "$(grep -vxF -f "$scratch/commands" "$scratch/typed" | tr '\n' ' ')" '' 'every command that a message recommends exists'
tap_is "$(grep -cxF -e run -e help -e archive "$scratch/typed")" 3 'messages recommend some'
planned='check baseline history report accept doctor tune restore inspect reproduce exec bisect init new config'
for word in $planned; do
	grep -qxF "$word" "$scratch/commands" || echo "flagstone $word"
done >"$scratch/planned"
tap_is "$(sed 's/^`//' "$scratch/said" | grep -xF -f "$scratch/planned" | tr '\n' ' ')" '' 'and none that is only planned is named'

# long help lines are wrapped at the width asked for; only words of more than the width may stand out
for width in 40 80 200; do
	widest=$(COLUMNS=$width "$FLAGSTONE" help run | sed '/^usage/d; /^  flagstone/d' |
		awk '{ if (length($0) > m) m = length($0) } END { print m }')
	if [ "$widest" -le $((width + 2)) ] && [ "$widest" -gt $((width / 2)) ]; then
		tap_ok "help run fits into COLUMNS=$width"
	else
		tap_not_ok "help run fits into COLUMNS=$width"
		tap_note "widest line: $widest"
	fi
done
tap_end
