#include "host/host.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "host/probe.h"
#include "host/tune.h"

int host_read(const char *root, struct facts *facts, struct error *e)
{
	static void (*const probes[])(struct probe *) = {probe_cpu, probe_topology, probe_cache, probe_numa,
		probe_frequency, probe_memory, probe_kernel, probe_system, probe_firmware, probe_virtual,
		probe_container, probe_cgroup, probe_counters, probe_moment, probe_identity};
	struct arena scratch = {0};
	struct probe probe = {.root = root, .live = root[0] == '\0', .facts = facts, .arena = &scratch};

	if (!probe.live && !file_is_folder(root))
		return error_set(e, EXIT_USAGE,
			"reading the facts of a host below %s: it is not a folder; give the root of a "
			"recorded tree, or \"\" for this machine",
			root);
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		probes[i](&probe);
	tune_facts(root, facts);
	arena_release(&scratch);
	return 0;
}

static bool starts_with_one_of(const char *key, const char *const *prefixes)
{
	for (size_t i = 0; prefixes[i] != NULL; i++)
		if (text_starts(key, prefixes[i]))
			return true;
	return false;
}

bool host_volatile(const char *key)
{
	static const char *const prefixes[] = {"load.", "uptime_s", "temperature.", "throttle.", "boot.",
		"memory.available_bytes", "swap.free_bytes", "cgroup.path", "cgroup.cpu.throttled_us",
		"host.hostname", "doctor.", "interrupts.", "pressure.", "steal.", "due.", "updates.", NULL};

	return starts_with_one_of(key, prefixes);
}

bool host_boot_invariant(const char *key)
{
	static const char *const fixed[] = {"host.arch", "host.id", "host.machine_id", "cpu.vendor",
		"cpu.model", "cpu.family", "cpu.stepping", "cpu.microcode", "cpu.flags", "cpu.bugs",
		"cpu.possible", "cpu.hybrid", "cpu.socket.", "kernel.release", "kernel.version",
		"kernel.build", "kernel.cmdline", "kernel.preempt", "kernel.mitigation.", "memory.module.",
		"memory.modules", "memory.slots", "memory.array.", "bios.", "board.", "chassis.", "product.",
		"smbios.", "virt.", NULL};

	return starts_with_one_of(key, fixed);
}

/* "V (cpus 0-3), W (cpus 4)" of a hybrid machine: the first CPU, which is not taken offline, gives the name. */
static char *first_value(const struct facts *facts, const char *key, struct arena *arena)
{
	const char *value = facts_value(facts, key);
	const char *end = value != NULL ? strstr(value, " (cpus ") : NULL;

	if (value == NULL)
		return NULL;
	return end != NULL ? arena_strndup(arena, value, (size_t)(end - value)) : arena_strdup(arena, value);
}

/* Lower case letters, digits and '_' of a part; "0x" in front of a number is dropped. */
static char *name_part(const struct facts *facts, const char *key, struct arena *arena)
{
	char *value = first_value(facts, key, arena);
	char *part, *put;

	if (value == NULL)
		return arena_strdup(arena, "x");
	if (text_starts(value, "0x"))
		value += 2;
	part = put = arena_strdup(arena, value);
	for (const char *c = value; *c != '\0' && put - part < 24; c++)
		if (isalnum((unsigned char)*c) || *c == '_')
			*put++ = (char)tolower((unsigned char)*c);
	*put = '\0';
	return part[0] != '\0' ? part : arena_strdup(arena, "x");
}

/* The 12 digits; the fields are hashed with their lengths, an unknown one unlike an empty one. */
static char *host_digits(const struct facts *facts, const char *machine_id, struct arena *arena)
{
	static const char *const keys[] = {"cpu.vendor", "cpu.family", "cpu.model", "cpu.stepping"};
	struct hash hash;
	char hex[HASH_HEX];

	hash_init(&hash);
	hash_add_field(&hash, "flagstone host 1");
	hash_add_field(&hash, machine_id);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		hash_add_field(&hash, first_value(facts, keys[i], arena));
	hash_final_hex(&hash, hex);
	return arena_strndup(arena, hex, 12);
}

/* machine-id(5) is not to be shown; a label of 12 digits is enough to tell whether two are the same. */
void probe_identity(struct probe *probe)
{
	static const char *const paths[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
	const char *reason = NULL;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const char *why = NULL;
		const char *id = probe_text(probe, paths[i], &why);

		if (id != NULL && strlen(id) == 32 && strspn(id, "0123456789abcdef") == 32) {
			facts_set(probe->facts, "host.machine_id",
				probe_private_hash(probe->arena, "machine-id", id), paths[i]);
			facts_set(probe->facts, "host.id", host_digits(probe->facts, id, probe->arena),
				paths[i]);
			return;
		}
		/* images are shipped with an empty one, or with "uninitialized" */
		if (id != NULL)
			why = "it holds no id of 32 hexadecimal digits";
		if (reason == NULL)
			reason = why;
	}
	facts_unknown(probe->facts, "host.machine_id", paths[0], reason);
	facts_unknown(probe->facts, "host.id", paths[0], reason);
}

char *host_name(const struct facts *facts, const char *random, struct arena *arena, struct error *e)
{
	const struct fact *id = facts_find(facts, "host.id");
	const char *digits = id != NULL ? id->value : NULL;

	if (digits == NULL && random == NULL) {
		error_set(e, EXIT_CANNOT,
			"naming this host: there is no machine-id (%s: %s); run systemd-machine-id-setup, or "
			"name the host with --host",
			id != NULL ? id->source : "/etc/machine-id", id != NULL ? id->reason : "not read");
		return NULL;
	}
	if (digits == NULL)
		digits = host_digits(facts, random, arena);
	return arena_printf(arena, "%s-%s-%s-%s", name_part(facts, "host.arch", arena),
		name_part(facts, "cpu.family", arena), name_part(facts, "cpu.model", arena), digits);
}
