/*
 * energy.h - what the machine's processor packages used, from the kernel's powercap folder (RAPL; Intel since Sandy
 * Bridge, AMD since Zen under Linux 5.8).
 *
 *	host_energy_open(&energy, "", &arena)     at a run's start
 *	host_energy_begin(&energy)                before a sample
 *	uj = host_energy_end(&energy)             after it
 *
 * Summed are the packages: zones intel-rapl:N whose name begins with "package" (also on AMD). Left out, as they
 * would count the same energy twice or are no part of a package: their sub-zones (core, uncore, dram), psys, the
 * whole platform, and intel-rapl-mmio, which is package-0 once more.
 *
 * What the figure is: energy of whole packages, whoever used it: the sample, other programs, idle cores, shared
 * cache. The counters move about once a millisecond, so that of two readings around a sample of 5 ms each may be
 * late by that much: a single short sample's energy is good to some tens of percent, and only its mean over many
 * rounds says something.
 *
 * A counter begins again at 0 after max_energy_range_uj, on most machines after some hours at rest and some
 * minutes under load. One such step between two readings is seen and added; two cannot be told from one, so that an
 * energy over a time in which 1 kW, more than any package takes, would reach the range is unknown.
 *
 * Since Linux 5.10 only root may read the counters (they tell an attacker what is computed).
 */
#ifndef FLAGSTONE_HOST_ENERGY_H
#define FLAGSTONE_HOST_ENERGY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum { ENERGY_ZONES_MAX = 64 };

struct host_energy_zone {
	int fd;
	uint64_t range_uj; /* 0: unknown */
	int64_t before_uj; /* -1: not read */
};

struct host_energy {
	struct host_energy_zone zones[ENERGY_ZONES_MAX];
	size_t count; /* 0: unknown */
	int64_t begin_ns;
};

/* What was found, for those who tell it. In the arena. */
struct host_energy_found {
	struct words summed;   /* names of packages: "package-0" */
	struct words left_out; /* "package-0/dram", "psys", ... */
	const char *source;    /* file or folder */
	const char *reason;    /* why the energy is unknown; NULL: it is known */
};

/* Opens the packages' counters below root ("" live); all of them or none. Never fails. found may be NULL. */
void host_energy_open(
	struct host_energy *energy, const char *root, struct host_energy_found *found, struct arena *arena);
void host_energy_begin(struct host_energy *energy);
/* Microjoules of all packages since host_energy_begin(); -1: unknown. */
int64_t host_energy_end(struct host_energy *energy);
void host_energy_close(struct host_energy *energy);

/* Microjoules between two readings of one counter that were span_ns apart; -1: unknown. range_uj 0: unknown. */
int64_t host_energy_between(int64_t before_uj, int64_t after_uj, uint64_t range_uj, int64_t span_ns);

#endif
