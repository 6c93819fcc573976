/*
 * step_read: where instructions begin and where jumps lead is what objdump says of the same bytes; fillers are those
 * that the assembler makes, and no instruction that does something.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "code/step.h"
#include "test_code_tools.h"

static void need_x86(void)
{
	if (step_missing(EM_X86_64) != NULL)
		skip();
}

/* One instruction, given as bytes. */
static struct step read_bytes(unsigned machine, const char *bytes, size_t count)
{
	struct step step = {0};

	if (!step_read(machine, (const unsigned char *)bytes, count, &step))
		fail_msg("not an instruction");
	assert_int_equal(step.size, count);
	return step;
}

static void step_read__forms_of_nop__are_fillers(void **state)
{
	/* Intel SDM volume 2B, "Recommended Multi-Byte Sequence of NOP Instruction", and gas' longer ones */
	static const struct {
		const char *bytes;
		size_t count;
	} nops[] = {{"\x90", 1}, {"\x66\x90", 2}, {"\x0F\x1F\x00", 3}, {"\x0F\x1F\x40\x00", 4},
		{"\x0F\x1F\x44\x00\x00", 5}, {"\x66\x0F\x1F\x44\x00\x00", 6}, {"\x0F\x1F\x80\0\0\0\0", 7},
		{"\x0F\x1F\x84\x00\0\0\0\0", 8}, {"\x66\x0F\x1F\x84\x00\0\0\0\0", 9},
		{"\x66\x2E\x0F\x1F\x84\x00\0\0\0\0", 10}, {"\x66\x66\x2E\x0F\x1F\x84\x00\0\0\0\0", 11},
		{"\x66\x66\x66\x66\x66\x66\x2E\x0F\x1F\x84\x00\0\0\0\0", 15}};

	(void)state;
	need_x86();
	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		assert_int_equal(read_bytes(EM_X86_64, nops[i].bytes, nops[i].count).kind, STEP_FILL);
	assert_int_equal(read_bytes(EM_AARCH64, "\x1F\x20\x03\xD5", 4).kind, STEP_FILL);
}

static void step_read__others_that_hardly_do_anything__are_none(void **state)
{
	/* pause, endbr64, mov %eax,%eax (clears the upper half), lea 0(%rax),%rcx, prefetch */
	static const struct {
		const char *bytes;
		size_t count;
	} others[] = {{"\xF3\x90", 2}, {"\xF3\x0F\x1E\xFA", 4}, {"\x89\xC0", 2}, {"\x48\x8D\x48\x00", 4},
		{"\x0F\x18\x08", 3}};

	(void)state;
	/* yield, bti c, paciasp: hints, but no NOP */
	assert_int_equal(read_bytes(EM_AARCH64, "\x3F\x20\x03\xD5", 4).kind, STEP_PLAIN);
	assert_int_equal(read_bytes(EM_AARCH64, "\x5F\x24\x03\xD5", 4).kind, STEP_PLAIN);
	assert_int_equal(read_bytes(EM_AARCH64, "\x3F\x23\x03\xD5", 4).kind, STEP_PLAIN);
	need_x86();
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(read_bytes(EM_X86_64, others[i].bytes, others[i].count).kind, STEP_PLAIN);
}

static void step_read__short_and_long_jumps__have_one_shape(void **state)
{
	static const struct {
		const char *brief, *full;
		size_t full_size;
		bool equal;
	} pairs[] = {
		{"\xEB\x10", "\xE9\x10\0\0\0", 5, true},
		{"\x75\x10", "\x0F\x85\x10\0\0\0", 6, true},
		{"\x75\x10", "\x0F\x84\x10\0\0\0", 6, false},
		{"\xEB\x10", "\xE8\x10\0\0\0", 5, false},
	};

	(void)state;
	need_x86();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct step a = read_bytes(EM_X86_64, pairs[i].brief, 2);
		struct step b = read_bytes(EM_X86_64, pairs[i].full, pairs[i].full_size);

		assert_true(a.leads && a.flow && b.leads && b.flow);
		assert_int_equal(a.distance, 0x12);
		assert_int_equal(b.distance, 0x10 + pairs[i].full_size);
		assert_true((a.shape_size == b.shape_size && memcmp(a.shape, b.shape, a.shape_size) == 0) ==
			    pairs[i].equal);
	}
}

static void step_read__cut__is_no_instruction(void **state)
{
	struct step step;

	(void)state;
	assert_false(step_read(EM_AARCH64, (const unsigned char *)"\x1F\x20\x03", 3, &step));
	assert_non_null(step_missing(EM_RISCV));
	need_x86();
	assert_false(step_read(EM_X86_64, (const unsigned char *)"\xE9\x00\x00", 3, &step));
	assert_false(
		step_read(EM_X86_64, (const unsigned char *)"\x06", 1, &step)); /* push %es: not in 64 bit */
}

/*
 * Holds the steps through an object's .text against objdump's lines "  1a:\t0f 85 ...\tjne    20 <f+0x20>". Returns how
 * many jumps had their target compared.
 */
