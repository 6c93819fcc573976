/*
 * code_isa: what the assembler wrote for one instruction set is found as that one and no other, for both machines; what
 * runs on every CPU does not count; functions that are asked for, and those only; signs of a program that looks at the CPU.
 *
 * The truth is GNU as: it takes an instruction only where -march= has its set. With file names as arguments, this program
 * prints what a sweep over each finds, for tests/pipeline/isa_objdump.sh and tests/soak/decode.sh.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "code/code.h"
#include "code/decode.h"
#include "code/isa.h"
#include "test_code_tools.h"

static bool have_zydis, have_arm;

static int setup(void **state)
{
	if (tools_setup(state) != 0)
		return -1;
	have_zydis = strstr(code_isa_source(), "no Zydis") == NULL;
	have_arm = tools_have("aarch64-linux-gnu-as");
	return 0;
}

static struct code_isa decode_with(
	const char *name, const struct code_isa_options *options, struct arena *arena)
{
	struct code_isa isa = {0};
	struct error e = {0};

	if (code_isa(tools_path(name), options, arena, &isa, &e) != 0)
		fail_msg("%s", e.text);
	return isa;
}

static struct code_isa decode(const char *name, struct arena *arena)
{
	return decode_with(name, NULL, arena);
}

static const struct code_isa_set *find(const struct code_isa *isa, const char *name)
{
	for (size_t i = 0; i < isa->set_count; i++)
		if (strcmp(isa->sets[i].name, name) == 0)
			return &isa->sets[i];
	return NULL;
}

/* Instructions, the sets that each of these needs, vector bits, lowest level. */
struct sample {
	const char *text, *sets;
	uint32_t bits;
	const char *level;
};

static void assemble(const char *as, const char *text)
{
	char line[1024];

	tools_write("s.s", ".text\n.globl f\n.type f, %function\nf:\n");
	snprintf(line, sizeof(line),
		"printf '%%s\\n' '%s' '.size f, .-f' | tr ';' '\\n' >>s.s && %s -o s.o s.s", text, as);
	tools_run(NULL, line);
}

/*
 * Many samples with one start of the assembler: the n-th is the function f<n>, in which f means itself, behind a line of
 * its own (".arch ..."). What is found is then asked for by the function's name.
 */
static FILE *many_begin(void)
{
	FILE *file = fopen(tools_path("many.s"), "w");

	assert_non_null(file);
	fputs(".text\n", file);
	return file;
}

static void many_add(FILE *file, size_t n, const char *directive, const char *text)
{
	fprintf(file, "%s\n.globl f%zu\n.type f%zu, %%function\nf%zu:\n", directive, n, n, n);
	for (const char *c = text; *c != '\0'; c++) {
		const bool alone = *c == 'f' && (c == text || c[-1] == ' ' || c[-1] == ',') &&
				   (c[1] == '\0' || c[1] == ';');

		if (alone)
			fprintf(file, "f%zu", n);
		else
			fputc(*c == ';' ? '\n' : *c, file);
	}
	fprintf(file, "\n.size f%zu, .-f%zu\n", n, n);
}

static struct code_isa many_decode(size_t n, struct arena *arena)
{
	struct words names = {0};
	const struct code_isa_options only = {.functions = &names};

	words_addf(&names, arena, "f%zu", n);
	return decode_with("many.o", &only, arena);
}

static void check_samples(const char *as, const struct sample *samples, size_t count)
{
	FILE *file = many_begin();

	for (size_t i = 0; i < count; i++)
		many_add(file, i, "", samples[i].text);
	assert_int_equal(fclose(file), 0);
	tools_run(NULL, as);
	for (size_t i = 0; i < count; i++) {
		struct arena arena = {0};
		struct code_isa isa = many_decode(i, &arena);

		if (isa.unknown != NULL || strcmp(isa.used, samples[i].sets) != 0 ||
			isa.vector_bits != samples[i].bits || strcmp(isa.level, samples[i].level) != 0 ||
			isa.bad_bytes != 0 || code_isa_share(&isa) != 1.0)
			fail_msg("%s: found \"%s\", %u bits, %s, %llu bad bytes (%s)", samples[i].text,
				isa.used, isa.vector_bits, isa.level != NULL ? isa.level : "-",
				(unsigned long long)isa.bad_bytes, isa.unknown != NULL ? isa.unknown : "-");
		arena_release(&arena);
	}
}

#define V(n) "x86-64-v" #n

