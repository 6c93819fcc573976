#!/bin/sh
# Instruction sets by flagstone's decoder and by objdump's text, on the same bytes: some workloads at levels of x86-64, the
# C library's mathematics, whose functions for many CPUs lie beside one another, and aarch64 where there is a cross
# compiler. tests/soak/decode.sh is the long form. The other side is isa_x86.awk and isa_aarch64.awk.
set -u
# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
# shellcheck source=tests/pipeline/isa_lib.sh
. tests/pipeline/isa_lib.sh

finish()
{
	tap_end
	exit $?
}
if ! command -v objdump >/dev/null 2>&1; then
	tap_skip 'the decoder agrees with objdump' 'no objdump'
	finish
fi

# compared ARCH COMPILER FLAGS..: the sources of three workloads, each as an object
compared()
{
	arch=$1 cc=$2
	shift 2
	agreed=0 objects=0
	for source in workloads/lz77/*.c workloads/whetstone/*.c workloads/matmul/*.c; do
		[ -f "$source" ] || continue
		"$cc" -w -Iworkloads/driver "$@" -c -o "$scratch/o.o" "$source" 2>/dev/null || continue
		objects=$((objects + 1))
		isa_agree "$scratch/o.o" "$arch" counts && agreed=$((agreed + 1))
	done
	if [ "$objects" -gt 0 ]; then
		tap_is "$agreed" "$objects" "$cc $*: sets and numbers of instructions agree"
	else
		tap_not_ok "$cc $*: no source was compiled"
	fi
}

if [ "$(uname -m)" != x86_64 ]; then
	tap_skip 'x86-64 code' 'not an x86-64 machine'
elif ! "$isa_print" /bin/sh >/dev/null 2>"$scratch/why"; then
	tap_skip 'x86-64 code' "$(cat "$scratch/why")"
else
	compared x86_64 gcc -O2
	compared x86_64 gcc -O3 -march=x86-64-v3
	compared x86_64 gcc -O3 -march=x86-64-v4 -mprefer-vector-width=512
	if command -v clang >/dev/null 2>&1; then
		compared x86_64 clang -O3 -march=x86-64-v4
	fi
	libm=$(gcc -print-file-name=libm.so.6)
	if [ -f "$libm" ] && isa_text "$libm" "$scratch/libm.o"; then
		if isa_agree "$scratch/libm.o" x86_64 sets; then tap_ok 'libm: sets agree'; else tap_not_ok 'libm: sets agree'; fi
	else
		tap_skip 'libm: sets agree' 'no libm.so.6'
	fi
fi
if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
	compared aarch64 aarch64-linux-gnu-gcc -O2
	compared aarch64 aarch64-linux-gnu-gcc -O3 -march=armv8.6-a+sve2
else
	tap_skip 'aarch64 code' 'no aarch64-linux-gnu-gcc'
fi

# The script itself finds what is there: it would agree with a decoder that finds nothing.
printf 'f: vpaddd %%zmm0,%%zmm1,%%zmm2\nblsr %%eax,%%ebx\nret\n' >"$scratch/s.s"
if as --64 -o "$scratch/s.o" "$scratch/s.s" 2>/dev/null; then
	tap_is "$(isa_theirs "$scratch/s.o" x86_64 | tr '\n' ' ')" 'avx512f 1 bmi 1 vector 512 ' 'objdump and the script find two sets in three instructions'
fi
finish
