#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "compare/select.h"
#include "report_fixture.h"

static const struct report_options plain = {
	.width = 100, .unicode = true, .path = "archive/h/2026/03/x.json.gz"};

static void has(const struct buf *out, const char *part)
{
	if (strstr(buf_text(out), part) == NULL)
		fail_msg("no \"%s\" in:\n%s", part, buf_text(out));
}

static void has_not(const struct buf *out, const char *part)
{
	if (strstr(buf_text(out), part) != NULL)
		fail_msg("\"%s\" in:\n%s", part, buf_text(out));
}

/* --- CSV: a reader after RFC 4180 that takes nothing else --- */

struct table {
	char *text;
	VEC(char *) fields;
	size_t columns, lines;
};

/* Reads one field at *p into its own place; returns the byte behind it. */
static char read_field(char **p, char **field)
{
	char *in = *p, *out = *p;
	bool quoted = *in == '"';

	*field = out;
	in += quoted;
	for (;; in++) {
		if (quoted && *in == '"') {
			if (in[1] != '"')
				break;
			in++;
		} else if (!quoted && (*in == ',' || *in == '\r')) {
			break;
		}
		assert_true(*in != '\0' && *in != '\n' && (quoted || *in != '"'));
		*out++ = *in;
	}
	in += quoted;
	char end = *in;
	*out = '\0';
	*p = in + 1;
	return end;
}

static void read_csv(const struct buf *csv, struct table *t)
{
	*t = (struct table){.text = strdup(buf_text(csv))};
	for (char *p = t->text; *p != '\0';) {
		char *field;
		char end = read_field(&p, &field);

		vec_push(&t->fields, field);
		if (end == ',')
			continue;
		assert_int_equal(end, '\r');
		assert_int_equal(*p++, '\n');
		t->lines++;
		if (t->lines == 1)
			t->columns = t->fields.n;
		assert_int_equal(t->fields.n, t->lines * t->columns);
	}
}

static const char *field_of(const struct table *t, size_t line, const char *column)
{
	for (size_t c = 0; c < t->columns; c++)
		if (strcmp(t->fields.v[c], column) == 0)
			return t->fields.v[(line + 1) * t->columns + c];
	fail_msg("no column %s", column);
	return NULL;
}

static void end_csv(struct table *t)
{
	free(t->text);
	vec_release(&t->fields);
}

static void report_csv__run__line_a_cell_and_numbers_in_full(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct table t;
	rf_scene(&f);
	report_csv(f.record, &f.result, &out);
	read_csv(&out, &t);
	assert_int_equal(t.lines, 1 + f.record->build_count);
	for (size_t i = 0; i < f.record->build_count; i++) {
		const struct cell_summary *cell = &f.result.cells[i];
		assert_string_equal(field_of(&t, i, "cell"), f.record->builds[i].cell);
		if (cell->has_value)
			assert_true(strtod(field_of(&t, i, "median"), NULL) == cell->median);
		else
			assert_string_equal(field_of(&t, i, "median"), "");
	}
	assert_string_equal(field_of(&t, 1, "answer"), "faster");
	assert_string_equal(field_of(&t, 1, "baseline"), "dhrystone/gcc/O2/1");
	assert_string_equal(field_of(&t, 3, "answer"), "slower");
	assert_true(strtod(field_of(&t, 3, "effect_percent"), NULL) < 0); /* a minus sign is no formula */
	assert_string_equal(field_of(&t, 0, "answer"), "");
	assert_string_equal(field_of(&t, 5, "status"), "impossible");
	assert_string_equal(field_of(&t, 5, "reason"), f.record->builds[5].reason);
	has_not(&out, "nan");
	end_csv(&t);
	buf_release(&out);
	cf_end(&f);
}

static void report_csv__equal_samples__no_empty_field(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct table t;
	cf_begin(&f);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	cf_compare(&f, 0, 1);
	cf_pair(&f, 0, 1, 16, 0, 0);
	cf_answer(&f);
	report_csv(f.record, &f.result, &out);
	read_csv(&out, &t);
	assert_string_equal(field_of(&t, 1, "median"), "100");
	assert_string_equal(field_of(&t, 1, "spread"), "0");
	assert_string_equal(field_of(&t, 1, "effect_percent"), "0");
	assert_string_equal(field_of(&t, 1, "p"), "n/a");
	assert_string_equal(field_of(&t, 1, "p_adjusted"), "n/a");
	assert_string_equal(field_of(&t, 1, "answer"), "no difference");
	end_csv(&t);
	buf_release(&out);
	cf_end(&f);
}

