#!/bin/sh
# figures: layouts layouts-lto
# 16 layouts of the quick matrix against what nobody can do without: compiling everything once and calling the bare
# linker 16 times for each build, with the same number of commands at once. Both sides alternate in this one run; the
# ratio of the medians of three. layouts-lto: the same of the cells with link-time optimisation and their baselines.
# Shared objects and answers of compilers are there on both sides.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
jobs=$(nproc)
ms() { echo $(($(date +%s%N) / 1000000)); }
median() { sort -n "$1" | sed -n 2p; }

# One rule a build, its compiles and its canonical link, and one rule each for its 16 bare links, of the canonical
# objects by the linker alone: the record's own words for layout 0 without padding, order and output.
makefile() { # BUILDS.json
	jq -r '
		[.builds[] | select(.content_hash != null and .binary != null)] | unique_by(.content_hash) | to_entries[] | .key as $k
		| (.value.commands[] | [$k, "compile", .]), ([$k, "link", .value.facts["build.layout_command"].value]) | @tsv
	' "$1" | awk -F'\t' '
		{ gsub(/\$/, "$$", $3) }
		$2 == "compile" { lines[$1] = lines[$1] "\tcd builds/" $1 " && " $3 "\n"; n = $1 + 0 }
		$2 == "link" {
			gsub(/ [^ ]*\/(code|data|pad)-[0-9]\.o/, "", $3); gsub(/ --script=[^ ]*/, "", $3)
			link[$1] = $3
		}
		END {
			printf "all:"
			for (k = 0; k <= n; k++) for (l = 0; l < 16; l++) printf " l%d-%d", k, l
			printf "\n"
			for (k = 0; k <= n; k++) {
				printf "b%d:\n\t@mkdir -p builds/%d/layouts builds/%d/direct\n%s", k, k, k, lines[k]
				for (l = 0; l < 16; l++) {
					one = link[k]
					sub(/layouts\/0-0/, "layouts/" l, one)
					printf "l%d-%d: b%d\n\tcd builds/%d && exec %s\n", k, l, k, k, one
				}
			}
		}'
}

figure() { # NAME OPTION...
	name=$1
	shift
	"$FLAGSTONE" build quick --fresh --quiet --layouts 1 --json "$@" >"$scratch/builds.json"
	rm -rf "$scratch/make"
	mkdir -p "$scratch/make"
	cp -r "$XDG_CACHE_HOME/flagstone/objects" "$scratch/make/objects"
	makefile "$scratch/builds.json" >"$scratch/make/Makefile"
	# what link-time optimisation made once is no work of a bare linker call
	jq -r '[.builds[] | select(.binary != null)] | unique_by(.content_hash) | to_entries[] | [.key, .value.binary] | @tsv' \
		"$scratch/builds.json" | while IFS="$(printf '\t')" read -r k binary; do
		mkdir -p "$scratch/make/kept/$k"
		cp -r "${binary%/*}/direct" "$scratch/make/kept/$k/"
	done
	: >"$scratch/ours"
	: >"$scratch/theirs"
	for _ in 1 2 3; do
		begin=$(ms)
		"$FLAGSTONE" build quick --fresh --quiet --layouts 16 "$@" >/dev/null
		echo $(($(ms) - begin)) >>"$scratch/ours"
		rm -rf "$scratch/make/builds"
		cp -r "$scratch/make/kept" "$scratch/make/builds"
		begin=$(ms)
		env -i PATH="$PATH" LC_ALL=C make -s -C "$scratch/make" -j"$jobs" all >/dev/null
		echo $(($(ms) - begin)) >>"$scratch/theirs"
	done
	awk -v name="$name" -v a="$(median "$scratch/ours")" -v b="$(median "$scratch/theirs")" \
		'BEGIN { printf "%s\t%.3f\tratio to compiling once and 16 bare linker calls\t1.15\n", name, a / b }'
}

figure layouts
figure layouts-lto --only '//lto'
