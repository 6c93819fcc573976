#!/bin/sh
# compare --decompose on small records: what each flag gave, in all formats; what cannot be taken apart.
. tests/cli/cli_lib.sh

p=$scratch/p
project_small "$p"
cp -R workloads/dhrystone "$p/workloads/"
# what is several times as fast is faster on any machine; the second axis changes no code
cat >"$p/matrices/axes.yaml" <<-'END'
	workloads: [dhrystone]
	slots: [gcc]
	baseline: O0+plain
	axes:
	  opt: {O0: {cflags: -O0}, O1: {cflags: -O1}, O2: {cflags: -O2}}
	  define: {plain: {}, idle: {cflags: -DNOTHING}}
	measure: {sample: 1ms, layouts: 1, rounds: 24, precision: 10%, matters: 5%, timeout: 10s}
	END
cli run axes -C "$p"
tap_is "$status" 0 'a run to take apart'

cli compare --decompose -C "$p"
tap_is "$status" 0 'compare --decompose'
cli_has "$scratch/out" 'What each flag gave: O2+idle against O0+plain' 'its title names both ends'
cli_has "$scratch/out" 'how what O2+idle gained splits over its values' 'parts'
cli_has "$scratch/out" 'main effects' 'main effects'
cli_has "$scratch/out" 'O1 x idle' 'interactions'
cli_has "$scratch/out" 'opt: O0 is -O0 (baseline), O1 is -O1, O2 is -O2' 'what the values are'
tap_is "$(grep -c 'dhrystone: O2 gave +[0-9.]* %, idle nothing (same code); all together' "$scratch/out")" 1 'in words'
cli_has "$scratch/out" 'placement not averaged' 'one layout is said'

cli compare --decompose -C "$p" --json
tap_is "$(jq -r '[.schema, .baseline, .target, (.axes | length), .groups[0].rows[0].workload, (.groups[0].mean | tostring)] | map(tostring) | join(" ")' "$scratch/out")" \
	'flagstone.decomposition/1 O0+plain O2+idle 2 dhrystone null' 'compare --decompose --json'
effects='.groups[0].rows[0].effects'
tap_is "$(jq -r "[${effects}[] | .kind + \" \" + .name] | join(\",\")" "$scratch/out")" \
	'part O2,part idle,whole all together,main effect O1,main effect O2,main effect idle,interaction O1 x idle,interaction O2 x idle' 'all effects are there'
tap_is "$(jq -r "[${effects}[] | select(.kind == \"part\") | .log_effect // 0] | add" "$scratch/out" | cut -c1-12)" \
	"$(jq -r "${effects}[] | select(.kind == \"whole\") | .log_effect" "$scratch/out" | cut -c1-12)" 'parts add up to the whole'
tap_is "$(jq -r "[${effects}[] | select(.name == \"O2\") | .answer] | unique | join(\",\")" "$scratch/out")" faster 'O2 is faster'
tap_is "$(jq -r "[${effects}[] | select(.axis == \"define\" or .axis_b == \"define\") | .answer] | unique | join(\",\")" "$scratch/out")" \
	'same code' 'what changes no code gave nothing'
tap_is "$(jq -r "[.method.family, .method.looks, ([${effects}[].partial] | any)] | map(tostring) | join(\" \")" "$scratch/out")" '4 1 false' 'effects of identical code are not in the family'

cli compare --decompose -C "$p" --csv
tap_is "$status $(head -n 1 "$scratch/out" | cut -d, -f1-7) $(wc -l <"$scratch/out")" '0 slot,copies,of,workload,args,kind,name 9' 'compare --decompose --csv'
cli compare --decompose -C "$p" --markdown
cli_has "$scratch/out" '| workload | O2 | idle | all together |' 'compare --decompose --markdown'
cli compare latest --decompose=O1+plain -C "$p" --json
tap_is "$(jq -r "[.target, ([${effects}[] | select(.kind == \"part\") | .name] | join(\",\"))] | join(\" \")" "$scratch/out")" 'O1+plain O1' 'another combination'
cli compare --decompose=O0+plain --baseline O2+idle -C "$p" --json
tap_is "$(jq -r "[.baseline, (${effects}[] | select(.kind == \"whole\") | .answer)] | join(\" \")" "$scratch/out")" 'O2+idle slower' 'another baseline'
cli compare --decompose --aa -C "$p" --json
tap_is "$(jq -r "[.method.family, ([${effects}[].answer] | index(\"same code\"))] | map(tostring) | join(\" \")" "$scratch/out")" '8 null' '--aa judges identical code, too'
cli compare --decompose --only '//O2*' -C "$p"
tap_is "$status" 0 'a part of the cells'
cli_has "$scratch/out" 'left out by --only' 'what is left out is missing'
cli_has "$scratch/out" '(partial: from 1 of 2 orders)' 'and what is partial is said'

# a flag that this compiler does not know makes cells that cannot exist
cat >"$p/matrices/odd.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc]
	baseline: O1+plain
	axes:
	  opt: {O1: {cflags: -O1}, O2: {cflags: -O2}}
	  odd: {plain: {}, unknown: {cflags: -fno-such-flag-at-all}}
	measure: {sample: 200us, layouts: 1, rounds: 6, precision: 50%, matters: 5%, timeout: 10s}
	END
sleep 1 # records of one second are in the order of their ids
cli run odd -C "$p"
cli compare --decompose -C "$p"
cli_has "$scratch/out" 'all together n/a' 'a target that cannot exist: no number'
cli compare --decompose -C "$p" --json
tap_is "$(jq -r "${effects}[] | select(.kind == \"whole\") | .reason" "$scratch/out" | cut -d: -f1)" 'O2+unknown' 'and the reason names it'
cli compare --decompose=O2+plain -C "$p"
tap_is "$(grep -c 'syscall: O2 .*; all together ' "$scratch/out")" 1 'what was measured can be asked for'

# what cannot be asked
sleep 1
cli run small -C "$p"
cli_fails 2 'the matrix small of this record has no axes' 'a matrix of variants' compare --decompose -C "$p"
cli_fails 2 'axes: {opt: {O2: {cflags: -O2}' 'with an example of axes' compare --decompose -C "$p"
cli_fails 2 'did you mean O2+idle?' 'a combination that is none' compare latest~2 --decompose=O2+idel -C "$p"
cli_fails 2 'is the baseline itself' 'the baseline' compare latest~2 --decompose=O0+plain -C "$p"
cli_fails 2 'named as --decompose=VARIANT' 'a combination as a word of its own' compare latest~2 --decompose O2+idle -C "$p"
cli_fails 2 'takes no --by' '--decompose with another question' compare --decompose --by slot -C "$p"
cli_fails 2 'takes no --by' '--decompose with a gate' compare --decompose --gate 5% -C "$p"
tap_end
