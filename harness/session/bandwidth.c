#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/num.h"
#include "session/fitness.h"

/*
 * What the memory gives: each CPU reads an array of its own, all at once, and the time is from the common start to the
 * last one's end. Only reads are counted: a copy's or triad's stores first fetch the line that they overwrite, on most
 * processors but not on all and not always, so that what they move can't be told from what they count.
 * The arrays are together four times the last-level caches (as STREAM asks for, J. McCalpin), and at least 64 MiB a
 * CPU; each is written first by its own CPU, so that it lies on its node.
 */

enum { LEAST_BYTES = 64 << 20, PASSES = 3, CPUS_MOST = 1024 };
static const double caches_times = 4, memory_share = 0.25;

/* Where all readers meet before each pass. Unlike pthread's barrier it can be given up. */
struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t opened;
	size_t readers, arrived;
	int passes;
	bool given_up;
};

struct reader {
	pthread_t thread;
	struct gate *gate;
	int cpu;
	uint64_t *words;
	size_t count;
	int64_t begin_ns[PASSES], end_ns[PASSES];
	uint64_t sum;
};

/* Waits for the others; false: it was given up. */
static bool gate_pass(struct gate *gate)
{
	bool passed;
	int pass;

	pthread_mutex_lock(&gate->mutex);
	pass = gate->passes;
	if (++gate->arrived == gate->readers) {
		gate->arrived = 0;
		gate->passes++;
		pthread_cond_broadcast(&gate->opened);
	}
	while (gate->passes == pass && !gate->given_up)
		pthread_cond_wait(&gate->opened, &gate->mutex);
	passed = gate->passes != pass;
	pthread_mutex_unlock(&gate->mutex);
	return passed;
}

static void gate_give_up(struct gate *gate)
{
	pthread_mutex_lock(&gate->mutex);
	gate->given_up = true;
	pthread_cond_broadcast(&gate->opened);
	pthread_mutex_unlock(&gate->mutex);
}

static uint64_t read_all(const uint64_t *words, size_t count)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (size_t i = 0; i + 8 <= count; i += 8) {
		a += words[i] + words[i + 4];
		b += words[i + 1] + words[i + 5];
		c += words[i + 2] + words[i + 6];
		d += words[i + 3] + words[i + 7];
	}
	return a + b + c + d;
}

static void *run_reader(void *argument)
{
	struct reader *reader = argument;

	cpu_pin_self(reader->cpu, NULL);
	for (size_t i = 0; i < reader->count; i++)
		reader->words[i] = i;
	for (int pass = 0; pass < PASSES; pass++) {
		if (!gate_pass(reader->gate))
			break;
		reader->begin_ns[pass] = clock_ns();
		reader->sum += read_all(reader->words, reader->count);
		reader->end_ns[pass] = clock_ns();
	}
	return NULL;
}

static bool number_of(const struct facts *facts, const char *key, double *value)
{
	const char *text = facts_value(facts, key);

	return text != NULL && num_parse_double(text, value) && *value > 0;
}

/* Bytes of the caches of the last level, all together; 0: unknown. */
static double caches_of(const struct facts *facts)
{
	static const char *const kinds[] = {"l4", "l3", "l2"};
	double size, instances;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char *size_key = arena_printf(facts->arena, "cache.%s.size_bytes", kinds[i]);
		char *count_key = arena_printf(facts->arena, "cache.%s.instances", kinds[i]);

		if (number_of(facts, size_key, &size) && number_of(facts, count_key, &instances))
			return size * instances;
	}
	return 0;
}

/* Starts all, waits for all; false when a thread could not be started. */
static bool run_readers(struct reader *readers, size_t n)
{
	struct gate gate = {
		.mutex = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER, .readers = n};
	size_t started = 0;

	for (; started < n; started++) {
		readers[started].gate = &gate;
		if (pthread_create(&readers[started].thread, NULL, run_reader, &readers[started]) != 0)
			break;
	}
	if (started < n)
		gate_give_up(&gate);
	for (size_t i = 0; i < started; i++)
		pthread_join(readers[i].thread, NULL);
	return started == n;
}

/* The fastest pass: what disturbs only makes it slower. */
static double fastest_s(const struct reader *readers, size_t n)
{
	double best = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		int64_t begin = INT64_MAX, end = 0;
		double took;

		for (size_t i = 0; i < n; i++) {
			begin = readers[i].begin_ns[pass] < begin ? readers[i].begin_ns[pass] : begin;
			end = readers[i].end_ns[pass] > end ? readers[i].end_ns[pass] : end;
		}
		took = (double)(end - begin) / 1e9;
		best = best == 0 || took < best ? took : best;
	}
	return best;
}

void fitness_bandwidth(const struct facts *facts, const struct cpu_list *cpus, struct host_measured *measured,
	struct arena *arena)
{
	double available, limit, caches = caches_of(facts), bytes = caches_times * caches;
	size_t n = cpus->n, each;
	struct reader *readers;
	char *memory;

	if (caches <= 0) {
		measured->no_bandwidth = "the size of the caches is not known";
		return;
	}
	if (!number_of(facts, "memory.available_bytes", &available)) {
		measured->no_bandwidth = "how much memory is free is not known";
		return;
	}
	/* a container's limit also holds what the page cache has of it, so that this is cautious only by the share */
	if (number_of(facts, "cgroup.memory.limit_bytes", &limit) && limit < available)
		available = limit;
	if (n > CPUS_MOST || bytes < (double)n * LEAST_BYTES)
		bytes = (double)n * LEAST_BYTES;
	if (n > CPUS_MOST || bytes > memory_share * available) {
		measured->no_bandwidth = arena_printf(arena,
			"%.0f MiB would be needed to go beyond the caches, which is more than a quarter of "
			"what "
			"is free",
			bytes / 1024 / 1024);
		return;
	}
	each = (size_t)(bytes / (double)n) / 4096 * 4096;
	memory = mmap(NULL, each * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		measured->no_bandwidth = "the memory could not be had";
		return;
	}
	readers = arena_array(arena, n, sizeof(*readers));
	for (size_t i = 0; i < n; i++) {
		readers[i].cpu = cpus->v[i];
		readers[i].words = (uint64_t *)(void *)(memory + each * i);
		readers[i].count = each / sizeof(uint64_t);
	}
	if (run_readers(readers, n))
		measured->bandwidth = (double)(each * n) / fastest_s(readers, n);
	else
		measured->no_bandwidth = "a thread for each CPU could not be started";
	munmap(memory, each * n);
}
