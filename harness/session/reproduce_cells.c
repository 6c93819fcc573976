#include <string.h>

#include "base/mem.h"
#include "session/reproduce_work.h"

/* Builds and layouts made again, held against those of the record. */

const char *reproduce_outcome_text(enum reproduce_outcome outcome)
{
	static const char *const texts[] = {
		"same file", "same code", "other code", "could not", "nothing to compare"};

	return texts[outcome];
}

static bool was_built(const struct record_build *build)
{
	return build->content_hash != NULL &&
	       (build->status == CELL_BUILT || build->status == CELL_MEASURED ||
		       build->status == CELL_CHECK_FAILED || build->status == CELL_RUN_FAILED);
}

/* The cell of the session's plan; SIZE_MAX: none. */
static size_t cell_now(const struct session *session, const char *name)
{
	for (size_t i = 0; i < session->plan.cell_count; i++)
		if (strcmp(session->plan.cells[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static bool is_wanted(const struct reproducing *r, const char *cell)
{
	const struct words *only = &r->options->session->only;

	for (size_t i = 0; i < only->n; i++)
		if (plan_cell_matches(only->v[i], cell))
			return true;
	return only->n == 0;
}

/* Layouts that the record lists, of all builds that came out; layout 0 of each in any case. */
static int link_them(struct reproducing *r, struct build_layout **out, size_t *n, struct error *e)
{
	struct session *session = r->session;
	VEC(struct build_layout) wanted = {0};
	int result = 0;

	for (size_t i = 0; i < r->record->build_count; i++) {
		const struct record_build *then = &r->record->builds[i];
		size_t cell = cell_now(session, then->cell);
		bool first = false;

		if (cell == SIZE_MAX || !session->builds[cell].ok)
			continue;
		for (size_t k = 0; k < then->layout_count; k++) {
			const struct record_layout *layout = &then->layouts[k];

			if (layout->arm >= BUILD_ARMS || layout->layout >= BUILD_LAYOUTS)
				continue;
			first |= layout->arm == 0 && layout->layout == 0;
			vec_push(&wanted, (struct build_layout){.build = &session->builds[cell],
						  .arm = layout->arm,
						  .layout = layout->layout});
		}
		if (!first)
			vec_push(&wanted, (struct build_layout){.build = &session->builds[cell]});
	}
	*n = wanted.n;
	*out = arena_array(r->arena, wanted.n, sizeof(**out));
	if (wanted.n > 0) {
		memcpy(*out, wanted.v, wanted.n * sizeof(**out));
		result = builder_link(session->builder, *out, *n, 0, e);
	}
	vec_release(&wanted);
	return result;
}

/* How many of the record's layouts came out as the same file. */
static void count_layouts(const struct record_build *then, const struct build *now,
	const struct build_layout *layouts, size_t n, struct reproduce_cell *cell)
{
	for (size_t k = 0; k < then->layout_count; k++) {
		cell->layouts++;
		for (size_t i = 0; i < n; i++) {
			if (layouts[i].build != now || layouts[i].arm != then->layouts[k].arm ||
				layouts[i].layout != then->layouts[k].layout)
				continue;
			cell->layouts_same += layouts[i].path != NULL &&
					      text_same(layouts[i].sha256, then->layouts[k].sha256);
			break;
		}
	}
}

static bool functions_same(const struct source_functions *f)
{
	return f->reason == NULL && f->same > 0 && f->differ_count == 0 && f->only_a_count == 0 &&
	       f->only_b_count == 0 && f->untold == 0 && f->unread == 0;
}

/* What the compiler made of the flags, and the flags themselves. */
static void compare_facts(const struct reproducing *r, const struct facts *then, const struct facts *now,
	struct reproduce_cell *cell)
{
	for (size_t i = 0; i < then->n; i++) {
		const char *key = then->v[i].key, *before = then->v[i].value;
		const char *after = facts_value(now, key);

		if ((!text_starts(key, "resolved.") && !text_ends(key, "flags")) || before == NULL ||
			after == NULL || strcmp(before, after) == 0)
			continue;
		words_addf(&cell->differs, r->arena, "%s: was \"%.60s\", is \"%.60s\"", key, before, after);
	}
}

static void judge(const struct reproducing *r, const struct record_build *then,
	const struct record_build *now, struct reproduce_cell *cell)
{
	sources_functions(then, now, r->arena, &cell->functions);
	compare_facts(r, &then->facts, &now->facts, cell);
	cell->code_hash_before = then->code_hash;
	cell->code_hash_now = now->code_hash;
	cell->content_hash_before = then->content_hash;
	cell->content_hash_now = now->content_hash;
	cell->same_inputs = text_same(then->content_hash, now->content_hash);
	if (cell->layouts > 0 && cell->layouts_same == cell->layouts) {
		cell->outcome = REPRODUCE_SAME_FILE;
	} else if (then->code_hash != NULL && text_same(then->code_hash, now->code_hash)) {
		cell->outcome = REPRODUCE_SAME_CODE;
		cell->reason = cell->same_inputs ? "the programs' code and data are the same"
						 : "the canonical program's code and data are the same; "
						   "layouts are drawn from what "
						   "goes into a build, which differs";
	} else if (functions_same(&cell->functions)) {
		cell->outcome = REPRODUCE_SAME_CODE;
		cell->reason = "the workload's functions are the same; what is linked to them differs";
	} else {
		cell->outcome = REPRODUCE_OTHER_CODE;
		cell->reason = sources_brief(&cell->functions, r->arena);
	}
}

static void compare_cell(struct reproducing *r, const struct run *run, const struct record_build *then,
	const struct build_layout *layouts, size_t n, struct reproduce_cell *cell)
{
	const struct session *session = r->session;
	size_t at = cell_now(session, then->cell);
	const struct record_build *now = at != SIZE_MAX ? &run->record->builds[at] : NULL;

	*cell = (struct reproduce_cell){.cell = then->cell, .outcome = REPRODUCE_NOTHING};
	if (!was_built(then)) {
		cell->reason = arena_printf(r->arena, "the record has no build of it: %s",
			then->reason != NULL ? then->reason : cell_status_text(then->status));
		return;
	}
	cell->outcome = REPRODUCE_COULD_NOT;
	if (now == NULL)
		cell->reason = "the matrix has no such cell here: its workload or toolchain is missing";
	else if (!session->builds[at].ok)
		cell->reason = now->reason != NULL ? now->reason : "it was not built";
	else {
		count_layouts(then, &session->builds[at], layouts, n, cell);
		judge(r, then, now, cell);
	}
}

/* The builds as a record has them, for a comparison of like with like. */
static int describe(
	struct reproducing *r, struct run *run, struct build_layout **layouts, size_t *n, struct error *e)
{
	run->settings = session_settings(r->session);
	if (run_describe(run, NULL, e) != 0 || session_build(r->session, e) != 0)
		return -1;
	run_describe_builds(run);
	if (link_them(r, layouts, n, e) != 0)
		return -1;
	for (size_t i = 0; i < run->record->build_count; i++) { /* facts that the links set */
		if (run->record->builds[i].status == CELL_BUILT)
			facts_copy(&run->record->builds[i].facts, &r->session->builds[i].facts);
	}
	run_describe_functions(run);
	return 0;
}

int reproduce_cells(struct reproducing *r, struct error *e)
{
	struct run run = {.session = r->session, .arena = r->arena, .lock = {.fd = -1}};
	struct reproduction *out = r->out;
	struct build_layout *layouts = NULL;
	size_t n = 0;
	int result = describe(r, &run, &layouts, &n, e);

	out->cells = arena_array(r->arena, r->record->build_count, sizeof(*out->cells));
	for (size_t i = 0; i < r->record->build_count && result == 0; i++) {
		struct reproduce_cell *cell = &out->cells[out->cell_count];

		if (!is_wanted(r, r->record->builds[i].cell))
			continue;
		compare_cell(r, &run, &r->record->builds[i], layouts, n, cell);
		out->count[cell->outcome]++;
		out->cell_count++;
	}
	for (size_t i = 0; i < r->session->plan.cell_count && result == 0; i++)
		out->built |= r->session->builds[i].ok;
	if (run.record != NULL)
		record_release(run.record);
	return result;
}
