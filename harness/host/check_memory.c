#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/check_list.h"

/* Memory: pages, nodes, room, modules, errors. */

static void judge_pages(struct judging *j)
{
	const char *enabled = fact_of(j, "memory.thp.enabled");
	const char *defrag = fact_of(j, "memory.thp.defrag");

	if (enabled == NULL) {
		judge_unknown(j, "memory.thp.enabled");
		return;
	}
	if (strcmp(enabled, "always") == 0)
		judge(j, CHECK_CAVEAT,
			"always: how many huge pages a program gets depends on free memory and on luck");
	else
		judge(j, CHECK_OK, "%s: only who asks gets them", enabled);
	if (strcmp(enabled, "never") != 0 && text_same(defrag, "always"))
		judge(j, CHECK_CAVEAT, "a program that wants one waits while the kernel makes room");
	if (j->check->status == CHECK_CAVEAT)
		advise(j, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
			"leave them to programs that ask");
}

/* The first node that has all CPUs to be measured on within it; and on how many nodes they are. */
static size_t count_nodes(const struct judging *j, size_t nodes)
{
	size_t used = 0;

	for (size_t node = 0; node < nodes; node++) {
		const char *text = fact_of(j, arena_printf(j->arena, "numa.node.%zu.cpus", node));
		struct cpu_list cpus = {0};
		bool here = false;

		if (text == NULL || text[0] == '\0' || cpu_list_parse(text, j->arena, &cpus, NULL) != 0)
			continue;
		for (size_t i = 0; i < cpus.n; i++)
			here |= is_measured(j, cpus.v[i]);
		used += here;
	}
	return used;
}

static void judge_balancing(struct judging *j)
{
	double balancing;

	if (fact_number(j, "kernel.numa_balancing", &balancing) && balancing > 0) {
		judge(j, CHECK_CAVEAT, "the kernel moves pages between nodes while programs run");
		advise(j, "sudo flagstone tune", "switch that off; `flagstone restore` puts it back");
	}
}

static void judge_numa(struct judging *j)
{
	const char *policy = fact_of(j, "memory.policy");
	double nodes, sockets;
	size_t used;

	if (!fact_number(j, "numa.nodes", &nodes)) {
		if (fact_number(j, "topology.sockets", &sockets) && sockets == 1 &&
			text_same(fact_reason(j, "numa.nodes"), "No such file or directory"))
			judge(j, CHECK_OK, "one socket, and a kernel without nodes");
		else
			judge_unknown(j, "numa.nodes");
		return;
	}
	if (nodes < 2) {
		if (fact_number(j, "topology.sockets", &sockets) && sockets > 1) {
			judge(j, CHECK_CAVEAT,
				"%.0f sockets and one node: the firmware interleaves memory over them",
				sockets);
			advise(j, NULL,
				"switch node interleaving off in the firmware, and choose with numactl");
		} else {
			judge(j, CHECK_OK, "one node");
		}
		return;
	}
	used = count_nodes(j, (size_t)nodes);
	if (policy != NULL && text_starts(policy, "interleave"))
		judge(j, CHECK_CAVEAT, "%.0f nodes, memory interleaved over them (%s)", nodes, policy);
	else if (used > 1)
		judge(j, CHECK_CAVEAT,
			"%.0f nodes, and CPUs of %zu of them: copies on one node fill its memory first",
			nodes, used);
	else if (used == 1)
		judge(j, CHECK_OK, "%.0f nodes, all CPUs to be measured on in one", nodes);
	else
		judge(j, CHECK_UNKNOWN, "%.0f nodes, and which CPUs are theirs is not known", nodes);
	judge_balancing(j);
	if (used > 1)
		advise(j, "numactl --hardware",
			"choose CPUs of one node with --cpus; or run all copies below numactl "
			"--interleave=all, "
			"and say so");
}

static void judge_swap(struct judging *j)
{
	double total, free_bytes;

	if (!fact_number(j, "swap.total_bytes", &total)) {
		judge_unknown(j, "swap.total_bytes");
	} else if (total == 0) {
		judge(j, CHECK_OK, "none");
	} else if (!fact_number(j, "swap.free_bytes", &free_bytes)) {
		judge_unknown(j, "swap.free_bytes");
	} else if (total - free_bytes > 0.01 * total) {
		judge(j, CHECK_CAVEAT, "%s of %s are used", bytes_text(j->arena, total - free_bytes),
			bytes_text(j->arena, total));
		advise(j, "sudo swapoff -a && sudo swapon -a",
			"fetch it back before a run, if memory allows");
	} else {
		judge(j, CHECK_OK, "%s, as good as unused", bytes_text(j->arena, total));
	}
}

static void judge_room(struct judging *j)
{
	static const double little = 0.10, none = 0.03;
	double total, left;

	if (!fact_number(j, "memory.total_bytes", &total) || total <= 0) {
		judge_unknown(j, "memory.total_bytes");
		return;
	}
	if (!fact_number(j, "memory.available_bytes", &left)) {
		judge_unknown(j, "memory.available_bytes");
		return;
	}
	judge(j,
		left < none * total	? CHECK_UNFIT
		: left < little * total ? CHECK_CAVEAT
					: CHECK_OK,
		"%s of %s to be had", bytes_text(j->arena, left), bytes_text(j->arena, total));
	if (j->check->status != CHECK_OK)
		advise(j, "ps -eo rss,comm --sort=-rss | head", "end what takes the memory");
}

/* Under this share of what the modules could give, some are missing or in the wrong slots. */
static const double least_share = 0.7;