static const struct sample x86_samples[] = {
	{"mov %rax,%rbx;imul %rcx,%rax;cmpxchg8b (%rax);cmovne %rax,%rbx;fld1;fucomip %st(1),%st", "", 0,
		V(1)},
	{"addsd %xmm0,%xmm1", "", 128, V(1)},
	{"paddq %mm0,%mm1;movq2dq %mm0,%xmm0;mfence;ldmxcsr (%rax)", "", 128, V(1)},
	{"lfence;movnti %eax,(%rbx);clflush (%rax);prefetcht0 (%rax)", "", 0, V(1)},
	/* the bytes do nothing, or the same as ever, on CPUs that do not know them */
	{"endbr64;pause;prefetchw (%rax);rdsspq %rax;incsspq %rax;tzcnt %eax,%ebx;nopw "
	 "0(%rax,%rax,1);cldemote (%rax)",
		"", 0, V(1)},
	{"bndmov %bnd0,%bnd1;bnd ret;xacquire lock incl (%rax);xrelease lock decl (%rax);notrack jmp *%rax",
		"", 0, V(1)},
	{"lock cmpxchg16b (%rax)", "cx16", 0, V(2)},
	{"lahf", "sahf", 0, V(2)},
	{"haddpd %xmm0,%xmm1", "sse3", 128, V(2)},
	{"fisttps (%rax)", "sse3", 0, V(2)},
	{"pshufb %xmm0,%xmm1", "ssse3", 128, V(2)},
	{"ptest %xmm0,%xmm1", "sse4.1", 128, V(2)},
	{"pextrw $1,%xmm0,(%rax)", "sse4.1", 128, V(2)},
	{"pextrw $1,%xmm0,%eax", "", 128, V(1)},
	{"pcmpgtq %xmm0,%xmm1", "sse4.2", 128, V(2)},
	{"crc32b %al,%ebx", "sse4.2", 0, V(2)},
	{"popcnt %eax,%ebx", "popcnt", 0, V(2)},
	{"lzcnt %eax,%ebx", "lzcnt", 0, V(3)},
	{"movbe (%rax),%ebx", "movbe", 0, V(3)},
	{"xgetbv", "xsave", 0, V(3)},
	{"vaddsd %xmm0,%xmm1,%xmm2", "avx", 128, V(3)},
	{"vaddps %ymm0,%ymm1,%ymm2", "avx", 256, V(3)},
	{"vzeroupper;vzeroall", "avx", 0, V(3)},
	{"vpaddd %xmm0,%xmm1,%xmm2", "avx", 128, V(3)},
	{"vpaddd %ymm0,%ymm1,%ymm2", "avx2", 256, V(3)},
	{"vbroadcastss (%rax),%ymm0", "avx", 256, V(3)},
	{"vbroadcastss %xmm0,%ymm0", "avx2", 256, V(3)},
	{"vpgatherdd %ymm0,(%rax,%ymm1),%ymm2", "avx2", 256, V(3)},
	{"andn %eax,%ebx,%ecx;blsr %eax,%ebx", "bmi", 0, V(3)},
	{"mulx %rax,%rbx,%rcx;rorx $3,%eax,%ebx;shlx %eax,%ebx,%ecx", "bmi2", 0, V(3)},
	{"vcvtph2ps %xmm0,%ymm1", "f16c", 256, V(3)},
	{"vfmadd213sd %xmm0,%xmm1,%xmm2", "fma", 128, V(3)},
	{"vfmaddpd %xmm0,%xmm1,%xmm2,%xmm3", "fma4", 128, V(1)},
	{"vpperm %xmm0,%xmm1,%xmm2,%xmm3", "xop", 128, V(1)},
	{"blcfill %eax,%ebx", "tbm", 0, V(1)},
	{"extrq $1,$2,%xmm0", "sse4a", 128, V(1)},
	{"femms;pfadd %mm0,%mm1", "3dnow", 0, V(1)},
	{"aesenc %xmm0,%xmm1", "aes", 128, V(1)},
	{"vaesenc %xmm0,%xmm1,%xmm2", "avx aes", 128, V(3)},
	{"vaesenc %ymm0,%ymm1,%ymm2", "avx vaes", 256, V(3)},
	{"pclmulqdq $1,%xmm0,%xmm1", "pclmul", 128, V(1)},
	{"vpclmulqdq $1,%xmm0,%xmm1,%xmm2", "avx pclmul", 128, V(3)},
	{"vpclmulqdq $1,%ymm0,%ymm1,%ymm2", "avx vpclmulqdq", 256, V(3)},
	{"vpclmulqdq $1,%zmm0,%zmm1,%zmm2", "avx512f vpclmulqdq", 512, V(4)},
	{"gf2p8mulb %xmm0,%xmm1", "gfni", 128, V(1)},
	{"vgf2p8mulb %ymm0,%ymm1,%ymm2", "avx gfni", 256, V(3)},
	{"sha256rnds2 %xmm0,%xmm1,%xmm2", "sha", 128, V(1)},
	{"rdrand %eax", "rdrnd", 0, V(1)},
	{"rdseed %eax", "rdseed", 0, V(1)},
	{"adcx %eax,%ebx", "adx", 0, V(1)},
	{"rdtscp", "rdtscp", 0, V(1)},
	{"rdfsbase %rax", "fsgsbase", 0, V(1)},
	{"xbegin f;xend", "rtm", 0, V(1)},
	{"clwb (%rax)", "clwb", 0, V(1)},
	{"clflushopt (%rax)", "clflushopt", 0, V(1)},
	{"movdiri %eax,(%rbx)", "movdiri", 0, V(1)},
	{"movdir64b (%rax),%rbx", "movdir64b", 0, V(1)},
	{"serialize", "serialize", 0, V(1)},
	{"tpause %ecx", "waitpkg", 0, V(1)},
	{"rdpid %rax", "rdpid", 0, V(1)},
	{"wrssq %rax,(%rbx)", "shstk", 0, V(1)},
	{"ptwrite %eax", "ptwrite", 0, V(1)},
	{"vaddps %zmm0,%zmm1,%zmm2", "avx512f", 512, V(4)},
	{"vaddps {rn-sae},%zmm0,%zmm1,%zmm2", "avx512f", 512, V(4)},
	{"vaddps %ymm16,%ymm1,%ymm2", "avx512f avx512vl", 256, V(4)},
	{"vaddsd %xmm16,%xmm1,%xmm2;vaddsd {rz-sae},%xmm0,%xmm1,%xmm2", "avx512f", 128, V(4)},
	{"vmovd %xmm16,%eax;vmovq %xmm16,%rax", "avx512f", 128, V(4)},
	{"kandw %k1,%k2,%k3;kmovw %eax,%k1", "avx512f", 0, V(4)},
	{"kmovb %eax,%k1;kaddw %k1,%k2,%k3", "avx512dq", 0, V(4)},
	{"kmovq %rax,%k1;kunpckdq %k1,%k2,%k3", "avx512bw", 0, V(4)},
	{"vpaddb %zmm0,%zmm1,%zmm2", "avx512bw", 512, V(4)},
	{"vpextrb $1,%xmm16,%eax", "avx512bw", 128, V(4)},
	{"vxorps %xmm16,%xmm1,%xmm2", "avx512dq avx512vl", 128, V(4)},
	{"vplzcntd %zmm0,%zmm1", "avx512cd", 512, V(4)},
	{"vpmadd52luq %zmm0,%zmm1,%zmm2", "avx512ifma", 512, V(1)},
	{"vpermb %zmm0,%zmm1,%zmm2", "avx512vbmi", 512, V(1)},
	{"vpshldd $1,%zmm0,%zmm1,%zmm2", "avx512vbmi2", 512, V(1)},
	{"vpdpbusd %zmm0,%zmm1,%zmm2", "avx512vnni", 512, V(1)},
	{"{vex} vpdpbusd %ymm0,%ymm1,%ymm2", "avxvnni", 256, V(1)},
	{"vpopcntb %zmm0,%zmm1", "avx512bitalg", 512, V(1)},
	{"vpopcntq %ymm0,%ymm1", "avx512vl avx512vpopcntdq", 256, V(4)},
	{"vdpbf16ps %zmm0,%zmm1,%zmm2", "avx512bf16", 512, V(1)},
	{"vaddph %zmm0,%zmm1,%zmm2", "avx512fp16", 512, V(1)},
	{"vp2intersectd %zmm0,%zmm1,%k2", "avx512vp2intersect", 512, V(1)},
	{"tilezero %tmm0", "amx-tile", 0, V(1)},
	{"tdpbssd %tmm0,%tmm1,%tmm2", "amx-int8", 0, V(1)},
	{"tdpbf16ps %tmm0,%tmm1,%tmm2", "amx-bf16", 0, V(1)},
};

