#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare/recommend.h"
#include "compare_fixture.h"

static void near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", x, expected);
}

static void has_text(const char *text, const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", text ? text : "(null)", part);
}

static void describe(
	struct fixture *f, uint32_t b, const char *flags, const char *features, const char *text_bytes)
{
	struct facts *facts = &f->record->builds[b].facts;

	facts_set(facts, "build.cflags", flags, "matrix");
	facts_set(facts, "resolved.features", features, "-dM -E");
	facts_set(facts, "size.text_bytes", text_bytes, "ELF");
}

static void measure(struct fixture *f, uint32_t b, double effect, double noise)
{
	for (uint32_t r = 0; r < 16; r++)
		cf_sample(f, b, r, r, 100 * exp(effect + noise * cf_sign(r)));
}

/*
 * Two workloads, gcc: O2 the base, native the fastest by 0.1 % against v3 and O3, which are as good (0.5 % matters), v3
 * needs fewer CPU features than native and more than O3, fast is between but loose, Os is 5 % slower, odd is
 * too noisy to tell.
 */
enum { O2, O3, V3, NATIVE, FAST, OS, ODD, VARIANTS };

static void scene(struct fixture *f)
{
	static const struct {
		const char *name, *flags, *features, *size;
		double effect, noise;
	} v[VARIANTS] = {{"O2", "-O2", "a b", "1000", 0, 1e-4}, {"O3", "-O3", "a b", "2000", 0.099, 2e-4},
		{"v3", "-O2 -march=x86-64-v3", "a b c", "900", 0.0995, 3e-4},
		{"native", "-O2 -march=native", "a b c d e", "950", 0.1, 0},
		{"fast", "-O3 -ffast-math", "a b", "800", 0.099, 1e-4},
		{"Os", "-Os", "a b", "500", 0.05, 1e-4}, {"odd", "-O1", "a b", "700", 0.095, 0.05}};

	cf_begin(f);
	for (uint32_t w = 0; w < 2; w++)
		for (uint32_t i = 0; i < VARIANTS; i++) {
			uint32_t b = cf_build(f, w == 0 ? "sort" : "hash", "gcc", v[i].name, i == 0);

			describe(f, b, v[i].flags, v[i].features, v[i].size);
			/* in the second workload native is 0.2 % less */
			measure(f, b, v[i].effect - (w == 1 && i == NATIVE ? 0.002 : 0), v[i].noise);
		}
}

static const struct recommend_candidate *candidate(const struct recommendation *r, const char *variant)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].variant, variant) == 0)
			return &r->v[i];
	fail_msg("there is no %s", variant);
	return NULL;
}

static int advise(struct fixture *f, struct within_options options, struct recommendation *r, struct error *e)
{
	return recommend(f->record, &options, &f->arena, r, e);
}

static void recommend__as_good_ones__most_portable_and_smallest_first(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation r;
	struct error e = {0};
	scene(&f);
	assert_int_equal(advise(&f, (struct within_options){0}, &r, &e), 0);
	assert_int_equal(r.rows, 2);
	assert_int_equal(r.n, VARIANTS);
	assert_string_equal(r.v[r.best].variant, "v3"); /* 0.0995 on average, native 0.099 */
	assert_int_equal(r.as_good, 4);
	assert_string_equal(r.v[0].variant, "O3");
	assert_string_equal(r.v[1].variant, "v3");
	assert_string_equal(r.v[2].variant, "native");
	assert_string_equal(r.v[3].variant, "fast"); /* smaller and as portable as O3, but loose */
	assert_true(r.v[3].loose_floats);
	assert_string_equal(r.v[4].variant, "odd");
	assert_int_equal(r.v[4].state, RECOMMEND_OPEN);
	assert_string_equal(r.v[5].variant, "Os");
	assert_string_equal(r.v[6].variant, "O2");
	assert_int_equal(r.v[6].state, RECOMMEND_WORSE);
	assert_int_equal(candidate(&r, "native")->features, 5);
	assert_int_equal(candidate(&r, "O3")->size_bytes, 4000);
	cf_end(&f);
}

