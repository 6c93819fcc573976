#!/bin/sh
# inspect --native: what native means to each compiler of this machine, the words that say it, held against the compilers
# themselves; and hidden inputs of a build, which are said and change nothing.
. tests/cli/cli_lib.sh

p=$scratch/p
project_small "$p"
# these families only: who else is on the machine would be asked at each start, and is not what is claimed here
cp "$top/toolchains/clang.yaml" "$top/toolchains/tcc.yaml" "$p/toolchains/"

cli -C "$p" inspect --native gcc --json
if [ "$status" -ne 0 ]; then
	tap_not_ok "inspect --native gcc answers"
	tap_note "$(cat "$scratch/err")"
	tap_end
	exit 1
fi
tap_ok "inspect --native gcc answers"
words=$(jq -r '.toolchains[0].explicit | join(" ")' "$scratch/out")
march=$(jq -r '.toolchains[0].facts["resolved.march"].value' "$scratch/out")
by_hand=$(gcc -march=native -Q --help=target 2>/dev/null | awk '$1 == "-march=" {print $2; exit}')
tap_is "$march" "$by_hand" "the name is what gcc says of itself"
tap_is "$(jq -r '.toolchains[0].tried' "$scratch/out")" same "the words were tried, and give the same code"
cat >"$scratch/loop.c" <<-'END'
	void loop(float *a, const float *b, const int *at, int n)
	{
		for (int i = 0; i < n; i++)
			a[i] += b[at[i]] * 0.5f;
	}
END
gcc -O3 -march=native -c "$scratch/loop.c" -o "$scratch/one.o"
# shellcheck disable=SC2086 # these are words
gcc -O3 $words -c "$scratch/loop.c" -o "$scratch/two.o"
for part in one two; do objdump -d "$scratch/$part.o" | sed 1,3d >"$scratch/$part"; done
if cmp -s "$scratch/one" "$scratch/two"; then tap_ok "and so they do by hand"; else tap_not_ok "and so they do by hand"; fi

cli -C "$p" inspect --native
tap_is "$status" 0 "without names all compilers are asked"
for claim in "native is" "The same in so many words:" "To compare across machines and compilers"; do
	cli_has "$scratch/out" "$claim" "the text has: $claim"
done
lines=$(wc -l <"$scratch/out")
if [ "$lines" -le 50 ]; then tap_ok "it fits a screen"; else tap_not_ok "it fits a screen ($lines lines)"; fi
if command -v tcc >/dev/null 2>&1; then
	cli_has "$scratch/out" "tcc takes -march=native and ignores it" "tcc is said to ignore native"
fi
cli -C "$p" inspect --native "$(command -v gcc)"
tap_is "$status" 0 "a compiler may be named by its path"
cli_fails 3 "no gcc-99 in PATH" "a compiler that is not there is said" -C "$p" inspect --native gcc-99
cli_fails 3 "there is gcc" "with what there is" -C "$p" inspect --native gccc
cli_fails 3 "/nonexistent/cc" "so is a path that leads nowhere" -C "$p" inspect --native /nonexistent/cc

# hidden inputs: the same build, and what was there is said
build() { cli -C "$p" build small --fresh --json; }
build
before=$(jq -S '[.builds[] | {content_hash, code_hash}]' "$scratch/out")
mkdir -p "$scratch/evil"
echo '#error evil' >"$scratch/evil/stdio.h"
export CPATH="$scratch/evil" LIBRARY_PATH="$scratch/evil" COMPILER_PATH="$scratch/evil" GCC_EXEC_PREFIX="$scratch/evil/"
export CCC_OVERRIDE_OPTIONS=+-O0 GCC_COMPARE_DEBUG=-gtoggle C_INCLUDE_PATH="$scratch/evil" CCACHE_PREFIX=/nonexistent
build
tap_is "$status" 0 "a build in a hostile environment works"
tap_is "$(jq -S '[.builds[] | {content_hash, code_hash}]' "$scratch/out")" "$before" "and gives the same code"
unset CPATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX CCC_OVERRIDE_OPTIONS GCC_COMPARE_DEBUG C_INCLUDE_PATH CCACHE_PREFIX
tap_end
