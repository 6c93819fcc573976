/*
 * code_functions: names and sizes are those of nm; hashes change with a function's own code and with nothing else, for
 * which small sources are compiled here in many ways.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/functions.h"
#include "test_code_tools.h"

/* Calls and constants of all kinds: static and imported functions, literals, strings, tables, variables, a switch. */
static const char *const unit_text =
	"int printf(const char *, ...), puts(const char *);\n" /* a header would be most of the compiler's work */
	"#define F __attribute__((noinline))\n"
	"static double scale = 2.5; static int counter; static const int powers[] = {1, 3, 9, 27, 81, 7};\n"
	"F static int near(int x) { return x * 3 + counter; }\n"
	"F static int far(int x) { return near(x) + near(x + 9); }\n"
	"F int count(int x) { counter++; counter += 77; return near(x) ^ 1; }\n"
	"F double area(double r) { return r * r * 3.14159; }\n"
	"F double scaled(double r) { scale++; return r * scale; }\n"
	"F int power(unsigned x) { return powers[x % 6]; }\n"
	"F int say(int x) { return printf(\"value %d\\n\", x); }\n"
	"F int twice(int x) { return far(x) + far(-x) + puts(\"twice\"); }\n"
	"F const char *word(int x) { static const char *const words[] = {\"stone\", \"flag\", \"bench\"};\n"
	"	return words[x % 3]; }\n"
	"F int choose(int x) { switch (x) { case 0: return near(x) ^ 2; case 1: return far(3) ^ 3; case 2: "
	"return say(x);\n"
	"	case 3: return twice(x); case 4: return power(3); case 5: return count(x); case 6: return "
	"puts(\"six\");\n"
	"	default: return 0; } }\n"
	"F int mapped(int x) { switch (x) { case 0: return 17; case 1: return 4; case 2: return 99; case 3: "
	"return 5;\n"
	"	case 4: return 1000; case 5: return 12; default: return -1; } }\n"
	"int main(int argc, char **argv) { (void)argv; return choose(argc) + mapped(argc) + (int)area(argc) "
	"+ *word(argc)\n"
	"	+ (int)scaled(argc); }\n";

static int build(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	tools_write("u.c", unit_text);
	tools_run(NULL, "gcc -O2 -c -o u.o u.c");
	return 0;
}

static struct code_functions read_object(const char *name, struct arena *arena)
{
	const char *path = tools_path(name);
	struct code_functions out = {0};
	struct error e = {0};

	if (code_functions(&path, 1, NULL, arena, &out, &e) != 0)
		fail_msg("%s", e.text);
	assert_true(out.n > 0);
	return out;
}

static const struct record_function *find(const struct code_functions *functions, const char *name)
{
	for (size_t i = 0; i < functions->n; i++)
		if (strcmp(functions->v[i].name, name) == 0)
			return &functions->v[i];
	return NULL;
}

/* The names of functions that are in both with unlike hashes, or in one of them only ("-name", "+name"). */
static const char *differences(const char *a, const char *b, struct arena *arena)
{
	struct code_functions left = read_object(a, arena), right = read_object(b, arena);
	struct words out = {0};

	for (size_t i = 0; i < left.n; i++) {
		const struct record_function *other = find(&right, left.v[i].name);

		/* i386's thunks are written without a size */
		assert_true((left.v[i].hash == NULL) == (left.v[i].size == 0));
		assert_true(left.v[i].hash == NULL || strlen(left.v[i].hash) == 16);
		if (other == NULL)
			words_addf(&out, arena, "-%s", left.v[i].name);
		else if (!text_same(left.v[i].hash, other->hash))
			words_add(&out, arena, left.v[i].name);
	}
	for (size_t i = 0; i < right.n; i++)
		if (find(&left, right.v[i].name) == NULL)
			words_addf(&out, arena, "+%s", right.v[i].name);
	return out.n > 0 ? words_join(&out, arena) : "";
}

/* A changed source, and the functions that differ when it and u.c are compiled with the same options. */
struct change {
	const char *make, *wanted;
};

/* All sources are compiled with one start of the compiler. */
static void expect_each(const char *compile, const struct change *changes, size_t count)
{
	struct arena arena = {0};
	struct buf line = {0};

	buf_adds(&line, "cp u.c v.c");
	for (size_t i = 0; i < count; i++)
		buf_adds(&line,
			arena_printf(&arena, " && %s >v%zu.c && ! cmp -s u.c v%zu.c", changes[i].make, i, i));
	buf_adds(&line, arena_printf(&arena, " && %s v.c", compile));
	for (size_t i = 0; i < count; i++)
		buf_adds(&line, arena_printf(&arena, " v%zu.c", i));
	tools_run(NULL, buf_text(&line));
	buf_release(&line);
	for (size_t i = 0; i < count; i++) {
		const char *found = differences("v.o", arena_printf(&arena, "v%zu.o", i), &arena);

		if (strcmp(found, changes[i].wanted) != 0)
			fail_msg("%s: %s: \"%s\" differ, wanted: \"%s\"", compile, changes[i].make, found,
				changes[i].wanted);
	}
	arena_release(&arena);
}

