#include "host/host.h"
#include "native.h"

/* A simulated machine as the record that a run on it would leave. */

enum { LAYOUTS = 16 };

static void describe_build(struct trust *t, const struct native *n, const struct native_build *own,
	const struct build *from, struct record_build *to)
{
	to->workload = n->workloads[own->workload].name;
	to->slot = n->slots.v[own->slot];
	to->variant = native_variants[own->variant].name;
	to->copies = 1;
	to->args = "";
	to->cell = arena_printf(&t->arena, "%s/%s/%s/1", to->workload, to->slot, to->variant);
	to->status = CELL_MEASURED;
	to->content_hash = arena_strdup(&t->arena, from->content_hash);
	to->code_hash = from->code_hash;
	to->build_id = from->build_id;
	to->commands = from->commands;
	to->facts.arena = &t->arena;
	facts_copy(&to->facts, &from->facts);
	facts_set(&to->facts, "cell.units", "1024", "a made-up measurement");
	to->layouts = arena_array(&t->arena, LAYOUTS, sizeof(*to->layouts));
	to->layout_count = LAYOUTS;
	for (uint32_t k = 0; k < LAYOUTS; k++) {
		char seed[HASH_HEX];

		build_layout_seed(from->content_hash, 0, k, seed);
		to->layouts[k] = (struct record_layout){.layout = k, .seed = arena_strdup(&t->arena, seed)};
	}
}

/* The record that a run on this machine would leave, but for samples. */
int native_describe(struct trust *t, struct native *n, struct native_machine *machine,
	const struct build *builds, struct error *e)
{
	struct record *record = machine->record = record_new(&t->arena);

	record->run = arena_printf(&t->arena, "%032zx", n->machine_count);
	record->started = record->finished = "2026-01-01T00:00:00Z";
	record->complete = true;
	if (host_read("", &record->host, e) != 0)
		return -1;
	if (n->qemu != NULL && native_cpu_facts(t, n->qemu, machine->model, &record->host, e) != 0)
		return -1;
	/* the compilers that ran here a moment ago are no load of the machine that they stand for */
	facts_set(&record->host, "load.1min", "0.00", "a made-up measurement");
	record->host_name = host_name(&record->host, machine->model, &t->arena, e);
	if (record->host_name == NULL)
		return -1;
	/* equal images have one machine-id, and the two CPUs may be of one model: the name tells the machines apart */
	record->host_name = arena_printf(&t->arena, "%s-%s", machine->model, record->host_name);
	record->plan.settings = (struct measure_settings){
		.sample_ns = 5000000, .layouts_min = LAYOUTS, .layouts_max = LAYOUTS, .rounds_max = 256};
	record->toolchains = arena_array(&t->arena, n->slots.n, sizeof(*record->toolchains));
	for (size_t s = 0; s < n->slots.n; s++)
		for (size_t i = 0; i < machine->count; i++) {
			struct record_toolchain *to = &record->toolchains[record->toolchain_count];

			if (machine->builds[i].slot != s)
				continue;
			words_add(&to->slots, &t->arena, n->slots.v[s]);
			to->facts.arena = &t->arena;
			facts_copy(&to->facts, &builds[i].toolchain->facts);
			record->toolchain_count++;
			break;
		}
	record->workloads = arena_array(&t->arena, n->workload_count, sizeof(*record->workloads));
	for (size_t w = 0; w < n->workload_count; w++) {
		char hash[HASH_HEX];

		if (build_workload_hash(&n->workloads[w], hash, e) != 0)
			return -1;
		record->workloads[record->workload_count++] =
			(struct record_workload){.name = n->workloads[w].name,
				.content_hash = arena_strdup(&t->arena, hash),
				.unit = "1/s",
				.units = 1024,
				.facts.arena = &t->arena};
	}
	record->builds = arena_array(&t->arena, machine->count, sizeof(*record->builds));
	for (size_t i = 0; i < machine->count; i++)
		describe_build(t, n, &machine->builds[i], &builds[i], &record->builds[record->build_count++]);
	machine->view = comparable_view_of(record, &t->arena);
	return 0;
}
