/*
 * What flags mean, as facts: levels, floating point, LTO, profiles, sanitizers, links, vectors, native. Expected values
 * are those of the GCC manual ("Options That Control Optimization", "x86 Options", "Link Options") and clang's manual
 * ("Controlling Floating Point Behavior"); asked of the compilers of this machine.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_toolchain_tools.h"
#include "toolchain/resolve.h"

/* Worlds with one real compiler each, found once for all tests here, which ask different questions of it. */
static struct {
	const char *name;
	struct world world;
	bool found; /* is it on this machine */
} real[] = {{.name = "gcc"}, {.name = "clang"}, {.name = "tcc"}};

static int find_real(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		struct world *w = &real[i].world;

		world_open(w);
		if (!tools_have(real[i].name))
			continue;
		/* bin/ is emptied by the next one */
		w->options.path = arena_strdup(&w->arena, tools_path(real[i].name));
		tools_run(NULL, arena_printf(&w->arena, "mkdir %s && ln -s \"$(command -v %s)\" %s/",
					real[i].name, real[i].name, real[i].name));
		world_find(w);
		real[i].found = world_slot(w, real[i].name).toolchain != NULL;
	}
	return 0;
}

static int close_real(void **state)
{
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++)
		world_close(&real[i].world);
	return tools_teardown(state);
}

/* The world of a real compiler; NULL: it is not on this machine. */
static struct world *open_real(const char *name)
{
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++)
		if (strcmp(real[i].name, name) == 0 && real[i].found)
			return &real[i].world;
	return NULL;
}

static struct resolved resolved(struct world *w, const char *slot, const char *cflags)
{
	const struct words words = world_words(w, cflags);
	struct resolved r;
	struct error e = {0};

	if (toolchain_resolve(world_get(w, slot), &words, &w->arena, &r, &e) != 0)
		fail_msg("%s", e.text);
	return r;
}

static const char *value_of(struct world *w, const char *slot, const char *cflags, const char *key)
{
	const struct resolved r = resolved(w, slot, cflags);
	const struct fact *fact = facts_find(&r.facts, key);

	if (fact == NULL)
		return "(absent)";
	if (fact->value == NULL)
		print_message("%s %s: %s: %s\n", slot, cflags, key, fact->reason);
	return fact->value != NULL ? fact->value : "(unknown)";
}

struct expectation {
	const char *flags, *key, *gcc, *clang; /* NULL: not asked of this one */
};

/* Flags that have nothing to do with each other are asked about together: each set is three starts of a compiler. */
#define MOST                                                                                                 \
	"-O3 -Os -flto -fprofile-generate -fsanitize=undefined,address -fPIE "                               \
	"-fno-stack-protector -D_FORTIFY_SOURCE=2 -fcf-protection=none"
#define TAKEN_BACK                                                                                           \
	"-Og -flto -fno-lto -fsanitize=address -fsanitize=undefined -fno-sanitize=address -fPIC "            \
	"-fstack-protector-strong -U_FORTIFY_SOURCE -fcf-protection=none"
#define NONE_LEFT "-O -fno-pie -fsanitize=undefined -fno-sanitize=all"

/* Pieces that are the same wherever the compiler runs. */
static const struct expectation anywhere[] = {
	{"", "resolved.opt_level", "O0", "O0"},
	{"-O2", "resolved.opt_level", "O2", "O2"},
	{"-O2", "resolved.lto", "none", "none"},
	{"-O2", "resolved.pgo", "none", "none"},
	{"-O2", "resolved.sanitizers", "none", "none"},
	{"-O2", "resolved.native_requested", "no", "no"},
	{"-O2", "resolved.config_files", "", ""},
	{MOST, "resolved.opt_level", "Os", "Os"},
	{MOST, "resolved.lto", "full", "full"},
	{MOST, "resolved.pgo", "generate", "generate"},
	{MOST, "resolved.sanitizers", "address,undefined", "address,undefined"},
	{MOST, "resolved.pic", "pie", "pie"},
	{MOST, "resolved.hardening", "ssp=none cet=0 fortify=2", "ssp=none cet=0 fortify=2"},
	{TAKEN_BACK, "resolved.opt_level", "Og", "Og"},
	{TAKEN_BACK, "resolved.lto", "none", "none"},
	{TAKEN_BACK, "resolved.sanitizers", "undefined", "undefined"},
	{TAKEN_BACK, "resolved.pic", "pic", "pic"},
	{TAKEN_BACK, "resolved.hardening", "ssp=strong cet=0 fortify=0", "ssp=strong cet=0 fortify=0"},
	{NONE_LEFT, "resolved.opt_level", "O1", "O1"},
	{NONE_LEFT, "resolved.sanitizers", "none", "none"},
	{NONE_LEFT, "resolved.pic", "no", "no"},
	{"-O9", "resolved.opt_level", "O3", NULL},
	{"-O2 -flto=thin", "resolved.lto", NULL, "thin"},
};

