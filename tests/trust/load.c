#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sys/cpu.h"
#include "sys/process.h"
#include "trust.h"

/* A noisy neighbour: a process that keeps one CPU, its caches and the memory busy, beside measured ones. */

enum { LOAD_BYTES = 32 << 20 };

struct trust_load {
	struct process *process;
};

struct trust_load *trust_load_start(struct trust *t, int cpu, struct error *e)
{
	char *argv[] = {arena_strdup(&t->arena, t->program), arena_strdup(&t->arena, "--load"), NULL};
	struct process_options options = {.argv = argv, .cpu = cpu};
	struct trust_load *load = mem_alloc(sizeof(*load));

	load->process = process_start(&options, e);
	if (load->process != NULL)
		return load;
	mem_free(load);
	return NULL;
}

void trust_load_stop(struct trust_load *load)
{
	if (load == NULL)
		return;
	process_kill(load->process);
	mem_free(load);
}

_Noreturn void trust_load_run(void)
{
	volatile unsigned char *bytes = mem_alloc(LOAD_BYTES);
	unsigned sum = 1;

	for (;;) {
		for (size_t i = 0; i < LOAD_BYTES; i += 64)
			bytes[i] = (unsigned char)(sum += bytes[i]);
		for (unsigned i = 0; i < 1000000; i++)
			sum = sum * 1664525u + 1013904223u;
	}
}

/* Where the load runs, and from when. */
static const struct {
	const char *name;
	bool on_same; /* the CPU that is measured on; else the next one */
	bool none, half_way;
} kinds[] = {
	{"quiet", false, true, false},
	{"other-core", false, false, false},
	{"same-core", true, false, false},
	{"other-core-half", false, false, true},
	{"same-core-half", true, false, true},
};

/* The load of a run that is going on. */
struct neighbour {
	struct trust *t;
	int cpu;
	bool half_way;
	struct trust_load *load;
	struct error why;
};

static void start_half_way(void *context, size_t done, size_t total)
{
	struct neighbour *n = context;

	if (n->half_way && n->load == NULL && total > 0 && 2 * done >= total)
		n->load = trust_load_start(n->t, n->cpu, &n->why);
}

static int measure_beside(
	struct trust *t, size_t kind, uint32_t number, const char *draw, int cpu, struct error *e)
{
	struct neighbour n = {.t = t, .cpu = cpu, .half_way = kinds[kind].half_way};
	struct trust_wish wish = {.part = arena_printf(&t->arena, "neighbour-%s", kinds[kind].name),
		.matrix = "neighbour",
		.first = "trust-integer",
		.draw = draw,
		.number = number,
		.at_round = start_half_way,
		.context = &n};
	int result;

	if (!kinds[kind].none && !n.half_way) {
		n.load = trust_load_start(t, cpu, e);
		if (n.load == NULL)
			return -1;
	}
	result = trust_measure(t, &wish, e);
	if (result == 0 && n.half_way && n.load == NULL) {
		if (e != NULL)
			*e = n.why;
		result = -1;
	}
	trust_load_stop(n.load);
	return result;
}

int trust_measure_neighbours(struct trust *t, struct error *e)
{
	struct cpu_list allowed, order;

	if (cpu_allowed("", &t->arena, &allowed, e) != 0 ||
		cpu_pin_order("", &allowed, &t->arena, &order, e) != 0)
		return -1;
	for (uint32_t run = 0; run < t->size.neighbour_runs; run++) {
		char draw[33];

		rng_fresh_hex(draw); /* one build for all kinds of load */
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (!kinds[k].on_same && !kinds[k].none && order.n < 2) {
				record_note(t->record, "no neighbour on another CPU: there is one CPU only");
				continue;
			}
			if (measure_beside(t, k, run, draw, order.v[kinds[k].on_same ? 0 : order.n > 1], e) !=
				0)
				return -1;
		}
	}
	return 0;
}
