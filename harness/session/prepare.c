#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "measure/sample.h"
#include "session/run.h"

/* Before the first round: is each build right, and how much work is a sample? */

enum { MARK_LIMIT = 16384 };
enum { OVERLAP_DOUBLINGS = 6, FIT_TRIES = 3 };
/* copies are released within some 50 us of each other; 20 times that, and at least the sample asked for */
static const int64_t copies_sample_ns = 5000000;

void run_fail_cell(
	struct run *run, size_t cell, enum cell_status status, const char *what, const char *reason)
{
	struct record_build *build = &run->record->builds[cell];

	if (build->status != CELL_BUILT && build->status != CELL_MEASURED)
		return; /* failed already: the first reason stands */
	build->status = status;
	build->reason = arena_strdup(run->arena, reason);
	record_add_failure(run->record, -1, (uint32_t)cell, what, "%s", reason);
	for (size_t i = 0; i < run->item_count; i++)
		if (run->items[i].cell == cell)
			run->items[i].open = false;
	run_say(run, "%s: %s: %s", build->cell, cell_status_text(status), reason);
}

void run_arguments(const char *args, struct arena *arena, struct words *words)
{
	while (*args != '\0') {
		size_t n = strcspn(args, ",");

		words_add(words, arena, arena_strndup(arena, args, n));
		args += n + (args[n] == ',');
	}
}

static const struct plan_cell *plan_cell(const struct run *run, size_t cell)
{
	return &run->session->plan.cells[cell];
}

static struct measure_start start_of(const struct plan_cell *cell, const char *program)
{
	return (struct measure_start){.program = program,
		.runner = cell->slot->toolchain->runner,
		.env = cell->variant->env,
		.stdin_path = cell->workload->stdin_path};
}

/* Runs a cell's program once; line NULL: reason. */
static int run_once(struct run *run, size_t cell, const char *program, uint64_t units, const char **line,
	const char **reason, struct error *e)
{
	const struct plan_cell *plan = plan_cell(run, cell);
	struct measure_start start = start_of(plan, program);
	struct words words = {0};

	words_addf(&words, run->arena, "units=%llu", (unsigned long long)units);
	run_arguments(plan->args, run->arena, &words);
	return measure_once(&run->measurer, &start, (const char *const *)words.v, run->settings.timeout_ns,
		line, reason, e);
}

/* What a check run said. */
struct check {
	const char *value;	 /* NULL: none */
	enum cell_status status; /* CELL_BUILT: right */
	const char *reason;
};

static int check_program(
	struct run *run, size_t cell, const char *program, double rel, struct check *check, struct error *e)
{
	const struct spec_workload *workload = plan_cell(run, cell)->workload;
	const char *line;

	*check = (struct check){.status = CELL_RUN_FAILED};
	if (run_once(run, cell, program, workload->check_units, &line, &check->reason, e) != 0)
		return -1;
	if (line == NULL)
		return 0;
	check->status = CELL_CHECK_FAILED;
	check->value = measure_field(line, "check", run->arena);
	if (check->value == NULL)
		check->reason = "its result line has no check value";
	else if (!measure_check_agrees(check->value, workload->check_value, rel))
		check->reason = arena_printf(run->arena,
			"wrong result: check value of %llu units is %s, and should be %s (within %g): wrong, "
			"not fast",
			(unsigned long long)workload->check_units, check->value, workload->check_value, rel);
	else
		check->status = CELL_BUILT;
	return 0;
}

/* Beside a cached build stands what its check was and gave, so that a second start need not run it again. */
static char *mark_path(const struct run *run, size_t cell)
{
	return file_join(run->arena, run->session->builds[cell].folder, "checked");
}

static char *mark_text(const struct run *run, size_t cell, double rel)
{
	const struct spec_workload *workload = plan_cell(run, cell)->workload;

	return arena_printf(run->arena, "%llu %s %.17g\n", (unsigned long long)workload->check_units,
		workload->check_value, rel);
}

/* The value that this check gave before; NULL: it has not been run, or was another one. */
static const char *marked_value(const struct run *run, size_t cell, double rel)
{
	char *wanted = mark_text(run, cell, rel);
	struct buf text = {0};
	const char *value = NULL;

	if (file_read(mark_path(run, cell), MARK_LIMIT, &text, NULL) == 0 &&
		text_starts(buf_text(&text), wanted))
		value = arena_strdup(run->arena, buf_text(&text) + strlen(wanted));
	buf_release(&text);
	return value;
}

