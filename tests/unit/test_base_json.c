/* JSON held against RFC 8259 by hand-written cases. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static json_t *parse(const char *text, struct error *e)
{
	return json_parse(text, strlen(text), "x.json", e);
}

static void json_parse__broken__line_and_column(void **state)
{
	static const char *const bad[] = {"", "{", "{\"a\":1,}", "[1,]", "{\"a\":1,\"a\":2}", "nul", "[NaN]",
		"[Infinity]", "[1 2]", "{\"a\":}", "[\"\xff\"]", "[\"\\u0000\"]", "[1]x", "\"text\"",
		"[1e999]", "[99999999999999999999]", "['a']"};
	struct error e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse(bad[i], &e) != NULL)
			fail_msg("took %s", bad[i]);
		assert_non_null(strstr(e.text, "x.json: not valid JSON: line "));
	}
	assert_null(parse("{\n\"a\": x}", &e));
	assert_non_null(strstr(e.text, "line 2, column 6"));
	assert_null(json_parse("[\"a\0b\"]", 7, "x.json", &e));
}

static void json_parse__deep__refused(void **state)
{
	char text[2 * JSON_MAX_DEPTH + 3];
	struct error e = {0};
	json_t *value;

	(void)state;
	memset(text, '[', JSON_MAX_DEPTH);
	memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	value = json_parse(text, 2 * JSON_MAX_DEPTH, "x.json", &e);
	assert_non_null(value);
	json_decref(value);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
	assert_null(json_parse(text, 2 * JSON_MAX_DEPTH + 2, "x.json", &e));
	assert_non_null(strstr(e.text, "deeper than 64"));
	value = parse(
		"[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[\"]", &e);
	assert_non_null(value); /* brackets in a text do not count */
	json_decref(value);
}

static void json_members__types_and_fallbacks(void **state)
{
	json_t *o = parse("{\"t\":\"x\",\"i\":3,\"r\":1.5,\"b\":true,\"n\":null}", NULL);

	(void)state;
	assert_string_equal(json_text(o, "t", "f"), "x");
	assert_string_equal(json_text(o, "i", "f"), "f");
	assert_string_equal(json_text(o, "n", "f"), "f");
	assert_null(json_text(o, "none", NULL));
	assert_int_equal(json_int(o, "i", 9), 3);
	assert_int_equal(json_int(o, "r", 9), 9);
	assert_true(json_num(o, "i", 9) == 3);
	assert_true(json_num(o, "r", 9) == 1.5);
	assert_true(json_num(o, "t", 9) == 9);
	assert_true(json_flag(o, "b", false));
	assert_true(json_flag(o, "i", true));
	assert_int_equal(json_int(NULL, "i", 9), 9);
	json_decref(o);
}

static void check_string(const char *text, const char *want)
{
	struct buf out = {0};
	json_t *value;

	json_add_string(&out, text);
	assert_string_equal(buf_text(&out), want);
	value = json_loadb(out.data, out.n, JSON_DECODE_ANY, NULL);
	assert_non_null(value);
	json_decref(value);
	buf_release(&out);
}

static void json_add_string__hostile__valid(void **state)
{
	(void)state;
	check_string("a\"b\\c", "\"a\\\"b\\\\c\"");
	check_string("\n\t\x1b\x7f", "\"\\n\\u0009\\u001b\\u007f\"");
	check_string("\xc3\xa4", "\"\xc3\xa4\"");
	check_string("a\xff", "\"a\xef\xbf\xbd\"");
	check_string("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	check_string("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	check_string(NULL, "null");
}

static uint64_t bits(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof(u));
	return u;
}

static void json_add_double__any__reads_back(void **state)
{
	const double cases[] = {0, -0.0, 1, -1.5, 0.1, 1.0 / 3, 1e300, -1e-300, DBL_MIN, DBL_MAX, 4.9e-324,
		123456789.123456789, 9007199254740993.0, 116700.0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = {0};
		json_t *value;

		json_add_double(&out, cases[i]);
		value = json_loadb(out.data, out.n, JSON_DECODE_ANY, NULL);
		assert_non_null(value);
		assert_true(bits(json_number_value(value)) == bits(cases[i]));
		json_decref(value);
		buf_release(&out);
	}
}

/* CASES 137 */
static void json_numbers__not_finite__null(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct buf out = {0};
		json_t *value = json_safe_real(bad[i]);

		json_add_double(&out, bad[i]);
		assert_string_equal(buf_text(&out), "null");
		assert_true(json_is_null(value));
		json_decref(value);
		buf_release(&out);
	}
}

static void json_safe_string__invalid__replaced(void **state)
{
	json_t *value = json_safe_string("a\xff"
					 "b");

	(void)state;
	assert_string_equal(json_string_value(value), "a\xef\xbf\xbd"
						      "b");
	json_decref(value);
	value = json_safe_string(NULL);
	assert_true(json_is_null(value));
}

static void json_add_tree__order_and_digits_kept(void **state)
{
	json_t *o = parse("{\"z\":1,\"a\":[0.1,true,null],\"m\":{}}", NULL);
	struct buf out = {0};

	(void)state;
	json_add_tree(&out, o, false);
	assert_string_equal(buf_text(&out), "{\"z\":1,\"a\":[0.10000000000000001,true,null],\"m\":{}}");
	buf_clear(&out);
	json_add_tree(&out, o, true);
	assert_non_null(strstr(buf_text(&out), "{\n  \"z\": 1,\n  \"a\": ["));
	buf_release(&out);
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_parse__broken__line_and_column),
		cmocka_unit_test(json_parse__deep__refused),
		cmocka_unit_test(json_members__types_and_fallbacks),
		cmocka_unit_test(json_add_string__hostile__valid),
		cmocka_unit_test(json_add_double__any__reads_back),
		cmocka_unit_test(json_numbers__not_finite__null),
		cmocka_unit_test(json_safe_string__invalid__replaced),
		cmocka_unit_test(json_add_tree__order_and_digits_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
