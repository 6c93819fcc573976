/*
 * The file that holds what was before, also damaged, and the facts that a record gets from it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/host.h"
#include "tune_fixture.h"

static void applied(struct kernel *k, enum tune_profile profile, struct tune *tune)
{
	struct tune_options options = kernel_options(k, profile, NULL);
	struct error e = {0};

	assert_int_equal(tune_plan(tune, &options, &k->arena, &e), 0);
	assert_int_equal(tune_apply(tune, &e), 0);
}

static int load(struct kernel *k, struct tune *tune, struct error *e)
{
	struct tune_options options = kernel_options(k, TUNE_AS_USED, NULL);

	return tune_load(tune, &options, &k->arena, e);
}

static void tune_load__no_state__nothing_was_found(void **state)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-amd");
	assert_int_equal(load(&k, &tune, &e), 0);
	assert_false(tune.found);
	assert_int_equal(e.code, EXIT_YES);
	kernel_close(&k);
}

static void tune_load__what_apply_wrote__comes_back(void **state)
{
	struct kernel k;
	struct tune tune, again;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-amd");
	applied(&k, TUNE_STEADY, &tune);
	assert_int_equal(load(&k, &again, &e), 0);
	assert_true(again.found && again.complete && !again.rebooted);
	assert_int_equal(again.phase, TUNE_IN_FORCE);
	assert_int_equal(again.profile, TUNE_STEADY);
	assert_int_equal(again.pid, getpid());
	assert_string_equal(again.boot_id, "11111111-2222-3333-4444-555555555555");
	assert_int_equal(again.n, tune.n);
	for (size_t i = 0; i < tune.n; i++) {
		assert_string_equal(again.v[i].path, tune.v[i].path);
		assert_string_equal(again.v[i].old, tune.v[i].old);
		assert_int_equal(again.v[i].kind, tune.v[i].kind);
		assert_int_equal(again.v[i].match, tune.v[i].match);
		assert_true(text_same(again.v[i].after, tune.v[i].after));
	}
	kernel_close(&k);
}

/* It is written as a whole, so that no half of it is ever taken for one; and nothing else is written either. */
static void tune_load__cut_at_each_byte__an_error_and_never_a_part(void **state)
{
	struct kernel k;
	struct tune tune;
	struct buf whole = {0};

	(void)state;
	kernel_open(&k, "tune-amd");
	applied(&k, TUNE_AS_USED, &tune);
	assert_int_equal(
		file_read(arena_printf(&k.arena, "%s%s", k.root, TUNE_STATE), 1 << 20, &whole, NULL), 0);
	/* the last byte is the line's end */
	for (size_t n = 0; n + 1 < whole.n; n++) {
		struct error e = {0};

		tree_write(k.root, TUNE_STATE + 1, whole.data, n);
		assert_int_equal(load(&k, &tune, &e), -1);
		assert_int_equal(e.code != EXIT_YES, true);
		assert_non_null(strstr(e.text, "a reboot brings the kernel's own values back"));
	}
	buf_release(&whole);
	kernel_close(&k);
}

static void refuses(struct kernel *k, const char *change, const char *text)
{
	struct tune tune;
	struct error e = {0};

	tree_write_text(k->root, TUNE_STATE + 1,
		arena_printf(&k->arena,
			"{\"schema\": \"flagstone.tune-state/1\", \"phase\": \"in force\", \"profile\": "
			"\"steady\", "
			"\"changes\": [{\"kind\": \"write\", \"match\": \"exact\", \"setting\": \"x\", %s}]}",
			change));
	assert_int_equal(load(k, &tune, &e), -1);
	if (strstr(e.text, text) == NULL)
		fail_msg("expected \"%s\" in: %s", text, e.text);
}

/* restore writes as root what it says there. */
static void tune_load__paths_that_are_not_the_kernels__are_refused(void **state)
{
	struct kernel k;
	struct tune tune;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-amd");
	refuses(&k, "\"path\": \"/etc/passwd\", \"old\": \"a\", \"want\": \"b\"", "change 1 is malformed");
	refuses(&k, "\"path\": \"/sys/../etc/passwd\", \"old\": \"a\", \"want\": \"b\"",
		"change 1 is malformed");
	refuses(&k, "\"path\": \"/sys/x/..\", \"old\": \"a\", \"want\": \"b\"", "change 1 is malformed");
	refuses(&k, "\"path\": \"sys/x\", \"old\": \"a\", \"want\": \"b\"", "change 1 is malformed");
	refuses(&k, "\"path\": \"/proc/1/mem\", \"old\": \"a\", \"want\": \"b\"", "change 1 is malformed");
	refuses(&k, "\"path\": \"/sys/x\", \"want\": \"b\"", "change 1 lacks a value");
	refuses(&k, "\"path\": \"/sys/x\", \"old\": \"a\"", "change 1 lacks a value");
	tree_write_text(k.root, TUNE_STATE + 1, "{\"schema\": \"flagstone.tune-state/2\"}\n");
	assert_int_equal(load(&k, &tune, &e), -1);
	assert_non_null(strstr(e.text, "its schema is flagstone.tune-state/2"));
	kernel_close(&k);
}

