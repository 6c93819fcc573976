/*
 * test_code_tools.h - a scratch folder, files in it, and what the system's own tools say; for test_code_*.c and
 * test_toolchain_*.c. Commands go through popen, so that the code under test is not what starts them.
 */
#ifndef FLAGSTONE_TEST_CODE_TOOLS_H
#define FLAGSTONE_TEST_CODE_TOOLS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"

static char tools_folder[256];

static inline int tools_setup(void **state)
{
	const char *parent = getenv("TMPDIR");

	(void)state;
	snprintf(tools_folder, sizeof(tools_folder), "%s/flagstone-test-XXXXXX",
		parent != NULL ? parent : "/tmp");
	return mkdtemp(tools_folder) != NULL ? 0 : -1;
}

static inline int tools_teardown(void **state)
{
	(void)state;
	return file_remove_tree(tools_folder, NULL);
}

/* FOLDER/NAME; one of eight rotating buffers. */
static inline const char *tools_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", tools_folder, name);
	return path;
}

/*
 * A file of these bytes. One that is there is never emptied first: some file systems write to the disk when such a file
 * is closed (ext4's auto_da_alloc), which takes longer than all else where thousands are written under one name.
 */
static inline void tools_write_bytes(const char *name, const char *bytes, size_t count)
{
	int fd = open(tools_path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || file_write_all(fd, bytes, count, name, NULL) != 0 || ftruncate(fd, (off_t)count) != 0 ||
		close(fd) != 0) {
		perror(name);
		exit(1);
	}
}

static inline void tools_write(const char *name, const char *text)
{
	tools_write_bytes(name, text, strlen(text));
}

/*
 * Runs a shell command in the scratch folder; its standard output without the last newline, in a static buffer.
 * A command that fails ends the test program, unless ok is given: then it says whether it went well.
 */
static inline const char *tools_run(bool *ok, const char *command)
{
	static char output[1 << 16];
	char line[8192];
	size_t got;
	FILE *pipe;
	int status;

	snprintf(line, sizeof(line), "cd '%s' && %s", tools_folder, command);
	pipe = popen(line, "r");
	got = pipe != NULL ? fread(output, 1, sizeof(output) - 1, pipe) : 0;
	output[got] = '\0';
	status = pipe != NULL ? pclose(pipe) : -1;
	if (ok != NULL)
		*ok = status == 0;
	else if (status != 0) {
		fprintf(stderr, "%s: status %d\n", line, status);
		exit(1);
	}
	while (got > 0 && output[got - 1] == '\n')
		output[--got] = '\0';
	return output;
}

static inline bool tools_have(const char *program)
{
	char line[256];
	bool ok;

	snprintf(line, sizeof(line), "command -v %s >/dev/null 2>&1", program);
	tools_run(&ok, line);
	return ok;
}

/* Copies an ELF file of n bytes with 1 to 8 of them changed. head: bytes that its ELF and program headers take. */
static inline void tools_damage(struct rng *rng, const char *bytes, size_t n, size_t head, char *copy)
{
	const uint64_t flips = 1 + rng_below(rng, 8);

	memcpy(copy, bytes, n);
	for (uint64_t i = 0; i < flips; i++) {
		/* half of them in the headers, or in the section table at the end */
		const size_t reach = rng_below(rng, 2) == 0 ? head : n;
		const size_t at = rng_below(rng, reach);

		copy[rng_below(rng, 2) == 0 ? at : n - 1 - at] ^= (char)(1 + rng_below(rng, 255));
	}
}

#endif
