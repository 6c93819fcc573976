/* The surroundings: what belongs to the machine and the run, beside the code. They only worsen a verdict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "compare/comparable_work.h"

/* How a fact is judged beyond "equal or not". */
enum rule {
	RULE_PLAIN,
	RULE_BARS, /* INCOMPARABLE where it differs */
	RULE_OF_CPU, /* belongs to the CPU: explained where the machine is the axis and the CPU is another one */
	RULE_OF_BOARD,	  /* firmware: explained where the machine is the axis and the board is another one */
	RULE_LIMIT,	  /* a frequency limit: explained where neither side is capped */
	RULE_NEAR,	  /* an amount of memory: 2 % are the kernel's */
	RULE_ONE_MACHINE, /* only within one machine; elsewhere it means nothing */
};

static const struct {
	const char *key;
	enum axis axis; /* AXIS_NONE: a setting, which is no axis */
	enum rule rule;
} table[] = {
	{"cpu.model_name", AXIS_MACHINE, RULE_PLAIN},
	{"cpu.stepping", AXIS_MACHINE, RULE_PLAIN},
	{"cpu.count", AXIS_MACHINE, RULE_PLAIN},
	{"topology.cores", AXIS_MACHINE, RULE_PLAIN},
	{"topology.sockets", AXIS_MACHINE, RULE_PLAIN},
	{"cpu.hybrid", AXIS_MACHINE, RULE_PLAIN},
	{"cpu.flags", AXIS_MACHINE, RULE_PLAIN},
	{"cache.l2.size_bytes", AXIS_MACHINE, RULE_PLAIN},
	{"cache.l3.size_bytes", AXIS_MACHINE, RULE_PLAIN},
	{"numa.nodes", AXIS_MACHINE, RULE_PLAIN},
	{"memory.total_bytes", AXIS_MACHINE, RULE_NEAR},
	{"memory.type", AXIS_MACHINE, RULE_PLAIN},
	{"memory.configured_mts", AXIS_MACHINE, RULE_PLAIN},
	{"memory.modules", AXIS_MACHINE, RULE_PLAIN},
	{"virt.hypervisor", AXIS_VIRTUALIZATION, RULE_PLAIN},
	{"container.kind", AXIS_VIRTUALIZATION, RULE_PLAIN},
	{"cgroup.cpu.quota_cpus", AXIS_NONE, RULE_BARS},
	{"libc.tunables", AXIS_NONE, RULE_BARS},
	{"kernel.release", AXIS_KERNEL, RULE_PLAIN},
	{"kernel.version", AXIS_KERNEL, RULE_PLAIN},
	{"kernel.cmdline", AXIS_KERNEL, RULE_PLAIN},
	{"kernel.clocksource", AXIS_KERNEL, RULE_PLAIN},
	{"cpu.isolated", AXIS_KERNEL, RULE_PLAIN},
	{"cpu.nohz_full", AXIS_KERNEL, RULE_PLAIN},
	{"cpu.microcode", AXIS_FIRMWARE, RULE_OF_CPU},
	{"bios.version", AXIS_FIRMWARE, RULE_OF_BOARD},
	{"topology.smt.active", AXIS_NONE, RULE_PLAIN},
	{"freq.driver", AXIS_NONE, RULE_OF_CPU},
	{"freq.governor", AXIS_NONE, RULE_PLAIN},
	{"freq.epp", AXIS_NONE, RULE_PLAIN},
	{"freq.no_turbo", AXIS_NONE, RULE_PLAIN},
	{"freq.boost", AXIS_NONE, RULE_PLAIN},
	{"freq.scaling_max_khz", AXIS_NONE, RULE_LIMIT},
	{"freq.max_perf_pct", AXIS_NONE, RULE_PLAIN},
	{"memory.thp.enabled", AXIS_NONE, RULE_PLAIN},
	{"memory.thp.defrag", AXIS_NONE, RULE_PLAIN},
	{"kernel.numa_balancing", AXIS_NONE, RULE_PLAIN},
	{"numa.policy", AXIS_NONE, RULE_PLAIN},
	{"kernel.aslr", AXIS_NONE, RULE_PLAIN},
	{"power.profile", AXIS_NONE, RULE_PLAIN},
	{"power.source", AXIS_NONE, RULE_PLAIN},
	{"tune.profile", AXIS_NONE, RULE_PLAIN},
	{"harness.version", AXIS_NONE, RULE_PLAIN},
	{"harness.cpus", AXIS_NONE, RULE_ONE_MACHINE},
};

