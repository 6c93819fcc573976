#include "plan/expand.h"

#include <stdlib.h>
#include <string.h>

/* An answer that is asked for once; reason NULL: it can exist. */
struct answer {
	bool asked;
	const char *reason;
};

struct reasons {
	struct expansion *x;
	struct answer *pairs;	  /* slot x flag set: everything that depends on these two only */
	struct answer *probes;	  /* compiler x flag class: what a compiler was asked */
	struct answer *arguments; /* workload x args */
	uint32_t *compilers;	  /* of each slot: index of the first slot with the same toolchain */
	uint32_t *classes;	  /* of each flag set: index of the first with the same flags */
	bool told_cpu_unknown;
};

struct keyed {
	const char *key;
	uint32_t index;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *p = a, *q = b;
	int order = strcmp(p->key, q->key);

	return order != 0 ? order : (p->index > q->index) - (p->index < q->index);
}

/* Flag sets with equal compile and link flags share a class, so that a compiler is asked about them once. */
static void classify_flags(struct reasons *r)
{
	struct expansion *x = r->x;
	struct keyed *keys = arena_array(x->arena, x->flags.n + 1, sizeof(*keys));

	for (uint32_t i = 0; i < x->flags.n; i++) {
		const struct spec_variant *variant = x->flags.v[i].variant;

		/* a newline is quoted inside words, so it can only be the border between the two lists */
		keys[i] = (struct keyed){
			arena_printf(x->arena, "%s\n\n%s", words_join(&variant->cflags, x->arena),
				words_join(&variant->ldflags, x->arena)),
			i};
	}
	qsort(keys, x->flags.n, sizeof(*keys), by_key);
	for (size_t i = 0; i < x->flags.n; i++)
		r->classes[keys[i].index] = i > 0 && strcmp(keys[i].key, keys[i - 1].key) == 0
						    ? r->classes[keys[i - 1].index]
						    : keys[i].index;
}

struct reasons *reasons_new(struct expansion *x)
{
	struct reasons *r = arena_new(x->arena, struct reasons);

	r->x = x;
	r->pairs = arena_array(x->arena, x->slots.n * x->flags.n + 1, sizeof(*r->pairs));
	r->probes = arena_array(x->arena, x->slots.n * x->flags.n + 1, sizeof(*r->probes));
	r->arguments = arena_array(x->arena, x->workloads.n * x->args.n + 1, sizeof(*r->arguments));
	r->compilers = arena_array(x->arena, x->slots.n + 1, sizeof(*r->compilers));
	r->classes = arena_array(x->arena, x->flags.n + 1, sizeof(*r->classes));
	for (uint32_t i = 0; i < x->slots.n; i++)
		while (x->slots.v[r->compilers[i]].toolchain != x->slots.v[i].toolchain)
			r->compilers[i]++;
	classify_flags(r);
	return r;
}

/* What a compiler said, as part of a one-line sentence. */
static char *one_line(struct arena *arena, const char *text)
{
	enum { LIMIT = 400 };
	struct buf out = {0};
	char *line;

	for (const char *p = text; *p != '\0' && out.n < LIMIT; p++) {
		if (*p != '\n')
			buf_addc(&out, *p);
		else if (p[1] != '\0' && out.n > 0)
			buf_adds(&out, "; ");
	}
	if (out.n >= LIMIT)
		buf_adds(&out, "...");
	line = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return line;
}

static char *all_flags(const struct spec_variant *variant, struct arena *arena)
{
	struct words all = {0};

	words_add_all(&all, arena, &variant->cflags);
	if (variant->ldflags.n > 0 && all.n > 0) /* -O2 (link: -static) */
		return arena_printf(arena, "%s (link: %s)", words_join(&all, arena),
			words_join(&variant->ldflags, arena));
	words_add_all(&all, arena, &variant->ldflags);
	return all.n > 0 ? words_join(&all, arena) : "(no flags)";
}

static const char *arch_reason(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant)
{
	if (variant->arch == NULL || strcmp(variant->arch, slot->toolchain->arch) == 0)
		return NULL;
	return arena_printf(r->x->arena, "%s is for %s; %s makes programs for %s", variant->name,
		variant->arch, slot->name, slot->toolchain->arch);
}

