#!/bin/sh
# Projects and matrices that are wrong or not there: exit code 2 with the place and what to do.
. tests/cli/cli_lib.sh

cli_fails 2 'is a project (has workloads/ and matrices/)' 'no project here or above' run
cli_has "$scratch/err" '-C DIR' 'and how one is named'
cli_fails 2 'is no project' 'a folder that is no project' plan -C "$scratch/here"
cli_fails 2 'No such file or directory' 'a folder that is not there' plan -C "$scratch/nowhere"
cli_fails 2 'name the archive with --archive DIR' 'no project and no archive named' archive list

p=$scratch/p
project_small "$p"
cli_fails 2 'did you mean "small"?' 'a matrix that is not there, with the nearest' run smal -C "$p"
cli_fails 2 'there is no matrix "quick"' 'the default matrix where a project has none' plan -C "$p"
cli_fails 2 'No such file or directory' 'a matrix by a path that leads nowhere' plan ./other.yaml -C "$p"

cat >"$p/matrices/wrong.yaml" <<-'END'
	workloads: [syscal]
	slots: [gcc]
	baselin: O2
	variants:
	  O2: {cflags: [1, {}]}
	measure: {rounds: 3, sampel: 5ms}
END
cli plan wrong -C "$p"
tap_is "$status" 2 'a matrix with errors: exit code 2'
tap_is "$(wc -c <"$scratch/out")" 0 'and nothing on standard output'
cli_has "$scratch/err" "$p/matrices/wrong.yaml:3:1: " 'an unknown key with file, line and column'
cli_has "$scratch/err" 'baseline' 'and the nearest match'
cli_has "$scratch/err" "$p/matrices/wrong.yaml:6:" 'an error of line 6 at the same time'
tap_is "$(grep -vc "^$p/matrices/wrong.yaml:[0-9]*:[0-9]*: " "$scratch/err")" 0 'each error is a line FILE:LINE:COLUMN: text'
for command in run build plan; do
	cli "$command" wrong -C "$p"
	tap_is "$status" 2 "$command gives 2 for it"
done
cli list matrices -C "$p"
tap_is "$status" 2 'list matrices gives 2'
cli_has "$scratch/out" 'small' 'and lists the good ones'
cli_has "$scratch/err" 'wrong.yaml:3:1: ' 'with the errors of the wrong one'

# more errors than fit into one message
mkdir "$scratch/many"
cp -R "$p/." "$scratch/many/"
rm "$scratch/many/matrices/wrong.yaml"
for i in 1 2 3 4 5; do
	cp "$p/matrices/small.yaml" "$scratch/many/matrices/bad$i.yaml"
	for key in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
		echo "nonsense_$key: 1" >>"$scratch/many/matrices/bad$i.yaml"
	done
done
cli list matrices -C "$scratch/many"
tap_is "$status $(grep -c '/bad[1-5].yaml:[0-9]*:1: unknown key .nonsense_[a-z].; ' "$scratch/err")" '2 130' \
	'list matrices tells all errors of five files, however many'
cli plan bad1 -C "$scratch/many"
tap_is "$status $(grep -c 'unknown key' "$scratch/err")" '2 26' 'plan tells all of one'
for i in 1 2 3 4 5; do
	mkdir "$scratch/many/workloads/w$i"
	sed 's/nonsense/nonsense_of_a_workload/' "$scratch/many/matrices/bad$i.yaml" >"$scratch/many/workloads/w$i/workload.yaml"
done
cli plan small -C "$scratch/many"
tap_is "$status $(grep -c '/w[1-5]/workload.yaml:[0-9]*:1: unknown key .nonsense_of_a_workload_[a-z].; ' "$scratch/err")" '2 130' \
	'and of the files of the project'
cli_fails 2 ' more errors; or name the archive with --archive DIR' 'where only some are told it is said how many are not' \
	archive list -C "$scratch/many"

cli_fails 2 'O9' 'a pattern that matches nothing' plan small --only 'syscall/gcc/O9' -C "$p"
cli_fails 2 '--cpus' 'a CPU that is not there' run small --cpus 9999 -C "$p"
cli_has "$scratch/err" 'allowed' 'and those that are allowed'
cli_fails 2 "cannot be a host's name" 'a host that is no name' run small --host ../x -C "$p"

