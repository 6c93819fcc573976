#!/bin/sh
# tune, restore and run --tune, on copies of recorded trees: never on this machine, which nothing here may change.
#
# shellcheck disable=SC2016 # backticks stand in messages
. tests/cli/cli_lib.sh

export FLAGSTONE_SETTLE=0s
policy=sys/devices/system/cpu/cpufreq/policy

# unpack TREE FOLDER: what tree.h does, as far as these trees need it
unpack()
{
	rm -rf "$2"
	mkdir -p "$2"
	awk -v root="$2" '
		function put(path, text,    folder) {
			folder = root "/" path
			sub("/[^/]*$", "", folder)
			if (!(folder in made))
				made[folder] = system("mkdir -p \"" folder "\"") + 1
			printf "%s", text > (root "/" path)
			close(root "/" path)
		}
		function one(path, value, i) {
			gsub(/[{][}]/, i, path)
			gsub(/[{][}]/, i, value)
			put(path, value "\n")
		}
		/^=[0-9 ]/ || /^@ / {
			if (file != "")
				put(file, content)
			file = content = ""
		}
		/^@ / { file = $2; next }
		/^=[0-9 ]/ {
			value = $0
			sub(/^[^ ]* [^ ]* ?/, "", value)
			parts = split(substr($1, 2), range, ",")
			if (parts == 0)
				one($2, value, "")
			for (p = 1; p <= parts; p++) {
				split(range[p], ends, "-")
				for (i = ends[1] + 0; i <= (ends[2] == "" ? ends[1] : ends[2]) + 0; i++)
					one($2, value, i)
			}
			next
		}
		file != "" { content = content $0 "\n" }
		END { if (file != "") put(file, content) }' "$top/tests/sysroot/$1.tree"
}

# same CLAIM: the tree is what it was
same()
{
	rm -rf "$scratch/now"
	cp -R "$tree" "$scratch/now"
	rm -rf "$scratch/now/var"
	tap_is "$(diff -r "$scratch/before" "$scratch/now")" '' "$1"
}
reads() { cat "$tree/$1"; }

tree=$scratch/tree
unpack tune-intel "$tree"
cp -R "$tree" "$scratch/before"
tap_is "$(reads ${policy}3/base_frequency) $(wc -l <"$tree/proc/21/status")" '2100000 3' 'the tree is unpacked'

# what it would do
cli tune --dry-run --profile steady --root "$tree"
tap_is "$status" 0 'tune --dry-run'
cli_has "$scratch/out" "/${policy}{0-3}/scaling_governor: powersave -> performance" 'files that differ by a number are one line'
cli_has "$scratch/out" '/intel_pstate/no_turbo: 0 -> 1' 'path, old value, new value'
cli_has "$scratch/out" 'up to 86 % between the two' 'why, with the figures of the machine'
cli_has "$scratch/out" 'left alone: address space randomisation' 'and what is left alone'
same 'a dry run changes nothing'
cli tune --dry-run
tap_is "$status $(wc -c <"$scratch/err")" '0 0' 'a dry run of this machine only reads it'

# there
(umask 077 && exec "$FLAGSTONE" tune --profile steady --root "$tree") >"$scratch/out" 2>"$scratch/err" </dev/null
tap_is "$?" 0 'tune'
tap_is "$(stat -c %a "$tree/var/lib/flagstone" "$tree/var/lib/flagstone/tune.json" | tr '\n' ' ')" '755 644 ' \
	'every user can tell what is in force, whatever the umask of root'
cli_has "$scratch/out" 'in force: epp=performance governor=performance turbo=off limit=2100000 deep_idle=off' 'says what is in force'
tap_is "$(reads ${policy}2/scaling_governor) $(reads ${policy}2/scaling_max_freq) $(reads sys/devices/system/cpu/intel_pstate/no_turbo)" \
	'performance 2100000 1' 'and it is'
