#!/bin/sh
# A matrix' programs packed here and measured where there is no compiler, no library and no project.
. tests/pipeline/run_lib.sh

export FLAGSTONE_SETTLE=0s
p=$scratch/project
project_make "$p"
cat >"$p/matrices/pack.yaml" <<'END'
workloads: [count]
slots: [gcc, gcc-99]
baseline: O1
variants:
  O1:     {cflags: -O1}
  O2:     {cflags: -O2, env: [PACKED=yes]}
  static: {cflags: -O1, ldflags: -static}
measure: {sample: 200us, layouts: 8, rounds: 8, precision: 50%, matters: 5%, budget: 20s, timeout: 10s}
END
sed -i 's/env: \[PACKED=yes\]/env: {PACKED: "yes"}/' "$p/matrices/pack.yaml"
b=$scratch/pack.tar.gz
mkdir "$scratch/tmp" "$scratch/empty" "$scratch/nothing" "$scratch/home"
printf 'int main(void) { return 0; }\n' >"$scratch/empty.c"
static=no
gcc -static -o "$scratch/empty.out" "$scratch/empty.c" 2>/dev/null && static=yes

# elsewhere ARG...: in an empty folder, with nothing in PATH and no setting but where to lock and unpack
elsewhere()
{
	(cd "$scratch/empty" && exec env -i PATH="$scratch/nothing" HOME="$scratch/home" TMPDIR="$scratch/tmp" FLAGSTONE_SETTLE=0s \
		FLAGSTONE_LIBEXEC="$FLAGSTONE_LIBEXEC" FLAGSTONE_LOCK_FOLDER="$scratch" "$FLAGSTONE" "$@") >"$scratch/out" 2>"$scratch/err"
	status=$?
}

# --- packing ---
fs "$p" build pack --bundle "$b"
tap_is "$status" 0 'a matrix is packed'
tap_has "$scratch/out" "flagstone run --bundle $b" 'and it is said how it is run'
tap_has "$scratch/out" 'count/gcc-99/O1/1' 'what is not in it is listed'
tap_has "$scratch/out" 'have none from a record of this machine' 'and that no work is known yet'
tar xzf "$b" -C "$scratch" flagstone-bundle/bundle.json
j=$scratch/flagstone-bundle/bundle.json
id=$(sed -n 's/^id //p' "$scratch/out")
tap_is "$(sha256sum <"$j" | cut -d' ' -f1)" "$id" 'the id is the SHA-256 of bundle.json'
tar tzf "$b" | sed 's,^flagstone-bundle/,,' | grep -v '^bundle.json$' | sort >"$scratch/members"
jq -r '.files[].path' "$j" | sort >"$scratch/listed"
tap_is "$(cmp "$scratch/members" "$scratch/listed" 2>&1)" '' 'bundle.json lists all other members'
want=3
[ $static = yes ] || want=2
tap_is "$(jq '[.record.builds[] | select(.status == "built")] | length' "$j")" "$want" 'it has what could be built'
tap_is "$(jq -r '[.record.builds[] | select(.slot == "gcc" and .variant != "static") | .layouts | map(select(.arm == 0)) | length] | unique | .[]' "$j")" 8 \
	'with 8 layouts of each'
dynamic=$(jq -r '.cells[] | select(.cell == "count/gcc/O1/1") | .needs.libraries[] | select(.library == "libc.so.6") | .versions[]' "$j" | sort -V | tail -n 1)
tap_has "$scratch/out" "glibc ${dynamic#GLIBC_} or newer" 'the C library that they take is said'
if jq -e '.flagstone.linked == "static"' "$j" >/dev/null; then
	tar xzf "$b" -C "$scratch"
	tap_is "$(readelf -lW "$scratch/flagstone-bundle/bin/flagstone" "$scratch/flagstone-bundle/libexec/flagstone/spawner" | grep -c INTERP)" 0 \
		'flagstone in it needs no dynamic linker'
