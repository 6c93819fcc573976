#include "toolchain/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

const char *parts_path(const struct asker *asker)
{
	const char *path = getenv("PATH");

	for (size_t i = 0; asker->env != NULL && i < asker->env->n; i++)
		if (text_starts(asker->env->v[i], "PATH="))
			path = asker->env->v[i] + 5;
	return path != NULL ? path : "";
}

static void watch(struct parts *parts, const char *path)
{
	struct arena *arena = parts->asker->arena;
	const char *folder = file_folder(arena, path);

	if (!words_have(&parts->watch, path))
		words_add(&parts->watch, arena, path);
	if (!words_have(&parts->watch, folder))
		words_add(&parts->watch, arena, folder);
}

void parts_add(struct parts *parts, const char *key, const char *path, const char *source, const char *reason)
{
	struct arena *arena = parts->asker->arena;
	const char *path_key = arena_printf(arena, "toolchain.%s.path", key);
	const char *hash_key = arena_printf(arena, "toolchain.%s.sha256", key);
	const char *real = path != NULL ? file_real(arena, path, NULL) : NULL;
	struct error e = {0};
	char hex[HASH_HEX];

	if (real == NULL) {
		facts_unknown(parts->facts, path_key, source, reason);
		facts_unknown(parts->facts, hash_key, source, reason);
		return;
	}
	facts_set(parts->facts, path_key, real, source);
	watch(parts, path);
	watch(parts, real);
	if (cache_hash_file(parts->cache, real, hex, &e) != 0) {
		facts_unknown(parts->facts, hash_key, real, e.text);
		return;
	}
	facts_set(parts->facts, hash_key, hex, real);
	words_addf(&parts->identity, arena, "%s %s", key, hex);
}

/* What the compiler answers to -print-prog-name= or -print-file-name=, as a path; NULL: it knows none. */
static const char *ask_path(struct parts *parts, const char *question, const char *name)
{
	struct arena *arena = parts->asker->arena;
	const struct answer answer = ask(parts->asker, arena_printf(arena, "%s=%s", question, name), NULL);
	const char *path = answer.ok ? ask_first_line(arena, answer.out) : "";

	if (strchr(path, '/') != NULL)
		return file_exists(path) ? path : NULL;
	/* Without a folder it means: through PATH, as for any program. */
	if (path[0] != '\0' && strcmp(question, "-print-prog-name") == 0)
		return file_find_program(arena, path, parts_path(parts->asker));
	return NULL;
}

static void add_version(struct parts *parts, const char *key)
{
	struct arena *arena = parts->asker->arena;
	const char *path = facts_value(parts->facts, arena_printf(arena, "toolchain.%s.path", key));
	const char *version_key = arena_printf(arena, "toolchain.%s.version", key);
	const char *source = arena_printf(arena, "%s --version", path != NULL ? path : key);
	struct words command = {0};
	struct asker asker = *parts->asker;
	struct answer answer;

	if (path == NULL) {
		facts_unknown(parts->facts, version_key, source, "the program was not found");
		return;
	}
	words_add(&command, arena, path);
	asker.command = &command;
	answer = ask(&asker, "--version", NULL);
	if (answer.ok)
		facts_set(parts->facts, version_key, ask_first_line(arena, answer.out), source);
	else
		facts_unknown(parts->facts, version_key, source, answer.problem);
}

static void add_program(struct parts *parts, const char *key, const char *name)
{
	parts_add(parts, key, ask_path(parts, "-print-prog-name", name),
		arena_printf(parts->asker->arena, "-print-prog-name=%s", name),
		"the compiler names no such program");
}

static void find_gcc(struct parts *parts)
{
	const char *specs = ask_path(parts, "-print-file-name", "specs");

	/* cc1plus and lto1 come from the same build as cc1: hashing another 60 MB would tell nothing new. */
	add_program(parts, "cc1", "cc1");
	add_program(parts, "collect2", "collect2");
	add_program(parts, "assembler", "as");
	add_program(parts, "linker", "ld");
	add_version(parts, "assembler");
	add_version(parts, "linker");
	/* A specs file changes what options mean; there mostly is none. */
	if (specs != NULL)
		parts_add(parts, "specs", specs, "-print-file-name=specs", NULL);
}

/* A shared library where the dynamic linker would mostly find it; NULL: in none of these folders. */
static const char *find_library(
	struct arena *arena, const struct code_info *driver, const char *real, const char *name)
{
	const char *loader = driver->interpreter != NULL ? file_real(arena, driver->interpreter, NULL) : NULL;
	const char *folders[] = {file_join(arena, file_folder(arena, real), "../lib"),
		loader != NULL ? file_folder(arena, loader) : "/lib", "/usr/lib64", "/lib64",
		"/usr/local/lib", "/usr/lib", "/lib"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *path = file_join(arena, folders[i], name);

		if (file_exists(path))
			return path;
	}
	return NULL;
}

/* clang's backend: the driver itself, or the shared libraries that it needs. */
static void find_backend(struct parts *parts)
{
	struct arena *arena = parts->asker->arena;
	struct code_info driver;
	bool shared = false;

	if (code_read(parts->driver, arena, &driver, NULL) != 0) {
		parts_add(parts, "backend", NULL, parts->driver,
			"the driver is no ELF file: what it starts is not known");
		return;
	}
	for (size_t i = 0; i < driver.needed.n; i++) {
		const char *name = driver.needed.v[i];
		const bool is_llvm = text_starts(name, "libLLVM");

		if (!is_llvm && !text_starts(name, "libclang-cpp"))
			continue;
		shared = true;
		parts_add(parts, is_llvm ? "backend" : "frontend",
			find_library(arena, &driver, parts->driver, name), "DT_NEEDED of the driver",
			arena_printf(arena, "%s is in none of the usual library folders", name));
	}
	if (!shared)
		parts_add(parts, "backend", parts->driver, "DT_NEEDED of the driver", NULL);
}

