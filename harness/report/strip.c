#include "report/strip.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "stats/describe.h"

#define FAR_OUT 3.0 /* interquartile ranges beyond the quartiles */

enum { WIDTH_LEAST = 20, SOME = 2, MANY = 4 };

/* One place of the picture. */
struct place {
	uint32_t all, marked;
	bool above, below;
};

struct picture {
	const struct strip *strip;
	struct arena arena;
	double lo, hi;	 /* ends of the scale */
	double min, max; /* of all values */
	size_t rows, columns;
	uint32_t first, last; /* rounds */
	struct place *places; /* row by row */
	const char *labels[STRIP_ROWS];
	size_t label_width;
};

static const struct {
	enum strip_sign sign;
	const char *unicode, *ascii, *meaning;
} signs_known[] = {{STRIP_ONE, "·", ".", "one sample"}, {STRIP_SOME, "•", "o", "2 or 3"},
	{STRIP_MANY, "●", "@", "4 and more"}, {STRIP_MARKED, "×", "x", "half of them or more were disturbed"},
	{STRIP_ABOVE, "▲", "^", "above the scale"}, {STRIP_BELOW, "▼", "v", "below it"}};

enum { SIGNS = sizeof(signs_known) / sizeof(signs_known[0]) };

/* --- scale --- */

static void find_scale(struct picture *p)
{
	const struct strip *strip = p->strip;
	double *sorted = mem_alloc_array(strip->n, sizeof(*sorted));
	double q25, q75, fence;
	size_t low = 0, high = strip->n - 1;

	for (size_t i = 0; i < strip->n; i++)
		sorted[i] = strip->v[i].value;
	stats_sort(sorted, strip->n);
	q25 = stats_quantile_sorted(sorted, strip->n, 0.25);
	q75 = stats_quantile_sorted(sorted, strip->n, 0.75);
	fence = FAR_OUT * (q75 - q25);
	p->min = sorted[0];
	p->max = sorted[strip->n - 1];
	/* where most values are equal there is no measure of what is far */
	while (fence > 0 && sorted[low] < q25 - fence)
		low++;
	while (fence > 0 && sorted[high] > q75 + fence)
		high--;
	p->lo = sorted[low];
	p->hi = sorted[high];
	mem_free(sorted);
}

static size_t row_of(const struct picture *p, double value)
{
	double part;

	if (p->rows == 1 || value >= p->hi)
		return 0;
	if (value <= p->lo)
		return p->rows - 1;
	part = (p->hi - value) / (p->hi - p->lo);
	return (size_t)(part * (double)(p->rows - 1) + 0.5);
}

/* --- labels --- */

static const char *label_text(struct picture *p, const char *word, double value, bool with_unit)
{
	struct buf out = {0};
	char *text;

	buf_addf(&out, "%s%s", word, word[0] != '\0' ? " " : "");
	num_quantity(&out, value, p->strip->median, with_unit ? p->strip->unit : "");
	text = arena_strdup(&p->arena, buf_text(&out));
	while (text_ends(text, " ")) /* a number without its unit */
		text[strlen(text) - 1] = '\0';
	buf_release(&out);
	return text;
}

static void set_label(struct picture *p, const char *word, double value, bool with_unit)
{
	size_t row = row_of(p, value);

	if (p->labels[row] == NULL)
		p->labels[row] = label_text(p, word, value, with_unit);
}

/* Ends first, then what says most of the rest: a row has one label. */
static void set_labels(struct picture *p, bool with_unit)
{
	const struct strip *strip = p->strip;

	memset(p->labels, 0, sizeof(p->labels));
	if (p->rows == 1) {
		set_label(p, "", p->hi, with_unit);
	} else {
		set_label(p, p->hi < p->max ? "" : "max", p->hi, with_unit);
		set_label(p, p->lo > p->min ? "" : "min", p->lo, with_unit);
		if (strip->has_modes) {
			set_label(p, "mode", strip->mode_high, with_unit);
			set_label(p, "mode", strip->mode_low, with_unit);
		}
		set_label(p, "median", strip->median, with_unit);
	}
	p->label_width = 0;
	for (size_t r = 0; r < p->rows; r++)
		if (p->labels[r] != NULL && text_width(p->labels[r]) > p->label_width)
			p->label_width = text_width(p->labels[r]);
}

/* Half of the width is the most that labels get: without their unit, or not at all. */
static void fit_labels(struct picture *p, unsigned width)
{
	set_labels(p, true);
	if (p->label_width > width / 2)
		set_labels(p, false);
	if (p->label_width > width / 2) {
		memset(p->labels, 0, sizeof(p->labels));
		p->label_width = 0;
	}
}

