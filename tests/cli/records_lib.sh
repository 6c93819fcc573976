# shellcheck shell=sh
# records_lib.sh - records written by jq, for tests of what is said about machines and compilers that nobody has here.
# Sourced after cli_lib.sh. The form is that of archive/README.md.
#
#	record_make ARCHIVE [JQ [NAME TEXT]...]   a run of two cells, sort/cc/O2/1 and sort/cc/native/1, changed by the jq program;
#	                                          $record_path is then its file. $NAME is TEXT in the program

# One run on a Sapphire Rapids machine with gcc 12: native became cooperlake, with 512-bit vectors.
# shellcheck disable=SC2016  # jq's variables
record_base='
def f(v): {value: v, source: "made up"};
def build($variant; $flags; $code): {
	cell: "sort/cc/\($variant)/1", workload: "sort", slot: "cc", variant: $variant, copies: 1, args: "",
	status: "measured", reason: null, baseline: ($variant == "O2"), content_hash: "c-\($variant)",
	code_hash: $code, build_id: null, commands: [], log_excerpt: "", check_value: "1",
	layouts: [range(16) | {arm: 0, layout: ., seed: null, sha256: null}],
	facts: {
		"build.cflags": f($flags), "resolved.arch": f("x86_64"), "resolved.features": f("__SSE2__ __SSE__"),
		"resolved.vector_width": f("128"), "resolved.opt_level": f("O2"), "resolved.fp_model": f("precise"),
		"resolved.lto": f("none"), "resolved.pgo": f("none"), "resolved.sanitizers": f("none"),
		"resolved.static": f("no"), "resolved.tune": f("generic"), "resolved.move_max": f("128"),
		"resolved.store_max": f("128"), "resolved.cache_line": f("64"), "resolved.pie": f("yes"),
		"resolved.native_requested": f("no"), "resolved.march": f("x86-64"), "code.static": f("no"),
		"code.objects_sha256": f($code), "code.objects_unpadded_sha256": f($code), "cell.units": f("1024"),
		"build.functions": f("3"), "build.function_hash": f("test"),
	},
	functions: [{name: "multiply", size: 400, hash: ($code + "0000000000000000")[0:16]},
		{name: "scale", size: 80, hash: "0000000000000002"}, {name: "main", size: 60, hash: "0000000000000003"}],
};
def native($march; $tune; $width): .builds[1].facts += {
	"resolved.native_requested": f("yes"), "resolved.march": f($march), "resolved.tune": f($tune),
	"resolved.vector_width": f($width), "resolved.move_max": f($width), "resolved.store_max": f($width),
	"resolved.features": f("__AVX2__ __AVX512F__ __AVX__ __SSE2__ __SSE__")};
def code($i; $hash): .builds[$i].code_hash = $hash
	| .builds[$i].facts["code.objects_sha256"] = f($hash) | .builds[$i].facts["code.objects_unpadded_sha256"] = f($hash)
	| .builds[$i].functions[0].hash = ($hash + "0000000000000000")[0:16];
def host($name): .host_name = "x86_64-6-143-\($name)";
def compiler($family; $version): .toolchains[0].facts += {"toolchain.family": f($family), "toolchain.version": f($version)};
def speed($i; $factor): .samples.value |= [to_entries[] | if .key % 2 == $i then .value * $factor else .value end];
{
	schema: "flagstone.record/1", id: ("0" * 64), kind: "run", run: $run, continues: null, group: null, repeat_index: 0,
	repeat_count: 0, started: $started, finished: $started, complete: true, incomplete_reason: null,
	harness: {"harness.version": f("0.1.0")}, project: {}, host_name: "x86_64-6-143-aaaaaaaaaaaa",
	host: {
		"host.arch": f("x86_64"), "cpu.model_name": f("Intel(R) Xeon(R) Platinum 8481C"), "cpu.count": f("4"),
		"cpu.flags": f("abm avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi1 bmi2 cx16 f16c fma lahf_lm movbe " +
			"pni popcnt sse4_1 sse4_2 ssse3 xsave"),
		"freq.governor": f("performance"), "cgroup.cpu.quota_cpus": f("none"), "kernel.release": f("6.1"), "topology.smt.active": f("no"),
		"libc.name": f("glibc"), "libc.version": f("2.36"), "libc.build": f("2.36-9"), "load.1min": f("0.1"),
	},
	sessions: [{boot_id: null, started: $started, changed: {}}],
	toolchains: [{slots: ["cc"], facts: {"toolchain.family": f("gcc"), "toolchain.version": f("12.2.0"),
		"toolchain.target": f("x86_64-linux-gnu"), "toolchain.linker.version": f("GNU ld 2.40"),
		"toolchain.assembler.version": f("GNU as 2.40"), "toolchain.libc.version": f("glibc 2.36")}}],
	workloads: [{name: "sort", title: null, tags: [], content_hash: "sorted", unit: "sorts/s", lower_is_better: false,
		units: 1024, facts: {}, suite: null, suite_baseline: null}],
	builds: [build("O2"; "-O2"; "aaaa"), build("native"; "-O2 -march=native"; "bbbb")],
	plan: {matrix_name: "native", matrix_text: null, seed: ("0" * 32), settings: {sample_ns: 5000000, layouts_min: 16,
		layouts_max: 16, rounds_min: 16, rounds_max: 16, precision: 0.01, matters: 0.005, budget_ns: 0,
		build_budget_ns: 0, timeout_ns: 0, counted_rounds: 0}, aa: false, looks: [16], last_look: 16, layout_steps: [],
		comparisons: [{a: 0, b: 1, closed_at: 0}], canary_dep_limit_ns: null, canary_wide_limit_ns: null,
		run_wait_limit: null},
	sample_count: 32,
	samples: ([range(32)] | {build: map(. % 2), arm: map(0), copy: map(0), layout: map(. / 2 | floor), session: map(0),
		round: map(. / 2 | floor), block: map(. / 2 | floor), position: map(. % 2), units: map(1024),
		value: map(1000 + . % 2 * 100 + . / 32), start_offset_ns: map(. * 1000000), marks: map(0)}),
	failures: [], notes: [],
}
| native("cooperlake"; "generic"; "512")
'
record_number=0

record_make()
{
	record_number=$((record_number + 1))
	record_archive=$1 record_change=${2:-.}
	if [ $# -gt 2 ]; then
		shift 2
	else
		shift $#
	fi
	record_args=
	while [ $# -gt 1 ]; do
		record_args="$record_args --arg $1 $2"
		shift 2
	done
	record_started=$(printf '2026-03-%02dT%02d:00:00Z' $((record_number / 24 + 1)) $((record_number % 24)))
	# shellcheck disable=SC2086,SC2154  # several words are meant; scratch is cli_lib.sh's
	jq -nc --arg run "$(printf '%032x' "$record_number")" --arg started "$record_started" $record_args \
		"$record_base | $record_change" >"$scratch/record.json" || return 1
	record_id=$(sha256sum "$scratch/record.json" | cut -c1-64)
	record_folder=$record_archive/$(jq -r .host_name "$scratch/record.json")/2026/03
	mkdir -p "$record_folder"
	record_path=$record_folder/$(printf '%s' "$record_started" | tr -d ':-')-$(printf '%s' "$record_id" | cut -c1-12).json.gz
	sed "1s/\"id\":\"0\{64\}\"/\"id\":\"$record_id\"/" "$scratch/record.json" | gzip -nc >"$record_path"
}
