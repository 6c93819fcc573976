#!/bin/sh
# A slice of the part `native` of `make trust` (tests/trust/README.md): builds of real compilers on simulated CPUs, whose
# truth objcopy tells. With FULL=1, as in tests/soak, the same by the program alone: two machines whose gcc is asked for
# native, run and compared.
. tests/pipeline/run_lib.sh

: "${OUT:?the object folder, set by tests/run.sh}"
trust="$top/$OUT/tests/trust/trust"
tab=$(printf '\t')

reason=''
[ "$(uname -m)" = x86_64 ] || reason='this machine is no x86_64 one'
command -v qemu-x86_64 >/dev/null || reason='there is no qemu-x86_64'
# a sanitizer's shadow memory lies where qemu puts the program
grep -q __asan_init "$trust" && reason='this build has a sanitizer in it, and does not run under qemu'
if [ -n "$reason" ]; then
	tap_skip 'builds on simulated CPUs' "$reason"
	tap_end
	exit
fi

# the second one at the same time: this CPU, where what differs is the compiler
"$trust" --tiny --compilers 'gcc clang' >"$scratch/pairs.here" 2>"$scratch/err.here" &
here=$!
ONLY=native "$trust" --tiny >"$scratch/pairs" 2>"$scratch/err"
status=$?
[ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/err"
tap_is "$status" 0 'no pair is judged wrongly'
tap_is "$(grep -c "^native-wrong${tab}0.000${tab}pairs${tab}<=0$" "$scratch/pairs")" 1 'which a figure says'
pairs=$(sed -n "s/^native-pairs${tab}\([0-9]*\)\..*/\1/p" "$scratch/pairs")
# 2 CPUs x 2 sets of flags are 4 builds of one source: 6 pairs
tap_is "$pairs" 6 'of all pairs that there are'
tap_has "$scratch/pairs" 'gcc -O2 -march=native' 'the table has a row for each compiler and its flags'
# the line of all pairs: equal code COMPARABLE, caveat, INCOMPARABLE, other code COMPARABLE, caveat, INCOMPARABLE
said=$(awk '$1 == "all" { print ($4 > 0), $6, $8, ($10 > 0) }' "$scratch/pairs")
tap_is "$said" '1 0 0 1' 'equal code is called COMPARABLE, other code INCOMPARABLE'

wait "$here"
tap_is "$?" 0 'nor is one of gcc and clang on this CPU'
tap_has "$scratch/pairs.here" 'two compilers' 'which are held against each other'

if [ -z "${FULL:-}" ]; then
	tap_end
	exit
fi

# ---- two machines and the program alone: Nehalem against Haswell, whose code this CPU can run
case " $(sed -n '/^flags/{s/.*: //p;q}' /proc/cpuinfo) " in
*' avx2 '*) ;;
*)
	tap_skip 'a run on each of two simulated machines' 'this CPU cannot run code for Haswell'
	tap_end
	exit
	;;
esac
p=$scratch/p
project_make "$p"
cat >"$scratch/sim" <<EOF
#!/bin/sh
read -r model <'$scratch/model'
exec qemu-x86_64 -cpu "\$model" "$(command -v gcc)" "\$@"
EOF
chmod +x "$scratch/sim"
printf 'name: here\nfamily: gcc\ncc: %s/sim\n' "$scratch" >"$p/toolchains/here.yaml"
# rotates and shifts: one instruction of BMI2 where the CPU has that
cat >"$p/workloads/count/step.c" <<'EOF'
#include <stdint.h>
uint32_t step(uint32_t x);
uint32_t step(uint32_t x)
{
	volatile unsigned by = 0;
	return (x << by) * 3u;
}
EOF
cat >"$p/matrices/machines.yaml" <<'EOF'
workloads: [count]
slots: [here]
baseline: v2
variants:
  v2:     {cflags: -O2 -march=x86-64-v2 -mtune=generic}
  native: {cflags: -O2 -march=native}
measure: {sample: 1ms, layouts: 1, rounds: 8, precision: 10%, matters: 5%, budget: 20s, timeout: 10s}
EOF
# a PATH without other compilers, which would be looked at, too
mkdir "$scratch/tools"
for tool in sh as ld ar nm objcopy objdump strip qemu-x86_64; do
	ln -s "$(command -v $tool)" "$scratch/tools/$tool"
done
for model in Nehalem Haswell; do
	echo "$model" >"$scratch/model"
	# each machine has a cache of its own; the objects that every build links do not depend on the CPU
	[ "$model" = Nehalem ] || {
		mkdir -p "$scratch/cache-$model/flagstone"
		cp -R "$scratch/cache-Nehalem/flagstone/objects" "$scratch/cache-$model/flagstone/"
	}
	PATH="$scratch/tools" XDG_CACHE_HOME="$scratch/cache-$model" "$FLAGSTONE" run machines -C "$p" --host "$model" \
		--archive "$scratch/archive" --quiet >"$scratch/out" 2>"$scratch/err"
	tap_is "$(tap_run_code $?)" 0 "a run on a simulated $model"
done
one=$(find "$scratch/archive" -path '*Nehalem*' -name '*.json.gz')
two=$(find "$scratch/archive" -path '*Haswell*' -name '*.json.gz')
for record in "$one" "$two"; do
	zcat "$record" | jq -r '.builds[] | select(.variant == "native") | .facts["resolved.march"].value'
done >"$scratch/march"
tap_is "$(tr '\n' ' ' <"$scratch/march")" 'nehalem haswell ' 'native became what each CPU is'
fs "$p" compare "$one" "$two" --axis machine --archive "$scratch/archive" --json
cp "$scratch/out" "$scratch/compared"
verdict() { # verdict VARIANT
	jq -r --arg v "$1" '[.cells[] | select(.cell | contains("/" + $v + "/")) | .comparisons[].comparable] | join(" ")' \
		"$scratch/compared"
}
tap_is "$(verdict native)" incomparable 'native against native is INCOMPARABLE'
# a busy moment may be a caveat of its own
tap_is "$(verdict v2 | sed 's/^caveat$/comparable/')" comparable 'and the explicit level, with equal code, is not'
fs "$p" compare "$one" "$two" --axis machine --archive "$scratch/archive"
tap_has "$scratch/out" 'march=x86-64-v' 'the advice is an explicit level'
tap_end
