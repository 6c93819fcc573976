#!/bin/sh
# What --json prints is what flagstone-json(7) says: each schema has a section, and each object the members that its
# section lists, no more and no fewer. Members are compared in documents of real commands.
. tests/cli/cli_lib.sh

page=$top/harness/man/flagstone-json.7
sed 's/\\-/-/g' "$page" >"$scratch/page"

# kept in files, not printed: specified elsewhere
grep -rhoE '"flagstone\.[a-z-]+/[0-9]+|\\"flagstone\.[a-z-]+/[0-9]+' harness --include='*.[ch]' | sed 's/.*"//' |
	grep -vxE 'flagstone\.(record|journal|cached-build)/[0-9]+' | sort -u >"$scratch/printed"
sed -n 's/^\.SS \(flagstone\..*\)/\1/p' "$scratch/page" | sort -u >"$scratch/described"
tap_is "$(comm -23 "$scratch/printed" "$scratch/described" | tr '\n' ' ')" '' 'every schema that the sources print has a section in the manual'
tap_is "$(comm -13 "$scratch/printed" "$scratch/described" | tr '\n' ' ')" '' 'and every section a schema'
tap_is "$(grep -c . "$scratch/printed")" 13 'these are thirteen'

# terms SECTION: the members that it lists
terms()
{
	awk -v want="$1" '/^\.S[SH] / { in_it = $0 == ".SS " want || $0 == ".SS \"" want "\"" } in_it && /^\.B / { print $2 }' \
		"$scratch/page" | sort -u
}

# members FILE EXPRESSION: of all objects that jq finds
members()
{
	jq -r "[$2 | objects | keys[]] | unique[]" "$1" | sort -u
}

# holds SECTION FILE EXPRESSION [EXCEPT]: the objects have exactly these members; EXCEPT may be missing
holds()
{
	members "$2" "$3" >"$scratch/found"
	terms "$1" | grep -vxE "${4:-none}" >"$scratch/wanted"
	if [ ! -s "$scratch/wanted" ]; then
		tap_not_ok "$1 lists members"
		return
	fi
	tap_is "$(comm -3 "$scratch/found" "$scratch/wanted" | tr -d '\t' | tr '\n' ' ')" '' "$1 has the members that its section lists"
}

# printed SCHEMA NAME ARG...: prints NAME.json, whose schema it is
printed()
{
	want=$1 name=$2
	shift 2
	"$FLAGSTONE" "$@" --json -C "$p" >"$scratch/$name.json" 2>"$scratch/err"
	tap_is "$(jq -r .schema "$scratch/$name.json")" "$want" "$* prints $want"
	printf '%s\n' "$want" >>"$scratch/seen"
}

p=$scratch/p
project_small "$p"
cp -R "$p/workloads/syscall" "$p/workloads/second"
sed -i 's/^name:.*/name: second/' "$p/workloads/second/workload.yaml"
sed -i 's/workloads: \[syscall\]/workloads: [syscall, second]/; s/slots: \[gcc\]/slots: [gcc, gcc-1]/' "$p/matrices/small.yaml"
printed flagstone.repeats/1 repeats run small --repeat 2
holds flagstone.repeats/1 "$scratch/repeats.json" .
holds REPEATED "$scratch/repeats.json" '.cells[]'
jq '.results[0]' "$scratch/repeats.json" >"$scratch/first.json"
holds flagstone.result/1 "$scratch/first.json" .
printed flagstone.result/1 result show latest
holds flagstone.result/1 "$scratch/result.json" .
holds RECORD "$scratch/result.json" .record
holds METHOD "$scratch/result.json" .method
tap_is "$(jq -c '.method.aa | keys' "$scratch/result.json")" '["lambda","p","pairs","state"]' 'method.aa is as described'
holds CELL "$scratch/result.json" '.cells[]'
holds COMPARISON "$scratch/result.json" '.comparisons[]'
holds MEAN "$scratch/result.json" '.means[]'

