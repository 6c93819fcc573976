#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "build/recipe.h"
#include "native.h"

/* What is built: real compilers that ask simulated CPUs, or several compilers that ask this one. */

/*
 * CPU models of qemu, from SSSE3 to AVX2; it has no AVX-512, so the two that have it are such CPUs behind a hypervisor
 * that hides it. The first ones stand in for all where fewer are wanted.
 */
static const char *const models[] = {"Nehalem", "Haswell", "EPYC-Rome", "Broadwell", "Skylake-Client", "EPYC",
	"SandyBridge", "IvyBridge", "Icelake-Server", "Skylake-Server", "Denverton", "Penryn", "Opteron_G5",
	"EPYC-Milan"};

const struct native_variant native_variants[NATIVE_VARIANTS] = {
	{"native", "-O2 -march=native", false},
	{"v3", "-O2 -march=x86-64-v3", false},
	{"v3-generic", "-O2 -march=x86-64-v3 -mtune=generic", false},
	{"v2", "-O2 -march=x86-64-v2", false},
	{"v2-generic", "-O2 -march=x86-64-v2 -mtune=generic", false},
	{"native-generic", "-O2 -march=native -mtune=generic", true},
	{"tune-native", "-O2 -mtune=native", true},
};
static const char *const workloads[NATIVE_WORKLOADS] = {"bits", "walk", "vector"};

static bool is_clang(const char *slot)
{
	return text_starts(slot, "clang");
}

/* Compilers are started through this, so that they are the same programs on each machine, and only the CPU is another. */
static int write_simulator(struct trust *t, const struct native *n, struct error *e)
{
	for (size_t i = 0; i < n->slots.n && n->qemu != NULL; i++) {
		const char *path = arena_printf(&t->arena, "%s/sim-%s", t->scratch, n->slots.v[i]);
		const char *text;

		if (n->programs[i] == NULL)
			continue;
		/* the driver alone asks the CPU; what it starts runs at full speed, as gcc's cc1 does */
		text = arena_printf(&t->arena,
			"#!/bin/sh\nread -r model <'%s/model'\nexec '%s' -cpu \"$model\" '%s'%s \"$@\"\n",
			t->scratch, n->qemu, n->programs[i],
			is_clang(n->slots.v[i]) ? " -fno-integrated-cc1" : "");
		if (file_write_atomic(path, text, strlen(text), e) != 0)
			return -1;
		if (chmod(path, 0755) != 0)
			return error_set(e, EXIT_CANNOT, "making %s a program failed", path);
	}
	return 0;
}

static int set_model(struct trust *t, const char *model, struct error *e)
{
	const char *text = arena_printf(&t->arena, "%s\n", model);

	return file_write_atomic(file_join(&t->arena, t->scratch, "model"), text, strlen(text), e);
}

/* The families of the source tree, and the slots as a user's toolchains. */
static int read_families(struct trust *t, struct native *n, struct error *e)
{
	struct spec_errors errors = {.arena = &t->arena};

	if (spec_read_project(t->top, NULL, &t->arena, &n->project, &errors) != 0)
		return spec_errors_to_error(&errors, e);
	n->project.toolchains = arena_array(&t->arena, NATIVE_SLOTS_MAX, sizeof(*n->project.toolchains));
	n->project.toolchain_count = 0;
	for (size_t i = 0; i < n->slots.n; i++) {
		struct spec_toolchain *user = &n->project.toolchains[n->project.toolchain_count];

		if (n->programs[i] == NULL)
			continue;
		*user = (struct spec_toolchain){.name = arena_printf(&t->arena, "sim-%s", n->slots.v[i]),
			.family = {.text = is_clang(n->slots.v[i]) ? "clang" : "gcc"}};
		if (n->qemu != NULL)
			words_addf(&user->cc, &t->arena, "%s/sim-%s", t->scratch, n->slots.v[i]);
		else
			words_add(&user->cc, &t->arena, n->programs[i]);
		n->project.toolchain_count++;
	}
	return 0;
}