enum { HOST_FACTS = sizeof(table) / sizeof(table[0]) };

static const double busy_share = 0.5;

struct judging {
	const struct comparable_view *a, *b;
	struct arena *arena;
	struct comparable *out;
	bool other_cpu, other_board, one_machine;
};

size_t comparable_host_count(void)
{
	return HOST_FACTS;
}

const char *comparable_host_key(size_t index)
{
	return table[index].key;
}

static const char *host_value(const struct comparable_view *view, const char *key)
{
	for (size_t i = 0; i < HOST_FACTS; i++)
		if (strcmp(table[i].key, key) == 0)
			return comparable_known(view->host[i]) ? view->host[i]->value : NULL;
	return facts_value(&view->record->host, key);
}

static bool host_differs(const struct judging *j, const char *key)
{
	const char *a = host_value(j->a, key), *b = host_value(j->b, key);

	return a != NULL && b != NULL && strcmp(a, b) != 0;
}

static const char *text_of(const struct fact *fact)
{
	return fact != NULL && fact->value != NULL ? fact->value : "";
}

static bool capped(const struct comparable_view *view, const struct fact *limit)
{
	const char *most = host_value(view, "freq.cpuinfo_max_khz");

	return most == NULL || strcmp(most, text_of(limit)) != 0;
}

static bool near(const struct fact *a, const struct fact *b)
{
	double x, y;

	return num_parse_double(text_of(a), &x) && num_parse_double(text_of(b), &y) &&
	       fabs(x - y) <= 0.02 * fmax(fabs(x), fabs(y));
}

/* Why a difference of known values does not matter; NULL: it does. */
static const char *explanation(const struct judging *j, size_t i, const struct fact *a, const struct fact *b)
{
	bool machine = j->out->axis == AXIS_MACHINE;

	if (table[i].axis == j->out->axis)
		return comparable_on_axis;
	switch (table[i].rule) {
	case RULE_OF_CPU:
		return machine && j->other_cpu ? "it belongs to the CPU, which is another one" : NULL;
	case RULE_OF_BOARD:
		return machine && j->other_board ? "it belongs to the board, which is another one" : NULL;
	case RULE_LIMIT:
		return machine && j->other_cpu && !capped(j->a, a) && !capped(j->b, b)
			       ? "neither CPU is held below its own maximum"
			       : NULL;
	case RULE_NEAR:
		return near(a, b) ? "within what kernels keep for themselves" : NULL;
	case RULE_ONE_MACHINE:
		return j->one_machine ? NULL : "CPU numbers mean nothing on another machine";
	case RULE_PLAIN:
	case RULE_BARS:
	default:
		return NULL;
	}
}

/* In a guest the microcode's revision is whatever the hypervisor says. */
static bool made_up(const struct judging *j, const char *key)
{
	const char *a = host_value(j->a, "cpu.microcode.trust"), *b = host_value(j->b, "cpu.microcode.trust");

	return strcmp(key, "cpu.microcode") == 0 &&
	       ((a != NULL && text_starts(a, "untrusted")) || (b != NULL && text_starts(b, "untrusted")));
}

static void judge_fact(struct judging *j, size_t i)
{
	const struct fact *a = j->a->host[i], *b = j->b->host[i];
	enum facing facing = comparable_facing(a, b);
	struct comparable_facts *facts = &j->out->facts;
	const char *key = table[i].key, *why;

	if (facing == FACING_SAME && table[i].rule == RULE_OF_CPU && made_up(j, key)) {
		comparable_add(facts, j->arena, key, a, b, FACT_MAY_MATTER, COMPARABLE,
			"a hypervisor makes it up, so equal values prove nothing");
		return;
	}
	if (facing == FACING_SAME || (a == NULL && b == NULL))
		return;
	if (facing == FACING_BOTH_UNKNOWN) {
		comparable_add(facts, j->arena, key, a, b, FACT_MAY_MATTER, COMPARABLE,
			"known on neither side, so not known to be the same");
	} else if (facing == FACING_ONE_UNKNOWN) {
		why = table[i].axis == j->out->axis ? comparable_on_axis
		      : table[i].rule == RULE_ONE_MACHINE && !j->one_machine
			      ? "CPU numbers mean nothing on another machine"
			      : NULL;
		comparable_add(facts, j->arena, key, a, b, why != NULL ? FACT_EXPLAINED : FACT_MAY_MATTER,
			why != NULL ? COMPARABLE : COMPARABLE_CAVEAT,
			why != NULL ? why : comparable_one_side);
	} else if ((why = explanation(j, i, a, b)) != NULL) {
		comparable_add(facts, j->arena, key, a, b, FACT_EXPLAINED, COMPARABLE, why);
	} else if (table[i].rule == RULE_BARS) {
		comparable_add(facts, j->arena, key, a, b, FACT_DECIDES, INCOMPARABLE,
			"it changes how fast any program runs");
	} else {
		comparable_add(
			facts, j->arena, key, a, b, FACT_MAY_MATTER, COMPARABLE_CAVEAT, comparable_off_axis);
	}
}