#define WIDE "-O2 -mavx512f -mprefer-vector-width=512 -flto -fsanitize=address"

static const struct expectation on_x86[] = {
	{"-O2", "resolved.arch", "x86_64", "x86_64"},
	{"-O2", "resolved.tune", "generic", "generic"},
	{"-O2 -m32", "resolved.arch", "i386", "i386"},
	{"-O2 -march=haswell -fno-tree-vectorize", "resolved.tune", "haswell", "haswell"},
	{"-O2 -march=haswell -fno-tree-vectorize", "resolved.vector_width", "256", "256"},
	{"-O2 -march=core-avx2 -mprefer-vector-width=128", "resolved.tune", "haswell", "haswell"},
	{"-O2 -march=core-avx2 -mprefer-vector-width=128", "resolved.vector_width", "128", "128"},
	{"-O2 -march=x86-64-v3 -mtune=generic", "resolved.tune", "generic", "generic"},
	{"-O2 -march=x86-64-v3 -mtune=generic", "resolved.vector_width", "256", "256"},
	/* clang tunes for what -march names unless told, gcc for generic where it is a level */
	{"-O2 -march=x86-64-v2", "resolved.tune", "generic", "x86-64-v2"},
	{"-O0 -mavx2", "resolved.vector_width", "256", "256"},
	{"-O2 -mavx512f -mprefer-vector-width=256", "resolved.vector_width", "256", "256"},
	{WIDE, "resolved.vector_width", "512", "512"},
	{"-O2 -march=x86-64", "resolved.vector_width", "128", "128"},
	{"-O2 -march=x86-64", "resolved.move_max", "128", "128"},
	{"-O2 -march=x86-64", "resolved.store_max", "128", "128"},
	{"-O2 -march=x86-64", "resolved.cache_line", "64", "tune"},
	{"-O2 --param l1-cache-line-size=128", "resolved.cache_line", "128", NULL},
	{"-march=native", "resolved.native_requested", "yes", "yes"},
	{"-march=native -march=x86-64-v2", "resolved.native_requested", "no", "no"},
	{"-march=x86-64-v2 -mtune=native", "resolved.native_requested", "yes", "yes"},
	{"-march=native -mtune=generic", "resolved.native_requested", "yes", "yes"},
};

