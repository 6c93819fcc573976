#include "spec/matrix.h"

#include <string.h>

/* Between 1 and this many layouts nothing can be said about placement, since their spread is not known well enough. */
enum { LAYOUTS_LEAST = 8, ROUNDS_LEAST = 6 };
/* A counted round takes twice the time of another one. */
enum { COUNTED_SOME = 16 };

struct draft {
	struct spec_measure m;
	uint32_t layouts[2], rounds[2];
};

/* `none`, or a duration. */
static void read_budget(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
	const struct key duration = {key->name, KEY_DURATION, .min = 1e9, .max = 30 * 86400e9,
		.form = "a duration, such as 90s, 20m or 2h, or `none`"};
	int64_t *field = (int64_t *)(void *)((char *)target + key->offset);

	if (node->kind == NODE_TEXT && strcmp(node->text, "none") == 0)
		*field = 0;
	else
		read_value(reader, &duration, node, field);
}

/* In which rounds each sample is followed by a run with the kernel's and the CPU's counters on. */
static void read_counters(struct reader *reader, const struct key *key, const struct node *node, void *target)
{
	static const char *const choices[] = {"some", "all", "off", NULL};
	static const uint32_t rounds[] = {COUNTED_SOME, 1, 0};
	const struct key choice = {key->name, KEY_CHOICE, .choices = choices, .form = "some, all or off"};
	const char *chosen = NULL;

	read_value(reader, &choice, node, &chosen);
	for (size_t i = 0; chosen != NULL && choices[i] != NULL; i++)
		if (strcmp(chosen, choices[i]) == 0)
			*(uint32_t *)(void *)((char *)target + key->offset) = rounds[i];
}

static const struct key measure_keys[] = {
	{.name = "sample",
		.type = KEY_DURATION,
		.offset = offsetof(struct draft, m.sample_ns),
		.min = 100e3,
		.max = 60e9},
	{.name = "layouts",
		.type = KEY_RANGE,
		.offset = offsetof(struct draft, layouts),
		.min = 1,
		.max = 1024,
		.form = "1, or a number or range from 8, such as 16 or 16..64"},
	{.name = "rounds",
		.type = KEY_RANGE,
		.offset = offsetof(struct draft, rounds),
		.min = ROUNDS_LEAST,
		.max = 1e6,
		.form = "a number or range from 6, such as 16..256"},
	{.name = "precision",
		.type = KEY_PERCENT,
		.offset = offsetof(struct draft, m.precision),
		.min = 0.0001,
		.max = 0.5},
	{.name = "matters",
		.type = KEY_PERCENT,
		.offset = offsetof(struct draft, m.matters),
		.min = 0.0001,
		.max = 0.5},
	{.name = "budget",
		.type = KEY_READ,
		.offset = offsetof(struct draft, m.budget_ns),
		.read = read_budget},
	{.name = "build_budget",
		.type = KEY_READ,
		.offset = offsetof(struct draft, m.build_budget_ns),
		.read = read_budget},
	{.name = "timeout",
		.type = KEY_DURATION,
		.offset = offsetof(struct draft, m.timeout_ns),
		.min = 1e6,
		.max = 86400e9},
	{.name = "counters",
		.type = KEY_READ,
		.offset = offsetof(struct draft, m.counted_rounds),
		.read = read_counters},
};

struct spec_measure spec_measure_defaults(void)
{
	return (struct spec_measure){
		.sample_ns = 5000000,
		.layouts_min = 16,
		.layouts_max = 64,
		.rounds_min = 16,
		.rounds_max = 256,
		.precision = 0.01,
		.matters = 0.005,
		.counted_rounds = COUNTED_SOME,
	};
}

/* A range whose key is there, but that was not read, is wrong and complained about already. */
static bool is_wrong(const struct node *range, const uint32_t *value)
{
	return range != NULL && value[1] == 0;
}

static void check_layouts(struct reader *reader, const struct node *node, const struct draft *read,
	const struct spec_measure *m)
{
	const struct node *layouts = node_get(node, "layouts"), *rounds = node_get(node, "rounds");

	if (is_wrong(layouts, read->layouts) || m->layouts_max == 1)
		return;
	if (m->layouts_min < LAYOUTS_LEAST) {
		spec_error(reader->errors, layouts->place,
			"`layouts`: %s has fewer than 8, from which nothing can be said about placement; "
			"write 1 (placement "
			"is not averaged) or at least 8",
			layouts->text);
		return;
	}
	if (is_wrong(rounds, read->rounds))
		return;
	/* each round measures one layout: with fewer rounds some are never seen */
	if (m->rounds_min < LAYOUTS_LEAST || m->rounds_max < m->layouts_min)
		spec_error(reader->errors, (rounds != NULL ? rounds : layouts)->place,
			"`rounds`: %u..%u are too few for %u layouts, since each round measures one; write "
			"rounds from 8 up to "
			"at least %u, or `layouts: 1`",
			m->rounds_min, m->rounds_max, m->layouts_min, m->layouts_min);
}

void matrix_read_measure(struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	struct spec_measure *out = &((struct spec_matrix *)matrix)->measure;
	struct draft draft = {.m = *out}; /* no range is read so far: both are 0 */

	(void)key;
	read_map(reader, node, "`measure`", KEYS(measure_keys), &draft);
	if (draft.layouts[1] > 0) {
		draft.m.layouts_min = draft.layouts[0];
		draft.m.layouts_max = draft.layouts[1];
	}
	if (draft.rounds[1] > 0) {
		draft.m.rounds_min = draft.rounds[0];
		draft.m.rounds_max = draft.rounds[1];
	}
	check_layouts(reader, node, &draft, &draft.m);
	*out = draft.m;
}
