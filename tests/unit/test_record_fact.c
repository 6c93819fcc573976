#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "record/fact.h"

static int setup(void **state)
{
	static struct arena arena;
	static struct facts facts;

	arena = (struct arena){0};
	facts = (struct facts){.arena = &arena};
	*state = &facts;
	return 0;
}

static int teardown(void **state)
{
	struct facts *facts = *state;

	arena_release(facts->arena);
	return 0;
}

static void facts_set__known_value__is_found_with_its_source(void **state)
{
	struct facts *facts = *state;
	char value[] = "6";

	facts_set(facts, "cpu.family", value, "/proc/cpuinfo");
	value[0] = 'x'; /* texts are copied */
	facts_setf(facts, "memory.total_bytes", "/proc/meminfo", "%d", 4096);
	assert_string_equal(facts_value(facts, "cpu.family"), "6");
	assert_string_equal(facts_find(facts, "cpu.family")->source, "/proc/cpuinfo");
	assert_null(facts_find(facts, "cpu.family")->reason);
	assert_string_equal(facts_value(facts, "memory.total_bytes"), "4096");
	assert_null(facts_find(facts, "cpu"));
	assert_null(facts_value(facts, "cpu"));
}

static void facts_set__empty_and_null__are_a_value_and_an_unknown(void **state)
{
	struct facts *facts = *state;

	facts_set(facts, "cpu.offline", "", "file");
	facts_set(facts, "cpu.model", NULL, "file");
	facts_unknown(facts, "bios.version", "dmi", "Permission denied");
	assert_string_equal(facts_value(facts, "cpu.offline"), "");
	assert_null(facts_value(facts, "cpu.model"));
	assert_string_equal(facts_find(facts, "cpu.model")->reason, "not given");
	assert_null(facts_value(facts, "bios.version"));
	assert_string_equal(facts_find(facts, "bios.version")->reason, "Permission denied");
}

static void facts_set__same_key_again__replaces_and_keeps_the_place(void **state)
{
	struct facts *facts = *state;

	facts_unknown(facts, "a", "s", "r");
	facts_set(facts, "b", "1", "s");
	facts_set(facts, "a", "2", "t");
	assert_int_equal(facts->n, 2);
	assert_string_equal(facts->v[0].key, "a");
	assert_string_equal(facts->v[0].value, "2");
	assert_null(facts->v[0].reason);
	/* from the entry itself */
	facts_set(facts, "a", facts_value(facts, "a"), facts_find(facts, "a")->source);
	assert_string_equal(facts->v[0].source, "t");
}

static void facts_copy__many__replaces_equal_keys_and_appends_others(void **state)
{
	struct facts *facts = *state;
	struct arena arena = {0};
	struct facts from = {.arena = &arena};

	for (int i = 0; i < 300; i++)
		facts_setf(&from, arena_printf(&arena, "key.%d", i), "s", "%d", i);
	facts_unknown(&from, "gone", "s", "why");
	facts_set(facts, "key.7", "old", "s");
	facts_set(facts, "mine", "kept", "s");
	facts_copy(facts, &from);
	arena_release(&arena); /* the copies do not need it */
	assert_int_equal(facts->n, 302);
	assert_string_equal(facts_value(facts, "key.7"), "7");
	assert_string_equal(facts_value(facts, "key.299"), "299");
	assert_string_equal(facts_value(facts, "mine"), "kept");
	assert_string_equal(facts_find(facts, "gone")->reason, "why");
}

static void facts_to_json__all_kinds__has_the_documented_form(void **state)
{
	struct facts *facts = *state;
	struct buf text = {0};
	json_t *tree;

	facts_set(facts, "a", "x\"\n\t", "f");
	facts_unknown(facts, "b", "g", "no file");
	facts_set(facts, "c", "", NULL);
	tree = facts_to_json(facts);
	json_add_tree(&text, tree, false);
	assert_string_equal(buf_text(&text),
		"{\"a\":{\"value\":\"x\\\"\\n\\t\",\"source\":\"f\"},"
		"\"b\":{\"unknown\":\"no file\",\"source\":\"g\"},\"c\":{\"value\":\"\"}}");
	json_decref(tree);
	buf_release(&text);
}

