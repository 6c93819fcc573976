/* words, quoting, escaping, matching. Splitting is held against this machine's /bin/sh. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

static struct arena arena;

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct words split(const char *text)
{
	struct words words = {0};
	struct error e = {0};

	if (words_split(&words, &arena, text, NULL, &e) != 0)
		fail_msg("%s: %s", text, e.text);
	return words;
}

/* What the shell makes of the same text: each argument ended by a NUL. */
static struct buf shell_words(const char *text)
{
	char path[] = "/tmp/flagstone-words-XXXXXX", command[64];
	int fd = mkstemp(path);
	struct buf out = {0}, script = {0};
	FILE *pipe;
	int c;

	assert_true(fd >= 0);
	buf_addf(&script, "set -f\nset -- %s\n[ $# -eq 0 ] || printf '%%s\\0' \"$@\"\n", text);
	assert_int_equal(file_write_all(fd, script.data, script.n, path, NULL), 0);
	close(fd);
	snprintf(command, sizeof(command), "/bin/sh %s", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((c = fgetc(pipe)) != EOF)
		buf_addc(&out, (char)c);
	assert_int_equal(pclose(pipe), 0);
	unlink(path);
	buf_release(&script);
	return out;
}

/* Texts that a shell neither expands nor cuts (no $, `, ~, ;, &, | outside single quotes, no line break unescaped). */
static void words_split__plain_texts__as_the_shell(void **state)
{
	static const char *const texts[] = {
		"",
		"   ",
		"-O2",
		"  -O2\t-flto  ",
		"-DX=\"a b\"",
		"-DX=\"a b;c\" -DY='$(id) `id` ~ * ;'",
		"'/opt/my gcc/bin/gcc' -m64",
		"\"/opt/my gcc/bin/gcc\" -m64",
		"a'b'\"c\"d",
		"''",
		"a '' b",
		"\"\" x",
		"a\\ b c",
		"\\\\ \\' \\\" \\a",
		"'a\\b' \"a\\b\" \"a\\\\b\" \"a\\\"b\" \"a\\$b\" \"a\\`b\"",
		"-DS='\"text\"' -DT=\"'t'\"",
		"-Wl,-rpath,'$ORIGIN/lib'",
		"one \\\n two\\\nthree \"fo\\\nur\"",
		"'new\nline'",
		"\"it's\" 'say \"hi\"'",
		"a=* b=[x] c=?",
		"x\\\n",
		"a~b x=~",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct words words = split(texts[i]);
		struct buf mine = {0}, shell = shell_words(texts[i]);

		for (size_t k = 0; k < words.n; k++)
			buf_add(&mine, words.v[k], strlen(words.v[k]) + 1);
		if (mine.n != shell.n || (mine.n > 0 && memcmp(mine.data, shell.data, mine.n) != 0))
			fail_msg("text %zu (%s): %zu words differ from the shell's", i, texts[i], words.n);
		buf_release(&mine);
		buf_release(&shell);
	}
}

static void words_split__shell_characters__verbatim(void **state)
{
	struct words words = split("-DX=\"a b;$(id)\" $HOME `id` a;b|c&d >x *.c {a,b} !x #no");
	static const char *const want[] = {
		"-DX=a b;$(id)", "$HOME", "`id`", "a;b|c&d", ">x", "*.c", "{a,b}", "!x", "#no"};

	(void)state;
	assert_int_equal(words.n, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < words.n; i++)
		assert_string_equal(words.v[i], want[i]);
	assert_null(words.v[words.n]);
}

static void words_split__open_quote__column_and_nothing_added(void **state)
{
	struct words words = {0};
	struct error e = {0};
	size_t column = 0;

	(void)state;
	words_add(&words, &arena, "before");
	assert_int_equal(words_split(&words, &arena, "-O2 'abc", &column, &e), -1);
	assert_int_equal(column, 5);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_string_equal(e.text, "the quote in \"'abc\" (column 5) is never closed");
	assert_int_equal(words.n, 1);
	assert_int_equal(words_split(&words, &arena, "a\"", &column, &e), -1);
	assert_int_equal(column, 1);
}

/* CASES 136 */
static void words_split__tilde__refused_with_advice(void **state)
{
	struct words words = {0};
	struct error e = {0};

	(void)state;
	assert_int_equal(words_split(&words, &arena, "-O2 ~/bin/gcc", NULL, &e), -1);
	assert_non_null(strstr(e.text, "\"~/bin/gcc\" starts with ~"));
	assert_non_null(strstr(e.text, "write the whole path"));
	assert_int_equal(words_split(&words, &arena, "'~/bin/gcc' a~", NULL, &e), 0);
	assert_string_equal(words.v[0], "~/bin/gcc");
}

static void text_quote__any_word__round_trip(void **state)
{
	static const char *const words[] = {"", "plain", "-O2", "a b", "it's", "\"", "\\", "$x", "`", "~",
		"*", "a\nb", "'", "''", "--x=y,z:/@%+", "\t", "a'b\"c\\d", "\xc3\xa4", ";"};
	struct words all = {0};
	struct words back;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words_add(&all, &arena, words[i]);
	back = split(words_join(&all, &arena));
	assert_int_equal(back.n, all.n);
	for (size_t i = 0; i < all.n; i++)
		assert_string_equal(back.v[i], all.v[i]);
}

static void text_quote__every_byte__round_trip(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		char word[] = {'a', (char)c, 'b', '\0'};
		struct buf quoted = {0};
		struct words back;

		text_quote(&quoted, word);
		back = split(buf_text(&quoted));
		assert_int_equal(back.n, 1);
		assert_string_equal(back.v[0], word);
		buf_release(&quoted);
	}
}