/* What host_read() says of it. */
static const struct fact *fact_of(struct kernel *k, const char *key)
{
	struct facts facts = {.arena = &k->arena};

	assert_int_equal(host_read(k->root, &facts, NULL), 0);
	return facts_find(&facts, key);
}

static void is_fact(struct kernel *k, const char *key, const char *value)
{
	const struct fact *fact = fact_of(k, key);

	if (fact == NULL || !text_same(fact->value, value))
		fail_msg("%s is %s (%s), expected %s", key,
			fact != NULL && fact->value != NULL ? fact->value : "unknown",
			fact != NULL && fact->reason != NULL ? fact->reason : "", value);
}

static void is_unknown(struct kernel *k, const char *key, const char *reason)
{
	const struct fact *fact = fact_of(k, key);

	if (fact == NULL || fact->value != NULL || strstr(fact->reason, reason) == NULL)
		fail_msg("%s is %s (%s), expected it to be unknown for: %s", key,
			fact != NULL && fact->value != NULL ? fact->value : "unknown",
			fact != NULL && fact->reason != NULL ? fact->reason : "", reason);
}

static void host_read__tuned__profile_and_what_holds_are_facts(void **state)
{
	struct kernel k;
	struct tune tune;
	struct tune_counts counts;
	struct error e = {0};

	(void)state;
	kernel_open(&k, "tune-intel");
	is_fact(&k, "tune.profile", "none");
	is_fact(&k, "tune.changes", "none");
	is_fact(&k, "tune.cpus", "none");
	applied(&k, TUNE_STEADY, &tune);
	is_fact(&k, "tune.profile", "steady");
	is_fact(&k, "tune.changes",
		"epp=performance governor=performance turbo=off limit=2100000 deep_idle=off "
		"numa_balancing=off "
		"nmi_watchdog=off");
	/* a daemon has its own mind: it is not steady any more, and nobody shall think so */
	kernel_put(&k, POLICY "3/scaling_governor", "powersave");
	is_unknown(&k, "tune.profile",
		POLICY "3/scaling_governor was set to performance and reads powersave now");
	kernel_put(&k, POLICY "3/scaling_governor", "performance");
	is_fact(&k, "tune.profile", "steady");
	kernel_put(&k, "/proc/sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555");
	is_fact(&k, "tune.profile", "none");
	kernel_put(&k, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555");
	assert_int_equal(load(&k, &tune, &e), 0);
	assert_int_equal(tune_restore(&tune, false, &counts, &e), 0);
	is_fact(&k, "tune.profile", "none");
	kernel_close(&k);
}

static void host_read__cut_off_damaged_or_in_a_container__profile_is_unknown(void **state)
{
	struct kernel k;
	struct tune tune;
	int status;
	pid_t pid;

	(void)state;
	kernel_open(&k, "tune-intel");
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		k.kill_at = 5;
		applied(&k, TUNE_STEADY, &tune);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	is_unknown(&k, "tune.profile", "tune was cut off half way; `flagstone restore`");
	tree_write_text(k.root, TUNE_STATE + 1, "{}");
	is_unknown(&k, "tune.profile", "its schema is not named");
	assert_int_equal(unlink(arena_printf(&k.arena, "%s%s", k.root, TUNE_STATE)), 0);
	tree_write_text(k.root, ".dockerenv", "");
	is_unknown(&k, "tune.profile", "in a container it is not seen");
	kernel_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tune_load__no_state__nothing_was_found),
		cmocka_unit_test(tune_load__what_apply_wrote__comes_back),
		cmocka_unit_test(tune_load__cut_at_each_byte__an_error_and_never_a_part),
		cmocka_unit_test(tune_load__paths_that_are_not_the_kernels__are_refused),
		cmocka_unit_test(host_read__tuned__profile_and_what_holds_are_facts),
		cmocka_unit_test(host_read__cut_off_damaged_or_in_a_container__profile_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
