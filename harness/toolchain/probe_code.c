#include "toolchain/probe_code.h"

#include <string.h>

#include "base/file.h"
#include "code/code.h"

static const char *const source =
	"typedef unsigned char byte; typedef unsigned int word; typedef unsigned long long quad;\n"
	/* float arithmetic in a loop */
	"void saxpy(float *__restrict y, const float *__restrict x, float a, int n)\n"
	"{ int i; for (i = 0; i < n; i++) y[i] = a * x[i] + y[i]; }\n"
	/* three nested loops over doubles */
	"void matrix(double *__restrict c, const double *__restrict a, const double *__restrict b, int n)\n"
	"{ int i, j, k; for (i = 0; i < n; i++) for (k = 0; k < n; k++) for (j = 0; j < n; j++)\n"
	"c[i * n + j] += a[i * n + k] * b[k * n + j]; }\n"
	/* a sum of ints, a maximum of bytes */
	"long sum(const int *p, int n) { long s = 0; int i; for (i = 0; i < n; i++) s += p[i]; return s; }\n"
	"byte highest(const byte *p, int n) { byte m = 0; int i;\n"
	"for (i = 0; i < n; i++) m = p[i] > m ? p[i] : m; return m; }\n"
	/* a sum of products of small ints */
	"int products(const signed char *a, const signed char *b, int n)\n"
	"{ int s = 0, i; for (i = 0; i < n; i++) s += a[i] * b[i]; return s; }\n"
	"int shorts(const short *a, const short *b, int n)\n"
	"{ int s = 0, i; for (i = 0; i < n; i++) s += a[i] * b[i]; return s; }\n"
	/* reads through an index */
	"void gather(float *__restrict to, const float *__restrict from, const int *__restrict at, int n)\n"
	"{ int i; for (i = 0; i < n; i++) to[i] = from[at[i]]; }\n"
	/* structures of three, every other element */
	"struct point { float x, y, z; };\n"
	"void stride(struct point *p, int n) { int i; for (i = 0; i < n; i++) { p[i].x += 1; p[i].y *= 2; "
	"p[i].z = p[i].x - p[i].y; } }\n"
	"int evens(const int *p, int n) { int s = 0, i; for (i = 0; i < n; i += 2) s += p[i]; return s; }\n"
	/* a choice in a loop */
	"void condition(int *__restrict to, const int *__restrict a, const int *__restrict b, int n)\n"
	"{ int i; for (i = 0; i < n; i++) if (a[i] > 0) to[i] = a[i] * b[i]; else to[i] = b[i] - a[i]; }\n"
	/* counting bits */
	"int count(quad x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }\n"
	"#ifdef __GNUC__\n"
	"int counts(const quad *p, int n) { int s = 0, i;\n"
	"for (i = 0; i < n; i++) s += __builtin_popcountll(p[i]); return s; }\n"
	"int ends(quad x) { return __builtin_clzll(x) * 64 + __builtin_ctzll(x); }\n"
	"#endif\n"
	/* masks, rotations, shifts by a variable */
	"quad lowest(quad x) { return (x & -x) ^ (x & (x - 1)); }\n"
	"quad without(quad x, quad mask) { return x & ~mask; }\n"
	"quad turned(quad x, int n) { return x << (n & 63) | x >> (-n & 63); }\n"
	"quad shifted(quad x, quad y, int n) { return (x << (n & 63)) + (y >> (n & 63)); }\n"
	"quad swapped(quad x) { return x >> 56 | (x >> 40 & 0xff00) | (x >> 24 & 0xff0000) | "
	"(x >> 8 & 0xff000000u) | x << 56 | (x & 0xff00) << 40 | (x & 0xff0000) << 24 | "
	"(x & 0xff000000u) << 8; }\n"
	/* copies and fills of known size */
	"struct line { char c[64]; }; struct block { char c[256]; }; struct pair { long a, b, c; };\n"
	"void line(struct line *a, const struct line *b) { *a = *b; }\n"
	"void block(struct block *a, const struct block *b) { *a = *b; }\n"
	"void pair(struct pair *a, const struct pair *b) { *a = *b; }\n"
	"#ifdef __GNUC__\n"
	"void clear(char *a) { __builtin_memset(a, 0, 96); }\n"
	"void filled(char *a, int c) { __builtin_memset(a, c, 200); }\n"
	"int same(const char *a, const char *b) { return __builtin_memcmp(a, b, 32) == 0; }\n"
	"#endif\n"
	/* between ints and floats */
	"void widen(double *__restrict to, const quad *__restrict from, int n)\n"
	"{ int i; for (i = 0; i < n; i++) to[i] = (double)from[i]; }\n"
	"void narrow(int *__restrict to, const double *__restrict from, int n)\n"
	"{ int i; for (i = 0; i < n; i++) to[i] = (int)from[i]; }\n"
	"float single(quad x) { return (float)x; }\n"
	/* divisions by constants and variables */
	"quad tenth(quad x) { return x / 10; }\n"
	"quad quotient(quad x, quad y) { return x / y + x % y; }\n"
	"float inverse(float x) { return 1.0f / x; }\n"
	"void roots(float *x, int n) { int i; for (i = 0; i < n; i++) x[i] = 1.0f / x[i]; }\n"
	/* products of 64 bits */
	"quad wide(const quad *a, const quad *b, int n) { quad s = 0; int i;\n"
	"for (i = 0; i < n; i++) s += a[i] * b[i]; return s; }\n"
	"#ifdef __SIZEOF_INT128__\n"
	"quad upper_half(quad a, quad b) { return (quad)((unsigned __int128)a * b >> 64); }\n"
	"#endif\n"
	/* branches and conditional moves */
	"void sort(int *p, int n) { int i, j; for (i = 1; i < n; i++) { int x = p[i];\n"
	"for (j = i; j > 0 && p[j - 1] > x; j--) p[j] = p[j - 1]; p[j] = x; } }\n"
	"int find(const int *p, int n, int x) { int low = 0; while (n > 1) { int half = n / 2;\n"
	"low = p[low + half] <= x ? low + half : low; n -= half; } return low; }\n"
	/* a table of cases, calls */
	"extern int called(int);\n"
	"int choose(int x, int y) { switch (x) { case 0: return y + 1; case 1: return y * 3; case 2: return "
	"y - 7;\n"
	"case 3: return y ^ 5; case 4: return called(y); case 5: return y / 3; default: return called(y) + "
	"x; } }\n"
	"int deep(int n) { return n < 2 ? n : deep(n - 1) + deep(n - 2); }\n"
	/* scanning and hashing bytes */
	"int length(const char *s) { int n = 0; while (s[n] != 0) n++; return n; }\n"
	"word hashed(const byte *p, int n) { word h = 2166136261u; int i;\n"
	"for (i = 0; i < n; i++) h = (h ^ p[i]) * 16777619u; return h; }\n"
	"void capitals(char *s, int n) { int i; for (i = 0; i < n; i++) if (s[i] >= 'a' && s[i] <= 'z') "
	"s[i] = (char)(s[i] - 32); }\n"
	/* each step waits for the one before */
	"double recurrence(const double *p, int n) { double x = 1; int i;\n"
	"for (i = 0; i < n; i++) x = x * 0.5 + p[i]; return x; }\n"
	"void filter(float *p, int n) { int i; for (i = 1; i < n; i++) p[i] = p[i - 1] * 0.25f + p[i]; }\n";

const char *probe_code_compile(const struct asker *asker, const char *label, const struct words *flags,
	char hash[HASH_HEX], const char **object)
{
	struct arena *arena = asker->arena;
	const char *from = file_join(arena, asker->folder, "probe.c");
	const char *path = arena_printf(arena, "%s/%s.o", asker->folder, label);
	struct words words = {0};
	struct error e = {0};
	struct answer answer;

	if (!file_exists(from) && file_write_atomic(from, source, strlen(source), &e) != 0)
		return arena_strdup(arena, e.text);
	words_add_all(&words, arena, flags);
	words_add(&words, arena, "-w");
	words_add(&words, arena, "-c");
	words_add(&words, arena, "probe.c");
	words_add(&words, arena, "-o");
	words_addf(&words, arena, "%s.o", label);
	answer = ask_words(asker, &words);
	if (!answer.ok)
		return answer.problem;
	if (code_hash_objects(&path, 1, hash, &e) != 0)
		return arena_strdup(arena, e.text);
	*object = path;
	return NULL;
}