static void find_clang(struct parts *parts)
{
	find_backend(parts);
	facts_set(parts->facts, "toolchain.assembler.path", "built in", "clang's integrated assembler");
	add_program(parts, "linker", "ld");
	add_version(parts, "linker");
}

void parts_find(struct parts *parts)
{
	struct words folders = {0};
	struct arena *arena = parts->asker->arena;
	const char *path = parts_path(parts->asker);

	/* A new program in PATH may be what the compiler starts from now on. */
	while (*path != '\0') {
		const size_t length = strcspn(path, ":");

		words_add(&folders, arena, arena_strndup(arena, path, length));
		path += length + (path[length] == ':');
	}
	words_add_all(&parts->watch, arena, &folders);
	watch(parts, parts->asker->command->v[0]);
	parts_add(parts, "driver", parts->driver, "PATH", NULL);
	switch (parts->style) {
	case STYLE_GCC:
		find_gcc(parts);
		break;
	case STYLE_CLANG:
		find_clang(parts);
		break;
	case STYLE_TCC:
		facts_set(parts->facts, "toolchain.assembler.path", "built in", "tcc assembles itself");
		facts_set(parts->facts, "toolchain.linker.path", "built in", "tcc links itself");
		break;
	}
}

/* "glibc 2.36" from the headers; NULL: they do not say. */
static const char *libc_of_headers(struct parts *parts, const char **problem)
{
	struct arena *arena = parts->asker->arena;
	const char *text = "#include <stdio.h>\nflagstone_libc __GLIBC__ __GLIBC_MINOR__\n";
	const char *path = file_join(arena, parts->asker->folder, "libc.c");
	struct answer answer;
	const char *line;
	int major, minor;

	*problem = "the headers name no version";
	if (file_write_atomic(path, text, strlen(text), NULL) != 0)
		return NULL;
	/* -P: without line markers, which would stand between the words */
	answer = ask(parts->asker, "-E", "-P", "libc.c", NULL);
	if (!answer.ok) {
		*problem = answer.problem;
		return NULL;
	}
	line = strstr(answer.out, "flagstone_libc ");
	if (line == NULL || sscanf(line, "flagstone_libc %d %d", &major, &minor) != 2)
		return NULL;
	return arena_printf(arena, "glibc %d.%d", major, minor);
}

/* musl's loader is its C library, and says its version when it is started alone. */
static void add_musl(struct parts *parts, const char *loader)
{
	struct arena *arena = parts->asker->arena;
	struct words command = {0};
	struct asker asker = *parts->asker;
	const char *real = file_real(arena, loader, NULL), *at = NULL;

	parts->musl = true;
	parts_add(parts, "libc", loader, "the linked program's interpreter",
		"the C library is not on this machine");
	if (parts->native && real != NULL) {
		words_add(&command, arena, loader);
		asker.command = &command;
		at = strstr(ask(&asker, NULL).err, "Version ");
		parts_add(parts, "libc_static", file_join(arena, file_folder(arena, real), "libc.a"),
			"beside the C library", "there is no libc.a");
	}
	if (at != NULL)
		facts_setf(parts->facts, "toolchain.libc.version", loader, "musl %s",
			ask_first_line(arena, at + strlen("Version ")));
	else
		facts_set(parts->facts, "toolchain.libc.version", "musl", "the linked program's interpreter");
}

/* A file of the C library: where the compiler says, else beside the dynamic linker. */
static const char *libc_file(struct parts *parts, const char *name)
{
	struct arena *arena = parts->asker->arena;
	const char *loader = parts->linked->interpreter != NULL
				     ? file_real(arena, parts->linked->interpreter, NULL)
				     : NULL;
	const char *path = parts->style != STYLE_TCC ? ask_path(parts, "-print-file-name", name) : NULL;

	if (path == NULL && loader != NULL)
		path = file_join(arena, file_folder(arena, loader), name);
	return path != NULL && file_exists(path) ? path : NULL;
}

void parts_find_libc(struct parts *parts)
{
	struct arena *arena = parts->asker->arena;
	const char *loader = parts->linked->interpreter;
	const char *version, *problem, *path;
	struct code_info libc;

	if (loader != NULL && text_starts(file_name(loader), "ld-musl")) {
		add_musl(parts, loader);
		return;
	}
	version = libc_of_headers(parts, &problem);
	if (version != NULL)
		facts_set(parts->facts, "toolchain.libc.version", version, "the C library's headers");
	else
		facts_unknown(parts->facts, "toolchain.libc.version", "the C library's headers", problem);
	parts_add(parts, "libc", libc_file(parts, "libc.so.6"), "-print-file-name=libc.so.6",
		"there is no libc.so.6");
	parts_add(parts, "libc_static", libc_file(parts, "libc.a"), "-print-file-name=libc.a",
		"there is no libc.a");
	path = facts_value(parts->facts, "toolchain.libc.path");
	if (path != NULL && code_read(path, arena, &libc, NULL) == 0 && libc.build_id != NULL)
		facts_set(parts->facts, "toolchain.libc.build_id", libc.build_id, path);
	else
		facts_unknown(parts->facts, "toolchain.libc.build_id", "ELF .note.gnu.build-id",
			"the C library has none");
}
