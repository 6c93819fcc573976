#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/probe.h"

static const char CPU_FOLDER[] = "/sys/devices/system/cpu";

/* Distinct texts of one topology file over the online CPUs; false when a CPU has none. */
static bool distinct(struct probe *probe, const char *name, struct spread *spread, const char **reason)
{
	*reason = "no CPU is online";
	for (size_t i = 0; i < probe->online.n; i++) {
		int cpu = probe->online.v[i];
		const char *text = probe_textf(probe, reason, "%s/cpu%d/topology/%s", CPU_FOLDER, cpu, name);

		if (text == NULL)
			return false;
		spread_add(spread, probe, text, cpu);
	}
	return probe->online.n > 0;
}

static void set_sockets(struct probe *probe)
{
	const char *source = "/sys/devices/system/cpu/cpu*/topology/physical_package_id";
	struct spread packages = {0};
	struct spread listed = {0};
	const char *reason;

	if (distinct(probe, "physical_package_id", &packages, &reason)) {
		/* arm64 without PPTT and many others: the kernel was not told */
		if (packages.n == 1 && strcmp(packages.v[0].value, "-1") == 0)
			facts_unknown(probe->facts, "topology.sockets", source, "firmware says \"-1\"");
		else
			facts_setf(probe->facts, "topology.sockets", source, "%zu", packages.n);
		return;
	}
	cpuinfo_spread(probe, "physical id", &listed);
	if (listed.n > 0)
		facts_setf(probe->facts, "topology.sockets", "/proc/cpuinfo", "%zu", listed.n);
	else
		facts_unknown(probe->facts, "topology.sockets", source, reason);
}

/* Cores from the sibling lists; whether any of them has two threads up tells SMT where no switch does. */
static void set_cores(struct probe *probe)
{
	const char *name = "core_cpus_list";
	struct spread cores = {0};
	const char *reason;
	bool known = distinct(probe, name, &cores, &reason);
	bool shared = false;
	const char *source;

	if (!known) {
		name = "thread_siblings_list"; /* its name before Linux 5.3 */
		cores = (struct spread){0};
		known = distinct(probe, name, &cores, &reason);
	}
	source = arena_printf(probe->arena, "%s/cpu*/topology/%s", CPU_FOLDER, name);
	for (size_t i = 0; i < cores.n; i++)
		shared = shared || cores.v[i].cpus.n > 1;
	if (!known) {
		facts_unknown(probe->facts, "topology.cores", source, reason);
		facts_unknown(probe->facts, "topology.smt.active", source, reason);
		return;
	}
	facts_setf(probe->facts, "topology.cores", source, "%zu", cores.n);
	facts_set(probe->facts, "topology.smt.active", shared ? "yes" : "no", source);
}

static void set_smt(struct probe *probe)
{
	const char *path = "/sys/devices/system/cpu/smt/active";
	const char *active = probe_text(probe, path, NULL);

	/* anything else is no answer, and what the siblings say stands */
	if (text_same(active, "1") || text_same(active, "0"))
		facts_set(probe->facts, "topology.smt.active", active[0] == '1' ? "yes" : "no", path);
	probe_file(probe, "topology.smt.control", "/sys/devices/system/cpu/smt/control");
}

void probe_topology(struct probe *probe)
{
	set_sockets(probe);
	set_cores(probe);
	set_smt(probe);
	if (probe->online.n > 0)
		facts_setf(probe->facts, "topology.threads", probe->online_source, "%zu", probe->online.n);
	else
		facts_unknown(probe->facts, "topology.threads", probe->online_source, "no CPU is listed");
}

/* One kind of cache, such as l1d, over all CPUs. */
struct cache_kind {
	const char *name;
	struct spread size, line, ways, shared;
};
enum { MAX_KINDS = 16, MAX_INDEX = 16 };

static struct cache_kind *kind_named(struct cache_kind *kinds, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	if (*count == MAX_KINDS)
		return NULL;
	kinds[*count] = (struct cache_kind){.name = name};
	return &kinds[(*count)++];
}

static void take(struct probe *probe, struct spread *spread, const char *folder, const char *file, int cpu)
{
	const char *text = probe_textf(probe, NULL, "%s/%s", folder, file);

	if (text != NULL)
		spread_add(spread, probe, text, cpu);
}

/* Reads one indexN folder; false when there is none. */
static bool read_index(
	struct probe *probe, int cpu, int index, struct cache_kind *kinds, size_t *count, const char **reason)
{
	char *folder = arena_printf(probe->arena, "%s/cpu%d/cache/index%d", CPU_FOLDER, cpu, index);
	const char *level = probe_textf(probe, reason, "%s/level", folder);
	const char *type = probe_textf(probe, NULL, "%s/type", folder);
	const char *size;
	struct cache_kind *kind;
	uint64_t bytes;

