#include "toolchain/resolve.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/*
 * How wide the vectors are that a compiler takes depends on features, tuning and version, and only gcc has a word for
 * it. So it is read off what each of them makes of the same functions, in assembly, at -O3 whatever the flags say of
 * the level: at -O2 older gcc do not vectorise, and what is asked here is what the target prefers.
 */
static const char *const source = "void flagstone_floats(float *__restrict a, const float *__restrict b, "
				  "const float *__restrict c, int n)\n"
				  "{\n\tint i;\n\tfor (i = 0; i < n; i++)\n\t\ta[i] = b[i] * c[i];\n}\n"
				  "void flagstone_ints(int *__restrict a, const int *__restrict b, int n)\n"
				  "{\n\tint i;\n\tfor (i = 0; i < n; i++)\n\t\ta[i] += b[i];\n}\n"
				  "void flagstone_move(char *__restrict a, const char *__restrict b)\n"
				  "{\n\t__builtin_memcpy(a, b, 64);\n}\n"
				  "void flagstone_store(char *a)\n"
				  "{\n\t__builtin_memset(a, 0, 64);\n}\n";

/*
 * The question is about the target, so only flags of the machine go with it: the rest (levels, LTO, sanitizers, profiles)
 * would change the kind of output or put code of its own between. So it is asked once for all that differ only in these.
 */
static const char *const machine[] = {"-m*", "--target=*", "--param=*", "-EB", "-EL", "--sysroot=*", "-B*"};
static const char *const machine_pairs[] = {
	"-target", "--target", "--param", "-Xclang", "-mllvm", "-arch", "-B", "--sysroot"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SCALABLE = 1 << 20 };

/* In bits, by how the assembler writes vector registers (and RISC-V and PowerPC instructions); 0: none. */
struct form {
	const char *arch, *token;
	int bits;
	bool scalar; /* floats that are no vectors use it too */
};
static const struct form forms[] = {{"x86_64", "zmm*", 512, false}, {"x86_64", "ymm*", 256, false},
	{"x86_64", "xmm*", 128, true}, {"aarch64", "z[0-9]*", SCALABLE, false},
	{"aarch64", "q[0-9]*", 128, false}, {"aarch64", "v[0-9]*", 128, false},
	{"arm", "q[0-9]*", 128, false}, {"arm", "d[0-9]*", 64, false},
	{"riscv64", "vset*vli", SCALABLE, false}, {"ppc64le", "xv*", 128, false},
	{"ppc64le", "lxv*", 128, false}, {"ppc64le", "stxv*", 128, false}, {"ppc64le", "lvx", 128, false},
	{"ppc64", "xv*", 128, false}, {"ppc64", "lxv*", 128, false}, {"ppc64", "stxv*", 128, false},
	{"ppc64", "lvx", 128, false}, {"s390x", "v[0-9]*", 128, false},
	{"loongarch64", "xr[0-9]*", 256, false}, {"loongarch64", "vr[0-9]*", 128, false}};

static const char *family_of(const char *arch)
{
	if (strcmp(arch, "i386") == 0 || strcmp(arch, "x32") == 0)
		return "x86_64";
	return strcmp(arch, "riscv32") == 0 ? "riscv64" : arch;
}

static bool is_known(const char *arch)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(forms[i].arch, family_of(arch)) == 0)
			return true;
	return false;
}

static int bits_of(const char *token, const char *arch, bool scalar_floats)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(forms[i].arch, arch) == 0 && text_glob(forms[i].token, token))
			return scalar_floats && forms[i].scalar ? 0 : forms[i].bits;
	return 0;
}

/* The lines behind a function's label, up to the next label that is not local to it. NULL: it is not there. */
static const char *body_of(const char *assembly, const char *function, const char **end)
{
	const size_t length = strlen(function);
	const char *at = assembly;

	while (strncmp(at, function, length) != 0 || at[length] != ':') {
		at = strchr(at, '\n');
		if (at == NULL)
			return NULL;
		at++;
	}
	for (*end = at; (*end = strchr(*end, '\n')) != NULL;) {
		++*end;
		if (isalpha((unsigned char)**end) || **end == '_')
			return at;
	}
	*end = at + strlen(at);
	return at;
}

