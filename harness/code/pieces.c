#include "code/pieces.h"

#include "code/step.h"

enum {
	ALIGNED = 8,	 /* the least that compilers align jumps' targets to */
	JUMPED_OVER = 20 /* bytes of fillers that a processor would rather not go through one by one */
};

/* The piece that has the byte at `place`; NULL: none. */
struct piece *pieces_at(const struct pieces *pieces, uint64_t place)
{
	size_t low = 0, high = pieces->n;
	struct piece *found;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (pieces->v[mid].at <= place)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	found = &pieces->v[low - 1];
	return place - found->at < found->size ? found : NULL;
}

void pieces_mark(const struct pieces *pieces, uint64_t place)
{
	struct piece *piece = pieces_at(pieces, place);

	if (piece != NULL)
		piece->target = true;
}

/* Is this run of fillers, from `first` to before `end`, there for what follows it? */
static bool is_padding(const struct pieces *pieces, size_t first, size_t end)
{
	const struct piece *before = first > 0 ? &pieces->v[first - 1] : NULL;
	const struct piece *last = &pieces->v[end - 1], *next;
	bool cut_off;

	if (before == NULL || before->region != last->region)
		return false; /* at the start of a function */
	cut_off = before->kind == STEP_END || before->kind == STEP_CALL;
	if (end == pieces->n || pieces->v[end].region != last->region)
		return cut_off;
	next = &pieces->v[end];
	return next->at % ALIGNED == 0 && (next->target || cut_off);
}

/* Assemblers jump over a long run of fillers: that jump is one, too. */
static bool is_jump_over(const struct pieces *pieces, size_t first, size_t end)
{
	const struct piece *jump = &pieces->v[first - 1];

	return end < pieces->n && jump->kind == STEP_END && jump->to == pieces->v[end].at &&
	       pieces->v[end].at - pieces->v[first].at >= JUMPED_OVER;
}

static void drop(struct pieces *pieces)
{
	size_t first = 0;

	while (first < pieces->n) {
		size_t end = first;
		bool padding;

		while (end < pieces->n && pieces->v[end].kind == STEP_FILL &&
			pieces->v[end].region == pieces->v[first].region)
			end++;
		if (end == first) {
			first++;
			continue;
		}
		padding = is_padding(pieces, first, end);
		if (padding && is_jump_over(pieces, first, end))
			pieces->v[first - 1].dropped = true;
		for (; first < end; first++)
			pieces->v[first].dropped |= padding;
	}
}

static void number(struct pieces *pieces)
{
	uint32_t order = 0, region = UINT32_MAX;

	for (size_t i = 0; i < pieces->n; i++) {
		struct piece *piece = &pieces->v[i];

		if (piece->region != region)
			order = 0;
		region = piece->region;
		piece->order = order;
		order += !piece->dropped;
	}
	order = 0;
	region = pieces->regions;
	for (size_t i = pieces->n; i-- > 0;) {
		struct piece *piece = &pieces->v[i];

		if (piece->dropped) {
			piece->order = order;
			piece->region = region;
		}
		order = piece->order;
		region = piece->region;
	}
}

void pieces_finish(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->n; i++)
		if (pieces->v[i].to != PIECE_NOWHERE)
			pieces_mark(pieces, pieces->v[i].to);
	drop(pieces);
	number(pieces);
}

void pieces_release(struct pieces *pieces)
{
	vec_release(pieces);
}

void pieces_spot(const struct pieces *pieces, uint64_t place, struct pieces_spot *spot)
{
	const struct piece *piece = pieces_at(pieces, place);

	if (piece == NULL) {
		const struct piece *last = &pieces->v[pieces->n - 1];

		*spot = (struct pieces_spot){
			.region = pieces->regions, .rest = (int64_t)(place - (last->at + last->size))};
		return;
	}
	*spot = (struct pieces_spot){.region = piece->region,
		.order = piece->order,
		.rest = piece->dropped ? 0 : (int64_t)(place - piece->at)};
}
