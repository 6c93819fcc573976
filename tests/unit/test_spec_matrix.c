/* matrices: what is taken, and the exact lines for what is not. */
#include "test_spec_tools.h"

/* The example of the design. */
static void read_matrix__full_example__all_fields(void **state)
{
	struct spec_matrix m = good_matrix(
		"title: Flags\n"
		"workloads: [tag:unixbench, tag:kernel, \"sort*\"]\n"
		"toolchains: [all]\n"
		"baseline: O2\n"
		"variants:\n"
		"  O2:     {cflags: -O2}\n"
		"  v3:     {cflags: -O2 -march=x86-64-v3, arch: x86_64}\n"
		"  lto:    {cflags: -O2 -flto, ldflags: -O2 -flto, cxxflags: -O1}\n"
		"  static:\n"
		"    cflags: -O2\n"
		"    ldflags: -static\n"
		"    env: {A: 1, B: \"\"}\n"
		"    only: [gcc, clang-14]\n"
		"  fast:   {cflags: -O3 -ffast-math, check: {rel: 1e-3}}\n"
		"exclude: [{toolchain: tcc, variant: lto}]\n"
		"copies: [1, cpus, cores]\n"
		"args: [{n: 4, m: 2}, \"n2=1,n=x\"]\n"
		"measure: {sample: 2ms, layouts: 8..32, rounds: 8..128, precision: 2%, matters: 0.25%, "
		"budget: 20m, build_budget: none, timeout: 5s}\n");

	(void)state;
	assert_string_equal(m.name, "m");
	assert_string_equal(m.title, "Flags");
	assert_non_null(strstr(m.text, "tag:kernel"));
	assert_int_equal(m.workloads.n, 3);
	assert_string_equal(m.workloads.v[1].text, "tag:kernel");
	assert_int_equal(m.workloads.v[1].place.line, 2);
	assert_int_equal(m.workloads.v[1].place.column, 28);
	assert_true(m.all_toolchains);
	assert_string_equal(m.baseline.text, "O2");
	assert_int_equal(m.baseline.place.line, 4);
	assert_int_equal(m.variant_count, 5);
	CHECK_WORDS(&m.variants[1].cflags, "-O2", "-march=x86-64-v3");
	assert_string_equal(m.variants[1].arch, "x86_64");
	CHECK_WORDS(&m.variants[2].ldflags, "-O2", "-flto");
	CHECK_WORDS(&m.variants[2].cxxflags, "-O1");
	CHECK_WORDS(&m.variants[3].env, "A=1", "B=");
	assert_int_equal(m.variants[3].only.n, 2);
	assert_true(m.variants[3].check_rel < 0);
	assert_true(m.variants[4].check_rel == 1e-3);
	assert_int_equal(m.variants[4].place.line, 14);
	assert_int_equal(m.exclude_count, 1);
	assert_string_equal(m.exclude[0].toolchain, "tcc");
	assert_int_equal(m.copies_count, 3);
	assert_int_equal(m.copies[0].number, 1);
	assert_int_equal(m.copies[1].kind, COPIES_CPUS);
	assert_int_equal(m.copies[2].kind, COPIES_CORES);
	assert_int_equal(m.args.n, 2);
	assert_string_equal(m.args.v[0].text, "m=2,n=4");
	assert_string_equal(m.args.v[1].text, "n=x,n2=1");
	assert_int_equal(m.measure.sample_ns, 2000000);
	assert_int_equal(m.measure.layouts_min, 8);
	assert_int_equal(m.measure.layouts_max, 32);
	assert_int_equal(m.measure.rounds_max, 128);
	assert_true(m.measure.precision == 0.02);
	assert_true(m.measure.matters == 0.0025);
	assert_int_equal(m.measure.budget_ns, INT64_C(1200000000000));
	assert_int_equal(m.measure.build_budget_ns, 0);
	assert_int_equal(m.measure.timeout_ns, INT64_C(5000000000));
}

static void read_matrix__minimal__defaults(void **state)
{
	struct spec_matrix m = good_matrix(MINIMAL);

	(void)state;
	assert_false(m.all_toolchains);
	assert_string_equal(m.slots.v[0].text, "gcc");
	assert_string_equal(m.baseline.text, "O2"); /* there is but one */
	assert_string_equal(m.title, "m");
	assert_int_equal(m.copies_count, 1);
	assert_int_equal(m.copies[0].kind, COPIES_NUMBER);
	assert_int_equal(m.copies[0].number, 1);
	assert_int_equal(m.measure.sample_ns, 5000000);
	assert_int_equal(m.measure.layouts_min, 16);
	assert_int_equal(m.measure.layouts_max, 64);
	assert_int_equal(m.measure.rounds_min, 16);
	assert_int_equal(m.measure.rounds_max, 256);
	assert_true(m.measure.precision == 0.01);
	assert_true(m.measure.matters == 0.005);
	assert_int_equal(m.measure.budget_ns, 0);
}