static void judge_mitigation(struct judging *j, const char *key, const struct fact *a, const struct fact *b)
{
	static const char none[] = "Not affected";
	const char *x = text_of(a), *y = text_of(b);
	enum facing facing = comparable_facing(a, b);
	bool on_axis = j->out->axis == AXIS_KERNEL;
	const char *why = NULL;

	if (facing == FACING_SAME || facing == FACING_BOTH_UNKNOWN)
		return;
	if (on_axis)
		why = comparable_on_axis;
	else if ((a == NULL && strcmp(y, none) == 0) || (b == NULL && strcmp(x, none) == 0))
		why = "one CPU is not affected, the other's kernel does not list it";
	else if (facing == FACING_DIFFERS && j->out->axis == AXIS_MACHINE && j->other_cpu &&
		 !text_starts(x, "Vulnerable") && !text_starts(y, "Vulnerable"))
		why = "the CPUs need other mitigations, and have them";
	comparable_add(&j->out->facts, j->arena, key, a, b, why != NULL ? FACT_EXPLAINED : FACT_MAY_MATTER,
		why != NULL ? COMPARABLE : COMPARABLE_CAVEAT,
		why != NULL		       ? why
		: facing == FACING_ONE_UNKNOWN ? comparable_one_side
					       : comparable_off_axis);
}

/* The mitigation of this name; it is mostly at the same place. */
static const struct fact *mitigation(const struct comparable_view *view, const char *key, size_t guess)
{
	if (guess < view->mitigation_count && strcmp(view->mitigations[guess]->key, key) == 0)
		return view->mitigations[guess];
	for (size_t i = 0; i < view->mitigation_count; i++)
		if (strcmp(view->mitigations[i]->key, key) == 0)
			return view->mitigations[i];
	return NULL;
}

/* The kernel lists what it knows of, so the two lists of keys may differ. */
static void judge_mitigations(struct judging *j)
{
	for (size_t i = 0; i < j->a->mitigation_count; i++) {
		const struct fact *fact = j->a->mitigations[i];

		judge_mitigation(j, fact->key, fact, mitigation(j->b, fact->key, i));
	}
	for (size_t i = 0; i < j->b->mitigation_count; i++) {
		const struct fact *fact = j->b->mitigations[i];

		if (mitigation(j->a, fact->key, i) == NULL)
			judge_mitigation(j, fact->key, NULL, fact);
	}
}

/* The load before the first sample, by CPU; -1: not known. */
static double load_of(const struct comparable_view *view)
{
	const char *load = host_value(view, "load.1min"), *count = host_value(view, "cpu.count");
	double x, n;

	if (load == NULL || count == NULL || !num_parse_double(load, &x) || !num_parse_double(count, &n) ||
		n < 1)
		return -1;
	return x / n;
}

static void judge_load(struct judging *j)
{
	const struct fact *a = facts_find(&j->a->record->host, "load.1min");
	const struct fact *b = facts_find(&j->b->record->host, "load.1min");

	if (load_of(j->a) > busy_share || load_of(j->b) > busy_share)
		comparable_add(&j->out->facts, j->arena, "load.1min", a, b, FACT_MAY_MATTER,
			COMPARABLE_CAVEAT, "a machine was busy when its run began");
	else if (comparable_facing(a, b) == FACING_ONE_UNKNOWN)
		comparable_add(&j->out->facts, j->arena, "load.1min", a, b, FACT_MAY_MATTER,
			COMPARABLE_CAVEAT, comparable_one_side);
}

static void judge_setting(struct judging *j, const char *key, const char *a, const char *b)
{
	if (strcmp(a, b) != 0)
		comparable_add_text(&j->out->facts, j->arena, key, a, b, FACT_MAY_MATTER, COMPARABLE_CAVEAT,
			"the runs were measured in another way");
}

