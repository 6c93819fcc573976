#!/bin/sh
# Adaptive measuring on a small project: layouts are added where placement dominates and only there, a killed run goes
# on as if it had never stopped, calibration survives a slow start, a budget ends in time, and a plan says what it takes.
. tests/pipeline/run_lib.sh
unset FLAGSTONE_SETTLE # these runs are judged by their rates

p=$scratch/project
project_make "$p"

# A workload whose speed depends on where its code lies: up to eight times the work, by bits of an address that the load
# address does not change. So much, because tests run on busy machines.
mkdir -p "$p/workloads/lucky"
cat >"$p/workloads/lucky/workload.yaml" <<-'EOF2'
	name: lucky
	title: A chain of multiplications with luck of placement
	sources: [lucky.c, step.c]
	metric: {unit: step/s, better: higher}
	check: {units: 1000, value: "1000", rel: 0}
EOF2
cp "$p/workloads/count/step.c" "$p/workloads/lucky/"
cat >"$p/workloads/lucky/lucky.c" <<-'EOF2'
	#include "driver.h"
	#include <stdio.h>

	#ifndef LUCK
	#define LUCK 7
	#endif
	#ifndef TIMES
	#define TIMES 1
	#endif
	uint32_t step(uint32_t x);
	static uint64_t done;
	static int work(uint64_t units)
	{
		uint64_t more = units * (((uintptr_t)step >> 4) & LUCK);
		uint32_t x = 1;

		for (uint64_t i = 0; i < (units + more) * TIMES; i++) {
			x = step(x);
			GUARD_VALUE(x);
		}
		done += units;
		return 0;
	}
	static int reset(void)
	{
		done = 0;
		return 0;
	}
	static int check(char *text, size_t size)
	{
		snprintf(text, size, "%lu", (unsigned long)done);
		return 0;
	}
	const struct workload flagstone_workload = {
		.name = "lucky", .work = work, .check = check, .reset = reset};
EOF2
cat >"$p/matrices/adapt.yaml" <<-'EOF2'
	workloads: [count, lucky]
	slots: [gcc]
	baseline: one
	variants:
	  one: {cflags: -O1 -DVARIANT=1}
	  two: {cflags: -O1 -DVARIANT=2}
	measure: {sample: 1ms, layouts: 8..24, rounds: 16..64, precision: 0.01%, matters: 0.01%, timeout: 10s}
EOF2
seed=00112233445566778899aabbccddeeff

fs "$p" run adapt --seed $seed --aa --verbose
tap_is "$(tap_run_code "$status")" 0 'a run that adds layouts ends with 0, or 5'
grep 'look after' "$scratch/err" | sed 's/^/# /'
record=$(newest_record "$p/archive")
zcat "$record" >"$scratch/whole.json"
tap_is "$(jq -c '.plan.layout_steps[0]' "$scratch/whole.json")" '{"round":0,"workload":null,"layouts":8}' 'it begins with 8 layouts'
tap_is "$(jq -c '[.workloads[].name] as $names | [.plan.layout_steps[1:][] | select($names[.workload] == "lucky")][0] | .round, (.layouts > 8)' "$scratch/whole.json" | tr '\n' ' ')" \
	'16 true ' 'where placement dominates more are linked at the first look'
tap_is "$(jq -c '[.workloads[].name] as $names | [.plan.layout_steps[1:][] | "\(.round).\($names[.workload])"] | sort' "$scratch/whole.json")" \
	"$(jq -c '[.harness | to_entries[] | select(.key | startswith("harness.balance.")) | select(.value.value | endswith(": more layouts")) |
		.key | sub("harness.balance."; "")] | sort' "$scratch/whole.json")" 'and nowhere else than where the figures say so'
# layouts that a workload's rounds met, from one round on
met() { # met DOCUMENT WORKLOAD FROM
	jq -c --arg w "$2" --argjson from "$3" '[.builds[].workload] as $of | .samples as $s |
		[range($s.round | length) | select($of[$s.build[.]] == $w and $s.round[.] >= $from) | $s.layout[.]] | unique | length' "$1"
}
layouts=$(jq '[.plan.layout_steps[].layouts] | max' "$scratch/whole.json")
tap_is "$(met "$scratch/whole.json" lucky 0)" "$layouts" 'its rounds meet all of them'
tap_is "$(jq -c '[.builds[] | select(.workload == "lucky") | [.layouts[] | select(.arm == 0)] | length] | unique' "$scratch/whole.json")" "[$layouts]" \
	'the record names the new links'
