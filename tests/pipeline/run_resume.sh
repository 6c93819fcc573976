#!/bin/sh
# An interrupted run goes on where everything is as it was, and nowhere else.
. tests/pipeline/run_lib.sh

p=$scratch/project
project_make "$p"

fs "$p" run --resume
tap_is "$status" 3 'a resume where nothing was ever run ends with 3'
tap_has "$scratch/err" 'there is no archive' 'and says that there is no archive'

# a run that is interrupted in the middle of a round, on one CPU of its own choice
cpu=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
"$FLAGSTONE" run two -C "$p" --cpus "$cpu" --rounds 8..20000 --precision 0.01% --matters 0.01% --budget 4s --verbose >"$scratch/out" 2>"$scratch/err" &
pid=$!
i=0
while ! grep -q 'measure  *round [0-9][0-9]' "$scratch/err" && [ $i -lt 300 ]; do
	sleep 0.1
	i=$((i + 1))
done
kill -INT $pid
wait $pid
tap_is "$?" 130 'an interrupted run ends with 130'
old=$(newest_record "$p/archive")
zcat "$old" >"$scratch/old.json"
tap_is "$(jq .complete "$scratch/old.json")" false 'its record is incomplete'

tap_is "$(jq -c '[.plan.comparisons[].closed_at] - [0] - .plan.looks' "$scratch/old.json")" '[]' \
	'comparisons were closed at planned looks only, none by the interruption'

# Rows of first attempts: the same number for each build and arm, which is the number of rounds.
whole_rounds() { # whole_rounds DOCUMENT
	jq -c '.samples as $s | [range($s.round | length) | select($s.repeat_of[.] == null and $s.copy[.] == 0)
		| "\($s.build[.])/\($s.arm[.]) \($s.round[.])"] as $rows
		| [($rows | length == (unique | length)),
		   ([$rows[] | split(" ")[0]] | group_by(.) | map(length) | unique) == [($s.round | max) + 1],
		   .plan.last_look == ($s.round | max) + 1]' "$1"
}
tap_is "$(whole_rounds "$scratch/old.json")" '[true,true,true]' 'it has each round of each build once: an unfinished round is dropped'
rounds=$(jq .plan.last_look "$scratch/old.json")

refused() { # refused TEXT CLAIM: the last fs
	tap_is "$status" 3 "$2"
	tap_has "$scratch/err" "$1" 'and it is said what differs'
}
FLAGSTONE_HOST=another fs "$p" run --resume
refused 'the host was' 'a resume on another host is refused'
cp "$p/workloads/count/step.c" "$scratch/step.c"
echo '/* changed */' >>"$p/workloads/count/step.c"
fs "$p" run --resume
refused 'the build of count/gcc/O1/1 was' 'a resume with a changed source is refused'
cp "$scratch/step.c" "$p/workloads/count/step.c"
mkdir "$scratch/bin"
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v gcc)" >"$scratch/bin/gcc"
chmod +x "$scratch/bin/gcc"
before=$PATH
PATH="$scratch/bin:$PATH"
fs "$p" run --resume
PATH=$before
refused 'toolchain' 'a resume with another compiler is refused'
tap_is "$(find "$p/archive" -name '*.json.gz' | wc -l) $(find "$p/archive" -name '*.journal' | wc -l)" '1 0' \
	'the old record stays, and nothing else'
tap_is "$(zcat "$old" | cmp - "$scratch/old.json" && echo same)" same 'as it was'

damaged=${old%-*}-0123456789ab.journal
: >"$damaged"
fs "$p" run --resume
tap_is "$(tap_run_code "$status")" 0 'a resume with all as it was ends with 0'
tap_has "$scratch/err" "$damaged: holds nothing usable" 'a journal of another run that is damaged is named, and hinders nothing'
new=$(find "$p/archive" -name '*.json.gz' ! -path "$old")
zcat "$new" >"$scratch/new.json"
tap_is "$(jq -c '[.complete, (.sessions | length), (.samples.session | unique)]' "$scratch/new.json")" '[true,2,[0,1]]' \
	'its record is complete and has two sessions'
tap_is "$(jq -r '.harness["harness.cpus"] | "\(.value) \(.source)"' "$scratch/new.json")" "$cpu --cpus" \
	'it was measured on the CPU that the first one was given'
looks_of() { # looks_of RECORD: what its p values are multiplied by
	fs "$p" show "$1" --json
	jq .method.looks "$scratch/out"
}
tap_is "$(looks_of "$new")" "$(($(looks_of "$old") + 1))" 'the interruption showed a result: it counts as a look more'
tap_is "$(jq -r .continues "$scratch/new.json")" "$(jq -r .id "$scratch/old.json")" 'it continues the first one'
tap_is "$(whole_rounds "$scratch/new.json")" '[true,true,true]' 'rounds go on without a gap'
tap_is "$(jq ".plan.last_look > $rounds" "$scratch/new.json")" true 'and are more'
tap_is "$(jq -c --argjson n "$(jq '.samples.value | length' "$scratch/old.json")" '.samples.value[0:$n]' "$scratch/new.json" | cksum)" \
	"$(jq -c .samples.value "$scratch/old.json" | cksum)" 'the samples of the first session are in it'
tap_is "$(jq -c '[.builds[].content_hash]' "$scratch/new.json")" "$(jq -c '[.builds[].content_hash]' "$scratch/old.json")" \
	'the builds are the same'
# later samples may be another amount of work, where these were found to be too long or too short
tap_is "$(jq -c --argjson n "$(jq '.samples.value | length' "$scratch/old.json")" '.samples.units[$n]' "$scratch/new.json")" \
	"$(jq -c '.samples.units[-1]' "$scratch/old.json")" 'the first sample is as much work as the last one before'
# seconds from first to last sample, both sessions
spent=$(jq '.samples as $s | [0, 1 | . as $k | [range($s.session | length) | select($s.session[.] == $k) |
	$s.start_offset_ns[.]] | max - min] | add / 1e9' "$scratch/new.json")
tap_is "$(awk -v s="$spent" 'BEGIN { print (s > 3.5 && s < 5) ? "4 s" : s }')" '4 s' 'the budget counts for both sessions together'
fs "$p" archive verify
tap_is "$status" 0 'archive verify finds both intact'

fs "$p" run --resume
tap_is "$status" 3 'then there is nothing left to resume but the damaged journal'
tap_has "$scratch/err" "$damaged: holds nothing usable" 'which is named'
rm "$damaged"
fs "$p" run --resume
tap_is "$status" 2 'without it there is nothing at all'
fs "$p" run "--resume=$(jq -r '.id[0:12]' "$scratch/new.json")"
tap_is "$status" 2 'a complete record cannot be resumed'
tap_has "$scratch/err" 'is complete' 'and that is said'
tap_end