static void describe_workloads(struct trust *t, struct native *n)
{
	for (size_t i = 0; i < n->workload_count; i++) {
		n->sources[i].text = arena_printf(&t->arena, "%s.c", workloads[i]);
		n->workloads[i] = (struct spec_workload){.name = workloads[i],
			.folder = arena_printf(&t->arena, "%s/tests/trust/native/%s", t->top, workloads[i]),
			.unit = "1/s",
			.sources = {.v = &n->sources[i], .n = 1}};
	}
}

/* NULL: all is there. */
static const char *what_is_missing(struct trust *t, struct native *n)
{
	const char *path = getenv("PATH");
	bool any = false;

	if (path == NULL)
		path = "/usr/bin:/bin";
	for (size_t i = 0; i < n->slots.n; i++) {
		const char *program = file_find_program(&t->arena, n->slots.v[i], path);

		n->programs[i] = program != NULL ? file_real(&t->arena, program, NULL) : NULL;
		any = any || program != NULL;
		if (program == NULL)
			fprintf(stderr, "trust: native: there is no %s in PATH: the others are asked\n",
				n->slots.v[i]);
	}
	n->tools.objcopy = file_find_program(&t->arena, "objcopy", path);
	n->tools.objdump = file_find_program(&t->arena, "objdump", path);
#if !defined(__x86_64__)
	return "this machine is no x86_64 one, whose compilers are asked";
#endif
	if (t->compilers == NULL && (n->qemu = file_find_program(&t->arena, "qemu-x86_64", path)) == NULL)
		return "there is no qemu-x86_64 in PATH (Debian, Fedora, Arch: qemu-user)";
	if (n->tools.objcopy == NULL || n->tools.objdump == NULL)
		return "there is no objcopy or objdump in PATH (binutils)";
	return any ? NULL : "there is no compiler in PATH";
}

static int find_toolchains(struct trust *t, struct native *n, const char *model, struct error *e)
{
	struct toolchain_options options = {.path = arena_printf(&t->arena, "%s/no-programs", t->scratch),
		.cache_folder = arena_printf(&t->arena, "%s/toolchains", t->scratch),
		.scratch = t->scratch,
		.cpu = model,
		.timeout_ns = 60000000000};

	if (file_make_folders(options.path, e) != 0)
		return -1;
	n->found = (struct toolchains){0};
	return toolchains_find(&n->project, &options, &t->arena, &n->found, e);
}

/* Fills in what a machine is to build; error: a compiler cannot be used under the simulated CPU. */
static int plan_builds(struct trust *t, struct native *n, struct native_machine *machine,
	struct build *builds, struct error *e)
{
	for (size_t s = 0; s < n->slots.n; s++) {
		struct toolchain_slot slot;

		if (n->programs[s] == NULL)
			continue;
		slot = toolchains_slot(
			&n->found, &n->project, arena_printf(&t->arena, "sim-%s", n->slots.v[s]), &t->arena);
		if (slot.toolchain == NULL)
			return error_set(e, EXIT_CANNOT, "%s: %s", n->slots.v[s], slot.reason);
		for (size_t v = 0; v < n->variant_count; v++)
			for (size_t w = 0; w < n->workload_count; w++) {
				struct build *build = &builds[machine->count];

				if (n->qemu != NULL && native_variants[v].gcc_only && is_clang(n->slots.v[s]))
					break;

				machine->builds[machine->count++] =
					(struct native_build){.slot = s, .variant = v, .workload = w};
				build->workload = &n->workloads[w];
				build->toolchain = slot.toolchain;
				if (words_split(&build->cflags, &t->arena, native_variants[v].flags, NULL,
					    e) != 0)
					return -1;
			}
	}
	return 0;
}

