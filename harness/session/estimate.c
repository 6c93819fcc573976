#include "session/estimate.h"

#include <string.h>

#include "archive/archive.h"
#include "base/mem.h"
#include "base/num.h"
#include "record/json.h"
#include "session/bundle.h"
#include "stats/aa.h"
#include "stats/paired.h"

enum { CELLS_MOST = 4000, PREVIOUS_RECORDS = 8, CALIBRATION_RUNS = 4, CALIBRATION_LENGTH = 3 };
static const double rough_source_ns = 60e6, rough_link_ns = 45e6, rough_check_ns = 5e6;
static const double rough_sample_part = 1.6, rough_process_ns = 1.5e6, rough_factor = 1.1;
static const double room = 0.25;
static const int64_t start_ns = 1000000000;

static double number(const struct facts *facts, const char *key)
{
	const char *text = facts_value(facts, key);
	double value;

	return text != NULL && num_parse_double(text, &value) && value > 0 ? value : 0;
}

static const struct record_build *find_build(const struct record *record, const struct plan_cell *cell)
{
	int index = record_find_cell(record, cell->name);

	return index >= 0 ? &record->builds[index] : NULL;
}

/* Builds are the same for all copies and args. */
static double build_time(const struct record *record, const struct plan_cell *cell)
{
	for (size_t i = 0; i < record->build_count && record->builds != NULL; i++) {
		const struct record_build *build = &record->builds[i];
		double ns;

		if (text_same(build->workload, cell->workload->name) &&
			text_same(build->slot, cell->slot->name) &&
			text_same(build->variant, cell->variant->name) &&
			(ns = number(&build->facts, ESTIMATE_BUILD_KEY)) > 0)
			return ns;
	}
	return 0;
}

static void learn_phase(
	double *ns, const struct record *record, const char *phase, const char *count, double jobs)
{
	double made = number(&record->harness, count);

	if (*ns <= 0 && made > 0)
		*ns = number(&record->harness, phase) * jobs / made;
}

void estimate_learn(struct estimate_history *history, const struct plan *plan, const struct record *record,
	int64_t sample_ns)
{
	double jobs = number(&record->harness, ESTIMATE_JOBS_KEY);
	double work = number(&record->harness, ESTIMATE_WORK_KEY);

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];
		const struct record_build *build = find_build(record, cell);

		if (history->build_ns[i] <= 0 && cell->slot->toolchain != NULL)
			history->build_ns[i] = build_time(record, cell);
		if (history->round_ns[i] <= 0 && build != NULL &&
			record->plan.settings.sample_ns == sample_ns)
			history->round_ns[i] = number(&build->facts, ESTIMATE_ROUND_KEY);
	}
	if (history->build_factor <= 0 && work > 0)
		history->build_factor = number(&record->harness, ESTIMATE_BUILDS_KEY) * jobs / work;
	learn_phase(&history->link_ns, record, ESTIMATE_LINK_KEY, ESTIMATE_LINKS_KEY, jobs);
	learn_phase(&history->check_ns, record, ESTIMATE_CHECK_KEY, ESTIMATE_CHECKS_KEY, 1);
	learn_phase(&history->layout_check_ns, record, ESTIMATE_ONCE_KEY, ESTIMATE_ONCES_KEY, 1);
}

double estimate_of_cell(const struct plan *plan, const double *by_cell, size_t cell)
{
	double sum[2] = {0}, known[2] = {0};

	if (by_cell[cell] > 0)
		return by_cell[cell];
	for (size_t i = 0; i < plan->cell_count; i++) {
		bool same = plan->cells[i].workload == plan->cells[cell].workload;

		if (by_cell[i] <= 0)
			continue;
		sum[0] += by_cell[i];
		known[0]++;
		sum[1] += same ? by_cell[i] : 0;
		known[1] += same;
	}
	return known[1] > 0 ? sum[1] / known[1] : known[0] > 0 ? sum[0] / known[0] : 0;
}

/* Is everything known that the plan needs? Then older records need not be read. */
static bool all_known(const struct estimate_history *history, const struct plan *plan)
{
	if (history->build_factor <= 0 || history->link_ns <= 0)
		return false;
	for (size_t i = 0; i < plan->cell_count; i++)
		if (plan->cells[i].reason == NULL && (history->build_ns[i] <= 0 || history->round_ns[i] <= 0))
			return false;
	return true;
}

