/* workload.yaml: what is taken, and the exact lines for what is not. */
#include "test_spec_tools.h"

#define BASIC "name: w\nsources: [a.c]\nmetric: {unit: lps, better: higher}\n"

/* Writes w/workload.yaml beside a.c, b.cc, x.foo, sub/c.c and reads it. */
static int read_it(const char *yaml, struct spec_workload *w, struct spec_errors *errors)
{
	errors->arena = &arena;
	put("w/a.c", "");
	put("w/b.cc", "");
	put("w/x.foo", "");
	put("w/sub/c.c", "");
	put("outside.c", "");
	return spec_read_workload(put("w/workload.yaml", yaml), &arena, w, errors);
}

static struct spec_workload good(const char *yaml)
{
	struct spec_errors errors = {0};
	struct spec_workload w;
	int result = read_it(yaml, &w, &errors);

	check_errors(&errors, result, "");
	return w;
}

/* want: the lines without "w/workload.yaml:" in front of each. */
static void bad(const char *yaml, const char *want)
{
	struct spec_errors errors = {0};
	struct spec_workload w;
	struct buf lines = {0};
	int result = read_it(yaml, &w, &errors);

	for (const char *p = want; *p != '\0'; p += strcspn(p, "\n") + 1)
		buf_addf(&lines, "w/workload.yaml:%.*s\n", (int)strcspn(p, "\n"), p);
	check_errors(&errors, result, buf_text(&lines));
	buf_release(&lines);
}

static void read_workload__all_keys__all_fields(void **state)
{
	struct spec_workload w = good(
		"name: dhrystone\nkind: built-in\ntitle: Dhrystone 2\ndescription: >\n  One line\n  of text\n"
		"tags: [unixbench, integer]\nsources: [a.c, sub/c.c]\nincludes: [sub, .]\n"
		"defines: [A, \"B=x y\"]\ncflags: -DQ -O1\ncxxflags: [-x y]\nldflags: \"\"\nldlibs: -lm\n"
		"language: c\nmetric: {unit: run/s, better: lower}\n"
		"index: {suite: unixbench, baseline: 116700.0}\n"
		"check: {units: 1000, value: 0042, rel: 1e-9}\nsmall: 7\ntimeout: 30s\ncpus: 2\n"
		"parameters: {n: 0, mode: -1.5}\n");

	(void)state;
	assert_string_equal(w.name, "dhrystone");
	assert_string_equal(file_name(w.folder), "w");
	assert_string_equal(w.title, "Dhrystone 2");
	assert_string_equal(w.description, "One line of text");
	CHECK_WORDS(&w.tags, "unixbench", "integer");
	assert_int_equal(w.sources.n, 2);
	assert_string_equal(w.sources.v[1].text, "sub/c.c");
	assert_null(w.stdin_path);
	CHECK_WORDS(&w.includes, "sub", ".");
	CHECK_WORDS(&w.defines, "A", "B=x y");
	CHECK_WORDS(&w.cflags, "-DQ", "-O1");
	CHECK_WORDS(&w.cxxflags, "-x y");
	assert_true(w.ldflags.n == 0 && w.ldflags.v != NULL);
	CHECK_WORDS(&w.ldlibs, "-lm");
	assert_string_equal(w.language, "c");
	assert_string_equal(w.unit, "run/s");
	assert_true(w.lower_is_better);
	assert_string_equal(w.suite, "unixbench");
	assert_true(w.suite_baseline == 116700.0);
	assert_int_equal(w.check_units, 1000);
	assert_string_equal(w.check_value, "0042"); /* as it is written */
	assert_true(w.check_rel == 1e-9);
	assert_int_equal(w.small, 7);
	assert_int_equal(w.timeout_ns, INT64_C(30000000000));
	assert_int_equal(w.cpus, 2);
	CHECK_WORDS(&w.parameter_names, "n", "mode");
	CHECK_WORDS(&w.parameter_values, "0", "-1.5");
}