/* --- places --- */

static void place_samples(struct picture *p)
{
	uint64_t span = (uint64_t)p->last - p->first + 1;

	p->places = arena_array(&p->arena, p->rows * p->columns, sizeof(*p->places));
	for (size_t i = 0; i < p->strip->n; i++) {
		const struct strip_sample *sample = &p->strip->v[i];
		size_t column = (size_t)((uint64_t)(sample->round - p->first) * p->columns / span);
		struct place *place = &p->places[row_of(p, sample->value) * p->columns + column];

		place->all++;
		place->marked += sample->marked;
		place->above |= sample->value > p->hi;
		place->below |= sample->value < p->lo;
	}
}

static enum strip_sign sign_of(const struct place *place)
{
	if (place->above)
		return STRIP_ABOVE;
	if (place->below)
		return STRIP_BELOW;
	if (2 * place->marked >= place->all)
		return STRIP_MARKED;
	return place->all >= MANY ? STRIP_MANY : place->all >= SOME ? STRIP_SOME : STRIP_ONE;
}

static const char *sign_text(enum strip_sign sign, bool unicode)
{
	size_t i = 0;

	while (signs_known[i].sign != sign)
		i++;
	return unicode ? signs_known[i].unicode : signs_known[i].ascii;
}

/* --- lines --- */

static void spaces(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_addc(out, ' ');
}

static void add_row(const struct picture *p, size_t row, struct buf *out, unsigned *signs)
{
	const char *label = p->labels[row] != NULL ? p->labels[row] : "";
	size_t gap = 0;

	spaces(out, p->label_width - text_width(label));
	buf_addf(out, "%s%s%s", label, p->label_width > 0 ? " " : "", p->strip->unicode ? "│" : "|");
	for (size_t c = 0; c < p->columns; c++) {
		const struct place *place = &p->places[row * p->columns + c];
		enum strip_sign sign;

		if (place->all == 0) {
			gap++;
			continue;
		}
		sign = sign_of(place);
		spaces(out, gap);
		gap = 0;
		buf_adds(out, sign_text(sign, p->strip->unicode));
		*signs |= sign;
	}
	buf_addc(out, '\n');
}

/* Where the rounds begin and end, the end as far right as its column. */
static void add_rounds(struct picture *p, struct buf *out)
{
	const char *first = arena_printf(&p->arena, "round %u", p->first);
	const char *last = arena_printf(&p->arena, "%u", p->last);
	size_t room = strlen(first) + 1 + strlen(last);

	spaces(out, p->label_width + (p->label_width > 0) + 1);
	buf_adds(out, first);
	if (p->last > p->first) {
		spaces(out, p->columns > room ? p->columns - room + 1 : 1);
		buf_adds(out, last);
	}
	buf_addc(out, '\n');
}

static void find_rounds(struct picture *p)
{
	p->first = UINT32_MAX;
	for (size_t i = 0; i < p->strip->n; i++) {
		uint32_t round = p->strip->v[i].round;

		p->first = round < p->first ? round : p->first;
		p->last = round > p->last ? round : p->last;
	}
}

void strip_draw(const struct strip *strip, struct buf *out, unsigned *signs)
{
	unsigned width = strip->width > WIDTH_LEAST ? strip->width : WIDTH_LEAST;
	struct picture p = {.strip = strip};
	uint64_t span;

	if (strip->n == 0)
		return;
	find_scale(&p);
	find_rounds(&p);
	p.rows = p.lo < p.hi ? STRIP_ROWS : 1;
	fit_labels(&p, width);
	p.columns = width - p.label_width - (p.label_width > 0) - 1;
	span = (uint64_t)p.last - p.first + 1;
	if (span < p.columns)
		p.columns = (size_t)span;
	place_samples(&p);
	for (size_t r = 0; r < p.rows; r++)
		add_row(&p, r, out, signs);
	add_rounds(&p, out);
	arena_release(&p.arena);
}

void strip_legend(unsigned signs, bool unicode, struct buf *out)
{
	bool any = false;

	buf_adds(out, "A place in the pictures is ");
	for (size_t i = 0; i < SIGNS; i++) {
		if (!(signs & signs_known[i].sign))
			continue;
		buf_addf(out, "%s%s %s", any ? ", " : "",
			unicode ? signs_known[i].unicode : signs_known[i].ascii, signs_known[i].meaning);
		any = true;
	}
	buf_adds(out, "; a column is a round, or several.");
}