/* CASES 14: one argument, verbatim but for the quotes; no shell. */
static void read_matrix__flags__split_without_a_shell(void **state)
{
	struct spec_matrix m = good_matrix("workloads: [a]\nslots: [gcc]\nbaseline: a\nvariants:\n"
					   "  a: {cflags: '-DX=\"a b;$(id)\" -O2'}\n"
					   "  b: {cflags: -DX=\"a b;$(id)\"}\n"
					   "  c: {cflags: [\"-DX=\\\"a b;$(id)\\\"\", -O2 -O3, \"\"]}\n"
					   "  d:\n"
					   "    cflags: >\n"
					   "      -O2\n"
					   "      -flto\n"
					   "  e: {cflags: \"-DP='/opt/my gcc'\"}\n"
					   "  f:\n"
					   "    cflags: -O2 -DS=\\\"x\\\" # a comment\n"
					   "    ldflags: -O2 -flto\n");

	(void)state;
	CHECK_WORDS(&m.variants[0].cflags, "-DX=a b;$(id)", "-O2");
	CHECK_WORDS(&m.variants[1].cflags, "-DX=a b;$(id)");
	CHECK_WORDS(&m.variants[2].cflags, "-DX=\"a b;$(id)\"", "-O2 -O3", "");
	CHECK_WORDS(&m.variants[3].cflags, "-O2", "-flto");
	CHECK_WORDS(&m.variants[4].cflags, "-DP=/opt/my gcc");
	CHECK_WORDS(&m.variants[5].cflags, "-O2", "-DS=\"x\"");
	CHECK_WORDS(&m.variants[5].ldflags, "-O2", "-flto");
}

/* CASES 23 */
static void read_matrix__empty_flags__told_from_none(void **state)
{
	struct spec_matrix m =
		good_matrix("workloads: [a]\nslots: [gcc]\nbaseline: a\nvariants: {a: {cflags: \"\"}, b: {}, "
			    "c: {cflags: []}}\n");

	(void)state;
	assert_int_equal(m.variants[0].cflags.n, 0);
	assert_non_null(m.variants[0].cflags.v);
	assert_null(m.variants[0].cflags.v[0]);
	assert_null(m.variants[1].cflags.v);
	assert_non_null(m.variants[2].cflags.v);
	bad_matrix("workloads: [a]\nslots: [gcc]\nvariants:\n  a:\n    cflags:\n  b:\n",
		"m.yaml:1:1: the key `baseline` is missing; it names the variant that effects are relative "
		"to\n"
		"m.yaml:5:12: `cflags`: expected flags as one text or a list of texts (\"\" for none), found "
		"nothing\n"
		"m.yaml:6:5: expected a variant as a mapping (key: value), found nothing\n");
}

static void read_matrix__keys__unknown_missing_both(void **state)
{
	(void)state;
	bad_matrix("wrokloads: [a]\nslots: [gcc]\nvariants: {O2: {clfags: -O2}}\n",
		"m.yaml:1:1: unknown key `wrokloads`; allowed here: title, workloads, toolchains, slots, "
		"baseline, variants, "
		"axes, include, exclude, copies, args, measure; did you mean `workloads`?\n"
		"m.yaml:1:1: the key `workloads` is missing; a matrix needs it\n"
		"m.yaml:3:17: unknown key `clfags`; allowed here: cflags, cxxflags, ldflags, env, arch, "
		"only, check; did you "
		"mean `cflags`?\n");
	bad_matrix("workloads: [a]\n",
		"m.yaml:1:1: the key `variants` or `axes` is missing; a matrix needs one of them\n"
		"m.yaml:1:1: the key `slots` or `toolchains` is missing; a matrix needs one of them\n");
	bad_matrix(MINIMAL "axes: {o: {a: {}}}\ntoolchains: [all]\n",
		"m.yaml:4:7: `variants` and `axes` cannot stand in one matrix; remove one\n"
		"m.yaml:5:13: `slots` and `toolchains` cannot stand in one matrix; remove one\n");
}

