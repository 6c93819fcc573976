#!/bin/sh
# flagstone is killed at random moments, 50 times: no finished round is lost, nothing in the archive is broken, nothing
# goes on running, and the run can be resumed. Cases 81 and 82 of the collection of what broke other tools.
. tests/pipeline/run_lib.sh

p=$scratch/project
project_make "$p"
fs "$p" build two --layouts 8
kills=${KILLS:-50}

start_run() { # its number in $pid
	"$FLAGSTONE" run two -C "$p" --archive "$scratch/archive" --rounds 40 --layouts 8 --precision 0.01% --verbose \
		>"$scratch/out" 2>"$scratch/err" &
	pid=$!
}

ms_now() {
	echo $(($(date +%s%N) / 1000000))
}

# one that is left alone until it measures says how long that takes here: kills come in twice that time
begin=$(ms_now)
start_run
i=0
while ! grep -q 'measure  *round 2/' "$scratch/err" && [ $i -lt 600 ] && kill -0 $pid 2>/dev/null; do
	sleep 0.02
	i=$((i + 1))
done
within=$((2 * ($(ms_now) - begin)))
kill -INT $pid 2>/dev/null
wait $pid

random_ms() { # random_ms LIMIT
	od -An -N4 -tu4 /dev/urandom | awk -v limit="$1" '{ print $1 % limit }'
}

lost=0 broken=0 left=0 unresumed=0 resumed=0 journals=0
n=0
while [ "$n" -lt "$kills" ]; do
	n=$((n + 1))
	rm -rf "$scratch/archive"
	start_run
	sleep "$(awk -v ms="$(random_ms $within)" 'BEGIN { printf "%.3f", ms / 1000 }')"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	# rounds that were told as finished: round N is begun when N - 1 are kept
	told=$(sed -n 's/.*measure  *round \([0-9]*\)\/.*/\1/p' "$scratch/err" | tail -n 1)
	told=$((${told:-1} - 1))
	if [ -d "$scratch/archive" ]; then
		fs "$p" archive verify --archive "$scratch/archive"
		[ "$status" -eq 0 ] || {
			broken=$((broken + 1))
			cat "$scratch/out" "$scratch/err" >&2
		}
	fi
	pgrep -f "$scratch/cache/flagstone/builds" >/dev/null && sleep 0.2 &&
		pgrep -f "$scratch/cache/flagstone/builds" >/dev/null && left=$((left + 1))
	if [ "$(find "$scratch/archive" -name '*.journal' 2>/dev/null | wc -l)" -gt 0 ]; then
		journals=$((journals + 1))
		if [ $((journals % 6)) -eq 1 ]; then # a resume of each would take the test's time
			fs "$p" run --resume --archive "$scratch/archive"
			resumed=$((resumed + 1))
			case $status in
			0 | 5) ;;
			*)
				unresumed=$((unresumed + 1))
				echo "resume ended with $status" >&2
				cat "$scratch/err" >&2
				;;
			esac
		else
			fs "$p" archive finish --archive "$scratch/archive"
		fi
	fi
	record=$(newest_record "$scratch/archive" 2>/dev/null)
	if [ -n "$record" ]; then
		kept=$(zcat "$record" | jq '(.samples.round | max // -1) + 1')
		zcat "$record" | jq -e '[.samples[] | length] | unique | length == 1' >/dev/null || broken=$((broken + 1))
	else
		kept=0
	fi
	if [ "$kept" -lt "$told" ]; then
		lost=$((lost + 1))
		echo "kill $n: $told rounds told, $kept kept" >&2
	fi
done
tap_is "$broken" 0 "after $kills kills nothing in the archive is broken"
tap_is "$lost" 0 'no finished round is lost'
tap_is "$left" 0 'no measured process goes on running'
tap_is "$unresumed $([ "$resumed" -ge 1 ] && echo some)" '0 some' 'interrupted runs can be resumed'
tap_is "$([ "$journals" -ge $((kills / 5)) ] && echo enough)" enough "the kills met runs with a journal ($journals of $kills)"
tap_end
