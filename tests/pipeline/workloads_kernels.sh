#!/bin/sh
# workloads_kernels.sh - matmul, bytecode, strsort and lz77, built with real compilers: right, all there, and no
# work removed. Run from anywhere. TAP on standard output. That twice the units take twice the time is asked where a
# compiler can do most about it; with FULL=1, as in tests/soak, of each build.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh

FULL=${FULL:-}
kernels='matmul bytecode strsort lz77'
model_units='1 2 5'
[ -z "$FULL" ] || model_units='1 2 13'
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

echo 'int main(void) { return 0; }' >"$scratch/empty.c"

links()
{
	"$@" -o "$scratch/empty" "$scratch/empty.c" 2>"$scratch/empty.log" && "$scratch/empty"
}

# in_loop BIN FUNCTIONS INSTRUCTION VARIANT: whether one of the functions, or of the copies that compilers make of them
# (NAME.constprop.0), has the instruction between a backward jump and its target. Both are regular expressions.
in_loop()
{
	# a static program has all of the C library in it
	case $4 in
	*static*) objdump -d --no-show-raw-insn "$1.d/"*.o ;;
	*) objdump -d --no-show-raw-insn "$1" ;;
	esac | awk -v functions="$2" -v instruction="$3" '
	# addresses as text of one length, for awk has no hexadecimal numbers
	function address(hex) {
		return substr("0000000000000000", length(hex) + 1) hex "h"
	}
	/^[0-9a-f]+ <.*>:$/ {
		name = $2
		gsub(/[<>:]/, "", name)
		inside = name ~ ("^(" functions ")([.].*)?$")
		hits = 0
		next
	}
	inside && $1 ~ /^[0-9a-f]+:$/ {
		here = address(substr($1, 1, length($1) - 1))
		code = $0
		sub(/^[^:]*:[ \t]*/, "", code)
		if (code ~ instruction)
			hit[hits++] = here
		if ($2 ~ /^j/ && $3 ~ /^[0-9a-f]+$/) {
			target = address($3)
			for (i = 0; i < hits; i++)
				if (target <= hit[i] && hit[i] <= here)
					found = 1
		}
	}
	END {
		exit !found
	}'
}

# The multiplication; the dispatch, that is a jump to where a register or a table says; the comparison of two
# bytes, neither of them a constant.
test_machine_code()
{
	claim="$3: the work is in the machine code, in a loop"
	if ! command -v objdump >/dev/null; then
		tap_skip "$claim" "no objdump"
		return
	fi
	case $(uname -m) in
	x86_64) ;;
	*)
		tap_skip "$claim" "written for x86_64"
		return
		;;
	esac
	byte='^cmp +[^$].*%([abcd]l|[sd]il|bpl|r[0-9]+b)'
	case $2 in
	matmul)
		functions='add_multiple|multiply|work'
		instruction='^v?(mul|fn?madd[0-9]*)[sp]d'
		;;
	bytecode)
		functions='machine_run|work'
		instruction='^(notrack +)?jmp +[*]'
		;;
	strsort)
		functions='string_compare|insertion_sort|string_sort|work'
		instruction=$byte
		;;
	lz77)
		functions='lz_match_length|find_match|lz_compress|work'
		instruction=$byte
		;;
	esac
	if in_loop "$1" "$functions" "$instruction" "$3"; then
		tap_ok "$claim"
	else
		tap_not_ok "$claim"
	fi
}

test_units_matter()
{
	values=
	for units in 1 2 3 99 100 101; do
		values="$values $(wl_field "$(wl_run "$1" "units=$units")" check)"
	done
	# shellcheck disable=SC2086
	tap_is "$(printf '%s\n' $values | sort -u | wc -l | tr -d ' ')" 6 "$2: another number of units, another check value"
	tap_is "$(wl_field "$(wl_run "$1" units=3 warmup=2)" check)" "$(wl_field "$(wl_run "$1" units=3)" check)" \
		"$2: a warm-up does not change the check value"
}

# The check value in workload.yaml is from the model too; these are numbers of units that the file does not have.
test_model()
{
	claim="$3: check values as in the Python model"
	if ! command -v python3 >/dev/null; then
		tap_skip "$claim" "no python3"
		return
	fi
	got=
	for units in $model_units; do
		got="$got$(wl_field "$(wl_run "$1" "units=$units")" check) "
	done
	wait "$models"
	tap_is "$got" "$(tr '\n' ' ' <"$scratch/$2.model")" "$claim"
}