static void words_add__many__null_terminated(void **state)
{
	struct words words = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		words_addf(&words, &arena, "w%d", i);
		assert_null(words.v[words.n]);
	}
	assert_int_equal(words.n, 1000);
	assert_string_equal(words.v[0], "w0");
	assert_true(words_have(&words, "w999"));
	assert_false(words_have(&words, "w1000"));
}

static void text_escape__hostile__made_safe(void **state)
{
	static const struct {
		const char *in;
		size_t n;
		const char *out;
	} cases[] = {
		{"plain", 5, "plain"},
		{"\x1b[31mred", 8, "\\x1b[31mred"},
		{"a\nb\tc\rd", 7, "a\\nb\\tc\\rd"},
		{"\0x", 2, "\\x00x"},
		{"\x7f", 1, "\\x7f"},
		{"\xff\xfe", 2, "\\xff\\xfe"},
		{"\xc3\xa4", 2, "\xc3\xa4"},
		{"\xc3", 1, "\\xc3"},
		{"\xc2\x9b"
		 "31m",
			5, "\\xc2\\x9b31m"}, /* C1 CSI */
		{"\xe2\x80\xae"
		 "x",
			4, "\\xe2\\x80\\xaex"},			 /* right-to-left override */
		{"\xd8\x9c", 2, "\\xd8\\x9c"},			 /* Arabic letter mark, a bidi control too */
		{"\xe2\x81\xa6", 3, "\\xe2\\x81\\xa6"},		 /* left-to-right isolate */
		{"\xc0\xaf", 2, "\\xc0\\xaf"},			 /* overlong / */
		{"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"},		 /* surrogate */
		{"\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80"}, /* above U+10FFFF */
		{"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = {0};

		text_escape(&out, cases[i].in, cases[i].n, false);
		assert_string_equal(buf_text(&out), cases[i].out);
		buf_release(&out);
	}
}

static void text_escape__keep_newlines__kept(void **state)
{
	struct buf out = {0};

	(void)state;
	text_escape(&out, "a\nb\tc\r\x1b", 7, true);
	assert_string_equal(buf_text(&out), "a\nb\tc\\r\\x1b");
	buf_release(&out);
	assert_string_equal(text_safe(&arena, "x\ny"), "x\\ny");
}

static void text_width__code_points__counted(void **state)
{
	(void)state;
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\xc3\xa4"
				    "b"),
		2);
	assert_int_equal(text_width("a\xcc\x88"), 1); /* a and a combining diaeresis */
	assert_int_equal(text_width(""), 0);
}

