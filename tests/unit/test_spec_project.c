/* Projects: all their files, what stands in for installed ones, settings, and finding the folder. */
#include "test_spec_tools.h"

#define WORKLOAD(name) "name: " name "\nsources: [a.c]\nmetric: {unit: lps, better: higher}\n"
#define FAMILY(name)   "name: " name "\nstyle: gcc\nfind: [gcc]\n"

static void put_workload(const char *folder, const char *yaml)
{
	put(arena_printf(&arena, "%s/a.c", folder), "");
	put(arena_printf(&arena, "%s/workload.yaml", folder), yaml);
}

static int setup(void **state)
{
	int result = spec_setup(state);

	setenv("XDG_CONFIG_HOME", in("config"), 1);
	return result;
}

#define PROJECT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, spec_teardown)

static struct spec_project read_project(const char *folder, const char *installed, const char *want)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_project p;
	int result =
		spec_read_project(in(folder), installed != NULL ? in(installed) : NULL, &arena, &p, &errors);

	check_errors(&errors, result, want);
	return p;
}

static void read_project__own_and_installed__own_win(void **state)
{
	struct spec_project p;

	(void)state;
	put_workload("p/workloads/mine", WORKLOAD("mine"));
	put_workload("p/workloads/both", WORKLOAD("both"));
	put("p/workloads/driver/driver.c", ""); /* no workload.yaml: none */
	put("p/workloads/README.md", "");
	put("p/matrices/quick.yaml", "not even read");
	put("p/matrices/notes.txt", "");
	put("p/matrices/.hidden.yaml", "");
	put("p/toolchains/special.yaml", "name: special\nfamily: gcc\ncc: /x/gcc\n");
	put_workload("i/workloads/both", WORKLOAD("both"));
	put_workload("i/workloads/base", WORKLOAD("base"));
	put("i/matrices/quick.yaml", "");
	put("i/matrices/flags.yaml", "");
	put("i/toolchains/gcc.yaml", FAMILY("gcc"));
	p = read_project("p", "i", "");
	assert_int_equal(p.workload_count, 3);
	assert_string_equal(p.workloads[0].name, "base");
	assert_true(p.workloads[0].installed);
	assert_string_equal(p.workloads[1].name, "both");
	assert_false(p.workloads[1].installed);
	assert_string_equal(without_scratch(p.workloads[1].folder), "p/workloads/both");
	assert_string_equal(p.workloads[2].name, "mine");
	assert_int_equal(p.family_count, 1);
	assert_int_equal(p.toolchain_count, 1);
	CHECK_WORDS(&p.matrix_names, "flags", "quick");
	assert_string_equal(without_scratch(p.matrix_paths.v[0]), "i/matrices/flags.yaml");
	assert_string_equal(without_scratch(p.matrix_paths.v[1]), "p/matrices/quick.yaml");
	CHECK_WORDS(&p.shadowed, "the project's workloads/both stands in for the installed one",
		"the project's matrices/quick stands in for the installed one");
	p = read_project("i", "i", ""); /* the installed data themselves */
	assert_int_equal(p.workload_count, 2);
	assert_false(p.workloads[0].installed);
	assert_int_equal(p.shadowed.n, 0);
}

/* CASES 92: one name, two workloads. All that is wrong is said at once. */
static void read_project__names__agree_and_differ(void **state)
{
	struct spec_project p;

	(void)state;
	put_workload("p/workloads/one", WORKLOAD("same"));
	put_workload("p/workloads/same", WORKLOAD("same"));
	put_workload("p/workloads/Same", WORKLOAD("Same"));
	put_workload("p/workloads/broken", "name: [\n");
	put_workload("p/workloads/fine", WORKLOAD("fine"));
	put("p/matrices/a b.yaml", "");
	put("p/matrices/old.yml", "");
	put("p/matrices/Q.yaml", "");
	put("i/matrices/q.yaml", "");
	put("i/workloads/none", "");
	p = read_project("p", "i",
		"i/matrices/q.yaml: its name differs from p/matrices/Q.yaml only in case; rename one of the "
		"matrices\n"
		"p/matrices/a b.yaml: `a b` is no name for a matrix: 1 to 64 of A-Z a-z 0-9 . _ + -; rename "
		"the file\n"
		"p/matrices/old.yml: the suffix is .yml; rename the file to end in .yaml\n"
		"p/workloads/broken/workload.yaml:2:1: a value is missing here\n"
		"p/workloads/one/workload.yaml:1:1: the name is `same` here, but `one` by its place "
		"(p/workloads/one); make "
		"them equal\n"
		"p/workloads/same: its name differs from p/workloads/Same only in case; rename one of the "
		"workloads\n");
	assert_int_equal(p.workload_count, 4); /* the broken one is left out */
}

