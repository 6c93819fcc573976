#!/bin/sh
# figures: build
# Building the quick matrix (compile and canonical link) against the same commands under make -j, alternating; the
# ratio of the medians of five. Both start with no build in their folder; probes of the compilers are cached.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
jobs=$(nproc)
ms() { echo $(($(date +%s%N) / 1000000)); }

"$FLAGSTONE" build quick --fresh --quiet >/dev/null
"$FLAGSTONE" build quick --json --quiet >"$scratch/builds.json"
# one rule a build: its commands one after another, in a folder of its own beside the shared objects
mkdir -p "$scratch/make/builds"
cp -r "$XDG_CACHE_HOME/flagstone/objects" "$scratch/make/objects"
jq -r '.builds | to_entries[] | select(.value.commands | length > 0) | .key as $k | .value.commands[] | [$k, .] | @tsv' \
	"$scratch/builds.json" >"$scratch/commands"
awk -F'\t' '
	{ gsub(/\$/, "$$", $2); lines[$1] = lines[$1] "\tcd builds/" $1 " && " $2 "\n"; seen[$1] = 1 }
	END {
		printf "all:"
		for (k in seen) printf " b%s", k
		printf "\n"
		for (k in seen) printf "b%s:\n\t@mkdir -p builds/%s\n%s", k, k, lines[k]
	}' "$scratch/commands" >"$scratch/make/Makefile"

: >"$scratch/ours"
: >"$scratch/theirs"
for _ in 1 2 3 4 5; do
	begin=$(ms)
	"$FLAGSTONE" build quick --fresh --quiet >/dev/null
	echo $(($(ms) - begin)) >>"$scratch/ours"
	rm -rf "$scratch/make/builds"
	begin=$(ms)
	env -i PATH="$PATH" LC_ALL=C make -s -C "$scratch/make" -j"$jobs" all >/dev/null
	echo $(($(ms) - begin)) >>"$scratch/theirs"
done
median() { sort -n "$1" | sed -n 3p; }
awk -v a="$(median "$scratch/ours")" -v b="$(median "$scratch/theirs")" 'BEGIN { printf "build\t%.3f\tratio to make -j\t1.10\n", a / b }'