static void read_matrix__wrong_types__expected_and_found(void **state)
{
	(void)state;
	bad_matrix("workloads: {a: b}\nslots: gcc\nvariants: [O2]\n",
		"m.yaml:1:12: `workloads`: expected a list of workloads: names, patterns, tag:NAME, found a "
		"mapping\n"
		"m.yaml:2:8: `slots`: expected a list of names, such as [gcc, clang-14], found the text "
		"`gcc`; write [gcc]\n"
		"m.yaml:3:11: `variants`: expected a mapping such as {O2: {cflags: -O2}}, found a list\n");
	bad_matrix(MINIMAL "title: [a]\ncopies: 1\nmeasure: fast\nexclude: {variant: O2}\nargs: []\n",
		"m.yaml:4:8: `title`: expected a text, found a list\n"
		"m.yaml:5:9: `copies`: expected a list such as [1, cores, cpus], found the text `1`; write "
		"[1]\n"
		"m.yaml:6:10: expected `measure` as a mapping (key: value), found the text `fast`\n"
		"m.yaml:7:10: `exclude`: expected a list of mappings such as [{toolchain: tcc, variant: "
		"lto}], found a "
		"mapping\n"
		"m.yaml:8:7: `args`: expected a list of parameters such as [{n: 4, m: 2}], found an empty "
		"list\n");
	bad_matrix("workloads: []\nslots: [[gcc]]\nvariants: {}\n",
		"m.yaml:1:12: `workloads`: expected a list of workloads: names, patterns, tag:NAME, found an "
		"empty list\n"
		"m.yaml:2:9: expected a text in `slots`, found a list\n"
		"m.yaml:3:11: `variants`: expected at least one variant, found an empty mapping\n");
}

static void read_matrix__names__checked(void **state)
{
	(void)state;
	bad_matrix("workloads: [a/b, \"tag:\", \"tag: x\", a, a]\nslots: [all, none, -x, gcc]\nvariants: "
		   "{-O2: {}, none: {}, \"a b\": {}, "
		   "o: {}, O: {}}\nbaseline: o\n",
		"m.yaml:1:13: `workloads`: expected a name, a pattern such as \"sort*\" or tag:NAME, found "
		"the text `a/b`\n"
		"m.yaml:1:18: `workloads`: expected a name, a pattern such as \"sort*\" or tag:NAME, found "
		"the text `tag:`\n"
		"m.yaml:1:26: `workloads`: expected a name, a pattern such as \"sort*\" or tag:NAME, found "
		"the text `tag: "
		"x`\n"
		"m.yaml:1:39: `workloads`: `a` stands in the list twice; the first is at line 1, column 36\n"
		"m.yaml:2:9: `slots`: `all` is not a slot; write `toolchains: [all]` instead of `slots`\n"
		"m.yaml:2:14: `slots`: the name `none` is reserved for cells on which flags do not act\n"
		"m.yaml:2:20: `slots`: expected the name of a slot, such as gcc or clang-14, found the text "
		"`-x`\n"
		"m.yaml:3:12: expected the name of a variant, found the text `-O2`; a name has 1 to 64 of "
		"A-Z a-z 0-9 . _ + - "
		"and begins with a letter or digit\n"
		"m.yaml:3:21: the name `none` is reserved for cells on which flags do not act; choose "
		"another\n"
		"m.yaml:3:31: expected the name of a variant, found the text `a b`; a name has 1 to 64 of "
		"A-Z a-z 0-9 . _ + - "
		"and begins with a letter or digit\n"
		"m.yaml:3:49: the names `O` and `o` (line 3) differ only in case; rename one\n");
}

static void read_matrix__toolchains__only_all(void **state)
{
	(void)state;
	bad_matrix("workloads: [a]\ntoolchains: [gcc]\nvariants: {O2: {}}\n",
		"m.yaml:2:14: `toolchains`: expected [all], found the text `gcc`; name the ones you want "
		"with `slots: [gcc, "
		"clang-14]`\n");
	bad_matrix("workloads: [a]\ntoolchains: all\nvariants: {O2: {}}\n",
		"m.yaml:2:13: `toolchains`: expected [all], found the text `all`; name the ones you want "
		"with `slots: [gcc, "
		"clang-14]`\n");
}

