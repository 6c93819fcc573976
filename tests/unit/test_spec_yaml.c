/* Broken and hostile YAML: each text and the exact lines it must give. */
#include "test_spec_tools.h"

#include <sys/stat.h>
#include <time.h>

static void read_matrix__broken_yaml__plain_words_and_place(void **state)
{
	static const struct {
		const char *yaml, *errors;
	} cases[] = {
		{"", "m.yaml:1:1: the file is empty\n"},
		{"# nothing\n\n", "m.yaml:1:1: the file is empty\n"},
		{"---\n", "m.yaml:1:1: the file is empty\n"},
		{"~\n", "m.yaml:1:1: the file is empty\n"},
		{"title\n",
			"m.yaml:1:1: expected a matrix as a mapping (key: value), found the text `title`\n"},
		{"- a\n- b\n", "m.yaml:1:1: expected a matrix as a mapping (key: value), found a list\n"},
		{"workloads:\n\t- a\n",
			"m.yaml:2:1: a tab stands where only blanks may; indent with blanks\n"},
		{"workloads:\n  - a\n\t- b\n",
			"m.yaml:3:1: a tab stands where only blanks may; indent with blanks\n"},
		{"workloads: [*]\n", "m.yaml:1:14: a text that starts with * must be in quotes, such as "
				     "\"*\" (YAML takes it for "
				     "an alias)\n"},
		{"title: %x\n", "m.yaml:1:8: a text that starts with % must be in quotes\n"},
		{"title: @x\n", "m.yaml:1:8: a text that starts with @ must be in quotes\n"},
		{"title: `x`\n", "m.yaml:1:8: a text that starts with ` must be in quotes\n"},
		{"title: a: b\n", "m.yaml:1:9: a `:` cannot stand here; put the text in quotes if the `:` "
				  "belongs to it, else "
				  "look at the indentation\n"},
		{"title: x\n slots: [b]\n",
			"m.yaml:2:7: a `:` cannot stand here; put the text in quotes if the `:` belongs to "
			"it, else look at the indentation\n"},
		{"title: a\nslots\n", "m.yaml:2:1: expected `key: value`, found a line without `:`\n"},
		{"workloads: [a\nslots: [b]\n", "m.yaml:1:12: here begins a list that misses a `,` or its "
						"`]` (noticed at line 2, column 6)\n"},
		{"measure: {a: b\nslots: [b]\n", "m.yaml:1:10: here begins a mapping that misses a `,` or "
						 "its `}` (noticed at line 2, column 6)\n"},
		{"title: \"abc\nslots: [b]\n", "m.yaml:1:8: here begins a quote that is never closed "
					       "(noticed at line 3, column 1)\n"},
		{"title: 'abc\n", "m.yaml:1:8: here begins a quote that is never closed (noticed at line 2, "
				  "column 1)\n"},
		{"workloads: - a\n", "m.yaml:1:12: a list entry `- ` cannot stand here; begin the list on "
				     "the next line\n"},
		{"title: \"\\q\"\n", "m.yaml:1:9: unknown escape in double quotes; write \\\\ for a "
				     "backslash, or use single "
				     "quotes\n"},
		{"title: a\n---\ntitle: b\n",
			"m.yaml:2:1: a second document begins here; a file holds one: remove the `---`\n"},
		{"title: a\n...\ntitle: b\n",
			"m.yaml:3:1: the document ended before this; look at the indentation\n"},
		{"workloads: [,]\n", "m.yaml:1:13: a value is missing here\n"},
		{"title: |x\n  a\n", "m.yaml:1:9: the text of a block (| or >) begins on the next line\n"},
		{"title: \xff\n", "m.yaml:1:8: the file is not UTF-8 (invalid leading UTF-8 octet); save it "
				  "as UTF-8\n"},
		{"title: \xc3(\n", "m.yaml:1:9: the file is not UTF-8 (invalid trailing UTF-8 octet); save "
				   "it as UTF-8\n"},
		{"a: b\ntitle: \xc3\xa4\x1b[31m\n",
			"m.yaml:2:9: the control character 0x1b cannot stand in a file; remove it, "
			"or write it as an escape in double quotes\n"},
		{"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "m.yaml:1:33: nested deeper than 32 levels\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		bad_matrix(cases[i].yaml, cases[i].errors);
}

static void read_matrix__nul_byte__said(void **state)
{
	static const char yaml[] = "title: a\0b\n";
	struct spec_errors errors = {.arena = &arena};
	struct spec_matrix matrix;

	(void)state;
	assert_int_equal(
		spec_read_matrix_bytes(yaml, sizeof(yaml) - 1, "m.yaml", &arena, &matrix, &errors), -1);
	assert_string_equal(spec_errors_text(&errors),
		"m.yaml:1:9: the control character 0x00 cannot stand in a file; "
		"remove it, or write it as an escape in double quotes\n");
	bad_matrix(MINIMAL "title: \"a\\0b\"\n", "m.yaml:4:8: a text cannot hold the character NUL (\\0)\n");
}

static void read_matrix__anchors_aliases_tags__refused(void **state)
{
	(void)state;
	bad_matrix("workloads: [*a, &b c, !x d]\nslots: [gcc]\nvariants: {O2: {}}\n",
		"m.yaml:1:13: a text that starts with * must be in quotes (YAML takes it for an alias, and "
		"aliases are not "
		"used here)\n"
		"m.yaml:1:17: anchors (&b) are not used here; put the text in quotes if the & belongs to it\n"
		"m.yaml:1:23: tags (!x) are not used here; put the text in quotes if the ! belongs to it\n");
	bad_matrix(MINIMAL "measure: !!map {budget: &x 5m}\n",
		"m.yaml:4:10: tags (tag:yaml.org,2002:map) are not used here; put the text in quotes if the "
		"! belongs to it\n"
		"m.yaml:4:25: anchors (&x) are not used here; put the text in quotes if the & belongs to "
		"it\n");
}

/* A billion laughs: ten levels of ten aliases each. */
static void read_matrix__alias_bomb__refused_at_once(void **state)
{
	struct buf yaml = {0};
	struct spec_errors errors = {.arena = &arena};
	struct spec_matrix matrix;
	clock_t start = clock();

	(void)state;
	buf_adds(&yaml, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 10; i++) {
		buf_addf(&yaml, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			buf_addf(&yaml, "%s*a%d", k > 0 ? ", " : "", i - 1);
		buf_adds(&yaml, "]\n");
	}
	assert_int_equal(spec_read_matrix_bytes(yaml.data, yaml.n, "m.yaml", &arena, &matrix, &errors), -1);
	assert_true(errors.n >= 100);
	assert_true(clock() - start < CLOCKS_PER_SEC);
	buf_release(&yaml);
}

static void read_matrix__duplicate_keys__place_of_the_first(void **state)
{
	(void)state;
	bad_matrix(MINIMAL "title: a\ntitle: b\n\"title\": c\n",
		"m.yaml:5:1: the key `title` is given twice; the first is at line 4, column 1\n"
		"m.yaml:6:1: the key `title` is given twice; the first is at line 4, column 1\n");
	bad_matrix("workloads: [a]\nslots: [gcc]\nvariants: {O2: {cflags: -O2, cflags: -O3}, O2: "
		   "{}}\nbaseline: O2\n",
		"m.yaml:3:30: the key `cflags` is given twice; the first is at line 3, column 17\n"
		"m.yaml:3:44: the key `O2` is given twice; the first is at line 3, column 12\n");
}

static void read_matrix__key_that_is_no_text__said(void **state)
{
	(void)state;
	bad_matrix(MINIMAL "? [a]\n: b\n", "m.yaml:4:3: a key must be a text, found a list\n");
}

static void read_matrix__bom_and_crlf__as_without(void **state)
{
	struct spec_matrix matrix =
		good_matrix("\xef\xbb\xbfworkloads: [a]\r\nslots: [gcc]\r\nvariants:\r\n  O2: {cflags: "
			    "-O2}\r\n");

	(void)state;
	assert_string_equal(matrix.workloads.v[0].text, "a");
	CHECK_WORDS(&matrix.variants[0].cflags, "-O2");
	bad_matrix("\xef\xbb\xbfwrong: 1\r\n" MINIMAL,
		"m.yaml:1:1: unknown key `wrong`; allowed here: title, workloads, "
		"toolchains, slots, baseline, variants, axes, include, exclude, copies, "
		"args, measure\n");
	bad_matrix(MINIMAL "copies: [x]\r\n",
		"m.yaml:4:10: `copies`: expected a number from 1 to 65536, `cores` or `cpus`, "
		"found the text `x`\n");
}

/* Columns count characters, not bytes. */
static void read_matrix__column_behind_umlauts(void **state)
{
	(void)state;
	bad_matrix("workloads: [a]\nslots: [gcc]\nvariants: {O2: {cflags: \"-D\xc3\xa4=\xc3\xb6\", arch: "
		   "z80}}\n",
		"m.yaml:3:40: unknown value of `arch`: `z80`; allowed here: x86_64, i386, i486, i586, i686, "
		"aarch64, arm, "
		"riscv64, riscv32, powerpc64le, powerpc64, powerpc, s390x, loongarch64, mips64el, mips64, "
		"mipsel, mips, "
		"sparc64, alpha, hppa, m68k\n");
}

/* Reads prefix + count x (unit, with # as its number) + suffix, and not in quadratic time. */
static struct spec_errors read_large(const char *prefix, const char *unit, unsigned count, const char *suffix)
{
	struct buf yaml = {0};
	struct spec_errors errors = {.arena = &arena};
	struct spec_matrix matrix;
	clock_t start = clock();

	buf_adds(&yaml, prefix);
	for (unsigned i = 0; i < count; i++) {
		size_t n = strcspn(unit, "#");

		buf_add(&yaml, unit, n);
		if (unit[n] == '#')
			buf_addf(&yaml, "%06u%s", i, unit + n + 1);
	}
	buf_adds(&yaml, suffix);
	spec_read_matrix_bytes(yaml.data, yaml.n, "m.yaml", &arena, &matrix, &errors);
	buf_release(&yaml);
	assert_true(
		clock() - start < 10 * CLOCKS_PER_SEC); /* sanitizers are slow; quadratic would be minutes */
	return errors;
}

static void read_matrix__large__bounded(void **state)
{
	struct spec_errors errors;

	(void)state;
	errors = read_large("title: \"", "# ", 140000, "\"\n" MINIMAL); /* a text of 980,000 letters */
	assert_int_equal(errors.n, 0);
	errors = read_large(MINIMAL, "k#: 1\n", 80000, "");
	assert_int_equal(errors.n, 80000); /* 1000 are told, and how many more there are */
	assert_non_null(strstr(spec_errors_text(&errors), "\nm.yaml:1003:1: unknown key `k000999`; allowed"));
	assert_non_null(strstr(spec_errors_text(&errors), "\n... and 79000 more errors\n"));
	errors = read_large(MINIMAL "copies: [", "#,", 100000, "]\n");
	assert_string_equal(spec_errors_text(&errors),
		"m.yaml:4:9: `copies`: 100000 entries are more than the 1000 allowed\n");
	errors = read_large("workloads: [a]\nslots: [", "s#,", 100000, "]\nvariants: {O2: {}}\n");
	assert_int_equal(errors.n, 0);
	errors = read_large("", "x\n", 600000, MINIMAL);
	assert_string_equal(spec_errors_text(&errors), "m.yaml: longer than the 1048576 bytes allowed\n");
	errors = read_large("", "[", 1000000, "");
	assert_string_equal(spec_errors_text(&errors), "m.yaml:1:33: nested deeper than 32 levels\n");
	errors = read_large("", "{", 1000000, "");
	assert_string_equal(spec_errors_text(&errors), "m.yaml:1:33: nested deeper than 32 levels\n");
	errors = read_large("", "- ", 500000, "");
	assert_int_equal(errors.n, 1);
	errors = read_large("", "? ", 500000, "");
	assert_int_equal(errors.n, 1);
}

/* Hostile texts in errors: no escape code, no second line. */
static void read_matrix__hostile_text__escaped_in_the_error(void **state)
{
	(void)state;
	bad_matrix(MINIMAL "\"a\\e[31m\\nm.yaml:9:9: forged\": 1\n",
		"m.yaml:4:1: unknown key `a\\x1b[31m\\nm.yaml:9:9: forged`; allowed here: title, workloads, "
		"toolchains, slots, "
		"baseline, variants, axes, include, exclude, copies, args, measure\n");
	bad_matrix(MINIMAL "title: \"\\e[31m\"\n",
		"m.yaml:4:8: `title`: the text holds the control character 0x1b; it must be one line\n");
}

static void read_matrix__no_file_folder_pipe__one_error(void **state)
{
	static const struct {
		const char *name, *error;
	} cases[] = {
		{"none.yaml", "none.yaml: cannot be read: No such file or directory\n"},
		{"folder", "folder: not a regular file\n"},
		{"pipe", "pipe: not a regular file\n"}, /* opening it would wait for ever */
	};

	(void)state;
	assert_int_equal(file_make_folders(in("folder"), NULL), 0);
	assert_int_equal(mkfifo(in("pipe"), 0600), 0);
	for (size_t i = 0; i < 3; i++) {
		struct spec_errors errors = {.arena = &arena};
		struct spec_matrix matrix;
		int result = spec_read_matrix(in(cases[i].name), &arena, &matrix, &errors);

		check_errors(&errors, result, cases[i].error);
		assert_int_equal(errors.v[0].place.line, 0);
	}
}

static void errors_to_error__usage_and_all_lines(void **state)
{
	struct spec_errors errors = {.arena = &arena};
	struct error e = {0};

	(void)state;
	assert_int_equal(spec_errors_to_error(&errors, &e), 0);
	assert_int_equal(e.code, EXIT_YES);
	spec_error(&errors, (struct spec_place){"b", 1, 1}, "b1");
	spec_error(&errors, (struct spec_place){"a", 10, 1}, "a10");
	spec_error(&errors, (struct spec_place){"a", 9, 2}, "a9");
	spec_error(&errors, (struct spec_place){"a", 9, 2}, "a9 again");
	spec_error(&errors, (struct spec_place){"a", 0, 0}, "a whole");
	spec_error(&errors, (struct spec_place){NULL, 0, 0}, "no file");
	assert_int_equal(spec_errors_to_error(&errors, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_string_equal(
		e.text, "no file\na: a whole\na:9:2: a9\na:9:2: a9 again\na:10:1: a10\nb:1:1: b1");
}

static void errors_to_error__more_than_it_holds__whole_lines_and_how_many_are_missing(void **state)
{
	struct spec_errors errors = {.arena = &arena};
	struct error e = {0};
	size_t lines = 0, missing = 0;
	char *end;

	(void)state;
	for (unsigned i = 1; i <= 200; i++)
		spec_error(&errors, (struct spec_place){"a", i, 1}, "%0100u", i);
	/* a last one that would fit behind those that are shown: it must not stand there alone */
	spec_error(&errors, (struct spec_place){"b", 1, 1}, "b");
	assert_int_equal(spec_errors_to_error(&errors, &e), -1);
	end = strstr(e.text, "\n... and ");
	assert_non_null(end);
	assert_null(strstr(e.text, "b:1:1"));
	assert_int_equal(sscanf(end, "\n... and %zu more errors", &missing), 1);
	for (const char *p = e.text; p <= end; p = strchr(p, '\n') + 1) {
		char text[101];

		snprintf(text, sizeof(text), "%0100zu", ++lines);
		assert_non_null(strstr(p, text));
	}
	assert_int_equal(lines + missing, 201);
	/* what callers say behind it arrives whole */
	error_advice(&e, "name the archive");
	assert_true(text_ends(e.text, "more errors; name the archive"));
}

static void errors_to_error__one_longer_than_it_holds__its_beginning(void **state)
{
	struct spec_errors errors = {.arena = &arena};
	struct error e = {0};
	char file[3001];

	(void)state;
	memset(file, 'f', sizeof(file) - 1);
	file[sizeof(file) - 1] = '\0';
	spec_error(&errors, (struct spec_place){file, 1, 1}, "text");
	spec_error(&errors, (struct spec_place){file, 2, 1}, "text");
	spec_errors_to_error(&errors, &e);
	assert_int_equal(e.text[0], 'f');
	assert_true(text_ends(e.text, "f...\n... and 1 more error"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_matrix__broken_yaml__plain_words_and_place),
		TEST(read_matrix__nul_byte__said),
		TEST(read_matrix__anchors_aliases_tags__refused),
		TEST(read_matrix__alias_bomb__refused_at_once),
		TEST(read_matrix__duplicate_keys__place_of_the_first),
		TEST(read_matrix__key_that_is_no_text__said),
		TEST(read_matrix__bom_and_crlf__as_without),
		TEST(read_matrix__column_behind_umlauts),
		TEST(read_matrix__large__bounded),
		TEST(read_matrix__hostile_text__escaped_in_the_error),
		TEST(read_matrix__no_file_folder_pipe__one_error),
		TEST(errors_to_error__usage_and_all_lines),
		TEST(errors_to_error__more_than_it_holds__whole_lines_and_how_many_are_missing),
		TEST(errors_to_error__one_longer_than_it_holds__its_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