static void text_glob__patterns__as_in_the_header(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} cases[] = {
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a/b", true},
		{"a*", "a", true},
		{"a*c", "abcbc", true},
		{"a*c", "abcb", false},
		{"?", "", false},
		{"?", "/", true},
		{"a?c", "abc", true},
		{"[a-c]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[!a-c]x", "dx", true},
		{"[!a-c]x", "bx", false},
		{"[]]", "]", true},
		{"[!]]", "]", false},
		{"[a-]", "-", true},
		{"[", "[", false},
		{"[a", "a", false},
		{"\\*", "*", true},
		{"\\*", "a", false},
		{"\\[x", "[x", true},
		{"a\\", "a\\", true},
		{"gcc-[0-9]*", "gcc-12", true},
		{"gcc-[0-9]*", "gcc-ar", false},
		{"gcc-[0-9]*", "gcc-ar-12", false},
		{"*gcc-ar*", "x86_64-linux-gnu-gcc-ar-12", true},
		{"**a**", "bab", true},
		{"-mabi=*", "-mabi=ms", true},
		{"A", "a", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (text_glob(cases[i].pattern, cases[i].text) != cases[i].match)
			fail_msg("%s against %s", cases[i].pattern, cases[i].text);
}

/* A backtracking matcher would need 2^30 steps here. */
static void text_glob__many_stars__fast(void **state)
{
	char text[4001], pattern[2001];

	(void)state;
	memset(text, 'a', 4000);
	text[4000] = '\0';
	for (int i = 0; i < 1000; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	pattern[1999] = 'b';
	pattern[2000] = '\0';
	assert_false(text_glob(pattern, text));
}

static void text_nearest__typing_errors__found(void **state)
{
	static const char *const keys[] = {
		"workloads", "slots", "toolchains", "variants", "O2", "O3", "native", "rel"};
	enum { N = sizeof(keys) / sizeof(keys[0]) };

	(void)state;
	assert_string_equal(text_nearest("wrokloads", keys, N), "workloads");
	assert_string_equal(text_nearest("workload", keys, N), "workloads");
	assert_string_equal(text_nearest("VARIANTS", keys, N), "variants");
	assert_string_equal(text_nearest("natvie", keys, N), "native");
	assert_string_equal(text_nearest("o3", keys, N), "O3");
	assert_string_equal(text_nearest("O1", keys, N), "O2"); /* the first of equals */
	assert_string_equal(text_nearest("ref", keys, N), "rel");
	assert_null(text_nearest("x", keys, N));
	assert_null(text_nearest("", keys, N));
	assert_null(text_nearest("completely-else", keys, N));
	assert_null(text_nearest("native", keys, 0));
}

static void text_is_name__limits__held(void **state)
{
	char long_name[66];

	(void)state;
	assert_true(text_is_name("O2"));
	assert_true(text_is_name("x86_64-v3+lto.1"));
	assert_false(text_is_name(""));
	assert_false(text_is_name("-O2"));
	assert_false(text_is_name(".x"));
	assert_false(text_is_name("a b"));
	assert_false(text_is_name("a/b"));
	assert_false(text_is_name("\xc3\xa4"));
	memset(long_name, 'a', 65);
	long_name[65] = '\0';
	assert_false(text_is_name(long_name));
	long_name[64] = '\0';
	assert_true(text_is_name(long_name));
}

static void text_starts_ends__edges(void **state)
{
	(void)state;
	assert_true(text_starts("abc", ""));
	assert_true(text_starts("abc", "abc"));
	assert_false(text_starts("ab", "abc"));
	assert_true(text_ends("abc", "bc"));
	assert_false(text_ends("c", "bc"));
}

static void text_same__null__like_null_only(void **state)
{
	char copy[] = "abc";

	(void)state;
	assert_true(text_same("abc", copy));
	assert_true(text_same(NULL, NULL));
	assert_false(text_same(NULL, ""));
	assert_false(text_same("", NULL));
	assert_false(text_same("abc", "abC"));
	assert_string_equal(text_plural(0), "s");
	assert_string_equal(text_plural(1), "");
	assert_string_equal(text_plural(2), "s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(words_split__plain_texts__as_the_shell, teardown),
		cmocka_unit_test_teardown(words_split__shell_characters__verbatim, teardown),
		cmocka_unit_test_teardown(words_split__open_quote__column_and_nothing_added, teardown),
		cmocka_unit_test_teardown(words_split__tilde__refused_with_advice, teardown),
		cmocka_unit_test_teardown(text_quote__any_word__round_trip, teardown),
		cmocka_unit_test_teardown(text_quote__every_byte__round_trip, teardown),
		cmocka_unit_test_teardown(words_add__many__null_terminated, teardown),
		cmocka_unit_test(text_escape__hostile__made_safe),
		cmocka_unit_test_teardown(text_escape__keep_newlines__kept, teardown),
		cmocka_unit_test(text_width__code_points__counted),
		cmocka_unit_test(text_glob__patterns__as_in_the_header),
		cmocka_unit_test(text_glob__many_stars__fast),
		cmocka_unit_test(text_nearest__typing_errors__found),
		cmocka_unit_test(text_is_name__limits__held),
		cmocka_unit_test(text_starts_ends__edges),
		cmocka_unit_test(text_same__null__like_null_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
