#include "build/bundle.h"

#include <link.h>
#include <string.h>

#include "base/file.h"
#include "base/version.h"
#include "code/code.h"
#include "sys/spawner.h"

/*
 * flagstone itself in a bundle. A statically linked one (flagstone-static and spawner-static beside the spawner, which
 * make links where the libraries' archives are there) runs on any Linux of the architecture. Else the dynamic one with
 * its libraries, all but those of the C library: these belong to the dynamic linker that the target has.
 */

static const char script[] =
	"#!/bin/sh\n"
	"# Measures this bundle on this machine. The record goes to archive/ beside this script, or where "
	"--archive says.\n"
	"# Words behind it are options of `flagstone run`: --rounds 64, --only CELL, --json, ...\n"
	"case $0 in\n"
	"*/*) here=${0%/*} ;;\n"
	"*) here=. ;;\n"
	"esac\n"
	"here=$(CDPATH='' cd -- \"$here\" && pwd) || exit 3\n"
	"unset FLAGSTONE_LIBEXEC\n";
static const char with_libraries[] = "LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n"
				     "export LD_LIBRARY_PATH\n";
static const char start[] =
	"exec \"$here/bin/flagstone\" run --bundle \"$here\" --archive \"$here/archive\" \"$@\"\n";

static void add_script(struct bundle *bundle, bool with, struct arena *arena)
{
	struct bundle_file *file = &bundle->files[bundle->file_count++];
	char *text = arena_printf(arena, "%s%s%s", script, with ? with_libraries : "", start);

	*file = (struct bundle_file){
		.path = "run.sh", .bytes = strlen(text), .program = true, .content = text};
	hash_bytes_hex(text, strlen(text), file->sha256);
}

/* A library of the C library itself: glibc's parts must be of one build with the dynamic linker. */
static bool is_of_libc(const char *name)
{
	static const char *const patterns[] = {"libc.so*", "libc.musl*", "ld-*", "ld64.so*", "libm.so*",
		"libpthread.so*", "libdl.so*", "librt.so*", "libresolv.so*", "libutil.so*", "libanl.so*",
		"libmvec.so*"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (text_glob(patterns[i], name))
			return true;
	return false;
}

struct loaded {
	struct arena *arena;
	struct words paths;
};

static int add_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	struct loaded *loaded = context;

	(void)size;
	if (info->dlpi_name != NULL && info->dlpi_name[0] == '/' && !is_of_libc(file_name(info->dlpi_name)))
		words_add(&loaded->paths, loaded->arena, info->dlpi_name);
	return 0;
}

/* Adds what a file needs of the C library to what all need. */
static int add_needs(
	struct bundle_self *self, const char *path, size_t room, struct arena *arena, struct error *e)
{
	struct code_needs needs;

	if (code_needs(path, arena, &needs, e) != 0)
		return -1;
	if (self->needs.machine == NULL) {
		self->needs.machine = needs.machine;
		self->needs.interpreter = needs.interpreter;
		self->needs.v = arena_array(arena, room, sizeof(*self->needs.v));
	}
	for (size_t i = 0; i < needs.n; i++) {
		struct code_need *into = NULL;

		if (!is_of_libc(needs.v[i].library))
			continue;
		for (size_t k = 0; k < self->needs.n; k++)
			if (strcmp(self->needs.v[k].library, needs.v[i].library) == 0)
				into = &self->needs.v[k];
		if (into == NULL && self->needs.n == room)
			continue;
		if (into == NULL) {
			into = &self->needs.v[self->needs.n++];
			into->library = needs.v[i].library;
		}
		for (size_t k = 0; k < needs.v[i].versions.n; k++)
			if (!words_have(&into->versions, needs.v[i].versions.v[k]))
				words_add(&into->versions, arena, needs.v[i].versions.v[k]);
	}
	return 0;
}

static int add_dynamic(struct bundle *bundle, struct arena *arena, struct error *e)
{
	enum { LIBC_PARTS = 16 };
	struct loaded loaded = {.arena = arena};
	size_t last = bundle->file_count + BUNDLE_SELF_FILES - 1;
	const char *program = "/proc/self/exe"; /* also where its file was replaced meanwhile */
	const char *spawner = spawner_find_helper(arena, "spawner", e);

	if (spawner == NULL)
		return -1;
	if (bundle_add_file(bundle, "bin/flagstone", program, true, e) != 0 ||
		bundle_add_file(bundle, "libexec/flagstone/spawner", spawner, true, e) != 0 ||
		add_needs(&bundle->self, program, LIBC_PARTS, arena, e) != 0 ||
		add_needs(&bundle->self, spawner, LIBC_PARTS, arena, e) != 0)
		return -1;
	dl_iterate_phdr(add_loaded, &loaded);
	for (size_t i = 0; i < loaded.paths.n; i++) {
		const char *path = loaded.paths.v[i];
		char *name = arena_printf(arena, "lib/%s", file_name(path));

		if (bundle_path_fault(name) != NULL || bundle->file_count >= last)
			return error_set(e, EXIT_CANNOT, "flagstone's library %s cannot be packed", path);
		if (bundle_add_file(bundle, name, path, true, e) != 0 ||
			add_needs(&bundle->self, path, LIBC_PARTS, arena, e) != 0)
			return -1;
	}
	bundle->self.linked = "dynamic";
	return 0;
}

int bundle_add_self(struct bundle *bundle, struct arena *arena, struct error *e)
{
	struct error why = {0};
	const char *program = spawner_find_helper(arena, "flagstone-static", &why);
	const char *spawner = program != NULL ? spawner_find_helper(arena, "spawner-static", &why) : NULL;

	bundle->self = (struct bundle_self){.flags = version.cflags};
	if (spawner == NULL) {
		bundle->self.reason = arena_printf(
			arena, "this flagstone came without a statically linked one: %s", why.text);
		if (add_dynamic(bundle, arena, e) != 0)
			return -1;
	} else {
		bundle->self.linked = "static";
		if (bundle_add_file(bundle, "bin/flagstone", program, true, e) != 0 ||
			bundle_add_file(bundle, "libexec/flagstone/spawner", spawner, true, e) != 0 ||
			add_needs(&bundle->self, program, 1, arena, e) != 0)
			return -1;
	}
	add_script(bundle, spawner == NULL, arena);
	return 0;
}
