#!/bin/sh
# figures: doctor
# A whole call of doctor without the measured part: the best of ten.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export FLAGSTONE_LOCK_FOLDER="$scratch"
best=
for _ in 1 2 3 4 5 6 7 8 9 10; do
	begin=$(date +%s%N)
	"$FLAGSTONE" doctor --quick >"$scratch/out" || [ $? -eq 1 ]
	took=$(($(date +%s%N) - begin))
	if [ -z "$best" ] || [ "$took" -lt "$best" ]; then
		best=$took
	fi
done
awk -v ns="$best" 'BEGIN { printf "doctor\t%.3f\ts\t0.2\n", ns / 1e9 }'