# The models' values do not depend on a compiler, and take their time.
run_models()
{
	for kernel in $kernels; do
		for units in $model_units; do
			python3 "tests/golden/workloads/$kernel.py" "$units"
		done >"$scratch/$kernel.model"
	done
}

# Other programs on the machine disturb for seconds; so what fails is tried again later, before it counts.
test_doubling()
{
	attempt=0
	units=$(wl_calibrated "$1" 2000000)
	while :; do
		attempt=$((attempt + 1))
		said=$(wl_test_doubling "$1" "$units" "$2")
		case $said in
		ok*)
			tap_ok "$2: twice the units take twice the time"
			return
			;;
		esac
		if [ "$attempt" -eq 5 ]; then
			tap_not_ok "$2: twice the units take twice the time"
			tap_note "$said"
			return
		fi
		sleep 2
	done
}

# test_builds CC VARIANT FLAG..
test_builds()
{
	cc=$1
	variant=$2
	shift 2
	wl_build_all "$scratch" "$cc" "$kernels" "$@"
	for kernel in $kernels; do
		text="$kernel, $cc $variant"
		bin="$scratch/$kernel"
		if ! wl_built "$bin"; then
			tap_not_ok "$text: builds"
			continue
		fi
		wl_test_check "$bin" "$kernel" "$text"
		case $variant in
		'check only') continue ;;
		esac
		test_machine_code "$bin" "$kernel" "$text"
		case $variant$FULL in
		-O2 | '-O2 -flto' | '-O3 -march=native' | *1) test_doubling "$bin" "$text" ;;
		esac
		if [ "$variant" = -O2 ]; then
			tap_is "$(cat "$bin.log")" '' "$kernel, $cc: no warnings"
			test_units_matter "$bin" "$text"
			test_model "$bin" "$kernel" "$text"
		fi
	done
}

test_compiler()
{
	if ! command -v "$1" >/dev/null; then
		tap_skip "workloads built with $1" "no $1"
		return
	fi
	test_builds "$1" -O2 -std=gnu11 -O2 -Wall -Wextra -Wconversion -Wshadow
	test_builds "$1" -O3 -O3
	if links "$1" -O2 -march=native; then
		test_builds "$1" '-O3 -march=native' -O3 -march=native
		# values are exact, so even this may not change a bit
		test_builds "$1" 'check only' -O3 -march=native -ffast-math
	else
		tap_skip "workloads built with $1 -march=native" "$1 has no -march=native here"
	fi
	# clang needs a linker that understands its intermediate code
	if links "$1" -O2 -flto; then
		test_builds "$1" '-O2 -flto' -O2 -flto
	elif links "$1" -O2 -flto -fuse-ld=lld; then
		test_builds "$1" '-O2 -flto' -O2 -flto -fuse-ld=lld
	else
		tap_skip "workloads built with $1 -flto" "$1 cannot link with -flto here"
	fi
	if links "$1" -O2 -static; then
		test_builds "$1" '-O2 -static' -O2 -static
	else
		tap_skip "workloads built with $1 -static" "no static C library"
	fi
}

test_check_only()
{
	if ! command -v "$1" >/dev/null; then
		tap_skip "workloads built with $1" "no $1"
		return
	fi
	test_builds "$1" 'check only' -O2
}

# test_sabotage NAME SOURCE EXPECTED: the workload with SOURCE's work replaced by the C text on standard input, which
# does less, has to be noticed: 'refuses' means exit 70, 'differs' another check value.
test_sabotage()
{
	text="$1: $2 that leaves work out is noticed"
	sources="workloads/driver/driver.c $scratch/sabotage.c"
	cat >"$scratch/sabotage.c"
	for source in $(wl_sources "$1"); do
		case $source in
		*/"$2") ;;
		*) sources="$sources $source" ;;
		esac
	done
	# shellcheck disable=SC2086
	if ! "$host_cc" -O2 -Iworkloads/driver "-Iworkloads/$1" -o "$scratch/sabotage" $sources; then
		tap_not_ok "$text"
		return
	fi
	line=$(wl_run "$scratch/sabotage" "units=$(wl_yaml "$1" check.units)" 2>"$scratch/sabotage.log")
	status=$?
	case $3 in
	refuses)
		tap_is "$status$(sed 's/^.*: the last.*/ said/; s/^.*: string.*/ said/' "$scratch/sabotage.log")" '70 said' "$text"
		;;
	differs)
		if [ "$status" -eq 0 ] && [ "$(wl_field "$line" check)" != "$(wl_yaml "$1" check.value)" ]; then
			tap_ok "$text"
		else
			tap_not_ok "$text"
		fi
		;;
	esac
}

