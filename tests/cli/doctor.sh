#!/bin/sh
# doctor on this machine, whatever it is: forms of its answer, exit codes, errors; and what a run keeps of it.
. tests/cli/cli_lib.sh

# verdict_code: the exit code that the verdict in a JSON document stands for
verdict_code() { jq -r 'if .verdict == "unfit" then 1 else 0 end' "$1"; }

cli doctor --quick --json
cp "$scratch/out" "$scratch/quick.json"
tap_is "$status" "$(verdict_code "$scratch/quick.json")" 'doctor --quick ends as its verdict says'
tap_is "$(jq -c '[.schema, .measured, .unmeasured]' "$scratch/quick.json")" '["flagstone.doctor/1",null,"it was not asked for"]' \
	'it measures nothing and says so'
tap_is "$(jq -r '[.checks[].id] | length == (unique | length)' "$scratch/quick.json")" true 'each check is there once'
wanted='governor limits boost throttle temperature power idle virtual steal smt cpus isolated interrupts room swap pages numa channels errors clock quota memory-limit container seccomp audit mitigations aslr other-run load pressure timers cron updates folder firmware'
tap_is "$(jq -r '.checks[].id' "$scratch/quick.json" | sort | tr '\n' ' ')" "$(echo "$wanted" | tr ' ' '\n' | sort | tr '\n' ' ')" \
	'all that the manual speaks of is looked at'
tap_is "$(jq -r '[.checks[] | select(.status == "caveat" or .status == "unfit") | .todo == null] | any' "$scratch/quick.json")" false \
	'what is not well says what to do'
tap_is "$(jq -r '[.checks[].read[] | (.value == null) == (.unknown != null)] | all' "$scratch/quick.json")" true \
	'each fact is known or says why not'
tap_is "$(jq -r '.verdict != "fit" or ([.checks[] | select(.decides) | .status == "ok"] | all)' "$scratch/quick.json")" true \
	'fit only if all that decides is ok'
tap_is "$(jq -r '.checks[] | select(.id == "load").read[] | select(.key == "load.1min").source' "$scratch/quick.json")" /proc/loadavg \
	'a fact has its source'

cli doctor --seconds 1
head -n 1 "$scratch/out" >"$scratch/line"
tap_is "$(grep -cE '^(fit|usable with these caveats: |unfit: )' "$scratch/line")" 1 'the first line is the verdict'
cli_has "$scratch/out" 'pairs of canaries' 'what was measured is shown'
tap_is "$(grep -cE '^(ok|caveat|unfit|unknown) +[a-z-]+ ' "$scratch/out")" 36 'and a line for each check, the noise among them'
cli doctor --quick --quiet
tap_is "$(wc -l <"$scratch/out")" 1 'doctor --quiet prints the verdict alone'
cli doctor --quick --verbose
tap_is "$(grep -c '^  why: ' "$scratch/out")" 35 'doctor --verbose says of each check why it matters'
cli doctor --quick
tap_is "$(LC_ALL=C grep -c "$(printf '[\200-\377]')" "$scratch/out")" 0 'without UTF-8 all of it is ASCII'

cpu=$(jq -r .cpus "$scratch/quick.json" | sed 's/[-,].*//')
cli doctor --seconds 1 --cpus "$cpu" --json
tap_is "$(jq -c '[.cpus, (.measured.pairs > 100), (.measured.dep.q25 <= 1), (.measured.dep.q75 >= 1), (.measured.wide.p01 <= .measured.wide.p99)]' \
	"$scratch/out")" "[\"$cpu\",true,true,true,true]" 'doctor --cpus measures there; quartiles stand around the median'
tap_is "$(jq -r '.checks[] | select(.id == "cpus").status' "$scratch/out")" caveat 'a single CPU is a caveat'

# a recorded tree, such as a user sends: judged, never measured
tree=$scratch/tree
clock=$tree/sys/devices/system/clocksource/clocksource0
mkdir -p "$tree/proc" "$clock"
echo '0.52 0.58 0.59 2/871 12345' >"$tree/proc/loadavg"
echo tsc >"$clock/current_clocksource"
cli doctor --root "$tree" --json
tap_is "$status $(jq -c '[.verdict, .measured, .cpus, (.checks[] | select(.id == "clock").status)]' "$scratch/out")" \
	'0 ["usable",null,"","ok"]' 'doctor --root judges a recorded tree'
echo jiffies >"$clock/current_clocksource"
cli doctor --root "$tree" --quiet
tap_is "$status $(cat "$scratch/out")" '1 unfit: clock' 'and ends with 1 when it is unfit'
cli_fails 2 'not a folder' 'doctor --root wants a folder' doctor --root "$tree/nothing"
cli_fails 2 "can't be measured" 'doctor --root measures nothing' doctor --root "$tree" --seconds 2

# another run has the lock: nothing is measured, and that is unfit
(
	exec 9<>"$scratch/flagstone.lock" || exit 1
	flock -n 9 || exit 1
	cli doctor --json
	echo "$status $(jq -c '[.verdict, .measured, (.checks[] | select(.id == "other-run").status)]' "$scratch/out")"
) >"$scratch/locked" 2>&1
tap_is "$(cat "$scratch/locked")" '1 ["unfit",null,"unfit"]' 'while another run measures the machine is unfit'

cli doctor --host
tap_is "$status $(sed -n 1p "$scratch/out" | grep -cE '^([a-z0-9_]+-[a-z0-9_]+-[a-z0-9_]+-[0-9a-f]{12}$|no name: )')" '0 1' \
	'doctor --host prints the name that this machine has'
cli doctor --host --json
tap_is "$(jq -c '[.schema, .given, (.parts | length)]' "$scratch/out")" '["flagstone.host/1",false,9]' 'with its parts'
FLAGSTONE_HOST=pool cli doctor --host --json
tap_is "$(jq -r '"\(.given) \(.name[:5])"' "$scratch/out")" 'true pool-' 'and one that was given, as such'

cli_fails 2 'give one of them' 'doctor --quick --seconds contradict each other' doctor --quick --seconds 3
cli_fails 2 'from 1 to 3600' 'doctor --seconds 0 is refused' doctor --seconds 0
cli_fails 2 '--cpus 99999' 'a CPU that is not there is refused' doctor --quick --cpus 99999
cli_fails 2 'only prints this machine' 'doctor --host measures nothing' doctor --host --seconds 2
cli_fails 2 'no such folder' 'doctor -C wants a folder' doctor --quick -C "$scratch/nothing"
cli_fails 2 'doctor' 'a word is refused' doctor now

# a run keeps the verdict, and is not refused by it
p=$scratch/p
project_small "$p"
cli run small -C "$p" --rounds 6 --json
record=$(jq -r .record.path "$scratch/out")
zcat "$record" | jq '.host | with_entries(select(.key | startswith("doctor.")))' >"$scratch/doctor.json"
tap_is "$(jq -r 'keys | join(" ")' "$scratch/doctor.json")" 'doctor.caveats doctor.unfit doctor.unknown doctor.verdict' 'a record has the verdict'
tap_is "$(jq -r '.["doctor.verdict"].value | test("^(fit|usable|unfit)$")' "$scratch/doctor.json")" true 'which is one of three'
cli show latest -C "$p"
tap_is "$(grep -c 'unfit to measure on' "$scratch/out")" "$(jq -r 'if .["doctor.verdict"].value == "unfit" then 1 else 0 end' "$scratch/doctor.json")" \
	'and a remark below the table where it is unfit'
tap_end
