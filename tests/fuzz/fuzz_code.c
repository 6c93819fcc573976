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
#include "code/inspect.h"
#include "code/inspect_match.h"
#include "code/isa.h"

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

/* By symbols and as a sweep: what was counted holds together, and the facts can be made of it. */
static void check_isa(const char *path, struct arena *arena)
{
	const struct code_isa_options sweep = {.sweep = true};
	struct facts facts = {.arena = arena};
	struct code_isa linked;
	struct error e = {0};

	for (int i = 0; i < 2; i++) {
		struct code_isa isa;

		if (code_isa(path, i == 0 ? NULL : &sweep, arena, &isa, &e) != 0) {
			must(e.code != EXIT_YES && e.text[0] != '\0');
			continue;
		}
		must(isa.decoded_bytes + isa.bad_bytes <= isa.code_bytes);
		must(isa.unknown != NULL || isa.instructions > 0);
		for (size_t k = 0; k < isa.set_count; k++)
			must(isa.sets[k].count > 0 && isa.sets[k].example.text != NULL);
		code_isa_facts(&isa, &facts);
	}
	(void)code_isa_objects(&path, 1, path, arena, &linked, NULL);
}

/* All that is said of one file; against itself it is the same. */
static void check_inspection(const char *path, struct arena *arena)
{
	const struct inspect_cpu cpu = {.machine = "x86_64", .flags = "fpu sse sse2"};
	struct match_result match;
	struct inspection x;
	struct error e = {0};
	const char *reason;

	if (inspect_file(path, "file", arena, &x, &e) != 0) {
		must(e.code != EXIT_YES && e.text[0] != '\0');
		return;
	}
	for (size_t i = 0; i < x.claim_count; i++)
		must(x.claims[i].text != NULL && x.claims[i].belief != NULL);
	must(x.covered_bytes <= x.code_bytes);
	must(x.hash_unknown != NULL || x.objects_hash[0] != '\0' || x.type != INSPECT_OBJECT);
	(void)inspect_runs(&x, &cpu, arena, &reason);
	inspect_match(&x, &x, arena, &match);
	must(match.verdict == VERDICT_SAME_FILE && match.counts[MATCH_OTHER] == 0 &&
		match.counts[MATCH_FIRST] == 0);
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
	(void)code_hash_unpadded(&path, 1, hex, NULL);
	(void)code_is_intermediate(path, &intermediate, NULL);
	(void)code_symbol(path, "main", &address, &length, NULL);
	check_functions(path, &arena);
	check_isa(path, &arena);
	check_inspection(path, &arena);
	close(fd);
	arena_release(&arena);
	return 0;
}
