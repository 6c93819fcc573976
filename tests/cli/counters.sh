#!/bin/sh
# Counters of a run: which rounds are counted, what cannot be had is unknown with its reason, `counters:` in the matrix.
. tests/cli/cli_lib.sh

p=$scratch/p
project_small "$p"

# known FACT: can this machine and user have it?
known() { jq -e ".host[\"counters.$1\"] | has(\"value\")" "$scratch/record" >/dev/null; }
# rounds COLUMN: those in which it has a number
rounds() { jq -c ".samples as \$s | [range(\$s.round | length) | select((\$s.$1 // [])[.] != null) | \$s.round[.]] | unique" "$scratch/record"; }

cli run small -C "$p" --rounds 6 --quiet
zcat "$(newest_record "$p/archive")" >"$scratch/record"
tap_is "$(jq -c '.plan.settings.counted_rounds' "$scratch/record")" 16 'every 16th round is counted'
tap_is "$(jq -r '[.host | to_entries[] | select(.key | test("^counters[.][a-z_]*$")) | .key] | sort | join(" ")' "$scratch/record")" \
	'counters.branch_misses counters.cycles counters.energy counters.instructions counters.migrations counters.page_faults counters.task_clock' \
	'each counter is a fact of the host'
tap_is "$(jq -c '[.host | to_entries[] | select(.key | startswith("counters.")) | .value | (has("value") or (.unknown | length > 10)) and has("source")] | unique' "$scratch/record")" \
	'[true]' 'available, or unknown with a reason; with its source'
for pair in task_clock:task_clock_ns page_faults:page_faults migrations:migrations cycles:cycles instructions:instructions branch_misses:branch_misses; do
	name=${pair%:*} column=${pair#*:}
	if known "$name"; then
		# a PMU's events may have to take turns with others': then a count is unknown, too
		tap_is "$(rounds "$column" | sed 's/\[\]/[0]/')" '[0]' "$column: counted in the first round alone"
	else
		tap_is "$(rounds "$column")" '[]' "$column: cannot be had here, and is in no row"
	fi
done
tap_is "$(jq '.samples.value | map(select(. != null)) | length' "$scratch/record")" "$(jq .sample_count "$scratch/record")" \
	'what is counted is no sample of its own'

cli show latest --samples -C "$p"
tap_is "$(head -n 1 "$scratch/out" | tr -d '\r' | tr ',' '\n' | tail -n 7 | tr '\n' ' ')" \
	'task_clock_ns page_faults migrations cycles instructions branch_misses energy_uj ' 'show --samples has the columns'
tap_is "$(awk -F, '{ print NF }' "$scratch/out" | sort -u | wc -l)" 1 'in all lines'
cli show latest --facts -C "$p"
cli_has "$scratch/out" 'counters.cycles' 'show --facts has the facts'

for setting in all off; do
	sed "s/^measure: {/&counters: $setting, /" "$p/matrices/small.yaml" >"$p/matrices/$setting.yaml"
	cli run "$setting" -C "$p" --rounds 6 --quiet
	zcat "$(newest_record "$p/archive")" >"$scratch/record"
	if [ "$setting" = all ] && known task_clock; then
		tap_is "$(rounds task_clock_ns)" '[0,1,2,3,4,5]' 'counters: all counts in every round'
	else
		tap_is "$(rounds task_clock_ns)" '[]' "counters: $setting counts in none"
	fi
done
tap_is "$(jq -c '.samples | has("task_clock_ns"), has("page_faults"), has("repeat_of")' "$scratch/record" | tr '\n' ' ')" 'false false true ' \
	'a column that is null everywhere is not written'
tap_is "$(jq -c .plan.settings.counted_rounds "$scratch/record")" 0 'and the record says that nothing was counted'

tap_end