static void read_workload__basic__defaults(void **state)
{
	struct spec_workload w = good(BASIC);

	(void)state;
	assert_string_equal(w.title, "w");
	assert_null(w.language);
	assert_null(w.check_value);
	assert_int_equal(w.check_units, 0);
	assert_false(w.lower_is_better);
	assert_null(w.cflags.v);
	assert_null(w.suite);
}

static void read_workload__keys__unknown_and_missing(void **state)
{
	(void)state;
	bad("nmae: w\nsources: [a.c]\nmetric: {unit: lps, betetr: higher}\n",
		"1:1: unknown key `nmae`; allowed here: name, kind, title, description, tags, sources, "
		"includes, defines, "
		"cflags, cxxflags, ldflags, ldlibs, language, stdin, metric, index, check, small, timeout, "
		"cpus, "
		"parameters; did you "
		"mean `name`?\n"
		"1:1: the key `name` is missing; a workload needs it\n"
		"3:9: the key `better` is missing; `metric` needs it\n"
		"3:21: unknown key `betetr`; allowed here: unit, better; did you mean `better`?\n");
	bad("title: x\n", "1:1: the key `name` is missing; a workload needs it\n"
			  "1:1: the key `sources` is missing; a workload needs it\n"
			  "1:1: the key `metric` is missing; a workload needs it\n");
	bad(BASIC "check: {rel: 0}\nindex: {}\n", "4:8: the key `units` is missing; `check` needs it\n"
						  "4:8: the key `value` is missing; `check` needs it\n"
						  "5:8: the key `suite` is missing; `index` needs it\n"
						  "5:8: the key `baseline` is missing; `index` needs it\n");
}

static void read_workload__kind__command_is_for_later(void **state)
{
	(void)state;
	bad(BASIC "kind: command\n", "4:7: `kind: command` is not known to this version; it knows `kind: "
				     "built-in` (the default)\n");
	bad(BASIC "kind: bulit-in\n", "4:7: unknown value of `kind`: `bulit-in`; allowed here: built-in; did "
				      "you mean `built-in`?\n");
}

static void read_workload__values__checked(void **state)
{
	(void)state;
	bad("name: a b\nsources: [a.c]\nmetric: {unit: \"\", better: hihger}\nlanguage: C\ntags: [x, X Y, "
	    "x]\n"
	    "check: {units: 0, value: [1], rel: -1}\nindex: {suite: s, baseline: 0}\nsmall: 1.5\ntimeout: "
	    "30\ncpus: 0\n"
	    "parameters: {n: \"a,b\", \"m=\": 1, o: }\ndefines: [1A, \"B C\", D(x)=1]\n",
		"1:7: expected a name for `name`, found the text `a b`; a name has 1 to 64 of A-Z a-z 0-9 . "
		"_ + - and begins "
		"with a letter or digit\n"
		"3:9: `unit`: expected 1 to 32 letters, such as lps or run/s\n"
		"3:28: unknown value of `better`: `hihger`; allowed here: higher, lower; did you mean "
		"`higher`?\n"
		"4:11: unknown value of `language`: `C`; allowed here: c, c++; did you mean `c`?\n"
		"5:11: expected a name in `tags`, found the text `X Y`; a name has 1 to 64 of A-Z a-z 0-9 . "
		"_ + - and begins "
		"with a letter or digit\n"
		"5:16: `tags`: `x` stands in the list twice; the first is at line 5, column 8\n"
		"6:16: `units`: 0 is not within 1 and 9007199254740992\n"
		"6:26: `value`: expected the result as a text or a number, found a list\n"
		"6:36: `rel`: -1 is not within 0 and 1\n"
		"7:29: `baseline`: 0 is not within 1e-12 and 1e+18\n"
		"8:8: `small`: expected a whole number, such as 16, found the text `1.5`\n"
		"9:10: `timeout`: expected a duration, such as 300us, 5ms, 1.5s, 20m or 2h, found the text "
		"`30`\n"
		"10:7: `cpus`: 0 is not within 1 and 4096\n"
		"11:17: `parameters`: expected the default of a parameter (1 to 64 of A-Z a-z 0-9 . _ + -), "
		"found the text "
		"`a,b`\n"
		"11:24: expected the name of a parameter, found the text `m=`; a name has 1 to 64 of A-Z a-z "
		"0-9 . _ + - and "
		"begins with a letter or digit\n"
		"11:36: `parameters`: expected the default of a parameter (1 to 64 of A-Z a-z 0-9 . _ + -), "
		"found nothing\n"
		"12:10: `defines`: expected NAME or NAME=VALUE, found `1A`\n"
		"12:10: `defines`: expected NAME or NAME=VALUE, found `B C`\n"
		"12:10: `defines`: expected NAME or NAME=VALUE, found `D(x)=1`\n");
}

