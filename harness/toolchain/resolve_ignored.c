#include "toolchain/resolve.h"

#include <string.h>

#include "toolchain/probe_code.h"

/*
 * tcc takes whatever looks like an option of gcc. Which of these it heeds, its code tells: the same functions compiled
 * with all flags, and with all but one. What tcc names under -Wunsupported and what is about the machine or the level
 * of optimization is a candidate; others (-funsigned-char, -D) may well act on other code than that of the probe.
 */

static bool is_candidate(const char *flag, const char *said)
{
	if (text_starts(flag, "-m") || text_starts(flag, "-O"))
		return true;
	return flag[0] == '-' && strstr(said, flag) != NULL;
}

void resolve_ignored(const struct resolving *r)
{
	static const char how[] = "code of small functions with and without each flag";
	char all[HASH_HEX], rest[HASH_HEX];
	const char *problem, *object;
	struct words ignored = {0}, warned = {0};
	struct answer answer;

	if (r->t->memory->style != STYLE_TCC)
		return;
	problem = probe_code_compile(&r->asker, "all", r->cflags, all, &object);
	if (problem != NULL) {
		facts_unknown(&r->out->facts, "resolved.ignored", how, problem);
		return;
	}
	words_add(&warned, r->arena, "-Wunsupported");
	words_add_all(&warned, r->arena, r->cflags);
	words_add(&warned, r->arena, "-c");
	words_add(&warned, r->arena, "probe.c");
	words_add(&warned, r->arena, "-o");
	words_add(&warned, r->arena, "warned.o");
	answer = ask_words(&r->asker, &warned);
	for (size_t i = 0; i < r->cflags->n; i++) {
		struct words without = {0};

		if (!is_candidate(r->cflags->v[i], answer.err))
			continue;
		for (size_t k = 0; k < r->cflags->n; k++)
			if (k != i)
				words_add(&without, r->arena, r->cflags->v[k]);
		problem = probe_code_compile(&r->asker, "without", &without, rest, &object);
		if (problem == NULL && strcmp(all, rest) == 0 && !words_have(&ignored, r->cflags->v[i]))
			words_add(&ignored, r->arena, r->cflags->v[i]);
	}
	resolve_set(r, "resolved.ignored", words_join(&ignored, r->arena), how);
}