static void code_functions__object__names_and_sizes_are_what_nm_says(void **state)
{
	struct arena arena = {0};
	struct code_functions functions;
	char *lines, *rest = NULL;
	size_t seen = 0;

	(void)state;
	functions = read_object("u.o", &arena);
	/* nm -S: value size kind name; kinds t, T, W are code */
	lines = arena_strdup(
		&arena, tools_run(NULL, "nm -S u.o | awk 'NF == 4 && $3 ~ /[tTwW]/ {print $2, $4}'"));
	for (char *line = strtok_r(lines, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		char *name = strchr(line, ' ');
		const struct record_function *function;

		*name++ = '\0';
		function = find(&functions, name);
		assert_non_null(function);
		assert_int_equal(function->size, strtoul(line, NULL, 16));
		seen++;
	}
	assert_true(seen > 10);
	assert_int_equal(functions.n, seen);
	for (size_t i = 1; i < functions.n; i++)
		assert_true(functions.v[i - 1].size >= functions.v[i].size);
	arena_release(&arena);
}

static void code_functions__same_source__equal_wherever_and_however_named(void **state)
{
	static const char *const same[] = {
		"mkdir -p deep && cp u.c deep/other.c && gcc -O2 -c -o v.o deep/other.c",
		"gcc -O2 -g3 -c -o v.o u.c",
		"gcc -O2 -fno-ident -fno-asynchronous-unwind-tables -c -o v.o u.c",
		/* other sections, where the linker resolves what the assembler did before */
		"gcc -O2 -ffunction-sections -fdata-sections -c -o v.o u.c",
		/* functions in the order of the source; constants, strings and variables lie elsewhere, too */
		"gcc -O2 -fno-toplevel-reorder -c -o v.o u.c",
		/* something ahead of all, and a larger function between callers and what they call */
		"(echo 'int padding = 7; const char *extra(void) { return \"in front\"; }'; cat u.c) >v.c && "
		"gcc -O2 -c -o v.o v.c",
		"sed 's/^F int count/F int more(int x) { return x % 77 + (x >> 3) + printf(\"more %d\", x); "
		"}\\n&/' "
		"u.c >v.c && gcc -O2 -c -o v.o v.c",
	};
	static const char *const wanted[] = {"", "", "", "", "", "+extra", "+more"};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct arena arena = {0};

		tools_run(NULL, same[i]);
		assert_string_equal(differences("u.o", "v.o", &arena), wanted[i]);
		arena_release(&arena);
	}
}

static void code_functions__another_constant__that_function_differs_and_no_other(void **state)
{
	static const char *const compiles[] = {"gcc -O2 -c", "gcc -O0 -c", "gcc -O2 -fPIC -c",
		"gcc -O2 -fno-pie -ffunction-sections -c", "gcc -Os -c", "clang -O2 -c", "clang -O0 -c"};
	static const struct change changes[] = {
		{"sed 's/near(x + 9)/near(x + 8)/' u.c", "far"},
		{"sed 's/3.14159/3.14158/' u.c", "area"},
		{"sed 's/value %d/the new value is %d/' u.c", "say"},
		{"sed 's/\"twice\"/\"more than twice\"/' u.c", "twice"},
		{"sed 's/counter += 77/counter += 78/' u.c", "count"},
		/* another callee, another variable: the bytes are the same */
		{"sed 's/counter += 77; return near/counter += 77; return far/' u.c", "count"},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(compiles) / sizeof(compiles[0]); c++)
		if (compiles[c][0] == 'g' || tools_have("clang"))
			expect_each(compiles[c], changes, sizeof(changes) / sizeof(changes[0]));
}