printed flagstone.plan/1 plan plan small
holds flagstone.plan/1 "$scratch/plan.json" .
holds SLOT "$scratch/plan.json" '.slots[]'
holds PLANNED "$scratch/plan.json" '.cells[]'
holds SETTINGS "$scratch/plan.json" .measure

printed flagstone.list/1 workloads list workloads
printed flagstone.list/1 toolchains list toolchains
printed flagstone.list/1 matrices list matrices
jq -s add "$scratch/workloads.json" "$scratch/toolchains.json" "$scratch/matrices.json" >"$scratch/lists.json"
holds flagstone.list/1 "$scratch/lists.json" .
holds WORKLOAD "$scratch/lists.json" '.workloads[]'
holds TOOLCHAIN "$scratch/lists.json" '.toolchains[]'
holds MATRIX "$scratch/lists.json" '.matrices[]'

printed flagstone.facts/1 facts show --facts
holds flagstone.facts/1 "$scratch/facts.json" .
tap_is "$(jq -c '[.toolchains[] | keys] | unique' "$scratch/facts.json")" '[["facts","slots"]]' 'its toolchains are as described'
tap_is "$(jq -c '[.host[], .workloads[][], .toolchains[].facts[] | keys[]] | unique - ["value", "unknown", "source"]' "$scratch/facts.json")" '[]' \
	'facts are as described'
printed flagstone.builds/1 builds show --builds
holds flagstone.builds/1 "$scratch/builds.json" .
holds RECORDED "$scratch/builds.json" '.builds[]'
printed flagstone.build/1 build build small
holds flagstone.build/1 "$scratch/build.json" .
holds BUILT "$scratch/build.json" '.builds[]'

printed flagstone.archive-list/1 archive archive list
holds flagstone.archive-list/1 "$scratch/archive.json" .
holds ENTRY "$scratch/archive.json" '.records[]'
printed flagstone.archive-verify/1 verify archive verify
holds flagstone.archive-verify/1 "$scratch/verify.json" .
tap_is "$(jq -c '[.files[] | keys] | unique' "$scratch/verify.json")" '[["bad","path","reason","state"]]' 'its files are as described'
printed flagstone.version/1 version version
holds flagstone.version/1 "$scratch/version.json" .

printed flagstone.comparison/1 within compare latest --gate 5%
printed flagstone.comparison/1 between compare "$(jq -r '.records[0].path' "$scratch/archive.json")" \
	"$(jq -r '.records[1].path' "$scratch/archive.json")" --gate 5%
tap_is "$(jq -r .kind "$scratch/within.json" "$scratch/between.json" | tr '\n' ' ')" 'within between ' 'compare has its two forms'
jq -s add "$scratch/within.json" "$scratch/between.json" >"$scratch/both.json"
holds flagstone.comparison/1 "$scratch/both.json" .
holds SIDE "$scratch/between.json" '.sides[]'
holds VALUE "$scratch/between.json" '.cells[].values[]'
holds DIFFERENCE "$scratch/between.json" '.cells[].comparisons[]'
holds CELL "$scratch/within.json" '.cells[]'
holds COMPARISON "$scratch/within.json" '.comparisons[]'
tap_is "$(jq -c '.gate | keys' "$scratch/within.json" "$scratch/between.json" | sort -u)" '["beyond","limit_percent"]' 'a gate is as described'
printed flagstone.recommendation/1 recommendation compare --recommend
holds flagstone.recommendation/1 "$scratch/recommendation.json" .
holds CANDIDATE "$scratch/recommendation.json" '.candidates[]'
printed flagstone.explanation/1 explanation compare --explain syscall/gcc/O2
holds flagstone.explanation/1 "$scratch/explanation.json" .

tap_is "$(sort -u "$scratch/seen" | comm -3 - "$scratch/printed" | tr '\n' ' ')" '' 'each schema was printed once at least'
tap_end
