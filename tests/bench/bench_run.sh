#!/bin/sh
# figures: second-start sampling-cpu overhead-share overhead-canaries overhead-spawning
# A run of the 96 cells of the quick matrix, twice: the second begins to measure from a warm cache. The shares are of
# the second run's wall time while it measured; sampling-cpu is flagstone's own CPU time while samples ran.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
for _ in 1 2; do
	"$FLAGSTONE" run quick --archive "$scratch/archive" --rounds 16 --build-budget 10m --quiet >"$scratch/table" || [ $? -eq 5 ] || [ $? -eq 6 ]
done
record=$(find "$scratch/archive" -name '*.json.gz' | sort | tail -n 1)
fact() { zcat "$record" | jq -r ".harness[\"$1\"].value"; }
awk -v ns="$(fact harness.start_to_measure_ns)" 'BEGIN { printf "second-start\t%.3f\ts\t1\n", ns / 1e9 }'
awk -v x="$(fact harness.share.own_cpu)" 'BEGIN { printf "sampling-cpu\t%.4f\t%%\t0.5\n", 100 * x }'
awk -v c="$(fact harness.share.canaries)" -v s="$(fact harness.share.spawning)" \
	'BEGIN {
		printf "overhead-share\t%.2f\t%%\t-\n", 100 * (c + s)
		printf "overhead-canaries\t%.2f\t%%\t-\n", 100 * c
		printf "overhead-spawning\t%.2f\t%%\t-\n", 100 * s
	}'
