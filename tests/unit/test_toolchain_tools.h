/*
 * test_toolchain_tools.h - families, a PATH of one's own and stub compilers for test_toolchain_*.c. A stub is a shell
 * script that answers some questions itself and leaves the rest to the real gcc; each start adds a line to a log,
 * by which a test sees how often it was asked.
 */
#ifndef FLAGSTONE_TEST_TOOLCHAIN_TOOLS_H
#define FLAGSTONE_TEST_TOOLCHAIN_TOOLS_H

#include <sys/stat.h>

#include "test_code_tools.h"
#include "toolchain/toolchain.h"

/* What a test finds toolchains with; all in `arena`. */
struct world {
	struct arena arena;
	struct spec_project project;
	struct toolchain_options options;
	struct toolchains found;
};

static inline struct words world_words(struct world *w, const char *text)
{
	struct words words = {0};

	if (words_split(&words, &w->arena, text, NULL, NULL) != 0)
		exit(1);
	return words;
}

static inline void world_family(struct world *w, const char *name, enum spec_family_style style,
	const char *find, const char *exclude, bool cross)
{
	w->project.families[w->project.family_count++] = (struct spec_family){.name = name,
		.style = style,
		.find = world_words(w, find),
		.exclude = world_words(w, exclude),
		.abi_flags = world_words(w, "-m32 -m64 -mabi=* -static --sysroot=* --sysroot -fPIE"),
		.lto_flags = world_words(w, "-flto -flto=* -flto-*"),
		.cross = cross};
}

/* The five families, an empty bin/ as PATH, a cache, and no more than 5 s a question. */
static inline void world_open(struct world *w)
{
	*w = (struct world){0};
	/* Hashes of the system's own files stay from test to test: they are what takes long. */
	tools_run(NULL, "mkdir -p cache && rm -rf bin log && mkdir bin && "
			"find cache -type f ! -name hashes.json -exec rm {} +");
	w->project.folder = tools_folder;
	w->project.families = arena_array(&w->arena, 8, sizeof(struct spec_family));
	w->project.toolchains = arena_array(&w->arena, 8, sizeof(struct spec_toolchain));
	world_family(w, "clang", STYLE_CLANG, "clang clang-[0-9]* cc gcc", "clang-format*", false);
	world_family(w, "cross-gcc", STYLE_GCC, "*-linux-gnu*-gcc *-linux-gnu*-gcc-[0-9]*", "", true);
	world_family(w, "gcc", STYLE_GCC, "gcc gcc-[0-9]* cc *-linux-gnu-gcc", "gcc-ar*", false);
	world_family(w, "musl-gcc", STYLE_GCC, "musl-gcc *-linux-musl-gcc", "", false);
	world_family(w, "tcc", STYLE_TCC, "tcc", "", false);
	w->options = (struct toolchain_options){.path = arena_strdup(&w->arena, tools_path("bin")),
		.cache_folder = arena_strdup(&w->arena, tools_path("cache")),
		.scratch = tools_folder,
		.timeout_ns = 20000000000};
}

static inline void world_close(struct world *w)
{
	arena_release(&w->arena);
}

/* toolchains/NAME.yaml; the other members may be set in what is returned. */
static inline struct spec_toolchain *world_user(
	struct world *w, const char *name, const char *family, const char *cc)
{
	struct spec_toolchain *user = &w->project.toolchains[w->project.toolchain_count++];

	*user = (struct spec_toolchain){.name = name, .family = {.text = family}, .cc = world_words(w, cc)};
	return user;
}

static inline void world_find(struct world *w)
{
	struct error e = {0};

	if (toolchains_find(&w->project, &w->options, &w->arena, &w->found, &e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
}

static inline struct toolchain_slot world_slot(struct world *w, const char *name)
{
	return toolchains_slot(&w->found, &w->project, name, &w->arena);
}

/* The toolchain of a slot that must be there. */
static inline const struct toolchain *world_get(struct world *w, const char *name)
{
	const struct toolchain_slot slot = world_slot(w, name);

	if (slot.toolchain == NULL) {
		fprintf(stderr, "slot %s: %s\n", name, slot.reason);
		exit(1);
	}
	return slot.toolchain;
}

/* Does a note hold this text? */
static inline bool world_noted(const struct world *w, const char *text)
{
	for (size_t i = 0; i < w->found.notes.n; i++)
		if (strstr(w->found.notes.v[i], text) != NULL)
			return true;
	for (size_t i = 0; i < w->found.notes.n; i++)
		fprintf(stderr, "note: %s\n", w->found.notes.v[i]);
	return false;
}

/* A program PATH (below the scratch folder) that logs its start, does `body`, then is gcc. */
static inline void stub(const char *path, const char *body)
{
	char text[4096];

	snprintf(text, sizeof(text), "#!/bin/sh\necho \"${0##*/} $*\" >>'%s/log'\n%s\nexec gcc \"$@\"\n",
		tools_folder, body);
	tools_write(path, text);
	if (chmod(tools_path(path), 0755) != 0)
		exit(1);
}

/* The body of a stub that says it is that gcc. */
#define STUB_VERSION(major, minor)                                                                           \
	"case \" $* \" in *\" -dM \"*) gcc \"$@\" | sed -e 's/__GNUC__ [0-9]*/__GNUC__ " major               \
	"/' -e 's/__GNUC_MINOR__ [0-9]*/__GNUC_MINOR__ " minor "/'; exit;; esac"

/* How many starts the log has so far. */
static inline int stub_starts(void)
{
	return atoi(tools_run(NULL, "cat log 2>/dev/null | wc -l"));
}

#endif
