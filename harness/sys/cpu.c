#include "sys/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/* no machine has more; a list from a file must not fill the memory */
enum { CPU_LIMIT = 65536, FIRST_MASK = 1024 };

static void add(struct cpu_list *list, size_t *cap, int cpu)
{
	if (list->n == *cap) {
		*cap = mem_grown(*cap, list->n + 1);
		list->v = mem_resize(list->v, *cap, sizeof(*list->v));
	}
	list->v[list->n++] = cpu;
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Sorts, drops duplicates, and moves it into the arena. */
static void settle(struct cpu_list *list, struct arena *arena)
{
	struct cpu_list kept = {.v = arena_array(arena, list->n, sizeof(int))};

	if (list->n > 0)
		qsort(list->v, list->n, sizeof(int), compare_ints);
	for (size_t i = 0; i < list->n; i++)
		if (kept.n == 0 || kept.v[kept.n - 1] != list->v[i])
			kept.v[kept.n++] = list->v[i];
	mem_free(list->v);
	*list = kept;
}

/* Digits at *p as a CPU number; -1: none, or too large. Moves *p behind them. */
static int read_number(const char **p)
{
	int number = 0;

	if (**p < '0' || **p > '9')
		return -1;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		number = number * 10 + (**p - '0');
		if (number >= CPU_LIMIT)
			return -1;
	}
	return number;
}

static int read_range(const char **p, int *first, int *last)
{
	*first = *last = read_number(p);
	if (**p == '-' && *first >= 0) {
		(*p)++;
		*last = read_number(p);
	}
	return *first < 0 || *last < *first ? -1 : 0;
}

int cpu_list_parse(const char *text, struct arena *arena, struct cpu_list *list, struct error *e)
{
	struct cpu_list found = {0};
	const char *p = text;
	size_t cap = 0;
	int first, last;

	while (*p != '\0' && *p != '\n') {
		if (read_range(&p, &first, &last) != 0 || (*p != ',' && *p != '\0' && *p != '\n') ||
			(*p == ',' && (p[1] == '\0' || p[1] == '\n'))) {
			mem_free(found.v);
			return error_set(e, EXIT_USAGE,
				"CPU list \"%s\", column %zu: allowed are numbers below %d and ranges of "
				"them, ascending, with commas between, such as 0-3,8",
				text, (size_t)(p - text) + 1, CPU_LIMIT);
		}
		for (int cpu = first; cpu <= last; cpu++)
			add(&found, &cap, cpu);
		if (*p == ',')
			p++;
	}
	settle(&found, arena);
	*list = found;
	return 0;
}

char *cpu_list_text(const struct cpu_list *list, struct arena *arena)
{
	struct buf out = {0};
	char *text;

	for (size_t i = 0; i < list->n;) {
		size_t last = i;

		while (last + 1 < list->n && list->v[last + 1] == list->v[last] + 1)
			last++;
		buf_addf(&out, last > i ? "%s%d-%d" : "%s%d", i > 0 ? "," : "", list->v[i], list->v[last]);
		i = last + 1;
	}
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

static bool has(const struct cpu_list *list, int cpu)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i] == cpu)
			return true;
	return false;
}

/* A small file below root, without its newline; NULL: unreadable. */
static char *read_text(const char *root, struct arena *arena, const char *path)
{
	struct buf text = {0};
	char *copy = NULL;

	if (file_read(arena_printf(arena, "%s/%s", root, path), 1 << 20, &text, NULL) == 0) {
		copy = arena_strdup(arena, buf_text(&text));
		copy[strcspn(copy, "\n")] = '\0';
	}
	buf_release(&text);
	return copy;
}

int cpu_affinity(cpu_affinity_get *get, struct arena *arena, struct cpu_list *list, struct error *e)
{
	struct cpu_list found = {0};
	size_t cap = 0;

	for (size_t cpus = FIRST_MASK; cpus <= CPU_LIMIT; cpus *= 2) {
		size_t size = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *set = mem_alloc(size);

		if (get(0, size, set) == 0) {
			for (size_t cpu = 0; cpu < cpus; cpu++)
				if (CPU_ISSET_S(cpu, size, set))
					add(&found, &cap, (int)cpu);
			mem_free(set);
			settle(&found, arena);
			*list = found;
			return 0;
		}
		mem_free(set);
		if (errno != EINVAL)
			break;
	}
	return error_errno(e, errno, "asking which CPUs this process may use");
}

int cpu_allowed(const char *root, struct arena *arena, struct cpu_list *list, struct error *e)
{
	char *text = read_text(root, arena, "sys/devices/system/cpu/online");
	struct cpu_list affinity = {0}, online = {0}, both = {0};

	if (cpu_affinity(sched_getaffinity, arena, &affinity, e) != 0)
		return -1;
	if (text == NULL || text[0] == '\0') { /* no sysfs: what the kernel lets us use has to do */
		*list = affinity;
		return 0;
	}
	if (cpu_list_parse(text, arena, &online, e) != 0)
		return error_context(e, "reading %s/sys/devices/system/cpu/online", root);
	both.v = arena_array(arena, affinity.n, sizeof(int));
	for (size_t i = 0; i < affinity.n; i++)
		if (has(&online, affinity.v[i]))
			both.v[both.n++] = affinity.v[i];
	if (both.n == 0)
		return error_set(e, EXIT_CANNOT,
			"asking which CPUs this process may use: none of %s is online (%s); widen the "
			"affinity or the cpuset",
			cpu_list_text(&affinity, arena), text);
	*list = both;
	return 0;
}