static void code_isa__x86_instruction_of_a_set__is_found_as_that(void **state)
{
	(void)state;
	if (!have_zydis)
		skip();
	check_samples("as --64 -o many.o many.s", x86_samples, sizeof(x86_samples) / sizeof(x86_samples[0]));
}

/*
 * The short way for the commonest instructions, which is taken where 16 bytes are left, against the full decoder, which
 * is asked where fewer are: all first two bytes and random ones behind.
 */
static void x86_plain__any_bytes__says_what_the_decoder_says(void **state)
{
	struct x86_decoder *decoder = x86_decoder_new();
	size_t plain = 0;
	struct rng rng;

	(void)state;
	if (decoder == NULL)
		skip();
	rng_seed_text(&rng, "plain");
	for (uint32_t i = 0; i < 3 * 65536; i++) {
		struct arena arena = {0};
		struct decode_tally tally = {.arena = &arena};
		uint8_t bytes[16] = {(uint8_t)i, (uint8_t)(i >> 8)};
		unsigned size;

		for (size_t k = 2; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)rng_below(&rng, 256);
		size = x86_plain(bytes, sizeof(bytes));
		if (size == 0)
			continue;
		plain++;
		x86_decode(decoder, &(struct decode_run){.bytes = bytes, .size = size, .section = 1}, &tally);
		if (size > 15 || tally.instructions != 1 || tally.decoded_bytes != size ||
			tally.bad_bytes != 0 || tally.probe.section != 0)
			fail_msg("%02x %02x %02x %02x: %u bytes", bytes[0], bytes[1], bytes[2], bytes[3],
				size);
		for (size_t k = 0; k < ISA_SET_COUNT; k++)
			assert_true(tally.sets[k].count == 0);
		arena_release(&arena);
	}
	assert_true(plain > 100000);
	assert_int_equal(x86_plain((const uint8_t *)"\x90\x90\x90", 3), 0);
	x86_decoder_free(decoder);
}

/* Of one set, taken by as with this -march. */
struct arm_sample {
	const char *march, *text, *sets;
	const char *level;
};

