#!/bin/sh
# compare on small records: within one, between several, gate, explanations, advice, exit codes.
. tests/cli/cli_lib.sh

p=$scratch/p
project_small "$p"
cp -R workloads/dhrystone "$p/workloads/"
# what is several times as fast is faster on any machine; the two last have the same code
cat >"$p/matrices/wide.yaml" <<-'END'
	workloads: [dhrystone]
	slots: [gcc]
	baseline: O0
	variants:
	  O0: {cflags: -O0}
	  O2: {cflags: -O2}
	  again: {cflags: -O2 -DNOTHING}
	measure: {sample: 1ms, layouts: 1, rounds: 24, precision: 10%, matters: 5%, timeout: 10s}
END
cli run wide -C "$p"
tap_is "$status" 0 'a run to compare'

# within a record
cli compare -C "$p"
tap_is "$status $(head -n 1 "$scratch/out" | cut -d: -f1)" '0 COMPARABLE' 'compare: the first line says whether the cells may be compared'
cli_has "$scratch/out" 'axis: variant, baseline O0' 'it says what is compared'
cli_has "$scratch/out" 'dhrystone' 'and prints the table'
cli compare -C "$p" --json
tap_is "$(jq -r '[.schema, .kind, .by, .baseline, (.comparisons | length), .comparisons[0].answer, (.own_family | tostring), (.gate | tostring)] | map(tostring) | join(" ")' "$scratch/out")" \
	'flagstone.comparison/1 within variant O0 2 faster false null' 'compare --json'
cp "$scratch/out" "$scratch/plain.json"
cli show -C "$p" --json
tap_is "$(jq -c '.comparisons | map([.cell, .answer, .p_adjusted])' "$scratch/out")" \
	"$(jq -c '.comparisons | map([.cell, .answer, .p_adjusted])' "$scratch/plain.json")" 'without options the answers are those of show'
cli compare latest -C "$p" --baseline O2 --json
tap_is "$(jq -r '[.comparisons[].answer] | join(",")' "$scratch/out")" 'slower,same code' 'another baseline, and identical code is found'
cli compare latest -C "$p" --baseline O2 --aa --json
tap_is "$(jq -r '.comparisons[1].answer == "same code"' "$scratch/out")" false '--aa judges identical code, too'
cli compare -C "$p" --csv
tap_is "$status $(head -n 1 "$scratch/out" | cut -d, -f1-2) $(wc -l <"$scratch/out")" '0 baseline,cell 3' 'compare --csv'
cli compare -C "$p" --markdown
cli_has "$scratch/out" '| workload |' 'compare --markdown'
cli compare -C "$p" --only //O2 --json
tap_is "$(jq -r "\"\(.comparisons | length) \(.method.family)\"" "$scratch/out")" "1 1" '--only makes a smaller family'

# gate and exit codes
cli compare -C "$p" --baseline O2 --gate 10%
tap_is "$status" 1 '--gate: a slowdown beyond the limit ends with 1'
cli_has "$scratch/out" '! Gate: 1 cell is significantly slower by more than 10 %: dhrystone/gcc/O0/1.' 'and is named at the top'
cli compare -C "$p" --gate 10%
tap_is "$status" 0 '--gate: what is faster is no slowdown'
cli_has "$scratch/out" 'Gate: no cell is significantly slower by more than 10 %.' 'and it is said'
cli compare -C "$p" --baseline O2 --gate 1000%
tap_is "$status" 0 '--gate: a limit that is not passed'
cli compare -C "$p" --strict
tap_is "$status" 0 '--strict: all cells are decided'
cli_fails 2 'allowed' 'a gate without its sign' compare -C "$p" --gate 10
cli_fails 4 'only the gcc' 'nothing differs along the axis: 4' compare -C "$p" --by slot
cli_fails 2 'allowed: variant, slot, copies' 'an unknown axis' compare -C "$p" --by flags
cli_fails 2 'did you mean again?' 'an unknown baseline' compare -C "$p" --baseline agian
cli_fails 2 'there is no record' 'a record that is not there' compare -C "$p" ffff0000
cli_fails 2 'no cell of the record matches' 'a pattern of nothing' compare -C "$p" --only nothing
cli_fails 2 'only one of' 'two formats' compare -C "$p" --json --csv
cli_fails 2 'for two records' '--force within one record' compare -C "$p" --force
cli_fails 2 'against the best' '--recommend with a baseline' compare -C "$p" --recommend --baseline O2

# explanations and advice
cli compare -C "$p" --explain //O2
tap_is "$status" 0 'compare --explain'
cli_has "$scratch/out" '1. What is compared: dhrystone/gcc/O2/1, against its baseline dhrystone/gcc/O0/1' 'its first step'
cli_has "$scratch/out" 'Answer: faster.' 'its last one'
cli compare -C "$p" --explain //O2 --json
tap_is "$(jq -r '[.schema, .title, (.steps | length > 5)] | map(tostring) | join(" ")' "$scratch/out")" 'flagstone.explanation/1 dhrystone/gcc/O2/1 true' 'also in JSON'

