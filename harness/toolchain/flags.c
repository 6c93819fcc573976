#include "toolchain/toolchain.h"

#include <string.h>

#include "base/file.h"
#include "toolchain/hint.h"
#include "toolchain/memory.h"

static bool matches(const struct words *globs, const char *flag)
{
	for (size_t i = 0; i < globs->n; i++)
		if (text_glob(globs->v[i], flag))
			return true;
	return false;
}

/* Flags whose value is the next word. */
static bool takes_next(const char *flag)
{
	static const char *const flags[] = {"-target", "--target", "-isysroot", "--sysroot", "-B", "-specs",
		"-arch", "--param", "-Xclang", "-mllvm", "-include", "-isystem", "-I", "-D", "-U"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(flag, flags[i]) == 0)
			return true;
	return false;
}

void toolchain_abi_flags(
	const struct toolchain *t, const struct words *all, struct arena *arena, struct words *abi)
{
	for (size_t i = 0; i < all->n; i++) {
		const bool pair = takes_next(all->v[i]) && i + 1 < all->n;

		if (matches(&t->spec->abi_flags, all->v[i]) && !matches(&t->spec->lto_flags, all->v[i])) {
			words_add(abi, arena, all->v[i]);
			if (pair)
				words_add(abi, arena, all->v[i + 1]);
		}
		i += pair;
	}
}

bool toolchain_flags_lto(const struct toolchain *t, const struct words *flags)
{
	bool lto = false;

	/* The last one wins, as with the compilers; -flto-partition= and the like, also listed, ask for nothing. */
	for (size_t i = 0; i < flags->n; i++) {
		const char *flag = flags->v[i];

		if (strcmp(flag, "-fno-lto") == 0)
			lto = false;
		else if ((strcmp(flag, "-flto") == 0 || text_starts(flag, "-flto=")) &&
			 matches(&t->spec->lto_flags, flag))
			lto = true;
	}
	return lto;
}

bool toolchain_flags_static(const struct words *flags)
{
	return words_have(flags, "-static") || words_have(flags, "--static") ||
	       words_have(flags, "-static-pie");
}

bool toolchain_flags_native(const struct words *flags)
{
	static const char *const options[] = {"-march=", "-mcpu=", "-mtune="};
	bool native = false;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *value = "";

		for (size_t k = 0; k < flags->n; k++)
			if (text_starts(flags->v[k], options[i]))
				value = flags->v[k] + strlen(options[i]);
		native |= strcmp(value, "native") == 0;
	}
	return native;
}

/* An empty program with the flags; `words` already holds what comes in front. */
static struct answer try_flags(const struct asker *asker, struct words words, const struct words *cflags,
	const struct words *ldflags, const char *source)
{
	words_add_all(&words, asker->arena, cflags);
	if (ldflags == NULL)
		words_add(&words, asker->arena, "-c");
	words_add(&words, asker->arena, "-o");
	words_add(&words, asker->arena, ldflags == NULL ? "flags.o" : "flags");
	words_add(&words, asker->arena, source);
	if (ldflags != NULL)
		words_add_all(&words, asker->arena, ldflags);
	return ask_words(asker, &words);
}

/* tcc's -O only defines a macro; all else that it ignores it names under -Wunsupported. */
static const char *tcc_ignores(struct arena *arena, const char *said, const struct words *cflags)
{
	struct words ignored = {0};

	for (const char *at = strstr(said, "unsupported option '"); at != NULL;
		at = strstr(at, "unsupported option '")) {
		at += strlen("unsupported option '");
		words_add(&ignored, arena, arena_strndup(arena, at, strcspn(at, "'\n")));
	}
	for (size_t i = 0; i < cflags->n; i++)
		if (text_starts(cflags->v[i], "-O") && strcmp(cflags->v[i], "-O0") != 0)
			words_add(&ignored, arena, cflags->v[i]);
	if (ignored.n == 0)
		return NULL;
	return arena_printf(arena, "tcc takes %s and ignores %s", words_join(&ignored, arena),
		ignored.n == 1 ? "it" : "them");
}

/* gcc takes -Wno-anything silently: whether it knows it, -Wanything tells. */
static const char *gcc_ignores(const struct asker *asker, const struct words *cflags, const char *source)
{
	for (size_t i = 0; i < cflags->n; i++) {
		struct words positive = {0};
		struct answer answer;

		if (!text_starts(cflags->v[i], "-Wno-") || strchr(cflags->v[i], '=') != NULL)
			continue;
		words_addf(&positive, asker->arena, "-W%s", cflags->v[i] + strlen("-Wno-"));
		answer = try_flags(asker, (struct words){0}, &positive, NULL, source);
		if (!answer.ok && strstr(answer.err, "unrecognized") != NULL)
			return arena_printf(asker->arena,
				"gcc takes %s and ignores it: it does not know this warning", cflags->v[i]);
	}
	return NULL;
}

