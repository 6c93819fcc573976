#include "toolchain/probe.h"

#include <string.h>

#include "base/file.h"
#include "toolchain/macros.h"
#include "toolchain/memory.h"
#include "toolchain/parts.h"
#include "toolchain/wrapper.h"

/* `name` with the last `stem` in it replaced; NULL: it has none. */
static const char *replaced(struct arena *arena, const char *name, const char *stem, const char *by)
{
	const char *at = NULL;

	for (const char *p = strstr(name, stem); p != NULL; p = strstr(p + 1, stem))
		at = p;
	if (at == NULL)
		return NULL;
	return arena_printf(arena, "%.*s%s%s", (int)(at - name), name, by, at + strlen(stem));
}

/* The program beside the compiler, or in PATH, whose name follows from one of the compiler's names; NULL: none. */
static const char *sibling(struct toolchain *t, const struct asker *asker, const char *stem, const char *by)
{
	struct arena *arena = asker->arena;
	const char *folder = file_folder(arena, t->cc.v[0]);

	for (size_t i = 0; i <= t->names.n; i++) {
		const char *name = file_name(i == 0 ? t->cc.v[0] : t->names.v[i - 1]);
		const char *other = replaced(arena, name, stem, by);
		const char *path = other != NULL ? file_join(arena, folder, other) : NULL;
		const char *real;

		if (path != NULL && !file_is_program(path))
			path = file_find_program(arena, other, parts_path(asker));
		real = path != NULL ? file_real(arena, path, NULL) : NULL;
		if (real != NULL && !wrapper_is(file_name(real)))
			return path;
	}
	return NULL;
}

/* Is it the same compiler's: version and target by macros. */
static const char *cxx_problem(struct toolchain *t, const struct asker *cc, const struct words *cxx)
{
	struct asker asker = *cc;
	enum spec_family_style style;
	struct answer macros;
	const char *version;
	int major;

	asker.command = cxx;
	macros = ask(&asker, "-E", "-dM", "-x", "c++", "/dev/null", NULL);
	if (!macros.ok)
		return arena_printf(cc->arena, "%s does not compile C++: %s", cxx->v[0], macros.problem);
	if (!macros_identify(cc->arena, macros.out, &style, &major, &version) || style != t->memory->style)
		return arena_printf(
			cc->arena, "%s is another kind of compiler than %s", cxx->v[0], t->cc.v[0]);
	if (strcmp(version, t->version) != 0)
		return arena_printf(cc->arena, "%s is version %s, not %s like %s", cxx->v[0], version,
			t->version, t->cc.v[0]);
	if (strcmp(macros_arch(cc->arena, macros.out), t->arch) != 0)
		return arena_printf(
			cc->arena, "%s compiles for another machine than %s", cxx->v[0], t->cc.v[0]);
	return NULL;
}

/* The C++ compiler that a user names, or that stands beside. `words` stays empty when there is none. */
static const char *cxx_command(struct toolchain *t, const struct asker *asker, struct words *words)
{
	const struct spec_toolchain *user = t->memory->cxx_user;
	struct arena *arena = asker->arena;
	const char *path;

	if (user != NULL) {
		(void)wrapper_strip(arena, &user->cxx, words);
		path = words->n > 0 ? file_find_program(arena, words->v[0], parts_path(asker)) : NULL;
		if (path == NULL) {
			*words = (struct words){0};
			return arena_printf(arena, "no program %s (cxx of toolchains/%s.yaml)",
				user->cxx.v[0], user->name);
		}
		words->v[0] = arena_strdup(arena, path);
		return NULL;
	}
	if (t->memory->style == STYLE_TCC)
		return "tcc compiles C only";
	path = t->memory->style == STYLE_CLANG ? sibling(t, asker, "clang", "clang++")
					       : sibling(t, asker, "gcc", "g++");
	if (path == NULL)
		path = sibling(t, asker, "cc", "c++");
	if (path == NULL)
		return arena_printf(arena,
			"no C++ compiler goes with %s: install it, or name it as cxx in a "
			"toolchains/NAME.yaml",
			t->cc.v[0]);
	words_add(words, arena, path);
	for (size_t i = 1; i < t->cc.n; i++)
		words_add(words, arena, t->cc.v[i]);
	return NULL;
}

static void find_cxx(struct toolchain *t, const struct asker *asker)
{
	struct words cxx = {0};
	const char *problem = cxx_command(t, asker, &cxx);

	if (problem == NULL)
		problem = cxx_problem(t, asker, &cxx);
	if (problem == NULL)
		t->cxx = cxx;
	t->cxx_reason = problem;
}

static const char *find_ar(struct toolchain *t, const struct asker *asker)
{
	struct arena *arena = asker->arena;
	const char *path = NULL;

	if (t->memory->style == STYLE_GCC)
		path = sibling(t, asker, "gcc", "gcc-ar");
	if (t->memory->style == STYLE_CLANG) {
		const struct answer answer = ask(asker, "-print-prog-name=llvm-ar", NULL);

		path = answer.ok ? ask_first_line(arena, answer.out) : NULL;
		if (path == NULL || path[0] != '/' || !file_is_program(path))
			path = file_find_program(
				arena, arena_printf(arena, "llvm-ar-%d", t->major), parts_path(asker));
		if (path == NULL)
			path = file_find_program(arena, "llvm-ar", parts_path(asker));
	}
	if (path == NULL && !t->native)
		path = file_find_program(arena, arena_printf(arena, "%s-ar", t->target), parts_path(asker));
	return path != NULL ? path : file_find_program(arena, "ar", parts_path(asker));
}

void probe_tools(struct finding *f, struct toolchain *t)
{
	const struct asker asker = memory_asker(t, f->arena, f->folder);

	find_cxx(t, &asker);
	t->ar = find_ar(t, &asker);
}