static const struct arm_sample arm_samples[] = {
	{"armv8-a+lse",
		"cas w0,w1,[x2];casalb w0,w1,[x2];casp x0,x1,x2,x3,[x4];ldadd x0,x1,[x2];stset "
		"w0,[x1];swpalh w0,w1,[x2]",
		"lse", "armv8.1-a"},
	{"armv8-a+lse",
		"ldumaxal x0,x1,[x2];ldsmin w0,w1,[x2];ldclrb w0,w1,[x2];ldeorl x0,x1,[x2];casah w0,w1,[x2]",
		"lse", "armv8.1-a"},
	{"armv8-a+crc", "crc32b w0,w1,w2;crc32cx w0,w1,x2", "crc", "armv8.1-a"},
	{"armv8-a+rdma",
		"sqrdmlah v0.4s,v1.4s,v2.4s;sqrdmlsh s0,s1,s2;sqrdmlah v0.8h,v1.8h,v2.h[1];sqrdmlsh "
		"h0,h1,v2.h[3]",
		"rdma", "armv8.1-a"},
	{"armv8.1-a", "ldlar x0,[x1];stllrb w0,[x1]", "lor", "armv8.1-a"},
	{"armv8-a+fp16",
		"fadd h0,h1,h2;fadd v0.8h,v1.8h,v2.8h;fmla v0.4h,v1.4h,v2.h[1];fcvtzs w0,h1;fmov "
		"h0,#1.0;scvtf h0,x1",
		"fp16", "armv8-a"},
	{"armv8-a+fp16",
		"fsqrt v0.8h,v1.8h;fmaxnmv h0,v1.8h;faddp h0,v1.2h;fmulx v0.8h,v1.8h,v2.8h;fcmeq "
		"v0.4h,v1.4h,#0.0;fmadd h0,h1,h2,h3",
		"fp16", "armv8-a"},
	{"armv8-a+fp16",
		"scvtf v0.8h,v1.8h,#3;fcvtzu h0,h1,#2;fmov v0.8h,#2.0;frecps h0,h1,h2;fcsel h0,h1,h2,eq;fmov "
		"w0,h1;frintm h0,h1",
		"fp16", "armv8-a"},
	{"armv8.2-a+fp16fml",
		"fmlal v0.4s,v1.4h,v2.4h;fmlsl2 v0.2s,v1.2h,v2.h[1];fmlal2 v0.4s,v1.4h,v2.4h;fmlsl "
		"v0.4s,v1.4h,v2.h[0]",
		"fp16fml", "armv8-a"},
	{"armv8-a+aes", "aese v0.16b,v1.16b;aesimc v0.16b,v1.16b", "aes", "armv8-a"},
	{"armv8-a+aes", "pmull v0.1q,v1.1d,v2.1d;pmull2 v0.1q,v1.2d,v2.2d", "pmull", "armv8-a"},
	{"armv8-a+sha2", "sha1c q0,s1,v2.4s;sha1h s0,s1;sha1su0 v0.4s,v1.4s,v2.4s;sha1su1 v0.4s,v1.4s",
		"sha1", "armv8-a"},
	{"armv8-a+sha2",
		"sha256h q0,q1,v2.4s;sha256h2 q0,q1,v2.4s;sha256su0 v0.4s,v1.4s;sha256su1 v0.4s,v1.4s,v2.4s",
		"sha2", "armv8-a"},
	{"armv8.2-a+sha3",
		"eor3 v0.16b,v1.16b,v2.16b,v3.16b;bcax v0.16b,v1.16b,v2.16b,v3.16b;rax1 "
		"v0.2d,v1.2d,v2.2d;xar v0.2d,v1.2d,v2.2d,#3",
		"sha3", "armv8-a"},
	{"armv8-a+sha3", "sha512h q0,q1,v2.2d;sha512su0 v0.2d,v1.2d;sha512su1 v0.2d,v1.2d,v2.2d", "sha512",
		"armv8-a"},
	{"armv8.2-a+sm4",
		"sm3ss1 v0.4s,v1.4s,v2.4s,v3.4s;sm3tt1a v0.4s,v1.4s,v2.s[1];sm3partw1 v0.4s,v1.4s,v2.4s",
		"sm3", "armv8-a"},
	{"armv8.2-a+sm4", "sm4e v0.4s,v1.4s;sm4ekey v0.4s,v1.4s,v2.4s", "sm4", "armv8-a"},
	{"armv8-a+rcpc", "ldapr x0,[x1];ldaprb w0,[x1]", "rcpc", "armv8.3-a"},
	{"armv8.2-a+dotprod", "sdot v0.4s,v1.16b,v2.16b;udot v0.2s,v1.8b,v2.4b[1]", "dotprod", "armv8.4-a"},
	{"armv8-a+flagm", "cfinv;rmif x0,#1,#2;setf8 w0;setf16 w1", "flagm", "armv8.4-a"},
	{"armv8-a+sb", "sb", "sb", "armv8.5-a"},
	{"armv8.5-a+memtag",
		"irg x0,x1,x2;addg x0,x1,#16,#1;stg x0,[x1];ldg x0,[x1];stgp x0,x1,[x2];subp x0,x1,x2;gmi "
		"x0,x1,x2",
		"memtag", "armv8-a"},
	{"armv8-a+rng", "mrs x0,rndr;mrs x1,rndrrs", "rng", "armv8-a"},
	{"armv8.2-a+i8mm",
		"smmla v0.4s,v1.16b,v2.16b;usmmla v0.4s,v1.16b,v2.16b;usdot v0.2s,v1.8b,v2.8b;sudot "
		"v0.4s,v1.16b,v2.4b[1]",
		"i8mm", "armv8.6-a"},
	{"armv8-a+bf16",
		"bfdot v0.4s,v1.8h,v2.8h;bfmmla v0.4s,v1.8h,v2.8h;bfmlalb v0.4s,v1.8h,v2.h[2];bfcvt "
		"h0,s1;bfcvtn v0.4h,v1.4s",
		"bf16", "armv8.6-a"},
	{"armv8.6-a+ls64", "ld64b x0,[x8];st64b x0,[x8]", "ls64", "armv8-a"},
	{"armv8.3-a",
		"paciza x0;xpaci x1;autda x0,x1;retaa;braa x0,x1;blrabz x3;ldraa x0,[x1,#8]!;pacga x0,x1,x2",
		"pauth", "armv8.3-a"},
	{"armv8-a+sve",
		"add z0.s,z1.s,z2.s;ld1w {z0.s},p0/z,[x0];whilelo p0.s,x1,x2;cntw x0;sdot "
		"z0.s,z1.b,z2.b;incb x0",
		"sve", "armv8-a"},
	{"armv8-a+sve",
		"fcmla z0.s,p0/m,z1.s,z2.s,#90;fmla z0.s,z1.s,z2.s[1];lsl z0.s,p0/m,z0.s,#3;ext "
		"z0.b,z0.b,z1.b,#3;prfb pldl1keep,p0,[x0]",
		"sve", "armv8-a"},
	{"armv8-a+sve2",
		"mul z0.s,z1.s,z2.s;sqdmulh z0.s,z1.s,z2.s;eor3 z0.d,z0.d,z1.d,z2.d;xar "
		"z0.s,z0.s,z1.s,#3;whilege p0.s,x1,x2;bsl z0.d,z0.d,z1.d,z2.d",
		"sve2", "armv8-a"},
	{"armv8-a+sve2",
		"smlalb z0.s,z1.h,z2.h;sqshl z0.s,p0/m,z0.s,#3;srshr z0.s,p0/m,z0.s,#3;tbl "
		"z0.s,{z1.s,z2.s},z3.s;ldnt1w {z0.s},p0/z,[z1.s]",
		"sve2", "armv8-a"},
	{"armv8-a+sve2",
		"match p0.b,p1/z,z0.b,z1.b;histcnt z0.s,p0/z,z1.s,z2.s;faddp z0.s,p0/m,z0.s,z1.s;fcvtnt "
		"z0.h,p0/m,z1.s;flogb z0.s,p0/m,z1.s;fmlalb z0.s,z1.h,z2.h",
		"sve2", "armv8-a"},
	{"armv8-a+sve2",
		"uaba z0.s,z1.s,z2.s;saddlb z0.s,z1.h,z2.h;sqxtnb z0.h,z1.s;whilewr p0.b,x1,x2;stnt1d "
		"{z0.d},p0,[z1.d];ldnt1d {z0.d},p0/z,[z1.d]",
		"sve2", "armv8-a"},
	{"armv8-a+sve2-aes", "aese z0.b,z0.b,z1.b;aesmc z0.b,z0.b;pmullb z0.q,z1.d,z2.d", "sve2-aes",
		"armv8-a"},
	{"armv8-a+sve2-bitperm", "bext z0.s,z1.s,z2.s;bgrp z0.d,z1.d,z2.d", "sve2-bitperm", "armv8-a"},
	{"armv8-a+sve2-sha3", "rax1 z0.d,z1.d,z2.d", "sve2-sha3", "armv8-a"},
	{"armv8-a+sve2-sm4", "sm4e z0.s,z0.s,z1.s;sm4ekey z0.s,z1.s,z2.s", "sve2-sm4", "armv8-a"},
	{"armv8.2-a+sve+i8mm", "smmla z0.s,z1.b,z2.b;usdot z0.s,z1.b,z2.b;sudot z0.s,z1.b,z2.b[1]",
		"sve i8mm", "armv8.6-a"},
	{"armv8-a+sve+bf16",
		"bfdot z0.s,z1.h,z2.h;bfmlalb z0.s,z1.h,z2.h[1];bfcvt z0.h,p0/m,z1.s;bfmmla z0.s,z1.h,z2.h",
		"sve bf16", "armv8.6-a"},
	{"armv8.2-a+f32mm", "fmmla z0.s,z1.s,z2.s", "f32mm", "armv8-a"},
	{"armv8.2-a+f64mm", "fmmla z0.d,z1.d,z2.d;ld1rob {z0.b},p0/z,[x0];zip1 z0.q,z1.q,z2.q", "f64mm",
		"armv8-a"},
	{"armv8-a+sme", "smstart sm;fmopa za0.s,p0/m,p1/m,z0.s,z1.s;rdsvl x0,#1;zero {za}", "sme", "armv8-a"},
	{"armv8-a+mops",
		"cpyfp [x0]!,[x1]!,x2!;cpyfm [x0]!,[x1]!,x2!;cpyfe [x0]!,[x1]!,x2!;setp [x0]!,x1!,x2;setm "
		"[x0]!,x1!,x2;sete [x0]!,x1!,x2",
		"mops", "armv8.8-a"},
};

