#!/bin/sh
# run and build on a small project: formats, repeats, interruption and resume, the lock, exit codes.
. tests/cli/cli_lib.sh

p=$scratch/p
a=$p/archive
project_small "$p"

cli run small -C "$p"
tap_is "$(tap_run_code "$status")" 0 'run ends with 0, or 5 if it decided nothing'
cli_has "$scratch/out" 'syscall' 'and prints the table'
cli_has "$scratch/out" '.json.gz' 'and where the record is'
cli_has "$scratch/err" 'flagstone: measure  round 1/6  1 of 1 cell undecided' 'progress goes to standard error, and says what is undecided'
cli run small -C "$p" --quiet --json
tap_is "$(tap_run_code "$status") $(wc -c <"$scratch/err")" '0 0' 'with --quiet standard error is empty'
tap_is "$(jq -r '[.schema, (.cells | length)] | join(" ")' "$scratch/out")" 'flagstone.result/1 2' 'run --json'
cli run small -C "$p" --csv
tap_is "$(head -n 1 "$scratch/out" | cut -d, -f1) $(wc -l <"$scratch/out")" 'cell 3' 'run --csv'
cli run small -C "$p" --markdown
cli_has "$scratch/out" '| workload |' 'run --markdown'

seed=0123456789abcdef0123456789abcdef
cli run small -C "$p" --rounds 7..8 --sample 300us --precision 2% --matters 1% --budget 9s --seed $seed --host pool \
	--only '//O2' --archive "$scratch/other" --json
record=$(jq -r .record.path "$scratch/out")
tap_is "$(zcat "$record" | jq -c '.plan | [.seed, .settings.rounds_min, .settings.rounds_max, .settings.sample_ns, .settings.precision, .settings.matters, .settings.budget_ns]')" \
	"[\"$seed\",7,8,300000,0.02,0.01,9000000000]" 'options win over the matrix, and the record says so'
tap_is "$(basename "$(dirname "$(dirname "$(dirname "$record")")")" | cut -c1-5)" 'pool-' '--host names the folder'
tap_is "$(zcat "$record" | jq -r '[.builds[].cell] | join(" ")')" 'syscall/gcc/O1/1 syscall/gcc/O2/1' '--only keeps the baseline'

folder_of_host() { basename "$(dirname "$(dirname "$(dirname "$(jq -r .record.path "$scratch/out")")")")" | cut -d- -f1; }
export FLAGSTONE_HOST=farm
cli run small -C "$p" --rounds 6 --only '//O2' --archive "$scratch/other" --json
tap_is "$(folder_of_host)" farm 'FLAGSTONE_HOST names it as well'
cli run small -C "$p" --rounds 6 --only '//O2' --archive "$scratch/other" --json --host pool
tap_is "$(folder_of_host)" pool '--host wins over FLAGSTONE_HOST'
export FLAGSTONE_HOST='no/name'
cli run small -C "$p" --rounds 6 --only '//O2' --archive "$scratch/other" --json
tap_is "$status" 2 'a FLAGSTONE_HOST that is no name is refused'
cli_has "$scratch/err" 'no/name' 'and shown'
unset FLAGSTONE_HOST

# nothing can be decided: of six signs the smallest p is 2/64, times two comparisons over 5 %; no noise is under 0.01 %
cat >"$p/matrices/undecided.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc]
	baseline: O1
	variants: {O1: {cflags: -O1}, again: {cflags: [-O1, -DAGAIN]}, O2: {cflags: -O2}}
	measure: {sample: 200us, layouts: 1, rounds: 6, precision: 0.01%, matters: 0.01%, timeout: 10s}
END
cli run undecided -C "$p" --aa
tap_is "$status" 5 'a run that decides nothing ends with 5'
cli_has "$scratch/out" "--aa -C $p" 'what is to be typed next has --aa and the folder'
cli show -C "$p" --json
tap_is "$(jq -r '[.comparisons[].answer] | unique | join(",")' "$scratch/out") $(zcat "$(jq -r .record.path "$scratch/out")" | jq .plan.aa)" \
	"can't tell true" 'show judges identical code as the --aa run did, since the record says so'