static void code_functions__tables_without_names__are_part_of_their_function(void **state)
{
	static const struct change tables[] = {
		/* a table that the compiler made of a switch (CSWTCH.nn), a function's own table of strings
		   (words.nn) */
		{"sed 's/return 99/return 98/' u.c", "mapped"},
		{"sed 's/\"flag\"/\"flags and more\"/' u.c", "word"},
		/* what has a name is data: it belongs to no function, and the whole program's hash tells of it */
		{"sed 's/27, 81/27, 82/' u.c", ""},
	};
	/* the order of a jump table's targets, with two cases exchanged */
	static const struct change order = {
		"sed 's/case 1: return far(3) ^ 3; case 2: return say(x)/case 2: return far(3) ^ 3; case 1: "
		"return say(x)/' u.c",
		"choose"};
	static const struct change string = {"sed 's/\"six\"/\"seven\"/' u.c", "choose"};

	(void)state;
	expect_each("gcc -O2 -c", tables, 3);
	expect_each("gcc -O2 -fPIC -c", tables, 1);
	expect_each("gcc -O1 -c", &order, 1);
	if (tools_have("clang")) {
		expect_each("clang -O2 -c", tables, 1);
		expect_each("clang -O1 -c", &string, 1);
	}
}

static void code_functions__inlined__is_in_one_only(void **state)
{
	struct arena arena = {0};

	(void)state;
	tools_write("i.c", "static int add(int x) { return x + 5; }\nint use(int x) { return add(x) * 2; }\n"
			   "int other(int x) { return x - 1; }\n");
	tools_run(NULL, "gcc -O2 -fno-inline -fno-ipa-cp -c -o a.o i.c && gcc -O2 -c -o b.o i.c");
	assert_string_equal(differences("a.o", "b.o", &arena), "use -add");
	arena_release(&arena);
}

/* Other machines' code: calls that the assembler resolved, tables without addends. */
static void code_functions__other_machines__the_same_holds(void **state)
{
	static const struct {
		const char *probe, *compile;
	} machines[] = {
		{"aarch64-linux-gnu-gcc", "aarch64-linux-gnu-gcc -O2 -c"},
		{"clang", "clang --target=aarch64-linux-gnu -O2 -c"},
		{"clang", "clang --target=i386-linux-gnu -O2 -c"},
		{"clang", "clang --target=riscv64-linux-gnu -O2 -c"},
		{"gcc", "gcc -m32 -O2 -c"},
		{"gcc", "gcc -m32 -O2 -fPIC -c"},
	};

	static const struct change changes[] = {
		{"sed 's/near(x + 9)/near(x + 8)/' u.c", "far"},
		{"sed 's/value %d/the new value is %d/' u.c", "say"},
		{"sed 's/^F int count/F int more(int x) { return x % 77 + (x >> 3); }\\n&/' u.c", "+more"},
	};

	(void)state;
	tools_write("probe.c", "int x;\n");
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		char line[256];
		bool ok;

		snprintf(line, sizeof(line), "command -v %s && %s -o probe.o probe.c 2>/dev/null",
			machines[i].probe, machines[i].compile);
		tools_run(&ok, line);
		if (ok)
			expect_each(machines[i].compile, changes, sizeof(changes) / sizeof(changes[0]));
	}
}

static void code_functions__several_objects__weak_ones_once_and_only_what_is_linked(void **state)
{
	const char *paths[2];
	struct arena arena = {0};
	struct code_functions all = {0}, linked = {0}, stripped = {0};
	struct error e = {0};

	(void)state;
	tools_write("a.c",
		"__attribute__((weak)) int shared(int x) { return x; }\nint unused(void) { return 3; }\n"
		"static int local(int x) { return x + 1; } int (*keep)(int) = local;\n"
		"int main(void) { return shared(0); }\n");
	tools_write("b.c", "__attribute__((weak)) int shared(int x) { return x; }\n"
			   "static int local(int x) { return x + 2; } int (*keep2)(int) = local;\n");
	tools_run(NULL,
		"gcc -O1 -ffunction-sections -fno-inline -c a.c b.c && gcc -Wl,--gc-sections -o p a.o b.o && "
		"strip -o s p");
	paths[0] = tools_path("a.o");
	paths[1] = tools_path("b.o");
	assert_int_equal(code_functions(paths, 2, NULL, &arena, &all, &e), 0);
	/* main, unused, shared once, and two that are both named local */
	assert_int_equal(all.n, 5);
	assert_int_equal(code_functions(paths, 2, tools_path("p"), &arena, &linked, &e), 0);
	assert_non_null(find(&linked, "main"));
	assert_non_null(find(&linked, "shared"));
	assert_null(find(&linked, "unused"));
	assert_int_equal(strtoul(tools_run(NULL, "nm p | grep -c ' unused$'; true"), NULL, 10), 0);
	/* a stripped program says nothing of what it has */
	assert_int_equal(code_functions(paths, 2, tools_path("s"), &arena, &stripped, &e), 0);
	assert_int_equal(stripped.n, 5);
	arena_release(&arena);
}

