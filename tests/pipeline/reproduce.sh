#!/bin/sh
# A record's builds made again: from its commit, with its compilers, hash by hash.
. tests/pipeline/run_lib.sh

export FLAGSTONE_SETTLE=0s
export GIT_CONFIG_GLOBAL="$scratch/gitconfig" GIT_CONFIG_NOSYSTEM=1
git config --global user.name Test
git config --global user.email test@example.org
git config --global init.defaultBranch main
p=$scratch/project
project_make "$p"
sed -i 's/rounds: 8..16/rounds: 8/' "$p/matrices/two.yaml"
printf 'archive/\n' >"$p/.gitignore"
git -C "$p" init -q
git -C "$p" add -A
git -C "$p" commit -qm first
commit=$(git -C "$p" rev-parse HEAD)
mkdir "$scratch/tmp"
export TMPDIR="$scratch/tmp"

fs "$p" run two
first=$(newest_record "$p/archive")
id=$(zcat "$first" | jq -r .id)

# --- nothing has changed ---
fs "$p" reproduce latest --no-measure
tap_is "$status" 0 'what has not changed is reproduced'
tap_has "$scratch/out" "which is at commit $(printf %.12s "$commit")" 'from the work tree'
tap_has "$scratch/out" '2 cells: 2 same file' 'file by file'
tap_has "$scratch/out" 'the same files' 'by the same compiler'
tap_is "$(ls -A "$scratch/tmp")" '' 'nothing is left of it'
fs "$p" reproduce "$id" --no-measure --json
tap_is "$(jq -c '[.schema, .record.id == $id, .sources.exported, [.toolchains[].same], [.cells[] | [.outcome, .layouts == .layouts_same, .layouts > 7, .same_inputs]], .run]' --arg id "$id" "$scratch/out")" \
	'["flagstone.reproduction/1",true,false,[true],[["same file",true,true,true],["same file",true,true,true]],null]' 'the same as JSON'

# --- the work tree has moved on: the commit's files are taken ---
sed -i 's/x \* 3u/x * 5u/' "$p/workloads/count/step.c"
git -C "$p" status --porcelain >"$scratch/status"
fs "$p" reproduce "$id" --no-measure
tap_is "$status" 0 'with changes in the work tree the same comes out'
tap_has "$scratch/out" "commit $(printf %.12s "$commit"), exported from" 'from the commit, exported'
tap_is "$(git -C "$p" status --porcelain)" "$(cat "$scratch/status")" 'the work tree stays as it is'
git -C "$p" commit -qam second
fs "$p" reproduce "$id"
tap_is "$status" 0 'after another commit, too, and it is measured'
again=$(newest_record "$p/archive")
zcat "$again" >"$scratch/again.json"
tap_is "$(jq -c '[.kind, .complete, .harness["harness.reproduces"].value == $id, .project["project.commit"].value == $commit, .project["project.dirty"].value, .workloads[0].facts["workload.commit"].value == $commit]' \
	--arg id "$id" --arg commit "$commit" "$scratch/again.json")" '["run",true,true,true,"no",true]' 'its record says what it reproduces, and the commit'
tap_is "$(jq -c '[.plan.seed, .plan.settings, [.builds[] | [.cell, .layouts]]]' "$scratch/again.json")" \
	"$(zcat "$first" | jq -c '[.plan.seed, .plan.settings, [.builds[] | [.cell, .layouts]]]')" 'with the same seed, settings and layouts'
compare=$(sed -n 's/^  flagstone compare/compare/p' "$scratch/out")
# shellcheck disable=SC2086 # words
(cd "$p" && "$FLAGSTONE" $compare) >"$scratch/out" 2>"$scratch/err"
tap_is "$(tap_run_code $?)" 0 'the command that it prints holds the two against each other'

# --- what cannot be the same ---
git -C "$p" checkout -q --orphan other
git -C "$p" commit -qm other
git -C "$p" branch -qD main
git -C "$p" reflog expire --expire=now --all
git -C "$p" gc -q --prune=now
fs "$p" reproduce "$id" --no-measure
tap_is "$status" 1 'where the commit is gone and the sources are others, the code is another one'
tap_has "$scratch/out" 'does not have the commit' 'it is said that the commit is gone'
tap_has "$scratch/out" 'workload count: its files are not those of the record' 'and which workload differs'
tap_has "$scratch/out" 'other code in: step' 'and which function'
tap_is "$(ls -A "$scratch/tmp")" '' 'nothing is left of that either'
sed -i 's/x \* 5u/x * 3u/' "$p/workloads/count/step.c"
fs "$p" reproduce "$id" --no-measure --only //O2
tap_is "$status" 0 'with the same files in the work tree it is the same again'
tap_has "$scratch/out" '1 cell: 1 same file' 'of the cells that were asked for'

# --- compilers ---
mkdir "$scratch/bin" "$scratch/none"
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v gcc)" >"$scratch/bin/gcc"
chmod +x "$scratch/bin/gcc"
before=$PATH
PATH="$scratch/bin:$PATH"
fs "$p" reproduce "$id" --no-measure
PATH=$before
tap_is "$status" 0 'a gcc that is another file is passed over for the one that it was'
tap_has "$scratch/out" 'the same files' 'which is found by its hash'
tap_has "$scratch/out" 'which is another one' 'and it is said that the name means another one now'
mkdir "$scratch/only"
for tool in as ld; do ln -s "$(command -v $tool)" "$scratch/only/$tool"; done
cp "$scratch/bin/gcc" "$scratch/only/"
# shellcheck disable=SC2123 # it is the one that is meant
PATH=$scratch/only
fs "$p" reproduce "$id" --no-measure
PATH=$before
tap_is "$status" 0 'another driver that makes the same code'
tap_has "$scratch/out" 'toolchain.driver.sha256: was' 'it is said in what it differs'
tap_has "$scratch/out" '2 same code' 'files may be others, the code is the same'
# shellcheck disable=SC2123
PATH=$scratch/none
fs "$p" reproduce "$id" --no-measure
PATH=$before
tap_is "$status" 3 'without any compiler it cannot be done'
tap_has "$scratch/out" 'not here: no gcc in PATH' 'and it is said why'

# --- usage ---
fs "$p" reproduce
tap_is "$status" 2 'it needs a record'
fs "$p" reproduce latest --only //O9 --no-measure
tap_is "$status" 2 'a pattern that matches no cell of the record'
(cd "$scratch/none" && "$FLAGSTONE" reproduce "$first" --no-measure) >"$scratch/out" 2>"$scratch/err"
tap_is "$?" 2 'where there is no project'
tap_has "$scratch/err" 'workloads/' 'that is said'

# --- a repository that libgit2 cannot read ---
q=$scratch/sha256
project_make "$q"
sed -i 's/rounds: 8..16/rounds: 8/' "$q/matrices/two.yaml"
printf 'archive/\n' >"$q/.gitignore"
if git -C "$q" init -q --object-format=sha256 2>/dev/null; then
	git -C "$q" add -A
	git -C "$q" commit -qm first
	fs "$q" run two --only //O1
	sed -i 's/x \* 3u/x * 5u/' "$q/workloads/count/step.c"
	fs "$q" reproduce latest --no-measure
	tap_is "$status" 0 'a SHA-256 repository gives its commit, too'
	tap_has "$scratch/out" 'exported from' 'by git'
else
	tap_skip 'a SHA-256 repository gives its commit, too' 'this git makes none'
fi
tap_end