/* What the order of pinning looks at. */
struct place {
	int cpu;
	long package, core; /* core -1: unknown topology */
	size_t thread;	    /* how many threads of its core come before it */
	uint64_t max_khz;   /* 0: unknown */
};

static bool read_long(const char *root, struct arena *arena, int cpu, const char *name, long *value)
{
	char *text =
		read_text(root, arena, arena_printf(arena, "sys/devices/system/cpu/cpu%d/%s", cpu, name));
	char *end;

	if (text == NULL || text[0] == '\0')
		return false;
	*value = strtol(text, &end, 10);
	return *end == '\0' && *value >= 0;
}

/*
 * Which core a CPU belongs to: the first of thread_siblings_list names it whatever dies and clusters there are;
 * else package and core number, which are unique only within a die.
 */
static void read_core(const char *root, struct arena *arena, struct place *place)
{
	char *text = read_text(root, arena,
		arena_printf(
			arena, "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", place->cpu));
	struct cpu_list siblings = {0};

	place->package = -1;
	place->core = -1;
	if (text != NULL && cpu_list_parse(text, arena, &siblings, NULL) == 0 && siblings.n > 0 &&
		has(&siblings, place->cpu)) {
		place->core = siblings.v[0];
		return;
	}
	if (!read_long(root, arena, place->cpu, "topology/core_id", &place->core))
		place->core = -1;
	else if (!read_long(root, arena, place->cpu, "topology/physical_package_id", &place->package))
		place->package = 0;
}

static struct place *read_places(const char *root, const struct cpu_list *cpus, struct arena *arena)
{
	struct place *places = arena_array(arena, cpus->n, sizeof(*places));

	for (size_t i = 0; i < cpus->n; i++) {
		struct place *p = &places[i];
		long khz;

		p->cpu = cpus->v[i];
		read_core(root, arena, p);
		if (read_long(root, arena, p->cpu, "cpufreq/cpuinfo_max_freq", &khz))
			p->max_khz = (uint64_t)khz;
		for (size_t k = 0; k < i; k++)
			p->thread +=
				p->core >= 0 && places[k].core == p->core && places[k].package == p->package;
	}
	return places;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->max_khz != y->max_khz)
		return x->max_khz > y->max_khz ? -1 : 1;
	if ((x->cpu == 0) != (y->cpu == 0))
		return x->cpu == 0 ? 1 : -1;
	return x->cpu < y->cpu ? -1 : 1;
}

int cpu_pin_order(const char *root, const struct cpu_list *allowed, struct arena *arena,
	struct cpu_list *order, struct error *e)
{
	struct place *places = read_places(root, allowed, arena);
	struct cpu_list sorted = {.v = arena_array(arena, allowed->n, sizeof(int)), .n = allowed->n};

	if (allowed->n == 0)
		return error_set(e, EXIT_CANNOT, "ordering the CPUs to pin to: there is none");
	qsort(places, allowed->n, sizeof(*places), compare_places);
	for (size_t i = 0; i < allowed->n; i++)
		sorted.v[i] = places[i].cpu;
	*order = sorted;
	return 0;
}

size_t cpu_core_count(const char *root, const struct cpu_list *cpus, struct arena *arena)
{
	struct place *places = read_places(root, cpus, arena);
	size_t cores = 0;

	for (size_t i = 0; i < cpus->n; i++)
		cores += places[i].thread == 0;
	return cores;
}

int cpu_check(const struct cpu_list *wanted, const struct cpu_list *allowed, struct error *e)
{
	struct arena arena = {0};
	int result = 0;

	if (wanted->n == 0)
		result = error_set(
			e, EXIT_USAGE, "no CPU is given; allowed are %s", cpu_list_text(allowed, &arena));
	for (size_t i = 0; result == 0 && i < wanted->n; i++)
		if (!has(allowed, wanted->v[i]))
			result = error_set(e, EXIT_USAGE,
				"CPU %d is absent, offline or not allowed here; allowed are %s", wanted->v[i],
				cpu_list_text(allowed, &arena));
	arena_release(&arena);
	return result;
}

int cpu_pin_self_list(const struct cpu_list *cpus, struct error *e)
{
	struct arena arena = {0};
	int highest = 0, result = 0;
	cpu_set_t *set;
	size_t size;

	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->v[i] > highest)
			highest = cpus->v[i];
	size = CPU_ALLOC_SIZE((size_t)highest + 1);
	set = mem_alloc(size);
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->v[i] >= 0)
			CPU_SET_S((size_t)cpus->v[i], size, set);
	if (sched_setaffinity(0, size, set) != 0) {
		result = error_errno(e, errno, "pinning flagstone to CPU %s", cpu_list_text(cpus, &arena));
		error_advice(e, "is it online and allowed (see /proc/self/status, Cpus_allowed_list)?");
	}
	mem_free(set);
	arena_release(&arena);
	return result;
}

int cpu_pin_self(int cpu, struct error *e)
{
	return cpu_pin_self_list(&(struct cpu_list){.v = &cpu, .n = 1}, e);
}