/* Instructions of whole versions, which have no option of their own. */
static const struct arm_sample arm_version_samples[] = {
	{"armv8.3-a", "fcmla v0.4s,v1.4s,v2.4s,#90;fcadd v0.2d,v1.2d,v2.2d,#270;fcmla v0.4s,v1.4s,v2.s[0],#0",
		"fcma", "armv8.3-a"},
	{"armv8.3-a", "fjcvtzs w0,d1", "jscvt", "armv8.3-a"},
	{"armv8.4-a", "ldapur x0,[x1,#8];stlurb w0,[x1,#-3];ldapursw x0,[x1,#4]", "rcpc2", "armv8.4-a"},
	{"armv8.5-a", "frint32z s0,s1;frint64x d0,d1;frint32x v0.4s,v1.4s;frint64z v0.2d,v1.2d", "frintts",
		"armv8.5-a"},
	{"armv8.5-a", "axflag;xaflag", "flagm2", "armv8.5-a"},
	{"armv8.2-a", "dc cvap,x0", "dpb", "armv8.2-a"},
	{"armv8.5-a", "dc cvadp,x0", "dpb2", "armv8.5-a"},
	{"armv8.7-a", "wfet x0;wfit x1", "wfxt", "armv8.7-a"},
	{"armv8.8-a", "bc.eq f", "hbc", "armv8.8-a"},
};

/* All groups of instructions of Armv8.0 that lie near those of the table. */
static const char *const arm_base[] = {
	"ldxr x0,[x1];stlxp w0,x1,x2,[x3];ldar w0,[x1];stlr x0,[x1];ldp q0,q1,[x2];ldpsw x0,x1,[x2];stp "
	"d0,d1,[x2,#16]",
	"ldr q0,[x1];ldr h0,[x1];str b0,[x1,x2];ldur s0,[x1,#-3];ld1 {v0.16b},[x0];st4 "
	"{v0.s,v1.s,v2.s,v3.s}[1],[x0],#16;ld1r {v0.4s},[x0]",
	"fcvt s0,h1;fcvt h0,d1;fcvt d0,h1;fcvtn v0.4h,v1.4s;fcvtl v0.4s,v1.4h;fcvtxn v0.2s,v1.2d;fmov "
	"d0,x0;fmov x0,v0.d[1];fmov v0.d[1],x0",
	"fadd s0,s1,s2;fmadd d0,d1,d2,d3;fcmp s0,#0.0;fccmp d0,d1,#3,eq;fcsel s0,s1,s2,ne;scvtf "
	"d0,w1,#3;fcvtzu x0,s1;frinta s0,s1",
	"fadd v0.4s,v1.4s,v2.4s;fmla v0.2d,v1.2d,v2.d[1];fmulx s0,s1,v2.s[1];faddp s0,v1.2s;fmaxnmv "
	"s0,v1.4s;frecpe v0.4s,v1.4s;fsqrt v0.2d,v1.2d",
	"pmull v0.8h,v1.8b,v2.8b;sqdmulh v0.8h,v1.8h,v2.h[1];sqrdmulh s0,s1,s2;mla v0.8h,v1.8h,v2.h[1];mls "
	"v0.4s,v1.4s,v2.s[1];sqdmlal s0,h1,v2.h[1]",
	"umlal v0.4s,v1.4h,v2.h[1];smlsl2 v0.2d,v1.4s,v2.s[1];mul v0.8h,v1.8h,v2.h[3];smull "
	"v0.4s,v1.4h,v2.h[2];umull2 v0.2d,v1.4s,v2.s[3];addv b0,v1.16b",
	"dup v0.8h,w0;ins v0.h[1],w0;umov w0,v0.h[1];tbl v0.16b,{v1.16b,v2.16b},v3.16b;ext "
	"v0.16b,v1.16b,v2.16b,#3;zip1 v0.8h,v1.8h,v2.8h;dup h0,v1.h[1]",
	"movi v0.8h,#3;fmov v0.4s,#1.0;fmov v0.2d,#1.0;sshr v0.8h,v1.8h,#3;scvtf v0.4s,v1.4s,#3;fcvtzs "
	"v0.2d,v1.2d,#5;sqshrn b0,h1,#3;shl d0,d1,#3;sri v0.16b,v1.16b,#3",
	"add x0,x1,#1,lsl #12;sub w0,w1,#3;adds x0,x1,#5;and x0,x1,#0xff;movk x0,#3,lsl #16;extr "
	"x0,x1,x2,#3;bfm x0,x1,#1,#2;adr x0,f",
	"udiv x0,x1,x2;lslv w0,w1,w2;rbit x0,x1;clz w0,w1;cls x0,x1;rev16 w0,w1;adc x0,x1,x2;sbcs "
	"w0,w1,w2;ccmp x0,#1,#2,eq;csinv x0,x1,x2,ge",
	"b f;b.eq f;cbz x0,f;tbnz w0,#3,f;br x0;blr x1;ret;svc #0;brk #1;hint #7;nop;dmb ish;isb;dsb "
	"sy;clrex;mrs x0,tpidr_el0;msr nzcv,x0;mrs x0,cntvct_el0",
	/* hints of later versions do nothing where they are unknown */
	"hint #34;hint #25;hint #29;hint #20;hint #16;paciasp;autiasp;xpaclri;bti c;csdb;esb;psb "
	"csync;dgh;prfm pldl1keep,[x0];dc zva,x0;dc cvau,x0",
};

