#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/journal.h"
#include "archive/journal_entry.h"
#include "record_doc.h"
#include "record_fixture.h"

enum { ROUNDS = 4, ROWS = 3 };

static char top[] = "/tmp/test_archive_journal.XXXXXX";
static struct arena arena;
static struct archive archive;

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

static void add_round(struct record *record, uint32_t round)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		struct sample s;

		sample_init(&s);
		s.build = i;
		s.round = s.block = round;
		s.value = 100.5 + round * ROWS + i;
		samples_add(&record->samples, &s);
	}
}

/* A run of four rounds that dies: a failure in round 1, a look after round 2, a note at the end. */
static const char *run_and_die(size_t sizes[ROUNDS + 1])
{
	struct record *record = fixture_plain(&arena, 3);
	struct journal *journal;
	struct error e = {0};
	const char *path;
	struct stat st;

	record->complete = false;
	journal = journal_create(&archive, record, &e);
	if (journal == NULL)
		fail_msg("%s", e.text);
	path = arena_strdup(&arena, journal_path(journal));
	stat(path, &st);
	sizes[0] = (size_t)st.st_size;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		add_round(record, round);
		if (round == 1) {
			record->samples.v[4].value = NAN;
			record->samples.v[4].marks = MARK_SIGNAL;
			record->builds[1].status = CELL_RUN_FAILED;
			record->builds[1].reason = "killed by signal 11 (SIGSEGV)";
			record_add_failure(record, 4, 1, "run", "killed by signal 11 (SIGSEGV)");
		}
		if (round == 2)
			record->plan.last_look = 3;
		assert_int_equal(journal_round(journal, record, &e), 0);
		stat(path, &st);
		sizes[round + 1] = (size_t)st.st_size;
	}
	record_note(record, "a note at the end");
	assert_int_equal(journal_event(journal, record, &e), 0);
	journal_close(journal);
	record_release(record);
	return path;
}

static void journal_read__dead_run__all_that_it_wrote(void **state)
{
	size_t sizes[ROUNDS + 1];
	const char *path = run_and_die(sizes);
	struct journal_state js = {0};
	struct record *record;
	struct error e = {0};

	(void)state;
	if (journal_read(path, &arena, &record, &js, &e) != 0)
		fail_msg("%s", e.text);
	assert_false(js.alive);
	assert_null(js.damage);
	assert_int_equal(js.rounds, ROUNDS);
	assert_false(record->complete);
	assert_non_null(record->incomplete_reason);
	assert_null(record->finished);
	assert_int_equal(record->samples.n, ROUNDS * ROWS);
	assert_true(record->samples.v[11].value == 100.5 + 11);
	assert_true(isnan(record->samples.v[4].value));
	assert_int_equal(record->builds[1].status, CELL_RUN_FAILED);
	assert_string_equal(record->builds[1].reason, "killed by signal 11 (SIGSEGV)");
	assert_int_equal(record->builds[0].status, CELL_MEASURED);
	assert_int_equal(record->plan.last_look, 3);
	assert_int_equal(record->failure_count, 1);
	assert_string_equal(record->notes.v[0], "a note at the end");
	record_release(record);
}

/*
 * Bytes at a place of the file, which is not emptied first: some file systems write to the disk when such a file is
 * closed (ext4's auto_da_alloc), which takes longer than all else of thousands of files.
 */
static void write_at(const char *path, size_t at, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, (off_t)at), n);
	assert_int_equal(close(fd), 0);
}

/* Whole rounds in the first n bytes. */
static size_t rounds_within(const size_t sizes[ROUNDS + 1], size_t n)
{
	size_t rounds = 0;

	while (rounds < ROUNDS && sizes[rounds + 1] <= n)
		rounds++;
	return rounds;
}

static void journal_read__cut_at_every_byte__whole_rounds_stay(void **state)
{
	size_t sizes[ROUNDS + 1];
	const char *path = run_and_die(sizes), *cut = arena_printf(&arena, "%s/cut", top);
	struct buf file = {0};

	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &file, NULL), 0);
	for (size_t n = 0; n <= file.n; n++) {
		struct arena scratch = {0};
		struct journal_state js = {0};
		struct record *record = NULL;
		struct error e = {0};
		int result;

		/* the file grows by a byte from cut to cut */
		write_at(cut, n > 0 ? n - 1 : 0, file.data + (n > 0 ? n - 1 : 0), n > 0);
		result = journal_read(cut, &scratch, &record, &js, &e);
		assert_int_equal(result, n < sizes[0] ? -1 : 0);
		if (result == 0) {
			if (js.rounds != rounds_within(sizes, n) || record->samples.n != js.rounds * ROWS)
				fail_msg("%u rounds, %zu samples of %zu bytes", js.rounds, record->samples.n,
					n);
			assert_true(js.damage != NULL || file.data[n - 1] == '\n');
			record_release(record);
		} else {
			assert_non_null(strstr(e.text, "holds nothing usable"));
		}
		arena_release(&scratch);
	}
	buf_release(&file);
}