static void judge_bandwidth(struct judging *j, double peak)
{
	const struct host_measured *m = j->in->measured;
	double share, others;

	if (m == NULL)
		return;
	if (m->bandwidth <= 0) {
		judge(j, CHECK_OK, "what they really give was not measured: %s",
			m->no_bandwidth != NULL ? m->no_bandwidth : "no reason is known");
		return;
	}
	share = m->bandwidth / peak;
	if (share < least_share && fact_number(j, "load.others", &others) && others >= 1) {
		judge(j, CHECK_UNKNOWN,
			"%.1f GB/s were read, %.0f %% of that, while other tasks ran: ask again when none "
			"does",
			m->bandwidth / 1e9, 100 * share);
		return;
	}
	judge(j, share < least_share ? CHECK_CAVEAT : CHECK_OK, "%.1f GB/s were read, %.0f %% of that",
		m->bandwidth / 1e9, 100 * share);
	if (share < least_share)
		advise(j, "sudo dmidecode -t memory",
			"see whether a module is missing, broken or in the wrong slot; other programs that "
			"use "
			"memory now lower the figure, too");
}

static void judge_channels(struct judging *j)
{
	const char *empty = fact_of(j, "memory.channels.empty");
	const struct host_measured *m = j->in->measured;
	double channels, peak;

	if (!fact_number(j, "memory.channels", &channels) ||
		!fact_number(j, "memory.peak_bytes_per_s", &peak) || peak <= 0) {
		if (m != NULL && m->bandwidth > 0)
			judge(j, CHECK_UNKNOWN,
				"%.1f GB/s were read; what the modules could give is not known",
				m->bandwidth / 1e9);
		judge_unknown(j, "memory.channels");
		return;
	}
	if (empty != NULL && strcmp(empty, "none") != 0) {
		judge(j, CHECK_CAVEAT, "no module in %s: those channels are lost", empty);
		advise(j, "sudo dmidecode -t memory", "put a module into each channel");
	}
	judge(j, CHECK_OK, "%.0f channel%s with modules, %.1f GB/s in theory", channels,
		text_plural((size_t)channels), peak / 1e9);
	judge_bandwidth(j, peak);
}

static void judge_errors(struct judging *j)
{
	double corrected = 0, uncorrected = 0, checks = 0;
	bool known = fact_number(j, "edac.corrected", &corrected);

	known = fact_number(j, "edac.uncorrected", &uncorrected) && known;
	if (uncorrected > 0)
		judge(j, CHECK_UNFIT, "%.0f memory errors could not be corrected", uncorrected);
	if (corrected > 0)
		judge(j, CHECK_CAVEAT, "%.0f memory errors were corrected", corrected);
	if (fact_number(j, "interrupts.machine_checks", &checks) && checks > 0)
		judge(j, CHECK_CAVEAT, "%.0f machine checks since boot", checks);
	if (j->said)
		advise(j, "sudo ras-mc-ctl --errors; sudo dmesg | grep -i -e mce -e edac",
			"find the module or CPU, and replace it");
	else if (known)
		judge(j, CHECK_OK, "no errors since boot");
	else if (fact_is(j, "virt.virtual", "yes"))
		judge(j, CHECK_UNKNOWN, "a virtual machine is not told");
	else
		judge_unknown(j, "edac.corrected");
}

const struct check_kind checks_memory[] = {{.id = "room",
						   .title = "free memory",
						   .decides = true,
						   .why = "Short of memory, the kernel writes out, fetches "
							  "again and looks for pages while samples "
							  "run.",
						   .judge = judge_room,
						   .reads = {"memory.available_bytes", "memory.total_bytes"}},
	{.id = "swap",
		.title = "swap",
		.decides = true,
		.why = "A page that is fetched back from disk costs 0.1 to 10 ms: more than most samples "
		       "take.",
		.judge = judge_swap,
		.reads = {"swap.total_bytes", "swap.free_bytes", "memory.swappiness"}},
	{.id = "pages",
		.title = "transparent huge pages",
		.decides = false,
		.why = "With huge pages, programs with much data miss the TLB less and are faster; whether "
		       "one "
		       "gets them at \"always\" depends on how memory was used before, so that equal runs "
		       "differ.",
		.judge = judge_pages,
		.reads = {"memory.thp.enabled", "memory.thp.defrag", "memory.hugepages.total"}},
	{.id = "numa",
		.title = "NUMA",
		.decides = false,
		.why = "Memory of another node is further away. Interleaved against local memory is ±10 % "
		       "with "
		       "copies on all CPUs (practice of acceptance tests); so it must be the same on both "
		       "sides.",
		.judge = judge_numa,
		.reads = {"numa.nodes", "topology.sockets", "kernel.numa_balancing", "memory.policy"}},
	{.id = "channels",
		.title = "memory modules",
		.decides = false,
		.why = "Each channel without a module takes its share of the bandwidth away, silently: with "
		       "one "
		       "of two gone, what streams through memory takes twice as long. What is read by all "
		       "CPUs at "
		       "once mostly reaches 80 % of theory; under 70 % points to missing modules.",
		.judge = judge_channels,
		.reads = {"memory.channels", "memory.channels.empty", "memory.peak_bytes_per_s",
			"memory.slots", "memory.modules", "memory.configured_mts", "memory.type"}},
	{.id = "errors",
		.title = "memory errors, machine checks",
		.decides = false,
		.why = "A module that errs is corrected at the cost of time, in bursts, and a machine check "
		       "may "
		       "stop a CPU for milliseconds; both come before a failure.",
		.judge = judge_errors,
		.reads = {"edac.corrected", "edac.uncorrected", "interrupts.machine_checks"}},
	{0}};