static void read_project__toolchains__families_known(void **state)
{
	(void)state;
	put("p/toolchains/gcc.yaml", FAMILY("gcc"));
	put("p/toolchains/broken.yaml", "name: broken\nfind: [x]\nstyle: x\n");
	put("p/toolchains/a.yaml", "name: a\nfamily: gccc\ncc: gcc\n");
	put("p/toolchains/b.yaml", "name: b\nfamily: broken\ncc: gcc\n"); /* its family's error is enough */
	put("p/toolchains/gcc-12.yaml", "name: gcc-12\nfamily: gcc\ncc: gcc\n");
	put("p/toolchains/gcc-mine.yaml", "name: gcc-mine\nfamily: gcc\ncc: gcc\n");
	put("p/toolchains/all.yaml", "name: all\nfamily: gcc\ncc: gcc\n");
	put("p/toolchains/neither.yaml", "name: neither\n");
	read_project("p", NULL,
		"p/toolchains/a.yaml:2:9: unknown family `gccc`; allowed here: broken, gcc; did you mean "
		"`gcc`?\n"
		"p/toolchains/all.yaml:1:1: a toolchain cannot be called `all`, which is reserved; rename "
		"it\n"
		"p/toolchains/broken.yaml:3:8: unknown value of `style`: `x`; allowed here: gcc, clang, tcc\n"
		"p/toolchains/gcc-12.yaml:1:1: a toolchain cannot be called `gcc-12`: that names a version "
		"of gcc found in "
		"PATH; rename it\n"
		"p/toolchains/neither.yaml:1:1: expected `cc` (one toolchain) or `find` (a family of "
		"compilers); neither "
		"stands here\n");
}

static void read_project__settings__project_over_user(void **state)
{
	struct spec_project p;

	(void)state;
	put("p/.flagstone.yaml", "host: pool\narchive: ../arch\n");
	put("config/flagstone/config.yaml", "host: mine\ncache: /big/cache\ncache_limit: 2G\njobs: 3\n");
	p = read_project("p", NULL, "");
	assert_string_equal(p.settings.host, "pool");
	assert_string_equal(without_scratch(p.settings.archive), "p/../arch");
	assert_string_equal(p.settings.cache, "/big/cache");
	assert_int_equal(p.settings.cache_limit, UINT64_C(2147483648));
	assert_int_equal(p.settings.jobs, 3);
}

static void read_project__settings__checked(void **state)
{
	(void)state;
	put("p/.flagstone.yaml", "hots: x\narchive: ~/a\ncache: \"\"\ncache_limit: 5\njobs: many\n");
	read_project("p", NULL,
		"p/.flagstone.yaml:1:1: unknown key `hots`; allowed here: host, archive, cache, cache_limit, "
		"jobs; did you "
		"mean `host`?\n"
		"p/.flagstone.yaml:2:10: `archive`: \"~/a\" starts with ~, which only a shell expands, and "
		"no shell is used "
		"here; write the whole path\n"
		"p/.flagstone.yaml:3:8: `cache`: expected a folder, found an empty text\n"
		"p/.flagstone.yaml:4:14: `cache_limit`: 5 is not within 1M and 8192T\n"
		"p/.flagstone.yaml:5:7: `jobs`: expected a whole number, such as 16, found the text "
		"`many`\n");
}

/* CASES 140: what cannot be read is not taken for empty. A file in the place of a folder works for root too. */
static void read_project__no_folder__said(void **state)
{
	(void)state;
	put("p/matrices", "");
	read_project("p", NULL, "p/matrices: cannot be read: Not a directory\n");
}

static void read_project__this_repository__clean(void **state)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_project p;

	(void)state;
	check_errors(&errors, spec_read_project(".", NULL, &arena, &p, &errors), "");
	assert_true(p.family_count >= 5);
	assert_true(p.workload_count >= 8);
	for (size_t i = 0; i < p.matrix_paths.n; i++) {
		struct spec_matrix m;

		check_errors(&errors, spec_read_matrix(p.matrix_paths.v[i], &arena, &m, &errors), "");
	}
}

static void find_project__upwards_and_given(void **state)
{
	struct error e = {0};
	const char *real = file_real(&arena, scratch, NULL);

	(void)state;
	assert_int_equal(file_make_folders(in("p/workloads/deep/er"), NULL), 0);
	assert_int_equal(file_make_folders(in("p/matrices"), NULL), 0);
	assert_int_equal(file_make_folders(in("half/workloads"), NULL), 0);
	assert_string_equal(
		spec_find_project(NULL, in("p/workloads/deep/er"), &arena, &e), file_join(&arena, real, "p"));
	assert_string_equal(spec_find_project(NULL, in("p"), &arena, &e), file_join(&arena, real, "p"));
	assert_string_equal(
		spec_find_project(in("p/matrices/.."), "/", &arena, &e), file_join(&arena, real, "p"));
	assert_null(spec_find_project(
		in("p/workloads"), in("p"), &arena, &e)); /* given: not looked for upwards */
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "needs the folders workloads/ and matrices/"));
	assert_null(spec_find_project(in("half"), "/", &arena, &e));
	assert_null(spec_find_project(in("none"), "/", &arena, &e));
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "No such file or directory"));
	assert_null(spec_find_project(NULL, in("half"), &arena, &e));
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "-C DIR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROJECT_TEST(read_project__own_and_installed__own_win),
		PROJECT_TEST(read_project__names__agree_and_differ),
		PROJECT_TEST(read_project__toolchains__families_known),
		PROJECT_TEST(read_project__settings__project_over_user),
		PROJECT_TEST(read_project__settings__checked),
		PROJECT_TEST(read_project__no_folder__said),
		PROJECT_TEST(read_project__this_repository__clean),
		PROJECT_TEST(find_project__upwards_and_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
