#include "compare/comparable.h"

#include <string.h>

#include "base/buf.h"
#include "stats/paired.h"

/* Facts of the host that change speed, each with the axis that it belongs to. */
static const struct {
	const char *key, *axis;
} host_facts[] = {
	{"cpu.model_name", "machine"},
	{"cpu.stepping", "machine"},
	{"cpu.count", "machine"},
	{"topology.smt.active", "machine"},
	{"memory.configured_mts", "machine"},
	{"virt.hypervisor", "virtualization"},
	{"container.kind", "virtualization"},
	{"kernel.release", "kernel"},
	{"cpu.microcode", "firmware"},
	{"bios.version", "firmware"},
	{"libc.version", "C library"},
	{"kernel.cmdline", "kernel"},
	{"kernel.clocksource", "kernel"},
	{"kernel.mitigation.spectre_v2", "kernel"},
	{"freq.driver", "policy"},
	{"freq.governor", "policy"},
	{"freq.epp", "policy"},
	{"freq.no_turbo", "policy"},
	{"freq.boost", "policy"},
	{"freq.scaling_max_khz", "policy"},
	{"memory.thp.enabled", "policy"},
	{"kernel.numa_balancing", "policy"},
	{"kernel.aslr", "policy"},
	{"power.profile", "policy"},
	{"power.source", "policy"},
	{"cgroup.cpu.quota_cpus", "policy"},
};

static const char *const toolchain_facts[] = {"toolchain.family", "toolchain.version", "toolchain.target",
	"toolchain.cc1.sha256", "toolchain.driver.sha256", "toolchain.assembler.version",
	"toolchain.linker.version", "toolchain.libc.version", "toolchain.libc.sha256"};

/* The axes from the strongest on: the first that differs is what the comparison is about. */
static const char *const axes[] = {
	"machine", "virtualization", "compiler", "kernel", "firmware", "C library"};
enum {
	AXES = sizeof(axes) / sizeof(axes[0]),
	HOST_FACTS = sizeof(host_facts) / sizeof(host_facts[0]),
	TOOLCHAIN_FACTS = sizeof(toolchain_facts) / sizeof(toolchain_facts[0]),
	VALUE_SHOWN = 60, /* characters of a value: command lines are long */
	HASH_SHOWN = 12
};

/* What differs, while it is collected. */
struct difference {
	const char *axis, *text;
};

struct differences {
	struct arena *arena;
	struct difference v[HOST_FACTS + TOOLCHAIN_FACTS * 16 + 8];
	size_t n;
};

const char *comparability_text(enum comparability verdict)
{
	static const char *const texts[] = {
		[COMPARABLE] = "comparable", [COMPARABLE_CAVEAT] = "caveat", [INCOMPARABLE] = "incomparable"};

	return texts[verdict];
}

static void add(struct differences *all, const char *axis, const char *text)
{
	if (all->n < sizeof(all->v) / sizeof(all->v[0]))
		all->v[all->n++] = (struct difference){axis, text};
}

static bool is_known(const struct fact *fact)
{
	return fact != NULL && fact->value != NULL;
}

static const char *shown(const char *key, const struct fact *fact, struct arena *arena)
{
	size_t limit = text_ends(key, "sha256") ? HASH_SHOWN : VALUE_SHOWN;

	if (is_known(fact))
		return strlen(fact->value) <= limit ? fact->value
						    : arena_printf(arena, "%.*s...", (int)limit, fact->value);
	return arena_printf(arena, "unknown (%s)",
		fact == NULL ? "not recorded"
			     : (fact->reason != NULL ? fact->reason : "no reason was recorded"));
}

/* "KEY: A against B" if they differ or one side does not know; NULL else, also if neither knows. */
static const char *difference_of(
	const char *key, const struct facts *a, const struct facts *b, struct arena *arena)
{
	const struct fact *left = facts_find(a, key), *right = facts_find(b, key);

	if (!is_known(left) && !is_known(right))
		return NULL;
	if (is_known(left) && is_known(right) && strcmp(left->value, right->value) == 0)
		return NULL;
	return arena_printf(
		arena, "%s: %s against %s", key, shown(key, left, arena), shown(key, right, arena));
}

/* A difference of which one side is not known can be the axis of nothing. */
static bool both_known(const char *key, const struct facts *a, const struct facts *b)
{
	return is_known(facts_find(a, key)) && is_known(facts_find(b, key));
}