/* How the two runs were measured. */
static void judge_runs(struct judging *j)
{
	const struct record *a = j->a->record, *b = j->b->record;
	const struct measure_settings *left = &a->plan.settings, *right = &b->plan.settings;

	judge_setting(j, "length of a sample", arena_printf(j->arena, "%g ms", (double)left->sample_ns / 1e6),
		arena_printf(j->arena, "%g ms", (double)right->sample_ns / 1e6));
	judge_setting(j, "layouts", arena_printf(j->arena, "%u", left->layouts_min),
		arena_printf(j->arena, "%u", right->layouts_min));
	judge_setting(j, "rounds", arena_printf(j->arena, "at most %u", left->rounds_max),
		arena_printf(j->arena, "at most %u", right->rounds_max));
	judge_setting(j, "complete", a->complete ? "yes" : "no", b->complete ? "yes" : "no");
	if (!a->complete && !b->complete)
		comparable_add_text(&j->out->facts, j->arena, "complete", "no", "no", FACT_MAY_MATTER,
			COMPARABLE_CAVEAT, "neither run came to its end");
}

static void judge_names(struct judging *j)
{
	const char *a = j->a->record->host_name, *b = j->b->record->host_name;
	bool on_axis = j->out->axis == AXIS_MACHINE;

	if (!text_same(a, b))
		comparable_add_text(&j->out->facts, j->arena, "host", a, b,
			on_axis ? FACT_EXPLAINED : FACT_MAY_MATTER, on_axis ? COMPARABLE : COMPARABLE_CAVEAT,
			on_axis ? comparable_on_axis : "another machine or installation, off the axis");
	else if (!j->one_machine)
		comparable_add(&j->out->facts, j->arena,
			comparable_facing(j->a->uuid, j->b->uuid) == FACING_DIFFERS ? "product.uuid_hash"
										    : "board.serial_hash",
			comparable_facing(j->a->uuid, j->b->uuid) == FACING_DIFFERS ? j->a->uuid
										    : j->a->serial,
			comparable_facing(j->a->uuid, j->b->uuid) == FACING_DIFFERS ? j->b->uuid
										    : j->b->serial,
			on_axis ? FACT_EXPLAINED : FACT_MAY_MATTER, on_axis ? COMPARABLE : COMPARABLE_CAVEAT,
			on_axis ? comparable_on_axis : "one HOST, but two machines, off the axis");
}

/* "host.arch: x86_64 against aarch64" bars all of it, whatever the axis is. */
static void judge_architecture(struct judging *j)
{
	const struct fact *a = facts_find(&j->a->record->host, "host.arch");
	const struct fact *b = facts_find(&j->b->record->host, "host.arch");

	if (comparable_facing(a, b) == FACING_DIFFERS)
		comparable_add(&j->out->facts, j->arena, "host.arch", a, b, FACT_DECIDES, INCOMPARABLE,
			"no code can be the same");
}

static void conclude(struct comparable *out, struct arena *arena)
{
	out->verdict = COMPARABLE;
	for (size_t i = 0; i < out->facts.n; i++) {
		const struct comparable_fact *fact = &out->facts.v[i];

		out->verdict = comparable_worse(out->verdict, fact->worsens);
		if (fact->worsens == INCOMPARABLE && out->reason == NULL)
			out->reason = comparable_fact_text(fact, arena);
		if (fact->worsens == COMPARABLE_CAVEAT)
			comparable_add_caveat(&out->caveats, fact, arena);
	}
}

void comparable_judge_host(const struct comparable_view *a, const struct comparable_view *b,
	struct arena *arena, struct comparable *out)
{
	struct judging j = {.a = a, .b = b, .arena = arena, .out = out};

	j.one_machine = comparable_same_machine(a, b);
	j.other_cpu = host_differs(&j, "cpu.model_name") || host_differs(&j, "cpu.model") ||
		      host_differs(&j, "cpu.stepping");
	j.other_board = host_differs(&j, "board.name") || host_differs(&j, "product.name");
	judge_architecture(&j);
	judge_names(&j);
	for (size_t i = 0; i < HOST_FACTS; i++)
		judge_fact(&j, i);
	judge_mitigations(&j);
	judge_load(&j);
	judge_runs(&j);
	conclude(out, arena);
}