# Blocks that the workload never has: short, random, all one byte, with matches of every length and distance; then
# damaged ones, which may decode to anything, but within their room.
test_coder()
{
	cat >"$scratch/coder_test.c" <<'C'
#include <stdio.h>
#include <string.h>
#include "coder.h"

static uint32_t state = 1;

static uint32_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

int main(void)
{
	static uint8_t from[LZ_BLOCK], coded[LZ_CODED_MAX + 1], to[LZ_BLOCK + 1];

	for (unsigned round = 0; round < 3000; round++) {
		size_t n = round < 40 ? round : draw() % (LZ_BLOCK + 1);
		uint32_t kinds = 1u << draw() % 9;
		size_t size;

		if (round % 50 == 49)
			n = LZ_BLOCK;
		for (size_t i = 0; i < n; i++)
			from[i] = (uint8_t)(draw() >> 8 & (kinds - 1));
		for (unsigned copies = draw() % 8; copies > 0 && n >= 64; copies--)
			memmove(from + draw() % (n / 2), from + draw() % (n / 2), draw() % (n / 2));
		coded[LZ_CODED_MAX] = to[n] = 0xa5;
		size = lz_compress(coded, from, n);
		if (size > LZ_CODED_MAX || coded[LZ_CODED_MAX] != 0xa5 || lz_decompress(to, n, coded, size) != n ||
			memcmp(from, to, n) != 0 || to[n] != 0xa5)
			return printf("round %u, %zu bytes: not what it was\n", round, n), 1;
		if (n > 0 && lz_decompress(to, n - 1, coded, size) != 0)
			return printf("round %u: too little room unnoticed\n", round), 1;
		for (unsigned damage = 0; damage < 4 && size > 0; damage++)
			coded[draw() % size] = (uint8_t)draw();
		if (lz_decompress(to, n, coded, size) > n || to[n] != 0xa5)
			return printf("round %u: damaged, and written too far\n", round), 1;
	}
	return 0;
}
C
	sanitize=
	if links "$host_cc" -fsanitize=address,undefined; then
		sanitize='-fsanitize=address,undefined -fno-sanitize-recover=all'
	fi
	# shellcheck disable=SC2086
	if "$host_cc" -O1 $sanitize -Iworkloads/lz77 -o "$scratch/coder_test" "$scratch/coder_test.c" \
		workloads/lz77/coder.c workloads/lz77/match.c; then
		tap_is "$("$scratch/coder_test" 2>&1) $?" ' 0' 'lz77: every kind of block decompresses to what it was'
	else
		tap_not_ok 'lz77: every kind of block decompresses to what it was'
	fi
}

run_models 2>"$scratch/models.log" &
models=$!
test_compiler gcc
test_compiler clang
test_check_only tcc
test_check_only musl-gcc

host_cc=
for cc in gcc clang cc; do
	if [ -z "$host_cc" ] && command -v "$cc" >/dev/null; then
		host_cc=$cc
	fi
done
if [ -z "$host_cc" ]; then
	tap_skip 'sabotaged workloads, and the coder alone' 'no C compiler'
else
	test_coder
	test_sabotage matmul multiply.c differs <<'C'
#include "multiply.h"
void add_multiple(double *restrict sum, double factor, const double *restrict row, size_t n)
{
	for (size_t j = 0; j + 1 < n; j++)
		sum[j] += factor * row[j];
}
C
	test_sabotage bytecode interpreter.c differs <<'C'
#include "machine.h"
void machine_run(struct machine *machine, const struct instruction *code)
{
	(void)machine;
	(void)code;
}
C
	test_sabotage strsort sort.c refuses <<'C'
#include "sort.h"
void string_sort(const char **strings, const char **spare, size_t n)
{
	(void)strings;
	(void)spare;
	(void)n;
}
C
	test_sabotage lz77 match.c refuses <<'C'
#include "coder.h"
size_t lz_match_length(const uint8_t *a, const uint8_t *b, size_t limit)
{
	(void)a;
	(void)b;
	return limit;
}
C
fi
tap_end
