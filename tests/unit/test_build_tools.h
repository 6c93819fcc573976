/*
 * test_build_tools.h - a scratch workload of two sources and a header, the real driver's interface cut down to what a
 * link needs, a builder with a cache of its own, and toolchains from test_toolchain_tools.h.
 */
#ifndef FLAGSTONE_TEST_BUILD_TOOLS_H
#define FLAGSTONE_TEST_BUILD_TOOLS_H

#include "build/build.h"
#include "test_toolchain_tools.h"

struct site {
	struct world world;
	struct spec_workload workload;
	struct spec_word sources[2];
	struct builder_options options;
	struct builder *builder;
};

static inline void site_sources(void)
{
	/* objects shared by builds stay from test to test: they take longest */
	tools_run(NULL, "rm -rf w driver bcache/builds && mkdir w driver");
	tools_write(
		"driver/driver.c", "int workload_main(void);\nint main(void) { return workload_main(); }\n");
	tools_write("w/part.h", "#define ANSWER 42\nint part(int x);\n");
	tools_write("w/main.c",
		"#include \"part.h\"\nint workload_main(void);\nint workload_main(void)\n{\n\treturn "
		"part(ANSWER) == 84 ? 0 : 1;\n}\n");
	tools_write("w/part.c", "#include \"part.h\"\nint part(int x)\n{\n\treturn 2 * x;\n}\n");
}

static inline void site_builder(struct site *s)
{
	struct error e = {0};

	builder_free(s->builder);
	s->builder = builder_new(&s->options, &s->world.arena, &e);
	if (s->builder == NULL) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
}

/* Sources and a builder, for the toolchains that world_find() found. */
static inline void site_open(struct site *s)
{
	struct arena *arena = &s->world.arena;

	site_sources();
	s->sources[0] = (struct spec_word){.text = "main.c"};
	s->sources[1] = (struct spec_word){.text = "part.c"};
	s->workload = (struct spec_workload){.name = "w",
		.folder = arena_strdup(arena, tools_path("w")),
		.sources = {.v = s->sources, .n = 2}};
	s->options = (struct builder_options){.cache_folder = arena_strdup(arena, tools_path("bcache")),
		.driver_folder = arena_strdup(arena, tools_path("driver")),
		.jobs = 2,
		.timeout_ns = 20000000000};
	s->builder = NULL;
	site_builder(s);
}

/* The toolchains stay, since finding them takes long. */
static inline void site_close(struct site *s)
{
	builder_free(s->builder);
	s->builder = NULL;
}

static inline struct build site_build(struct site *s, const char *slot, const char *cflags)
{
	return (struct build){.workload = &s->workload,
		.toolchain = world_get(&s->world, slot),
		.cflags = world_words(&s->world, cflags),
		.cxxflags = world_words(&s->world, cflags)};
}

static inline void site_make(struct site *s, struct build *builds, size_t count)
{
	struct error e = {0};

	if (builder_build(s->builder, builds, count, &e) != 0) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
}

/* Builds one that must work. */
static inline struct build site_made(struct site *s, const char *slot, const char *cflags)
{
	struct build build = site_build(s, slot, cflags);

	site_make(s, &build, 1);
	if (!build.ok) {
		fprintf(stderr, "%s %s: %s\n", slot, cflags, build.reason);
		exit(1);
	}
	return build;
}

/* cmocka set-up and tear-down of a site whose gcc is this machine's. */
static inline int site_begin(struct site *site, void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	world_open(&site->world);
	site->world.options.probe = false;
	stub("bin/gcc", "");
	world_find(&site->world);
	site_open(site);
	return 0;
}

static inline int site_end(struct site *site, void **state)
{
	site_close(site);
	world_close(&site->world);
	return tools_teardown(state);
}

#endif
