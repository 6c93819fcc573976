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
tap_is "$status" 0 'which can be run'
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
tap_end