/* CASES 132: nothing outside the folder is built or read. */
static void read_workload__sources__inside_the_folder(void **state)
{
	(void)state;
	assert_int_equal(file_make_folders(in("w"), NULL), 0);
	assert_int_equal(symlink("../outside.c", in("w/link.c")), 0);
	assert_int_equal(symlink("a.c", in("w/same.c")), 0);
	assert_int_equal(symlink("../../", in("w/up")), 0);
	bad("name: w\nmetric: {unit: lps, better: higher}\nsources: [/etc/passwd, ../outside.c, link.c, "
	    "none.c, sub, x.foo, "
	    "same.c, sub/../a.c]\nincludes: [.., /usr/include, none, a.c, up]\n",
		"3:11: the source `/etc/passwd` is an absolute path; write it relative to the workload's "
		"folder\n"
		"3:24: the source `../outside.c` leads out of the workload's folder; everything that is "
		"built must stand "
		"inside\n"
		"3:38: the source `link.c` leads out of the workload's folder; everything that is built must "
		"stand inside\n"
		"3:46: the source `none.c` does not exist in the folder of workload.yaml\n"
		"3:54: the source `sub` is a folder\n"
		"3:59: the source `x.foo` has none of the suffixes .c .cc .cpp .cxx .c++ .C .s .S; rename "
		"it, or give "
		"`language: c` or `language: c++`\n"
		"4:11: the folder `..` leads out of the workload's folder; everything that is built must "
		"stand inside\n"
		"4:11: the folder `/usr/include` is an absolute path; write it relative to the workload's "
		"folder\n"
		"4:11: the folder `none` does not exist in the folder of workload.yaml\n"
		"4:11: `includes`: `a.c` is not a folder\n"
		"4:11: the folder `up` leads out of the workload's folder; everything that is built must "
		"stand inside\n");
	bad("name: w\nmetric: {unit: lps, better: higher}\nsources: []\n",
		"3:10: `sources`: expected a list of source files, found an empty list\n");
	good("name: w\nmetric: {unit: lps, better: higher}\nsources: [x.foo, same.c]\nlanguage: c++\n");
}

/* A folder whose name begins like the workload's is outside too. */
static void read_workload__sibling_with_longer_name__outside(void **state)
{
	(void)state;
	put("w2/a.c", "");
	bad("name: w\nmetric: {unit: lps, better: higher}\nsources: [../w2/a.c]\n",
		"3:11: the source `../w2/a.c` leads out of the workload's folder; everything that is built "
		"must stand "
		"inside\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_workload__all_keys__all_fields),
		TEST(read_workload__basic__defaults),
		TEST(read_workload__keys__unknown_and_missing),
		TEST(read_workload__kind__command_is_for_later),
		TEST(read_workload__values__checked),
		TEST(read_workload__sources__inside_the_folder),
		TEST(read_workload__sibling_with_longer_name__outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
