/*
 * Fuzzer of the readers of YAML: the first byte says which file the rest is.
 *
 * Beside not crashing, what is refused has an error, and what is taken has none and holds what the header
 * promises.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
	if (!truth)
		abort();
}

static void check_matrix(const struct spec_matrix *m)
{
	bool found = false;

	must(m->variant_count > 0 && m->workloads.n > 0 && m->copies_count > 0);
	must(m->all_toolchains != (m->slots.n > 0));
	for (size_t i = 0; i < m->variant_count; i++) {
		must(text_is_name(m->variants[i].name));
		found |= strcmp(m->variants[i].name, m->baseline.text) == 0;
	}
	must(found);
	must(m->measure.layouts_max == 1 || m->measure.layouts_min >= 8);
	must(m->measure.rounds_min >= 6 && m->measure.rounds_min <= m->measure.rounds_max);
}

static int read_file(int kind, const char *path, struct arena *arena, struct spec_errors *errors)
{
	struct spec_workload w;
	struct spec_family f;
	struct spec_toolchain t;
	struct spec_settings s;
	bool family;

	switch (kind) {
	case 0:
		return spec_read_workload(path, arena, &w, errors);
	case 1:
		return spec_read_family(path, arena, &f, errors);
	case 2:
		return spec_read_toolchain(path, arena, &t, errors);
	case 3:
		return spec_read_settings(path, arena, &s, errors);
	default:
		return spec_toolchain_file_is_family(path, arena, &family, errors);
	}
}

/* The other readers take a path: a file in memory has one. */
static int read_bytes(
	int kind, const uint8_t *data, size_t size, struct arena *arena, struct spec_errors *errors)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), result;
	char path[64];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = read_file(kind, path, arena, errors);
	close(fd);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct spec_errors errors = {.arena = &arena};
	struct spec_matrix matrix;
	int result;

	if (size == 0)
		return 0;
	if (data[0] % 8 < 5) {
		result = read_bytes(data[0] % 8, data + 1, size - 1, &arena, &errors);
	} else {
		result = spec_read_matrix_bytes(
			(const char *)data + 1, size - 1, "fuzz.yaml", &arena, &matrix, &errors);
		if (result == 0)
			check_matrix(&matrix);
	}
	must((result == 0) == (errors.n == 0));
	must((spec_errors_text(&errors)[0] == '\0') == (errors.n == 0));
	arena_release(&arena);
	return 0;
}