tap_is "$(jq -r '[.schema, .phase, .profile, (.changes | map(select(.kind == "write")) | length)] | join(" ")' "$tree/var/lib/flagstone/tune.json")" \
	'flagstone.tune-state/1 in force steady 19' 'what was before stands in a file'
cli tune --profile steady --root "$tree" --json
tap_is "$status $(jq -r '[.schema, .state, .profile] | join(" ")' "$scratch/out")" '0 flagstone.tune/1 in force already steady' 'once more: it is in force already'
cli_fails 3 '`flagstone restore` first' 'another profile is refused' tune --root "$tree"
tap_is "$(reads ${policy}2/scaling_max_freq)" 2100000 'and changes nothing'

# and back
cli restore --root "$tree" --json
tap_is "$status $(jq -c '[.schema, .found, .profile, .restored, .left, .failed, .cut_off]' "$scratch/out")" \
	'0 ["flagstone.restore/1",true,"steady",19,0,0,false]' 'restore'
same 'the tree is as before'
cli restore --root "$tree"
tap_is "$status" 0 'restoring twice does no harm'
cli_has "$scratch/err" 'nothing to restore' 'and says so'
cli restore --root "$tree" --json
tap_is "$status $(jq -c '[.found, .profile]' "$scratch/out")" '0 [false,null]' 'also as JSON'

# somebody else's value
cli tune --root "$tree"
echo schedutil >"$tree/${policy}1/scaling_governor"
cli restore --root "$tree"
tap_is "$status" 1 'a value that somebody changed: 1'
cli_has "$scratch/out" "/${policy}1/scaling_governor: powersave -> performance: left, as somebody else changed it: it reads schedutil" 'it is left, and said'
tap_is "$(reads ${policy}1/scaling_governor) $(reads ${policy}0/scaling_governor)" 'schedutil powersave' 'the others are back'
cli restore --root "$tree" --force
tap_is "$status" 0 'restore --force'
same 'puts it back, too'

# reserved CPUs; the controller is on, since no file does by itself what a kernel does with the word +cpuset
for copy in "$tree" "$scratch/before"; do
	echo 'cpuset cpu io memory pids' >"$copy/sys/fs/cgroup/cgroup.subtree_control"
	for group in init.scope system.slice user.slice; do
		echo >"$copy/sys/fs/cgroup/$group/cpuset.cpus"
	done
done
cli tune --root "$tree" --cpus 2-3 --json
tap_is "$status $(jq -r '[.cpus, .group] | join(" ")' "$scratch/out")" '0 2-3 /sys/fs/cgroup/flagstone' 'tune --cpus'
tap_is "$(reads sys/fs/cgroup/flagstone/cpuset.cpus) $(reads proc/irq/8/smp_affinity_list)" '2-3 0-1' 'the group has them, interrupts have not'
cli tune --root "$tree" --cpus 2,3
cli_has "$scratch/out" 'profile as-used, in force already' 'the same CPUs in other words are in force already'
tap_is "$(grep -c -- ' -> ' "$scratch/out")" 0 'and nothing is set again'
cli_fails 3 'CPUs 2-3 reserved; `flagstone restore` first' 'others are not' tune --root "$tree" --cpus 3
cli_fails 3 '`flagstone restore` first' 'and counters were not asked for' tune --root "$tree" --counters
cli restore --root "$tree"
tap_is "$status" 0 'restore'
same 'the group is gone and interrupts are where they were'
# usage
cli_fails 2 'did you mean steady?' 'a profile that is none' tune --profile staedy --root "$tree"
cli_fails 2 'there are: as-used, steady' 'of run, too' run --tune=fast
cli_fails 2 '`flagstone tune --dry-run`' 'run --dry-run sets nothing' run --tune --dry-run
cli_fails 2 'it is no folder' 'a root that is none' tune --root /no/such/place
mkdir "$scratch/empty"
cli_fails 2 'there is no sys/devices/system/cpu in it' 'an empty folder' tune --root "$scratch/empty"
unpack vm-kvm "$scratch/vm"
cli_fails 3 'in a virtual machine its host does' 'steady where nothing governs the frequency' tune --profile steady --root "$scratch/vm"
echo '{"schema":' >"$scratch/broken"
mkdir -p "$tree/var/lib/flagstone" && cp "$scratch/broken" "$tree/var/lib/flagstone/tune.json"
cli restore --root "$tree"
tap_is "$status" 3 'a damaged file is an error'
cli_has "$scratch/err" "a reboot brings the kernel's own values back" 'and says what is left to do'
rm -rf "${tree:?}/var"

