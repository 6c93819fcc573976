#!/bin/sh
# Instruction sets by flagstone's decoder and by objdump's text (isa_x86.awk, isa_aarch64.awk), on the same bytes: all
# workloads at 8 sets of flags by each compiler, and .text of system binaries, 20 MB of it.
#
# What is known to differ, and why it is left out of the comparison or cannot be:
#	numbers of instructions in system binaries	where tables lie among code (libcrypto), both decode data, and come
#							out of step by some bytes: sets are held against each other there
#	mmx, sse, sse2					every x86-64 has them
#	TZCNT						`rep bsf` for flagstone; the script knows no TZCNT either
set -u
# shellcheck source=tests/pipeline/workload_lib.sh
. tests/pipeline/workload_lib.sh
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
# shellcheck source=tests/pipeline/isa_lib.sh
. tests/pipeline/isa_lib.sh

system_bytes=20000000

# compared ARCH COMPILER FLAGS..: every source of every workload
compared()
{
	arch=$1 cc=$2
	shift 2
	agreed=0 objects=0
	for source in workloads/*/*.c; do
		"$cc" -w -Iworkloads/driver "$@" -c -o "$scratch/o.o" "$source" 2>/dev/null || continue
		objects=$((objects + 1))
		isa_agree "$scratch/o.o" "$arch" counts && agreed=$((agreed + 1))
	done
	if [ "$objects" -gt 10 ]; then
		tap_is "$agreed" "$objects" "$cc $*: $objects objects agree"
	else
		tap_not_ok "$cc $*: only $objects sources were compiled"
	fi
}

# The largest programs and libraries first that are not compilers, whose code is of one kind.
system_files()
{
	for file in /usr/lib/x86_64-linux-gnu/lib*.so.* /usr/lib64/lib*.so.* /usr/bin/* /lib64/ld-linux-x86-64.so.2; do
		[ -f "$file" ] && [ ! -L "$file" ] && head -c 4 "$file" 2>/dev/null | grep -q ELF && stat -c '%s %n' "$file"
	done | sort -rn | awk '$1 < 8000000 { print $2 }'
}

if [ "$(uname -m)" != x86_64 ]; then
	tap_skip 'x86-64 code' 'not an x86-64 machine'
elif ! "$isa_print" /bin/sh >/dev/null 2>"$scratch/why"; then
	tap_skip 'x86-64 code' "$(cat "$scratch/why")"
else
	for cc in gcc clang; do
		command -v "$cc" >/dev/null 2>&1 || continue
		compared x86_64 "$cc" -O0
		compared x86_64 "$cc" -O2
		compared x86_64 "$cc" -O3 -march=x86-64-v2
		compared x86_64 "$cc" -O2 -march=x86-64-v3
		compared x86_64 "$cc" -O3 -march=x86-64-v4 -mprefer-vector-width=512
		compared x86_64 "$cc" -O3 -march=native -ffast-math
		compared x86_64 "$cc" -O3 -march=bdver4
		compared x86_64 "$cc" -O3 -march=sapphirerapids -ffast-math
	done
	total=0 files=0 agreed=0
	for file in $(system_files); do
		[ "$total" -lt "$system_bytes" ] || break
		isa_text "$file" "$scratch/t.o" || continue
		files=$((files + 1))
		total=$((total + $(stat -c %s "$scratch/t.o")))
		if isa_agree "$scratch/t.o" x86_64 sets; then agreed=$((agreed + 1)); else tap_note "that was $file"; fi
	done
	tap_is "$agreed" "$files" "$files system binaries agree, $total bytes"
	if [ "$total" -lt "$system_bytes" ]; then
		tap_note "only $total bytes of system binaries are here"
	fi
fi
if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
	cc=aarch64-linux-gnu-gcc
	compared aarch64 "$cc" -O0
	compared aarch64 "$cc" -O2
	compared aarch64 "$cc" -O2 -mno-outline-atomics -march=armv8.1-a
	compared aarch64 "$cc" -O3 -march=armv8.2-a+fp16+dotprod
	compared aarch64 "$cc" -O3 -march=armv8.4-a+sve
	compared aarch64 "$cc" -O3 -march=armv8.6-a+sve2 -ffast-math
	compared aarch64 "$cc" -O2 -mcpu=neoverse-v1 -mbranch-protection=standard
	compared aarch64 "$cc" -O3 -mcpu=neoverse-n2
else
	tap_skip 'aarch64 code' 'no aarch64-linux-gnu-gcc'
fi
tap_end
