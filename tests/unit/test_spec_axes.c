/* matrices with axes: the product, its names, its order, its size. */
#include "test_spec_tools.h"

#include <time.h>

#define HEAD "workloads: [a]\nslots: [gcc]\n"
#define AXES                                                                                                 \
	HEAD "axes:\n"                                                                                       \
	     "  opt: {O2: {cflags: -O2}, O3: {cflags: -O3}}\n"                                               \
	     "  link: {plain: {}, lto: {cflags: -flto, ldflags: -flto}, static: {ldflags: -static}}\n"

static void read_matrix__axes__product_in_order(void **state)
{
	static const char *const names[] = {
		"O2+plain", "O2+lto", "O2+static", "O3+plain", "O3+lto", "O3+static"};
	struct spec_matrix m = good_matrix(AXES "baseline: O2+plain\n");

	(void)state;
	assert_int_equal(m.axis_count, 2);
	assert_string_equal(m.axes[1].name, "link");
	assert_int_equal(m.axes[1].value_count, 3);
	assert_int_equal(m.variant_count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(m.variants[i].name, names[i]);
	CHECK_WORDS(&m.variants[1].cflags, "-O2", "-flto");
	CHECK_WORDS(&m.variants[1].ldflags, "-flto");
	CHECK_WORDS(&m.variants[5].cflags, "-O3");
	assert_null(m.variants[0].ldflags.v);
	assert_string_equal(m.baseline.text, "O2+plain");
}

static void read_matrix__axes__members_joined(void **state)
{
	struct spec_matrix m = good_matrix(HEAD "axes:\n"
						"  a: {x: {env: {A: 1, B: 1}, only: [gcc, clang], check: "
						"{rel: 1e-6}, arch: x86_64}, y: {only: [tcc]}}\n"
						"  b: {z: {env: {B: 2, C: 2}, only: [clang, tcc], check: "
						"{rel: 1e-3}, arch: aarch64, cflags: \"\"}}\n"
						"  c: {w: {only: [clang]}}\n"
						"baseline: x+z+w\n");

	(void)state;
	CHECK_WORDS(&m.variants[0].env, "A=1", "B=2", "C=2");
	assert_int_equal(m.variants[0].only.n, 1);
	assert_string_equal(m.variants[0].only.v[0].text, "clang");
	assert_true(m.variants[0].check_rel == 1e-3);
	assert_string_equal(m.variants[0].arch, "x86_64+aarch64"); /* which no machine is */
	assert_non_null(m.variants[0].cflags.v);		   /* given, though empty */
	assert_int_equal(m.variants[0].cflags.n, 0);
	assert_int_equal(m.variants[1].only.n, 1);
	assert_string_equal(m.variants[1].only.v[0].text, "none");
}

/* Variants share the arrays of their flags: adding to one must not be seen in another. */
static void read_matrix__axes__adding_to_one_leaves_others(void **state)
{
	struct spec_matrix m = good_matrix(AXES "baseline: O2+plain\n");

	(void)state;
	words_add(&m.variants[0].cflags, &arena, "-DX");
	words_add(&m.variants[2].cflags, &arena, "-DY");
	CHECK_WORDS(&m.variants[0].cflags, "-O2", "-DX");
	CHECK_WORDS(&m.variants[2].cflags, "-O2", "-DY");
	CHECK_WORDS(&m.axes[0].values[0].cflags, "-O2");
}

static void read_matrix__axes__baseline_as_mapping(void **state)
{
	struct spec_matrix m = good_matrix(AXES "baseline: {link: plain, opt: O3}\n");

	(void)state;
	assert_string_equal(m.baseline.text, "O3+plain");
	bad_matrix(AXES "baseline: {link: lot, optt: O2}\n",
		"m.yaml:6:11: `baseline`: the axis `opt` is missing; give its value\n"
		"m.yaml:6:18: unknown value of the axis `link`: `lot`; allowed here: plain, lto, static; did "
		"you mean `lto`?\n"
		"m.yaml:6:23: unknown axis `optt`; allowed here: opt, link; did you mean `opt`?\n");
	bad_matrix(AXES "baseline: O3+plian\n", "m.yaml:6:11: unknown variant in `baseline`: `O3+plian`; "
						"allowed here: O2+plain, O2+lto, O2+static, O3+plain, "
						"O3+lto, O3+static; did you mean `O3+plain`?\n");
	bad_matrix(AXES, "m.yaml:1:1: the key `baseline` is missing; it names the variant that effects are "
			 "relative to\n");
}

static void read_matrix__axes__filters_by_axis(void **state)
{
	struct spec_matrix m =
		good_matrix(AXES "baseline: O2+plain\n"
				 "exclude: [{link: lto, toolchain: tcc}, {opt: \"O[0-2]\", link: static}]\n"
				 "include: [{opt: O3, cflags: -DX}]\n");

	(void)state;
	CHECK_WORDS(&m.exclude[0].axis_names, "link");
	CHECK_WORDS(&m.exclude[0].axis_values, "lto");
	CHECK_WORDS(&m.exclude[1].axis_names, "opt", "link");
	CHECK_WORDS(&m.exclude[1].axis_values, "O[0-2]", "static");
	CHECK_WORDS(&m.include[0].axis_names, "opt");
	bad_matrix(AXES "baseline: O2+plain\nexclude: [{link: lot}, {lonk: lto}]\n",
		"m.yaml:7:18: unknown value of the axis `link`: `lot`; allowed here: plain, lto, static; did "
		"you mean `lto`?\n"
		"m.yaml:7:25: unknown key `lonk`; allowed here: workload, toolchain, variant, copies, args, "
		"opt, link; did "
		"you mean `link`?\n");
}

static void read_matrix__axes__checked(void **state)
{
	(void)state;
	bad_matrix(HEAD "axes: {opt: {O2: {}, o2: {}}, Opt: {a+b: {}}, variant: {x: {}}, e: {}, l: "
			"[a]}\nbaseline: O2+a+b+x\n",
		"m.yaml:3:22: the names `o2` and `O2` (line 3) differ only in case; rename one\n"
		"m.yaml:3:31: the names `Opt` and `opt` (line 3) differ only in case; rename one\n"
		"m.yaml:3:37: the value `a+b` of an axis has a + in its name, which joins the names of "
		"values; rename it\n"
		"m.yaml:3:47: an axis cannot be called `variant`, which is a key of include and exclude; "
		"rename it\n"
		"m.yaml:3:68: `e`: expected a mapping of values, such as {O2: {cflags: -O2}}, found an empty "
		"mapping\n"
		"m.yaml:3:75: `l`: expected a mapping of values, such as {O2: {cflags: -O2}}, found a "
		"list\n");
}

static void read_matrix__axes__long_names_said_once(void **state)
{
	(void)state;
	bad_matrix(HEAD "axes:\n  a: {a234567890123456789012345678901234567890: {}, a1: {}}\n"
			"  b: {b234567890123456789012345678901234567890: {}, b1: {}}\nbaseline: a1+b1\n",
		"m.yaml:4:3: the variant "
		"`a234567890123456789012345678901234567890+b234567890123456789012345678901234567890` "
		"has 81 letters in its joined name, more than 64; shorten the names of values\n");
}

/* Found by fuzzing: the second list was written behind the end of the first. */
static void read_matrix__axes__given_twice__first_taken(void **state)
{
	(void)state;
	bad_matrix(HEAD
		"axes: {a: {x: {}}}\nbaseline: x\naxes: {b: {y: {}, z: {}}, c: {u: {}}, d: {v: {}}}\n",
		"m.yaml:5:1: the key `axes` is given twice; the first is at line 3, column 1\n");
}

/* 100,000 variants, as five axes of ten. */
static void read_matrix__axes__hundred_thousand_fast(void **state)
{
	struct buf yaml = {0};
	struct spec_matrix m;
	clock_t start;

	(void)state;
	buf_adds(&yaml, HEAD "axes:\n");
	for (int a = 0; a < 5; a++) {
		buf_addf(&yaml, "  a%d: {", a);
		for (int v = 0; v < 10; v++)
			buf_addf(&yaml, "%c%d: {cflags: -D%c=%d, env: {%c: %d}}, ", 'a' + a, v, 'A' + a, v,
				'A' + a, v);
		buf_adds(&yaml, "}\n");
	}
	buf_adds(&yaml, "baseline: a0+b0+c0+d0+e0\n");
	start = clock();
	m = good_matrix(buf_text(&yaml));
	assert_true(clock() - start < 2 * CLOCKS_PER_SEC); /* sanitizers included; 0.2 s without */
	assert_int_equal(m.variant_count, 100000);
	assert_string_equal(m.variants[12345].name, "a1+b2+c3+d4+e5");
	CHECK_WORDS(&m.variants[12345].cflags, "-DA=1", "-DB=2", "-DC=3", "-DD=4", "-DE=5");
	CHECK_WORDS(&m.variants[99999].env, "A=9", "B=9", "C=9", "D=9", "E=9");
	buf_release(&yaml);
}

static void read_matrix__axes__more_refused(void **state)
{
	struct buf yaml = {0};

	(void)state;
	buf_adds(&yaml, HEAD "axes:\n");
	for (int a = 0; a < 12; a++) {
		buf_addf(&yaml, "  a%d: {", a);
		for (int v = 0; v < 50; v++)
			buf_addf(&yaml, "v%d: {}, ", v);
		buf_adds(&yaml, "}\n");
	}
	bad_matrix(buf_text(&yaml),
		"m.yaml:4:3: the product of the axes has more than 100000 variants; take values away\n");
	buf_release(&yaml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_matrix__axes__product_in_order),
		TEST(read_matrix__axes__members_joined),
		TEST(read_matrix__axes__adding_to_one_leaves_others),
		TEST(read_matrix__axes__baseline_as_mapping),
		TEST(read_matrix__axes__filters_by_axis),
		TEST(read_matrix__axes__checked),
		TEST(read_matrix__axes__long_names_said_once),
		TEST(read_matrix__axes__given_twice__first_taken),
		TEST(read_matrix__axes__hundred_thousand_fast),
		TEST(read_matrix__axes__more_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