static void check(const char *slot, const struct expectation *list, size_t count)
{
	struct world *w = open_real(slot);

	if (w == NULL) {
		print_message("skipped: there is no %s here\n", slot);
		skip();
	}
	if (list == on_x86 && strcmp(world_get(w, slot)->arch, "x86_64") != 0) {
		print_message("skipped: this is no x86-64\n");
		skip();
	}
	for (size_t i = 0; i < count; i++) {
		const char *expected = strcmp(slot, "gcc") == 0 ? list[i].gcc : list[i].clang;
		const char *found;

		if (expected == NULL)
			continue;
		found = value_of(w, slot, list[i].flags, list[i].key);
		if (strcmp(found, expected) != 0)
			fail_msg("%s %s: %s is \"%s\", not \"%s\"", slot, list[i].flags, list[i].key, found,
				expected);
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void toolchain_resolve__gcc_options__are_what_the_manual_says(void **state)
{
	(void)state;
	check("gcc", anywhere, COUNT(anywhere));
}

static void toolchain_resolve__clang_options__are_what_the_manual_says(void **state)
{
	(void)state;
	check("clang", anywhere, COUNT(anywhere));
}

static void toolchain_resolve__gcc_on_x86__tunes_and_takes_vectors_as_told(void **state)
{
	(void)state;
	check("gcc", on_x86, COUNT(on_x86));
}

static void toolchain_resolve__clang_on_x86__tunes_and_takes_vectors_as_told(void **state)
{
	(void)state;
	check("clang", on_x86, COUNT(on_x86));
}

static const char precise_gcc[] = "precise contract=fast finite=no associative=no reciprocal=no zeros=signed "
				  "errno=yes traps=yes rounding=nearest denormals=ieee";

static void toolchain_resolve__floating_point__is_said_in_pieces(void **state)
{
	static const struct {
		const char *flags, *piece;
	} pieces[] = {{"-O2 -ffast-math -fno-finite-math-only", "finite=no"}, {"-Ofast", "fast "},
		{"-Ofast", "finite=yes"}, {"-O2 -ffast-math", "fast "}, {"-O2 -ffast-math", "finite=yes"},
		{"-O2 -ffast-math", "associative=yes"}, {"-O2 -ffast-math", "zeros=unsigned"},
		{"-O2 -ffast-math", "errno=no"}, {"-O2 -fno-math-errno -ffp-contract=off", "precise "},
		{"-O2 -fno-math-errno -ffp-contract=off", "errno=no"},
		{"-O2 -fno-math-errno -ffp-contract=off", "contract=off"},
		{"-O2 -ffinite-math-only -ffp-contract=fast", "fast "},
		{"-O2 -ffinite-math-only -ffp-contract=fast", "contract=fast"},
		{"-O2 -ffast-math -fno-fast-math -frounding-math", "precise "},
		{"-O2 -ffast-math -fno-fast-math -frounding-math", "rounding=any"}};
	static const char *const slots[] = {"gcc", "clang"};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct world *w = open_real(slots[s]);

		if (w == NULL)
			continue;
		for (size_t i = 0; i < COUNT(pieces); i++) {
			const char *model = value_of(w, slots[s], pieces[i].flags, "resolved.fp_model");

			if (strstr(model, pieces[i].piece) == NULL)
				fail_msg("%s %s: no %s in %s", slots[s], pieces[i].flags, pieces[i].piece,
					model);
		}
		if (strcmp(slots[s], "gcc") == 0) {
			assert_string_equal(value_of(w, "gcc", "-O2", "resolved.fp_model"), precise_gcc);
			/* "The default is -ffp-contract=off for C in a standards compliant mode" */
			assert_non_null(strstr(
				value_of(w, "gcc", "-O2 -std=c11", "resolved.fp_model"), "contract=off"));
			assert_non_null(strstr(
				value_of(w, "gcc", "-O2 -std=gnu11", "resolved.fp_model"), "contract=fast"));
		}
	}
}

static const char *linked(struct world *w, const char *slot, const char *ldflags, const char *key)
{
	const struct words words = world_words(w, ldflags);
	struct facts facts = {.arena = &w->arena};
	const struct fact *fact;

	facts_set(&facts, "resolved.fp_model", precise_gcc, "test");
	toolchain_resolve_link(world_get(w, slot), &words, &w->arena, &facts);
	fact = facts_find(&facts, key);
	if (fact == NULL || fact->value == NULL)
		fail_msg("%s %s: %s: %s", slot, ldflags, key, fact != NULL ? fact->reason : "absent");
	return fact->value;
}

static void toolchain_resolve_link__kinds_of_programs__are_what_the_file_is(void **state)
{
	static const struct {
		const char *flags, *pie, *is_static;
	} kinds[] = {{"-no-pie", "no", "no"}, {"-pie", "yes", "no"}, {"-static", "no", "yes"},
		{"-static-pie", "yes", "yes"}};
	static const char *const slots[] = {"gcc", "clang"};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct world *w = open_real(slots[s]);
		char line[512];
		bool ok;

		if (w == NULL)
			continue;
		for (size_t i = 0; i < COUNT(kinds); i++) {
			/* a compiler may refuse a kind that its C library has no start code for */
			tools_write("kind.c", "int main(void) { return 0; }\n");
			snprintf(line, sizeof(line), "%s %s -o kind kind.c 2>/dev/null", slots[s],
				kinds[i].flags);
			tools_run(&ok, line);
			if (!ok)
				continue;
			assert_string_equal(
				linked(w, slots[s], kinds[i].flags, "resolved.pie"), kinds[i].pie);
			assert_string_equal(
				linked(w, slots[s], kinds[i].flags, "resolved.static"), kinds[i].is_static);
			/* and so says binutils of the program itself */
			assert_string_equal(tools_run(NULL, "readelf -h kind | awk '/Type:/ {print $2}'"),
				strcmp(kinds[i].pie, "yes") == 0 ? "DYN" : "EXEC");
		}
		/* what no flag says is what a program without flags is */
		tools_run(NULL, arena_printf(&w->arena, "%s -o kind kind.c", slots[s]));
		assert_string_equal(linked(w, slots[s], "", "resolved.pie"),
			strcmp(tools_run(NULL, "readelf -h kind | awk '/Type:/ {print $2}'"), "DYN") == 0
				? "yes"
				: "no");
		assert_string_equal(linked(w, slots[s], "", "resolved.linker"), "ld");
	}
}

