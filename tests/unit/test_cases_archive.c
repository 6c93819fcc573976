/*
 * Cases that broke other tools, each with its number: archive (81 to 94). Each has a test here; where more of it is
 * tested:
 *
 *	81 cut at every byte	test_base_gzip.c, test_archive_journal.c, test_record_read.c; pipeline/run_kill.sh (killed)
 *	82 interrupted		pipeline/run_kill.sh, run_basic.sh (signals, exit codes), run_resume.sh
 *	83 one second		test_archive_write.c
 *	85 malformed		test_archive_find.c, test_archive_verify.c, test_record_read.c
 *	86 no samples		test_record_json.c; pipeline/run_faults.sh
 *	87 older and newer	test_record_read.c, test_record_json.c, test_record_fact.c
 *	89 appended twice	test_base_gzip.c, test_record_read.c
 *	90 disk full		test_archive_write.c, test_archive_journal.c, test_base_file.c, test_record_json.c
 *	92 one name, two	test_spec_project.c
 *	93 new host name	test_host_name.c
 *	94 one label, two	test_compare_between.c
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../sysroot/tree.h"
#include "archive/archive.h"
#include "archive/journal.h"
#include "compare/between.h"
#include "host/host.h"
#include "record/host_name.h"
#include "record_doc.h"
#include "record_fixture.h"
#include "spec/spec.h"

static char top[] = "/tmp/test_cases_archive.XXXXXX";
static struct arena arena;
static struct archive archive;

/* Each test has an empty archive of its own. */
static int setup(void **state)
{
	static int number;

	(void)state;
	return archive_open(&archive, &arena, arena_printf(&arena, "%s/%d", top, number++), true, NULL);
}

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) != NULL ? 0 : -1;
}

static int remove_top(void **state)
{
	(void)state;
	arena_release(&arena);
	return file_remove_tree(top, NULL);
}

static const char *add(struct record *record)
{
	struct error e = {0};
	const char *path = NULL;

	if (archive_write(&archive, record, &path, &e) != 0)
		fail_msg("%s", e.text);
	return path;
}

static const char *add_at(const char *started)
{
	struct record *record = fixture_plain(&arena, 2);
	const char *path;

	record->started = started;
	fixture_samples(record, 12, started);
	for (size_t i = 0; i < 12; i++)
		record->samples.v[i].copy = 0;
	path = add(record);
	record_release(record);
	return path;
}

static struct archive_entries list(void)
{
	struct archive_entries entries = {0};
	struct error e = {0};

	if (archive_list(&archive, &entries, &e) != 0)
		fail_msg("%s", e.text);
	return entries;
}

static struct archive_verdict verdict_on(const char *path)
{
	return archive_verify_file(&archive, path);
}

/* bernstein#5919 and others: one record that was cut made the whole archive unreadable. */
static void case_81__record_cut_anywhere__others_are_read_and_the_damage_is_named(void **state)
{
	const char *before = add_at("2026-03-01T00:00:00Z"), *middle = add_at("2026-03-02T00:00:00Z"),
		   *behind = add_at("2026-03-03T00:00:00Z");
	struct buf file = {0};

	(void)state;
	assert_int_equal(file_read(middle, 1 << 20, &file, NULL), 0);
	for (size_t cut = 0; cut < file.n; cut += cut < 64 || cut + 64 > file.n ? 1 : 7) {
		struct archive_entries entries;
		FILE *out = fopen(middle, "wb");

		assert_non_null(out);
		assert_int_equal(fwrite(file.data, 1, cut, out), cut);
		assert_int_equal(fclose(out), 0);
		entries = list();
		/* the head alone may be whole: it is listed then, and only verify tells */
		assert_in_range(entries.n, 2, 3);
		assert_string_equal(entries.v[0].path, before);
		assert_string_equal(entries.v[entries.n - 1].path, behind);
		if (entries.n == 2) {
			assert_int_equal(entries.warnings.n, 1);
			assert_non_null(strstr(entries.warnings.v[0], middle));
		}
		assert_int_equal(verdict_on(middle).state, ARCHIVE_DAMAGED);
		assert_non_null(verdict_on(middle).reason);
	}
	assert_int_equal(verdict_on(before).state, ARCHIVE_INTACT);
	assert_int_equal(verdict_on(behind).state, ARCHIVE_INTACT);
	buf_release(&file);
}

static void add_round(struct record *record, uint32_t round)
{
	for (uint32_t i = 0; i < record->build_count; i++) {
		struct sample s;

		sample_init(&s);
		s.build = i;
		s.round = s.block = round;
		s.value = 100 + round;
		samples_add(&record->samples, &s);
	}
}