static void facts_to_json__bytes_that_are_no_utf8__give_a_valid_document(void **state)
{
	struct facts *facts = *state;
	struct buf text = {0};
	json_t *tree;

	facts_set(facts, "product.name", "caf\xe9", "dmi");
	tree = facts_to_json(facts);
	json_add_tree(&text, tree, false);
	assert_non_null(strstr(buf_text(&text), "caf\xef\xbf\xbd"));
	json_decref(tree);
	buf_release(&text);
}

static json_t *parsed(const char *text)
{
	json_t *tree = json_parse(text, strlen(text), "test", NULL);

	assert_non_null(tree);
	return tree;
}

static void facts_from_json__what_was_written__comes_back(void **state)
{
	struct facts *facts = *state;
	struct facts back = {.arena = facts->arena};
	struct error e = {0};
	json_t *tree;

	facts_set(facts, "a", "1", "f");
	facts_unknown(facts, "b", "g", "no file");
	facts_set(facts, "c", "", NULL);
	tree = facts_to_json(facts);
	assert_int_equal(facts_from_json(&back, tree, "record", &e), 0);
	json_decref(tree);
	assert_int_equal(back.n, 3);
	assert_string_equal(facts_value(&back, "a"), "1");
	assert_string_equal(facts_find(&back, "b")->reason, "no file");
	assert_string_equal(facts_find(&back, "b")->source, "g");
	assert_string_equal(facts_value(&back, "c"), "");
	assert_null(facts_find(&back, "c")->source);
}

static void facts_from_json__members_of_a_newer_version__are_ignored(void **state)
{
	struct facts *facts = *state;
	json_t *tree = parsed("{\"a\":{\"value\":\"1\",\"source\":\"f\",\"certainty\":0.5}}");

	assert_int_equal(facts_from_json(facts, tree, "record", NULL), 0);
	assert_string_equal(facts_value(facts, "a"), "1");
	json_decref(tree);
}

static void facts_from_json__malformed__names_the_key_and_changes_nothing(void **state)
{
	static const char *const bad[] = {"{\"ok\":{\"value\":\"1\"},\"bad.key\":3}",
		"{\"bad.key\":{\"source\":\"f\"}}", "{\"bad.key\":{\"value\":1}}",
		"{\"bad.key\":{\"unknown\":null}}", "{\"bad.key\":{\"value\":\"1\",\"unknown\":\"r\"}}",
		"{\"bad.key\":{\"value\":\"1\",\"source\":[]}}"};
	struct facts *facts = *state;

	facts_set(facts, "before", "1", "s");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error e = {0};
		json_t *tree = parsed(bad[i]);

		assert_int_equal(facts_from_json(facts, tree, "the host of x.json", &e), -1);
		assert_non_null(strstr(e.text, "the host of x.json"));
		assert_non_null(strstr(e.text, "\"bad.key\""));
		assert_int_equal(facts->n, 1);
		json_decref(tree);
	}
}

static void facts_from_json__no_object__is_an_error(void **state)
{
	struct facts *facts = *state;
	struct error e = {0};
	json_t *tree = parsed("[1]");

	assert_int_equal(facts_from_json(facts, tree, "x", &e), -1);
	assert_int_equal(facts_from_json(facts, NULL, "x", &e), -1);
	json_decref(tree);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(facts_set__known_value__is_found_with_its_source),
		TEST(facts_set__empty_and_null__are_a_value_and_an_unknown),
		TEST(facts_set__same_key_again__replaces_and_keeps_the_place),
		TEST(facts_copy__many__replaces_equal_keys_and_appends_others),
		TEST(facts_to_json__all_kinds__has_the_documented_form),
		TEST(facts_to_json__bytes_that_are_no_utf8__give_a_valid_document),
		TEST(facts_from_json__what_was_written__comes_back),
		TEST(facts_from_json__members_of_a_newer_version__are_ignored),
		TEST(facts_from_json__malformed__names_the_key_and_changes_nothing),
		TEST(facts_from_json__no_object__is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
