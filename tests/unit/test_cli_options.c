#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/terminal.h"

/* Parsing in the small; whole command lines are in tests/cli. Expected values are what the words say. */

struct fixture {
	struct arena arena;
	struct arguments args;
	struct error e;
};

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	arena_release(&((struct fixture *)*state)->arena);
	return 0;
}

/* Parses a command line, blanks part the words. */
static int parse(struct fixture *f, const struct command *command, const char *line)
{
	struct words words = {0};
	int at = 0;

	assert_int_equal(words_split(&words, &f->arena, line, NULL, NULL), 0);
	return options_parse(
		&command->options, (int)words.n, words.v, &at, false, &f->arena, &f->args, &f->e);
}

static void options_parse__every_kind__reaches_its_member(void **state)
{
	struct fixture *f = *state;
	const struct session_options *s = &f->args.session;

	assert_int_equal(
		parse(f, &cmd_run,
			"--rounds 16..64 --layouts=8 --sample 2ms --budget 90s --precision 1% --matters=0.5% "
			"--seed 0123456789abcdef0123456789abcdef --only a --only=b/c --repeat 3 --pause 3m "
			"--aa -C here --archive there small"),
		0);
	assert_int_equal(s->rounds_min, 16);
	assert_int_equal(s->rounds_max, 64);
	assert_int_equal(s->layouts, 8);
	assert_int_equal(s->sample_ns, 2000000);
	assert_int_equal(s->budget_ns, 90000000000);
	assert_true(s->precision == 0.01 && s->matters == 0.005);
	assert_string_equal(s->seed, "0123456789abcdef0123456789abcdef");
	assert_int_equal(s->only.n, 2);
	assert_string_equal(s->only.v[1], "b/c");
	assert_int_equal(f->args.repeat, 3);
	assert_int_equal(f->args.pause_ns, 180000000000);
	assert_true(s->aa && !s->fresh);
	assert_string_equal(s->project, "here");
	assert_string_equal(s->archive, "there");
	assert_int_equal(f->args.words.n, 1);
	assert_string_equal(f->args.words.v[0], "small");
}

static void options_parse__given_twice__last_one_counts(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, &cmd_run, "--rounds 16 --rounds 8..9"), 0);
	assert_int_equal(f->args.session.rounds_min, 8);
	assert_int_equal(f->args.session.rounds_max, 9);
}

static void options_parse__optional_value__only_behind_equals(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, &cmd_run, "--resume abcd"), 0);
	assert_string_equal(f->args.resume, "");
	assert_string_equal(f->args.words.v[0], "abcd");
	assert_int_equal(parse(f, &cmd_run, "--resume=ef01"), 0);
	assert_string_equal(f->args.resume, "ef01");
}

static void options_parse__bad_value__member_untouched(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, &cmd_run, "--rounds 16 --rounds 3"), -1);
	assert_int_equal(f->e.code, EXIT_USAGE);
	assert_int_equal(f->args.session.rounds_min, 16);
}

static void options_parse__single_dash__is_a_word(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, &cmd_show, "- -- --json -q"), 0);
	assert_int_equal(f->args.words.n, 3);
	assert_string_equal(f->args.words.v[0], "-");
	assert_string_equal(f->args.words.v[1], "--json");
	assert_false(f->args.json || f->args.quiet);
}

/* No option of a command hides a common one, and none is named twice. */
static void commands__option_names__are_unique(void **state)
{
	(void)state;
	for (size_t c = 0; commands[c] != NULL; c++) {
		const struct option_table *own = &commands[c]->options;

		for (size_t i = 0; i < own->n; i++) {
			for (size_t k = 0; k < i; k++)
				assert_string_not_equal(own->v[i].name, own->v[k].name);
			for (size_t k = 0; k < options_everywhere.n; k++)
				assert_string_not_equal(own->v[i].name, options_everywhere.v[k].name);
		}
	}
}

/* An option with a value says what help calls it; one with bounds says what is allowed. */
static void commands__option_tables__are_whole(void **state)
{
	(void)state;
	for (size_t c = 0; commands[c] != NULL; c++) {
		const struct option_table *own = &commands[c]->options;

		for (size_t i = 0; i < own->n; i++) {
			assert_non_null(own->v[i].help);
			assert_true(own->v[i].help[strlen(own->v[i].help) - 1] != '.');
			assert_true((own->v[i].kind == OPTION_FLAG) == (own->v[i].value == NULL));
			assert_true(own->v[i].max <= 0 || own->v[i].allowed != NULL);
		}
	}
}

/* The order of DESIGN, "The command line": 130/143, 2, 3, 1, 6, 4, 5. */
static void exit_combine__pairs__heavier_one_stands(void **state)
{
	static const enum exit_code order[] = {EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_USAGE, EXIT_CANNOT,
		EXIT_NO, EXIT_CELL_FAILED, EXIT_NOTHING, EXIT_UNDECIDED, EXIT_YES};

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		for (size_t k = i; k < 9; k++) {
			assert_int_equal(exit_combine(order[i], order[k]), order[i]);
			assert_int_equal(exit_combine(order[k], order[i]), order[i]);
		}
	}
}

static void table_write__columns__aligned_without_blanks_at_the_end(void **state)
{
	struct fixture *f = *state;
	struct table table;
	struct buf out = {0};

	table_init(&table, &f->arena, 3);
	table.right[1] = true;
	table_add(&table, "a");
	table_add(&table, "1");
	table_add(&table, "x\033[31m");
	table_add(&table, "bcd");
	table_addf(&table, "%d", 234);
	table_add(&table, NULL);
	table_add(&table, "\xc3\xa9"); /* one column wide */
	table_add(&table, "");
	table_add(&table, "y");
	table_write(&table, &out);
	assert_string_equal(buf_text(&out), "a      1  x\\x1b[31m\nbcd  234\n\xc3\xa9         y\n");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			options_parse__every_kind__reaches_its_member, setup, teardown),
		cmocka_unit_test_setup_teardown(options_parse__given_twice__last_one_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(
			options_parse__optional_value__only_behind_equals, setup, teardown),
		cmocka_unit_test_setup_teardown(options_parse__bad_value__member_untouched, setup, teardown),
		cmocka_unit_test_setup_teardown(options_parse__single_dash__is_a_word, setup, teardown),
		cmocka_unit_test(commands__option_names__are_unique),
		cmocka_unit_test(commands__option_tables__are_whole),
		cmocka_unit_test(exit_combine__pairs__heavier_one_stands),
		cmocka_unit_test_setup_teardown(
			table_write__columns__aligned_without_blanks_at_the_end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