static void journal_read__a_flipped_bit__named_with_what_is_ignored(void **state)
{
	size_t sizes[ROUNDS + 1];
	const char *path = run_and_die(sizes), *bad = arena_printf(&arena, "%s/bad", top);
	struct buf file = {0};

	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &file, NULL), 0);
	write_at(bad, 0, file.data, file.n);
	for (size_t i = sizes[0]; i < file.n; i++) {
		struct arena scratch = {0};
		struct journal_state js = {0};
		struct record *record = NULL;
		const char flipped = (char)(file.data[i] ^ 1 << i % 7);

		write_at(bad, i, &flipped, 1);
		assert_int_equal(journal_read(bad, &scratch, &record, &js, NULL), 0);
		assert_non_null(js.damage);
		assert_non_null(strstr(js.damage, "are ignored"));
		assert_int_equal(js.rounds, rounds_within(sizes, i));
		write_at(bad, i, &file.data[i], 1);
		record_release(record);
		arena_release(&scratch);
	}
	buf_release(&file);
}

/* The format's specification: a line checked by hand with other tools. printf '0 head 2 {}' | sha256sum */
static void journal_add_entry__known_line__as_specified(void **state)
{
	struct buf out = {0}, json = {0};

	(void)state;
	buf_adds(&json, "{}");
	journal_add_entry(&out, 0, "head", &json);
	assert_string_equal(out.data, "0 head 2 d213efed565e70ee {}\n");
	buf_release(&out);
	buf_release(&json);
}

