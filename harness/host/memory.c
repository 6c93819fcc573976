#include <stdlib.h>
#include <string.h>

#include "host/probe.h"

static const char MEMINFO[] = "/proc/meminfo";

static void set_kib(
	struct probe *probe, const char *key, const char *text, const char *name, const char *reason)
{
	const char *value = text != NULL ? probe_line(probe, text, name) : NULL;

	if (value != NULL)
		facts_setf(probe->facts, key, MEMINFO, "%llu", strtoull(value, NULL, 10) * 1024);
	else
		facts_unknown(probe->facts, key, MEMINFO,
			text != NULL ? arena_printf(probe->arena, "it has no line \"%s\"", name) : reason);
}

/* "always [madvise] never": the one in brackets is in force. */
static void set_choice(struct probe *probe, const char *key, const char *path)
{
	const char *reason = NULL;
	const char *text = probe_text(probe, path, &reason);
	const char *open = text != NULL ? strchr(text, '[') : NULL;
	const char *close = open != NULL ? strchr(open, ']') : NULL;

	if (text == NULL)
		facts_unknown(probe->facts, key, path, reason);
	else if (close == NULL)
		facts_set(probe->facts, key, text, path);
	else
		facts_setf(probe->facts, key, path, "%.*s", (int)(close - open - 1), open + 1);
}

void probe_memory(struct probe *probe)
{
	const char *reason = NULL;
	const char *text = probe_text(probe, MEMINFO, &reason);

	set_kib(probe, "memory.total_bytes", text, "MemTotal:", reason);
	set_kib(probe, "memory.available_bytes", text, "MemAvailable:", reason);
	set_kib(probe, "swap.total_bytes", text, "SwapTotal:", reason);
	set_kib(probe, "swap.free_bytes", text, "SwapFree:", reason);
	set_choice(probe, "memory.thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled");
	set_choice(probe, "memory.thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag");
	probe_file(probe, "memory.hugepages.total", "/proc/sys/vm/nr_hugepages");
	probe_file(probe, "memory.swappiness", "/proc/sys/vm/swappiness");
}