static void learn_file(struct session *session, struct estimate_history *history, const char *path)
{
	struct arena arena = {0};
	struct record *record = NULL;
	uint64_t samples;

	if (record_read_head_file(path, &arena, &record, &samples, NULL) == 0) {
		estimate_learn(history, &session->plan, record, session_settings(session).sample_ns);
		record_release(record);
	}
	arena_release(&arena);
}

/* What cannot be read is no reason not to plan: figures stay rough. */
static void learn(struct session *session, struct estimate_history *history)
{
	struct archive archive;
	struct archive_entries entries = {0};
	size_t looked_at = 0;

	if (session->host_name == NULL ||
		archive_open(&archive, session->arena, session->archive_folder, false, NULL) != 0 ||
		archive_list(&archive, &entries, NULL) != 0)
		return;
	for (size_t i = entries.n; i > 0 && looked_at < PREVIOUS_RECORDS; i--) {
		if (!text_same(entries.v[i - 1].host, session->host_name))
			continue;
		if (all_known(history, &session->plan))
			break;
		learn_file(session, history, entries.v[i - 1].path);
		looked_at++;
	}
}

/* The first cell with this build: cells that differ in copies or args share theirs. */
static bool is_first_of_build(const struct plan *plan, size_t cell)
{
	const struct plan_cell *own = &plan->cells[cell];

	for (size_t i = cell; i > 0; i--) {
		const struct plan_cell *other = &plan->cells[i - 1];

		if (other->workload != own->workload || other->slot != own->slot)
			return true;
		if (other->reason == NULL && other->slot == own->slot && other->variant == own->variant)
			return false;
	}
	return true;
}

/*
 * Arms of each cell: two where the A/A check needs a second one, as links.c does it; pairs that come for free are not
 * known before the builds. In the arena.
 */
static uint32_t *count_arms(const struct session *session)
{
	const struct plan *plan = &session->plan;
	uint32_t *arms = arena_array(session->arena, plan->cell_count, sizeof(*arms));
	bool averaged = session_settings(session).layouts_min >= STATS_MIN_LAYOUTS, all = session->options.aa;
	size_t pairs = 0;

	for (size_t i = 0; i < plan->cell_count; i++)
		arms[i] = 1;
	for (size_t t = 0; t < plan->slot_count && averaged && (all || pairs < STATS_AA_MIN_PAIRS); t++) {
		const struct spec_workload *last = NULL;

		for (size_t i = 0; i < plan->cell_count; i++) {
			const struct plan_cell *cell = &plan->cells[i];

			if (cell->reason != NULL || !cell->baseline || cell->workload == last ||
				cell->slot != &plan->slots[t])
				continue;
			if (t > 0 && !all && pairs >= STATS_AA_MIN_PAIRS)
				break;
			last = cell->workload;
			pairs++;
			arms[i] = 2;
		}
	}
	return arms;
}

/* What the builds and links cost that are not in the cache. */
static void estimate_builds(const struct session *session, const struct estimate_history *history,
	const uint32_t *arms_of, struct session_estimate *out)
{
	const struct plan *plan = &session->plan;
	struct measure_settings settings = session_settings(session);
	double jobs = session_jobs(session), work = 0, link = history->link_ns;
	double factor = history->build_factor > 0 ? history->build_factor : rough_factor;
	size_t missing = 0;

	link = link > 0 ? link : rough_link_ns;
	out->builds_known = history->link_ns > 0;
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct build *build = &session->builds[i];
		double known = estimate_of_cell(plan, history->build_ns, i);
		uint32_t arms = arms_of[i];

		if (plan->cells[i].reason != NULL || !is_first_of_build(plan, i))
			continue;
		out->builds++;
		out->cached += build->cached;
		out->builds_known &= build->cached || known > 0;
		known = known > 0 ? known
				  : rough_source_ns * (double)plan->cells[i].workload->sources.n +
					    rough_link_ns;
		work += build->cached ? 0 : known;
		out->links += (size_t)arms * settings.layouts_min;
		for (uint32_t k = 0; k < arms * settings.layouts_min; k++)
			missing += session->bundle == NULL && !builder_has_layout(build, k % arms, k / arms);
	}
	out->links_cached = out->links - missing;
	out->builds_known |= missing == 0 && out->cached == out->builds;
	out->build_ns = (int64_t)((work * factor + link * (double)missing) / jobs);
	/* the budget ends links but for the first 8 of each build */
	if (settings.build_budget_ns > 0 && out->build_ns > settings.build_budget_ns) {
		double least = work * factor / jobs;

		if (missing > 0 && settings.layouts_min > STATS_MIN_LAYOUTS)
			least += link * (double)missing / jobs * STATS_MIN_LAYOUTS / settings.layouts_min;
		out->build_ns =
			settings.build_budget_ns > (int64_t)least ? settings.build_budget_ns : (int64_t)least;
	}
}