# the project of a folder above, and settings
mkdir -p "$p/a/b"
(cd "$p/a/b" && "$FLAGSTONE" list matrices --json >"$scratch/out" 2>/dev/null)
tap_is "$(jq -r '.matrices[] | select(.name == "small") | .title' "$scratch/out")" 'As little as there can be' \
	'the nearest project upwards is taken'
rm "$p/matrices/wrong.yaml"
echo 'archve: elsewhere' >"$p/.flagstone.yaml"
cli_fails 2 '.flagstone.yaml:1:1: ' 'an error in the settings with its place' archive list -C "$p"
echo 'archive: elsewhere' >"$p/.flagstone.yaml"
mkdir "$p/elsewhere"
cli archive list -C "$p"
tap_is "$status $(cat "$scratch/out")" "0 no records in $(cd "$p" && pwd -P)/elsewhere" 'the archive that the settings name'

# a plan of cells that cannot exist: no error, but a reason
cat >"$p/matrices/odd.yaml" <<-'END'
	workloads: [syscall]
	slots: [gcc, gcc-99]
	baseline: O2
	variants:
	  O2: {cflags: -O2}
	  odd: {cflags: -O2, arch: s390x}
END
cli plan odd -C "$p"
tap_is "$status" 0 'a plan with impossible cells is a plan'
cli_has "$scratch/out" 'cannot exist here: no gcc-99 in PATH' 'a toolchain that is not there is a reason'
cli plan odd -C "$p" --json
tap_is "$(jq -r '[.cells[] | select(.reason == null) | .cell] | join(" ")' "$scratch/out")" 'syscall/gcc/O2/1' 'plan --json has the cells'
tap_is "$(jq -r '.possible' "$scratch/out")" 1 'and how many can exist'
cp "$scratch/out" "$scratch/plan"
cli run odd --dry-run -C "$p" --json
tap_is "$(cmp "$scratch/out" "$scratch/plan" && echo same)" same 'run --dry-run prints the plan'
tap_is "$(cli plan odd -C "$p" && grep -c 'looked through' "$scratch/out")" 1 'the folders that were looked through are told once, not for each cell'
cli_has "$scratch/out" 'gcc-99  no gcc-99 in PATH (looked through' 'at the slot'
for words in plan 'plan --json' 'run --dry-run' build; do
	# shellcheck disable=SC2086 # words of a command line
	cli $words odd --only '/gcc-99' -C "$p"
	tap_is "$status" 3 "$words of cells none of which can exist: exit code 3"
	cli_has "$scratch/err" 'nothing of matrix odd can be run here: none of its 2 cells can exist; no gcc-99 in PATH' 'and why'
done
cli run odd --only '/gcc-99' -C "$p" --archive "$scratch/nothing" --quiet
tap_is "$status" 3 'a run of these: exit code 3'
cli_has "$scratch/err" 'nothing was measured: no cell of matrix odd can exist here' 'and why, even with --quiet'
tap_is "$([ -e "$p/elsewhere" ] && find "$p/elsewhere" -type f | wc -l)" 0 'and measures nothing'

# a project of nothing
mkdir -p "$scratch/empty/workloads" "$scratch/empty/matrices"
for kind in workloads matrices; do
	cli list $kind -C "$scratch/empty"
	tap_is "$status $(wc -c <"$scratch/out") $(cat "$scratch/err")" "0 0 flagstone: no $kind in $scratch/empty/$kind" \
		"list $kind of a project without any"
	cli list $kind -C "$scratch/empty" --quiet --json
	tap_is "$status $(jq -c ".$kind" "$scratch/out") $(wc -c <"$scratch/err")" '0 [] 0' 'and with --json --quiet the empty list alone'
done
cli list toolchains -C "$scratch/empty"
tap_is "$status" 3 'list toolchains where there are no families: exit code 3'
cli_has "$scratch/err" 'no toolchain families: toolchains/*.yaml are neither in the project nor installed' 'and why, whatever PATH holds'
tap_is "$(grep -c 'no compiler' "$scratch/err")" 0 'nothing is said of compilers'
cp "$p/matrices/small.yaml" "$scratch/empty/matrices/"
cp -R "$p/workloads/." "$scratch/empty/workloads/"
cli_fails 2 'known here: none, since toolchains/*.yaml are neither in the project nor installed' \
	'a plan without families' plan small -C "$scratch/empty"
tap_end