cli run undecided -C "$p" --only '//again'
tap_is "$status" 0 'identical code is an answer: 0'

# a part of the table
cli show -C "$p" latest~1 --only '//O2' --json
tap_is "$(jq -c '[[.cells[].cell], [.comparisons[].cell], .method.family]' "$scratch/out")" \
	'[["syscall/gcc/O1/1","syscall/gcc/O2/1"],["syscall/gcc/O2/1"],2]' 'show --only: a cell and its baseline, judged among all'
cli_fails 2 'no cell of the record matches "//O9"' 'show --only of no cell' show -C "$p" --only '//O9'
cli_fails 2 'leave it or' 'show --only --facts' show -C "$p" --only '//O2' --facts
cli show -C "$p" latest~1 --verbose
cli_has "$scratch/out" "--aa --only syscall/gcc/O2/1 -C $p" 'show --verbose: a command for each verdict'
cli show -C "$p" latest~1 --builds
cli_has "$scratch/out" '  layouts 1' 'show --builds counts the layouts'

# repeats
cli run small -C "$p" --repeat 3 --pause 1ms --archive "$scratch/three"
tap_is "$(tap_run_code "$status")" 0 'run --repeat 3'
tap_is "$(find "$scratch/three" -name '*.json.gz' | wc -l)" 3 'makes three records'
cli_has "$scratch/out" 'Medians over 3 of 3 repeats' 'and a table of their medians'
find "$scratch/three" -name '*.json.gz' -exec zcat {} + | jq -r '[.group, .repeat_count] | join(" ")' | sort -u >"$scratch/groups"
tap_is "$(wc -l <"$scratch/groups")" 1 'tied by one group'
cli run small -C "$p" --repeat 2 --json --archive "$scratch/three"
tap_is "$(jq -r '[.schema, (.results | length), (.cells | length), (.cells[0].medians | length), .cells[0].answer] | map(tostring) | join(",")' "$scratch/out")" \
	'flagstone.repeats/1,2,2,2,too few repeats to judge' 'with --json one document for all'
tap_is "$(jq -r '.cells[0] | (.medians | add / 2) as $m | ((.median / $m - 1) | fabs) < 1e-12 and (((.range - ((.medians | max - min) / $m)) | fabs) < 1e-12)' "$scratch/out")" \
	true 'the median and the range of two repeats are those of jq'

# Ctrl-C: what was measured is kept, and goes on
rm -rf "$a"
(cd "$scratch/here" && exec "$FLAGSTONE" run small -C "$p" --rounds 4000) >"$scratch/run.out" 2>"$scratch/run.err" &
pid=$!
i=0
while [ -z "$(find "$p" -name '*.journal' -size +20k 2>/dev/null)" ] && [ $i -lt 200 ]; do
	sleep 0.1
	i=$((i + 1))
done
cli run small -C "$p" --archive "$scratch/busy"
tap_is "$status" 3 'a second run at the same time is refused with 3'
cli_has "$scratch/err" "$pid" 'and it is said who is running'
cli archive list -C "$p"
cli_has "$scratch/out" 'a run that goes on now' 'archive list shows the run that goes on'
cli run small -C "$p" --archive "$scratch/busy" --wait 300ms
tap_is "$status" 3 'also after waiting for a while'
kill -INT "$pid"
wait "$pid"
tap_is "$?" 130 'a run that is interrupted ends with 130'
cp "$scratch/run.out" "$scratch/out"
cp "$scratch/run.err" "$scratch/err"
cli_has "$scratch/err" 'finished rounds of all cells are archived, marked incomplete' 'and says what is kept'
cli_has "$scratch/err" "flagstone run --resume -C $p" 'and how it goes on'
cli_has "$scratch/out" 'syscall' 'the table of what there is is printed'
record=$(find "$a" -name '*.json.gz')
tap_is "$(zcat "$record" | jq -c '[.complete, (.samples.round | max) + 1 == .plan.last_look]')" '[false,true]' 'the record is incomplete and has whole rounds'
rounds=$(zcat "$record" | jq .plan.last_look)
tap_is "$(find "$a" -name '*.journal' | wc -l)" 0 'the journal is gone'
cli_fails 2 'there is no record' 'a resume of what is not there' run --resume=ffff0000 -C "$p"
(cd "$scratch/here" && exec "$FLAGSTONE" run --resume -C "$p") >"$scratch/out" 2>"$scratch/err" &
pid=$!
i=0
while [ -z "$(find "$p" -name '*.journal' 2>/dev/null)" ] && [ $i -lt 200 ]; do
	sleep 0.1
	i=$((i + 1))