static void read_matrix__baseline__known_variant(void **state)
{
	(void)state;
	bad_matrix("workloads: [a]\nslots: [gcc]\nvariants: {O2: {}, native: {}}\nbaseline: natvie\n",
		"m.yaml:4:11: unknown variant in `baseline`: `natvie`; allowed here: O2, native; did you "
		"mean `native`?\n");
	bad_matrix(MINIMAL "baseline: [O2]\n",
		"m.yaml:4:11: `baseline`: expected the name of a variant, found a list\n");
	bad_matrix(MINIMAL "baseline: {opt: O2}\n",
		"m.yaml:4:11: `baseline`: expected the name of a variant, found a "
		"mapping\n");
}

static void read_matrix__variant_members__checked(void **state)
{
	(void)state;
	bad_matrix("workloads: [a]\nslots: [gcc]\nvariants:\n  O2:\n    cflags: -DX='a\n    arch: x86-64\n   "
		   " env: {1A: x, B: [c], C: }\n"
		   "    only: [gcc, \"g*\"]\n    check: {rel: 2, abs: 1}\n    ldflags: ~/lib.a\n",
		"m.yaml:5:13: `cflags`: the quote in \"-DX='a\" (column 1) is never closed\n"
		"m.yaml:6:11: unknown value of `arch`: `x86-64`; allowed here: x86_64, i386, i486, i586, "
		"i686, aarch64, arm, "
		"riscv64, riscv32, powerpc64le, powerpc64, powerpc, s390x, loongarch64, mips64el, mips64, "
		"mipsel, mips, "
		"sparc64, alpha, hppa, m68k; did you mean `x86_64`?\n"
		"m.yaml:7:11: `env`: expected the name of a variable (A-Z a-z 0-9 _), found the text `1A`\n"
		"m.yaml:7:21: `env`: expected the value of B, found a list (\"\" for empty)\n"
		"m.yaml:7:29: `env`: expected the value of C, found nothing (\"\" for empty)\n"
		"m.yaml:8:17: `only`: expected the name of a family or slot, found the text `g*`\n"
		"m.yaml:9:18: `rel`: 2 is not within 0 and 1\n"
		"m.yaml:9:21: unknown key `abs`; allowed here: rel\n"
		"m.yaml:10:14: `ldflags`: \"~/lib.a\" starts with ~, which only a shell expands, and no "
		"shell is used here; "
		"write the whole path\n");
}

static void read_matrix__copies_and_args__checked(void **state)
{
	(void)state;
	bad_matrix(MINIMAL "copies: [0, 1, cpu, 1, 65537, cores, cores, [2]]\n",
		"m.yaml:4:10: `copies`: expected a number from 1 to 65536, `cores` or `cpus`, found the text "
		"`0`\n"
		"m.yaml:4:16: `copies`: expected a number from 1 to 65536, `cores` or `cpus`, found the text "
		"`cpu`\n"
		"m.yaml:4:21: `copies`: `1` stands in the list twice; the first is at line 4, column 13\n"
		"m.yaml:4:24: `copies`: expected a number from 1 to 65536, `cores` or `cpus`, found the text "
		"`65537`\n"
		"m.yaml:4:38: `copies`: `cores` stands in the list twice; the first is at line 4, column 31\n"
		"m.yaml:4:45: `copies`: expected a number from 1 to 65536, `cores` or `cpus`, found a "
		"list\n");
	bad_matrix(MINIMAL "args: [n, \"n=1,n=2\", {n: 1}, \"n=1\", \"n=a/b\", {}, \"=1\"]\n",
		"m.yaml:4:8: `args`: expected parameters such as {n: 4, m: 2} or \"n=4,m=2\", found the text "
		"`n`\n"
		"m.yaml:4:11: `args`: the parameter `n` is given twice\n"
		"m.yaml:4:30: `args`: `n=1` stands in the list twice\n"
		"m.yaml:4:37: `args`: expected parameters such as {n: 4, m: 2} or \"n=4,m=2\", found the "
		"text `n=a/b`\n"
		"m.yaml:4:46: `args`: expected parameters such as {n: 4, m: 2} or \"n=4,m=2\", found an "
		"empty mapping\n"
		"m.yaml:4:50: `args`: expected parameters such as {n: 4, m: 2} or \"n=4,m=2\", found the "
		"text `=1`\n");
}