static void toolchain_resolve_link__start_code_of_fast_math__flushes_denormals(void **state)
{
	struct world *w = open_real("gcc");
	bool ok;

	(void)state;
	if (w == NULL) {
		print_message("skipped: there is no gcc here\n");
		skip();
	}
	assert_string_equal(linked(w, "gcc", "", "resolved.fp_model"), precise_gcc);
	tools_run(&ok, "test -f \"$(gcc -print-file-name=crtfastmath.o)\"");
	if (ok)
		assert_non_null(
			strstr(linked(w, "gcc", "-ffast-math", "resolved.fp_model"), "denormals=flush"));
}

static void toolchain_resolve_link__other_linker__is_named(void **state)
{
	/* as gcc 12 and clang 14 print them, shortened */
	static const char *const texts[][2] = {{"COLLECT_GCC_OPTIONS='-o' 'x'\n /usr/lib/gcc/collect2 "
						"-plugin liblto_plugin.so \"-fuse-ld=lld\" -pie "
						"-o x x.o\n",
						       "lld"},
		{" \"/usr/bin/ld.lld\" \"-pie\" \"-o\" \"x\" \"x.o\"\n", "lld"},
		{" \"/usr/bin/x86_64-linux-gnu-ld.gold\" \"-o\" \"x\"\n", "gold"},
		{" \"/usr/bin/ld\" \"-o\" \"x\"\n", "ld"}, {" /opt/bin/mold -o x x.o\n", "mold"}};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct facts facts = {.arena = &arena};

		assert_true(resolve_link_line(texts[i][0], &arena, &facts));
		assert_string_equal(facts_value(&facts, "resolved.linker"), texts[i][1]);
	}
	assert_false(
		resolve_link_line("gcc version 12\n as -o x\n", &arena, &(struct facts){.arena = &arena}));
	arena_release(&arena);
}

static void toolchain_resolve__tcc__names_what_it_ignores(void **state)
{
	struct world *w = open_real("tcc");

	(void)state;
	if (w == NULL) {
		print_message("skipped: there is no tcc here\n");
		skip();
	}
	assert_string_equal(
		value_of(w, "tcc", "-O3 -march=x86-64-v3 -DX=1", "resolved.ignored"), "-O3 -march=x86-64-v3");
	assert_string_equal(value_of(w, "tcc", "-funsigned-char", "resolved.ignored"), "");
	assert_string_equal(value_of(w, "tcc", "", "resolved.ignored"), "");
	assert_string_equal(value_of(w, "tcc", "-O3", "resolved.opt_level"), "none");
	assert_string_equal(value_of(w, "tcc", "-O3", "resolved.vector_width"), "none");
	assert_string_equal(value_of(w, "tcc", "-O3 -ffast-math", "resolved.fp_model"),
		"precise contract=off finite=no associative=no reciprocal=no zeros=signed errno=yes "
		"traps=yes "
		"rounding=nearest denormals=ieee");
	assert_true(strcmp(linked(w, "tcc", "", "resolved.static"), "no") == 0);
	/* tcc must never be given /dev/null to write: it would delete it */
	tools_run(NULL, "test -c /dev/null");
}

static void resolve_widest__assembly__is_read_by_architecture(void **state)
{
	static const struct {
		const char *arch, *text, *width;
	} texts[] = {{"x86_64", "f:\n\tvmovups %zmm0, (%rax)\n\tvaddps %ymm1, %ymm0, %ymm0\n", "512"},
		{"x86_64",
			"f:\n\taddl $1, %eax\n.L2:\n\tpaddd %xmm0, %xmm1\ng:\n\tvaddps %ymm0, %ymm0, %ymm0\n",
			"128"},
		{"i386", "f:\n\tvpaddd ymm0, ymm0, ymm1\n", "256"},
		{"x86_64", "f:\n\taddl $1, %eax\n", "none"},
		{"aarch64", "f:\n\tfmul v0.4s, v1.4s, v2.4s\n", "128"},
		{"aarch64", "f:\n\tldp q0, q1, [x1]\n", "128"},
		{"aarch64", "f:\n\tld1w z0.s, p0/z, [x1]\n", "scalable"},
		{"aarch64", "f:\n\tfmul s0, s1, s2\n", "none"},
		{"riscv64", "f:\n\tvsetvli a5, zero, e32, m1\n", "scalable"},
		{"riscv64", "f:\n\tfmul.s fa0, fa1\n", "none"},
		{"arm", "f:\n\tvmul.f32 q8, q8, q9\n", "128"}};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_string_equal(resolve_widest(texts[i].text, "f", texts[i].arch, false), texts[i].width);
	/* SSE registers hold single floats, too */
	assert_string_equal(resolve_widest("f:\n\tmulss %xmm0, %xmm1\n", "f", "x86_64", true), "none");
	assert_null(resolve_widest("g:\n\tret\n", "f", "x86_64", false));
	assert_null(resolve_widest("f:\n\tret\n", "f", "unheard-of", false));
	assert_null(resolve_widest("", "f", "x86_64", false));
}

