#!/bin/sh
# `make check-compilers`: Debian's compilers beside each other on this CPU, which is what machines with other versions
# look like. Each pair of their builds at native and at explicit levels, as in the part `native` of `make trust`; the
# whole flags matrix by each; what native means under each. Takes some 15 minutes on 2 CPUs, so it is no part of
# `make check`; `make check RINGS=compilers` installs nothing, COMPILERS_WORKLOAD=lz77 builds that workload's cells only.
# Prints TAP lines, and the table of pairs as comments.
. tests/pipeline/run_lib.sh

: "${OUT:?the object folder, set by make}"
trust="$top/$OUT/tests/trust/trust"
wanted='gcc-11 gcc-12 clang-13 clang-14 clang-15 clang-16 clang-19'
found=''
for compiler in $wanted; do
	if command -v "$compiler" >/dev/null; then
		found="$found $compiler"
	else
		tap_skip "$compiler is asked" "there is no $compiler in PATH; this system's packages have none"
	fi
done
found=${found# }
tap_is "$([ "$(echo "$found" | wc -w)" -ge 2 ] && echo enough)" enough "two compilers at least: $found"

# ---- pairs of builds whose truth is known
"$trust" --compilers "$found" --markdown >"$scratch/pairs" 2>"$scratch/err"
status=$?
sed 's/^/# /' "$scratch/pairs"
[ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/err"
tap_is "$status" 0 'no pair with other code is called COMPARABLE, none with equal code INCOMPARABLE'
tap_is "$(grep -c '^| native-pairs | [1-9]' "$scratch/pairs")" 1 'and there were pairs'

# ---- each is found, once, under its own name
fs "$top" list toolchains --json
for compiler in $found; do
	# clang-14 and clang may be one compiler: it has one slot, and the name leads to it
	tap_is "$(jq --arg c "$compiler" '[.. | objects | select(.slots? // [] | index($c))] | length' "$scratch/out")" 1 \
		"$compiler is a toolchain"
done

least=60
[ -z "${COMPILERS_WORKLOAD:-}" ] || least=5
# ---- the whole flags matrix by each; a build that cannot exist says why
for compiler in $found; do
	fs "$top" build flags --json --only "${COMPILERS_WORKLOAD:-*}/$compiler"
	cp "$scratch/out" "$scratch/build.$compiler"
	tap_is "$status" 0 "$compiler builds the flags matrix"
	tap_is "$(jq -r --arg c "$compiler" '[.builds[] | select(.cell | contains("/" + $c + "/"))
		| select(.status == "built" | not) | select(.reason == null)] | length' "$scratch/build.$compiler")" 0 \
		'and what it does not build has a reason'
	built=$(jq --arg c "$compiler" '[.builds[] | select(.cell | contains("/" + $c + "/"))
		| select(.status == "built")] | length' "$scratch/build.$compiler")
	tap_is "$([ "${built:-0}" -ge "$least" ] && echo many)" many \
		"which are ${built:-0} builds"
done

# ---- what native means under each
for compiler in $found; do
	fs "$top" inspect --native "$compiler" --json
	cp "$scratch/out" "$scratch/native.$compiler"
	tap_is "$status" 0 "inspect --native $compiler"
	tap_is "$(jq -r '.toolchains[0].facts | ."resolved.tune".value != null and ."resolved.vector_width".value != null' \
		"$scratch/native.$compiler")" true 'says what is tuned for and how wide vectors are'
	tap_is "$(jq -r '.toolchains[0].tried' "$scratch/native.$compiler")" same \
		'and the command line that says it explicitly gives the same code'
done
model=$(sed -n '/^model\t/{s/.*: //p;q}' /proc/cpuinfo 2>/dev/null)
if [ "$model" = 143 ] && grep -q ' avx512_fp16 ' /proc/cpuinfo; then
	grep -v '^#' tests/compilers/native.tsv >"$scratch/expected"
	while read -r compiler march tune width; do
		case " $found " in *" $compiler "*) ;; *) continue ;; esac
		tap_is "$(jq -r '.toolchains[0].facts | [."resolved.march".value, ."resolved.tune".value,
			."resolved.vector_width".value] | join(" ")' "$scratch/native.$compiler")" "$march $tune $width" \
			"native under $compiler here"
	done <"$scratch/expected"
else
	tap_skip 'native is as measured' "this CPU is model ${model:-unknown}, and not the one that was measured (143, with avx512_fp16)"
fi

# one CPU, one set of instructions: what is tuned for does not change it, only an older compiler does not know all of it
for compiler in $found; do
	jq -r '.toolchains[0].facts."resolved.features".value' "$scratch/native.$compiler" | tr ' ' '\n' |
		sort >"$scratch/features.$compiler"
done
newest=$(for compiler in $found; do echo "$(wc -l <"$scratch/features.$compiler") $compiler"; done | sort -rn |
	sed -n '1s/.* //p')
tap_is "$([ "$(wc -l <"$scratch/features.$newest")" -ge 5 ] && echo some)" some "$newest finds instruction sets"
for compiler in $found; do
	tap_is "$(comm -23 "$scratch/features.$compiler" "$scratch/features.$newest" | tr '\n' ' ')" '' \
		"all that $compiler finds under native, $newest finds, too"
done
tap_end
