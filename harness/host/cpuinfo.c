#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "host/probe.h"

static void add_line(struct probe *probe, const char *key, const char *value, int cpu)
{
	struct cpuinfo *info = &probe->cpuinfo;

	if (info->n == info->cap) {
		size_t cap = mem_grown(info->cap, info->n + 1);
		struct cpuinfo_line *v = arena_array(probe->arena, cap, sizeof(*v));

		if (info->n > 0)
			memcpy(v, info->v, info->n * sizeof(*v));
		info->v = v;
		info->cap = cap;
	}
	info->v[info->n++] = (struct cpuinfo_line){.key = key, .value = value, .cpu = cpu};
}

static void cut_blanks(char *start, char *end)
{
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
}

/* A number where a block begins: "processor : 3", and on s390 "cpu number : 3"; -1 for any other line. */
static int block_start(const char *key, const char *value)
{
	uint64_t number;

	if (strcmp(key, "processor") != 0 && strcmp(key, "cpu number") != 0)
		return -1;
	return num_parse_u64(value, &number) && number <= 1 << 20 ? (int)number : -1;
}

/*
 * "processor 0: version = FF,  identification = 0133E8,  machine = 2964" is how s390 tells what the others
 * write as lines. The identification holds the machine's serial number and is not taken.
 */
static void add_s390_line(struct probe *probe, int cpu, char *value)
{
	char *save = NULL;

	for (char *part = strtok_r(value, ",", &save); part != NULL; part = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(part, '=');

		while (isspace((unsigned char)*part))
			part++;
		if (equals == NULL)
			continue;
		cut_blanks(part, equals);
		equals++;
		while (isspace((unsigned char)*equals))
			equals++;
		cut_blanks(equals, equals + strlen(equals));
		if (strcmp(part, "identification") != 0)
			add_line(probe, part, equals, cpu);
	}
}

static void parse_line(struct probe *probe, char *line, int *cpu)
{
	char *colon = strchr(line, ':');
	char *value;
	int start;

	if (colon == NULL) {
		/* a blank line ends a block: what follows the last one on POWER is about the whole machine */
		if (line[strspn(line, " \t")] == '\0')
			*cpu = -1;
		return;
	}
	cut_blanks(line, colon);
	value = colon + 1;
	while (isspace((unsigned char)*value))
		value++;
	cut_blanks(value, value + strlen(value));
	start = block_start(line, value);
	if (start >= 0)
		*cpu = start;
	if (text_starts(line, "processor ") && isdigit((unsigned char)line[10]) && strchr(value, '=') != NULL)
		add_s390_line(probe, atoi(line + 10), value);
	else
		add_line(probe, line, value, *cpu);
}

static void parse(struct probe *probe, char *text)
{
	int cpu = -1;

	while (text != NULL) {
		char *next = strchr(text, '\n');

		if (next != NULL)
			*next++ = '\0';
		parse_line(probe, text, &cpu);
		text = next;
	}
}

/* CPUs that have a block; ascending as the kernel lists them. */
static void listed_cpus(struct probe *probe)
{
	struct spread spread = {0};
	int last = -1;

	for (size_t i = 0; i < probe->cpuinfo.n; i++) {
		int cpu = probe->cpuinfo.v[i].cpu;

		if (cpu > last)
			spread_add(&spread, probe, "", cpu);
		last = cpu > last ? cpu : last;
	}
	if (spread.n > 0) {
		probe->online = spread.v[0].cpus;
		probe->online_source = "/proc/cpuinfo";
	}
}

/* Container file systems that fake or hide /sys leave cpuinfo, and some leave neither. */
static void find_online(struct probe *probe)
{
	const char *path = "/sys/devices/system/cpu/online";
	const char *text = probe_text(probe, path, NULL);
	long count = probe->live ? sysconf(_SC_NPROCESSORS_ONLN) : 0;

	probe->online_source = path;
	if (text != NULL && cpu_list_parse(text, probe->arena, &probe->online, NULL) == 0 &&
		probe->online.n > 0)
		return;
	probe->online = (struct cpu_list){0};
	listed_cpus(probe);
	if (probe->online.n > 0 || count < 1)
		return;
	probe->online.v = arena_array(probe->arena, (size_t)count, sizeof(*probe->online.v));
	while (probe->online.n < (size_t)count) {
		probe->online.v[probe->online.n] = (int)probe->online.n;
		probe->online.n++;
	}
	probe->online_source = "sysconf(_SC_NPROCESSORS_ONLN)";
}

void cpuinfo_read(struct probe *probe)
{
	char *text = probe_text(probe, "/proc/cpuinfo", &probe->cpuinfo.reason);

	if (text != NULL)
		parse(probe, text);
	find_online(probe);
}

const char *cpuinfo_first(const struct cpuinfo *info, const char *key)
{
	for (size_t i = 0; i < info->n; i++)
		if (strcmp(info->v[i].key, key) == 0)
			return info->v[i].value;
	return NULL;
}

void cpuinfo_spread(struct probe *probe, const char *key, struct spread *spread)
{
	for (size_t i = 0; i < probe->cpuinfo.n; i++)
		if (strcmp(probe->cpuinfo.v[i].key, key) == 0)
			spread_add(spread, probe, probe->cpuinfo.v[i].value, probe->cpuinfo.v[i].cpu);
}
