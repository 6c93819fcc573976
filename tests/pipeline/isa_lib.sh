# shellcheck shell=sh disable=SC2154
# Shared by tests that hold flagstone's decoder against objdump. Sourced with the repository as current folder, after
# workload_lib.sh; needs OUT (the object folder, where the unit test that prints a sweep is) and scratch.

isa_print=$OUT/tests/unit/test_code_isa

# isa_ours FILE, isa_theirs FILE ARCH: "SET COUNT" lines, sorted; what they are an example of in ours.raw, theirs.raw.
isa_ours()
{
	"$isa_print" "$1" >"$scratch/ours.raw" || return 1
	awk '$1 != "bad" { print $1, $2 }' "$scratch/ours.raw" | sort
}
isa_theirs()
{
	case $2 in
	aarch64) aarch64-linux-gnu-objdump -d -z -M no-aliases "$1" | awk -v examples=1 -f tests/pipeline/isa_aarch64.awk ;;
	*) objdump -d -z -M intel --insn-width=16 "$1" | awk -v examples=1 -f tests/pipeline/isa_x86.awk ;;
	esac >"$scratch/theirs.raw"
	awk '{ print $1, $2 }' "$scratch/theirs.raw" | sort
}

# isa_agree FILE ARCH WHAT: notes each set that only one of the two finds; 1 when there is one. Sets are held against each
# other, and how many instructions of each where WHAT is "counts".
isa_agree()
{
	if ! isa_ours "$1" >"$scratch/ours" || ! isa_theirs "$1" "$2" >"$scratch/theirs"; then
		tap_note "$1: not decoded"
		return 1
	fi
	if [ "$2" = aarch64 ]; then # the script knows no widths there
		grep -v '^vector' "$scratch/ours" >"$scratch/left"
	else
		cp "$scratch/ours" "$scratch/left"
	fi
	cp "$scratch/theirs" "$scratch/right"
	if [ "$3" != counts ]; then
		for side in left right; do
			sed '/^vector/!s/ .*//' "$scratch/$side" >"$scratch/names" && mv "$scratch/names" "$scratch/$side"
		done
	fi
	cmp -s "$scratch/left" "$scratch/right" && return 0
	diff "$scratch/left" "$scratch/right" | grep '^[<>]' | while read -r side set rest; do
		case $side in
		'<') tap_note "$1: flagstone has $set $rest: $(grep "^$set " "$scratch/ours.raw" | cut -f2)" ;;
		*) tap_note "$1: objdump has $set $rest: $(grep "^$set " "$scratch/theirs.raw" | cut -f2- | tr '\t' ' ')" ;;
		esac
	done
	return 1
}

# isa_text FILE OUT: the bytes of .text alone as an object without symbols, so that both begin at its first byte.
isa_text()
{
	objcopy -O binary -j .text "$1" "$2.bin" 2>/dev/null && [ -s "$2.bin" ] &&
		objcopy -I binary -O elf64-x86-64 -B i386:x86-64 --rename-section .data=.text,alloc,code,readonly,contents \
			"$2.bin" "$2" && rm -f "$2.bin"
}