else
	tap_skip 'flagstone in it needs no dynamic linker' "$(jq -r .flagstone.reason "$j")"
fi
rm -rf "$scratch/flagstone-bundle"
fs "$p" build pack --bundle "$p/matrices/pack.yaml"
tap_is "$status" 2 'a file that is no bundle is not replaced'
fs "$p" build pack --bundle "$b" --verify
tap_is "$status" 2 '--bundle and --verify do not go together'
fs "$p" build pack --bundle "$b" --json --layouts 9
tap_is "$(jq -c '[.bundle.cells, (.bundle.id | length), .bundle.path == $b]' --arg b "$b" "$scratch/out")" "[$want,64,true]" 'the same as JSON'
fs "$p" build pack --bundle "$b" --only //O1 --layouts 3
tap_is "$status" 2 '3 layouts say nothing: refused'

# --- a run where there is nothing ---
fs "$p" run pack
tap_is "$(tap_run_code "$status")" 0 'the matrix is measured at home'
home=$(newest_record "$p/archive")
fs "$p" build pack --bundle "$b"
tap_has "$scratch/out" "units of work: those of this machine's newest records" 'then the work is known'
id=$(sed -n 's/^id //p' "$scratch/out")
elsewhere run --bundle "$b" --archive "$scratch/there"
tap_is "$(tap_run_code "$status")" 0 'the bundle is measured without compiler, project and PATH'
[ "$status" -eq 0 ] || [ "$status" -eq 5 ] || sed 's/^/  | /' "$scratch/err"
tap_is "$(ls -A "$scratch/tmp")" '' 'what was unpacked is gone'
r=$(newest_record "$scratch/there")
zcat "$r" >"$scratch/r.json"
zcat "$home" >"$scratch/home.json"
tap_is "$(jq -r '.harness["harness.bundle.id"].value' "$scratch/r.json")" "$id" 'its record names the bundle'
tap_is "$(jq -c '[.builds[] | select(.status == "measured")] | length' "$scratch/r.json")" "$want" 'all that is packed is measured'
hashes() { jq -c '[.builds[] | [.cell, .content_hash, .code_hash, [.layouts[] | [.arm, .layout, .sha256]]]]' "$1"; }
tap_is "$(hashes "$scratch/r.json")" "$(hashes "$scratch/home.json")" 'the same files ran there as at home, by their hashes'
same() { # same EXPRESSION CLAIM
	tap_is "$(jq -c "$1" "$scratch/r.json")" "$(jq -c "$1" "$scratch/home.json")" "$2"
}
same '[.workloads[] | [.content_hash, .unit, .units]]' 'workloads, units and work are those of home'
same '[.toolchains[] | [.slots, .facts["toolchain.driver.sha256"].value]]' 'so are the toolchains'
same '[.builds[] | .facts["resolved.march"].value]' 'what flags resolved to'
same '[.builds[].functions]' 'the functions'
same '.project' "the project's commit"
same '[.plan.matrix_text, .plan.comparisons[].b]' 'the matrix and what is compared'
tap_is "$(jq -r '.builds[] | select(.cell == "count/gcc-99/O1/1") | .reason | startswith("not in the bundle: ")' "$scratch/r.json")" true \
	'what could not be built at home has that reason'
tap_is "$(jq -r '.builds[] | select(.cell == "count/gcc/O2/1") | .facts["run.env"].value' "$scratch/r.json")" 'PACKED=yes' 'environments come along'
libc=$(jq -r '.builds[] | select(.cell == "count/gcc/O1/1") | .facts["run.libc.path"].value' "$scratch/r.json")
tap_is "$(jq -r '.builds[] | select(.cell == "count/gcc/O1/1") | .facts["run.libc.sha256"].value' "$scratch/r.json")" \
	"$(sha256sum "$libc" | cut -d' ' -f1)" 'the C library that it ran with is a fact'