static void report_csv__hostile_strings__no_formula_no_control(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct table t;
	rf_hostile(&f);
	report_csv(f.record, &f.result, &out);
	rf_no_control(&out, "\r");
	read_csv(&out, &t);
	assert_int_equal(t.lines, 4);
	assert_string_equal(field_of(&t, 0, "slot"), "'=cmd");
	assert_string_equal(field_of(&t, 0, "variant"), "'+O2");
	assert_string_equal(field_of(&t, 1, "variant"), "'-O3");
	assert_string_equal(field_of(&t, 2, "variant"), "'@sum");
	assert_non_null(
		strstr(field_of(&t, 2, "reason"), "=cmd,\"x\"")); /* in the middle of a text it is none */
	for (size_t i = 0; i < t.fields.n; i++)
		if (strchr("=+@", t.fields.v[i][0]) != NULL)
			assert_int_equal(t.fields.v[i][0], '\0');
	end_csv(&t);
	buf_release(&out);
	cf_end(&f);
}

static void report_csv__empty_record__header_only(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct table t;
	cf_begin(&f);
	cf_answer(&f);
	report_csv(f.record, &f.result, &out);
	read_csv(&out, &t);
	assert_int_equal(t.lines, 1);
	end_csv(&t);
	buf_release(&out);
	cf_end(&f);
}

/* --- JSON --- */

static json_t *parse(const struct buf *out)
{
	struct error e = {0};
	json_t *root = json_parse(out->data, out->n, "report", &e);

	if (root == NULL)
		fail_msg("%s", e.text);
	return root;
}

static void report_json__run__cells_and_comparisons(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_scene(&f);
	report_json(f.record, &f.result, &plain, &out);
	json_t *root = parse(&out);
	assert_string_equal(json_text(root, "schema", ""), "flagstone.result/1");
	json_t *cells = json_object_get(root, "cells"), *comparisons = json_object_get(root, "comparisons");
	assert_int_equal(json_array_size(cells), f.result.cell_count);
	assert_int_equal(json_array_size(comparisons), f.result.comparison_count);
	json_t *cell = json_array_get(cells, 0);
	assert_true(json_num(cell, "median", 0) == f.result.cells[0].median);
	assert_true(json_is_null(json_object_get(cell, "median_reason")));
	json_t *impossible = json_array_get(cells, 5);
	assert_true(json_is_null(json_object_get(impossible, "median")));
	assert_string_equal(json_text(impossible, "median_reason", ""), f.record->builds[5].reason);
	json_t *c = json_array_get(comparisons, 0);
	assert_true(json_num(c, "log_effect", 0) == f.result.comparisons[0].effect);
	assert_string_equal(json_text(c, "answer", ""), "faster");
	json_t *none = json_array_get(comparisons, 4);
	assert_string_equal(json_text(none, "answer", ""), "n/a");
	assert_true(json_is_null(json_object_get(none, "effect_percent")));
	assert_non_null(strstr(json_text(none, "reason", ""), "no static C library"));
	json_t *mean = json_array_get(json_object_get(root, "means"), 4); /* static: of nothing */
	assert_string_equal(json_text(mean, "variant", ""), "static");
	assert_true(json_is_null(json_object_get(mean, "effect_percent")));
	assert_int_equal(json_int(mean, "m", -1), 4);
	json_decref(root);
	buf_release(&out);
	cf_end(&f);
}

static void report_json__hostile_strings__valid_and_harmless(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_hostile(&f);
	f.record->builds[2].reason = RF_HOSTILE "\xc2\x9b"
						"31m\x7f\xf0\x9f\x98\x80";
	report_json(f.record, &f.result, &plain, &out);
	rf_no_control(&out, "");
	has_not(&out, "</script>");
	has_not(&out, "\xc2\x9b");
	has(&out, "\xf0\x9f\x98\x80");
	json_t *root = parse(&out);
	json_t *cell = json_array_get(json_object_get(root, "cells"), 2);
	/* it reads back as it was, but for the byte that is no UTF-8 */
	assert_string_equal(json_text(cell, "reason", ""),
		"\x1b[31m</script><img src=x onerror=alert(1)>|a*b_c`d`\n=cmd,\"x\" \xef\xbf\xbd "
		"\xe2\x80\xae@you"
		"\xc2\x9b"
		"31m\x7f\xf0\x9f\x98\x80");
	json_decref(root);
	buf_release(&out);
	cf_end(&f);
}