tap_is "$(jq -c '.samples as $s | [range($s.round | length) | "\($s.round[.])/\($s.block[.]) \($s.layout[.])"] | unique |
	group_by(split(" ")[0]) | map(length) | unique' "$scratch/whole.json")" '[1]' 'all cells of a block meet one layout'
# the new ones catch up before an old one is met again
tap_is "$(jq -c --argjson n "$((layouts - 8))" '[.builds[].workload] as $of | .samples as $s | [range($s.round | length) |
	select($of[$s.build[.]] == "lucky" and $s.round[.] >= 16 and $s.round[.] < 16 + $n) | $s.layout[.]] | unique | (min >= 8 and length == $n)' \
	"$scratch/whole.json")" true 'new layouts are met first'
tap_is "$(jq -r '.harness["harness.balance.16.lucky"].value' "$scratch/whole.json" | grep -c 'var_layout=.*round_ns=.*: more layouts')" 1 \
	'the numbers of the decision are facts of the record'
tap_has "$scratch/err" 'look after 16 rounds: lucky: 8 layouts; placement makes' 'and told by --verbose'
tap_is "$(jq '[.notes[] | select(startswith("lucky: after 16 rounds"))] | length' "$scratch/whole.json")" 1 'and in a note'
fs "$p" archive verify
tap_is "$status" 0 'archive verify finds the record intact'

# A comparison is closed at a look and at no other time; its cell leaves, the baseline's stays as long as any other.
cat >"$p/matrices/leave.yaml" <<-'EOF2'
	workloads: [lucky]
	slots: [gcc]
	baseline: base
	variants:
	  base:  {cflags: -O1 -DLUCK=0 -DVARIANT=1}
	  twin:  {cflags: -O1 -DLUCK=0 -DVARIANT=2}
	  heavy: {cflags: -O1 -DLUCK=0 -DTIMES=16}
	measure: {sample: 1ms, layouts: 8, rounds: 16..64, precision: 0.01%, matters: 1%, timeout: 10s}
EOF2
fs "$p" run leave --aa --archive "$scratch/leave"
zcat "$(newest_record "$scratch/leave")" >"$scratch/leave.json"
tap_is "$(jq -c '[.plan.looks, [.plan.comparisons[].closed_at] - [0] - .plan.looks]' "$scratch/leave.json")" '[[16,64],[]]' \
	'comparisons are closed at planned looks only'
tap_is "$(jq -c '[.builds[].variant] as $v | .plan.comparisons | map(select($v[.b] == "heavy"))[0].closed_at' "$scratch/leave.json")" 16 \
	'16 times the work is settled at the first look'
last_round() { # last_round VARIANT
	jq -c --arg v "$1" '[.builds[].variant] as $of | .samples as $s | [range($s.round | length) | select($of[$s.build[.]] == $v) | $s.round[.]] | max' \
		"$scratch/leave.json"
}
tap_is "$(last_round heavy) $(last_round base) $(last_round twin)" '15 63 63' 'its cell leaves, the others stay to the end'
tap_has "$scratch/err" '2 of 2 cells undecided' 'the progress line says how many are undecided'
tap_has "$scratch/err" 'round 17/64  1 of 2 cells undecided' 'and that it changed after the look'

# killed after the step, and resumed: the same layouts in the same rounds
rounds_of() { # rounds_of DOCUMENT: round and layout of each block of a workload
	jq -c '[.builds[].workload] as $of | .samples as $s |
		[range($s.round | length) | [$of[$s.build[.]], $s.round[.], $s.layout[.]]] | unique' "$1"
}
sed 's/\[count, lucky\]/[lucky]/; s/8\.\.24/8..12/' "$p/matrices/adapt.yaml" >"$p/matrices/lucky.yaml"
fs "$p" run lucky --seed $seed --aa --archive "$scratch/whole"
zcat "$(newest_record "$scratch/whole")" >"$scratch/whole.json"
tap_is "$(jq -c '[.plan.layout_steps[1:][] | [.round, .layouts]]' "$scratch/whole.json")" '[[16,12]]' 'at most as many as the matrix allows'
"$FLAGSTONE" run lucky --seed $seed --aa --verbose -C "$p" --archive "$scratch/killed" >"$scratch/out" 2>"$scratch/killed.err" &
pid=$!
i=0
while ! grep -qs 'measure  *round \(2[4-9]\|[3-6][0-9]\)/' "$scratch/killed.err" && [ $i -lt 600 ]; do
	sleep 0.05
	i=$((i + 1))
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
fs "$p" run --resume --archive "$scratch/killed"
tap_is "$(tap_run_code "$status")" 0 'a run that was killed after layouts were added can be resumed'
[ "$status" -eq 0 ] || [ "$status" -eq 5 ] || sed "s/^/# /" "$scratch/err"
zcat "$(newest_record "$scratch/killed")" >"$scratch/resumed.json"
tap_is "$(jq -c '[(.sessions | length), (.samples.round | max)]' "$scratch/resumed.json")" '[2,63]' 'and goes on to the last round'
tap_is "$(jq -c .plan.layout_steps "$scratch/resumed.json")" "$(jq -c .plan.layout_steps "$scratch/whole.json")" 'with the same steps'
tap_is "$(rounds_of "$scratch/resumed.json" | cksum)" "$(rounds_of "$scratch/whole.json" | cksum)" 'and the same layouts in the same rounds'

