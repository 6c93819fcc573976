/* toolchains/: families, the ones that come with flagstone, and toolchains that a user names. */
#include "test_spec_tools.h"

static void bad_toolchain(const char *yaml, const char *want)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_toolchain t;

	check_errors(&errors, spec_read_toolchain(put("t.yaml", yaml), &arena, &t, &errors), want);
}

/* CASES 14: several words, a path with blanks, no shell. */
static void read_toolchain__all_keys__all_fields(void **state)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_toolchain t;

	(void)state;
	check_errors(&errors,
		spec_read_toolchain(
			put("t.yaml", "name: mine\nfamily: gcc\ncc: \"'/opt/my gcc/bin/gcc' -m64\"\n"
				      "cxx: [/opt/my gcc/bin/g++, -m64]\nenv: {LD_LIBRARY_PATH: /opt/lib}\n"
				      "runner: qemu-aarch64 -L /usr/aarch64-linux-gnu\n"),
			&arena, &t, &errors),
		"");
	assert_string_equal(t.name, "mine");
	assert_string_equal(t.family.text, "gcc");
	assert_int_equal(t.family.place.line, 2);
	assert_int_equal(t.family.place.column, 9);
	CHECK_WORDS(&t.cc, "/opt/my gcc/bin/gcc", "-m64");
	CHECK_WORDS(&t.cxx, "/opt/my gcc/bin/g++", "-m64");
	CHECK_WORDS(&t.env, "LD_LIBRARY_PATH=/opt/lib");
	CHECK_WORDS(&t.runner, "qemu-aarch64", "-L", "/usr/aarch64-linux-gnu");
	check_errors(&errors,
		spec_read_toolchain(
			put("t.yaml", "name: z\nfamily: clang\ncc: zig cc\n"), &arena, &t, &errors),
		"");
	CHECK_WORDS(&t.cc, "zig", "cc");
	assert_int_equal(t.cxx.n, 0);
	assert_int_equal(t.runner.n, 0);
}

/* CASES 136: ~ is said, not silently kept. */
static void read_toolchain__commands__checked(void **state)
{
	(void)state;
	bad_toolchain("name: m\nfamily: gcc\ncc: ~/bin/gcc\ncxx: [\"~/bin/g++\"]\nrunner: ./run\n",
		"t.yaml:3:5: `cc`: \"~/bin/gcc\" starts with ~, which only a shell expands, and no shell is "
		"used here; write "
		"the whole path\n"
		"t.yaml:4:6: `cxx`: \"~/bin/g++\" starts with ~, which only a shell expands, and no shell is "
		"used here; write "
		"the whole path\n"
		"t.yaml:5:9: `runner`: \"./run\" is a relative path; write the whole path, or a bare name to "
		"be looked for in "
		"PATH\n");
	bad_toolchain("name: m\nfamily: gcc\ncc: \"  \"\ncxx: []\nrunner: [\"\"]\n",
		"t.yaml:3:5: `cc`: expected a command, found an empty one\n"
		"t.yaml:4:6: `cxx`: expected a command, found an empty one\n"
		"t.yaml:5:9: `runner`: expected a command, found an empty one\n");
	bad_toolchain("name: m\nfamily: gcc\ncc: \"'/opt/my gcc/bin/gcc\"\n",
		"t.yaml:3:5: `cc`: the quote in \"'/opt/my gcc/bin/gcc\" (column 1) is never closed\n");
	bad_toolchain("name: m\nfamly: gcc\ncc:\nenv: [A=1]\n",
		"t.yaml:1:1: the key `family` is missing; a toolchain needs it\n"
		"t.yaml:2:1: unknown key `famly`; allowed here: name, family, cc, cxx, env, runner; did you "
		"mean `family`?\n"
		"t.yaml:3:4: `cc`: expected a command as one text or a list of texts, found nothing\n"
		"t.yaml:4:6: `env`: expected a mapping such as {NAME: value}, found a list\n");
}

static void read_family__keys__checked(void **state)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_family f;

	(void)state;
	check_errors(&errors,
		spec_read_family(put("f.yaml", "name: f\nstyle: clnag\nfind: [/usr/bin/cc, cc, "
					       "cc]\nabi_flags: [m32]\nlto_flags: "
					       "-flto\ncross: yes\n"),
			&arena, &f, &errors),
		"f.yaml:2:8: unknown value of `style`: `clnag`; allowed here: gcc, clang, tcc; did you mean "
		"`clang`?\n"
		"f.yaml:3:8: `find`: `/usr/bin/cc` is a path; families are found by program names in PATH (a "
		"compiler at a "
		"path is a file with `cc`)\n"
		"f.yaml:3:25: `find`: `cc` stands in the list twice; the first is at line 3, column 21\n"
		"f.yaml:4:13: `abi_flags`: expected a flag that begins with -, found the text `m32`\n"
		"f.yaml:5:12: `lto_flags`: expected a list of flags (* and ? allowed), found the text "
		"`-flto`; write [-flto]\n"
		"f.yaml:6:8: `cross`: expected true or false, found the text `yes`\n");
}

