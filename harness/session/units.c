#include <string.h>

#include "base/num.h"
#include "record/json.h"
#include "session/bundle.h"
#include "session/run.h"

/* Units of work that earlier runs found: whoever does the same work again can be compared. */

enum { PREVIOUS_RECORDS = 8 };

static struct run_units *units_of(struct run *run, const struct plan_cell *cell)
{
	struct run_units *units;

	for (size_t i = 0; i < run->units_count; i++) {
		units = &run->units[i];
		if (units->workload == cell->workload && units->copies == cell->copies &&
			strcmp(units->args, cell->args) == 0)
			return units;
	}
	units = &run->units[run->units_count++];
	*units = (struct run_units){.workload = cell->workload, .copies = cell->copies, .args = cell->args};
	return units;
}

void run_units_take(const struct record *record, const char *content_hash, struct run_units *units)
{
	for (size_t i = 0; i < record->build_count && units->units == 0; i++) {
		const struct record_build *build = &record->builds[i];
		const struct record_workload *workload = record_workload(record, build->workload);
		const char *used = facts_value(&build->facts, UNITS_KEY);

		if (workload != NULL && workload->content_hash != NULL && used != NULL &&
			build->copies == units->copies && strcmp(workload->content_hash, content_hash) == 0 &&
			strcmp(build->args, units->args) == 0 && num_parse_u64(used, &units->units))
			units->fastest = facts_value(&build->facts, UNITS_CELL_KEY);
	}
}

static const char *content_hash_of(const struct run *run, const struct run_units *units)
{
	return record_workload(run->record, units->workload->name)->content_hash;
}

static bool units_known(const struct run *run)
{
	for (size_t i = 0; i < run->units_count; i++)
		if (run->units[i].units == 0)
			return false;
	return true;
}

/* Takes units from the newest records of this host with the same length of sample. */
static void units_from_archive(struct run *run)
{
	struct archive_entries entries = {0};
	size_t looked_at = 0;

	if (run->archive == NULL || archive_list(run->archive, &entries, NULL) != 0)
		return;
	for (size_t i = entries.n; i > 0 && looked_at < PREVIOUS_RECORDS && !units_known(run); i--) {
		const struct archive_entry *entry = &entries.v[i - 1];
		struct record *record = NULL;
		uint64_t samples;

		if (run->record->host_name == NULL || strcmp(entry->host, run->record->host_name) != 0)
			continue;
		looked_at++;
		if (record_read_head_file(entry->path, run->arena, &record, &samples, NULL) != 0)
			continue;
		for (size_t k = 0; k < run->units_count; k++) {
			if (run->units[k].units != 0 ||
				record->plan.settings.sample_ns != run->settings.sample_ns)
				continue;
			run_units_take(record, content_hash_of(run, &run->units[k]), &run->units[k]);
			run->units[k].from = run->units[k].units != 0 ? entry->id : NULL;
		}
		record_release(record);
	}
}

/* The work that was done where the bundle was made, so that records of all machines have the same. */
static void units_from_bundle(struct run *run)
{
	const struct record *from = run->session->bundle->bundle.record;

	for (size_t k = 0; k < run->units_count; k++)
		if (run->units[k].units == 0 && from->plan.settings.sample_ns == run->settings.sample_ns)
			run_units_take(from, content_hash_of(run, &run->units[k]), &run->units[k]);
}

static void make_units(struct run *run)
{
	run->units = arena_array(run->arena, run->item_count, sizeof(*run->units));
	run->units_of = arena_array(run->arena, run->record->build_count, sizeof(struct run_units *));
	for (size_t i = 0; i < run->item_count; i++)
		run->units_of[run->items[i].cell] = run->items[i].units =
			units_of(run, &run->session->plan.cells[run->items[i].cell]);
}

void run_units_find(struct run *run)
{
	make_units(run);
	if (run->resumed != NULL) { /* the rest of a run does the same work as its beginning */
		for (size_t k = 0; k < run->units_count; k++)
			run_units_take(run->resumed, content_hash_of(run, &run->units[k]), &run->units[k]);
		return;
	}
	if (run->session->bundle != NULL)
		units_from_bundle(run);
	units_from_archive(run);
}

void run_units_known(struct run *run)
{
	make_units(run);
	units_from_archive(run);
	for (size_t i = 0; i < run->units_count; i++)
		if (run->units[i].units > 0)
			run_describe_units(run, &run->units[i],
				arena_printf(run->arena, "record %.12s", run->units[i].from));
}