/* The objects as they are now: the next machine may put others in their place. */
static int take_truth(struct trust *t, struct native *n, struct native_machine *machine,
	const struct build *builds, struct error *e)
{
	for (size_t i = 0; i < machine->count; i++) {
		struct native_build *own = &machine->builds[i];
		const char *object;

		if (!builds[i].ok)
			return error_set(e, EXIT_CANNOT, "%s %s of %s: %s", n->slots.v[own->slot],
				native_variants[own->variant].flags, workloads[own->workload],
				builds[i].reason);
		object = file_join(&t->arena, builds[i].folder,
			recipe_object(&t->arena, 0, n->sources[own->workload].text));
		own->truth = native_truth(t, &n->tools, object, &own->truth_size, e);
		if (own->truth == NULL)
			return -1;
	}
	return 0;
}

static int build_on(struct trust *t, struct native *n, struct builder *builder,
	struct native_machine *machine, struct error *e)
{
	size_t most = n->slots.n * n->variant_count * n->workload_count;
	struct build *builds = arena_array(&t->arena, most, sizeof(*builds));

	machine->builds = arena_array(&t->arena, most, sizeof(*machine->builds));
	if (set_model(t, machine->model, e) != 0 || find_toolchains(t, n, machine->model, e) != 0 ||
		plan_builds(t, n, machine, builds, e) != 0 ||
		builder_build(builder, builds, machine->count, e) != 0 ||
		take_truth(t, n, machine, builds, e) != 0)
		return error_context(e, "on %s", machine->model);
	return native_describe(t, n, machine, builds, e);
}

static int build_all(struct trust *t, struct native *n, struct error *e)
{
	struct builder_options options = {.cache_folder = arena_printf(&t->arena, "%s/builds", t->scratch),
		.driver_folder = arena_printf(&t->arena, "%s/tests/trust/native/driver", t->top),
		.timeout_ns = 120000000000,
		.memory_limit = UINT64_C(64)
				<< 30, /* qemu reserves what the compiler may use, far more than that */
		/* what another machine made must not stand in for what this one makes */
		.fresh = true};
	struct builder *builder = builder_new(&options, &t->arena, e);
	int result = builder != NULL ? 0 : -1;

	n->machines = arena_array(&t->arena, n->model_count, sizeof(*n->machines));
	for (size_t i = 0; i < n->model_count && result == 0; i++) {
		n->machines[i].model = n->qemu != NULL ? models[i] : "this-CPU";
		fprintf(stderr, "trust: native, machine %zu of %zu: %s\n", i + 1, n->model_count,
			n->machines[i].model);
		result = build_on(t, n, builder, &n->machines[i], e);
		n->machine_count += result == 0;
	}
	builder_free(builder);
	return result;
}

static size_t at_most(size_t wanted, size_t most)
{
	return wanted < most ? wanted : most;
}

int trust_measure_native(struct trust *t, struct error *e)
{
	struct native *n = arena_new(&t->arena, struct native);
	const char *missing;

	if (words_split(&n->slots, &t->arena, t->compilers != NULL ? t->compilers : t->size.native_slots,
		    NULL, e) != 0)
		return -1;
	if (n->slots.n > NATIVE_SLOTS_MAX)
		return error_set(e, EXIT_USAGE, "--compilers: at most %d", NATIVE_SLOTS_MAX);
	missing = what_is_missing(t, n);
	if (missing != NULL) {
		fprintf(stderr, "trust: native: left out: %s\n", missing);
		record_note(t->record, "the part native was left out: %s", missing);
		return 0;
	}
	n->model_count =
		n->qemu != NULL ? at_most(t->size.native_models, sizeof(models) / sizeof(models[0])) : 1;
	n->variant_count = at_most(t->size.native_variants, NATIVE_VARIANTS);
	n->workload_count = at_most(t->size.native_workloads, NATIVE_WORKLOADS);
	n->rows = arena_array(&t->arena, n->slots.n * (NATIVE_VARIANTS + 1) + 1, sizeof(*n->rows));
	describe_workloads(t, n);
	if (write_simulator(t, n, e) != 0 || read_families(t, n, e) != 0 || build_all(t, n, e) != 0)
		return -1;
	t->native = n;
	return 0;
}