static void compare_hosts(const struct record *a, const struct record *b, struct differences *all)
{
	if (!text_same(a->host_name, b->host_name))
		add(all, "machine",
			arena_printf(all->arena, "%s against %s",
				a->host_name != NULL ? a->host_name : "a host without a name",
				b->host_name != NULL ? b->host_name : "a host without a name"));
	for (size_t i = 0; i < HOST_FACTS; i++) {
		const char *key = host_facts[i].key;
		const char *text = difference_of(key, &a->host, &b->host, all->arena);

		if (text != NULL)
			add(all, both_known(key, &a->host, &b->host) ? host_facts[i].axis : "policy", text);
	}
}

static void compare_slot(const struct record_toolchain *a, const struct record_toolchain *b, const char *slot,
	struct differences *all)
{
	for (size_t i = 0; i < TOOLCHAIN_FACTS; i++) {
		const char *key = toolchain_facts[i];
		const char *text = difference_of(key, &a->facts, &b->facts, all->arena);

		if (text != NULL)
			add(all, both_known(key, &a->facts, &b->facts) ? "compiler" : "policy",
				arena_printf(all->arena, "slot %s, %s", slot, text));
	}
}

static void compare_toolchains(const struct record *a, const struct record *b, struct differences *all)
{
	for (size_t i = 0; i < a->toolchain_count; i++) {
		const struct words *slots = &a->toolchains[i].slots;

		for (size_t s = 0; s < slots->n; s++) {
			const struct record_toolchain *other = record_toolchain(b, slots->v[s]);

			if (other != NULL)
				compare_slot(&a->toolchains[i], other, slots->v[s], all);
		}
	}
}

static const char *architecture_of(const struct record *record)
{
	return facts_value(&record->host, "host.arch");
}

/* What only one of the two says about how it was measured. */
static void compare_runs(const struct record *a, const struct record *b, struct differences *all)
{
	const struct measure_settings *left = &a->plan.settings, *right = &b->plan.settings;
	const char *harness = difference_of("harness.version", &a->harness, &b->harness, all->arena);

	if (harness != NULL)
		add(all, "policy", harness);
	if (left->sample_ns != right->sample_ns)
		add(all, "policy",
			arena_printf(all->arena, "length of a sample: %g ms against %g ms",
				(double)left->sample_ns / 1e6, (double)right->sample_ns / 1e6));
	if (left->layouts_min != right->layouts_min)
		add(all, "policy",
			arena_printf(
				all->arena, "layouts: %u against %u", left->layouts_min, right->layouts_min));
	if (left->rounds_max != right->rounds_max)
		add(all, "policy",
			arena_printf(all->arena, "rounds: at most %u against %u", left->rounds_max,
				right->rounds_max));
	if (!a->complete || !b->complete)
		add(all, "policy",
			a->complete   ? "the second run is not complete"
			: b->complete ? "the first run is not complete"
				      : "neither run is complete");
}

/* The first axis that differs is what is compared; all of it is meant to differ, all else is a caveat. */
static void choose_axis(const struct differences *all, struct comparable *out)
{
	out->axis = "time";
	for (size_t x = 0; x < AXES && out->what == NULL; x++)
		for (size_t i = 0; i < all->n && out->what == NULL; i++)
			if (strcmp(all->v[i].axis, axes[x]) == 0) {
				out->axis = axes[x];
				out->what = all->v[i].text;
			}
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].axis, out->axis) != 0)
			words_add(&out->caveats, all->arena, all->v[i].text);
}

void comparable_records(
	const struct record *a, const struct record *b, struct arena *arena, struct comparable *out)
{
	struct differences *all = arena_new(arena, struct differences);
	const char *left = architecture_of(a), *right = architecture_of(b);

	*out = (struct comparable){0};
	all->arena = arena;
	compare_hosts(a, b, all);
	compare_toolchains(a, b, all);
	compare_runs(a, b, all);
	choose_axis(all, out);
	out->verdict = out->caveats.n > 0 ? COMPARABLE_CAVEAT : COMPARABLE;
	if (left != NULL && right != NULL && strcmp(left, right) != 0) {
		out->verdict = INCOMPARABLE;
		out->reason = arena_printf(arena, "other architecture: %s against %s", left, right);
	}
}

static const char *text_or_unknown(const char *text)
{
	return text != NULL ? text : "unknown";
}

