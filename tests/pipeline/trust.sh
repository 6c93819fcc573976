#!/bin/sh
# The program of `make trust`, with so little of everything that nothing is proved: lines, tables, the same figures
# from the same seed, and one measured part, whose record says the same again. What it would prove has fixed seeds in
# tests/unit/test_session_trust*.c.
. tests/pipeline/run_lib.sh

: "${OUT:?the object folder, set by tests/run.sh}"
trust="$top/$OUT/tests/trust/trust"
tab=$(printf '\t')

ONLY=simulated "$trust" --tiny >"$scratch/one" 2>"$scratch/err"
tap_is "$(grep -c "^[a-z0-9.-]*${tab}[0-9.]*${tab}%${tab}[^${tab}]*$" "$scratch/one")" 8 'a line for each simulated figure'
tap_has "$scratch/one" "planted-1-simulated$tab" 'with the name that the issue gives it'
tap_has "$scratch/one" 'heavy tail' 'the table has each kind of noise'
ONLY=simulated "$trust" --tiny >"$scratch/two" 2>"$scratch/err"
tap_is "$(cmp "$scratch/one" "$scratch/two" && echo same)" same 'the same seed gives the same figures'
ONLY=simulated "$trust" --tiny --markdown >"$scratch/markdown" 2>"$scratch/err"
tap_is "$(grep -c '^| aa-simulated |' "$scratch/markdown")" 1 'Markdown has the figures as a table'
tap_is "$(grep -c "$tab" "$scratch/markdown")" 0 'and no other lines'

ONLY=nonsense "$trust" --tiny >"$scratch/out" 2>"$scratch/err"
tap_is "$?" 2 'an unknown figure is a mistake'
TRUST=brief "$trust" >"$scratch/out" 2>"$scratch/err"
tap_is "$?" 2 'an unknown size is a mistake'
TRUST_PAIR=60 "$trust" >"$scratch/out" 2>"$scratch/err"
tap_is "$?" 2 'a budget without its unit is a mistake'

ONLY=planted "$trust" --tiny --archive "$scratch/archive" >"$scratch/out" 2>"$scratch/err"
status=$?
# with so few pairs even a correct rule may break a limit
tap_is "$([ $status -le 1 ] && echo ended)" ended 'the planted part is measured'
tap_has "$scratch/out" "planted-5$tab" 'its figures are printed'
record=$(newest_record "$scratch/archive")
zcat "$record" >"$scratch/record"
tap_is "$(jq -r .kind "$scratch/record")" trust 'it is kept as a record of kind trust'
tap_is "$(jq -r '.harness["trust.coverage.limit"].value' "$scratch/record")" '90..99' 'which has the figures as facts'
tap_is "$(jq -r '[.builds[].facts["trust.part"].value] | unique | join(" ")' "$scratch/record")" planted \
	'and says of which part each cell is'
tap_is "$(jq -r '[.builds[].facts["run.env"].value] | unique | length' "$scratch/record")" 5 \
	'one binary is run with five amounts of work'
tap_is "$(jq -r '[.builds[] | select(.variant | startswith("name") | not) | .content_hash] | unique | length' \
	"$scratch/record")" 1 'which is the same build'
ONLY=planted "$trust" --tiny --from "$record" >"$scratch/again" 2>"$scratch/err"
tap_is "$(cmp "$scratch/out" "$scratch/again" && echo same)" same 'the record gives the same figures again'

"$FLAGSTONE" archive verify --archive "$scratch/archive" >"$scratch/verified" 2>&1
tap_is "$?" 0 'the record is intact'
"$FLAGSTONE" show "$record" >"$scratch/shown" 2>"$scratch/err"
tap_is "$?" 0 'show prints it'
tap_has "$scratch/shown" 'make trust' 'and says what it is'
tap_has "$scratch/shown" 'planted-0.5' 'and its figures'
"$FLAGSTONE" show latest --archive "$scratch/archive" >"$scratch/shown" 2>&1
tap_is "$?" 4 'latest is a run, never a record of trust'

if command -v python3 >/dev/null; then
	python3 tests/golden/workloads/trust.py |
		while read -r name value; do
			sed -n 's/^check: .*value: "\([^"]*\)".*/\1/p' "tests/trust/workloads/$name/workload.yaml" |
				grep -qx "$value" || echo "$name"
		done >"$scratch/unlike"
	tap_is "$(cat "$scratch/unlike")" '' 'check values are those of independent models'
else
	tap_skip 'check values are those of independent models' 'there is no python3'
fi
tap_end
