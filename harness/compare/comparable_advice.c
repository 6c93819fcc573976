#include "compare/comparable_advice.h"

#include <string.h>

#include "compare/comparable_work.h"
#include "plan/plan.h"

enum { KEYS_NAMED = 4 };

struct advising {
	const struct advice_question *q;
	struct arena *arena;
	struct advices *out;
};

static void say(struct advising *a, const char *command, const char *text)
{
	if (a->out->n < ADVICE_MOST)
		a->out->v[a->out->n++] = (struct advice){text, command};
}

/* --- what there is --- */

static bool worsens(const struct comparable_fact *fact)
{
	return fact->worsens != COMPARABLE;
}

/* The first fact with this key that worsens a verdict, of the records or of a cell; NULL: none does. */
static const struct comparable_fact *find_fact(const struct advising *a, const char *key)
{
	const struct comparable_facts *facts = &a->q->records->facts;

	for (size_t i = 0; i < facts->n; i++)
		if (worsens(&facts->v[i]) && strcmp(facts->v[i].key, key) == 0)
			return &facts->v[i];
	for (size_t c = 0; c < a->q->cell_count; c++) {
		facts = &a->q->cells[c]->facts;
		for (size_t i = 0; i < facts->n; i++)
			if (worsens(&facts->v[i]) && strcmp(facts->v[i].key, key) == 0)
				return &facts->v[i];
	}
	return NULL;
}

static bool any_of(const struct advising *a, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		if (find_fact(a, *keys) != NULL)
			return true;
	return false;
}

static bool has_row(const struct advising *a, unsigned from, unsigned to, enum comparability verdict)
{
	for (size_t c = 0; c < a->q->cell_count; c++) {
		const struct comparable_cell *cell = a->q->cells[c];

		if (cell->row >= from && cell->row <= to && cell->verdict == verdict)
			return true;
	}
	return false;
}

static bool asks_native(const struct advising *a)
{
	for (size_t c = 0; c < a->q->cell_count; c++)
		if (a->q->cells[c]->native_a != NULL && a->q->cells[c]->verdict == INCOMPARABLE)
			return true;
	return false;
}

/* --- what to do --- */