elsewhere run --bundle "$b" --archive "$scratch/there" --only //O2 --rounds 8 --dry-run
tap_is "$status" 0 'a plan can be had of it'
tap_has "$scratch/out" 'are in the bundle' 'where all is in the bundle'
elsewhere run --bundle "$b" --archive "$scratch/there" --only //O9
tap_is "$status" 2 'a pattern that matches no cell of it is an error'
elsewhere run pack --bundle "$b" --archive "$scratch/there"
tap_is "$status" 2 'it brings its matrix along'
elsewhere run --bundle "$b" --fresh --archive "$scratch/there"
tap_is "$status" 2 'nothing can be built'
elsewhere run --bundle "$b" --layouts 64 --archive "$scratch/there"
tap_is "$status" 2 'it has the layouts that it has'
elsewhere run --bundle "$scratch/nothing.tar.gz" --archive "$scratch/there"
tap_is "$status" 3 'a bundle that is not there'
head -c 3000 "$b" >"$scratch/cut.tar.gz"
elsewhere run --bundle "$scratch/cut.tar.gz" --archive "$scratch/there"
tap_is "$status" 3 'a bundle that is cut'
tap_has "$scratch/err" 'cut' 'says so'
tap_is "$(ls -A "$scratch/tmp")" '' 'and nothing is left of it'

