#!/bin/sh
# What --json prints is what flagstone-json(7) says: each schema has a section, and each object the members that its
# section lists, no more and no fewer. Members are compared in documents of real commands.
. tests/cli/cli_lib.sh

page=$top/harness/man/flagstone-json.7
sed 's/\\-/-/g' "$page" >"$scratch/page"

# kept in files, not printed: specified elsewhere
grep -rhoE '"flagstone\.[a-z-]+/[0-9]+|\\"flagstone\.[a-z-]+/[0-9]+' harness --include='*.[ch]' | sed 's/.*"//' |
	grep -vxE 'flagstone\.(record|journal|tune-state|cached-build|bundle)/[0-9]+' | sort -u >"$scratch/printed"
sed -n 's/^\.SS \(flagstone\..*\)/\1/p' "$scratch/page" | sort -u >"$scratch/described"
tap_is "$(comm -23 "$scratch/printed" "$scratch/described" | tr '\n' ' ')" '' 'every schema that the sources print has a section in the manual'
tap_is "$(comm -13 "$scratch/printed" "$scratch/described" | tr '\n' ' ')" '' 'and every section a schema'
tap_is "$(grep -c . "$scratch/printed")" 24 'these are twenty-four'

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
holds ESTIMATE "$scratch/plan.json" .estimate

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
printed flagstone.build/1 build build small --layouts 2
holds flagstone.build/1 "$scratch/build.json" .
holds BUILT "$scratch/build.json" '.builds[]'
holds LINKED "$scratch/build.json" '.builds[].layouts[]'
printed flagstone.layout/1 layout build small --layout "$(jq -r '[.builds[].layouts[]][0].seed' "$scratch/build.json")"
holds flagstone.layout/1 "$scratch/layout.json" .
tap_is "$(jq -c '.record | keys' "$scratch/layout.json")" '["id","path","sha256"]' 'and its record as it is described'
printed flagstone.build/1 packed build small --bundle "$scratch/b.tar.gz"
holds BUNDLE "$scratch/packed.json" .bundle
printed flagstone.reproduction/1 reproduction reproduce latest --no-measure
holds flagstone.reproduction/1 "$scratch/reproduction.json" .
holds SOURCES "$scratch/reproduction.json" .sources
holds REMADE_TOOLCHAIN "$scratch/reproduction.json" '.toolchains[]'
holds REMADE "$scratch/reproduction.json" '.cells[]'
tap_is "$(jq -c '.record | keys' "$scratch/reproduction.json")" '["id","matrix","path","started"]' 'its record is as described'

printed flagstone.archive-list/1 archive archive list
holds flagstone.archive-list/1 "$scratch/archive.json" .
holds ENTRY "$scratch/archive.json" '.records[]'
printed flagstone.archive-verify/1 verify archive verify
holds flagstone.archive-verify/1 "$scratch/verify.json" .
tap_is "$(jq -c '[.files[] | keys] | unique' "$scratch/verify.json")" '[["bad","path","reason","state"]]' 'its files are as described'
printed flagstone.version/1 version version
holds flagstone.version/1 "$scratch/version.json" .

printed flagstone.native/1 native inspect --native gcc
holds flagstone.native/1 "$scratch/native.json" .
holds NATIVE "$scratch/native.json" '.toolchains[]'
printed flagstone.doctor/1 doctor doctor --seconds 1
holds flagstone.doctor/1 "$scratch/doctor.json" .
holds CHECK "$scratch/doctor.json" '.checks[]'
holds READ "$scratch/doctor.json" '.checks[].read[]'
holds NOISE "$scratch/doctor.json" .measured
holds CANARY "$scratch/doctor.json" '.measured | .dep, .wide'
printed flagstone.host/1 host doctor --host
holds flagstone.host/1 "$scratch/host.json" .
holds READ "$scratch/host.json" '.parts[]'

cat >"$scratch/inspected.c" <<-'END'
	int add(int *a, const int *b) { for (int i = 0; i < 64; i++) a[i] += b[i]; return a[0]; }
	int main(int argc, char **argv) { (void)argv; return add(&argc, &argc); }
	END
gcc -O2 -g -c -o "$scratch/one.o" "$scratch/inspected.c" && gcc -O1 -g -c -o "$scratch/two.o" "$scratch/inspected.c" &&
	gcc -O2 -o "$scratch/linked" "$scratch/inspected.c" && ar rc "$scratch/both.a" "$scratch/one.o" "$scratch/inspected.c"
printed flagstone.inspection/1 inspection inspect "$scratch/one.o" "$scratch/linked" "$scratch/both.a"
printed flagstone.inspection/1 compared inspect "$scratch/one.o" "$scratch/two.o"
holds flagstone.inspection/1 "$scratch/inspection.json" .
holds INSPECTED "$scratch/inspection.json" '.files[]'
holds CLAIM "$scratch/inspection.json" '.files[].claims[]'
holds DECODED "$scratch/inspection.json" '.files[].isa'
if [ "$(jq '[.files[].isa.sets[]] | length' "$scratch/inspection.json")" -gt 0 ]; then
	holds USED_SET "$scratch/inspection.json" '.files[].isa.sets[]'
fi
holds CODE_FUNCTION "$scratch/inspection.json" '.files[].functions[]'
tap_is "$(jq -c '[.files[].sections[] | keys] | unique' "$scratch/inspection.json")" '[["code","hash","name","size"]]' 'sections are as described'
tap_is "$(jq -c '[.archives[] | keys] | unique' "$scratch/inspection.json")" '[["not_read","objects","others","path"]]' 'archives are as described'
tap_is "$(jq -c '[.files[].runs_here | keys] | unique' "$scratch/inspection.json")" '[["answer","reason"]]' 'runs_here is as described'
holds COMPARED "$scratch/compared.json" .comparison
holds MATCHED "$scratch/compared.json" '.comparison.functions[]'