/* hyperfine#9: results written at the end only, so that an interrupt loses hours. */
static void case_82__run_that_was_cut_off__finished_rounds_become_an_incomplete_record(void **state)
{
	struct record *record = fixture_plain(&arena, 2), *back;
	struct journal *journal = journal_create(&archive, record, NULL);
	struct archive_entries entries;
	const char *path, *kept = NULL, *latest;

	(void)state;
	assert_non_null(journal);
	for (uint32_t round = 0; round < 5; round++) {
		add_round(record, round);
		assert_int_equal(journal_round(journal, record, NULL), 0);
	}
	add_round(record, 5); /* measured, not yet over */
	path = arena_strdup(&arena, journal_path(journal));
	journal_close(journal); /* as the kernel does when a program is killed */
	assert_int_equal(archive_finish_journal(&archive, path, &kept, NULL), 0);
	assert_int_equal(record_read_file(kept, NULL, &arena, &back, NULL), 0);
	assert_int_equal(back->samples.n, 10);
	assert_false(back->complete);
	assert_non_null(back->incomplete_reason);
	entries = list();
	assert_int_equal(entries.n, 1);
	assert_false(entries.v[0].complete);
	assert_int_equal(archive_find(&archive, "latest", &latest, NULL), 0);
	assert_string_equal(latest, kept);
	record_release(back);
	record_release(record);
}

/* free-threading-benchmarking#14: two jobs of one second had one file name. */
static void case_83__processes_at_once_in_one_second__each_keeps_its_record(void **state)
{
	enum { JOBS = 8 };
	pid_t children[JOBS];
	struct archive_entries entries;

	(void)state;
	for (size_t i = 0; i < JOBS; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0) {
			struct record *record = fixture_plain(&arena, 1);
			const char *path;

			_exit(archive_write(&archive, record, &path, NULL) == 0 ? 0 : 1);
		}
	}
	for (size_t i = 0; i < JOBS; i++) {
		int status = -1;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	entries = list();
	assert_int_equal(entries.n, JOBS);
	for (size_t i = 0; i < JOBS; i++) {
		assert_string_equal(entries.v[i].started, "2026-03-01T12:34:56Z");
		assert_int_equal(verdict_on(entries.v[i].path).state, ARCHIVE_INTACT);
	}
}

/* asv: malformed JSON, valid JSON that is no result, a machine that is not that of its folder. */
static void case_85__files_that_are_no_records__skipped_with_a_warning_each(void **state)
{
	static const char *const texts[] = {
		"", "{", "[1, 2, 3]", "null", "\"text\"", "{\"schema\":\"other\"}"};
	const char *good = add_at("2026-03-01T00:00:00Z");
	const char *folder = file_folder(&arena, good), *strange, *moved;
	struct archive_verdicts verdicts = {0};
	struct archive_entries entries;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf doc = {0};

		buf_adds(&doc, texts[i]);
		doc_save_as_is(
			&doc, arena_printf(&arena, "%s/20260301T00000%zuZ-aaaaaaaaaaaa.json.gz", folder, i));
		buf_release(&doc);
	}
	entries = list();
	assert_int_equal(entries.n, 1);
	assert_int_equal(entries.warnings.n, sizeof(texts) / sizeof(texts[0]));
	/* a record in another machine's folder is readable, and told apart */
	strange = arena_printf(&arena, "%s/x86_64-6-1-ffffffffffff/2026/03", archive.root);
	assert_int_equal(file_make_folders(strange, NULL), 0);
	moved = arena_printf(&arena, "%s/%s", strange, file_name(good));
	assert_int_equal(link(good, moved), 0);
	assert_int_equal(archive_verify(&archive, &verdicts, NULL), 0);
	for (size_t i = 0; i < verdicts.n; i++) {
		const struct archive_verdict *verdict = &verdicts.v[i];

		if (strcmp(verdict->path, good) == 0)
			assert_int_equal(verdict->state, ARCHIVE_INTACT);
		if (strcmp(verdict->path, moved) != 0)
			continue;
		assert_int_equal(verdict->state, ARCHIVE_MISPLACED);
		assert_non_null(strstr(verdict->reason, FIXTURE_HOST));
	}
	assert_int_equal(verdicts.intact, 1);
	assert_int_equal(verdicts.bad, 1 + sizeof(texts) / sizeof(texts[0]));
}