# Calibration in bad times: the first 60 starts of the program are 16 times slower.
cat >>"$p/workloads/count/count.c" <<-'EOF2'
	/* counts its starts in a file */
	#include <fcntl.h>
	int slow_start(void);
	int slow_start(void)
	{
	#ifdef STARTS
		int fd = open(STARTS, O_WRONLY | O_CREAT | O_APPEND, 0600);
		long size = (long)lseek(fd, 0, SEEK_END);

		if (write(fd, "x", 1) != 1)
			exit(9);
		close(fd);
		return size < 60;
	#else
		return 0;
	#endif
	}
EOF2
sed -i 's/^static int work(uint64_t units)/int slow_start(void);\nstatic int slow;\n&/
	s/^if (is("crash"))/slow = slow_start();\n&/
	s/^x = step(x);/for (int k = 0; slow \&\& k < 120; k++)\n\tGUARD_VALUE(k);\n&/' "$p/workloads/count/count.c"
cat >"$p/matrices/slow.yaml" <<-EOF2
	workloads: [count]
	slots: [gcc]
	baseline: one
	variants:
	  one: {cflags: [-O1, '-DSTARTS="$scratch/starts"']}
	  two: {cflags: [-O2, '-DSTARTS="$scratch/starts"']}
	measure: {sample: 1ms, layouts: 1, rounds: 40, timeout: 10s}
EOF2
fs "$p" run slow --archive "$scratch/slow"
tap_is "$(tap_run_code "$status")" 0 'a run whose calibration met a slow machine ends with 0, or 5'
zcat "$(newest_record "$scratch/slow")" >"$scratch/slow.json"
tap_is "$(jq '.samples as $s | [range($s.round | length) | select($s.round[.] >= 38) | $s.units[.]] | unique | length' "$scratch/slow.json")" 1 \
	'in the end all samples have the same units'
jq -c '.samples.units | [group_by(.)[] | [.[0], length]]' "$scratch/slow.json" | sed 's/^/# units, samples: /'
tap_is "$(jq '.samples.units | max >= 4 * min' "$scratch/slow.json")" true 'which are more than the calibration had found'
tap_is "$(jq '.samples as $s | [range($s.round | length) | select($s.round[.] >= 38) | $s.elapsed_ns[.]] | min >= 500000' "$scratch/slow.json")" true \
	'so that a sample is long enough again'
tap_is "$(jq '[.notes[] | select(contains("it was calibrated again"))] | length > 0' "$scratch/slow.json")" true 'and that is said'
tap_is "$(jq -c '([.builds[].facts["cell.units"].value | tonumber] | unique) == [.samples.units | max]' "$scratch/slow.json")" true \
	'the next run begins with these'

# A budget that is too short for the first look: some 0.2 s a sample, three samples a block with the second
# arm, and fewer rounds than the 8 layouts without which there is no answer.
cat >"$p/matrices/late.yaml" <<-EOF2
	workloads: [nap]
	slots: [gcc]
	baseline: one
	variants: {one: {cflags: -O1 -DVARIANT=1}, two: {cflags: -O1 -DVARIANT=2}}
	measure: {sample: 100ms, layouts: 8, rounds: 16..64, budget: 3s, timeout: 10s}
EOF2
mkdir -p "$p/workloads/nap"
printf 'name: nap\nsources: [nap.c]\nmetric: {unit: nap/s, better: higher}\n' >"$p/workloads/nap/workload.yaml"
cat >"$p/workloads/nap/nap.c" <<-'EOF2'
	#include "driver.h"
	#include <stdio.h>
	#include <time.h>
	static int work(uint64_t units)
	{
		struct timespec nap = {0, 100000000};

		while (units-- > 0)
			nanosleep(&nap, 0);
		return 0;
	}
	volatile int variant = VARIANT; /* other content, so that it is other code */
	static int check(char *text, size_t size)
	{
		snprintf(text, size, "0");
		return 0;
	}
	const struct workload flagstone_workload = {.name = "nap", .work = work, .check = check};