static void recommend__losses__mean_over_workloads_and_the_worst(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation r;
	struct error e = {0};
	scene(&f);
	assert_int_equal(advise(&f, (struct within_options){0}, &r, &e), 0);
	const struct recommend_candidate *native = candidate(&r, "native");
	near(native->effect, (0.0005 + -0.0015) / 2);
	near(native->worst, -0.0015);
	assert_string_equal(native->worst_cell, "hash/gcc/native/1");
	/* per workload: 16 layouts m +- 3e-4, standard error 3e-4 / sqrt(15), 15 degrees of freedom; of the mean of two
	 * that over sqrt(2) with 30 degrees, 97.5 % quantile 2.042272456301238 (R: qt(0.975, 30)) */
	near(native->lo, -0.0005 - 2.042272456301238 * 3e-4 / sqrt(15) / sqrt(2));
	near(candidate(&r, "Os")->effect, 0.05 - 0.0995);
	assert_null(candidate(&r, "v3")->worst_cell);
	cf_end(&f);
}

static void recommend__chosen_workloads__only_these(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation r;
	struct error e = {0};
	struct words only = {0};
	scene(&f);
	words_add(&only, &f.arena, "sort");
	assert_int_equal(advise(&f, (struct within_options){.only = &only}, &r, &e), 0);
	assert_int_equal(r.rows, 1);
	assert_string_equal(r.v[r.best].variant, "native");
	cf_end(&f);
}

static void recommend__what_matters__decides_who_is_as_good(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation r;
	struct error e = {0};
	scene(&f);
	assert_int_equal(advise(&f, (struct within_options){.matters = 0.06}, &r, &e), 0);
	assert_int_equal(candidate(&r, "Os")->state, RECOMMEND_AS_GOOD);
	assert_string_equal(r.v[0].variant, "Os"); /* as portable as O3 and the smallest */
	cf_end(&f);
}

static void recommend__not_everywhere__left_out_with_the_reason(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation r;
	struct error e = {0};
	scene(&f);
	f.record->builds[VARIANTS + V3].status = CELL_IMPOSSIBLE;
	f.record->builds[VARIANTS + V3].reason = "this CPU lacks x86-64-v3";
	f.record->builds[O3].status = CELL_CHECK_FAILED;
	f.record->builds[O3].reason = "wrong result";
	assert_int_equal(advise(&f, (struct within_options){0}, &r, &e), 0);
	assert_int_equal(candidate(&r, "v3")->state, RECOMMEND_OUT);
	has_text(candidate(&r, "v3")->reason, "hash: cannot exist here: this CPU lacks x86-64-v3");
	has_text(candidate(&r, "O3")->reason, "wrong result");
	assert_string_equal(r.v[r.n - 1].variant, "v3");
	cf_end(&f);
}

static void recommend__same_code__loses_nothing(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation r;
	struct error e = {0};
	scene(&f);
	for (uint32_t w = 0; w < 2; w++)
		f.record->builds[w * VARIANTS + ODD].code_hash =
			f.record->builds[w * VARIANTS + V3].code_hash;
	assert_int_equal(advise(&f, (struct within_options){0}, &r, &e), 0);
	assert_int_equal(candidate(&r, "odd")->state, RECOMMEND_AS_GOOD);
	near(candidate(&r, "odd")->effect, 0);
	near(candidate(&r, "odd")->lo, 0);
	cf_end(&f);
}

static void recommend__fewer_than_two__nothing_to_choose(void **state)
{
	(void)state;
	struct fixture f;
	struct recommendation r;
	struct error e = {0};
	cf_begin(&f);
	assert_int_equal(advise(&f, (struct within_options){0}, &r, &e), -1);
	cf_build(&f, "sort", "gcc", "O2", true);
	cf_build(&f, "sort", "gcc", "O3", false);
	f.record->builds[1].status = CELL_BUILD_FAILED;
	f.record->builds[1].reason = "cc1: error";
	measure(&f, 0, 0, 0);
	e = (struct error){0};
	assert_int_equal(advise(&f, (struct within_options){0}, &r, &e), -1);
	assert_int_equal(e.code, EXIT_NOTHING);
	has_text(e.text, "gcc/O3: sort: build failed: cc1: error");
	cf_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recommend__as_good_ones__most_portable_and_smallest_first),
		cmocka_unit_test(recommend__losses__mean_over_workloads_and_the_worst),
		cmocka_unit_test(recommend__chosen_workloads__only_these),
		cmocka_unit_test(recommend__what_matters__decides_who_is_as_good),
		cmocka_unit_test(recommend__not_everywhere__left_out_with_the_reason),
		cmocka_unit_test(recommend__same_code__loses_nothing),
		cmocka_unit_test(recommend__fewer_than_two__nothing_to_choose),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
