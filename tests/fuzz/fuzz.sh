#!/bin/sh
# Builds each tests/fuzz/fuzz_NAME.c with clang's fuzzer and AddressSanitizer, together with the harness, and lets
# it run. Inputs that it found worth keeping stay in .build/fuzz/NAME, so that the next run begins where this one
# ended; what crashed is in .build/fuzz/NAME-crash-*. Seeds, if any, are in tests/fuzz/NAME/.
#
#	make fuzz                     60 seconds each
#	FUZZ_SECONDS=600 ONLY=yaml make fuzz
set -u
LC_ALL=C
export LC_ALL
seconds=${FUZZ_SECONDS:-60}
out=.build/fuzz

set -- tests/fuzz/fuzz_*.c
if ! [ -e "$1" ]; then
	echo 'fuzz: there is no tests/fuzz/fuzz_*.c' >&2
	exit 3
fi
mkdir -p "$out/objects" || exit 3
libraries=$(pkg-config --cflags --libs libgit2 zlib jansson libelf yaml-0.1) || exit 3
if printf '#include <Zydis/Zydis.h>\n' | clang -E -x c - >/dev/null 2>&1; then
	libraries="$libraries -DHAVE_ZYDIS -lZydis"
fi

compile() # WHAT WORDS..: with the sanitizers, and with the fuzzer's main for WHAT = fuzzer
{
	kind=$1
	shift
	# shellcheck disable=SC2086 # pkg-config's answer is words
	clang -std=gnu11 -O1 -g "-fsanitize=address,undefined,$kind" -D_GNU_SOURCE -Iharness \
		-Iworkloads "$@" $libraries -lm
}

# An object is made again when its source or any header is newer.
newest_header=$(find harness workloads -name '*.h' -exec ls -t {} + | head -n 1)
rm -f "$out/harness.a"
for source in harness/*/*.c; do
	case $source in harness/helpers/*) continue ;; esac
	object="$out/objects/$(echo "${source%.c}" | tr / _).o"
	if [ -z "$(find "$object" -newer "$source" -newer "$newest_header" 2>/dev/null)" ]; then
		compile fuzzer-no-link -Wno-unused-command-line-argument -c -o "$object" "$source" || exit 3
	fi
	ar rc "$out/harness.a" "$object" || exit 3
done

status=0
ran=0
for source; do
	name=${source#tests/fuzz/fuzz_}
	name=${name%.c}
	case ${ONLY:-$name} in "$name") ;; *) continue ;; esac
	ran=$((ran + 1))
	compile fuzzer -o "$out/fuzz_$name" "$source" "$out/harness.a" || exit 3
	mkdir -p "$out/$name"
	set -- "$out/$name"
	if [ -d "tests/fuzz/$name" ]; then
		set -- "$@" "tests/fuzz/$name"
	fi
	if "$out/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$out/$name-" \
		-print_final_stats=1 "$@" >"$out/$name.log" 2>&1; then
		echo "fuzz $name: clean after $(sed -n 's/^stat::number_of_executed_units: //p' "$out/$name.log") inputs"
	else
		echo "fuzz $name: FAILED; $out/$name.log ends with" >&2
		tail -n 30 "$out/$name.log" >&2
		status=1
	fi
done
if [ "$ran" -eq 0 ]; then
	echo "fuzz: there is no tests/fuzz/fuzz_$ONLY.c" >&2
	exit 2
fi
exit $status