# --- its own flagstone, by its script ---
mkdir "$scratch/unpacked"
tar xzf "$b" -C "$scratch/unpacked"
u=$scratch/unpacked/flagstone-bundle
(cd "$scratch/empty" && exec env -i PATH=/usr/bin:/bin HOME="$scratch/home" TMPDIR="$scratch/tmp" FLAGSTONE_SETTLE=0s \
	FLAGSTONE_LOCK_FOLDER="$scratch" "$u/run.sh" --only //O2 --json) >"$scratch/out" 2>"$scratch/err"
tap_is "$(tap_run_code $?)" 0 "the bundle's own script runs its own flagstone"
tap_is "$(jq -r .schema "$scratch/out")" flagstone.result/1 'and takes options of run'
tap_is "$(zcat "$(newest_record "$u/archive")" | jq -r '.harness["harness.bundle.id"].value')" "$id" 'an unpacked bundle has the same id'
echo >>"$u/bundle.json"
elsewhere run --bundle "$u" --archive "$scratch/there" --only //O2
tap_is "$(zcat "$(newest_record "$scratch/there")" | jq -r '.harness["harness.bundle.id"].value == $id' --arg id "$id")" false \
	'another bundle.json is another bundle'

# a libexec without the static ones: the dynamic flagstone and its libraries
mkdir "$scratch/libexec"
cp "$FLAGSTONE_LIBEXEC/spawner" "$scratch/libexec/"
keep=$FLAGSTONE_LIBEXEC
FLAGSTONE_LIBEXEC=$scratch/libexec
export FLAGSTONE_LIBEXEC
fs "$p" build pack --bundle "$scratch/dynamic.tar.gz" --only //O2
FLAGSTONE_LIBEXEC=$keep
tap_has "$scratch/out" 'with its libraries' 'without a static flagstone the dynamic one is packed'
mkdir "$scratch/dynamic"
tar xzf "$scratch/dynamic.tar.gz" -C "$scratch/dynamic"
if [ -n "$(ls "$scratch/dynamic/flagstone-bundle/lib" 2>/dev/null)" ]; then
	tap_ok 'with its libraries'
else
	tap_not_ok 'with its libraries'
fi
(cd "$scratch/empty" && exec env -i PATH=/usr/bin:/bin HOME="$scratch/home" TMPDIR="$scratch/tmp" FLAGSTONE_SETTLE=0s \
	FLAGSTONE_LOCK_FOLDER="$scratch" "$scratch/dynamic/flagstone-bundle/run.sh" --dry-run) >"$scratch/out" 2>"$scratch/err"
tap_is "$?" 0 'and its script finds them'

# --- a root folder with nothing but the bundle, /proc and /dev/null ---
root=$scratch/root
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
: >"$root/dev/null"
cp -R "$u" "$root/bundle"
tar xzf "$b" -C "$root/bundle" --strip-components=1 flagstone-bundle/bundle.json
linked=$(jq -r .flagstone.linked "$root/bundle/bundle.json")
if [ "$linked" != static ] || [ $static = no ]; then
	tap_skip 'a root folder with nothing but the bundle' 'there is no static C library or flagstone here'
elif ! unshare -Urmpf true 2>/dev/null; then
	tap_skip 'a root folder with nothing but the bundle' 'no user namespaces here'
else
	# shellcheck disable=SC2016 # for the inner shell
	unshare -Urmpf sh -c 'mount --bind /dev/null "$1/dev/null" && mount -t proc proc "$1/proc" &&
		exec env -i TMPDIR=/tmp FLAGSTONE_LOCK_FOLDER=/tmp FLAGSTONE_SETTLE=0s "$2" "$1" /bundle/bin/flagstone run --bundle /bundle --archive /out' \
		- "$root" "$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)" >"$scratch/out" 2>"$scratch/err"
	tap_is "$(tap_run_code $?)" 0 'a root folder with nothing but the bundle: it runs'
	zcat "$(newest_record "$root/out")" >"$scratch/r.json"
	tap_is "$(jq -c '[.builds[] | select(.slot == "gcc") | [.variant, .status]]' "$scratch/r.json")" \
		'[["O1","impossible"],["O2","impossible"],["static","measured"]]' 'what is static is measured'
	tap_is "$(jq -r '.builds[] | select(.variant == "O1" and .slot == "gcc") | .reason | test("glibc .* or newer and the dynamic linker .* which this machine does not have")' "$scratch/r.json")" \
		true 'the others have the reason why not'
	tap_is "$(jq -r '.host["libc.name"] | has("value")' "$scratch/r.json")" false "flagstone's own C library is not taken for the machine's"
	tap_is "$(find "$root/tmp" -name 'flagstone-*')" '' 'nothing is left there'
fi

# --- a CPU that lacks something ---
rm -rf "$u"
tar xzf "$b" -C "$scratch/unpacked"
# xop was in AMD's CPUs of 2011 to 2015 only
jq '(.record.builds[] | select(.cell == "count/gcc/O2/1") | .facts) |= (."isa.used" = {"value": "xop", "source": "test"}
	| ."isa.dispatch" = {"value": "no", "source": "test"}
	| ."isa.example.xop" = {"value": "vprotd xmm0, xmm1, 3 in step at 0x10 of .text", "source": "test"})' "$u/bundle.json" >"$scratch/xop.json"
cp "$scratch/xop.json" "$u/bundle.json"
if [ "$(uname -m)" != x86_64 ] || grep -q '^flags.* xop' /proc/cpuinfo; then
	tap_skip 'a program that needs what this CPU lacks is not started' 'this is no x86_64 CPU without xop'
else
	elsewhere run --bundle "$u" --archive "$scratch/there"
	tap_is "$status" 6 'a program that needs what this CPU lacks is not started'
	zcat "$(newest_record "$scratch/there")" >"$scratch/r.json"
	tap_is "$(jq -r '.builds[] | select(.cell == "count/gcc/O2/1") | [.status, (.reason | test("xop") and test("step"))] | tostring' "$scratch/r.json")" \
		'["run failed",true]' 'and set, instruction and function are named'
	tap_is "$(jq -r '.builds[] | select(.cell == "count/gcc/O1/1") | .status' "$scratch/r.json")" measured 'the others are measured'
fi

# --- no room, no right to start programs, nobody's rights ---
mkdir "$scratch/mnt"
# on a file system of its own: within OPTIONS COMMAND...
within()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -Urm sh -c 'at=$1 options=$2; shift 2; mount -t tmpfs -o "$options" none "$at" && { "$@"; code=$?; ls -A "$at" >&2; exit $code; }' \
		- "$scratch/mnt" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
}
if ! unshare -Urm true 2>/dev/null; then
	tap_skip 'no room to unpack' 'no user namespaces here'