/* Words by which compilers say that a flag does nothing. */
static bool says_ignored(const char *said)
{
	static const char *const words[] = {"unused during compilation", "-Wignored-optimization-argument",
		"ignored", "ignoring", "has no effect", "-Wunused-command-line-argument"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(said, words[i]) != NULL)
			return true;
	return false;
}

static struct flag_probe judge_warnings(const struct asker *asker, const struct toolchain *t,
	const char *said, const struct words *cflags, const char *source)
{
	const char *text = ask_excerpt(asker->arena, said, 4);
	const char *ignores = NULL;

	if (t->memory->style == STYLE_TCC)
		ignores = tcc_ignores(asker->arena, said, cflags);
	else if (t->memory->style == STYLE_GCC)
		ignores = gcc_ignores(asker, cflags, source);
	if (ignores != NULL)
		return (struct flag_probe){FLAG_IGNORED, ignores};
	if (text[0] == '\0')
		return (struct flag_probe){FLAG_TAKEN, ""};
	return (struct flag_probe){says_ignored(said) ? FLAG_IGNORED : FLAG_WARNED, text};
}

static struct flag_probe probe_in(const struct asker *asker, const struct toolchain *t,
	const struct words *cflags, const struct words *ldflags)
{
	const char *text = "int main(void)\n{\n\treturn 0;\n}\n";
	const char *source = file_join(asker->arena, asker->folder, "flags.c");
	struct words first = {0};
	struct error e = {0};
	struct answer compiled, linked;

	if (file_write_atomic(source, text, strlen(text), &e) != 0)
		return (struct flag_probe){FLAG_REFUSED, arena_strdup(asker->arena, e.text)};
	if (t->memory->style == STYLE_TCC)
		words_add(&first, asker->arena, "-Wunsupported");
	compiled = try_flags(asker, first, cflags, NULL, "flags.c");
	linked = compiled;
	if (compiled.ok && ldflags != NULL)
		linked = try_flags(asker, (struct words){0}, cflags, ldflags, "flags.c");
	if (!linked.ok)
		return (struct flag_probe){FLAG_REFUSED, arena_printf(asker->arena, "%s%s", linked.problem,
								 hint_refused(t, cflags, asker->arena))};
	return judge_warnings(
		asker, t, compiled.err[0] != '\0' ? compiled.err : linked.err, cflags, "flags.c");
}

static void save(const struct toolchain *t, const char *key, const struct flag_probe *probe)
{
	json_t *document = json_object();

	json_object_set_new(document, "answer", json_integer((json_int_t)probe->answer));
	json_object_set_new(document, "text", json_safe_string(probe->text));
	memory_put(t, key, document);
	json_decref(document);
}

static bool restore(const struct toolchain *t, const char *key, struct arena *arena, struct flag_probe *probe)
{
	json_t *document = memory_get(t, key);
	const int64_t answer = json_int(document, "answer", -1);
	const bool known = answer >= FLAG_TAKEN && answer <= FLAG_IGNORED;

	if (known)
		*probe = (struct flag_probe){
			(enum flag_answer)answer, arena_strdup(arena, json_text(document, "text", ""))};
	json_decref(document);
	return known;
}

struct flag_probe toolchain_probe_flags(const struct toolchain *t, const struct words *cflags,
	const struct words *ldflags, struct arena *arena)
{
	/* NULL and an empty list are different questions: without and with a link. */
	const struct words *const lists[] = {cflags, ldflags, NULL};
	struct flag_probe probe;
	struct error e = {0};
	struct asker asker;
	const char *folder;
	char key[HASH_HEX];

	memory_key(t, ldflags != NULL ? "compile and link flags" : "compile flags", lists, key);
	if (restore(t, key, arena, &probe))
		return probe;
	folder = ask_folder(arena, t->memory->scratch, &e);
	if (folder == NULL)
		return (struct flag_probe){FLAG_REFUSED, arena_strdup(arena, e.text)};
	asker = memory_asker(t, arena, folder);
	probe = probe_in(&asker, t, cflags, ldflags);
	(void)file_remove_tree(folder, NULL);
	save(t, key, &probe);
	return probe;
}
