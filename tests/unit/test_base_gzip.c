/* gzip streams held against RFC 1952, gzip -dc and gzip -c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/gzip.h"

static char path[64];
static int fd;

static int setup(void **state)
{
	(void)state;
	strcpy(path, "/tmp/flagstone-gzip-XXXXXX");
	fd = mkstemp(path);
	return fd >= 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	close(fd);
	unlink(path);
	return 0;
}

static void write_gzip(const void *bytes, size_t count)
{
	struct gzip_writer *w = gzip_writer_new(fd, path, 6);

	assert_int_equal(gzip_write(w, bytes, count / 2, NULL), 0);
	assert_int_equal(gzip_write(w, (const char *)bytes + count / 2, count - count / 2, NULL), 0);
	assert_int_equal(gzip_finish(w, NULL), 0);
	gzip_writer_free(w);
}

/* Reads all in pieces of `piece`; -1 with the error. */
static int read_gzip(uint64_t limit, size_t piece, struct buf *out, struct error *e)
{
	struct gzip_reader *r;
	char block[4096];
	size_t got;
	int result;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	r = gzip_reader_new(fd, path, limit);
	while ((result = gzip_read(r, block, piece, &got, e)) == 0 && got > 0)
		buf_add(out, block, got);
	gzip_reader_free(r);
	return result;
}

static void gzip__round_trip_and_header(void **state)
{
	static const unsigned char header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
	struct buf text = {0}, out = {0}, raw = {0};

	(void)state;
	for (int i = 0; i < 60000; i++)
		buf_addf(&text, "%d,", i * 7919 % 10007);
	write_gzip(text.data, text.n);
	for (size_t piece = 1; piece <= 4096; piece = piece * 8 + 1) {
		buf_clear(&out);
		assert_int_equal(read_gzip(text.n, piece, &out, NULL), 0);
		assert_int_equal(out.n, text.n);
		assert_memory_equal(out.data, text.data, text.n);
	}
	assert_int_equal(file_read(path, 1 << 22, &raw, NULL), 0);
	assert_memory_equal(raw.data, header, sizeof(header)); /* no name, no time, no extra field, OS 255 */
	buf_release(&text);
	buf_release(&out);
	buf_release(&raw);
}

static void gzip__empty__round_trip(void **state)
{
	struct buf out = {0};

	(void)state;
	write_gzip("", 0);
	assert_int_equal(read_gzip(0, 16, &out, NULL), 0);
	assert_int_equal(out.n, 0);
	buf_release(&out);
}

static void gzip__other_program__understands(void **state)
{
	char command[160], line[64] = "";
	struct buf out = {0};
	FILE *pipe;

	(void)state;
	write_gzip("hello\n", 6);
	snprintf(command, sizeof(command), "gzip -dc <%s", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(line, sizeof(line), pipe));
	assert_int_equal(pclose(pipe), 0);
	assert_string_equal(line, "hello\n");
	snprintf(command, sizeof(command), "printf 'from gzip' | gzip -9c >%s", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(read_gzip(100, 16, &out, NULL), 0);
	assert_string_equal(buf_text(&out), "from gzip");
	buf_release(&out);
}

/* CASES 81: cut at every byte; CASES 131: bounded by what comes out */
static void gzip_read__cut_anywhere__said(void **state)
{
	struct buf raw = {0};

	(void)state;
	write_gzip("some text that is compressed, compressed, compressed", 52);
	assert_int_equal(file_read(path, 1000, &raw, NULL), 0);
	for (size_t cut = 0; cut < raw.n; cut++) {
		struct error e = {0};
		struct buf out = {0};

		assert_int_equal(ftruncate(fd, (off_t)cut), 0);
		assert_int_equal(read_gzip(1000, 64, &out, &e), -1);
		assert_non_null(strstr(e.text, "the file is cut"));
		buf_release(&out);
		assert_int_equal(pwrite(fd, raw.data, raw.n, 0), (ssize_t)raw.n);
	}
	buf_release(&raw);
}

static void gzip_read__damaged_anywhere__said(void **state)
{
	struct buf raw = {0};
	size_t said = 0;

	(void)state;
	write_gzip("some text that is compressed, compressed, compressed", 52);
	assert_int_equal(file_read(path, 1000, &raw, NULL), 0);
	for (size_t at = 10; at < raw.n; at++) { /* behind the header, whose time stamp may be anything */
		struct error e = {0};
		struct buf out = {0};
		char bad = (char)(raw.data[at] ^ 0x40);

		assert_int_equal(pwrite(fd, &bad, 1, (off_t)at), 1);
		if (read_gzip(1000, 64, &out, &e) == 0) /* a bit behind the last code, which means nothing */
			assert_string_equal(
				buf_text(&out), "some text that is compressed, compressed, compressed");
		else
			assert_non_null(strstr(e.text, path));
		said += e.code != EXIT_YES;
		buf_release(&out);
		assert_int_equal(pwrite(fd, raw.data + at, 1, (off_t)at), 1);
	}
	assert_true(said + 1 >= raw.n - 10);
	buf_release(&raw);
}

static void gzip_read__bytes_behind__said(void **state)
{
	struct error e = {0};
	struct buf out = {0};

	(void)state;
	write_gzip("abc", 3);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read_gzip(1000, 64, &out, &e), -1);
	assert_non_null(strstr(e.text, "behind the end"));
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	write_gzip("abc", 3);
	write_gzip("def", 3); /* a second member (CASES 89) */
	assert_int_equal(read_gzip(1000, 64, &out, &e), -1);
	assert_non_null(strstr(e.text, "behind the end"));
	buf_release(&out);
}

static void gzip_read__bomb__stopped(void **state)
{
	char *zeros = calloc(1, 8 << 20);
	struct error e = {0};
	struct buf out = {0};

	(void)state;
	write_gzip(zeros, 8 << 20);
	assert_int_equal(read_gzip(1 << 20, 4096, &out, &e), -1);
	assert_non_null(strstr(e.text, "more than the 1048576 bytes allowed"));
	assert_true(out.n <= (1 << 20));
	buf_release(&out);
	free(zeros);
}

static void gzip_read__not_gzip__said(void **state)
{
	struct error e = {0};
	struct buf out = {0};

	(void)state;
	assert_int_equal(write(fd, "{\"plain\": true}", 15), 15);
	assert_int_equal(read_gzip(1000, 64, &out, &e), -1);
	assert_non_null(strstr(e.text, "not gzip, or damaged"));
	buf_release(&out);
}

static void gzip_write__full_device__error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct gzip_writer *w = gzip_writer_new(fileno(full), "/dev/full", 6);
	struct error e = {0};

	(void)state;
	assert_int_equal(gzip_write(w, "abc", 3, &e), -1); /* the header goes out at once */
	assert_non_null(strstr(e.text, "No space left"));
	gzip_writer_free(w);
	fclose(full);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(gzip__round_trip_and_header),
		TEST(gzip__empty__round_trip),
		TEST(gzip__other_program__understands),
		TEST(gzip_read__cut_anywhere__said),
		TEST(gzip_read__damaged_anywhere__said),
		TEST(gzip_read__bytes_behind__said),
		TEST(gzip_read__bomb__stopped),
		TEST(gzip_read__not_gzip__said),
		TEST(gzip_write__full_device__error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