static void journal_event__nothing_changed__nothing_written(void **state)
{
	struct record *record = fixture_full(&arena);
	struct journal *journal = journal_create(&archive, record, NULL);
	struct stat before, after;

	(void)state;
	assert_non_null(journal);
	assert_int_equal(stat(journal_path(journal), &before), 0);
	assert_int_equal(journal_event(journal, record, NULL), 0);
	assert_int_equal(journal_round(journal, record, NULL), 0);
	assert_int_equal(stat(journal_path(journal), &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	journal_close(journal);
	record_release(record);
}

static void journal_create__with_samples_of_a_resumed_run__they_are_in_it(void **state)
{
	struct record *record = fixture_full(&arena), *back;
	struct journal *journal = journal_create(&archive, record, NULL);
	struct journal_state js = {0};

	(void)state;
	assert_non_null(journal);
	assert_int_equal(journal_read(journal_path(journal), &arena, &back, &js, NULL), 0);
	assert_true(js.alive);
	assert_int_equal(back->samples.n, 40);
	assert_string_equal(back->continues, record->continues);
	assert_non_null(json_object_get(back->unknown, "of_the_future"));
	record_release(back);
	assert_int_equal(journal_close_remove(journal, NULL), 0);
	record_release(record);
}

static void journal_list__live_and_dead__told_apart(void **state)
{
	struct record *live = fixture_plain(&arena, 1), *dead = fixture_plain(&arena, 1);
	struct journal *journal, *other;
	struct journal_entries entries = {0};
	const char *path;
	size_t alive;

	(void)state;
	journal = journal_create(&archive, live, NULL);
	other = journal_create(&archive, dead, NULL);
	assert_non_null(journal);
	assert_non_null(other);
	path = arena_strdup(&arena, journal_path(other));
	journal_close(other);
	assert_int_equal(journal_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 2);
	assert_string_equal(entries.v[0].host, FIXTURE_HOST);
	alive = strcmp(entries.v[0].path, path) == 0 ? 1 : 0;
	assert_true(entries.v[alive].alive);
	assert_false(entries.v[1 - alive].alive);
	assert_int_equal(journal_close_remove(journal, NULL), 0);
	assert_int_equal(journal_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 1);
}

/* A process that is killed leaves no lock behind. */
static void journal_is_alive__process_killed__dead(void **state)
{
	struct record *record = fixture_plain(&arena, 1);
	struct journal_entries entries = {0};
	int ready[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct journal *journal = journal_create(&archive, record, NULL);

		if (journal == NULL || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(journal_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 1);
	assert_true(entries.v[0].alive);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(journal_is_alive(entries.v[0].path));
	close(ready[0]);
	close(ready[1]);
}

static void archive_finish_journal__dead__incomplete_record_and_journal_gone(void **state)
{
	size_t sizes[ROUNDS + 1];
	const char *path = run_and_die(sizes), *kept = NULL;
	struct record *record;
	struct error e = {0};

	(void)state;
	assert_int_equal(truncate(path, (off_t)sizes[3] - 1), 0);
	if (archive_finish_journal(&archive, path, &kept, &e) != 0)
		fail_msg("%s", e.text);
	assert_false(file_exists(path));
	assert_int_equal(record_read_file(kept, NULL, &arena, &record, NULL), 0);
	assert_false(record->complete);
	assert_non_null(record->finished);
	assert_int_equal(record->samples.n, 2 * ROWS);
	assert_non_null(strstr(record->notes.v[0], "was damaged: entry "));
	assert_int_equal(archive_verify_file(&archive, kept).state, ARCHIVE_INTACT);
	record_release(record);
}

static void archive_finish_journal__alive__refused(void **state)
{
	struct record *record = fixture_plain(&arena, 1);
	struct journal *journal = journal_create(&archive, record, NULL);
	const char *kept = NULL;
	struct error e = {0};

	(void)state;
	assert_non_null(journal);
	assert_int_equal(archive_finish_journal(&archive, journal_path(journal), &kept, &e), -1);
	assert_non_null(strstr(e.text, "belongs to a run that goes on now"));
	assert_true(file_exists(journal_path(journal)));
	journal_close(journal);
}

/* The program died between archiving the record and deleting the journal: no second record. */
static void archive_finish_journal__record_is_there__only_deleted(void **state)
{
	struct record *record = fixture_plain(&arena, 3);
	struct journal *journal = journal_create(&archive, record, NULL);
	struct archive_entries entries = {0};
	const char *path, *archived, *kept = NULL;

	(void)state;
	assert_non_null(journal);
	add_round(record, 0);
	assert_int_equal(journal_round(journal, record, NULL), 0);
	path = arena_strdup(&arena, journal_path(journal));
	assert_int_equal(archive_write(&archive, record, &archived, NULL), 0);
	journal_close(journal);
	assert_int_equal(archive_finish_journal(&archive, path, &kept, NULL), 0);
	assert_string_equal(kept, archived);
	assert_false(file_exists(path));
	assert_int_equal(archive_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 1);
	record_release(record);
}

static void archive_finish_journal__damaged_head__error_and_kept(void **state)
{
	size_t sizes[ROUNDS + 1];
	const char *path = run_and_die(sizes), *kept = NULL;
	struct error e = {0};

	(void)state;
	assert_int_equal(truncate(path, (off_t)sizes[0] / 2), 0);
	assert_int_equal(archive_finish_journal(&archive, path, &kept, &e), -1);
	assert_non_null(strstr(e.text, "holds nothing usable"));
	assert_true(file_exists(path));
}

/* As on a full disk: the round fails, what was there stays readable, and the next round holds both. */
static void journal_round__disk_full__cut_back_and_said_again(void **state)
{
	struct record *record = fixture_plain(&arena, 3), *back;
	struct journal *journal = journal_create(&archive, record, NULL);
	struct journal_state js = {0};
	struct rlimit was, limit;
	struct stat before, after;
	struct error e = {0};

	(void)state;
	assert_non_null(journal);
	add_round(record, 0);
	assert_int_equal(journal_round(journal, record, NULL), 0);
	assert_int_equal(stat(journal_path(journal), &before), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	limit = was;
	limit.rlim_cur = (rlim_t)before.st_size + 100;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	add_round(record, 1);
	record_note(record, "said in the failing round");
	assert_int_equal(journal_round(journal, record, &e), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_non_null(strstr(e.text, "writing the run's journal"));
	assert_int_equal(stat(journal_path(journal), &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	add_round(record, 2);
	assert_int_equal(journal_round(journal, record, NULL), 0);
	assert_int_equal(journal_read(journal_path(journal), &arena, &back, &js, NULL), 0);
	assert_null(js.damage);
	assert_int_equal(js.rounds, 3);
	assert_int_equal(back->samples.n, 3 * ROWS);
	assert_string_equal(back->notes.v[0], "said in the failing round");
	record_release(back);
	journal_close(journal);
	record_release(record);
}

/* Those of the one month that the fixtures begin in, hidden ones with them. */
static size_t files_in_month(void)
{
	struct record *record = fixture_plain(&arena, 1);
	const char *folder = arena_printf(&arena, "%s/%s/%.4s/%.2s", archive.root, record->host_name,
		record->started, record->started + 5);
	DIR *dir = opendir(folder);
	size_t n = 0;

	assert_non_null(dir);
	for (struct dirent *file = readdir(dir); file != NULL; file = readdir(dir))
		n += strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0;
	closedir(dir);
	record_release(record);
	return n;
}

/* Whenever the program dies, no reader finds a journal without a head: CASES 81. */
static void journal_create__killed_while_the_head_is_written__no_journal(void **state)
{
	struct record *record = fixture_plain(&arena, 1);
	struct rlimit none = {0, 0}, before;
	struct journal_entries entries = {0};
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none.rlim_max = before.rlim_max;
	pid = fork();
	if (pid == 0) {
		signal(SIGXFSZ, SIG_DFL); /* kills at the first byte */
		setrlimit(RLIMIT_FSIZE, &none);
		journal_create(&archive, record, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(files_in_month(), 1);
	assert_int_equal(journal_list(&archive, &entries, NULL), 0);
	assert_int_equal(entries.n, 0);
	record_release(record);
}

static void journal_create__twice_or_without_run__refused(void **state)
{
	struct record *record = fixture_plain(&arena, 1);
	struct journal *journal = journal_create(&archive, record, NULL);
	struct error e = {0};

	(void)state;
	assert_non_null(journal);
	assert_null(journal_create(&archive, record, &e));
	assert_non_null(strstr(e.text, "exists already"));
	assert_int_equal(files_in_month(), 1); /* the second left nothing behind */
	assert_true(journal_is_alive(journal_path(journal)));
	record->run = "../../x";
	assert_null(journal_create(&archive, record, &e));
	assert_non_null(strstr(e.text, "no id"));
	journal_close(journal);
}

/* A length that promises more than the file has asks for no memory. */
static void journal_read__hostile_lengths__refused(void **state)
{
	static const char *const lines[] = {"0 head 18446744073709551615 0000000000000000 {}\n",
		"0 head 99999999999 0000000000000000 {}\n", "0 head -1 0000000000000000 {}\n", "0 head\n", "",
		"\n\n\n\n", "1 head 2 0000000000000000 {}\n", "0 aVeryLongKindOfEntryIndeed 2 0 {}\n"};
	const char *path = arena_printf(&arena, "%s/hostile", top);
	struct journal_state js;
	struct record *record;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct error e = {0};

		assert_int_equal(file_write_atomic(path, lines[i], strlen(lines[i]), NULL), 0);
		assert_int_equal(journal_read(path, &arena, &record, &js, &e), -1);
		assert_non_null(strstr(e.text, "holds nothing usable"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(journal_read__dead_run__all_that_it_wrote, setup),
		cmocka_unit_test_setup(journal_read__cut_at_every_byte__whole_rounds_stay, setup),
		cmocka_unit_test_setup(journal_read__a_flipped_bit__named_with_what_is_ignored, setup),
		cmocka_unit_test_setup(journal_add_entry__known_line__as_specified, setup),
		cmocka_unit_test_setup(journal_event__nothing_changed__nothing_written, setup),
		cmocka_unit_test_setup(journal_create__with_samples_of_a_resumed_run__they_are_in_it, setup),
		cmocka_unit_test_setup(journal_list__live_and_dead__told_apart, setup),
		cmocka_unit_test_setup(journal_is_alive__process_killed__dead, setup),
		cmocka_unit_test_setup(
			archive_finish_journal__dead__incomplete_record_and_journal_gone, setup),
		cmocka_unit_test_setup(archive_finish_journal__alive__refused, setup),
		cmocka_unit_test_setup(archive_finish_journal__record_is_there__only_deleted, setup),
		cmocka_unit_test_setup(archive_finish_journal__damaged_head__error_and_kept, setup),
		cmocka_unit_test_setup(journal_round__disk_full__cut_back_and_said_again, setup),
		cmocka_unit_test_setup(journal_create__killed_while_the_head_is_written__no_journal, setup),
		cmocka_unit_test_setup(journal_create__twice_or_without_run__refused, setup),
		cmocka_unit_test_setup(journal_read__hostile_lengths__refused, setup),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