static void check_arm(const struct arm_sample *samples, size_t count)
{
	FILE *file = many_begin();

	for (size_t i = 0; i < count; i++) {
		char directive[64];

		snprintf(directive, sizeof(directive), ".arch %s", samples[i].march);
		many_add(file, i, directive, samples[i].text);
	}
	assert_int_equal(fclose(file), 0);
	tools_run(NULL, "aarch64-linux-gnu-as -o many.o many.s");
	for (size_t i = 0; i < count; i++) {
		const struct arm_sample *sample = &samples[i];
		struct arena arena = {0};
		struct code_isa isa = many_decode(i, &arena);

		if (isa.unknown != NULL || strcmp(isa.used, sample->sets) != 0 ||
			strcmp(isa.level, sample->level) != 0 || isa.bad_bytes != 0)
			fail_msg("%s: found \"%s\", %s; %s", sample->text, isa.used,
				isa.level != NULL ? isa.level : "-", isa.unknown != NULL ? isa.unknown : "");
		arena_release(&arena);
	}
}

static void code_isa__aarch64_instruction_of_a_set__is_found_as_that(void **state)
{
	(void)state;
	if (!have_arm)
		skip();
	check_arm(arm_samples, sizeof(arm_samples) / sizeof(arm_samples[0]));
	check_arm(arm_version_samples, sizeof(arm_version_samples) / sizeof(arm_version_samples[0]));
}

static void code_isa__aarch64_baseline__needs_nothing(void **state)
{
	const size_t count = sizeof(arm_base) / sizeof(arm_base[0]);
	FILE *file;

	(void)state;
	if (!have_arm)
		skip();
	file = many_begin();
	for (size_t i = 0; i < count; i++) /* the last line holds hints with names of later versions */
		many_add(file, i, i + 1 < count ? ".arch armv8-a" : ".arch armv8.6-a", arm_base[i]);
	assert_int_equal(fclose(file), 0);
	tools_run(NULL, "aarch64-linux-gnu-as -o many.o many.s");
	for (size_t i = 0; i < count; i++) {
		struct arena arena = {0};
		struct code_isa isa = many_decode(i, &arena);

		if (isa.unknown != NULL)
			fail_msg("%s: %s", arm_base[i], isa.unknown);
		if (isa.used[0] != '\0')
			fail_msg("%s: found %s: %s", arm_base[i], isa.used,
				isa.sets[isa.set_count - 1].example.text);
		assert_string_equal(isa.level, "armv8-a");
		assert_int_equal(isa.bad_bytes, 0);
		arena_release(&arena);
	}
}

static void code_isa__aarch64_data_in_code__is_not_decoded(void **state)
{
	struct arena arena = {0};
	struct code_isa isa;

	(void)state;
	if (!have_arm)
		skip();
	/* the word of casal x0, x1, [x2] as data behind the function's instructions, and as an instruction in another */
	assemble("aarch64-linux-gnu-as -march=armv8-a",
		"ldr x0,1f;ret;1: .word 0xc8e0fc41;.word 0xc8e0fc41;.size f,.-f;.globl g;.type g, "
		"%function;g: .inst "
		"0xc8e0fc41;ret;.size g,.-g");
	isa = decode("s.o", &arena);
	assert_string_equal(isa.used, "lse");
	assert_int_equal(find(&isa, "lse")->count, 1);
	assert_string_equal(find(&isa, "lse")->example.function, "g");
	assert_non_null(strstr(find(&isa, "lse")->example.text, "0xc8e0fc41"));
	arena_release(&arena);
}

/* Two functions and a jump into the middle of neither. */
static const char *const two_functions =
	"#include <immintrin.h>\n"
	"double a[64], b[64];\n"
	"__attribute__((noinline, target(\"avx2,fma\"))) void wide(void) { for (int i = 0; i < 64; i += 4)\n"
	"	_mm256_storeu_pd(a + i, _mm256_fmadd_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i), "
	"_mm256_set1_pd(2))); }\n"
	"__attribute__((noinline, target(\"popcnt\"))) int narrow(unsigned x) { return "
	"__builtin_popcount(x); }\n"
	"int main(int n, char **v) { (void)v; if (n > 5) wide(); return narrow((unsigned)n); }\n";

static void code_isa__names_of_functions__count_only_these(void **state)
{
	struct arena arena = {0};
	struct words names = {0};
	const struct code_isa_options only = {.functions = &names}, without = {.without = &names};
	struct code_isa isa;

	(void)state;
	if (!have_zydis)
		skip();
	tools_write("two.c", two_functions);
	tools_run(NULL, "gcc -O2 -o two two.c && strip -o stripped two && gcc -O2 -c -o two.o two.c");
	words_add(&names, &arena, "narrow");
	isa = decode_with("two", &only, &arena);
	assert_string_equal(isa.used, "popcnt");
	assert_string_equal(isa.level, "x86-64-v2");
	assert_int_equal(isa.vector_bits, 0);
	assert_string_equal(isa.found_by, "symbols");
	assert_true(isa.decoded_bytes == isa.code_bytes && isa.code_bytes < 64);
	isa = decode_with("two", &without, &arena);
	assert_string_equal(isa.used, "avx fma");
	assert_int_equal(isa.vector_bits, 256);
	assert_string_equal(find(&isa, "fma")->example.function, "wide");
	assert_non_null(strstr(find(&isa, "fma")->example.text, "vfmadd"));
	assert_string_equal(find(&isa, "fma")->example.section, ".text");
	names = (struct words){0};
	words_add(&names, &arena, "nowhere");
	isa = decode_with("two", &only, &arena);
	assert_string_equal(isa.unknown, "it has none of these functions");
	arena_release(&arena);
}