static void file_is_family__told_by_find_and_cc(void **state)
{
	struct spec_errors errors = {.arena = &arena};
	bool family = false;

	(void)state;
	assert_int_equal(
		spec_toolchain_file_is_family(put("f.yaml", "find: [x]\n"), &arena, &family, &errors), 0);
	assert_true(family);
	assert_int_equal(
		spec_toolchain_file_is_family(put("t.yaml", "cc: x\n"), &arena, &family, &errors), 0);
	assert_false(family);
	assert_int_equal(
		spec_toolchain_file_is_family(put("a.yaml", "name: x\n"), &arena, &family, &errors), -1);
	assert_int_equal(
		spec_toolchain_file_is_family(put("b.yaml", "cc: x\nfind: [x]\n"), &arena, &family, &errors),
		-1);
	assert_string_equal(without_scratch(spec_errors_text(&errors)),
		"a.yaml:1:1: expected `cc` (one toolchain) or `find` (a family of compilers); neither stands "
		"here\n"
		"b.yaml:1:1: both `find` and `cc` stand here; a family of compilers has `find`, one "
		"toolchain has `cc`\n");
}

static struct spec_family shipped(const char *name)
{
	struct spec_errors errors = {.arena = &arena};
	struct spec_family f;
	const char *path = arena_printf(&arena, "toolchains/%s.yaml", name);

	check_errors(&errors, spec_read_family(path, &arena, &f, &errors), "");
	assert_string_equal(f.name, name);
	return f;
}

static bool any_glob(const struct words *globs, const char *text)
{
	for (size_t i = 0; i < globs->n; i++)
		if (text_glob(globs->v[i], text))
			return true;
	return false;
}

static bool finds(const struct spec_family *f, const char *program)
{
	return any_glob(&f->find, program) && !any_glob(&f->exclude, program);
}

static void shipped_families__find_compilers_only(void **state)
{
	struct spec_family gcc = shipped("gcc"), clang = shipped("clang"), tcc = shipped("tcc"),
			   musl = shipped("musl-gcc"), cross = shipped("cross-gcc");

	(void)state;
	assert_true(finds(&gcc, "gcc") && finds(&gcc, "gcc-12") && finds(&gcc, "cc") &&
		    finds(&gcc, "x86_64-linux-gnu-gcc-12"));
	assert_false(finds(&gcc, "gcc-ar") || finds(&gcc, "gcc-ar-12") || finds(&gcc, "gcc-nm-12") ||
		     finds(&gcc, "x86_64-linux-gnu-gcc-ranlib-12") || finds(&gcc, "gccgo") ||
		     finds(&gcc, "clang"));
	assert_true(finds(&clang, "clang") && finds(&clang, "clang-14"));
	assert_false(finds(&clang, "clang-format") || finds(&clang, "clang-format-14") ||
		     finds(&clang, "clang++"));
	assert_true(finds(&tcc, "tcc"));
	assert_true(finds(&musl, "musl-gcc") && finds(&musl, "aarch64-linux-musl-gcc"));
	assert_true(finds(&cross, "aarch64-linux-gnu-gcc") && finds(&cross, "arm-linux-gnueabihf-gcc-12"));
	assert_false(finds(&cross, "aarch64-linux-gnu-gcc-ar") || finds(&cross, "gcc"));
	assert_true(cross.cross && !gcc.cross && !musl.cross);
	assert_int_equal(gcc.style, STYLE_GCC);
	assert_int_equal(clang.style, STYLE_CLANG);
	assert_int_equal(tcc.style, STYLE_TCC);
	assert_int_equal(musl.style, STYLE_GCC);
}

/* The driver is the same for every variant that differs in speed flags only. */
static void shipped_families__abi_and_lto_flags(void **state)
{
	static const char *const names[] = {"gcc", "clang", "musl-gcc", "cross-gcc"};
	static const char *const abi[] = {"-m32", "-m64", "-mabi=ms", "-static", "-static-pie", "-no-pie",
		"-fPIE", "-pthread", "--sysroot=/x", "-mlong-double-64", "-mfloat-abi=hard"};
	static const char *const speed[] = {"-O2", "-O3", "-march=native", "-mtune=native", "-ffast-math",
		"-flto", "-flto=auto", "-funroll-loops", "-fomit-frame-pointer", "-mavx2", "-DX",
		"-fprofile-use", "-fno-plt"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct spec_family f = shipped(names[i]);

		for (size_t k = 0; k < sizeof(abi) / sizeof(abi[0]); k++)
			if (!any_glob(&f.abi_flags, abi[k]))
				fail_msg("%s: %s is not an ABI flag", names[i], abi[k]);
		for (size_t k = 0; k < sizeof(speed) / sizeof(speed[0]); k++)
			if (any_glob(&f.abi_flags, speed[k]))
				fail_msg("%s: %s is an ABI flag", names[i], speed[k]);
		assert_true(any_glob(&f.lto_flags, "-flto") && any_glob(&f.lto_flags, "-flto=thin"));
		assert_false(any_glob(&f.lto_flags, "-fno-lto") || any_glob(&f.lto_flags, "-O2"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_toolchain__all_keys__all_fields),
		TEST(read_toolchain__commands__checked),
		TEST(read_family__keys__checked),
		TEST(file_is_family__told_by_find_and_cc),
		TEST(shipped_families__find_compilers_only),
		TEST(shipped_families__abi_and_lto_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