# what differs between the two
tap_is "$(jq -r '.differs[0] | [.side, .functions.unknown, (.functions.baseline_count > 5), (.functions.differ | length > 3), (.measures | map(select(.column == "minor_faults")) | length)] | map(tostring) | join(" ")' "$scratch/out")" \
	'null null true true 1' 'functions and measures are compared'
jq -r '.differs[0].functions | .differ[], .only_baseline[] | [.baseline_name, .baseline_bytes] | join(" ")' "$scratch/out" | sort >"$scratch/told"
zcat "$(find "$p/archive" -name '*.json.gz')" >"$scratch/record.json"
folder=$scratch/cache/flagstone/builds/$(jq -r '.builds[] | select(.variant == "O0") | .content_hash' "$scratch/record.json")
# nm's sizes are hexadecimal
nm -S "$folder"/[0-9]*.o | awk 'NF == 4 && $3 ~ /[tT]/ { print $4, $2 }' | while read -r name size; do
	echo "$name $((0x$size))"
done | sort >"$scratch/nm"
tap_is "$(comm -23 "$scratch/told" "$scratch/nm" | tr '\n' ' ')" '' 'with the names and sizes that nm has of the objects'
cli compare -C "$p" --explain //O2
cli_has "$scratch/out" 'What differs between the two (evidence, no proof of a cause):' 'the explanation says what differs'
cli_has "$scratch/out" 'code of functions: ' 'functions,'
cli_has "$scratch/out" 'flags asked for: -O0 in the baseline, -O2 in this cell' 'flags,'
# which counts lie outside the noise is the machine's affair; text and JSON must agree
told=$(tr -s '\n ' '  ' <"$scratch/out" | tr -s ' ' | grep -o 'outside the noise over' | wc -l)
cli compare -C "$p" --explain //O2 --json
tap_is "$told" "$(jq '[.differs[0].measures[] | select(.outside_noise)] | length' "$scratch/out")" 'what was measured, as in --json'
cli compare -C "$p" --baseline O2 --explain //again
cli_has "$scratch/out" 'have the same code' 'and where functions are the same'
cli compare -C "$p" --verbose
cli_has "$scratch/out" 'Functions that differ:' '--verbose has a line a cell'
cli_has "$scratch/out" 'functions differ: ' 'with their names'
cli compare --archive "$top/archive/example" --explain dhrystone/gcc/native
cli_has "$scratch/out" 'not known: which functions differ: the record was made before functions were kept' 'an old record does not know'
cli_fails 2 'matches 2 compared cells' 'two cells at once' compare -C "$p" --explain dhrystone
cli_fails 2 'did you mean dhrystone/gcc/O2/1?' 'a cell that is not compared' compare -C "$p" --explain dhrystone/gcc/O2/2
cli compare -C "$p" --recommend
tap_is "$status" 0 'compare --recommend'
cli_has "$scratch/out" 'Use gcc/' 'it says what to use'
cli compare -C "$p" --recommend --json
tap_is "$(jq -r '[.schema, .as_good, (.candidates | map(select(.variant == "O0"))[0].state), (.candidates | map(select(.variant == "again"))[0].cpu_features == null)] | map(tostring) | join(" ")' "$scratch/out")" \
	'flagstone.recommendation/1 2 worse false' 'the same code is as good, what is slow is worse'

# what would settle the rest: with a precision that no run of this length has
cli compare -C "$p" --next
tap_is "$status" 0 'compare --next'
cli_has "$scratch/out" 'Nothing is open' 'where all is decided nothing is open'
# of six signs the smallest p is 2/64, times two comparisons over 5 %; no noise is under 0.01 %
cat >"$p/matrices/undecided.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc]
	baseline: O1
	variants: {O1: {cflags: -O1}, again: {cflags: [-O1, -DAGAIN]}, O2: {cflags: -O2}}
	measure: {sample: 200us, layouts: 1, rounds: 6, precision: 0.01%, matters: 0.01%, timeout: 10s}
END
cli run undecided -C "$p" --aa --archive "$scratch/undecided"
cli compare --archive "$scratch/undecided" --next
tap_is "$status" 0 'an estimate is no verdict: 0'
cli_has "$scratch/out" 'What each would take as a run of its own' 'open cells are listed'
cli compare --archive "$scratch/undecided" --next --json
tap_is "$(jq -r '[.schema, .comparisons, (.open | length)] | map(tostring) | join(" ")' "$scratch/out")" 'flagstone.next/1 2 2' 'compare --next --json'
tap_is "$(jq -r '[.open[] | (.possible and .step >= 1 and .seconds > 0 and .rounds > 6) or (.possible | not) and (.reason | length > 0)] | all' "$scratch/out")" \
	true 'what each needs, or why no run would do'
