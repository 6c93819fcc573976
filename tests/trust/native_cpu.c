#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/file.h"
#include "host/host.h"
#include "native.h"
#include "sys/process.h"

/* A simulated CPU as a machine: CPUID asked under qemu, told as the kernel tells it, read as any host is read. */

#if defined(__x86_64__)
enum reg { EAX, EBX, ECX, EDX };

/* Bits of CPUID and the names that Linux has for them in /proc/cpuinfo (arch/x86/include/asm/cpufeatures.h). */
static const struct {
	uint32_t leaf;
	enum reg reg;
	unsigned bit;
	const char *name;
} features[] = {
	{1, EDX, 0, "fpu"},
	{1, EDX, 4, "tsc"},
	{1, EDX, 8, "cx8"},
	{1, EDX, 15, "cmov"},
	{1, EDX, 23, "mmx"},
	{1, EDX, 24, "fxsr"},
	{1, EDX, 25, "sse"},
	{1, EDX, 26, "sse2"},
	{1, ECX, 0, "pni"},
	{1, ECX, 1, "pclmulqdq"},
	{1, ECX, 9, "ssse3"},
	{1, ECX, 12, "fma"},
	{1, ECX, 13, "cx16"},
	{1, ECX, 19, "sse4_1"},
	{1, ECX, 20, "sse4_2"},
	{1, ECX, 22, "movbe"},
	{1, ECX, 23, "popcnt"},
	{1, ECX, 25, "aes"},
	{1, ECX, 26, "xsave"},
	{1, ECX, 28, "avx"},
	{1, ECX, 29, "f16c"},
	{1, ECX, 30, "rdrand"},
	{7, EBX, 0, "fsgsbase"},
	{7, EBX, 3, "bmi1"},
	{7, EBX, 5, "avx2"},
	{7, EBX, 8, "bmi2"},
	{7, EBX, 9, "erms"},
	{7, EBX, 16, "avx512f"},
	{7, EBX, 17, "avx512dq"},
	{7, EBX, 18, "rdseed"},
	{7, EBX, 19, "adx"},
	{7, EBX, 23, "clflushopt"},
	{7, EBX, 24, "clwb"},
	{7, EBX, 28, "avx512cd"},
	{7, EBX, 29, "sha_ni"},
	{7, EBX, 30, "avx512bw"},
	{7, EBX, 31, "avx512vl"},
	{7, ECX, 3, "pku"},
	{7, ECX, 8, "gfni"},
	{7, ECX, 9, "vaes"},
	{7, ECX, 10, "vpclmulqdq"},
	{0x80000001, ECX, 0, "lahf_lm"},
	{0x80000001, ECX, 5, "abm"},
	{0x80000001, ECX, 6, "sse4a"},
	{0x80000001, ECX, 8, "3dnowprefetch"},
	{0x80000001, ECX, 11, "xop"},
	{0x80000001, ECX, 16, "fma4"},
	{0x80000001, ECX, 21, "tbm"},
	{0x80000001, EDX, 11, "syscall"},
	{0x80000001, EDX, 29, "lm"},
};

static bool has(size_t feature)
{
	uint32_t r[4] = {0};

	return __get_cpuid_count(features[feature].leaf, 0, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) != 0 &&
	       (r[features[feature].reg] >> features[feature].bit & 1) != 0;
}

int native_print_cpu(void)
{
	char vendor[13] = "", name[49] = "";
	uint32_t a = 0, b = 0, c = 0, d = 0, family, model;

	__get_cpuid(0, &a, &b, &c, &d);
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t r[4] = {0};

		__get_cpuid(0x80000002 + i, &r[0], &r[1], &r[2], &r[3]);
		memcpy(name + 16 * i, r, 16);
	}
	__get_cpuid(1, &a, &b, &c, &d);
	/* extended family and model count where the manuals of Intel and AMD say so */
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 6 || family == 0xf)
		model |= (a >> 16 & 0xf) << 4;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	printf("processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: "
	       "%s\nstepping\t: "
	       "%u\nflags\t\t:",
		vendor, family, model, name, a & 0xf);
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (has(i))
			printf(" %s", features[i].name);
	printf("\n\n");
	return 0;
}
#else
int native_print_cpu(void)
{
	fprintf(stderr, "trust: --cpuid: this program was built for another architecture than x86_64\n");
	return 3;
}
#endif

static int ask_cpu(struct trust *t, const char *qemu, const char *model, struct buf *text, struct error *e)
{
	char *argv[] = {arena_strdup(&t->arena, qemu), arena_strdup(&t->arena, "-cpu"),
		arena_strdup(&t->arena, model), arena_strdup(&t->arena, t->program),
		arena_strdup(&t->arena, "--cpuid"), NULL};
	struct process_options options = {.argv = argv, .cpu = -1};
	struct process_result result = {0};

	if (process_run(&options, &result, e) != 0)
		return -1;
	if (process_ok(&result))
		buf_add(text, result.out.data, result.out.n);
	else
		error_set(e, EXIT_CANNOT, "asking %s for its CPU %s: %s: %s", qemu, model,
			process_describe(&result, &t->arena), buf_text(&result.err));
	process_result_release(&result);
	return text->n > 0 ? 0 : -1;
}

int native_cpu_facts(
	struct trust *t, const char *qemu, const char *model, struct facts *facts, struct error *e)
{
	static const char *const keys[] = {
		"cpu.vendor", "cpu.model_name", "cpu.family", "cpu.model", "cpu.stepping", "cpu.flags"};
	const char *root = arena_printf(&t->arena, "%s/machine", t->scratch);
	const char *path = file_join(&t->arena, root, "proc/cpuinfo");
	struct facts simulated = {.arena = &t->arena};
	struct buf text = {0};
	int result = -1;

	if (ask_cpu(t, qemu, model, &text, e) == 0 &&
		file_make_folders(file_folder(&t->arena, path), e) == 0 &&
		file_write_atomic(path, buf_text(&text), text.n, e) == 0)
		result = host_read(root, &simulated, e);
	buf_release(&text);
	for (size_t i = 0; result == 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = facts_value(&simulated, keys[i]);

		if (value == NULL)
			return error_set(
				e, EXIT_CANNOT, "the simulated CPU %s does not tell %s", model, keys[i]);
		facts_set(facts, keys[i], value, arena_printf(&t->arena, "%s -cpu %s", qemu, model));
	}
	return result;
}
