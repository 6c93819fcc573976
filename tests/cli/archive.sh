#!/bin/sh
# archive list and verify, and show, over archives that are empty, missing, unreadable, damaged.
. tests/cli/cli_lib.sh

a=$scratch/archive
mkdir "$a"
cli archive list --archive "$a"
tap_is "$status $(cat "$scratch/out")" "0 no records in $a" 'an empty archive holds no records'
cli archive list --archive "$a" --json
tap_is "$(jq -c '[.schema, (.records | length)]' "$scratch/out")" '["flagstone.archive-list/1",0]' 'in JSON an empty list'
cli archive verify --archive "$a"
tap_is "$status $(cat "$scratch/out")" '0 0 records intact, 0 wrong' 'and is intact'
cli_fails 4 'there is no record of a run in the archive' 'show of an empty archive: exit code 4' show --archive "$a"
cli_fails 3 'flagstone run' 'a missing archive is no empty one: exit code 3' archive list --archive "$scratch/none"
cli_fails 3 'there is no archive at' 'for show as well' show --archive "$scratch/none"
touch "$scratch/file"
cli_fails 3 'Not a directory' 'a file is no archive' archive list --archive "$scratch/file"

# root reads everything, so its right to do so is taken away for this one
mkdir "$scratch/locked"
chmod 000 "$scratch/locked"
drop=''
if [ "$(id -u)" -eq 0 ]; then
	drop='setpriv --bounding-set=-dac_override,-dac_read_search'
fi
if [ -z "$drop" ] || $drop true 2>/dev/null; then
	$drop "$FLAGSTONE" archive list --archive "$scratch/locked" >"$scratch/out" 2>"$scratch/err"
	tap_is "$? $(wc -c <"$scratch/out")" '3 0' 'an archive without permission to read: exit code 3, never "no records"'
	cli_has "$scratch/err" 'Permission denied' 'and why'
else
	tap_skip 'an archive without permission to read' 'root, and rights cannot be dropped here'
fi

p=$scratch/p
project_small "$p"
"$FLAGSTONE" run small -C "$p" --archive "$a" >/dev/null 2>&1
tap_is "$(tap_run_code $?)" 0 'a run to work with'
record=$(find "$a" -name '*.json.gz')
if ! [ -f "$record" ]; then
	# all below makes its files from this one and beside it
	tap_not_ok 'a run makes one record'
	tap_note "$(cat "$scratch/err")"
	tap_end
	exit 1
fi
id=$(zcat "$record" | jq -r .id)
short=$(echo "$id" | cut -c1-12)
cli archive list --archive "$a"
tap_is "$status $(cut -c1-12 "$scratch/out")" "0 $short" 'archive list shows the beginning of its id'
cli_has "$scratch/out" 'small  2/2 cells  ' 'its matrix and cells'
cli archive list --archive "$a" --json
tap_is "$(jq -r '.records[0] | [.id, .matrix, .complete, .measured] | join(" ")' "$scratch/out")" "$id small true 2" 'and in JSON'
tap_is "$(jq -r '.records[0].samples' "$scratch/out")" "$(zcat "$record" | jq '.samples.value | length')" 'the count of samples is that of the record'

for name in latest "$short" "$id" "$record"; do
	cli show "$name" --archive "$a" --json
	tap_is "$status $(jq -r .record.id "$scratch/out")" "0 $id" "show $(basename "$name" | cut -c1-20) finds it"
done
(cd "$(dirname "$record")" && "$FLAGSTONE" show "$(basename "$record")" --json) >"$scratch/out" 2>"$scratch/err"
tap_is "$? $(jq -r .record.id "$scratch/out")" "0 $id" 'a path needs no project and no archive'
cli_fails 2 'goes back too far' 'latest~5 of one run' show 'latest~5' --archive "$a"
cli_fails 2 'did you mean latest?' 'a typing error in latest' show latst --archive "$a"
cli_fails 2 'No such file or directory' 'a path that leads nowhere' show ./none.json.gz --archive "$a"

cli show --samples --archive "$a"
tap_is "$(head -n 1 "$scratch/out" | tr -d '\r' | cut -d, -f1-4)" 'cell,build,arm,copy' 'show --samples has a line of names'
tap_is "$(($(wc -l <"$scratch/out") - 1))" "$(zcat "$record" | jq '.samples.value | length')" 'and a line a sample'
tap_is "$(awk -F, 'NR > 1 { print $11 }' "$scratch/out" | head -n 5 | awk '{ printf "%s ", $1 }')" \
	"$(zcat "$record" | jq -r '.samples.value[:5][]' | awk '{ printf "%s ", $1 }')" 'with the values of the record'
