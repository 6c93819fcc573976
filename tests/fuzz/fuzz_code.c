/*
 * Fuzzer of the readers of ELF files: all of them on one file. Beside not crashing, functions that were read hold what
 * the header promises, and are the same when they are read again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code/code.h"
#include "code/functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
	if (!truth)
		abort();
}

static void check_functions(const char *path, struct arena *arena)
{
	struct code_functions first = {0}, second = {0};
	struct error e = {0};

	if (code_functions(&path, 1, path, arena, &first, &e) != 0) {
		must(e.code != EXIT_YES && first.n == 0);
		return;
	}
	must(code_functions(&path, 1, path, arena, &second, &e) == 0 && first.n == second.n);
	for (size_t i = 0; i < first.n; i++) {
		const struct record_function *function = &first.v[i];

		must(function->hash == NULL || strlen(function->hash) == 16);
		must(function->size > 0 || function->hash == NULL);
		must(i == 0 || first.v[i - 1].size >= function->size);
		must(text_same(function->name, second.v[i].name) &&
			text_same(function->hash, second.v[i].hash));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct code_info info;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint64_t address, length;
	bool intermediate;
	const char *path;
	char hex[HASH_HEX];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	path = arena_printf(&arena, "/proc/self/fd/%d", fd);
	if (code_read(path, &arena, &info, NULL) == 0)
		code_facts(&info, &facts);
	(void)code_hash_objects(&path, 1, hex, NULL);
	(void)code_is_intermediate(path, &intermediate, NULL);
	(void)code_symbol(path, "main", &address, &length, NULL);
	check_functions(path, &arena);
	close(fd);
	arena_release(&arena);
	return 0;
}
