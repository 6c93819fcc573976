/*
 * test_plan_fixture.h - a project, toolchains and matrices made by hand, so that plans are tested without YAML
 * files and without compilers. Included by the test_plan_*.c programs, each of which has one `fixture`.
 */
#ifndef FLAGSTONE_TEST_PLAN_FIXTURE_H
#define FLAGSTONE_TEST_PLAN_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct fixture {
	struct arena arena;
	struct spec_project project;
	struct spec_workload workloads[4]; /* alpha, beta, gamma, pair; sorted by name */
	struct spec_family families[3];	   /* clang, gcc, tcc */
	struct spec_matrix matrix;
	struct spec_variant variants[8];
	struct toolchain gcc, clang, cross;
	struct toolchain *all[3];
	struct toolchains toolchains;
	struct plan_options options;
	struct plan plan;
	struct spec_errors errors;
};

/* What the fake compilers were asked, and what they say. */
static struct {
	size_t probes, resolves;
	const char *refuse, *warn, *ignore; /* a flag that gets this answer */
	bool generic;
} asked;

__attribute__((unused)) static struct flag_probe fake_probe(const struct toolchain *toolchain,
	const struct words *cflags, const struct words *ldflags, struct arena *arena)
{
	(void)toolchain, (void)ldflags, (void)arena;
	asked.probes++;
	if (asked.refuse != NULL && words_have(cflags, asked.refuse))
		return (struct flag_probe){FLAG_REFUSED, "error: bad value\nneeds GCC 11\n"};
	if (asked.warn != NULL && words_have(cflags, asked.warn))
		return (struct flag_probe){FLAG_WARNED, "warning: unused\n"};
	if (asked.ignore != NULL && words_have(cflags, asked.ignore))
		return (struct flag_probe){FLAG_IGNORED, ""};
	return (struct flag_probe){FLAG_TAKEN, ""};
}

__attribute__((unused)) static int fake_resolve(const struct toolchain *toolchain, const struct words *cflags,
	struct arena *arena, struct resolved *resolved, struct error *e)
{
	(void)toolchain, (void)cflags, (void)arena, (void)e;
	asked.resolves++;
	resolved->march = asked.generic ? "x86-64" : "znver4";
	resolved->native_is_generic = asked.generic;
	return 0;
}

/* "a b c" as words. */
static struct words words_of(struct fixture *f, const char *text)
{
	struct words words = {0};

	assert_int_equal(words_split(&words, &f->arena, text, NULL, NULL), 0);
	return words;
}

/* The same with a place in line `line`, columns counting from 1. */
static struct spec_words placed(struct fixture *f, const char *text, unsigned line)
{
	struct words words = words_of(f, text);
	struct spec_words out = {arena_array(&f->arena, words.n + 1, sizeof(*out.v)), words.n};

	for (size_t i = 0; i < words.n; i++)
		out.v[i] = (struct spec_word){words.v[i], {"m.yaml", line, (unsigned)i + 1}};
	return out;
}

__attribute__((unused)) static void add_variant(
	struct fixture *f, const char *name, const char *cflags, const char *ldflags)
{
	struct spec_variant *variant = &f->variants[f->matrix.variant_count++];

	assert_true(f->matrix.variant_count <= COUNT(f->variants));
	*variant = (struct spec_variant){.name = name, .check_rel = -1};
	variant->cflags = words_of(f, cflags);
	variant->ldflags = words_of(f, ldflags);
}

static struct toolchain fake_toolchain(struct fixture *f, const char *family, int major, const char *version,
	const char *arch, const char *slots)
{
	struct toolchain t = {.family = family,
		.major = major,
		.version = version,
		.arch = arch,
		.native = true,
		.lto = TRI_YES,
		.static_libc = TRI_YES,
		.gnu_asm = TRI_YES};

	t.target = arena_printf(&f->arena, "%s-linux-gnu", arch);
	t.slots = words_of(f, slots);
	t.own_slot = t.slots.v[t.slots.n - 1];
	t.names = words_of(f, slots);
	t.cc = words_of(f, arena_printf(&f->arena, "/fake/%s", family));
	t.cxx = words_of(f, "/fake/c++");
	return t;
}

/*
 * Workloads alpha (tag kernel; parameters m, n), beta (kernel), gamma, pair (two CPUs a copy); compilers gcc 12
 * and clang 14 for x86_64, and none called tcc; matrix alpha x gcc x O2, O3 x 1 copy; two CPUs with one core.
 */