static void code_isa__stripped_program__is_found_by_exception_tables(void **state)
{
	struct arena arena = {0};
	struct code_isa whole, stripped;

	(void)state;
	if (!have_zydis)
		skip();
	whole = decode("two", &arena);
	stripped = decode("stripped", &arena);
	assert_string_equal(whole.used, "popcnt avx fma");
	assert_string_equal(stripped.used, whole.used);
	assert_int_equal(stripped.vector_bits, 256);
	assert_non_null(strstr(stripped.found_by, "exception tables"));
	assert_null(find(&stripped, "fma")->example.function);
	assert_int_equal(find(&stripped, "fma")->count, find(&whole, "fma")->count);
	assert_int_equal(find(&stripped, "fma")->example.address, find(&whole, "fma")->example.address);
	/* the C library's start files have functions without size and without entries in those tables */
	assert_true(code_isa_share(&stripped) > 0 && code_isa_share(&stripped) <= code_isa_share(&whole));
	assert_true(code_isa_share(&whole) < 1 && stripped.code_bytes == whole.code_bytes);
	arena_release(&arena);
}

static void code_isa_objects__functions_that_were_not_linked__do_not_count(void **state)
{
	const char *objects[] = {tools_path("a.o"), tools_path("b.o")};
	struct arena arena = {0};
	struct error e = {0};
	struct code_isa isa;

	(void)state;
	if (!have_zydis)
		skip();
	tools_write("a.c",
		"int part(unsigned); int main(int n, char **v) { (void)v; return part((unsigned)n); }\n");
	tools_write("b.c",
		"int part(unsigned x); double gone(double x, double y, double z);\n"
		"int part(unsigned x) { return (int)x + 1; }\n"
		"__attribute__((target(\"fma\"))) double gone(double x, double y, double z) { return "
		"__builtin_fma(x, y, z); }\n");
	tools_run(NULL, "gcc -O2 -ffunction-sections -c a.c b.c && gcc -Wl,--gc-sections -o ab a.o b.o");
	assert_int_equal(code_isa_objects(objects, 2, NULL, &arena, &isa, &e), 0);
	assert_non_null(strstr(isa.used, "fma"));
	assert_int_equal(code_isa_objects(objects, 2, tools_path("ab"), &arena, &isa, &e), 0);
	assert_null(isa.unknown);
	assert_string_equal(isa.used, "");
	assert_string_equal(isa.level, "x86-64-v1");
	arena_release(&arena);
}

/* Programs that look at the CPU, each in its way, and one that does not. */
static void code_isa__program_that_looks_at_the_cpu__says_by_what(void **state)
{
	static const struct {
		const char *source, *sign;
	} programs[] = {
		{"int f(int x); __attribute__((target_clones(\"avx2\", \"default\"))) int f(int x) { return "
		 "x * 3; }\n"
		 "int main(int n, char **v) { (void)v; return f(n); }\n",
			"f"},
		{"int main(void) { return __builtin_cpu_supports(\"avx2\") ? 1 : 0; }\n", "refers to __cpu_"},
		{"#include <cpuid.h>\nint main(void) { unsigned a, b, c, d; return __get_cpuid(7, &a, &b, "
		 "&c, &d) && b & 32; "
		 "}\n",
			"cpuid in main"},
		{"#include <sys/auxv.h>\nint main(void) { return (int)getauxval(16); }\n",
			"refers to getauxval"},
		{"#include <cpuid.h>\nint main(void) { return 0; }\n", NULL},
	};

	(void)state;
	if (!have_zydis)
		skip();
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct arena arena = {0};
		struct code_isa isa;

		tools_write("look.c", programs[i].source);
		tools_run(NULL, "gcc -O1 -c -o look.o look.c");
		isa = decode("look.o", &arena);
		assert_null(isa.unknown);
		if (programs[i].sign == NULL)
			assert_null(isa.dispatch);
		else if (isa.dispatch == NULL || strstr(isa.dispatch, programs[i].sign) == NULL)
			fail_msg("%s: %s", programs[i].source,
				isa.dispatch != NULL ? isa.dispatch : "no sign");
		arena_release(&arena);
	}
}

static void code_isa__what_cannot_be_decoded__is_unknown_with_the_reason(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct code_isa isa;

	(void)state;
	tools_write("lto.c", "int main(void) { return 0; }\n");
	tools_run(NULL, "gcc -O2 -flto -c -o lto.o lto.c");
	isa = decode("lto.o", &arena);
	assert_non_null(strstr(isa.unknown, "intermediate form"));
	if (tools_have("clang")) {
		tools_run(NULL, "clang -O2 -flto -c -o bitcode.o lto.c");
		isa = decode("bitcode.o", &arena);
		assert_non_null(strstr(isa.unknown, "intermediate form"));
	}
	tools_run(NULL, "gcc -m32 -O2 -c -o wide32.o lto.c");
	isa = decode("wide32.o", &arena);
	assert_string_equal(isa.unknown, "only the code of x86-64 and aarch64 is decoded");
	code_isa_facts(&isa, &facts);
	assert_null(facts_value(&facts, "isa.used"));
	assert_string_equal(facts_find(&facts, "isa.level")->reason, isa.unknown);
	if (have_zydis) {
		tools_run(NULL, "echo 'int x = 3;' | gcc -x c -c -o data.o - ");
		isa = decode("data.o", &arena);
		assert_string_equal(isa.unknown, "it has no code");
	} else {
		tools_run(NULL, "gcc -O2 -c -o plain.o lto.c");
		isa = decode("plain.o", &arena);
		assert_string_equal(isa.unknown, "built without Zydis");
	}
	arena_release(&arena);
}