static void read_matrix__measure__forms_and_bounds(void **state)
{
	(void)state;
	bad_matrix(MINIMAL "measure: {sample: 5, layouts: a, rounds: 3, precision: 1, matters: 60%, budget: "
			   "0s, timeout: [1]}\n",
		"m.yaml:4:19: `sample`: expected a duration, such as 300us, 5ms, 1.5s, 20m or 2h, found the "
		"text `5`\n"
		"m.yaml:4:31: `layouts`: expected 1, or a number or range from 8, such as 16 or 16..64, "
		"found the text `a`\n"
		"m.yaml:4:42: `rounds`: 3 is not within 6 and 1000000\n"
		"m.yaml:4:56: `precision`: expected a percentage, such as 0.5%, found the text `1`\n"
		"m.yaml:4:68: `matters`: 60% is not within 0.01% and 50%\n"
		"m.yaml:4:81: `budget`: 0s is not within 1 s and 720 h 0 min\n"
		"m.yaml:4:94: `timeout`: expected a duration, such as 300us, 5ms, 1.5s, 20m or 2h, found a "
		"list\n");
	bad_matrix(MINIMAL "measure: {sample: 1us, precison: 1%}\n",
		"m.yaml:4:19: `sample`: 1us is not within 100 us and 1 min 0 s\n"
		"m.yaml:4:24: unknown key `precison`; allowed here: sample, layouts, rounds, precision, "
		"matters, budget, "
		"build_budget, timeout, counters; did you mean `precision`?\n");
	bad_matrix(MINIMAL "measure: {counters: on}\n",
		"m.yaml:4:21: unknown value of `counters`: `on`; allowed here: some, all, off\n");
}

static void read_matrix__counters__rounds_between_counted_ones(void **state)
{
	static const struct {
		const char *text;
		uint32_t rounds;
	} cases[] = {{"budget: 1m", 16}, {"counters: some", 16}, {"counters: all", 1}, {"counters: off", 0}};
	struct spec_matrix m;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		m = good_matrix(arena_printf(&arena, MINIMAL "measure: {%s}\n", cases[i].text));
		assert_int_equal(m.measure.counted_rounds, cases[i].rounds);
	}
}

static void read_matrix__layouts_and_rounds__statistics_possible(void **state)
{
	struct spec_matrix m;

	(void)state;
	bad_matrix(MINIMAL "measure: {layouts: 2..64}\n",
		"m.yaml:4:20: `layouts`: 2..64 has fewer than 8, from which nothing can be said about "
		"placement; write 1 "
		"(placement is not averaged) or at least 8\n");
	bad_matrix(MINIMAL "measure: {layouts: 7}\n", "m.yaml:4:20: `layouts`: 7 has fewer than 8, from "
						      "which nothing can be said about placement; write 1 "
						      "(placement is not averaged) or at least 8\n");
	bad_matrix(MINIMAL "measure: {layouts: 16, rounds: 6..256}\n",
		"m.yaml:4:32: `rounds`: 6..256 are too few for 16 layouts, since each round measures one; "
		"write rounds from "
		"8 up to at least 16, or `layouts: 1`\n");
	bad_matrix(MINIMAL "measure: {rounds: 8..12}\n",
		"m.yaml:4:19: `rounds`: 8..12 are too few for 16 layouts, since each round measures one; "
		"write rounds from 8 "
		"up to at least 16, or `layouts: 1`\n");
	/* told at once with what else is wrong, in `measure` and elsewhere */
	bad_matrix(MINIMAL "measure: {sample: 5, layouts: 4, rounds: x}\ncopies: 1\n",
		"m.yaml:4:19: `sample`: expected a duration, such as 300us, 5ms, 1.5s, 20m or 2h, found the "
		"text `5`\n"
		"m.yaml:4:31: `layouts`: 4 has fewer than 8, from which nothing can be said about placement; "
		"write 1 (placement is not averaged) or at least 8\n"
		"m.yaml:4:42: `rounds`: expected a number or range from 6, such as 16..256, found the text "
		"`x`\n"
		"m.yaml:5:9: `copies`: expected a list such as [1, cores, cpus], found the text `1`; write "
		"[1]\n");
	bad_matrix(MINIMAL "measure: {sample: 5, layouts: 16, rounds: 8..12}\n",
		"m.yaml:4:19: `sample`: expected a duration, such as 300us, 5ms, 1.5s, 20m or 2h, found the "
		"text `5`\n"
		"m.yaml:4:43: `rounds`: 8..12 are too few for 16 layouts, since each round measures one; "
		"write "
		"rounds from 8 up to at least 16, or `layouts: 1`\n");
	/* what could not be read is complained about once: nothing is said of how it fits the other */
	bad_matrix(MINIMAL "measure: {layouts: 512, rounds: x}\n",
		"m.yaml:4:33: `rounds`: expected a number or range from 6, such as 16..256, found the text "
		"`x`\n");
	bad_matrix(MINIMAL "measure: {layouts: x, rounds: 8..12}\n",
		"m.yaml:4:20: `layouts`: expected 1, or a number or range from 8, such as 16 or 16..64, "
		"found "
		"the text `x`\n");
	m = good_matrix(MINIMAL "measure: {layouts: 1, rounds: 6}\n");
	assert_int_equal(m.measure.layouts_max, 1);
	assert_int_equal(m.measure.rounds_min, 6);
	assert_int_equal(m.measure.rounds_max, 6);
	m = good_matrix(MINIMAL "measure: {layouts: 8, rounds: 8}\n");
	assert_int_equal(m.measure.layouts_min, 8);
	good_matrix(MINIMAL "measure: {}\n");
}