static struct fixture *fixture_new(void)
{
	static const char *const names[] = {"alpha", "beta", "gamma", "pair"};
	static const char *const families[] = {"clang", "gcc", "tcc"};
	struct fixture *f = test_calloc(1, sizeof(*f));

	memset(&asked, 0, sizeof(asked));
	f->errors.arena = &f->arena;
	for (size_t i = 0; i < COUNT(names); i++) {
		f->workloads[i].name = names[i];
		f->workloads[i].tags = words_of(f, i < 2 ? "kernel" : "other");
		f->workloads[i].sources = placed(f, "main.c", 1);
	}
	f->workloads[0].parameter_names = words_of(f, "m n");
	f->workloads[0].parameter_values = words_of(f, "1 1");
	f->workloads[3].cpus = 2;
	for (size_t i = 0; i < COUNT(families); i++) {
		f->families[i].name = families[i];
		f->families[i].lto_flags = words_of(f, "-flto -flto=*");
		f->families[i].find = words_of(f, families[i]);
	}
	f->project = (struct spec_project){.folder = ".",
		.workloads = f->workloads,
		.workload_count = COUNT(names),
		.families = f->families,
		.family_count = COUNT(families)};
	f->clang = fake_toolchain(f, "clang", 14, "14.0.6", "x86_64", "clang clang-14");
	f->gcc = fake_toolchain(f, "gcc", 12, "12.2.0", "x86_64", "gcc gcc-12");
	f->clang.spec = &f->families[0];
	f->gcc.spec = &f->families[1];
	f->all[0] = &f->clang;
	f->all[1] = &f->gcc;
	f->toolchains = (struct toolchains){.v = f->all, .n = 2, .path = "/fake"};
	f->matrix = (struct spec_matrix){.place = {"m.yaml", 1, 1}, .name = "m", .variants = f->variants};
	f->matrix.workloads = placed(f, "alpha", 2);
	f->matrix.slots = placed(f, "gcc", 3);
	f->matrix.baseline = (struct spec_word){"O2", {"m.yaml", 4, 1}};
	add_variant(f, "O2", "-O2", "");
	add_variant(f, "O3", "-O3", "");
	f->options = (struct plan_options){.cpus = 2,
		.cores = 1,
		.cpu_flags = "fpu sse",
		.arch = "x86_64",
		.ask = {fake_probe, fake_resolve}};
	return f;
}

static void fixture_free(struct fixture *f)
{
	arena_release(&f->arena);
	test_free(f);
}

static int fixture_make(struct fixture *f)
{
	return plan_make(
		&f->project, &f->matrix, &f->toolchains, &f->options, &f->arena, &f->plan, &f->errors);
}

/* Plans and compares the cells' names, one a line, with " *" behind baselines and " !" behind impossible ones. */
__attribute__((unused)) static void assert_cells(struct fixture *f, const char *expected)
{
	struct buf text = {0};
	int status = fixture_make(f);

	if (status != 0)
		print_error("%s", spec_errors_text(&f->errors));
	assert_int_equal(status, 0);
	for (size_t i = 0; i < f->plan.cell_count; i++)
		buf_addf(&text, "%s%s%s\n", f->plan.cells[i].name, f->plan.cells[i].baseline ? " *" : "",
			f->plan.cells[i].reason != NULL ? " !" : "");
	assert_string_equal(buf_text(&text), expected);
	buf_release(&text);
}

/* Plans and expects the one error to hold all of the texts. */
__attribute__((unused)) static void assert_refused(
	struct fixture *f, const char *place, const char *has, const char *has_too)
{
	char *text;

	assert_int_equal(fixture_make(f), -1);
	text = spec_errors_text(&f->errors);
	assert_int_equal(f->errors.n, 1);
	if (!text_starts(text, place) || strstr(text, has) == NULL || strstr(text, has_too) == NULL)
		fail_msg("expected \"%s...%s...%s\", got: %s", place, has, has_too, text);
}

__attribute__((unused)) static bool noted(const struct fixture *f, const char *part)
{
	size_t found = 0;

	for (size_t i = 0; i < f->plan.notes.n; i++)
		found += strstr(f->plan.notes.v[i], part) != NULL;
	return found == 1; /* once each */
}

/* The reason of the cell with this name. */
__attribute__((unused)) static const char *reason_of(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->plan.cell_count; i++)
		if (strcmp(f->plan.cells[i].name, name) == 0)
			return f->plan.cells[i].reason;
	fail_msg("no cell %s", name);
	return NULL;
}

#endif