cli compare --archive "$top/archive/example" --next --json --precision 50% --matters 0.01%
tap_is "$(jq -r '[.open, .steps | length] | map(tostring) | join(" ")' "$scratch/out")" '0 0' 'less precision may do without any run'
cli compare --archive "$scratch/undecided" --next --json --precision 20% --matters 19%
jq -r '.steps[].command' "$scratch/out" | grep -vxE "flagstone run undecided( --only syscall/gcc(/[A-Za-z0-9]+/1)?)+ --rounds [0-9]+ --layouts 1 --budget [0-9]+m --precision 20% --matters 19% --aa --archive $scratch/undecided" >"$scratch/odd"
tap_is "$(cat "$scratch/odd")" '' 'commands have the cells, the settings that the matrix has not, and where the archive is'
cli compare -C "$p" --next --csv
tap_is "$status $(head -n 1 "$scratch/out" | cut -d, -f1-2)" '0 baseline,cell' 'compare --next --csv'
cli_fails 2 '--next is for the open cells of one record' '--next of two records' compare -C "$p" latest latest~1 --next
cli_fails 2 'it takes no second record' '--next with an explanation' compare -C "$p" --next --explain //O2

# between records; records of one second are in the order of their ids, so there is a second between
sleep 1
cli run wide -C "$p" --only //O2
cli compare latest~1 latest -C "$p"
tap_is "$status" 5 'one run a side: nothing is decided, 5'
cli_has "$scratch/out" 'axis: time' 'the first line names the axis'
tap_is "$(head -n 1 "$scratch/out" | grep -c '^[CI][A-Z]*: ')" 1 'and the verdict'
cli_has "$scratch/out" 'one run a side: between-run noise' 'why there is no verdict'
cli_has "$scratch/out" 'dhrystone/gcc/again/1: in latest~1, not in latest' 'missing cells are listed'
cli compare latest~1 latest -C "$p" --json
tap_is "$(jq -r '[.kind, .cells[0].comparisons[0].answer, .cells[0].comparisons[0].code, .cells[0].comparisons[0].effect_percent, (.cells[0].comparisons[0].medians_differ_percent | type)] | map(tostring) | join(" ")' "$scratch/out")" \
	"between can't tell same null number" 'in JSON: no effect, the same code'
cli compare latest~1 latest -C "$p" --explain //O2
cli_has "$scratch/out" 'May they be compared?' 'an explanation between records'
cli_has "$scratch/out" 'not known: whether counts, CPU time and memory differ' 'counts of one run are no evidence'
cli_fails 2 'is given twice' 'a record against itself' compare -C "$p" latest latest
cli_fails 2 'for one record' '--recommend over two records' compare -C "$p" latest latest~1 --recommend
cli_fails 2 'is none of the records given' 'a baseline that is not among them' compare -C "$p" latest latest~1 --baseline O2
cli_fails 2 'one side of several runs' 'one side alone' compare -C "$p" latest,latest~1

# repeats are the runs of a side
ids()
{
	cli run wide -C "$p" --repeat 3 --pause 1ms --quiet --json
	jq -r '.results[].record.id[0:16]' "$scratch/out"
}
ids >"$scratch/first"
ids >"$scratch/second"
first=$(head -n 1 "$scratch/first") second=$(head -n 1 "$scratch/second")
cli compare "$first" "$second" -C "$p" --json
tap_is "$(jq -r '[(.sides | map(.records | length)), .method.family, (.cells[0].comparisons[0].df > 0)] | map(tostring) | join(" ")' "$scratch/out")" '[3,3] 3 true' 'one run of a group stands for all'
cli compare "$(paste -sd, "$scratch/first")" "$(head -n 2 "$scratch/second" | paste -sd, -)" -C "$p" --json
tap_is "$(jq -r '.sides | map(.records | length) | tostring' "$scratch/out")" '[3,2]' 'runs can be joined by commas'
cli compare "$first" "$(tail -n 1 "$scratch/first")" -C "$p" --json
tap_is "$(jq -r '.sides | map(.records | length) | tostring' "$scratch/out")" '[1,1]' 'two runs of one group are what they are'
path=$(find "$p/archive" -name "*-$(echo "$second" | cut -c1-12).json.gz")
cli compare "$first" "$path" -C "$p" --json
tap_is "$(jq -r '.sides | map(.records | length) | tostring' "$scratch/out")" '[3,1]' 'a path is that file only'

# another metric under the same name: no number is shown
sed -i 's/unit: lps/unit: loops/' "$p/workloads/dhrystone/workload.yaml"
sleep 1
cli run wide -C "$p"
cli compare "$first" latest -C "$p"
tap_is "$status $(head -n 1 "$scratch/out" | cut -d: -f1)" '4 INCOMPARABLE' 'another metric: 4, and the first line says so'
cli_has "$scratch/out" 'other metric: lps against loops' 'with the reason'
cli compare "$first" latest -C "$p" --force
tap_is "$status" 5 '--force shows the medians all the same'
cli_has "$scratch/out" 'FORCED' 'and stamps the page'
tap_end
