#!/bin/sh
# Objects with a million sections of several kinds, and ones that overlap: readers end, within bounds of time and memory.
set -u
# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh
: "${OUT:?the folder of objects, set by tests/run.sh}"

scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
if (
	# shellcheck disable=SC3045 # every sh here has it
	ulimit -v 4000000
	FLAGSTONE_TEST_SECTIONS=1000000 TMPDIR=$scratch \
		timeout 600 "$OUT/tests/unit/test_code_hostile"
) >"$scratch/log" 2>&1; then
	tap_ok 'a million sections are read or refused, in ten minutes and 4 GB'
else
	tap_not_ok 'a million sections are read or refused, in ten minutes and 4 GB'
	tap_note "$(tail -n 5 "$scratch/log")"
fi
tap_end
