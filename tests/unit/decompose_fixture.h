/*
 * decompose_fixture.h - records made from a matrix with axes, whose cells have known effects.
 */
#ifndef TESTS_UNIT_DECOMPOSE_FIXTURE_H
#define TESTS_UNIT_DECOMPOSE_FIXTURE_H

#include "compare/decompose.h"
#include "compare_fixture.h"

#define DF_HEAD "workloads: [sort]\nslots: [gcc]\n"

/* A 2^3 design like the pilot plant's of Box, Hunter and Hunter: T, C, K with a low and a high value. */
#define DF_PILOT                                                                                             \
	DF_HEAD "baseline: t0+c0+k0\n"                                                                       \
		"axes:\n"                                                                                    \
		"  temperature: {t0: {cflags: -O1}, T: {cflags: -O2}}\n"                                     \
		"  concentration: {c0: {}, C: {cflags: -DC}}\n"                                              \
		"  catalyst: {k0: {}, K: {cflags: -DK, ldflags: -s}}\n"

/* A cell whose values are 100 e^effect, a little up and down by layout, in `rounds` rounds over 16 layouts. */
static inline uint32_t df_cell(struct fixture *f, const char *workload, const char *slot, const char *variant,
	bool baseline, double effect, double noise, uint32_t rounds)
{
	uint32_t b = cf_build(f, workload, slot, variant, baseline);

	for (uint32_t r = 0; r < rounds; r++)
		cf_sample(f, b, r, r % 16, 100 * exp(effect + noise * cf_sign(r % 16)));
	return b;
}

/* All eight cells of the pilot plant in standard order; yields are in thousandths over the first one's 60. */
static inline void df_pilot(struct fixture *f, const char *workload, const char *slot, double scale)
{
	static const char *const names[8] = {
		"t0+c0+k0", "T+c0+k0", "t0+C+k0", "T+C+k0", "t0+c0+K", "T+c0+K", "t0+C+K", "T+C+K"};
	static const double yield[8] = {60, 72, 54, 68, 52, 83, 45, 80};

	for (int i = 0; i < 8; i++)
		df_cell(f, workload, slot, names[i], i == 0, scale * (yield[i] - 60) / 1000, 0, 16);
	f->record->plan.matrix_text = DF_PILOT;
}

static inline const struct decompose_effect *df_effect(
	const struct decomposition *d, size_t group, size_t row, const char *kind, const char *label)
{
	for (size_t t = 0; t < d->term_count; t++) {
		const struct decompose_effect *effects = row < d->groups[group].row_count
								 ? d->groups[group].rows[row].effects
								 : d->groups[group].means;

		if (strcmp(decompose_kind_text(d->terms[t].kind), kind) == 0 &&
			strcmp(d->terms[t].label, label) == 0)
			return &effects[t];
	}
	fail_msg("there is no %s %s", kind, label);
	return NULL;
}

static inline void df_near(double x, double expected)
{
	if (!(fabs(x - expected) <= 1e-11 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", x, expected);
}

static inline void df_has(const char *text, const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", text ? text : "(null)", part);
}

static inline void df_split_as(struct fixture *f, struct decompose_options options, struct decomposition *d)
{
	struct error e = {0};

	if (decompose(f->record, &options, &f->arena, d, &e) != 0)
		fail_msg("%s", e.text);
}

static inline void df_split(struct fixture *f, struct decomposition *d)
{
	df_split_as(f, (struct decompose_options){0}, d);
}

static inline double df_effect_of(const struct decomposition *d, const char *kind, const char *label)
{
	return df_effect(d, 0, 0, kind, label)->c.effect;
}

/* The parts of a row (or the mean) against its whole. */
static inline void df_parts_add_up(const struct decompose_effect *effects, size_t parts)
{
	double sum = 0;

	for (size_t i = 0; i < parts; i++) {
		assert_true(effects[i].c.has_effect || effects[i].c.answer == ANSWER_SAME_CODE);
		sum += effects[i].c.effect;
	}
	df_near(sum, effects[parts].c.effect);
}

/* A game of n players becomes a matrix of n axes; v is ordered with the last axis turning fastest. */
static inline void df_play(struct fixture *f, unsigned n, const double *v)
{
	struct buf text = {0};

	cf_begin(f);
	buf_adds(&text, DF_HEAD "baseline: ");
	for (unsigned i = 0; i < n; i++)
		buf_addf(&text, "%so%u", i > 0 ? "+" : "", i);
	buf_adds(&text, "\naxes:\n");
	for (unsigned i = 0; i < n; i++)
		buf_addf(&text, "  a%u: {o%u: {}, p%u: {}}\n", i, i, i);
	f->record->plan.matrix_text = arena_strdup(&f->arena, buf_text(&text));
	for (unsigned s = 0; s < 1u << n; s++) {
		buf_clear(&text);
		for (unsigned i = 0; i < n; i++)
			buf_addf(&text, "%s%c%u", i > 0 ? "+" : "", (s >> (n - 1 - i) & 1) != 0 ? 'p' : 'o',
				i);
		df_cell(f, "sort", "gcc", arena_strdup(&f->arena, buf_text(&text)), s == 0, v[s], 0, 16);
	}
	buf_release(&text);
}

#endif