/* yabs#41: a failed test left {"key":]}. */
static void case_86__cells_that_failed__the_document_is_valid(void **state)
{
	struct record *record = fixture_plain(&arena, 4), *back;
	struct buf doc = {0};
	json_error_t where;
	json_t *document;
	const char *path;

	(void)state;
	record->builds[0].status = CELL_BUILD_FAILED;
	record->builds[0].reason = "exit code 1";
	record->builds[1].status = CELL_RUN_FAILED;
	record->builds[1].reason = FIXTURE_HOSTILE;
	record->builds[2].status = CELL_CHECK_FAILED;
	record->builds[3].status = CELL_IMPOSSIBLE;
	record_add_failure(record, -1, 1, "run", "%s", FIXTURE_HOSTILE);
	path = add(record);
	doc_load(&doc, path);
	document = json_loadb(doc.data, doc.n, JSON_REJECT_DUPLICATES, &where);
	if (document == NULL)
		fail_msg("%s at byte %d", where.text, where.position);
	assert_int_equal(json_array_size(json_object_get(document, "builds")), 4);
	assert_int_equal(json_array_size(json_object_get(json_object_get(document, "samples"), "value")), 0);
	json_decref(document);
	assert_int_equal(record_read_file(path, NULL, &arena, &back, NULL), 0);
	assert_int_equal(back->builds[1].status, CELL_RUN_FAILED);
	assert_int_equal(back->samples.n, 0);
	record_release(back);
	buf_release(&doc);
}

/* ReBench#294: a key that was only for diagnosis changed what a result was, and old files could not be read. */
static void case_87__unknown_members__kept_and_a_newer_major_refused(void **state)
{
	struct record *record = fixture_plain(&arena, 1), *back;
	const char *path = add(record), *newer = file_join(&arena, top, "newer.json.gz");
	struct buf doc = {0};
	struct error e = {0};
	char *text;

	(void)state;
	doc_load(&doc, path);
	doc_replace(&doc, "\"notes\":[]", "\"notes\":[],\"added_later\":{\"deep\":[1,2]}");
	doc_save(&doc, newer);
	assert_int_equal(record_read_file(newer, NULL, &arena, &back, &e), 0);
	assert_non_null(back->unknown);
	text = json_dumps(json_object_get(back->unknown, "added_later"), JSON_COMPACT);
	assert_string_equal(text, "{\"deep\":[1,2]}");
	free(text);
	record_release(back);
	doc_replace(&doc, "flagstone.record/1", "flagstone.record/2");
	doc_save_as_is(&doc, newer);
	assert_int_equal(record_read_file(newer, NULL, &arena, &back, &e), -1);
	assert_non_null(strstr(e.text, "written by a newer flagstone"));
	buf_release(&doc);
}

/* qlever#1155: what was appended made two documents, one behind the other. */
static void case_89__a_record_appended_to_another__refused(void **state)
{
	const char *path = add_at("2026-03-01T00:00:00Z"), *twice = file_join(&arena, top, "twice.json.gz");
	struct buf file = {0};
	struct record *back;
	struct error e = {0};
	FILE *out = fopen(twice, "wb");

	(void)state;
	assert_non_null(out);
	assert_int_equal(file_read(path, 1 << 20, &file, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fwrite(file.data, 1, file.n, out), file.n);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(record_read_file(twice, NULL, &arena, &back, &e), -1);
	assert_non_null(strstr(e.text, "twice.json.gz"));
	assert_int_equal(verdict_on(twice).state, ARCHIVE_DAMAGED);
	/* and a second write of the same record adds nothing */
	assert_int_equal(record_read_file(path, NULL, &arena, &back, NULL), 0);
	assert_int_equal(archive_write(&archive, back, &path, &e), -1);
	assert_int_equal(list().n, 1);
	record_release(back);
	buf_release(&file);
}

/* An analog of 81: write(2), close(2) or fsync(2) fail, and the end of the gzip file is lost. */
static void case_90__device_full__error_and_the_archive_as_before(void **state)
{
	const char *path = add_at("2026-03-01T00:00:00Z");
	struct record *record = fixture_plain(&arena, 1);
	struct error e = {0};
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(record_write(record, fileno(full), "/dev/full", &e), -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, "No space left on device"));
	fclose(full);
	assert_int_equal(verdict_on(path).state, ARCHIVE_INTACT);
	assert_int_equal(list().n, 1);
}