const char *resolve_widest(const char *assembly, const char *function, const char *arch, bool scalar_floats)
{
	const char *end, *at = body_of(assembly, function, &end);
	const char *family = family_of(arch);
	int widest = 0;

	if (at == NULL || !is_known(arch))
		return NULL;
	at += strlen(function);
	while (at < end) {
		char token[32];
		size_t n = 0;

		while (at < end && !isalnum((unsigned char)*at))
			at++;
		for (; at < end && isalnum((unsigned char)*at); at++)
			if (n + 1 < sizeof(token))
				token[n++] = *at;
		token[n] = '\0';
		if (bits_of(token, family, scalar_floats) > widest)
			widest = bits_of(token, family, scalar_floats);
	}
	switch (widest) {
	case SCALABLE:
		return "scalable";
	case 512:
		return "512";
	case 256:
		return "256";
	case 128:
		return "128";
	case 64:
		return "64";
	default:
		return "none";
	}
}

/* "none" is below all numbers, "scalable" above. */
static int rank(const char *width)
{
	return strcmp(width, "scalable") == 0 ? SCALABLE : atoi(width);
}

static void set_unknown(const struct resolving *r, const char *how, const char *reason)
{
	static const char *const keys[] = {
		"resolved.vector_width", "resolved.move_max", "resolved.store_max"};

	for (size_t i = 0; i < 3; i++)
		facts_unknown(&r->out->facts, keys[i], how, reason);
}

static bool in_list(const char *const *list, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (text_glob(list[i], word))
			return true;
	return false;
}

const char *resolve_width_question(const struct resolving *r, struct words *words)
{
	static const char *const last[] = {"-O3", "-w", "-S", "-o", "-", "-x", "c", "width.c"};
	const char *path = file_join(r->arena, r->asker.folder, "width.c");
	struct error e = {0};

	if (!is_known(r->t->arch))
		return arena_printf(r->arena, "how %s writes vector registers is not known here", r->t->arch);
	if (file_write_atomic(path, source, strlen(source), &e) != 0)
		return arena_strdup(r->arena, e.text);
	for (size_t i = 0; i < r->cflags->n; i++) {
		const bool pair = in_list(machine_pairs, COUNT(machine_pairs), r->cflags->v[i]);

		if (!pair && !in_list(machine, COUNT(machine), r->cflags->v[i]))
			continue;
		words_add(words, r->arena, r->cflags->v[i]);
		if (pair && i + 1 < r->cflags->n)
			words_add(words, r->arena, r->cflags->v[++i]);
	}
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		words_add(words, r->arena, last[i]);
	return NULL;
}

/* Of a copy: no vector register means general registers, unless it was left to a function or to one instruction. */
static void set_copy(const struct resolving *r, const char *key, const char *assembly, const char *function,
	const char *library, const char *how)
{
	const char *width = resolve_widest(assembly, function, r->t->arch, false), *end;
	const char *at = body_of(assembly, function, &end);
	const char *body = at != NULL ? arena_strndup(r->arena, at, (size_t)(end - at)) : "";

	if (width != NULL && strcmp(width, "none") != 0)
		resolve_set(r, key, width, how);
	else if (width == NULL || strstr(body, library) != NULL || strstr(body, "rep") != NULL)
		facts_unknown(&r->out->facts, key, how,
			width == NULL ? "the function is not in its assembly"
				      : "it leaves 64 bytes to the C library or to one string instruction");
	else
		resolve_set(r, key, "general", how);
}

void resolve_width(const struct resolving *r, const char *unasked)
{
	static const char how[] = "the assembly of small functions at -O3";
	const struct answer *answer = &r->answers[ASK_WIDTH];
	const char *assembly = answer->out, *floats, *ints;

	if (r->t->memory->style == STYLE_TCC) {
		resolve_set(r, "resolved.vector_width", "none", "tcc has no optimizer");
		resolve_set(r, "resolved.move_max", "general", "tcc has no optimizer");
		resolve_set(r, "resolved.store_max", "general", "tcc has no optimizer");
		return;
	}
	if (unasked != NULL || !answer->ok) {
		set_unknown(r, how,
			unasked != NULL
				? unasked
				: arena_printf(r->arena, "it does not compile them: %s", answer->problem));
		return;
	}
	floats = resolve_widest(assembly, "flagstone_floats", r->t->arch, true);
	ints = resolve_widest(assembly, "flagstone_ints", r->t->arch, false);
	if (floats == NULL || ints == NULL) {
		set_unknown(r, how, "they are not in the assembly that it wrote");
		return;
	}
	resolve_set(r, "resolved.vector_width", rank(ints) > rank(floats) ? ints : floats, how);
	set_copy(r, "resolved.move_max", assembly, "flagstone_move", "memcpy", how);
	set_copy(r, "resolved.store_max", assembly, "flagstone_store", "memset", how);
}