/* A mark that cannot be written only costs the next start a check. */
static void mark_checked(const struct run *run, size_t cell, double rel, const char *value)
{
	char *text = arena_printf(run->arena, "%s%s", mark_text(run, cell, rel), value);

	file_write_atomic(mark_path(run, cell), text, strlen(text), NULL);
}

int run_check_builds(struct run *run, struct error *e)
{
	for (size_t i = 0; i < run->item_count; i++) {
		struct run_item *item = &run->items[i];
		const struct spec_workload *workload = plan_cell(run, item->cell)->workload;
		struct check check;
		const char *value;

		run_tell(run, "check", i, run->item_count, -1, 0);
		if (!item->open || item->arm > 0 || workload->check_value == NULL ||
			plan_cell(run, item->cell)->args[0] != '\0')
			continue;
		value = marked_value(run, item->cell, item->check_rel);
		if (value != NULL) {
			run->record->builds[item->cell].check_value = value;
			continue;
		}
		run->times.checks++;
		if (check_program(run, item->cell, run->session->builds[item->cell].binary, item->check_rel,
			    &check, e) != 0)
			return -1;
		run->record->builds[item->cell].check_value = check.value;
		if (check.status == CELL_BUILT)
			mark_checked(run, item->cell, item->check_rel, check.value);
		if (check.status != CELL_BUILT)
			run_fail_cell(run, item->cell, check.status, "check", check.reason);
	}
	return 0;
}

int run_check_layout(struct run *run, struct run_item *item, uint32_t layout, struct error *e)
{
	const struct plan_cell *cell = plan_cell(run, item->cell);
	int64_t begin = clock_ns();
	struct check check;

	if (item->checked[layout] || cell->workload->check_value == NULL || cell->args[0] != '\0')
		return 0;
	if (check_program(run, item->cell, item->paths[layout], item->check_rel, &check, e) != 0)
		return -1;
	item->checked[layout] = true;
	run->times.once_ns += clock_ns() - begin;
	run->times.once++;
	if (check.status != CELL_BUILT)
		run_fail_cell(run, item->cell, check.status, "check",
			arena_printf(run->arena, "layout %u: %s", layout, check.reason));
	return 0;
}

int64_t run_sample_ns(const struct run *run, uint32_t copies)
{
	int64_t sample_ns = run->settings.sample_ns;

	return copies > 1 && sample_ns < copies_sample_ns ? copies_sample_ns : sample_ns;
}

static int calibrate_one(struct run *run, const struct run_item *item, uint64_t *units, struct error *e)
{
	const struct plan_cell *cell = plan_cell(run, item->cell);
	int64_t sample_ns = run_sample_ns(run, cell->copies);
	struct measure_start start = start_of(cell, run->session->builds[item->cell].binary);
	struct words arguments = {0};
	const char *reason = NULL;

	run_arguments(cell->args, run->arena, &arguments);
	if (measure_calibrate(&run->measurer, &start, &arguments, sample_ns, units, &reason, e) != 0)
		return -1;
	if (reason != NULL)
		run_fail_cell(run, item->cell, CELL_RUN_FAILED, "run",
			arena_printf(run->arena, "calibration: %s", reason));
	return 0;
}

static const struct run_item *first_open(const struct run *run, const struct run_units *units)
{
	for (size_t i = 0; i < run->item_count; i++)
		if (run->items[i].units == units && run->items[i].open)
			return &run->items[i];
	return NULL;
}

/* The cell that these units were found with; else the first one. */
static const struct run_item *fastest_open(const struct run *run, const struct run_units *units)
{
	for (size_t i = 0; i < run->item_count && units->fastest != NULL; i++)
		if (run->items[i].units == units && run->items[i].open &&
			strcmp(run->record->builds[run->items[i].cell].cell, units->fastest) == 0)
			return &run->items[i];
	return first_open(run, units);
}

static int sample_ns_of(struct run *run, const struct run_item *item, double *ns, struct error *e)
{
	const char *line, *reason, *elapsed;

	*ns = 0;
	if (run_once(run, item->cell, run->session->builds[item->cell].binary, item->units->units, &line,
		    &reason, e) != 0)
		return -1;
	elapsed = line != NULL ? measure_field(line, "elapsed_ns", run->arena) : NULL;
	if (elapsed != NULL && !num_parse_double(elapsed, ns))
		*ns = 0;
	return 0;
}

/*
 * Does a sample of these units take 0.5 to 4 times what was asked for? Else they are from another world. A long one
 * is asked again, since a disturbance only ever makes it longer.
 */
