/* isa_check: what CPUs lack is refused in words, what is uncertain is not; on made-up hosts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/isa_check.h"

struct world {
	struct arena arena;
	struct facts build, host;
	int cpus[4];
	struct cpu_list list;
};

static int setup(void **state)
{
	static struct world world;

	world = (struct world){.cpus = {0, 1, 2, 3}};
	world.build.arena = world.host.arena = &world.arena;
	world.list = (struct cpu_list){world.cpus, 4};
	facts_set(&world.build, "code.machine", "x86_64", "test");
	facts_set(&world.build, "isa.used", "avx avx512f popcnt", "test");
	facts_set(&world.build, "isa.dispatch", "no", "test");
	facts_set(&world.build, "isa.example.avx512f", "vaddps zmm0, zmm0, zmm1 in multiply+0x40", "test");
	facts_set(&world.host, "host.arch", "x86_64", "test");
	facts_set(&world.host, "kernel.release", "6.1.0-18-amd64", "test");
	facts_set(&world.host, "cpu.flags", "avx avx512f fpu popcnt", "test");
	*state = &world;
	return 0;
}

static int teardown(void **state)
{
	arena_release(&((struct world *)*state)->arena);
	return 0;
}

static struct isa_answer ask(struct world *w)
{
	return isa_check(&w->build, &w->host, &w->list, &w->arena);
}

static void assert_says(const struct isa_answer *answer, const char *text)
{
	assert_non_null(answer->reason);
	if (strstr(answer->reason, text) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", answer->reason, text);
}

static void isa_check__all_there__fits(void **state)
{
	struct isa_answer answer = ask(*state);

	assert_int_equal(answer.verdict, ISA_FITS);
	assert_null(answer.reason);
}

static void isa_check__baseline_alone__fits_wherever(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_set(&w->build, "isa.used", "none", "test");
	facts_unknown(&w->host, "cpu.flags", "test", "No such file or directory");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_FITS);
}

static void isa_check__set_missing__is_refused_with_function_and_instruction(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_set(&w->host, "cpu.flags", "avx fpu popcnt", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_REFUSED);
	assert_says(&answer, "avx512f");
	assert_says(&answer, "vaddps zmm0, zmm0, zmm1 in multiply");
	assert_says(&answer, "this machine's CPUs");
	assert_says(&answer, "SIGILL");
	assert_null(strstr(answer.reason, "popcnt"));
}

static void isa_check__kernels_spelling__is_understood(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_set(&w->build, "isa.used", "sse3 sse4.1 sse4.2 lzcnt bmi pclmul sha rdrnd", "test");
	facts_set(&w->host, "cpu.flags", "abm bmi1 pclmulqdq pni rdrand sha_ni sse4_1 sse4_2", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_FITS);
}

static void isa_check__some_cpus_lack_it__counts_where_they_are_allowed(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_set(&w->host, "cpu.flags", "avx avx512f popcnt (cpus 0-1), avx popcnt (cpus 2-7)", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_REFUSED);
	assert_says(&answer, "CPUs 2-3 do not have");
	w->list.n = 2;
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_FITS);
}

static void isa_check__program_that_looks_itself__is_never_refused(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_set(&w->host, "cpu.flags", "fpu", "test");
	facts_set(&w->build, "isa.dispatch", "clone multiply.avx512f", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_UNCLEAR);
	assert_says(&answer, "clone multiply.avx512f");
}

static void isa_check__kernel_older_than_the_name__is_never_refused(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_set(&w->build, "isa.used", "avx avxvnni", "test");
	facts_set(&w->host, "kernel.release", "5.4.0-26-generic", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_UNCLEAR);
	assert_says(&answer, "avxvnni");
	facts_set(&w->host, "kernel.release", "6.8.0", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_REFUSED);
}

static void isa_check__unknown_on_one_side__is_unclear_with_the_reason(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_unknown(&w->host, "cpu.flags", "/proc/cpuinfo", "Permission denied");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_UNCLEAR);
	assert_says(&answer, "Permission denied");
	facts_unknown(&w->build, "isa.used", "machine code", "built without Zydis");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_UNCLEAR);
	assert_says(&answer, "built without Zydis");
}

static void isa_check__aarch64__reads_its_features(void **state)
{
	struct world *w = *state;
	struct isa_answer answer;

	facts_set(&w->build, "code.machine", "aarch64", "test");
	facts_set(&w->build, "isa.used", "lse fp16", "test");
	facts_set(&w->build, "isa.example.lse", "casal 0x88e0fc41 in swap+0x8", "test");
	facts_set(&w->host, "host.arch", "aarch64", "test");
	facts_set(&w->host, "cpu.flags", "asimd asimdhp atomics crc32 fp fphp", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_FITS);
	facts_set(&w->host, "cpu.flags", "asimd asimdhp crc32 fp fphp", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_REFUSED);
	assert_says(&answer, "casal 0x88e0fc41 in swap");
	/* another machine's code, which something runs that is not known here */
	facts_set(&w->host, "host.arch", "x86_64", "test");
	answer = ask(w);
	assert_int_equal(answer.verdict, ISA_UNCLEAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(isa_check__all_there__fits, setup, teardown),
		cmocka_unit_test_setup_teardown(isa_check__baseline_alone__fits_wherever, setup, teardown),
		cmocka_unit_test_setup_teardown(
			isa_check__set_missing__is_refused_with_function_and_instruction, setup, teardown),
		cmocka_unit_test_setup_teardown(isa_check__kernels_spelling__is_understood, setup, teardown),
		cmocka_unit_test_setup_teardown(
			isa_check__some_cpus_lack_it__counts_where_they_are_allowed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			isa_check__program_that_looks_itself__is_never_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			isa_check__kernel_older_than_the_name__is_never_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			isa_check__unknown_on_one_side__is_unclear_with_the_reason, setup, teardown),
		cmocka_unit_test_setup_teardown(isa_check__aarch64__reads_its_features, setup, teardown),
	};

	return cmocka_run_group_tests_name("session_isa_check", tests, NULL, NULL);
}
