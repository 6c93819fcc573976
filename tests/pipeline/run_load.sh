#!/bin/sh
# One binary as two variants that differ in nothing but their environment: never "same code", for a program could
# act on it; never faster or slower either, even when another process takes half of the CPU from the middle of the
# run on. And what differs in nothing but a variable's first value is other code.
. tests/pipeline/run_lib.sh

p=$scratch/project
project_make "$p"
cat >"$p/matrices/pair.yaml" <<-'EOF'
	workloads: [count]
	slots: [gcc]
	baseline: one
	variants:
	  one: {cflags: -O1, env: {WHICH: one}}
	  two: {cflags: -O1, env: {WHICH: two}}
	measure: {sample: 2ms, layouts: 8, rounds: 128, precision: 10%, matters: 5%, budget: 30s, timeout: 10s}
EOF
# the last CPU that this shell may use
cpu=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9][0-9]*\)$/\1/p' /proc/self/status)

"$FLAGSTONE" run pair -C "$p" --cpus "$cpu" --json >"$scratch/out" 2>"$scratch/err" &
run=$!
burner=
for _ in $(seq 3000); do
	rows=$(cat "$p"/archive/*/*/*/*.journal 2>/dev/null | grep -c '^[0-9]* rows ')
	if [ "$rows" -ge 12 ]; then
		taskset -c "$cpu" sh -c 'while :; do :; done' &
		burner=$!
		break
	fi
	kill -0 $run 2>/dev/null || break
	sleep 0.02
done
wait $run
status=$?
[ -z "$burner" ] || kill "$burner"
tap_is "${burner:+begun}" begun 'another process took the CPU while the run went on'
tap_is "$({ [ $status -eq 0 ] || [ $status -eq 5 ]; } && echo ended)" ended 'the run is done, decided or not'
record=$(newest_record "$p/archive")
zcat "$record" >"$scratch/record"
tap_is "$(jq -r '[.builds[].code_hash] | unique | length' "$scratch/record")" 1 'both cells have one code hash'
tap_is "$(jq -r '[.builds[].facts["run.env"].value] | join(" ")' "$scratch/record")" 'WHICH=one WHICH=two' \
	'the record has the environment of each'
tap_is "$(jq -r '.samples | .run_wait_ns as $wait | .elapsed_ns as $elapsed | [range($wait | length) |
	select($wait[.] != null and $wait[.] > $elapsed[.] / 4)] | length > 4' "$scratch/record")" true \
	'the load shows in samples that waited for the CPU'
answer=$(jq -r '.comparisons[0].answer' "$scratch/out")
case $answer in
'no difference' | "can't tell" | 'too small to matter') tap_ok 'load from the middle of the run on: no wrong answer' ;;
*) tap_not_ok 'load from the middle of the run on: no wrong answer' ;;
esac
tap_note "answer: $answer"

cat >>"$p/workloads/count/step.c" <<-'EOF'
	#ifdef SCALE
	unsigned scale = SCALE;
	#endif
EOF
cat >"$p/matrices/scale.yaml" <<-'EOF'
	workloads: [count]
	slots: [gcc]
	baseline: one
	variants: {one: {cflags: -O1 -DSCALE=1}, two: {cflags: -O1 -DSCALE=2}, again: {cflags: -O1 -DSCALE=1 -DOTHER}}
EOF
fs "$p" build scale --json
tap_is "$(jq -r '[.builds[].code_hash] | (.[0] == .[1] | tostring) + " " + (.[0] == .[2] | tostring)' "$scratch/out")" 'false true' \
	'another first value of a variable is another code hash; the same value is not'
tap_end
