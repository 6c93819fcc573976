#include "host/energy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "host/probe.h"

#define POWERCAP "/sys/class/powercap"
#define DRIVER	 "intel-rapl:"

/* microjoules a nanosecond at 1 kW */
static const double most_uj_per_ns = 1.0;

int64_t host_energy_between(int64_t before_uj, int64_t after_uj, uint64_t range_uj, int64_t span_ns)
{
	if (before_uj < 0 || after_uj < 0 || span_ns < 0)
		return -1;
	if (range_uj == 0) /* then a step back cannot be undone, and one that is not seen is possible */
		return -1;
	if ((double)span_ns * most_uj_per_ns >= (double)range_uj)
		return -1;
	if (after_uj >= before_uj)
		return after_uj - before_uj;
	if ((uint64_t)before_uj > range_uj)
		return -1;
	return (int64_t)(range_uj - (uint64_t)before_uj) + after_uj;
}

static int64_t read_uj(int fd)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	uint64_t value;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return num_parse_u64(text, &value) && value <= INT64_MAX ? (int64_t)value : -1;
}

/* "intel-rapl:0": digits and nothing behind them. A sub-zone has a second colon. */
static bool is_zone(const char *folder)
{
	size_t n = strlen(DRIVER);

	return text_starts(folder, DRIVER) && folder[n] != '\0' &&
	       folder[n + strspn(folder + n, "0123456789")] == '\0';
}

/* The name of the zone, of a sub-zone with its parent's: "package-0/dram"; of other drivers' the folder. */
static const char *zone_name(struct probe *probe, const char *folder)
{
	const char *name = probe_textf(probe, NULL, POWERCAP "/%s/name", folder);
	const char *last = strrchr(folder, ':'), *parent;

	if (name == NULL || !text_starts(folder, DRIVER))
		return folder;
	if (last == NULL || memchr(folder, ':', (size_t)(last - folder)) == NULL)
		return name;
	parent = probe_textf(probe, NULL, POWERCAP "/%.*s/name", (int)(last - folder), folder);
	return parent != NULL ? arena_printf(probe->arena, "%s/%s", parent, name) : name;
}

/* Opens a package's counter and reads it once; false with the reason. */
static bool add_zone(
	struct probe *probe, struct host_energy *energy, const char *folder, struct host_energy_found *found)
{
	struct host_energy_zone zone = {.fd = -1};
	const char *path = arena_printf(probe->arena, POWERCAP "/%s/energy_uj", folder);
	const char *range = probe_textf(probe, NULL, POWERCAP "/%s/max_energy_range_uj", folder);

	found->source = path;
	if (energy->count == ENERGY_ZONES_MAX) {
		found->reason = "there are more packages than this version sums up";
		return false;
	}
	zone.fd = open(arena_printf(probe->arena, "%s%s", probe->root, path), O_RDONLY | O_CLOEXEC);
	if (zone.fd < 0) {
		found->reason = errno == EACCES || errno == EPERM
					? arena_printf(probe->arena,
						  "%s: since Linux 5.10 the counter is for root only",
						  strerror(errno))
					: arena_strdup(probe->arena, strerror(errno));
		return false;
	}
	energy->zones[energy->count++] = zone;
	if (read_uj(zone.fd) < 0) {
		found->reason = "it holds no number of microjoules";
		return false;
	}
	if (range == NULL || !num_parse_u64(range, &energy->zones[energy->count - 1].range_uj) ||
		energy->zones[energy->count - 1].range_uj == 0) {
		found->reason = "its range is unknown (max_energy_range_uj), so that a step back to 0 could "
				"not be told";
		return false;
	}
	return true;
}

static void find_zones(struct probe *probe, struct host_energy *energy, struct host_energy_found *found)
{
	struct words folders = {0};

	found->source = POWERCAP;
	if (!probe_list(probe, POWERCAP, &folders, &found->reason)) {
		found->reason = arena_printf(probe->arena,
			"no powercap (%s): virtual machines have none, nor has a CPU without energy counters",
			found->reason);
		return;
	}
	for (size_t i = 0; i < folders.n; i++) {
		const char *name = zone_name(probe, folders.v[i]);

		if (strchr(folders.v[i], ':') == NULL)
			continue; /* a control type, the zones' parent */
		if (!is_zone(folders.v[i]) || !text_starts(name, "package")) {
			words_add(&found->left_out, probe->arena, name);
			continue;
		}
		words_add(&found->summed, probe->arena, name);
		if (found->reason == NULL && !add_zone(probe, energy, folders.v[i], found))
			host_energy_close(energy);
	}
	if (found->summed.n == 0)
		found->reason = "it has no zone that counts the energy of a processor package";
	else if (found->reason == NULL)
		found->source = POWERCAP;
}

void host_energy_open(
	struct host_energy *energy, const char *root, struct host_energy_found *found, struct arena *arena)
{
	struct host_energy_found own;
	struct arena scratch = {0};
	struct probe probe = {
		.root = root, .live = root[0] == '\0', .arena = found != NULL ? arena : &scratch};

	if (found == NULL)
		found = &own;
	memset(found, 0, sizeof(*found));
	energy->count = 0;
	find_zones(&probe, energy, found);
	arena_release(&scratch);
}

void host_energy_begin(struct host_energy *energy)
{
	for (size_t i = 0; i < energy->count; i++)
		energy->zones[i].before_uj = read_uj(energy->zones[i].fd);
	energy->begin_ns = clock_ns();
}

int64_t host_energy_end(struct host_energy *energy)
{
	int64_t span_ns = clock_ns() - energy->begin_ns, sum = 0;

	for (size_t i = 0; i < energy->count; i++) {
		const struct host_energy_zone *zone = &energy->zones[i];
		int64_t uj = host_energy_between(zone->before_uj, read_uj(zone->fd), zone->range_uj, span_ns);

		if (uj < 0)
			return -1;
		sum += uj;
	}
	return energy->count > 0 ? sum : -1;
}

void host_energy_close(struct host_energy *energy)
{
	for (size_t i = 0; i < energy->count; i++)
		close(energy->zones[i].fd);
	energy->count = 0;
}
