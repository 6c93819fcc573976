#!/bin/sh
# cases_statistics.sh - cases that broke other tools and that only output can show, each with its number (the others
# are in tests/unit/test_cases_statistics.c). The records are made from the one of archive/example: its rows chosen,
# its values replaced.
. tests/cli/cli_lib.sh

example=$(find "$top/archive/example" -name '*.json.gz' | head -n 1)

# forge FILTER FILE: the example through jq, with an id that fits, as a record. rows(CONDITION on .build, .round)
# keeps rows that repeat nothing; at numbers the rows of a cell
forge()
{
	zcat "$example" | jq -c 'def rows(keep): .samples as $s
		| [range($s.value | length) as $i
			| select({build: $s.build[$i], round: $s.round[$i], again: $s.repeat_of[$i]} | .again == null and keep)
			| $i] as $k
		| .samples |= map_values([.[$k[]]]) | .sample_count = ($k | length) | .failures = [] | .samples.marks |= map(0);
		def values(f): .samples as $s | .samples.value = [range($s.value | length) as $i
			| {build: $s.build[$i], round: $s.round[$i]} | f];
		'"$1"' | .id = "0" * 64' >"$scratch/doc"
	id=$(sha256sum <"$scratch/doc" | cut -c1-64)
	sed "1s/0\{64\}/$id/" "$scratch/doc" | gzip -n >"$2"
}
record=$scratch/record.json.gz
cell=dhrystone/gcc/O3

# 59: variance 0 became NaN and a panic
forge 'rows(.build < 2 and .round < 10) | values(100)' "$record"
cli show "$record" --json
tap_is "$status $(jq -c '.comparisons[0] | [.answer, .effect_percent, .p, .p_adjusted]' "$scratch/out")" \
	'0 ["no difference",0,null,null]' 'case 59: equal samples: no difference, and p is none'
tap_is "$(jq -c '.cells[0] | [.spread, .median, .samples]' "$scratch/out")" '[0,100,10]' 'case 59: the spread is 0'
for how in '' --csv --markdown --json --samples -v; do
	cli show "$record" $how
	tap_is "$status $(grep -ciE '(^|[^a-z])-?(nan|inf)([^a-z]|$)' "$scratch/out")" '0 0' "case 59: no NaN in show $how"
done
cli compare "$record" --explain "$cell"
cli_has "$scratch/out" 'p is n/a' 'case 59: the explanation says that p is n/a'

# 60: equal values made the CSV field empty
cli show "$record" --samples --only "$cell"
tap_is "$(tail -n +2 "$scratch/out" | cut -d, -f11 | tr '\n' ' ')" '100 100 100 100 100 100 100 100 100 100 ' \
	'case 60: ten equal samples are written in full'
cli show "$record" --csv
tap_is "$(sed -n 3p "$scratch/out" | cut -d, -f14-17,21-26)" '100,100,100,0,0,0,0,0,n/a,n/a' 'case 60: and no field of them is empty'

# 61: two samples a side
forge 'rows(.build < 2 and .round < 2) | values(.build + 1) | .samples.layout |= map(0)' "$record"
cli show "$record" --json
tap_is "$(jq -r '.comparisons[0] | .answer + ": " + .reason' "$scratch/out")" \
	"can't tell: too few rounds that both have: 2, at least 6 are needed" 'case 61: too few samples, with the minimum'

# 62: a mean of nothing
forge 'rows(false)' "$record"
cli show "$record"
cli_has "$scratch/out" 'n/a (0 of 8)' 'case 62: the geometric mean of nothing is n/a'
cli show "$record" --json
tap_is "$(jq -c '[.means[] | .effect_percent] | unique' "$scratch/out")" '[null]' 'case 62: and null in JSON'

