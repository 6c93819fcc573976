#!/bin/sh
# figures: resolve-share
# Building the flags matrix (compile and canonical link) while nothing is known of what the compilers are (their parts and
# hashes) and what their flags mean, against the same with the answers of the last time, alternating; the ratio of the
# medians of three, in CPU time of flagstone and all that it started, which other programs' load changes little. What
# compilers can do (does it take this flag, does LTO work) is known to both.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
# ms of this shell's ended children; `times` must run in this shell itself, so no pipe
cpu_ms() {
	times >"$scratch/times"
	awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] }; printf "%d\n", sum * 1000 }' \
		"$scratch/times"
}
build() {
	cpu_ms >"$scratch/before"
	"$FLAGSTONE" build flags --only '*/*/*/1' --fresh --quiet >/dev/null
	cpu_ms >"$scratch/after"
	echo $(($(cat "$scratch/after") - $(cat "$scratch/before")))
}
# answers are kept as files beside the folders of builds; those of trials have "answer" or "answers"
forget() {
	find "$XDG_CACHE_HOME/flagstone" -maxdepth 1 -name '*.json' -exec grep -L '"answer' {} + >"$scratch/files"
	xargs rm -f <"$scratch/files"
}

build >"$scratch/first"
: >"$scratch/asking"
: >"$scratch/knowing"
for _ in 1 2 3; do
	forget
	build >>"$scratch/asking"
	build >>"$scratch/knowing"
done
median() { sort -n "$1" | sed -n 2p; }
awk -v a="$(median "$scratch/asking")" -v b="$(median "$scratch/knowing")" 'BEGIN { printf "resolve-share\t%.3f\tratio to known flags\t1.10\n", a / b }'
