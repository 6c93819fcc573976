/*
 * Shares and their intervals. Expected: the closed forms for none, all and one of n (Clopper and Pearson, Biometrika 26,
 * 1934), and the textbook example 5 of 10, 0.1871 to 0.8129.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "stats/proportion.h"
#include "stats/dist.h"

static void close_to(double got, double expected)
{
	if (!(fabs(got - expected) < 1e-9))
		fail_msg("%.12f is not %.12f", got, expected);
}

static void proportion__none_and_all__closed_forms(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 3000; n = 3 * n + 1) {
		struct stats_proportion none = stats_proportion(0, n), all = stats_proportion(n, n);
		double power = pow(0.025, 1 / (double)n);

		close_to(none.share, 0);
		close_to(none.lo, 0);
		close_to(none.hi, 1 - power);
		close_to(all.share, 1);
		close_to(all.lo, power);
		close_to(all.hi, 1);
	}
}

static void proportion__one_of_n__lower_end_in_closed_form(void **state)
{
	(void)state;
	close_to(stats_proportion(1, 200).lo, 1 - pow(0.975, 1 / 200.0));
	close_to(stats_proportion(199, 200).hi, pow(0.975, 1 / 200.0));
}

static void proportion__five_of_ten__textbook(void **state)
{
	(void)state;
	struct stats_proportion half = stats_proportion(5, 10);

	assert_true(fabs(half.lo - 0.1871) < 5e-5);
	assert_true(fabs(half.hi - 0.8129) < 5e-5);
	assert_true(half.share == 0.5);
}

/* What the interval is made for: at its ends the count seen is a 2.5 % event. */
static void proportion__ends__are_where_the_count_gets_unlikely(void **state)
{
	(void)state;
	struct stats_proportion p = stats_proportion(3, 20);

	close_to(1 - stats_binomial_cdf(2, 20, p.lo), 0.025);
	close_to(stats_binomial_cdf(3, 20, p.hi), 0.025);
}

static void proportion__nothing__knows_nothing(void **state)
{
	(void)state;
	struct stats_proportion p = stats_proportion(0, 0), more = stats_proportion(7, 5);

	assert_true(p.share == 0 && p.lo == 0 && p.hi == 1 && p.n == 0);
	assert_int_equal(more.k, 5);
	assert_true(more.share == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proportion__none_and_all__closed_forms),
		cmocka_unit_test(proportion__one_of_n__lower_end_in_closed_form),
		cmocka_unit_test(proportion__five_of_ten__textbook),
		cmocka_unit_test(proportion__ends__are_where_the_count_gets_unlikely),
		cmocka_unit_test(proportion__nothing__knows_nothing),
	};

	return cmocka_run_group_tests_name("stats_proportion", tests, NULL, NULL);
}
