#!/bin/sh
# Which flagstone it is was decided when it was built; the folder that it runs in has no say.
. tests/cli/cli_lib.sh

defined() { sed -n "s/^#define FLAGSTONE_$2 \"\(.*\)\"\$/\1/p" "$1"; } # defined FILE NAME
built() { make -s -C "$1" OUT=.build/x .build/x/built.h >"$scratch/make" 2>&1 || tap_note "$(cat "$scratch/make")"; }
commit() { git -C "$1" -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$2"; }

cli version --json
tap_is "$(jq -r '.commit // ""' "$scratch/out")" "$(defined "$OUT/built.h" COMMIT)" 'version --json has the commit that it was built from'
tap_is "$(jq -r .cflags "$scratch/out")" "$(defined "$OUT/built.h" CFLAGS)" 'and the flags'

# a project in a repository of its own
p=$scratch/p
project_small "$p"
git init -q "$p"
git -C "$p" add .
commit "$p" project
cli run small -C "$p" --rounds 6 --only '//O2' --json
record=$(jq -r .record.path "$scratch/out")
cli version --json
tap_is "$(zcat "$record" | jq -r '.harness["harness.commit"].value // ""')" "$(jq -r '.commit // ""' "$scratch/out")" \
	"the record's harness.commit is flagstone's, not the project's"
tap_is "$(zcat "$record" | jq -r '.harness["harness.compiler"].value // ""')" "$(jq -r .compiler "$scratch/out")" \
	'its compiler is that of version'
tap_is "$(zcat "$record" | jq -r '.project["project.commit"].value')" "$(git -C "$p" rev-parse HEAD)" \
	"project.commit is the project's"

# what the Makefile finds out: no repository, a foreign one around it, its own
src="$scratch/source tree/flagstone"
mkdir -p "$src"
cp Makefile .gitignore "$src/"
echo 1.2.3 >"$src/.version"
built "$src"
tap_is "$(defined "$src/.build/x/built.h" VERSION) $(grep -c COMMIT "$src/.build/x/built.h")" '1.2.3 0' 'without git there is no commit'
git init -q "$scratch/source tree"
commit "$scratch/source tree" foreign
built "$src"
tap_is "$(grep -c COMMIT "$src/.build/x/built.h")" 0 'a repository around the source tree is not its own'
rm -rf "$scratch/source tree/.git"
git init -q "$src"
git -C "$src" add .
commit "$src" own
built "$src"
tap_is "$(defined "$src/.build/x/built.h" COMMIT) $(defined "$src/.build/x/built.h" DIRTY)" "$(git -C "$src" rev-parse HEAD) no" \
	'its own commit is known'
before=$(stat -c '%i %Y' "$src/.build/x/built.h")
built "$src"
tap_is "$(stat -c '%i %Y' "$src/.build/x/built.h")" "$before" 'nothing new: nothing is written, so nothing is compiled'
mkdir -p "$src/archive"
echo x >"$src/archive/README.md"
built "$src"
tap_is "$(defined "$src/.build/x/built.h" DIRTY)" no 'archive/ is no change of the sources'
echo x >"$src/new.c"
built "$src"
tap_is "$(defined "$src/.build/x/built.h" DIRTY)" yes 'a new source is one'
tap_end