static void resolve_sanitizers__lists__are_canonical(void **state)
{
	/* what clang 14's driver makes of -fsanitize=undefined */
	static const char clang[] = "-fsanitize=alignment,array-bounds,bool,builtin,enum,float-cast-overflow,"
				    "function,integer-divide-by-"
				    "zero,nonnull-attribute,null,pointer-overflow,return,returns-nonnull-"
				    "attribute,shift-base,shift-exponent"
				    ",signed-integer-overflow,unreachable,vla-bound";
	struct arena arena = {0};
	struct words words = {0};

	(void)state;
	assert_string_equal(resolve_sanitizers(&words, &arena), "none");
	words_add(&words, &arena, clang);
	assert_string_equal(resolve_sanitizers(&words, &arena), "undefined");
	words_add(&words, &arena, "-fsanitize=thread,null");
	words_add(&words, &arena, "-fsanitize-recover=alignment");
	assert_string_equal(resolve_sanitizers(&words, &arena), "thread,undefined");
	words_add(&words, &arena, "-fno-sanitize=alignment");
	assert_non_null(strstr(resolve_sanitizers(&words, &arena), "signed-integer-overflow"));
	arena_release(&arena);
}

static void resolve_help__sections__are_kept_apart(void **state)
{
	/* shortened from gcc 12's -Q --help=target --help=optimizers --help=params */
	static const char text[] = "The following options are target specific:\n"
				   "  -m128bit-long-double        \t\t[enabled]\n"
				   "  -march=                     \t\tx86-64\n"
				   "  -mfused-madd                \t\t-ffp-contract=fast\n"
				   "  -mprefer-vector-width=      \t\tnone\n\n"
				   "  Known valid arguments for -march= option:\n    i386 i486\n\n"
				   "The following options control optimizations:\n"
				   "  -O<number>                  \t\t\n"
				   "  -ffp-contract=[off|on|fast] \t\tfast\n"
				   "The following options control parameters:\n"
				   "  --param=l1-cache-line-size= \t\t64\n";
	struct arena arena = {0};
	struct words lines;

	(void)state;
	resolve_help_section(&arena, text, "target specific", &lines);
	assert_int_equal(lines.n, 4);
	assert_string_equal(resolve_help_value(&lines, "-march="), "x86-64");
	assert_string_equal(resolve_help_value(&lines, "-m128bit-long-double"), "[enabled]");
	assert_null(resolve_help_value(&lines, "-m128bit"));
	assert_null(resolve_help_value(&lines, "-ffp-contract="));
	resolve_help_section(&arena, text, "optimizations", &lines);
	assert_string_equal(resolve_help_value(&lines, "-ffp-contract="), "fast");
	resolve_help_section(&arena, text, "parameters", &lines);
	assert_string_equal(resolve_help_value(&lines, "--param=l1-cache-line-size="), "64");
	resolve_help_section(&arena, "", "parameters", &lines);
	assert_int_equal(lines.n, 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolchain_resolve__gcc_options__are_what_the_manual_says),
		cmocka_unit_test(toolchain_resolve__clang_options__are_what_the_manual_says),
		cmocka_unit_test(toolchain_resolve__gcc_on_x86__tunes_and_takes_vectors_as_told),
		cmocka_unit_test(toolchain_resolve__clang_on_x86__tunes_and_takes_vectors_as_told),
		cmocka_unit_test(toolchain_resolve__floating_point__is_said_in_pieces),
		cmocka_unit_test(toolchain_resolve_link__kinds_of_programs__are_what_the_file_is),
		cmocka_unit_test(toolchain_resolve_link__start_code_of_fast_math__flushes_denormals),
		cmocka_unit_test(toolchain_resolve_link__other_linker__is_named),
		cmocka_unit_test(toolchain_resolve__tcc__names_what_it_ignores),
		cmocka_unit_test(resolve_widest__assembly__is_read_by_architecture),
		cmocka_unit_test(resolve_sanitizers__lists__are_canonical),
		cmocka_unit_test(resolve_help__sections__are_kept_apart),
	};

	return cmocka_run_group_tests_name("toolchain_options", tests, find_real, close_real);
}