static const char *only_reason(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant)
{
	struct words only = {0};

	for (size_t i = 0; i < variant->only.n; i++) {
		const char *word = variant->only.v[i].text;

		if (text_glob(word, slot->name) || text_glob(word, slot->toolchain->family) ||
			words_have(&slot->toolchain->slots, word))
			return NULL;
		words_add(&only, r->x->arena, word);
	}
	if (only.n == 0)
		return NULL;
	if (words_have(&only, "none")) /* spec's word for it */
		return arena_printf(
			r->x->arena, "the parts of %s are for different toolchains", variant->name);
	return arena_printf(r->x->arena, "%s is only for %s", variant->name, words_join(&only, r->x->arena));
}

static const char *static_reason(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant)
{
	const char *reason = slot->toolchain->static_reason;

	if (slot->toolchain->static_libc != TRI_NO ||
		(!toolchain_flags_static(&variant->cflags) && !toolchain_flags_static(&variant->ldflags)))
		return NULL;
	return arena_printf(r->x->arena, "%s has no static C library here%s%s", slot->name,
		reason != NULL ? ": " : "", reason != NULL ? one_line(r->x->arena, reason) : "");
}

static const char *lto_reason(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant)
{
	const char *reason = slot->toolchain->lto_reason;

	if (slot->toolchain->lto != TRI_NO ||
		(!toolchain_flags_lto(slot->toolchain, &variant->cflags) &&
			!toolchain_flags_lto(slot->toolchain, &variant->ldflags)))
		return NULL;
	return arena_printf(r->x->arena, "link-time optimisation does not work with %s here%s%s", slot->name,
		reason != NULL ? ": " : "", reason != NULL ? one_line(r->x->arena, reason) : "");
}

/* The last -march counts, as for the compilers. */
static const char *last_march(const struct words *flags)
{
	const char *march = NULL;

	for (size_t i = 0; i < flags->n; i++)
		if (text_starts(flags->v[i], "-march="))
			march = flags->v[i] + strlen("-march=");
	return march;
}

static const char *level_reason(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant)
{
	const char *march = last_march(&variant->cflags);
	struct expansion *x = r->x;
	const char *missing;

	/* an emulator has features of its own; on other machines the compiler says what is wrong */
	if (march == NULL || (x->options->arch != NULL && strcmp(x->options->arch, "x86_64") != 0) ||
		!slot->toolchain->native || slot->toolchain->runner.n > 0)
		return NULL;
	if (x->options->cpu_flags == NULL && !r->told_cpu_unknown &&
		plan_level_missing(march, "", x->arena) != NULL) {
		r->told_cpu_unknown = true;
		words_addf(x->notes, x->arena,
			"the CPU's features are unknown here, so it is not known whether code for %s can run",
			march);
	}
	missing = plan_level_missing(march, x->options->cpu_flags, x->arena);
	if (missing == NULL)
		return NULL;
	return arena_printf(x->arena, "this CPU cannot run %s code; it lacks %s", march, missing);
}

static void note_native(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant)
{
	struct expansion *x = r->x;
	struct resolved resolved = {.facts = {.arena = x->arena}};
	struct error e = {0};
	const char *model;
	int status;

	if (!toolchain_flags_native(&variant->cflags))
		return;
	status = (x->options->ask.resolve != NULL ? x->options->ask.resolve : toolchain_resolve)(
		slot->toolchain, &variant->cflags, x->arena, &resolved, &e);
	/* a refusal is the build's to tell; the probe took the flags */
	if (status != 0 || !resolved.native_is_generic)
		return;
	model = resolved.march != NULL ? resolved.march : resolved.mcpu;
	words_addf(x->notes, x->arena,
		"%s, %s: native means only the generic model %s here: %s %s does not know this CPU, so this "
		"is no "
		"test of what the CPU can do; a newer compiler may know it",
		slot->name, variant->name, model != NULL ? model : "(not told)", slot->toolchain->family,
		slot->toolchain->version);
}

/*
 * A machine option that a compiler refuses makes a cell that cannot exist here; any other refused flag is a mistake
 * in the matrix, which must not pass as that.
 */
static bool asks_for_machine(const struct spec_variant *variant)
{
	for (size_t i = 0; i < variant->cflags.n; i++)
		if (text_starts(variant->cflags.v[i], "-m"))
			return true;
	return false;
}

