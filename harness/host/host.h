/*
 * host.h - what this machine is and how it is set up, as facts.
 *
 *	struct facts facts = {.arena = &arena};
 *	if (host_read("", &facts, &e) != 0) ...
 *	name = host_name(&facts, NULL, &arena, &e);
 *
 * Everything is read from files below a root folder: "" is the live system, any other one a recorded tree
 * (tests/sysroot), of which nothing but its files is asked. Only the live system is also asked by uname(2),
 * CPUID, confstr(3) and perf_event_open(2). Nothing is ever written, and no program is started.
 *
 * A fact is known, or unknown with the exact reason: the system's text for a file that cannot be read ("No such
 * file or directory", "Permission denied"), or what the firmware said instead of a value (firmware says "N/A").
 * A missing switch is unknown, never "off". A key that exists once on every machine is always set; keys with
 * an index or a name in them (numa.node.0.cpus, kernel.mitigation.l1tf, memory.module.0.part) are set for what
 * there is.
 *
 * A setting that differs between CPUs is written as "V (cpus 0-3), W (cpus 4-7)", so that a sibling that kept
 * an old limit shows.
 *
 * Keys, by their first word:
 *	host     arch hostname machine_id (hash) id (hash)
 *	os       id name version;    libc  name version build
 *	kernel   release version build cmdline preempt clocksource[.available] aslr perf_event_paranoid
 *	         nmi_watchdog numa_balancing, mitigation.count, mitigation.NAME
 *	cpu      vendor model_name family model stepping microcode microcode.trust flags bugs online offline possible
 *	         present count isolated nohz_full hybrid, socket.N.* (SMBIOS)
 *	topology sockets cores threads smt.active smt.control
 *	cache    levels, KIND.size_bytes .line_bytes .ways .instances .shared_cpus (of the first CPU); KIND: l1d l1i l2 l3
 *	numa     nodes, node.N.cpus .total_bytes .distances
 *	freq     driver governor cpuinfo_min_khz cpuinfo_max_khz scaling_min_khz scaling_max_khz base_khz boost
 *	         no_turbo pstate min_perf_pct max_perf_pct epp
 *	memory   total_bytes available_bytes thp.enabled thp.defrag hugepages.total swappiness slots modules type
 *	         configured_mts, module.N.*
 *	         array.N.*;    swap  total_bytes free_bytes
 *	bios, board, chassis, product, smbios    as the firmware says; serial numbers and uuid as hashes only
 *	virt     virtual (yes, no) hypervisor
 *	container kind;    cgroup  version path cpu.quota_cpus cpu.throttled_us cpuset memory.limit_bytes
 *	counters task_clock page_faults migrations cycles instructions branch_misses energy: "available", or why a
 *		 sample has none (sys/perf.h, energy.h), energy.summed energy.left_out (names of its zones)
 *	tune     profile changes cpus: what `tune` has set (tune.h)
 *	power    source profile;    load, uptime_s, temperature, throttle, boot    of the moment
 */
#ifndef FLAGSTONE_HOST_HOST_H
#define FLAGSTONE_HOST_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "record/fact.h"

/* Sets all facts of the host below root. Error: root is no folder; all else is a fact. */
int host_read(const char *root, struct facts *facts, struct error *e);

/*
 * HOST, the name of a machine's folder in the archive: ARCH-FAMILY-MODEL-XXXXXXXXXXXX, such as
 * "x86_64-6-143-5f0c1e9a77b2". The digits are the fact host.id: the first 12 of SHA-256 over a constant, the
 * machine-id and the CPU's vendor, family, model and stepping (of the first CPU listed): readable without root, and
 * nothing that an update changes. FAMILY and MODEL: x86 family and model, ARM implementer and part, POWER
 * processor version and revision, s390 machine type and version, RISC-V vendor and architecture id; "x" where
 * the kernel does not say.
 *
 * Without a machine-id the facts have no host.id: then `random` (a text drawn once and kept in the archive)
 * takes its place in the hash; with random NULL that is an error which says why the machine has no id. In the arena.
 */
char *host_name(const struct facts *facts, const char *random, struct arena *arena, struct error *e);

/*
 * Is it a fact of the moment, or a mere label (load, temperature, uptime, free memory, boot id, host name,
 * name of the control group, what fitness.h and a record's doctor.* say of the moment)? Such facts are shown but make no difference between two results.
 */
bool host_volatile(const char *key);
/*
 * Is it a fact that stays the same until the machine is shut down: hardware, firmware, kernel? A run is not
 * resumed where one of these differs. Policy (governor, SMT, huge pages, limits) is not among them.
 */
bool host_boot_invariant(const char *key);

/* What others do on this machine, to be held before against after. -1: unreadable. */
struct host_load {
	double load1, load5, load15; /* run-queue length, averaged over 1, 5, 15 minutes */
	int64_t running;	     /* tasks runnable now, this program included */
	int64_t steal_ns;	     /* CPU time that a hypervisor gave to others, since boot, all CPUs */
	int64_t throttled_us;	     /* time that the own control group was held back by its quota */
};

/* Reads the load below root; never fails. */
void host_load_read(const char *root, struct host_load *load);

#endif