else
	within size=256k env TMPDIR="$scratch/mnt" "$FLAGSTONE" run --bundle "$b" --archive "$scratch/there"
	tap_is "$status" 3 'no room to unpack'
	tap_has "$scratch/err" 'No space left on device' 'is said'
	tap_is "$(grep -c '^flagstone-bundle-' "$scratch/err")" 0 'and what was unpacked is gone'
	within size=256k "$FLAGSTONE" build pack -C "$p" --bundle "$scratch/mnt/new.tar.gz"
	tap_is "$status" 3 'no room to pack'
	tap_has "$scratch/err" 'No space left on device' 'is said'
	tap_is "$(grep -c '^new.tar.gz' "$scratch/err")" 0 'and no half bundle stays'
	within noexec env TMPDIR="$scratch/mnt" "$FLAGSTONE" run --bundle "$b" --archive "$scratch/there"
	tap_is "$status" 3 'a TMPDIR from which nothing can be started'
	tap_has "$scratch/err" 'is mounted noexec; set TMPDIR' 'is said, with what to do'
fi
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$scratch"
	chmod -R a+rX "$scratch/unpacked"
	mkdir -m 1777 "$scratch/anybody"
	tar xzf "$b" -C "$scratch/unpacked"
	setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH=/usr/bin:/bin TMPDIR="$scratch/anybody" FLAGSTONE_LOCK_FOLDER="$scratch/anybody" \
		FLAGSTONE_SETTLE=0s "$u/run.sh" --archive "$scratch/anybody/archive" --only //O2 >"$scratch/out" 2>"$scratch/err"
	tap_is "$(tap_run_code $?)" 0 'a user without rights can run it'
	tap_is "$(find "$scratch/anybody" -name 'flagstone-bundle-*')" '' 'and leaves nothing'
fi

# --- interrupted, and gone on with ---
elsewhere_long() { elsewhere run --bundle "$b" --archive "$scratch/cut" --only //O2 --rounds 8..20000 --precision 0.01% --matters 0.01% --budget 2s --verbose; }
: >"$scratch/err"
elsewhere_long &
pid=$!
i=0
while ! grep -q 'measure  *round [0-9][0-9]' "$scratch/err" && [ $i -lt 300 ]; do
	sleep 0.1
	i=$((i + 1))
done
child=$(sed -n 's/^process \([0-9]*\) .*/\1/p' "$scratch/flagstone.lock")
kill -INT "$child"
wait $pid
cut=$(newest_record "$scratch/cut")
tap_is "$(zcat "$cut" | jq .complete)" false 'an interrupted run of a bundle is kept, incomplete'
tap_has "$scratch/err" "run --bundle $b --resume" 'and it is said how to go on'
tap_is "$(ls -A "$scratch/tmp")" '' 'what was unpacked is gone then, too'
elsewhere run --resume --archive "$scratch/cut"
tap_is "$status" 2 'it does not go on without its bundle'
tap_has "$scratch/err" 'flagstone run --bundle FILE --resume' 'and says that it needs it'
elsewhere run --bundle "$scratch/dynamic.tar.gz" --resume --archive "$scratch/cut"
tap_is "$status" 3 'nor with another one'
tap_has "$scratch/err" 'harness.bundle.id was' 'and says what differs'
elsewhere run --bundle "$b" --resume --archive "$scratch/cut"
tap_is "$(tap_run_code "$status")" 0 'with its bundle it does'
tap_is "$(zcat "$(newest_record "$scratch/cut")" | jq -c '[.complete, .continues == $id]' --arg id "$(zcat "$cut" | jq -r .id)")" '[true,true]' \
	'and is complete then'
tap_end
