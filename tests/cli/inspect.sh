#!/bin/sh
# inspect: what it says of programs and objects made here is what binutils say; two files are compared; what is no machine
# code is named.
. tests/cli/cli_lib.sh

here=$scratch/here
cat >"$here/u.c" <<'END'
#include <stdio.h>
__attribute__((noinline)) int multiply(int x) { return x * 1103515245 + 12345; }
__attribute__((noinline)) void add(int *a, const int *b) { for (int i = 0; i < 64; i++) a[i] += b[i]; }
int main(int argc, char **argv) { int a[64] = {argc}; (void)argv; add(a, a); printf("%d\n", multiply(a[0])); return 0; }
END
(cd "$here" && gcc -O2 -g -o hello u.c && gcc -O2 -c -o one.o u.c && sed 's/12345/12346/' u.c >v.c && gcc -O2 -c -o two.o v.c &&
	gcc -O2 -g -c -o again.o u.c && gcc -O2 -flto -c -o lto.o u.c && strip -o bare hello && gcc -static -O2 -o still u.c &&
	gcc -O2 -falign-functions=128 -c -o wide.o u.c && cp one.o three.o && ar rc lib.a one.o two.o u.c) || exit 1
has() { cli_has "$scratch/out" "$1" "$2"; }
word() { (cd "$here" && sh -c "$1"); } # what another tool says

cli inspect hello
tap_is "$status" 0 'a program is inspected'
has "$(word "readelf -p .comment hello | sed -n 's/^ *\\[ *0\\] *//p'")" 'its compiler is what readelf -p .comment says'
has "$(word "readelf --debug-dump=info hello | sed -n 's/.*DW_AT_producer.*: \\(GNU [^ ]*\\) .*/\\1/p' | head -n 1")" 'its flags are those of DW_AT_producer'
has "$(word "readelf -n hello | sed -n 's/ *Build ID: //p'")" 'its build-id is what readelf -n says'
has "$(word 'sha256sum <hello | cut -d" " -f1')" 'its file hash is what sha256sum says'
has "$(word "readelf -d hello | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p' | tr '\\n' ' ' | sed 's/ $//'")" 'its libraries are what readelf -d says'
lines=$(wc -l <"$scratch/out")
tap_is "$([ "$lines" -le 24 ] && [ "$(COLUMNS=100; awk '{ if (length($0) > 104) n++ } END { print n + 0 }' "$scratch/out")" = 0 ] && echo fits)" fits \
	'all of it fits one screen'

cli inspect hello --json
jq '.files[0]' "$scratch/out" >"$scratch/hello.json"
tap_is "$(jq -r '.functions[] | select(.address != null and .name != null) | "\(.name) \(.size)"' "$scratch/hello.json" | sort)" \
	"$(word "nm -S hello | awk 'NF == 4 && \$3 ~ /[tTwW]/ {print \$4, \$2}' | while read -r n s; do s=\$((0x\$s)); [ \$s -gt 0 ] && echo \"\$n \$s\"; done" | sort)" \
	'its functions are those of nm -S'
tap_is "$(jq -r '[.claims[].belief | select(length < 10)] | length' "$scratch/hello.json")" 0 'each claim says how far it can be believed'

case $(uname -m) in
x86_64)
	if [ "$(jq -r .isa.unknown "$scratch/hello.json")" = null ]; then
		(cd "$here" && gcc -O3 -march=x86-64-v3 -c -o v3.o u.c)
		cli inspect v3.o --json
		tap_is "$(jq -r '.files[0].isa | "\(.level) \(.vector_bits)"' "$scratch/out")" 'x86-64-v3 256' 'code for x86-64-v3 needs that level'
		example=$(jq -r '.files[0].isa.sets[] | select(.name == "avx2") | "\(.function) \(.instruction)"' "$scratch/out" | sed 's/,.*//')
		tap_is "$(word "objdump -d -M intel v3.o | grep -c '$(echo "$example" | cut -d' ' -f2-)'" | awk '{ print ($1 > 0) }')" 1 \
			'the example of avx2 is an instruction that objdump lists'
		tap_is "$(echo "$example" | cut -d' ' -f1 | grep -cx -e add -e main)" 1 'in a function that was vectorized'
		cli inspect one.o wide.o
		tap_is "$status $(head -n 1 "$scratch/out")" '1 same code but for padding' 'alignment alone is told from other code'
	fi
	;;
esac

cli inspect bare
has 'stripped' 'a stripped program is said to be'
has 'unwinding tables' 'and its functions were found by unwinding tables'
cli inspect still
has 'statically linked' 'a static program is said to be'
cli inspect lto.o
has "LTO's intermediate form only" 'an LTO object is said to be'
has 'unknown' 'and its code hash is unknown'

cli inspect one.o again.o
tap_is "$status $(head -n 1 "$scratch/out")" '0 same code' 'debug information is no code'
cli inspect one.o three.o
tap_is "$status $(head -n 1 "$scratch/out")" '0 same file' 'equal files are equal'
cli inspect one.o two.o
tap_is "$status $(head -n 1 "$scratch/out")" '1 other code' 'another constant is other code'
tap_is "$(sed -n 's/^  \([a-z]*\)  *other .*/\1/p' "$scratch/out")" multiply 'in the one function that has it'
cli inspect one.o two.o --json
tap_is "$(jq -r '.comparison.functions[] | select(.state == "other") | .name' "$scratch/out")" multiply 'and so in JSON'
cli inspect hello one.o
tap_is "$status" 5 'a program and an object cannot be compared for sure'

cli inspect lib.a
has 'archive of 2 objects and 1 other member' 'an archive tells its objects'
has 'one.o' 'and names them'
cli inspect lib.a --json
tap_is "$(jq -r '[.files[].path] | join(" ")' "$scratch/out")" 'lib.a(one.o) lib.a(two.o)' 'and so in JSON'

cli_fails 2 'inspect needs a file' 'no file is a usage error' inspect
cli_fails 3 'No such file' 'a missing file is named' inspect helo
printf '#!/bin/sh\nexit\n' >"$here/script"
: >"$here/nothing"
echo hi >"$here/note"
head -c 700 "$here/hello" >"$here/cut"
cli_fails 3 'script for /bin/sh' 'a script is said to be one' inspect script
cli_fails 3 'it is empty' 'an empty file is said to be' inspect nothing
cli_fails 3 'it is text' 'a text is said to be' inspect note
cli_fails 3 'it is a folder' 'a folder is said to be' inspect .
cli_fails 3 'cut' 'a cut program is said to be' inspect cut
cli_fails 3 'source code' 'source code is said to be' inspect u.c
cli inspect hello script
tap_is "$status $(wc -c <"$scratch/out")" '3 0' 'of two files one that cannot be read ends it'
cli inspect hello script one.o
tap_is "$status $(grep -c '^[a-z.]*: ' "$scratch/out")" '3 2' 'of three the others are shown'
tap_end