const char *comparable_common_level(const struct comparable_view *a, const struct comparable_view *b)
{
	static const char *const levels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
	const char *arch = facts_value(&a->record->host, "host.arch");
	struct arena scratch = {0};
	const char *found = "x86-64";

	if (!comparable_known(a->cpu_flags) || !comparable_known(b->cpu_flags) || arch == NULL ||
		strcmp(arch, "x86_64") != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (plan_level_missing(levels[i], a->cpu_flags->value, &scratch) == NULL &&
			plan_level_missing(levels[i], b->cpu_flags->value, &scratch) == NULL) {
			found = levels[i];
			break;
		}
	arena_release(&scratch);
	return found;
}

static void advise_bundle(struct advising *a)
{
	const char *matrix = a->q->a->record->plan.matrix_name;

	say(a,
		arena_printf(a->arena, "flagstone build%s%s --bundle FILE", matrix != NULL ? " " : "",
			matrix != NULL ? matrix : ""),
		"Measure the same binaries on both machines. Pack them on one, then flagstone run --bundle "
		"FILE on the "
		"other:");
}

static void advise_level(struct advising *a)
{
	const char *level = comparable_common_level(a->q->a, a->q->b);

	if (level != NULL)
		say(a, NULL,
			arena_printf(a->arena,
				"Rebuild both with -march=%s -mtune=generic: the highest level that both "
				"machines "
				"have.",
				level));
	else
		say(a, NULL,
			"Rebuild both with one -march that names a level, and -mtune=generic, instead of "
			"native: the "
			"CPUs' features are not known on both sides, so that none can be named here.");
}

static const char *compiler_of(const struct advising *a, const struct comparable_view *view, const char *slot)
{
	for (size_t i = 0; i < view->slot_count; i++) {
		const struct fact *const *facts = view->slots[i].facts;

		if (slot == NULL || text_same(view->slots[i].slot, slot))
			return arena_printf(a->arena, "%s %s",
				comparable_known(facts[T_FAMILY]) ? facts[T_FAMILY]->value : "the compiler",
				comparable_known(facts[T_VERSION]) ? facts[T_VERSION]->value
								   : "(version unknown)");
	}
	return "an unknown compiler";
}

/* The first slot of both whose compilers differ. */
static const char *other_slot(const struct advising *a)
{
	const struct comparable_view *x = a->q->a, *y = a->q->b;

	for (size_t i = 0; i < x->slot_count; i++)
		for (size_t k = 0; k < y->slot_count; k++) {
			bool family = comparable_facing(x->slots[i].facts[T_FAMILY],
					      y->slots[k].facts[T_FAMILY]) == FACING_DIFFERS;
			bool version = comparable_facing(x->slots[i].facts[T_VERSION],
					       y->slots[k].facts[T_VERSION]) == FACING_DIFFERS;

			if (text_same(x->slots[i].slot, y->slots[k].slot) && (family || version))
				return x->slots[i].slot;
		}
	return NULL;
}

static void advise_compiler(struct advising *a)
{
	const char *slot = other_slot(a);

	say(a, NULL,
		slot != NULL ? arena_printf(a->arena,
				       "Use one compiler on both: slot %s is %s in %s, %s in %s. If the "
				       "compilers are what "
				       "is to be compared, say --axis compiler.",
				       slot, compiler_of(a, a->q->a, slot), a->q->name_a,
				       compiler_of(a, a->q->b, slot), a->q->name_b)
			     : "Use one compiler on both: its name and version are the same, its files "
			       "differ (--why names "
			       "them).");
}

static void advise_code(struct advising *a)
{
	static const char *const compiler[] = {"toolchain.family", "toolchain.version",
		"toolchain.cc1.sha256", "toolchain.driver.sha256", "toolchain.target", NULL};
	static const char *const level[] = {
		"resolved.features", "resolved.vector_width", "resolved.tune", "resolved.mtune", NULL};
	static const char *const asked[] = {"build.cflags", "build.cxxflags", "build.ldflags", NULL};
	static const char *const options[] = {"resolved.opt_level", "resolved.fp_model", "resolved.lto",
		"resolved.pgo", "resolved.sanitizers", "resolved.static", "resolved.arch", NULL};
	bool native = asks_native(a);

	if (a->q->records->axis == AXIS_MACHINE && has_row(a, 5, 9, INCOMPARABLE))
		advise_bundle(a);
	if (native || (has_row(a, 5, 7, INCOMPARABLE) && any_of(a, level)))
		advise_level(a);
	if (any_of(a, compiler))
		advise_compiler(a);
	if (find_fact(a, "resolved.fp_model") != NULL && any_of(a, compiler) && !any_of(a, asked))
		say(a, NULL,
			"Name the floating-point model in both, such as -ffp-contract=off: what compilers "
			"take for "
			"granted differs.");
	if (any_of(a, asked) || (any_of(a, options) && !any_of(a, compiler)))
		say(a, NULL,
			"Build both with the same flags. If the flags are what is to be compared, say --axis "
			"flags.");
	if (find_fact(a, "workload.content_hash") != NULL)
		say(a, NULL,
			"Measure the same sources on both: check out one commit. If the sources are what is "
			"to be "
			"compared, say --axis source.");
	if (has_row(a, 9, 9, INCOMPARABLE))
		say(a, "flagstone build --verify",
			"Something went into one of the builds that is not recorded. Compare environment, "
			"configuration "
			"files and headers on both sides; and see whether the build repeats at all:");
	if (has_row(a, 0, 0, INCOMPARABLE))
		say(a, NULL, "Measure both with the same version of the workload: its unit is another one.");
}

static void advise_surroundings(struct advising *a)
{
	if (find_fact(a, "host.arch") != NULL)
		say(a, NULL,
			"Machines of two architectures run other code: compare each with its own kind, or "
			"look at the "
			"medians with --force, knowing that compiler and machine differ together.");
	if (find_fact(a, "cgroup.cpu.quota_cpus") != NULL)
		say(a, NULL, "Give both the same CPU quota, or none.");
	if (find_fact(a, "GLIBC_TUNABLES") != NULL || find_fact(a, "libc.tunables") != NULL)
		say(a, NULL, "Set GLIBC_TUNABLES alike in both, or in neither.");
	if (find_fact(a, "run.runner") != NULL)
		say(a, NULL, "Measure both on a CPU, without an emulator.");
}

/* Names of facts that worsen the verdict, of those in `keys`: "freq.governor, freq.boost". */
static const char *named(const struct advising *a, const char *const *keys)
{
	struct words words = {0};

	for (; *keys != NULL && words.n < KEYS_NAMED; keys++) {
		const struct comparable_fact *fact = find_fact(a, *keys);

		if (fact != NULL && fact->known_a && fact->known_b)
			words_add(&words, a->arena, *keys);
	}
	return words.n > 0 ? words_between(&words, ", ", a->arena) : NULL;
}

static bool is_unknown(const struct comparable_fact *fact)
{
	return worsens(fact) && fact->known_a != fact->known_b;
}

static void advise_unknown(struct advising *a)
{
	const struct comparable_facts *facts = &a->q->records->facts;
	struct words words = {0};
	size_t count = 0;

	for (size_t i = 0; i < facts->n; i++)
		if (is_unknown(&facts->v[i]) && count++ < KEYS_NAMED)
			words_addf(&words, a->arena, "%s in %s", facts->v[i].key,
				facts->v[i].known_a ? a->q->name_b : a->q->name_a);
	if (count > 0)
		say(a, NULL,
			arena_printf(a->arena,
				"Measure again with this version, and as root where a fact may not be read; "
				"not known: %s%s.",
				words_between(&words, ", ", a->arena), count > words.n ? ", ..." : ""));
}

static void advise_settings(struct advising *a)
{
	static const char *const settings[] = {"freq.governor", "freq.no_turbo", "freq.boost", "freq.epp",
		"freq.scaling_max_khz", "freq.max_perf_pct", "tune.profile", "power.profile", NULL};
	static const char *const switches[] = {"topology.smt.active", "memory.thp.enabled",
		"kernel.numa_balancing", "kernel.aslr", "kernel.cmdline", NULL};
	const char *set = named(a, settings), *other = named(a, switches);

	if (set != NULL)
		say(a, "flagstone tune",
			arena_printf(a->arena, "Set %s alike on both machines, with one profile:", set));
	if (other != NULL)
		say(a, NULL, arena_printf(a->arena, "Make these the same on both: %s.", other));
	if (find_fact(a, "build.layouts") != NULL)
		say(a, NULL, "Average over placements: measure with --layouts 16 or more.");
	if (find_fact(a, "load.1min") != NULL)
		say(a, "flagstone doctor",
			"One machine was busy. Let it come to rest, and see what disturbs it:");
	advise_unknown(a);
}

void comparable_advise(const struct advice_question *question, struct arena *arena, struct advices *out)
{
	struct advising a = {question, arena, out};

	*out = (struct advices){.n = 0};
	if (question->verdict == COMPARABLE && question->records->note == NULL &&
		!has_row(&a, 0, 11, INCOMPARABLE))
		return;
	advise_code(&a);
	advise_surroundings(&a);
	advise_settings(&a);
	if (out->n == 0 && question->verdict != COMPARABLE)
		say(&a, NULL,
			"Make what differs the same, or declare with --axis what is meant to differ; --why "
			"lists each "
			"difference and what it did elsewhere in the archive.");
}