printed flagstone.comparison/1 within compare latest --gate 5%
printed flagstone.comparison/1 between compare "$(jq -r '.records[0].path' "$scratch/archive.json")" \
	"$(jq -r '.records[1].path' "$scratch/archive.json")" --gate 5%
tap_is "$(jq -r .kind "$scratch/within.json" "$scratch/between.json" | tr '\n' ' ')" 'within between ' 'compare has its two forms'
jq -s add "$scratch/within.json" "$scratch/between.json" >"$scratch/both.json"
holds flagstone.comparison/1 "$scratch/both.json" .
holds SIDE "$scratch/between.json" '.sides[]'
holds DECIDED "$scratch/between.json" '.sides[].rows[]?'
holds DIFFERING "$scratch/between.json" '.sides[] | .deciding[]?, .may_matter[]?, .explained_away[]?'
holds VALUE "$scratch/between.json" '.cells[].values[]'
holds DIFFERENCE "$scratch/between.json" '.cells[].comparisons[]'
holds CELL "$scratch/within.json" '.cells[]'
holds COMPARISON "$scratch/within.json" '.comparisons[]'
tap_is "$(jq -c '.gate | keys' "$scratch/within.json" "$scratch/between.json" | sort -u)" '["beyond","limit_percent"]' 'a gate is as described'
printed flagstone.recommendation/1 recommendation compare --recommend
holds flagstone.recommendation/1 "$scratch/recommendation.json" .
holds CANDIDATE "$scratch/recommendation.json" '.candidates[]'
cat >"$p/matrices/undecided.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc]
	baseline: O1
	variants: {O1: {cflags: -O1}, O2: {cflags: -O2}, again: {cflags: [-O2, -DAGAIN]}}
	measure: {sample: 200us, layouts: 1, rounds: 6, precision: 20%, matters: 19%, timeout: 10s}
	END
sleep 1 # records of one second are in the order of their ids
# of six signs the smallest p is 2/64, times two comparisons over 5 %
"$FLAGSTONE" run undecided --aa --quiet --precision 0.01% --matters 0.01% -C "$p" >/dev/null 2>"$scratch/err"
printed flagstone.next/1 next compare --next --precision 0.01%
holds flagstone.next/1 "$scratch/next.json" .
holds OPEN "$scratch/next.json" '.open[]'
# steps are there as soon as one can be settled
for precision in 20% 10% 5% 2% 1% 0.5% 0.2%; do
	"$FLAGSTONE" compare --next --precision $precision --matters 0.01% --json -C "$p" >"$scratch/steps.json"
	[ "$(jq '.steps | length' "$scratch/steps.json")" -eq 0 ] || break
done
holds STEP "$scratch/steps.json" '.steps[]'
mkdir -p "$scratch/tree/sys/devices/system/cpu/cpufreq/policy0"
echo powersave >"$scratch/tree/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
printed flagstone.tune/1 tune tune --root "$scratch/tree"
holds flagstone.tune/1 "$scratch/tune.json" .
holds TUNED "$scratch/tune.json" '.changes[]'
printed flagstone.restore/1 restore restore --root "$scratch/tree"
holds flagstone.restore/1 "$scratch/restore.json" .
holds TUNED "$scratch/restore.json" '.changes[]'
printed flagstone.exec/1 exec exec --matrix small syscall/gcc/O2 --print
holds flagstone.exec/1 "$scratch/exec.json" .
printed flagstone.explanation/1 explanation compare --explain syscall/gcc/O2
holds flagstone.explanation/1 "$scratch/explanation.json" .
holds DIFFERS "$scratch/explanation.json" '.differs[]'
holds FUNCTIONS "$scratch/explanation.json" '.differs[].functions'
holds FUNCTION "$scratch/explanation.json" '.differs[].functions | .differ[], .only_baseline[], .only_cell[]'
holds SETTING "$scratch/explanation.json" '.differs[] | .settings[], .sizes[]'
holds MEASURED "$scratch/explanation.json" '.differs[].measures[]'
tap_is "$(jq -c '[.differs[].unknown[] | keys] | unique' "$scratch/explanation.json")" '[["reason","what"]]' 'what is unknown is as described'
cat >"$p/matrices/axes.yaml" <<-'END'
	workloads: [syscall, second]
	slots: [gcc]
	baseline: O1+plain
	axes:
	  opt: {O1: {cflags: -O1}, O2: {cflags: -O2}}
	  define: {plain: {}, idle: {cflags: -DNOTHING}}
	measure: {sample: 200us, layouts: 1, rounds: 6, precision: 50%, matters: 5%, timeout: 10s}
	END
sleep 1 # records of one second are in the order of their ids
"$FLAGSTONE" run axes --quiet -C "$p" >/dev/null 2>"$scratch/err"
printed flagstone.decomposition/1 decomposition compare latest --decompose
holds flagstone.decomposition/1 "$scratch/decomposition.json" .
holds AXIS "$scratch/decomposition.json" '.axes[]'
tap_is "$(jq -c '[.axes[].values[] | keys] | unique' "$scratch/decomposition.json")" '[["flags","name"]]' 'its values are as described'
holds GROUP "$scratch/decomposition.json" '.groups[]'
holds SPLIT "$scratch/decomposition.json" '.groups[] | .rows[], .mean'
holds EFFECT "$scratch/decomposition.json" '.groups[] | (.rows[], .mean) | .effects[]'

tap_is "$(sort -u "$scratch/seen" | comm -3 - "$scratch/printed" | tr '\n' ' ')" '' 'each schema was printed once at least'
tap_end