# 64: a limit of next to nothing
forge 'rows(.build < 2 and .round < 16) | values(if .build == 0 then 100 else 99 + (.round % 2) / 100 end)' "$record"
cli compare "$record" --gate 0.01%
tap_is "$status" 0 'case 64: what is slower by less than what matters does not fail a gate of 0.01 %'
forge 'rows(.build < 2 and .round < 16) | values(if .build == 0 then 100 else 90 + (.round % 2) / 100 end)' "$record"
cli compare "$record" --gate 0.01%
tap_is "$status" 1 'case 64: what is slower by more does'

# 65: rounding changed the leading digit
for value in 94.6 0.0004 9996.4; do
	forge "rows(.build < 2 and .round < 16) | values($value)" "$record"
	cli show "$record" --only dhrystone/gcc/O2
	case $value in
	94.6) want='94.60 lps' ;;
	0.0004) want='400.0 u lps' ;;
	9996.4) want='9.996 k lps' ;;
	esac
	cli_has "$scratch/out" "$want" "case 65: $value is shown as $want"
done

# 67: a rise by half, hidden since it is uncertain
forge 'rows(.build < 2 and .round < 16) | values(if .build == 0 then 1 elif .round % 2 == 0 then 0.4 else 5.6 end)' "$record"
cli show "$record" --only "$cell"
cli_has "$scratch/out" "~ can't tell +-" 'case 67: large and uncertain is shown as open'
cli show "$record" --json
tap_is "$(jq -r '.comparisons[0].answer' "$scratch/out")" "can't tell" 'case 67: and not as unchanged'

# 74: what is no number; jq cannot write NaN, so that it is put into the text
refused()
{
	cli show "$record"
	tap_is "$status" 3 "case 74: a record with $1 is refused"
	cli_has "$scratch/err" "$record" "case 74: $1: the file is named"
	cli_has "$scratch/err" "$2" "case 74: $1: column and row are named"
	tap_is "$(wc -c <"$scratch/out")" 0 "case 74: $1: nothing is printed"
}
for bad in -1 0; do
	forge "rows(.build < 2 and .round < 10) | values(if .build == 1 and .round == 3 then $bad else 100 end)" "$record"
	row=$(jq --argjson bad "$bad" '.samples.value | index($bad)' "$scratch/doc")
	refused "the value $bad" "column value, row $row (cell dhrystone/gcc/O3/1): $bad is not a finite number > 0"
done
for bad in NaN 1e999 '"x"'; do
	forge 'rows(.build < 2 and .round < 10) | values(if .build == 1 and .round == 3 then 4711.25 else 100 end)' "$record"
	row=$(jq '.samples.value | index(4711.25)' "$scratch/doc")
	sed "s/4711\.25/$bad/; s/\"id\":\"[0-9a-f]\{64\}\"/\"id\":\"$(printf %064d 0)\"/" "$scratch/doc" >"$scratch/text"
	id=$(sha256sum <"$scratch/text" | cut -c1-64)
	sed "1s/0\{64\}/$id/" "$scratch/text" | gzip -n >"$record"
	cli show "$record"
	tap_is "$status $(wc -c <"$scratch/out")" '3 0' "case 74: a record with $bad is refused"
	cli_has "$scratch/err" 'value' "case 74: $bad: the column is named"
	cli_has "$scratch/err" "$row" "case 74: $bad: its row is named"
done

# 77: one of twenty at seven times as much
forge 'rows(.build < 2 and .round < 20) | values(if .build == 1 and .round == 11 then 70 else 10 + (.round * 7 % 20) / 1000 end)' "$record"
cli show "$record" --json
tap_is "$(jq -c '.cells[1] | [.samples, .outliers, (.median < 10.02)]' "$scratch/out")" '[20,1,true]' 'case 77: the median stands, the outlier is counted and kept'
cli show "$record"
cli_has "$scratch/out" '1 outlier, kept' 'case 77: the count is shown'
cli show "$record" --samples --only "$cell"
tap_is "$(grep -c ',70,' "$scratch/out")" 1 'case 77: the sample is in the archive'
cli show "$record" --quiet
tap_is "$status $(grep -c 'outlier' "$scratch/out")" '0 0' 'case 77: --quiet leaves the remark out'

tap_end
