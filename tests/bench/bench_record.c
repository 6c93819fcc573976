/*
 * bench_record - writes and reads a record of a million plausible samples.
 * figures: record-write record-read record-bytes record-peak
 *
 *	bench_record                 lines NAME<tab>VALUE<tab>UNIT<tab>LIMIT ("-": none)
 *	bench_record write FILE N    writes such a record with N samples to FILE, for the format's test
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "record/json.h"
#include "../unit/record_fixture.h"

enum { SAMPLES = 1000000, BUILDS = 200, PEAK_LIMIT_MB = 200 };

static _Noreturn void give_up(const struct error *e)
{
	fprintf(stderr, "bench_record: %s\n", e->text);
	exit(EXIT_CANNOT);
}

static void write_record(struct record *record, const char *path)
{
	struct error e = {0};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || record_write(record, fd, path, &e) != 0 || close(fd) != 0)
		give_up(&e);
}

static void say(const char *name, double value, const char *unit, const char *limit)
{
	printf("%s\t%.3f\t%s\t%s\n", name, value, unit, limit);
	fflush(stdout);
}

static void bench_write(const char *path)
{
	struct arena arena = {0};
	struct record *record = fixture_plain(&arena, BUILDS);
	struct stat st;
	int64_t start;

	/* one piece of memory, as a growing one is no part of what is measured here */
	record->samples.v = mem_alloc_array(SAMPLES, sizeof(*record->samples.v));
	record->samples.cap = SAMPLES;
	fixture_samples(record, SAMPLES, "bench");
	start = clock_ns();
	write_record(record, path);
	say("record-write", (double)(clock_ns() - start) / 1e9, "s", "-");
	if (stat(path, &st) == 0)
		say("record-bytes", (double)st.st_size / SAMPLES, "bytes/sample", "-");
	record_release(record);
	arena_release(&arena);
}

static void bench_read(const char *path)
{
	struct arena arena = {0};
	struct record *record;
	struct error e = {0};
	int64_t start = clock_ns();

	if (record_read_file(path, NULL, &arena, &record, &e) != 0)
		give_up(&e);
	say("record-read", (double)(clock_ns() - start) / 1e9, "s", "-");
	record_release(record);
	arena_release(&arena);
}

/* Runs each part in a process of its own, so that its peak is its own. Returns the peak in MB. */
static double in_child(void (*part)(const char *), const char *path)
{
	struct rusage usage;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		part(path);
		exit(EXIT_YES);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) {
		fprintf(stderr, "bench_record: a part failed\n");
		exit(EXIT_CANNOT);
	}
	return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/bench_record.XXXXXX";
	double writing, reading;
	int fd;

	if (argc == 4 && strcmp(argv[1], "write") == 0) {
		struct arena arena = {0};
		struct record *record = fixture_full(&arena);

		fixture_samples(record, strtoul(argv[3], NULL, 10), "format");
		write_record(record, argv[2]);
		record_release(record);
		arena_release(&arena);
		return EXIT_YES;
	}
	fd = mkstemp(path);
	if (fd < 0 || close(fd) != 0)
		return EXIT_CANNOT;
	writing = in_child(bench_write, path);
	reading = in_child(bench_read, path);
	say("record-peak", writing > reading ? writing : reading, "MB", "200");
	unlink(path);
	return writing < PEAK_LIMIT_MB && reading < PEAK_LIMIT_MB ? EXIT_YES : EXIT_NO;
}