# without root this machine is not touched; with root nobody tries
as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
if [ "$(id -u)" -ne 0 ]; then
	cli_fails 3 'takes root: nothing was changed' 'tune without root' tune
	cli_fails 3 '--tune takes root: nothing was changed' 'run --tune without root' run --tune
elif $as_nobody true 2>/dev/null; then
	chmod 755 "$scratch" "$scratch/program"
	# shellcheck disable=SC2086 # several words
	for words in tune 'run --tune'; do
		$as_nobody sh -c '[ "$(id -u)" -ne 0 ] && exec "$@"' sh "$FLAGSTONE" $words >"$scratch/out" 2>"$scratch/err" </dev/null
		tap_is "$?" 3 "$words without root"
		cli_has "$scratch/err" 'takes root: nothing was changed' 'says what it takes'
	done
else
	tap_skip 'tune without root' 'there is no setpriv'
fi

# around a run
p=$scratch/p
project_small "$p"
cli run small -C "$p" --tune=steady --root "$tree"
tap_is "$(tap_run_code "$status")" 0 'run --tune'
cli_has "$scratch/err" "flagstone: /${policy}{0-3}/scaling_governor: powersave -> performance" 'says each change'
cli_has "$scratch/err" 'profile steady: epp=performance governor=performance turbo=off' 'and what is in force'
cli_has "$scratch/err" 'the machine is as it was before --tune (19 values put back)' 'and that it put it back'
same 'which it did'
tap_is "$(zcat "$(newest_record "$p/archive")" | jq -r '.host["tune.profile"] | (.value // .unknown) | test("none|container")')" true \
	'the record does not claim what was tuned elsewhere'
cli run small -C "$p" --tune=steady --root "$scratch/vm"
tap_is "$status" 3 'what cannot be tuned is not measured'

# a long run in the background, once its tree is tuned
started()
{
	"$FLAGSTONE" run small -C "$p" --tune --root "$tree" --rounds 200000 --budget 60s >"$scratch/bg.out" 2>"$scratch/bg.err" </dev/null &
	runner=$!
	i=0
	while ! grep -q '"phase": "in force"' "$tree/var/lib/flagstone/tune.json" 2>/dev/null && [ $((i += 1)) -lt 400 ]; do
		sleep 0.05
	done
}
started
tap_is "$(reads ${policy}3/scaling_governor) $(jq -r .owner "$tree/var/lib/flagstone/tune.json")" 'performance run' 'while it runs, the profile is in force'
cli_fails 3 'another flagstone is measuring on this machine' 'and tune waits its turn' tune --root "$tree"
cli_fails 3 'another flagstone is measuring on this machine' 'and restore' restore --root "$tree"
cli restore --root "$scratch/vm"
tap_is "$status" 0 'which needs no turn where there is nothing to do'
kill -INT "$runner"
wait "$runner"
tap_is "$?" 130 'Ctrl-C ends the run'
same 'and the tree is as before'

started
kill -KILL "$runner"
wait "$runner" 2>/dev/null
tap_is "$(reads ${policy}3/scaling_governor)" performance 'a run that is killed leaves it'
cli run small -C "$p" --root "$tree"
cli_has "$scratch/err" 'tuned this machine for a run that ended without putting it back; `flagstone restore` does' 'which the next run says'
cli tune --root "$tree" --profile steady
tap_is "$status" 0 'the next tune'
cli_has "$scratch/err" 'put back first (10 restored, 0 as before already)' 'puts it back first'
cli restore --root "$tree"
same 'so that what was before is never lost'
tap_end