static size_t hold_against_objdump(unsigned machine, const char *object, const char *objdump)
{
	struct buf text = {0};
	char line[512];
	char *rest = NULL, *listing;
	size_t at = 0, jumps = 0, n = 0;

	snprintf(line, sizeof(line),
		"objcopy -O binary -j .text %s text.bin 2>/dev/null || llvm-objcopy -O binary "
		"-j .text %s text.bin",
		object, object);
	tools_run(NULL, line);
	snprintf(line, sizeof(line),
		"%s -d -j .text %s | sed -n 's/^ *\\([0-9a-f]*\\):[ \\t][ \\t]*[0-9a-f "
		"]*\\t\\([a-z0-9.]*\\)[ \\t]*"
		"\\(.*\\)/\\1 \\2 \\3/p' >listing",
		objdump, object);
	tools_run(NULL, line);
	assert_int_equal(file_read(tools_path("text.bin"), 1 << 20, &text, NULL), 0);
	struct buf lines = {0};
	assert_int_equal(file_read(tools_path("listing"), 1 << 22, &lines, NULL), 0);
	listing = lines.data;
	for (char *word = strtok_r(listing, "\n", &rest); word != NULL; word = strtok_r(NULL, "\n", &rest)) {
		char name[64] = "";
		unsigned long address, target;
		struct step step;

		if (sscanf(word, "%lx %63s", &address, name) != 2)
			continue;
		assert_int_equal(address, at);
		assert_true(step_read(machine, (const unsigned char *)text.data + at, text.n - at, &step));
		if ((name[0] == 'j' || strncmp(name, "b.", 2) == 0 || strcmp(name, "cbz") == 0) &&
			strchr(word, '<') != NULL && strchr(word, '*') == NULL && strchr(word, ',') == NULL) {
			assert_int_equal(sscanf(word, "%*x %*s %lx", &target), 1);
			assert_true(step.leads && step.flow);
			assert_int_equal(at + (size_t)step.distance, target);
			jumps++;
		}
		at += step.size;
		n++;
	}
	assert_int_equal(at, text.n);
	assert_true(n > 50);
	buf_release(&text);
	buf_release(&lines);
	return jumps;
}

static const char *const unit_text =
	"#define F __attribute__((noinline))\n"
	"F static double sum(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * "
	"a[i]; "
	"return s; }\n"
	"F void scale(float *a, int n, float f) { for (int i = 0; i < n; i++) a[i] = a[i] > 1 ? a[i] * f : "
	"0; }\n"
	"F int choose(int x) { switch (x) { case 0: return 17; case 1: return x * 4; case 2: return 99 / x; "
	"case 3: "
	"return 5; case 4: return 1000 % x; case 5: return x << 3; default: return -1; } }\n"
	"F unsigned hash(const unsigned char *p, unsigned n) { unsigned h = 5381; while (n--) h = h * 33 ^ "
	"*p++; "
	"return h; }\n"
	"F void sort(int *a, int n) { for (int i = 0; i < n; i++) for (int k = i; k > 0 && a[k - 1] > a[k]; "
	"k--) { "
	"int t = a[k]; a[k] = a[k - 1]; a[k - 1] = t; } }\n"
	"int run(double *a, int *b, float *c, int n) { sort(b, n); scale(c, n, 2.5f); return (int)sum(a, n) "
	"+ choose(n) + "
	"(int)hash((unsigned char *)a, (unsigned)n); }\n";

static void step_read__compiled_code__begins_and_leads_where_objdump_says(void **state)
{
	static const char *const flags[] = {"-O2", "-O3 -march=x86-64-v3",
		"-O3 -march=x86-64-v4 -mprefer-vector-width=512", "-Os", "-O0", "-O2 -fpic"};

	(void)state;
	need_x86();
	tools_write("u.c", unit_text);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		char line[256];

		snprintf(line, sizeof(line), "gcc -m64 %s -c -o u.o u.c", flags[i]);
		bool ok;
		tools_run(&ok, line);
		if (!ok)
			skip(); /* another machine's gcc */
		assert_true(hold_against_objdump(EM_X86_64, "u.o", "objdump") > 5);
	}
}

static void step_read__aarch64__begins_and_leads_where_objdump_says(void **state)
{
	bool ok;

	(void)state;
	tools_write("u.c", unit_text);
	tools_run(&ok, "clang --target=aarch64-linux-gnu -O2 -c -o arm.o u.c 2>/dev/null && llvm-objdump "
		       "--version >/dev/null 2>&1");
	if (!ok)
		skip();
	/* llvm-objdump writes targets as 0x..., which the same scan reads */
	assert_true(hold_against_objdump(EM_AARCH64, "arm.o", "llvm-objdump") > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(step_read__forms_of_nop__are_fillers),
		cmocka_unit_test(step_read__others_that_hardly_do_anything__are_none),
		cmocka_unit_test(step_read__short_and_long_jumps__have_one_shape),
		cmocka_unit_test(step_read__cut__is_no_instruction),
		cmocka_unit_test(step_read__compiled_code__begins_and_leads_where_objdump_says),
		cmocka_unit_test(step_read__aarch64__begins_and_leads_where_objdump_says),
	};

	return cmocka_run_group_tests_name("code_step", tests, tools_setup, tools_teardown);
}