/* Why the numbers of the two cells are not of one kind; NULL: they are. */
static const char *incomparable_reason(
	const struct record_workload *a, const struct record_workload *b, struct arena *arena)
{
	if (a == NULL || b == NULL)
		return "a record does not describe its workload";
	if (!text_same(a->unit, b->unit))
		return arena_printf(arena, "other metric: %s against %s", text_or_unknown(a->unit),
			text_or_unknown(b->unit));
	if (a->lower_is_better != b->lower_is_better)
		return "other metric: lower is better on one side only";
	if (a->content_hash != NULL && b->content_hash != NULL &&
		!text_same(a->content_hash, b->content_hash))
		return arena_printf(arena, "other workload content: %.*s against %.*s", HASH_SHOWN,
			a->content_hash, HASH_SHOWN, b->content_hash);
	return NULL;
}

static bool asks_for_native(const struct record_build *build)
{
	const char *flags = facts_value(&build->facts, "build.cflags");

	return flags != NULL &&
	       (strstr(flags, "-march=native") != NULL || strstr(flags, "-mcpu=native") != NULL ||
		       strstr(flags, "-mtune=native") != NULL);
}

static const char *units_of(const struct record_build *build)
{
	return facts_value(&build->facts, "cell.units");
}

static void add_code_caveat(const struct record_build *a, const struct record_build *b, struct arena *arena,
	struct comparable_cell *out)
{
	const char *flags = difference_of("build.cflags", &a->facts, &b->facts, arena);

	if (flags == NULL)
		flags = difference_of("build.ldflags", &a->facts, &b->facts, arena);
	if (flags != NULL)
		words_addf(&out->caveats, arena, "other flags under the same name: %s", flags);
	if (out->code == CODE_OTHER && (asks_for_native(a) || asks_for_native(b)))
		words_add(&out->caveats, arena,
			"other code under native: native was answered in another way, or by another "
			"compiler");
	if (out->code == CODE_UNKNOWN)
		words_add(&out->caveats, arena, "whether the code is the same is not known");
}

void comparable_cells(const struct record *a, const struct record_build *build_a, const struct record *b,
	const struct record_build *build_b, struct arena *arena, struct comparable_cell *out)
{
	const struct record_workload *left = record_workload(a, build_a->workload);
	const struct record_workload *right = record_workload(b, build_b->workload);

	*out = (struct comparable_cell){.code = CODE_UNKNOWN};
	if (build_a->code_hash != NULL && build_b->code_hash != NULL)
		out->code = text_same(build_a->code_hash, build_b->code_hash) ? CODE_SAME : CODE_OTHER;
	out->reason = incomparable_reason(left, right, arena);
	if (out->reason != NULL) {
		out->verdict = INCOMPARABLE;
		return;
	}
	if (left->content_hash == NULL || right->content_hash == NULL)
		words_add(&out->caveats, arena, "the workload's content is not known on both sides");
	add_code_caveat(build_a, build_b, arena, out);
	if (!text_same(units_of(build_a), units_of(build_b)))
		words_addf(&out->caveats, arena, "units of work a sample: %s against %s",
			text_or_unknown(units_of(build_a)), text_or_unknown(units_of(build_b)));
	if (build_a->layout_count < STATS_MIN_LAYOUTS || build_b->layout_count < STATS_MIN_LAYOUTS)
		words_add(&out->caveats, arena, "placement not averaged");
	out->verdict = out->caveats.n > 0 ? COMPARABLE_CAVEAT : COMPARABLE;
}

const char *comparable_sentence(
	const struct comparable *records, size_t cells, size_t incomparable, struct arena *arena)
{
	const char *axis = records->what == NULL
				   ? arena_printf(arena, "axis: %s", records->axis)
				   : arena_printf(arena, "axis: %s, %s", records->axis, records->what);
	const char *some = "";

	if (records->verdict == INCOMPARABLE)
		return arena_printf(arena, "INCOMPARABLE: %s.", records->reason);
	if (cells == 0)
		return arena_printf(arena, "INCOMPARABLE: no cell is in both (%s).", axis);
	if (incomparable == cells)
		return arena_printf(arena, "INCOMPARABLE: none of the %zu cells in both (%s).", cells, axis);
	if (incomparable > 0)
		some = arena_printf(arena, "; %zu of %zu cells are incomparable", incomparable, cells);
	if (records->verdict == COMPARABLE_CAVEAT)
		return arena_printf(arena, "CAVEAT: comparable but for %zu difference%s off the axis (%s)%s.",
			records->caveats.n, records->caveats.n == 1 ? "" : "s", axis, some);
	return arena_printf(
		arena, "COMPARABLE: nothing else differs that is known to matter (%s)%s.", axis, some);
}
