#!/bin/sh
# Before a program runs: one that uses what no CPU here has fails its cell with function and instruction, also where
# link-time optimisation made the code; one that looks at the CPU itself is run; so is one under an emulator, and both are
# said. XOP is used: only AMD's processors of 2011 to 2016 have it, and GNU as knows it.
. tests/pipeline/run_lib.sh

if [ "$(uname -m)" != x86_64 ] || grep -qw xop /proc/cpuinfo; then
	tap_skip 'instruction sets are checked before a run' 'not an x86-64 CPU without XOP'
	tap_end
	exit $?
fi
p=$scratch/p
project_make "$p"
cat >"$p/workloads/count/step.c" <<'EOT'
#include <stdint.h>
uint32_t step(uint32_t x);
uint32_t step(uint32_t x)
{
#ifdef LOOKS
	if (__builtin_cpu_supports("xop"))
#endif
#ifdef XOP
		__asm__ volatile("vpperm %%xmm0,%%xmm1,%%xmm2,%%xmm3" ::: "xmm3");
#endif
	return x * 3u;
}
EOT
cat >"$p/matrices/xop.yaml" <<'EOT'
workloads: [count]
slots: [gcc]
baseline: good
variants:
  good:   {cflags: -O2}
  xop:    {cflags: -O2 -DXOP}
  looks:  {cflags: -O2 -DXOP -DLOOKS}
  lto:    {cflags: -O2 -flto -DXOP, ldflags: -O2 -flto}
  static: {cflags: -O2 -flto -DXOP, ldflags: -O2 -flto -static}
measure: {sample: 100us, layouts: 1, rounds: 6, budget: 20s, timeout: 10s}
EOT

# of VARIANT FILTER: of a cell of the newest record
of() {
	zcat "$(newest_record "$p/archive")" | jq -r --arg cell "count/gcc/$1/1" ".builds[] | select(.cell == \$cell) | $2"
}

fs "$p" run xop
decoder=$(of good '.facts["isa.used"].unknown // "there"')
if [ "$decoder" = 'built without Zydis' ]; then
	tap_is "$(tap_run_code "$status")" 6 'without a decoder the programs are run, and die'
	zcat "$(newest_record "$p/archive")" | jq -r '.notes[]' >"$scratch/notes"
	tap_has "$scratch/notes" 'built without Zydis' 'a note says that nothing was checked, and why'
	tap_end
	exit $?
fi
tap_is "$status" 6 'a run with cells that were refused ends with 6'
tap_is "$(of good .status) $(of good '.facts["isa.used"].value') $(of good '.facts["isa.level"].value')" 'measured none x86-64-v1' \
	'what needs nothing beyond the baseline is measured'
of xop '.status + ": " + .reason' >"$scratch/reason"
tap_has "$scratch/reason" 'run failed: not run: it uses xop' 'XOP: the cell fails before it is run'
tap_has "$scratch/reason" 'vpperm xmm3' 'XOP: the reason has the instruction'
tap_has "$scratch/reason" 'in step+0x' 'XOP: and the function'
tap_is "$(of xop '.facts["isa.used"].value + " " + .facts["isa.vector_bits"].value + " " + .facts["isa.beyond"].value')" 'xop 128 xop' \
	'XOP: the facts say what it uses'
for variant in lto static; do
	of $variant '.status + ": " + (.reason // "")' >"$scratch/reason"
	if [ $variant = static ] && grep -q '^impossible' "$scratch/reason"; then
		tap_skip 'static LTO' 'no static C library'
	else
		tap_has "$scratch/reason" 'not run: it uses xop' "$variant: what link-time optimisation made is read, too"
	fi
done
tap_is "$(of looks .status)" measured 'a program that looks at the CPU itself is run'
zcat "$(newest_record "$p/archive")" | jq -r '.notes[]' >"$scratch/notes"
tap_has "$scratch/notes" 'count/gcc/looks/1 was not held against what the CPU has: it holds code with xop' 'and a note says so'

# from the cache: the same facts without decoding, and without a compiler's call
fs "$p" run xop
tap_is "$(of xop '.status + " " + .facts["isa.used"].value')" 'run failed xop' 'a build from the cache is refused just so'
# an entry of a flagstone that knew no such facts
for meta in "$XDG_CACHE_HOME"/flagstone/builds/*/build.json; do
	jq 'del(.facts["isa.used"], .facts["isa.level"], .facts["isa.example.xop"])' "$meta" >"$scratch/meta" && cp "$scratch/meta" "$meta"
done
fs "$p" run xop
tap_is "$(of xop '.status + " " + .facts["isa.used"].value')" 'run failed xop' 'an older entry of the cache is decoded'
tap_is "$(cat "$XDG_CACHE_HOME"/flagstone/builds/*/build.json | grep -c '"isa.used"')" "$(find "$XDG_CACHE_HOME"/flagstone/builds -name build.json | wc -l)" \
	'and keeps what was found'

# under an emulator: what that has is not what /proc/cpuinfo says
if command -v qemu-x86_64 >/dev/null 2>&1; then
	printf 'name: emulated\nfamily: gcc\ncc: gcc\nrunner: qemu-x86_64\n' >"$p/toolchains/emulated.yaml"
	sed -e 's/slots: .*/slots: [emulated]/' -e '/^  looks/d' -e '/^  lto/d' -e '/^  static/d' "$p/matrices/xop.yaml" >"$p/matrices/emulated.yaml"
	fs "$p" run emulated
	zcat "$(newest_record "$p/archive")" | jq -r '.notes[]' >"$scratch/notes"
	tap_has "$scratch/notes" 'count/emulated/good/1 and 1 more cell were not held against what the CPU has: it is run by' \
		'cells under an emulator are not refused, and a note says so'
	zcat "$(newest_record "$p/archive")" | jq -r '.builds[].reason // ""' >"$scratch/reason"
	tap_is "$(grep -c 'not run' "$scratch/reason")" 0 'none of them is refused'
else
	tap_skip 'cells under an emulator are not refused' 'no qemu-x86_64'
fi
tap_end