done
sleep 1
kill -TERM "$pid"
wait "$pid"
tap_is "$?" 143 'a resumed run that is terminated ends with 143'
new=$(find "$a" -name '*.json.gz' ! -path "$record")
tap_is "$(zcat "$new" | jq -r .continues)" "$(zcat "$record" | jq -r .id)" 'its record continues the first one'
tap_is "$(zcat "$new" | jq ".plan.last_look > $rounds")" true 'and has more rounds'

# a pause between repeats ends at once, too
(cd "$scratch/here" && exec "$FLAGSTONE" run small -C "$p" --repeat 2 --pause 1h --archive "$scratch/paused") >"$scratch/out" 2>"$scratch/err" &
pid=$!
i=0
while ! grep -q 'pause' "$scratch/err" && [ $i -lt 200 ]; do
	sleep 0.1
	i=$((i + 1))
done
kill -TERM "$pid"
wait "$pid"
tap_is "$?" 143 'a pause that is terminated ends with 143'
cli_has "$scratch/err" 'those that are done are archived' 'and says what is kept'
cli_has "$scratch/err" 'pause  1/2  1 h 0 min left' 'the pause shows the time left'
cli_has "$scratch/out" 'Medians over 1 of 2 repeats' 'the medians of what was done are printed'

# build
cli build small -C "$p"
tap_is "$status $(grep -c 'from the cache' "$scratch/out")" '0 2' 'build finds both builds in the cache'
cli build small -C "$p" --fresh --verify
tap_is "$status $(grep -c 'the same again' "$scratch/out")" '0 2' 'build --verify: the same again'
cat >"$p/workloads/syscall/stamp.c" <<-'END'
	const char *stamp(void);
	const char *stamp(void)
	{
		return STAMP;
	}
END
sed -i 's/sources: \[syscall.c\]/sources: [syscall.c, stamp.c]/' "$p/workloads/syscall/workload.yaml"
cat >"$p/matrices/fails.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc]
	baseline: good
	variants:
	  good: {cflags: '-O2 -DSTAMP="x"'}
	  bad: {cflags: -O2}
	measure: {sample: 200us, layouts: 1, rounds: 6}
END
sed -i "s/'-O2 -DSTAMP=\"x\"'/['-O2', '-DSTAMP=\"x\"']/" "$p/matrices/fails.yaml"
cli build fails -C "$p"
tap_is "$status" 6 'build with a cell that fails: exit code 6'
cli_has "$scratch/out" 'STAMP' 'with what the compiler said'
cli build fails -C "$p" --only '//bad' --json
tap_is "$(jq -r '.builds[] | select(.cell == "syscall/gcc/bad/1") | .status' "$scratch/out")" failed 'also in JSON'
cli run fails -C "$p"
tap_is "$status" 6 'run with a cell that fails: exit code 6'
cat >"$p/matrices/broken.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc]
	baseline: bad
	variants: {bad: {cflags: -O2}}
	measure: {sample: 200us, layouts: 1, rounds: 6}
END
cli build broken -C "$p"
tap_is "$status" 3 'build of nothing that works: exit code 3'

# list
cli list toolchains -C "$p"
cli_has "$scratch/out" 'static C library: ' 'list toolchains says what was probed'
cli list toolchains -C "$p" --json
tap_is "$(jq -r '[.toolchains[] | select(.slots | index("gcc"))][0] | [.family, (.identity | length)] | join(" ")' "$scratch/out")" 'gcc 64' \
	'and in JSON'
cli list workloads -C "$p"
tap_is "$status $(cut -d' ' -f1 "$scratch/out")" '0 syscall' 'list workloads'
tap_end