static void read_matrix__filters__members(void **state)
{
	struct spec_matrix m =
		good_matrix("workloads: [a]\nslots: [gcc, clang]\nbaseline: O2\nvariants: {O2: {}, O3: {}}\n"
			    "include:\n"
			    "  - {variant: pgo, cflags: -O2 -DPGO, ldflags: \"\"}\n"
			    "  - {workload: \"sort*\", toolchain: clang, cflags: -DX}\n"
			    "exclude:\n"
			    "  - {variant: \"O*\", toolchain: \"g*\", copies: cpus, args: \"n=2,m=1\"}\n"
			    "  - {variant: pgo, workload: a}\n");

	(void)state;
	assert_int_equal(m.include_count, 2);
	assert_string_equal(m.include[0].variant, "pgo");
	CHECK_WORDS(&m.include[0].cflags, "-O2", "-DPGO");
	assert_non_null(m.include[0].ldflags.v);
	assert_null(m.include[1].variant);
	assert_null(m.include[1].ldflags.v);
	assert_int_equal(m.include[1].place.line, 7);
	assert_int_equal(m.exclude_count, 2);
	assert_string_equal(m.exclude[0].copies, "cpus");
	assert_string_equal(m.exclude[0].args, "m=1,n=2");
}

static void read_matrix__filters__checked(void **state)
{
	(void)state;
	bad_matrix(MINIMAL
		"include: [{variant: O2}, {}, {variant: \"x*\", cflags: -O1}, {variant: none, cflags: -O1}]\n"
		"exclude: [{variant: O22}, {cflags: x}, {toolchain: \"x*\"}, {}, {copies: many}, O2, "
		"{toolchian: gcc}]\n",
		"m.yaml:4:11: this entry of include adds nothing; give `cflags` or `ldflags`, or a new "
		"`variant`\n"
		"m.yaml:4:26: an empty entry of include adds nothing; remove it\n"
		"m.yaml:4:40: unknown variant `x*`; allowed here: O2\n"
		"m.yaml:4:70: unknown variant `none`; allowed here: O2\n"
		"m.yaml:5:21: unknown variant `O22`; allowed here: O2; did you mean `O2`?\n"
		"m.yaml:5:28: unknown key `cflags`; allowed here: workload, toolchain, variant, copies, "
		"args\n"
		"m.yaml:5:52: the pattern `x*` matches none of the slots of this matrix\n"
		"m.yaml:5:59: an empty entry would exclude every cell; name what to exclude\n"
		"m.yaml:5:72: `copies`: expected a number from 1, `cores` or `cpus`, found the text `many`\n"
		"m.yaml:5:79: expected an entry of `exclude` as a mapping (key: value), found the text `O2`\n"
		"m.yaml:5:84: unknown key `toolchian`; allowed here: workload, toolchain, variant, copies, "
		"args; did you mean "
		"`toolchain`?\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_matrix__full_example__all_fields),
		TEST(read_matrix__minimal__defaults),
		TEST(read_matrix__flags__split_without_a_shell),
		TEST(read_matrix__empty_flags__told_from_none),
		TEST(read_matrix__keys__unknown_missing_both),
		TEST(read_matrix__wrong_types__expected_and_found),
		TEST(read_matrix__names__checked),
		TEST(read_matrix__toolchains__only_all),
		TEST(read_matrix__baseline__known_variant),
		TEST(read_matrix__variant_members__checked),
		TEST(read_matrix__copies_and_args__checked),
		TEST(read_matrix__measure__forms_and_bounds),
		TEST(read_matrix__counters__rounds_between_counted_ones),
		TEST(read_matrix__layouts_and_rounds__statistics_possible),
		TEST(read_matrix__filters__members),
		TEST(read_matrix__filters__checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