cli show --facts --archive "$a"
cli_has "$scratch/out" 'host.arch = ' 'show --facts has facts of the host'
cli_has "$scratch/out" 'toolchain.family = gcc' 'and of the toolchain'
cli show --facts --json --archive "$a"
tap_is "$(jq -r '.host["host.arch"].value' "$scratch/out")" "$(uname -m)" 'and in JSON'
cli show --builds --archive "$a"
cli_has "$scratch/out" 'syscall/gcc/O2/1: measured' 'show --builds has a part for each cell'
cli_has "$scratch/out" 'build.cflags = -O2' 'with its flags'
cli show --builds --json --archive "$a"
tap_is "$(jq -r '[.builds[].facts["build.cflags"].value] | join(" ")' "$scratch/out")" '-O1 -O2' 'and in JSON'

# damage
mkdir "$scratch/bad"
cp -R "$a/." "$scratch/bad/"
bad=$(find "$scratch/bad" -name '*.json.gz')
head -c 3000 "$record" >"$bad"
cli archive verify --archive "$scratch/bad"
tap_is "$status" 1 'archive verify of a cut record: exit code 1'
cli_has "$scratch/out" "damaged: $bad: " 'names the file'
cli_has "$scratch/out" '0 records intact, 1 wrong' 'and counts'
cli archive verify --archive "$scratch/bad" --json
tap_is "$status $(jq -r '[.bad, .files[0].state] | join(" ")' "$scratch/out")" '1 1 damaged' 'also in JSON'
cli archive verify "$bad" "$record"
tap_is "$status $(tail -n 1 "$scratch/out")" '1 1 record intact, 1 wrong' 'verify of files that are named'
cli archive verify -v "$record"
tap_is "$status $(head -n 1 "$scratch/out")" "0 intact: $record" 'with --verbose also intact ones are named'
cli_fails 2 'there is no file' 'verify of a file that is not there' archive verify "$scratch/none.json.gz"
cli_fails 3 "$bad" 'show of a damaged record: exit code 3 and its path' show "$bad"
zcat "$record" | sed 's/"kind":"run"/"kind":"nur"/' | gzip -n >"$bad"
cli archive verify "$bad"
tap_is "$status" 1 'a record that was edited: exit code 1'

# a clock that was set back during a run
zero=0000000000000000000000000000000000000000000000000000000000000000
zcat "$record" | sed "s/$id/$zero/; s/\"finished\":\"[0-9]*/\"finished\":\"1999/" >"$scratch/doc"
new=$(sha256sum <"$scratch/doc" | cut -d' ' -f1)
mkdir "$scratch/clock"
cp -R "$a/." "$scratch/clock/"
back=$(find "$scratch/clock" -name '*.json.gz')
sed "s/$zero/$new/" "$scratch/doc" | gzip -n >"$(dirname "$back")/$(basename "$back" | cut -c1-17)$(echo "$new" | cut -c1-12).json.gz"
cli archive list --archive "$scratch/clock"
tap_is "$status $(grep -c . "$scratch/out") $(grep 'the clock was set back during the run, which ended at 1999' "$scratch/out" | cut -c1-12)" \
	"0 2 $(echo "$new" | cut -c1-12)" 'a record that ended before it began: archive list says that the clock was set back'
cli archive list --archive "$scratch/clock" --json
tap_is "$(jq -r '[.records[] | select(.clock_went_back) | .id] | join(" ")' "$scratch/out")" "$new" 'also in JSON'

# foreign text is data: a record whose matrix bears an escape code, with a right id
esc=$(printf '\033')
zcat "$record" | sed "s/$id/$zero/; s/\"matrix_name\":\"small\"/\"matrix_name\":\"sm\\\\u001b[31mall\"/" >"$scratch/doc"
cli_has "$scratch/doc" 'u001b' 'a record with an escape code in a name'
new=$(sha256sum <"$scratch/doc" | cut -d' ' -f1)
rm "$bad"
hostile=$(dirname "$bad")/$(basename "$bad" | cut -c1-17)$(echo "$new" | cut -c1-12).json.gz
sed "s/$zero/$new/" "$scratch/doc" | gzip -n >"$hostile"
for words in "archive list" "archive verify -v" "show" "show --builds" "show --csv" "show --markdown" "show --json"; do
	# shellcheck disable=SC2086 # words of a command line
	cli $words --archive "$scratch/bad"
	tap_is "$status $(grep -c "$esc" "$scratch/out")" '0 0' "$words shows it as text"
done
tap_end
