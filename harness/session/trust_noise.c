#include "session/trust.h"

#include <math.h>

#include "base/mem.h"

/*
 * Noise as machines make it. All kinds but the recordings are made in the order in which samples would be taken: a
 * round is its cells in random order, and what lasts longer than a sample reaches its neighbours.
 */

enum { STRETCH = 64 }; /* rounds taken together from a recording: bursts and dependence stay whole */

static const double two_pi = 6.283185307179586;

const char *trust_kind_text(enum trust_kind kind)
{
	static const char *const texts[TRUST_KINDS] = {
		"recorded", "independent", "drift", "two modes", "bursts", "heavy tail", "autocorrelated"};

	return texts[kind];
}

/* Box and Muller, Annals of Mathematical Statistics 29 (1958); one of the two is thrown away. */
double trust_normal(struct rng *rng)
{
	double radius = sqrt(-2 * log(1 - rng_unit(rng)));

	return radius * cos(two_pi * rng_unit(rng));
}

static void shuffled(struct rng *rng, uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	rng_shuffle(rng, order, n);
}

static void from_recording(
	const struct trust_recording *from, struct rng *rng, size_t rounds, size_t cells, double *out)
{
	uint32_t *column = mem_alloc_array(from->columns, sizeof(*column));
	size_t longest = from->rounds < STRETCH ? from->rounds : STRETCH;
	size_t start = 0, left = 0;

	for (size_t r = 0; r < rounds; r++, start++, left--) {
		if (left == 0) {
			/* columns of equal work differ by chance over a whole recording: fresh places make them equal */
			shuffled(rng, column, from->columns);
			left = longest;
			start = rng_below(rng, from->rounds - longest + 1);
		}
		for (size_t c = 0; c < cells; c++)
			out[r * cells + c] = from->log_time[start * from->columns + column[c]];
	}
	mem_free(column);
}

/* What a kind remembers from one sample to the next. */
struct memory {
	double at, length; /* number of this sample, and of all */
	double last;	   /* autocorrelated */
	double burst;	   /* strength of the present one, 0: none */
};

static double heavy_tail(struct rng *rng)
{
	/* t with 2 degrees of freedom by its quantile function */
	double p = rng_unit(rng);

	p = p > 0 ? p : 0.5;
	return (2 * p - 1) / sqrt(2 * p * (1 - p));
}

static double burst(struct memory *memory, struct rng *rng)
{
	if (memory->burst > 0 && rng_unit(rng) < 1.0 / 60)
		memory->burst = 0;
	else if (memory->burst <= 0 && rng_unit(rng) < 1.0 / 600)
		memory->burst = -0.15 * log(1 - rng_unit(rng));
	return memory->burst > 0 ? memory->burst * (0.5 + rng_unit(rng)) : 0;
}

static double sample(enum trust_kind kind, struct memory *memory, struct rng *rng)
{
	double noise = trust_normal(rng);

	switch (kind) {
	case TRUST_DRIFT:
		return 0.01 * noise + 0.10 * memory->at / memory->length +
		       0.05 * sin(two_pi * memory->at / 1000);
	case TRUST_MODES:
		return 0.005 * noise + (rng_unit(rng) < 0.3 ? 0.08 : 0);
	case TRUST_BURSTS:
		return 0.007 * noise + burst(memory, rng);
	case TRUST_HEAVY_TAIL:
		return 0.01 * heavy_tail(rng);
	case TRUST_AUTOCORRELATED:
		memory->last = 0.6 * memory->last + 0.8 * 0.02 * noise;
		return memory->last;
	case TRUST_RECORDED:
	case TRUST_INDEPENDENT:
	case TRUST_KINDS:
		break;
	}
	return 0.015 * noise;
}

void trust_noise(enum trust_kind kind, const struct trust_recording *recording, struct rng *rng,
	size_t rounds, size_t cells, double *log_time)
{
	struct memory memory = {.length = (double)(rounds * cells)};
	uint32_t *order;

	if (kind == TRUST_RECORDED) {
		from_recording(recording, rng, rounds, cells, log_time);
		return;
	}
	order = mem_alloc_array(cells, sizeof(*order));
	for (size_t r = 0; r < rounds; r++) {
		shuffled(rng, order, cells);
		for (size_t i = 0; i < cells; i++) {
			log_time[r * cells + order[i]] = sample(kind, &memory, rng);
			memory.at++;
		}
	}
	mem_free(order);
}