static void code_isa_facts__program__are_as_the_manual_says(void **state)
{
	struct arena arena = {0};
	struct facts facts = {.arena = &arena};
	struct code_isa isa;

	(void)state;
	if (!have_zydis)
		skip();
	isa = decode("two.o", &arena);
	code_isa_facts(&isa, &facts);
	assert_string_equal(facts_value(&facts, "isa.used"), "popcnt avx fma");
	assert_string_equal(facts_value(&facts, "isa.vector_bits"), "256");
	assert_string_equal(facts_value(&facts, "isa.level"), "x86-64-v3");
	assert_string_equal(facts_value(&facts, "isa.beyond"), "none");
	assert_string_equal(facts_value(&facts, "isa.dispatch"), "no");
	assert_string_equal(facts_value(&facts, "isa.decoded_share"), "1");
	assert_non_null(strstr(facts_value(&facts, "isa.example.popcnt"), "popcnt"));
	assert_non_null(strstr(facts_value(&facts, "isa.example.popcnt"), " in narrow+0x"));
	assert_null(facts_find(&facts, "isa.example.sse2"));
	arena_release(&arena);
}

static void code_isa_name__spellings__mean_the_same_set(void **state)
{
	static const char *const same[][4] = {{"x86_64", "sse4.2", "sse4_2", "-msse4.2"},
		{"x86_64", "sse3", "pni", "-msse3"}, {"x86_64", "lzcnt", "abm", "-mlzcnt"},
		{"x86_64", "bmi", "bmi1", "-mbmi"},
		{"x86_64", "avx512vbmi2", "avx512_vbmi2", "-mavx512vbmi2"},
		{"x86_64", "sha", "sha_ni", "-msha"}, {"aarch64", "lse", "atomics", "+lse"},
		{"aarch64", "fp16", "asimdhp", "+fp16"}, {"aarch64", "crc", "crc32", "+crc"}};
	size_t count;
	const struct code_isa_name *names = code_isa_names(&count);

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		const struct code_isa_name *set = code_isa_name(same[i][0], same[i][1]);

		assert_non_null(set);
		assert_string_equal(set->name, same[i][1]);
		assert_ptr_equal(code_isa_name(same[i][0], same[i][2]), set);
		assert_ptr_equal(code_isa_name(same[i][0], same[i][3]), set);
	}
	assert_null(code_isa_name("x86_64", "lse"));
	assert_null(code_isa_name("x86_64", ""));
	for (size_t i = 0; i < count; i++) {
		assert_non_null(names[i].name);
		assert_ptr_equal(code_isa_name(names[i].machine, names[i].name), &names[i]);
		assert_true(names[i].since == 0 || names[i].kernel != NULL);
	}
}

static void code_isa_cpu_has__flags_of_the_kernel__tell_or_do_not(void **state)
{
	(void)state;
	assert_int_equal(code_isa_cpu_has("x86_64", "avx2", "fpu avx avx2 bmi2", "6.1.0"), ISA_HAS);
	assert_int_equal(code_isa_cpu_has("x86_64", "avx2", "fpu avx avx22 xavx2", "6.1.0"), ISA_LACKS);
	assert_int_equal(code_isa_cpu_has("x86_64", "sse4.2", "sse4_2", "6.1.0"), ISA_HAS);
	/* what an older kernel has no name for may be there */
	assert_int_equal(code_isa_cpu_has("x86_64", "avxvnni", "avx2", "5.4.0-26-generic"), ISA_UNTOLD);
	assert_int_equal(code_isa_cpu_has("x86_64", "avxvnni", "avx2", "6.1.0-18-amd64"), ISA_LACKS);
	assert_int_equal(code_isa_cpu_has("x86_64", "avxvnni", "avx2", NULL), ISA_UNTOLD);
	assert_int_equal(code_isa_cpu_has("x86_64", "avxvnni", "avx2 avx_vnni", "5.4.0"), ISA_HAS);
	assert_int_equal(code_isa_cpu_has("x86_64", "ptwrite", "avx2", "6.1.0"), ISA_UNTOLD);
	assert_int_equal(code_isa_cpu_has("aarch64", "fp16", "fp asimd fphp", "6.1.0"), ISA_LACKS);
	assert_int_equal(code_isa_cpu_has("aarch64", "fp16", "asimdhp fp fphp", "6.1.0"), ISA_HAS);
}

/* "FILE SET COUNT" and "FILE vector BITS", for scripts. */
static int print(int count, char **paths)
{
	const struct code_isa_options sweep = {.sweep = true};

	for (int i = 0; i < count; i++) {
		struct arena arena = {0};
		struct error e = {0};
		struct code_isa isa;

		if (code_isa(paths[i], &sweep, &arena, &isa, &e) != 0 || isa.unknown != NULL) {
			fprintf(stderr, "%s: %s\n", paths[i], e.text[0] != '\0' ? e.text : isa.unknown);
			return 1;
		}
		for (size_t k = 0; k < isa.set_count; k++)
			if (!isa.sets[k].baseline)
				printf("%s %llu\t%s\n", isa.sets[k].name,
					(unsigned long long)isa.sets[k].count,
					code_isa_example_text(&isa.sets[k].example, &arena));
		printf("vector %u\nbad %llu of %llu\n", isa.vector_bits, (unsigned long long)isa.bad_bytes,
			(unsigned long long)isa.code_bytes);
		arena_release(&arena);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_isa__x86_instruction_of_a_set__is_found_as_that),
		cmocka_unit_test(x86_plain__any_bytes__says_what_the_decoder_says),
		cmocka_unit_test(code_isa__aarch64_instruction_of_a_set__is_found_as_that),
		cmocka_unit_test(code_isa__aarch64_baseline__needs_nothing),
		cmocka_unit_test(code_isa__aarch64_data_in_code__is_not_decoded),
		cmocka_unit_test(code_isa__names_of_functions__count_only_these),
		cmocka_unit_test(code_isa__stripped_program__is_found_by_exception_tables),
		cmocka_unit_test(code_isa_objects__functions_that_were_not_linked__do_not_count),
		cmocka_unit_test(code_isa__program_that_looks_at_the_cpu__says_by_what),
		cmocka_unit_test(code_isa__what_cannot_be_decoded__is_unknown_with_the_reason),
		cmocka_unit_test(code_isa_facts__program__are_as_the_manual_says),
		cmocka_unit_test(code_isa_name__spellings__mean_the_same_set),
		cmocka_unit_test(code_isa_cpu_has__flags_of_the_kernel__tell_or_do_not),
	};

	if (argc > 1)
		return print(argc - 1, argv + 1);
	return cmocka_run_group_tests_name("code_isa", tests, setup, tools_teardown);
}