static void fails(const char *name, const char *why)
{
	const char *path = tools_path(name);
	struct code_functions out = {0};
	struct arena arena = {0};
	struct error e = {0};

	assert_int_equal(code_functions(&path, 1, NULL, &arena, &out, &e), -1);
	assert_null(out.v);
	if (strstr(e.text, why) == NULL || strstr(e.text, name) == NULL)
		fail_msg("%s", e.text);
	arena_release(&arena);
}

static void code_functions__nothing_to_read__says_why(void **state)
{
	(void)state;
	tools_run(NULL, "strip -o stripped.o u.o && gcc -O2 -flto -c -o lto.o u.c && gcc -O2 -o program u.c "
			"&& strip -s -o "
			"bare program");
	fails("stripped.o", "no symbol table (stripped)");
	fails("lto.o", "LTO");
	fails("program", "no relocatable object");
	fails("bare", "no relocatable object");
	fails("u.c", "not an ELF file");
	fails("missing.o", "No such file");
}

static void code_functions__symbol_without_size__has_no_hash(void **state)
{
	struct arena arena = {0};
	struct code_functions functions;

	(void)state;
	tools_write("w.s", "\t.text\n\t.globl bare\n\t.type bare, @function\nbare:\n\tret\n"
			   "\t.section .note.GNU-stack,\"\"\n");
	tools_run(NULL, "gcc -c -o w.o w.s");
	functions = read_object("w.o", &arena);
	assert_int_equal(functions.n, 1);
	assert_int_equal(functions.v[0].size, 0);
	assert_null(functions.v[0].hash);
	arena_release(&arena);
}

/* Archived hashes are compared across versions: another way of hashing needs another CODE_FUNCTION_HASH. */
static void code_functions__kept_objects__have_the_hashes_of_this_way(void **state)
{
	static const struct {
		const char *path, *g, *f, *s;
	} kept[] = {
		{"tests/fuzz/code/x86-64.elf", "fdb575e4067054d3", "4d4696b5ff4f1e0f", "b7f018c0e1a1a6c7"},
		{"tests/fuzz/code/i386.elf", "d9bb12fa9ad0b8cd", "22d36be756b95517", "a69cd812a516d8c8"},
		{"tests/fuzz/code/aarch64.elf", "3e06052e5305e409", "c120f2fa48b133ef", "19da17d3bddaaa8d"},
	};

	(void)state;
	assert_string_equal(CODE_FUNCTION_HASH, "1");
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		struct code_functions functions = {0};
		struct arena arena = {0};

		assert_int_equal(code_functions(&kept[i].path, 1, NULL, &arena, &functions, NULL), 0);
		assert_string_equal(find(&functions, "g")->hash, kept[i].g);
		assert_string_equal(find(&functions, "f")->hash, kept[i].f);
		assert_string_equal(find(&functions, "s")->hash, kept[i].s);
		arena_release(&arena);
	}
}

static void code_function_base__suffixes__are_no_part_of_it(void **state)
{
	static const char *const names[][2] = {{"multiply", "multiply"}, {"multiply.constprop.0", "multiply"},
		{"a.isra.0.cold", "a"}, {"a.part.3.lto_priv.12", "a"}, {"a.cold", "a"},
		{"a.coldest", "a.coldest"}, {"std.x.llvm.1234567", "std.x"}, {".cold", ".cold"}, {"", ""},
		{"a.constprop.0.x", "a.constprop.0.x"}, {"_ZN1a1bEv.cold", "_ZN1a1bEv"}};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(code_function_base(names[i][0]), strlen(names[i][1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_functions__object__names_and_sizes_are_what_nm_says),
		cmocka_unit_test(code_functions__same_source__equal_wherever_and_however_named),
		cmocka_unit_test(code_functions__another_constant__that_function_differs_and_no_other),
		cmocka_unit_test(code_functions__tables_without_names__are_part_of_their_function),
		cmocka_unit_test(code_functions__inlined__is_in_one_only),
		cmocka_unit_test(code_functions__other_machines__the_same_holds),
		cmocka_unit_test(code_functions__several_objects__weak_ones_once_and_only_what_is_linked),
		cmocka_unit_test(code_functions__nothing_to_read__says_why),
		cmocka_unit_test(code_functions__symbol_without_size__has_no_hash),
		cmocka_unit_test(code_functions__kept_objects__have_the_hashes_of_this_way),
		cmocka_unit_test(code_function_base__suffixes__are_no_part_of_it),
	};

	return cmocka_run_group_tests_name("code_functions", tests, build, tools_teardown);
}
