#!/bin/sh
# A whole run on a small project with a real compiler: table, record, cache, resume of nothing, other formats.
. tests/pipeline/run_lib.sh

p=$scratch/project
project_make "$p"

fs "$p" run two
ran=$status
tap_has "$scratch/out" 'step/s' 'the table shows the rate of the baseline'
record=$(newest_record "$p/archive")
tap_is "$(zcat "$record" | jq -r .schema)" 'flagstone.record/1' 'zcat | jq reads the record'
id=$(zcat "$record" | jq -r .id)
tap_is "$(zcat "$record" | sed "s/$id/0000000000000000000000000000000000000000000000000000000000000000/" | sha256sum | cut -d' ' -f1)" \
	"$id" 'the id is the hash of the document with zeros in its place'
tap_is "$(zcat "$record" | jq -r '[.builds[].status] | unique | join(",")')" measured 'both cells were measured'
tap_is "$(zcat "$record" | jq '[.samples.round | max, min] | join(" ")' -r)" \
	"$(zcat "$record" | jq '.plan.last_look - 1') 0" 'samples go from round 0 to the last look'
tap_is "$(zcat "$record" | jq '[.builds[].layouts | length] | min >= 8')" true 'each build has at least 8 layouts in the record'
tap_is "$(zcat "$record" | jq -r '[.builds[].layouts[].sha256] | length == (unique | length)')" true 'each layout is another file'
tap_is "$(zcat "$record" | jq -r '.builds[0].facts["build.cflags"].value')" '-O1' 'the flags are in the record'
tap_is "$(zcat "$record" | jq -r '[.builds[0].commands[] | select(contains("-O1") and contains("count.c"))] | length')" 1 \
	'the compile command is in the record'
tap_is "$(zcat "$record" | jq -r '[.samples.marks, .samples.value, .samples.canary_wide_before_ns] | map(length) | unique | length')" 1 \
	'the columns have one length'
fs "$p" archive verify
tap_is "$status" 0 'archive verify finds it intact'
fs "$p" show latest
sed '/^Record/,$d' "$scratch/out" >"$scratch/first"
fs "$p" show latest
sed '/^Record/,$d' "$scratch/out" >"$scratch/second"
tap_is "$(cmp "$scratch/first" "$scratch/second" && echo same)" same 'the verdicts of a record are the same each time'
for format in json csv markdown; do
	fs "$p" show latest --$format
	tap_is "$status" 0 "show --$format"
	cp "$scratch/out" "$scratch/latest.$format"
done
tap_is "$(jq -r .schema "$scratch/latest.json")" 'flagstone.result/1' 'the JSON result has its schema'
tap_is "$(jq '[.comparisons[].answer] | if all(. == "can'"'"'t tell") then 5 else 0 end' "$scratch/latest.json")" "$ran" \
	'a run of two variants ends with 0, unless it could not tell: 5'

# the measured function moved between layouts: nm's address of `step` in each link of one build
nm "$XDG_CACHE_HOME"/flagstone/builds/*/layouts/0-[0-9] 2>/dev/null | awk '$3 == "step" { print $1 }' | sort -u >"$scratch/places"
tap_is "$(awk 'END { print (NR >= 8) }' "$scratch/places")" 1 "the layouts put the function at 8 places or more (nm)"
nm "$XDG_CACHE_HOME"/flagstone/builds/*/layouts/0-[0-9] 2>/dev/null | awk '$3 == "main" { print $1 }' | sort -u >"$scratch/places"
tap_is "$(awk 'END { print (NR >= 4) }' "$scratch/places")" 1 "also main moved, which gcc puts into .text.startup (nm)"

# the cache: nothing is compiled again, and the content hash is the same
before=$(find "$XDG_CACHE_HOME/flagstone/builds" -mindepth 2 -maxdepth 2 -name program -exec stat -c '%i %Y' {} + | sort)
fs "$p" run two --rounds 8
tap_is "$(find "$XDG_CACHE_HOME/flagstone/builds" -mindepth 2 -maxdepth 2 -name program -exec stat -c '%i %Y' {} + | sort)" "$before" 'a second run takes its builds from the cache'
echo '/* changed */' >>"$p/workloads/count/step.c"
fs "$p" build two
tap_is "$(find "$XDG_CACHE_HOME/flagstone/builds" -mindepth 2 -maxdepth 2 -name program | wc -l)" 4 'a changed source is another build'
fs "$p" build two --verify
tap_is "$status" 0 'building twice gives the same files'

# the environment of the user does not reach the compiler
CFLAGS=-DBREAK CPATH=/nonexistent GCC_EXEC_PREFIX=/nonexistent fs "$p" build two --fresh
tap_is "$status" 0 'CFLAGS, CPATH and GCC_EXEC_PREFIX of the user are not used'

# verbatim arguments
cat >"$p/matrices/verbatim.yaml" <<-'EOF'
	workloads: [count]
	slots: [gcc]
	baseline: x
	variants:
	  x: {cflags: ["-O1", "-DX=\"a b;$(id)\""]}
	  y: {cflags: '-O1 "-DX=\"a b;\$(id)\""'}
	measure: {sample: 1ms, layouts: 8, rounds: 8}
EOF
fs "$p" build verbatim --json
# shellcheck disable=SC2016 # the claim speaks of $()
tap_is "$(jq -r '[.builds[].facts["build.cflags"].value] | unique | length' "$scratch/out")" 1 \
	'a flag with blanks, ; and $() arrives the same from a list and from quotes'
tap_is "$(jq -r '.builds[0].facts["build.cflags"].value' "$scratch/out")" "-O1 '-DX=\"a b;\$(id)\"'" 'and as one argument, verbatim'

# copies with a common start
cat >"$p/matrices/copies.yaml" <<-'EOF'
	workloads: [count]
	slots: [gcc]
	baseline: O1
	variants: {O1: {cflags: -O1}}
	copies: [1, cpus]
	measure: {sample: 2ms, layouts: 8, rounds: 8}
EOF
fs "$p" run copies
record=$(newest_record "$p/archive")
if [ "$(nproc)" -gt 1 ]; then
	tap_is "$(zcat "$record" | jq -r '[.builds[].copies] | unique | length')" 2 'copies: [1, cpus] gives two cells'
	tap_is "$(zcat "$record" | jq -r '.samples as $s | [range($s.copy | length) | select($s.copy[.] == 1)] | length > 0')" true \
		'a sample of N copies has N rows'
else
	tap_skip 'copies: [1, cpus] gives two cells' 'one CPU here'
fi
tap_end