static const char *probe(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant)
{
	struct expansion *x = r->x;
	struct flag_probe answer =
		(x->options->ask.probe != NULL ? x->options->ask.probe : toolchain_probe_flags)(
			slot->toolchain, &variant->cflags, &variant->ldflags, x->arena);
	const char *flags = all_flags(variant, x->arena), *said = one_line(x->arena, answer.text);
	const char *colon = said[0] != '\0' ? ": " : "";

	switch (answer.answer) {
	case FLAG_REFUSED:
		if (!asks_for_machine(variant))
			break; /* a typing error, a missing library: the build fails, and says what and where */
		return arena_printf(x->arena, "%s %s refuses %s%s%s", slot->toolchain->family,
			slot->toolchain->version, flags, colon, said);
	case FLAG_WARNED:
		words_addf(x->notes, x->arena, "%s, %s: %s is taken with a warning%s%s", slot->name,
			variant->name, flags, colon, said);
		break;
	case FLAG_IGNORED:
		words_addf(x->notes, x->arena, "%s, %s: %s", slot->name, variant->name,
			said[0] != '\0' ? said
					: arena_printf(x->arena, "%s is taken and does nothing", flags));
		break;
	case FLAG_TAKEN:
		break;
	}
	note_native(r, slot, variant);
	return NULL;
}

typedef const char *check(
	struct reasons *r, const struct toolchain_slot *slot, const struct spec_variant *variant);

static const char *ask_pair(struct reasons *r, uint32_t slot_index, uint32_t flags)
{
	const struct toolchain_slot *slot = &r->x->slots.v[slot_index];
	const struct spec_variant *variant = r->x->flags.v[flags].variant;
	static check *const checks[] = {arch_reason, only_reason, static_reason, lto_reason, level_reason};
	struct answer *asked;
	const char *reason = NULL;

	/* in full it is told once, at the slot */
	if (slot->toolchain == NULL)
		return slot->brief != NULL ? slot->brief
					   : arena_printf(r->x->arena, "no %s here", slot->name);
	for (size_t i = 0; reason == NULL && i < sizeof(checks) / sizeof(checks[0]); i++)
		reason = checks[i](r, slot, variant);
	if (reason != NULL)
		return reason;
	asked = &r->probes[r->compilers[slot_index] * r->x->flags.n + r->classes[flags]];
	if (!asked->asked)
		*asked = (struct answer){true, probe(r, slot, variant)};
	return asked->reason;
}

static bool needs_cxx(const struct spec_workload *workload)
{
	static const char *const suffixes[] = {".cc", ".cpp", ".cxx", ".C", ".c++"};

	if (workload->language != NULL)
		return strcmp(workload->language, "c++") == 0;
	for (size_t i = 0; i < workload->sources.n; i++)
		for (size_t k = 0; k < sizeof(suffixes) / sizeof(suffixes[0]); k++)
			if (text_ends(workload->sources.v[i].text, suffixes[k]))
				return true;
	return false;
}

/* What depends on the workload: cheap, so not kept, but for the parameters. */
static const char *ask_workload(struct reasons *r, const struct cell_seed *cell)
{
	struct expansion *x = r->x;
	const struct spec_workload *workload = x->workloads.v[cell->key.workload];
	const struct toolchain *toolchain = x->slots.v[cell->key.slot].toolchain;
	struct answer *arguments = &r->arguments[cell->key.workload * x->args.n + cell->key.args];
	uint64_t copies = x->copies.v[cell->key.copies].number,
		 each = workload->cpus > 0 ? workload->cpus : 1;
	uint32_t cpus = x->options->cpus > 0 ? x->options->cpus : 1;

	if (!arguments->asked)
		*arguments = (struct answer){
			true, expand_args_reason(workload, x->args.v[cell->key.args], x->arena)};
	if (arguments->reason != NULL)
		return arguments->reason;
	if (toolchain->cxx.n == 0 && needs_cxx(workload))
		return toolchain->cxx_reason != NULL ? toolchain->cxx_reason
						     : arena_printf(x->arena, "%s has no C++ compiler here",
							       x->slots.v[cell->key.slot].name);
	if (copies * each <= cpus)
		return NULL;
	return each == 1 ? arena_printf(x->arena, "%ju copies need as many CPUs; this process may use %u",
				   (uintmax_t)copies, cpus)
			 : arena_printf(x->arena,
				   "needs %ju CPUs (%ju each for %ju copies); this process may use %u",
				   (uintmax_t)(copies * each), (uintmax_t)each, (uintmax_t)copies, cpus);
}

const char *reasons_ask(struct reasons *r, const struct cell_seed *cell)
{
	struct answer *pair = &r->pairs[cell->key.slot * r->x->flags.n + cell->flags];

	if (!pair->asked)
		*pair = (struct answer){true, ask_pair(r, cell->key.slot, cell->flags)};
	return pair->reason != NULL ? pair->reason : ask_workload(r, cell);
}