static int units_still_fit(struct run *run, const struct run_item *item, bool *fit, struct error *e)
{
	double wanted = (double)run->settings.sample_ns, ns = 0;
	bool any_length = item->units->copies > 1;

	*fit = false;
	for (int i = 0; i < FIT_TRIES && !*fit; i++) {
		if (sample_ns_of(run, item, &ns, e) != 0)
			return -1;
		if (ns <= 0 || (ns < 0.5 * wanted && !any_length))
			return 0;
		*fit = any_length || ns <= 4.0 * wanted || item->units->units == 1;
	}
	return 0;
}

/* The fastest cell decides: its sample takes 1 to 2 x `sample`, the others' longer. */
static int calibrate_all(struct run *run, struct run_units *units, struct error *e)
{
	units->units = 0;
	units->from = NULL;
	for (size_t i = 0; i < run->item_count; i++) {
		const struct run_item *item = &run->items[i];
		uint64_t found = 0;

		if (item->units != units || !item->open || item->arm > 0)
			continue;
		if (calibrate_one(run, item, &found, e) != 0)
			return -1;
		if (found > units->units) {
			units->units = found;
			units->fastest = run->record->builds[item->cell].cell;
		}
	}
	return 0;
}

/* Doubles the units until copies overlap in 90 % of their time. */
int run_fit_overlap(struct run *run, struct run_units *units, struct error *e)
{
	const struct run_item *item = first_open(run, units);
	const struct plan_cell *cell = item != NULL ? plan_cell(run, item->cell) : NULL;

	for (int i = 0; cell != NULL && i < OVERLAP_DOUBLINGS; i++) {
		struct record *trial = record_new(run->arena);
		struct measure_item m = {.program = run->session->builds[item->cell].binary,
			.runner = cell->slot->toolchain->runner,
			.env = cell->variant->env,
			.stdin_path = cell->workload->stdin_path,
			.copies = cell->copies,
			.units = units->units,
			.warmup = 1};
		struct sample_place place = {.repeat_of = SAMPLE_NONE};
		uint32_t marks = 0;
		size_t first;
		int result;

		run_arguments(cell->args, run->arena, &m.arguments);
		result = sample_take(&run->measurer, trial, &m, &place, &first, &marks, e);
		record_release(trial);
		if (result != 0)
			return -1;
		if (!(marks & MARK_OVERLAP))
			break;
		units->units *= 2;
	}
	return 0;
}

/* What the timed units must give: asked of the first cell that is right; the others must agree with it. */
int run_expect_value(struct run *run, struct run_units *units, struct error *e)
{
	const struct run_item *item = first_open(run, units);
	const char *line, *reason;

	if (item == NULL)
		return 0;
	if (run_once(run, item->cell, run->session->builds[item->cell].binary, units->units, &line, &reason,
		    e) != 0)
		return -1;
	if (line != NULL)
		units->check_value = measure_field(line, "check", run->arena);
	return 0;
}

void run_describe_units(struct run *run, const struct run_units *units, const char *source)
{
	for (size_t i = 0; i < run->item_count; i++) {
		const struct run_item *item = &run->items[i];
		struct facts *facts = &run->record->builds[item->cell].facts;

		if (item->units != units)
			continue;
		facts_setf(facts, UNITS_KEY, source, "%llu", (unsigned long long)units->units);
		if (units->fastest != NULL)
			facts_set(facts, UNITS_CELL_KEY, units->fastest, source);
		else
			facts_unknown(facts, UNITS_CELL_KEY, source,
				"the units are those of an older record, which does not say");
		if (units->copies == 1 || run->record->workloads[item->workload].units == 0)
			run->record->workloads[item->workload].units = units->units;
	}
}

int run_calibrate(struct run *run, struct error *e)
{
	run_units_find(run);
	for (size_t i = 0; i < run->units_count; i++) {
		struct run_units *units = &run->units[i];
		const struct run_item *item;
		/* the rest of a run does the same work as its beginning */
		bool resumed = run->resumed != NULL && units->units > 0, fit = resumed;

		run_tell(run, "calibrate", i, run->units_count, -1, 0);
		item = fastest_open(run, units);
		if (item == NULL)
			continue;
		if (!fit && units->units > 0 && units_still_fit(run, item, &fit, e) != 0)
			return -1;
		if (!fit && calibrate_all(run, units, e) != 0)
			return -1;
		if ((!fit || (run->session->bundle != NULL && !resumed)) && units->copies > 1 &&
			units->units > 0 && run_fit_overlap(run, units, e) != 0)
			return -1;
		if (units->units > 0 && run_expect_value(run, units, e) != 0)
			return -1;
	}
	for (size_t i = 0; i < run->units_count; i++)
		run_describe_units(run, &run->units[i], "calibration");
	return 0;
}
