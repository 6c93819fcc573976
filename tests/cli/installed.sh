#!/bin/sh
# flagstone as it is installed: data beside the program, used outside of any project, and behind a project's own names.
. tests/cli/cli_lib.sh

prefix=$scratch/prefix
mkdir -p "$prefix/bin" "$prefix/share/flagstone" "$scratch/bin"
cp "$FLAGSTONE" "$prefix/bin/flagstone"
project_small "$prefix/share/flagstone"
chmod -R a-w "$prefix/share"
# found through a link: the data stand beside the real file
ln -s "$prefix/bin/flagstone" "$scratch/bin/flagstone"
FLAGSTONE=$scratch/bin/flagstone

cli version -v
cli_has "$scratch/out" "data       $prefix/share/flagstone" 'version --verbose says where the installed data are'
cli list workloads
tap_is "$status $(head -n 1 "$scratch/out" | cut -d' ' -f1)" '0 syscall' 'outside of any project there are the installed workloads'
cli run small --quiet
tap_is "$(tap_run_code "$status")" 0 'which can be run'
tap_is "$(find "$XDG_DATA_HOME/flagstone/archive" -name '*.json.gz' | wc -l)" 1 'into the archive below XDG_DATA_HOME'
cli archive list
tap_is "$status $(wc -l <"$scratch/out")" '0 1' 'where archive list finds it'
cli show
tap_is "$status" 0 'and show'

p=$scratch/p
mkdir -p "$p/workloads/other" "$p/matrices"
sed 's/^title:.*/title: One of our own/; s/^name:.*/name: other/' workloads/syscall/workload.yaml >"$p/workloads/other/workload.yaml"
cp workloads/syscall/syscall.c "$p/workloads/other/"
cli list workloads -C "$p" --json
tap_is "$(jq -r '[.workloads[] | [.name, .installed] | map(tostring) | join("=")] | join(" ")' "$scratch/out")" 'other=false syscall=true' \
	'a project has its own workloads and the installed ones'
tap_is "$(jq -r '.shadowed | length' "$scratch/out")" 0 'and none wins over another'
sed 's/title: .*/title: Our way of small/' "$prefix/share/flagstone/matrices/small.yaml" >"$p/matrices/small.yaml"
cli list matrices -C "$p"
cli_has "$scratch/out" 'Our way of small' "a project's matrix wins over the installed one of that name"
cli_has "$scratch/out" 'note: ' 'which a note says'
tap_is "$(grep -c 'As little as there can be' "$scratch/out")" 0 'and the installed one is not listed'

# a source tree that was only built: what a project lacks comes from the tree
tree=$scratch/tree
mkdir -p "$tree/.build/0123456789ab"
project_small "$tree"
cp "$prefix/bin/flagstone" "$tree/.build/0123456789ab/"
ln -s .build/0123456789ab/flagstone "$tree/flagstone"
FLAGSTONE=$tree/flagstone
cat >"$p/matrices/ours.yaml" <<-'END'
	workloads: [other, syscall]
	slots: [gcc]
	baseline: O1
	variants: {O1: {cflags: -O1}}
	measure: {sample: 200us, layouts: 1, rounds: 6, timeout: 10s}
END
cli run ours -C "$p" --json
tap_is "$status $(jq -r '[.cells[] | [.cell, .status] | join("=")] | join(" ")' "$scratch/out")" \
	'0 other/gcc/O1/1=measured syscall/gcc/O1/1=measured' "a project without toolchains/ and driver runs with the source tree's"
tap_is "$(find "$p/archive" -name '*.json.gz' | wc -l)" 1 'into its own archive'
cli list workloads -C "$tree" --json
tap_is "$(jq -c '[[.workloads[] | [.name, .installed]], .shadowed]' "$scratch/out")" '[[["syscall",false]],[]]' \
	'the tree as the project: nothing is listed twice, or stands in for itself'
(cd "$tree/workloads" && ../flagstone run small --quiet) >"$scratch/out" 2>"$scratch/err"
tap_is "$(tap_run_code $?) $(find "$tree/archive" -name '*.json.gz' | wc -l)" '0 1' 'run within the tree the record is in its archive'
before=$(find "$XDG_DATA_HOME/flagstone/archive" -name '*.json.gz' | wc -l)
cli run small --quiet
tap_is "$(tap_run_code "$status") $(($(find "$XDG_DATA_HOME/flagstone/archive" -name '*.json.gz' | wc -l) - before)) $(find "$tree/archive" -name '*.json.gz' | wc -l)" '0 1 1' \
	'run outside of any project it is in the archive below XDG_DATA_HOME'
mv "$tree/workloads/driver" "$tree/workloads/elsewhere"
cli_fails 2 'is a project (has workloads/ and matrices/)' 'what looks like a source tree but has no driver is none' list workloads
tap_end
