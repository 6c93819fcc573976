#!/bin/sh
# Runs the rings of tests: unit (cmocka programs), cli, pipeline, soak and compilers (shell scripts that print TAP lines).
# Ends with the ten slowest tests and one summary line "N passed, N failed".
set -u
export LC_ALL=C TZ=UTC
: "${OUT:?the object folder, set by make}"
top=$(pwd)
scratch=$(mktemp -d) && chmod 711 "$scratch" || exit 3 # tests let other users in, who have no rights
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
export FLAGSTONE="$top/$OUT/flagstone" FLAGSTONE_LIBEXEC="$top/$OUT" FLAGSTONE_TEST_TOP="$top"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
# nothing of the user's acts on a test, and no test acts on the user's caches
mkdir "$scratch/home"
export HOME="$scratch/home" XDG_CACHE_HOME="$scratch/cache" XDG_CONFIG_HOME="$scratch/config" XDG_DATA_HOME="$scratch/data"
unset CFLAGS CXXFLAGS LDFLAGS CPATH FLAGSTONE_HOST MAKEFLAGS MAKELEVEL
passed=0 failed=0

untracked() { # files that git sees and nobody added; none outside of a work tree
	git status --porcelain --untracked-files=all 2>/dev/null | sed -n 's/^?? //p' | sort
}
times="$scratch/times" # milliseconds<TAB>test
: >"$times"
: >"$scratch/failed"
untracked >"$scratch/before"

now_ms() { echo $(($(date +%s%N) / 1000000)); }

run_all() { # tests on standard input, one a line
	xargs -P "$(nproc)" -n 1 sh tests/run_one.sh "$scratch/ran"
}

ran_folder() { echo "$scratch/ran/${1#"$OUT/"}"; }

count_unit() { # PROGRAM that has been run: times of single tests come from cmocka's XML
	ran=$(ran_folder "$1")
	name=${1##*/}
	code=$(cat "$ran/code")
	cat "$ran"/xml/*.xml >"$scratch/all.xml" 2>/dev/null || : >"$scratch/all.xml"
	n=$(grep -c '<testcase ' "$scratch/all.xml")
	bad=$(grep -c -e '<failure>' -e '<error>' "$scratch/all.xml")
	sed -n 's/.*<testcase name="\([^"]*\)" time="\([0-9.]*\)".*/\2 \1/p' "$scratch/all.xml" |
		awk -v p="$name" '{ printf "%d\t%s %s\n", $1 * 1000, p, $2 }' >>"$times"
	if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then
		bad=1
		n=$((n + 1))
		echo "$name: ended with code $code without a failed test (crash?)" >>"$ran/out"
	fi
	if [ "$n" -eq 0 ]; then
		bad=1 n=1
		echo "$name: ran no test" >>"$ran/out"
	fi
	passed=$((passed + n - bad))
	failed=$((failed + bad))
	if [ "$bad" -gt 0 ]; then
		echo "FAILED $name" | tee -a "$scratch/failed"
		sed -n '/<failure>/,/<\/failure>/p' "$scratch/all.xml" | head -n 60
		tail -n 60 "$ran/out"
	else
		echo "ok $name ($n tests)"
	fi
}

count_script() { # SCRIPT with TAP lines that has been run
	name=${1#tests/}
	ran=$(ran_folder "$1")
	code=$(cat "$ran/code")
	printf '%d\t%s\n' "$(cat "$ran/ms")" "$name" >>"$times"
	n=$(grep -c '^ok ' "$ran/out")
	bad=$(grep -c '^not ok ' "$ran/out")
	if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then
		bad=1
		echo "$name: ended with code $code without a failed test" >>"$ran/err"
	fi
	if [ $((n + bad)) -eq 0 ]; then
		bad=1
		echo "$name: ran no test" >>"$ran/err"
	fi
	passed=$((passed + n))
	failed=$((failed + bad))
	grep '^ok .*# SKIP' "$ran/out" | sed "s|^|$name: |"
	grep '^# |' "$ran/out" # tables
	if [ "$bad" -gt 0 ]; then
		echo "FAILED $name" | tee -a "$scratch/failed"
		grep -A8 '^not ok ' "$ran/out" | head -n 80
		tail -n 40 "$ran/err"
	else
		echo "ok $name ($n tests)"
	fi
}

scripts_of() { # RING: the longest first, so that none is left alone at the end
	for test in tests/"$1"/*.sh; do
		case $test in *_lib.sh) continue ;; esac
		case $test in
		*/workloads_*) echo "1 $test" ;;
		*/run_*) echo "2 $test" ;;
		*) echo "3 $test" ;;
		esac
	done | sort | cut -d' ' -f2
}

for ring in "$@"; do
	case $ring in
	unit)
		for source in tests/unit/test_*.c; do
			echo "$OUT/${source%.c}"
		done >"$scratch/tests"
		run_all <"$scratch/tests"
		while read -r test; do
			count_unit "$test"
		done <"$scratch/tests"
		;;
	cli | pipeline | soak | compilers)
		scripts_of "$ring" >"$scratch/tests"
		run_all <"$scratch/tests"
		while read -r test; do
			count_script "$test"
		done <"$scratch/tests"
		;;
	*)
		echo "tests/run.sh: there is no ring $ring; there are unit, cli, pipeline, soak, compilers" >&2
		exit 2
		;;
	esac
done

# a test works in scratch folders: what it leaves in the source tree is a mistake
untracked | comm -13 "$scratch/before" - >"$scratch/left"
if [ -s "$scratch/left" ]; then
	failed=$((failed + 1))
	{
		echo 'FAILED tests/run.sh: files left in the source tree:'
		sed 's/^/  /' "$scratch/left"
	} >>"$scratch/failed"
fi

echo
echo 'ten slowest tests (ms):'
sort -rn "$times" | head -n 10 | awk -F'\t' '{ printf "%8d  %s\n", $1, $2 }'
if [ -s "$scratch/failed" ]; then
	echo
	cat "$scratch/failed"
fi
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
