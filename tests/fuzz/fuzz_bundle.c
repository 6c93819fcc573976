/*
 * Fuzzer of the reader of bundles: the input as bundle.json, and as the tar file in one. Beside not crashing, nothing is
 * written outside of the folder given, and what was taken holds together.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/gzip.h"
#include "build/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
	if (!truth)
		abort();
}

static void check(struct bundle *b)
{
	const struct record *record = b->record;

	must(strlen(b->id) == 64 && b->arch != NULL && record != NULL && record->build_count > 0);
	for (size_t i = 0; i < b->file_count; i++)
		must(bundle_path_fault(b->files[i].path) == NULL && strlen(b->files[i].sha256) == 64);
	for (size_t i = 0; i < record->build_count; i++) {
		const struct record_build *build = &record->builds[i];

		must(record_workload(record, build->workload) != NULL &&
			record_toolchain(record, build->slot) != NULL);
		must(build->status == CELL_BUILT
				? strlen(build->content_hash) == 64 && build->layout_count > 0
				: build->reason != NULL);
	}
	record_release(b->record);
}

/* The folder given is the one thing in a folder of its own, and stays that. */
static void read_tar(const uint8_t *data, size_t size, struct arena *arena)
{
	static char parent[64];
	int fd = memfd_create("bundle", 0);
	struct gzip_writer *w = gzip_writer_new(fd, "memory", 1);
	struct words names = {0};
	struct error e = {0};
	struct bundle b;
	char path[40];
	const char *into;

	if (parent[0] == '\0') {
		snprintf(parent, sizeof(parent), "/tmp/flagstone-fuzz-XXXXXX");
		must(mkdtemp(parent) != NULL);
	}
	into = file_join(arena, parent, "into");
	must(file_remove_tree(into, NULL) == 0 && mkdir(into, 0700) == 0);
	must(gzip_write(w, data, size, NULL) == 0 && gzip_finish(w, NULL) == 0);
	gzip_writer_free(w);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (bundle_read(path, "x86_64", into, arena, &b, &e) == 0)
		check(&b);
	else
		must(e.code != EXIT_YES && e.text[0] != '\0');
	close(fd);
	must(file_list(parent, arena, &names, NULL) == 0 && names.n == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct error e = {0};
	struct bundle b;

	if (bundle_manifest_read((const char *)data, size, "x", &arena, &b, &e) == 0)
		check(&b);
	else
		must(e.code != EXIT_YES && e.text[0] != '\0');
	read_tar(data, size, &arena);
	arena_release(&arena);
	return 0;
}