static void report_json_and_csv__selection__the_chosen_cells_only(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct words only = {0};
	rf_scene(&f);
	words_add(&only, &f.arena, "*/clang/O3");
	select_cells(f.record, &f.result, &only);
	report_json(f.record, &f.result, &plain, &out);
	json_t *root = parse(&out);
	assert_int_equal(json_array_size(json_object_get(root, "cells")), 8); /* with their baselines */
	assert_int_equal(json_array_size(json_object_get(root, "comparisons")), 4);
	assert_int_equal(json_array_size(json_object_get(root, "means")), 0);
	json_t *cell = json_array_get(json_object_get(root, "cells"), 0);
	assert_true(json_is_null(json_object_get(cell, "user_ns"))); /* unknown in the fixture */
	assert_true(json_is_null(json_object_get(cell, "system_ns")));
	assert_true(json_is_boolean(json_object_get(cell, "autocorrelated")));
	assert_null(json_object_get(cell, "cpu_share"));
	json_decref(root);
	buf_clear(&out);
	report_csv(f.record, &f.result, &out);
	size_t lines = 0;
	for (size_t i = 0; i < out.n; i++)
		lines += out.data[i] == '\n';
	assert_int_equal(lines, 1 + 8);
	buf_release(&out);
	cf_end(&f);
}

static void report_json__empty_record__valid(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	struct report_options options = {0};
	cf_begin(&f);
	cf_answer(&f);
	report_json(f.record, &f.result, &options, &out);
	json_t *root = parse(&out);
	assert_int_equal(json_array_size(json_object_get(root, "cells")), 0);
	assert_true(json_is_null(json_object_get(json_object_get(root, "record"), "path")));
	json_decref(root);
	buf_release(&out);
	cf_end(&f);
}

/* --- Markdown --- */

static void report_markdown__run__golden(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_scene(&f);
	report_markdown(f.record, &f.result, &plain, &out);
	rf_golden("run.md", &out);
	buf_release(&out);
	cf_end(&f);
}

/* Unescaped bars of a line. */
static size_t bars(const char *line)
{
	size_t n = 0;

	for (; *line != '\0' && *line != '\n'; line++) {
		if (*line == '\\' && line[1] != '\0')
			line++;
		else
			n += *line == '|';
	}
	return n;
}

static void report_markdown__hostile_strings__no_markup(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_hostile(&f);
	report_markdown(f.record, &f.result, &plain, &out);
	rf_no_control(&out, "");
	has_not(&out, "<script");
	has_not(&out, "</script");
	has_not(&out, "<img");
	has_not(&out, "@you");
	has_not(&out, "a*b");
	has(&out, "&lt;img src=x onerror=alert(1)&gt;\\|a\\*b\\_c\\`d\\`\\\\n=cmd");
	for (const char *line = strstr(buf_text(&out), "\n|"); line != NULL; line = strstr(line + 1, "\n|"))
		assert_int_equal(bars(line + 1), 5); /* a label and three columns */
	buf_release(&out);
	cf_end(&f);
}

/* --- facts --- */

static void report_facts__known_unknown_and_empty__golden(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_scene(&f);
	facts_set(&f.record->builds[0].facts, "build.cflags", "-O2", "matrix");
	facts_set(&f.record->builds[0].facts, "build.ldflags", "", "matrix");
	facts_set(&f.record->project, "project.commit", "\x1b[2J\n0123", "libgit2");
	report_facts(f.record, &out);
	rf_no_control(&out, "");
	rf_golden("facts.txt", &out);
	buf_release(&out);
	cf_end(&f);
}

static void reports__locale_with_decimal_comma__decimal_points(void **state)
{
	(void)state;
	struct fixture f;
	struct buf out = {0};
	rf_scene(&f);
	/* the program never calls setlocale, so LC_ALL of the environment acts on nothing */
	assert_string_equal(setlocale(LC_NUMERIC, NULL), "C");
	assert_int_equal(setenv("LC_ALL", "de_DE.UTF-8", 1), 0);
	report_terminal(f.record, &f.result, &plain, &out);
	rf_golden("terminal-100.txt", &out);
	assert_string_equal(setlocale(LC_NUMERIC, NULL), "C");
	setenv("LC_ALL", "C", 1);
	buf_release(&out);
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_csv__run__line_a_cell_and_numbers_in_full),
		cmocka_unit_test(report_csv__equal_samples__no_empty_field),
		cmocka_unit_test(report_csv__hostile_strings__no_formula_no_control),
		cmocka_unit_test(report_csv__empty_record__header_only),
		cmocka_unit_test(report_json__run__cells_and_comparisons),
		cmocka_unit_test(report_json__hostile_strings__valid_and_harmless),
		cmocka_unit_test(report_json_and_csv__selection__the_chosen_cells_only),
		cmocka_unit_test(report_json__empty_record__valid),
		cmocka_unit_test(report_markdown__run__golden),
		cmocka_unit_test(report_markdown__hostile_strings__no_markup),
		cmocka_unit_test(report_facts__known_unknown_and_empty__golden),
		cmocka_unit_test(reports__locale_with_decimal_comma__decimal_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