static void put(const char *folder, const char *name, const char *text)
{
	const char *path = arena_printf(&arena, "%s/%s/%s", top, folder, name);

	assert_int_equal(file_make_folders(file_folder(&arena, path), NULL), 0);
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

/* folo: the same benchmark name in two packages was one series. */
static void case_92__two_workloads_of_one_name__error_when_read(void **state)
{
	static const char yaml[] = "name: same\nsources: [a.c]\nmetric: {unit: lps, better: higher}\n";
	struct spec_errors errors = {.arena = &arena};
	struct spec_project project;
	const char *text;

	(void)state;
	put("p/workloads/same", "workload.yaml", yaml);
	put("p/workloads/same", "a.c", "");
	put("p/workloads/other", "workload.yaml", yaml);
	put("p/workloads/other", "a.c", "");
	put("p/matrices", "quick.yaml", "");
	assert_int_equal(
		spec_read_project(arena_printf(&arena, "%s/p", top), NULL, &arena, &project, &errors), -1);
	text = spec_errors_text(&errors);
	assert_non_null(strstr(text, "workloads/other/workload.yaml:1:1"));
	assert_non_null(strstr(text, "`same`"));
}

/* Facts of a recorded machine with one file changed. */
static void facts_of_tree(struct facts *facts, const char *tree, const char *path, const char *text)
{
	char *root = tree_scratch();

	facts->arena = &arena;
	tree_unpack(tree, root);
	if (path != NULL)
		tree_write_text(root, path, text);
	assert_int_equal(host_read(root, facts, NULL), 0);
	tree_remove(root);
}

/* asv#148: the host name changes with the VPN. */
static void case_93__new_host_name__the_history_goes_on_in_one_folder(void **state)
{
	struct facts before = {0}, after = {0};
	struct record *a = fixture_plain(&arena, 1), *b = fixture_plain(&arena, 1);
	struct archive_entries entries;

	(void)state;
	facts_of_tree(&before, "laptop-intel-pstate", NULL, NULL);
	facts_of_tree(&after, "laptop-intel-pstate", "proc/sys/kernel/hostname", "vpn-17.example.net\n");
	a->host_name = host_name(&before, NULL, &arena, NULL);
	b->host_name = host_name(&after, NULL, &arena, NULL);
	facts_copy(&a->host, &before);
	facts_copy(&b->host, &after);
	assert_string_equal(a->host_name, b->host_name);
	assert_string_equal(file_folder(&arena, add(a)), file_folder(&arena, add(b)));
	entries = list();
	assert_int_equal(entries.n, 2);
	assert_string_equal(entries.v[0].host, entries.v[1].host);
	assert_true(host_volatile("host.hostname")); /* shown, and no difference */
}

/* folo#379, difido-reports#40: one label over machines that are not the same. */
static void case_94__one_label_two_machines__not_pooled_and_the_cpu_is_named(void **state)
{
	struct record *records[2];
	struct comparable_view *views[2];
	struct comparable records_verdict;
	const char *label = host_name_of(&arena, "ci-runner");
	bool named = false;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		records[i] = fixture_plain(&arena, 1);
		records[i]->host_name = label;
		facts_of_tree(
			&records[i]->host, i == 0 ? "laptop-intel-pstate" : "amd-pstate-epp", NULL, NULL);
		views[i] = comparable_view_of(records[i], &arena);
	}
	/* what is guessed is that the machine is what differs, not the time */
	comparable_records(views[0], views[1], AXIS_NONE, &arena, &records_verdict);
	assert_int_equal(records_verdict.axis, AXIS_MACHINE);
	/* and where it was not meant to differ, it spoils the comparison by its name */
	comparable_records(views[0], views[1], AXIS_TIME, &arena, &records_verdict);
	assert_int_not_equal(records_verdict.verdict, COMPARABLE);
	for (size_t i = 0; i < records_verdict.facts.n; i++)
		named = named || strcmp(records_verdict.facts.v[i].key, "cpu.model_name") == 0;
	assert_true(named);
}

#define CASE(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(case_81__record_cut_anywhere__others_are_read_and_the_damage_is_named),
		CASE(case_82__run_that_was_cut_off__finished_rounds_become_an_incomplete_record),
		CASE(case_83__processes_at_once_in_one_second__each_keeps_its_record),
		CASE(case_85__files_that_are_no_records__skipped_with_a_warning_each),
		CASE(case_86__cells_that_failed__the_document_is_valid),
		CASE(case_87__unknown_members__kept_and_a_newer_major_refused),
		CASE(case_89__a_record_appended_to_another__refused),
		CASE(case_90__device_full__error_and_the_archive_as_before),
		CASE(case_92__two_workloads_of_one_name__error_when_read),
		CASE(case_93__new_host_name__the_history_goes_on_in_one_folder),
		CASE(case_94__one_label_two_machines__not_pooled_and_the_cpu_is_named),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