/* Checks of new builds, and a few runs of each cell to calibrate, or of each workload to see that old units fit. */
static void estimate_prepare(
	const struct session *session, const struct estimate_history *history, struct session_estimate *out)
{
	const struct plan *plan = &session->plan;
	double sample = (double)session_settings(session).sample_ns, sum = 0;
	double check = history->check_ns > 0 ? history->check_ns : rough_check_ns;

	for (size_t i = 0; i < plan->cell_count; i++) {
		bool known = estimate_of_cell(plan, history->round_ns, i) > 0;

		if (plan->cells[i].reason != NULL)
			continue;
		sum += session->builds[i].cached ? 0 : check;
		if (!known)
			sum += CALIBRATION_RUNS * (CALIBRATION_LENGTH * sample + rough_process_ns);
	}
	out->prepare_ns = (int64_t)sum;
}

/* Rounds, and the checks of all links at their first use. Returns the longest block. */
static int64_t estimate_measuring(const struct session *session, const struct estimate_history *history,
	const uint32_t *arms_of, struct session_estimate *out)
{
	const struct plan *plan = &session->plan;
	struct measure_settings settings = session_settings(session);
	double rough = rough_sample_part * (double)settings.sample_ns + rough_process_ns;
	double round = 0, block = 0, longest = 0, checks = 0;
	double check = history->layout_check_ns > 0 ? history->layout_check_ns : rough_check_ns;
	uint32_t looks[8];

	plan_looks(settings.rounds_min, settings.rounds_max, looks);
	out->first_look = looks[0];
	out->rounds_known = plan->possible > 0;
	for (size_t i = 0; i < plan->cell_count; i++) {
		double known = estimate_of_cell(plan, history->round_ns, i);

		if (i == 0 || plan->cells[i].workload != plan->cells[i - 1].workload)
			block = 0;
		if (plan->cells[i].reason != NULL)
			continue;
		out->rounds_known &= known > 0;
		block += (known > 0 ? known : rough) * arms_of[i];
		round += (known > 0 ? known : rough) * arms_of[i];
		if (plan->cells[i].workload->check_value != NULL && plan->cells[i].args[0] == '\0')
			checks += check * arms_of[i];
		longest = block > longest ? block : longest;
	}
	out->first_look_ns =
		(int64_t)(round * looks[0] +
			  checks * (looks[0] < settings.layouts_min ? looks[0] : settings.layouts_min));
	out->measure_ns = (int64_t)(round * settings.rounds_max + checks * settings.layouts_max);
	if (settings.budget_ns > 0 && out->measure_ns > settings.budget_ns)
		out->measure_ns = settings.budget_ns;
	else /* all rounds: what they take is estimated, too; and more layouts may be linked */
		out->measure_ns += (int64_t)((double)out->measure_ns * room);
	if (settings.budget_ns > 0 && out->measure_ns > settings.budget_ns)
		out->measure_ns = settings.budget_ns;
	return (int64_t)longest;
}

void estimate_bounds(struct session_estimate *estimate, int64_t block_ns)
{
	double before = (double)estimate->build_ns + (double)estimate->prepare_ns;
	int64_t first = estimate->first_look_ns < estimate->measure_ns ? estimate->first_look_ns
								       : estimate->measure_ns;

	estimate->shortest_ns = (int64_t)((1 - room) * (before + (double)first));
	estimate->longest_ns = (int64_t)((1 + room) * before) + SESSION_SETTLE_NS + start_ns +
			       estimate->measure_ns + block_ns;
}

void session_estimate(struct session *session, struct session_estimate *estimate)
{
	size_t cells = session->plan.cell_count;
	struct estimate_history history = {.build_ns = arena_array(session->arena, cells, sizeof(double)),
		.round_ns = arena_array(session->arena, cells, sizeof(double))};
	bool few = cells <= CELLS_MOST;
	const uint32_t *arms;

	*estimate = (struct session_estimate){.looked_up = few && session_look_up(session, NULL) == 0};
	if (!estimate->looked_up) /* what can't be built is told by who builds */
		session->builds = arena_array(session->arena, cells, sizeof(*session->builds));
	if (few)
		learn(session, &history);
	arms = count_arms(session);
	estimate_builds(session, &history, arms, estimate);
	estimate_prepare(session, &history, estimate);
	estimate_bounds(estimate, estimate_measuring(session, &history, arms, estimate));
}