	if (level == NULL || type == NULL)
		return false;
	kind = kind_named(kinds, count,
		arena_printf(probe->arena, "l%s%s", level,
			strcmp(type, "Data") == 0	   ? "d"
			: strcmp(type, "Instruction") == 0 ? "i"
							   : ""));
	if (kind == NULL)
		return true;
	size = probe_textf(probe, NULL, "%s/size", folder);
	if (size != NULL && num_parse_size(size, &bytes))
		spread_add(&kind->size, probe, arena_printf(probe->arena, "%llu", (unsigned long long)bytes),
			cpu);
	take(probe, &kind->line, folder, "coherency_line_size", cpu);
	take(probe, &kind->ways, folder, "ways_of_associativity", cpu);
	take(probe, &kind->shared, folder, "shared_cpu_list", cpu);
	return true;
}

static void set_spread(struct probe *probe, const char *kind, const char *what, const char *file,
	const struct spread *spread)
{
	char *key = arena_printf(probe->arena, "cache.%s.%s", kind, what);
	char *source = arena_printf(probe->arena, "%s/cpu*/cache/index*/%s", CPU_FOLDER, file);
	const char *text = spread_text(spread, probe);

	if (text != NULL)
		facts_set(probe->facts, key, text, source);
	else
		facts_unknown(probe->facts, key, source, "no such file, or no value in it");
}

static void set_kind(struct probe *probe, const struct cache_kind *kind)
{
	const char *source = "/sys/devices/system/cpu/cpu*/cache/index*/shared_cpu_list";

	set_spread(probe, kind->name, "size_bytes", "size", &kind->size);
	set_spread(probe, kind->name, "line_bytes", "coherency_line_size", &kind->line);
	set_spread(probe, kind->name, "ways", "ways_of_associativity", &kind->ways);
	if (kind->shared.n == 0)
		return;
	facts_setf(probe->facts, arena_printf(probe->arena, "cache.%s.instances", kind->name), source, "%zu",
		kind->shared.n);
	facts_set(probe->facts, arena_printf(probe->arena, "cache.%s.shared_cpus", kind->name),
		kind->shared.v[0].value, source);
}

void probe_cache(struct probe *probe)
{
	const char *source = "/sys/devices/system/cpu/cpu*/cache/index*";
	struct cache_kind kinds[MAX_KINDS];
	const char *reason = "no CPU is online";
	struct words names = {0};
	const char *why = NULL;
	size_t count = 0;

	for (size_t i = 0; i < probe->online.n; i++)
		for (int index = 0; index < MAX_INDEX; index++)
			if (!read_index(probe, probe->online.v[i], index, kinds, &count, &why)) {
				reason = why;
				break;
			}
	for (size_t i = 0; i < count; i++) {
		set_kind(probe, &kinds[i]);
		words_add(&names, probe->arena, kinds[i].name);
	}
	if (count > 0)
		facts_set(probe->facts, "cache.levels", words_join(&names, probe->arena), source);
	else
		facts_unknown(probe->facts, "cache.levels", source, reason);
}

static void set_node(struct probe *probe, int node)
{
	char *folder = arena_printf(probe->arena, "/sys/devices/system/node/node%d", node);
	char *memory = probe_textf(probe, NULL, "%s/meminfo", folder);
	const char *total = NULL;

	probe_file(probe, arena_printf(probe->arena, "numa.node.%d.cpus", node),
		arena_printf(probe->arena, "%s/cpulist", folder));
	probe_file(probe, arena_printf(probe->arena, "numa.node.%d.distances", node),
		arena_printf(probe->arena, "%s/distance", folder));
	if (memory != NULL)
		total = probe_line(probe, memory, arena_printf(probe->arena, "Node %d MemTotal:", node));
	if (total != NULL)
		facts_setf(probe->facts, arena_printf(probe->arena, "numa.node.%d.total_bytes", node),
			arena_printf(probe->arena, "%s/meminfo", folder), "%llu",
			strtoull(total, NULL, 10) * 1024);
}

void probe_numa(struct probe *probe)
{
	const char *path = "/sys/devices/system/node/online";
	struct cpu_list nodes = {0}; /* the form of the list is the same */
	const char *reason = NULL;
	const char *text = probe_text(probe, path, &reason);

	if (text == NULL || cpu_list_parse(text, probe->arena, &nodes, NULL) != 0 || nodes.n == 0) {
		facts_unknown(probe->facts, "numa.nodes", path, reason != NULL ? reason : "it lists no node");
		return;
	}
	facts_setf(probe->facts, "numa.nodes", path, "%zu", nodes.n);
	for (size_t i = 0; i < nodes.n; i++)
		set_node(probe, nodes.v[i]);
}
