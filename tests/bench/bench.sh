#!/bin/sh
# make bench: speed of flagstone itself. Each figure is one line NAME<tab>VALUE<tab>UNIT<tab>LIMIT ("-": none).
# ONLY=NAME runs one. Programs bench_*.c and scripts bench_*.sh print the lines; a script or program is run when
# one of the names in its "# figures:" or "figures:" comment is wanted.
set -u
export LC_ALL=C TZ=UTC
: "${OUT:?the object folder, set by make}"
top=$(pwd)
export FLAGSTONE="$top/$OUT/flagstone" FLAGSTONE_LIBEXEC="$top/$OUT"
only=${ONLY:-}
failed=0 ran=0

wanted() { # FILE: does it print the figure asked for?
	[ -z "$only" ] || sed -n 's/.*figures: *//p' "$1" | tr ' ' '\n' | grep -qx -- "$only"
}

show() {
	while IFS= read -r line; do
		name=${line%%"$(printf '\t')"*}
		if [ -z "$only" ] || [ "$name" = "$only" ]; then
			printf '%s\n' "$line"
		fi
	done
}

for source in tests/bench/bench_*.c tests/bench/bench_*.sh; do
	if [ ! -f "$source" ] || ! wanted "$source"; then
		continue
	fi
	ran=1
	out=$(mktemp) || exit 3
	case $source in
	*.c) "$OUT/${source%.c}" >"$out" || failed=1 ;;
	*.sh) sh "$source" >"$out" || failed=1 ;;
	esac
	show <"$out"
	rm -f "$out"
done
if [ "$ran" -eq 0 ]; then
	echo "bench: there is no figure $only" >&2
	exit 2
fi
exit "$failed"