EOF2
fs "$p" run late --archive "$scratch/late"
tap_is "$status" 5 'a run whose budget is over before the first look decides nothing: 5'
zcat "$(newest_record "$scratch/late")" >"$scratch/late.json"
tap_is "$(jq '(.harness["harness.time.measure_ns"].value | tonumber) / 1e9 | . > 0.5 and . <= 3.0 + 0.8' "$scratch/late.json")" true \
	"measuring ended at the budget and a block at most ($(jq -r '.harness["harness.time.measure_ns"].value' "$scratch/late.json") ns)"
tap_is "$(jq '.complete and .plan.last_look < 8 and .plan.last_look > 0' "$scratch/late.json")" true 'the record is complete, with fewer rounds than asked for'
tap_has "$scratch/out" 'the time budget (3.00 s) ended the run after' 'it is said what ended it'
tap_has "$scratch/out" 'before the first look, after 16 rounds: they take a budget of about' 'and what the first look takes'
tap_has "$scratch/out" "can't tell" 'and what is undecided'
fs "$p" plan late --archive "$scratch/late"
tap_has "$scratch/out" 'measure: 3.00 s, the budget, which ends before the first look: 16 rounds take about' 'a plan says so before'
cp -R "$p/workloads/nap" "$p/workloads/nap2"
sed -i 's/name: nap/name: nap2/' "$p/workloads/nap2/workload.yaml"
sed -i 's/name = "nap"/name = "nap2"/' "$p/workloads/nap2/nap.c"
sed 's/\[nap\]/[nap, nap2]/' "$p/matrices/late.yaml" >"$p/matrices/later.yaml"
fs "$p" run later --archive "$scratch/late" --sample 1s --budget 1s
tap_is "$status" 3 'a budget under one round: nothing is measured'
tap_has "$scratch/err" 'nothing was measured: the time budget of 1.00 s is over before one round of all cells is' 'which is said'

# What a plan says, and what a run takes. The plan's own tolerance is a quarter; a start may fall into a busy moment.
cat >"$p/matrices/known.yaml" <<-'EOF2'
	workloads: [lucky]
	slots: [gcc]
	baseline: O1
	variants: {O1: {cflags: -O1}, O2: {cflags: -O2}, O3: {cflags: -O3}, Os: {cflags: -Os}}
	measure: {sample: 2ms, layouts: 8, rounds: 16..4000, precision: 0.01%, matters: 0.01%, budget: 2s, timeout: 10s}
EOF2
planned() { # planned MEMBER
	jq ".estimate.$1" "$scratch/plan"
}
plan_and_run() { # sets $took and $built, ns
	"$FLAGSTONE" plan known -C "$p" --json >"$scratch/plan"
	begin=$(date +%s%N)
	fs "$p" run known
	took=$(($(date +%s%N) - begin))
	built=$(zcat "$(newest_record "$p/archive")" | jq '[.harness["harness.time.build_ns", "harness.time.link_ns"].value | tonumber] | add')
}
plan_and_run
tap_is "$(planned build_source)" '"rough"' 'of a matrix that was never built a plan has rough figures, and says so'
fs "$p" plan known
tap_has "$scratch/out" 'build: 4 builds and 40 links, of which 4 and 40 are in the cache' 'what is built costs nothing'
tap_has "$scratch/out" 'if the first look after 16 rounds settles all, to 2.00 s, the budget (from earlier runs here)' 'measuring: from the first look to the budget'
plan_and_run
tap_is "$([ "$took" -ge "$(planned shortest_ns)" ] && [ "$took" -le "$(planned longest_ns)" ] && echo inside)" inside \
	"a run ends within the bounds of its plan ($(planned shortest_ns) to $(planned longest_ns): $took)"
inside='' tries=
for _ in 1 2 3 4; do
	rm -rf "$XDG_CACHE_HOME/flagstone/builds" "$XDG_CACHE_HOME/flagstone/objects"
	plan_and_run
	tries="$tries $(planned build_ns):$built"
	if [ "$took" -lt "$(planned shortest_ns)" ] || [ "$took" -gt "$(planned longest_ns)" ]; then
		continue
	fi
	near=$(awk -v a="$(planned build_ns)" -v b="$built" 'BEGIN { print (a / b > 0.75 && a / b < 1.25) }')
	[ "$near" = 1 ] && inside=yes && break
done
tap_is "$inside" yes "builds take what the plan says within 25 %, and the run ends within its bounds (planned:took$tries)"
tap_is "$(planned build_source)" '"records"' 'from records of earlier runs'
tap_end
