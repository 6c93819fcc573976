#include "compare/elsewhere.h"

#include <string.h>

#include "base/num.h"
#include "record/json.h"
#include "stats/effect.h"

enum { CELLS_NAMED = 3 };

/* A record of the archive: its head. */
struct head {
	const struct archive_entry *entry;
	struct record *record;
	struct comparable_view *view;
};

struct pair;
struct search {
	const struct between *between;
	size_t side;
	struct arena *arena;
	struct head *heads;
	size_t n, unreadable;
	struct pair *pairs;
	size_t pair_count;
	struct words *sentences;
};

/* --- which records --- */

static bool is_host(const struct search *s, const struct archive_entry *entry)
{
	const struct between *between = s->between;
	const char *a = between->sides[between->baseline].runs[0].record->host_name;
	const char *b = between->sides[s->side].runs[0].record->host_name;

	return text_same(entry->host, a) || text_same(entry->host, b);
}

/* The newest of the two hosts that came to their end. */
static void read_heads(struct search *s, const struct archive_entries *entries)
{
	s->heads = arena_array(s->arena, ELSEWHERE_HEADS, sizeof(*s->heads));
	for (size_t i = entries->n; i-- > 0 && s->n < ELSEWHERE_HEADS;) {
		const struct archive_entry *entry = &entries->v[i];
		struct head *head = &s->heads[s->n];
		uint64_t samples;

		if (strcmp(entry->kind, "run") != 0 || entry->superseded || !entry->complete ||
			!is_host(s, entry))
			continue;
		if (record_read_head_file(entry->path, s->arena, &head->record, &samples, NULL) != 0) {
			s->unreadable++;
			continue;
		}
		head->entry = entry;
		head->view = comparable_view_of(head->record, s->arena);
		s->n++;
	}
}

/* --- which pairs --- */

/* Of things that change from run to run, and of how busy the machine was, nobody asks here. */
static bool is_passing(const struct comparable_fact *fact)
{
	return strcmp(fact->key, "load.1min") == 0;
}

/*
 * What alone differs between two runs of one machine: one fact, known on both sides. 0 different facts: *key NULL and
 * true; more: false.
 */
static bool differ_in_one(const struct head *a, const struct head *b, const char **key, struct arena *scratch)
{
	struct comparable found;

	*key = NULL;
	if (!comparable_same_machine(a->view, b->view))
		return false;
	comparable_records(a->view, b->view, AXIS_TIME, scratch, &found);
	for (size_t i = 0; i < found.facts.n; i++) {
		const struct comparable_fact *fact = &found.facts.v[i];

		if (fact->worsens == COMPARABLE || is_passing(fact))
			continue;
		if (*key != NULL || !fact->known_a || !fact->known_b)
			return false;
		*key = fact->key;
	}
	return true;
}

static const char *host_value(const struct head *head, const char *key)
{
	const char *value = facts_value(&head->record->host, key);

	return value != NULL ? value : facts_value(&head->record->harness, key);
}

static bool has_same_code(const struct record *a, const struct record *b, const char *cell)
{
	int in_a = record_find_cell(a, cell), in_b = record_find_cell(b, cell);
	const char *x = in_a < 0 ? NULL : a->builds[in_a].code_hash,
		   *y = in_b < 0 ? NULL : b->builds[in_b].code_hash;

	return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* Cells of the first that the second has with the same code. */
static size_t same_cells(const struct head *a, const struct head *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->record->build_count; i++)
		n += has_same_code(a->record, b->record, a->record->builds[i].cell);
	return n;
}

/* Two runs that differ in one fact alone, and share code. */
struct pair {
	size_t a, b;
	const char *key;
};

/* The newest first. */
static void find_pairs(struct search *s)
{
	s->pairs = arena_array(s->arena, s->n * s->n / 2 + 1, sizeof(*s->pairs));
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = i + 1; k < s->n; k++) {
			struct arena scratch = {0};
			const char *key;

			if (differ_in_one(&s->heads[i], &s->heads[k], &key, &scratch) && key != NULL &&
				same_cells(&s->heads[i], &s->heads[k]) > 0)
				s->pairs[s->pair_count++] = (struct pair){i, k, arena_strdup(s->arena, key)};
			arena_release(&scratch);
		}
}

/* From one of the values that are asked about to the other? */
static bool has_values(const struct search *s, const struct pair *pair, const struct comparable_fact *asked)
{
	const char *x = host_value(&s->heads[pair->a], asked->key),
		   *y = host_value(&s->heads[pair->b], asked->key);

	return x != NULL && y != NULL &&
	       ((strcmp(x, asked->a) == 0 && strcmp(y, asked->b) == 0) ||
		       (strcmp(x, asked->b) == 0 && strcmp(y, asked->a) == 0));
}

/* The newest pair with just these values, else the newest with any; NULL: there is none. */
static const struct pair *find_pair(const struct search *s, const struct comparable_fact *asked)
{
	const struct pair *any = NULL;

	for (size_t i = 0; i < s->pair_count; i++) {
		const struct pair *pair = &s->pairs[i];

		if (strcmp(pair->key, asked->key) != 0)
			continue;
		if (has_values(s, pair, asked))
			return pair;
		any = any != NULL ? any : pair;
	}
	return any;
}

/* --- how much --- */

static bool read_run(struct search *s, const struct head *head, struct between_run *run)
{
	struct effect_options none = {0};
	struct result *result = arena_new(s->arena, struct result);
	struct record *record;

	if (record_read_file(head->entry->path, NULL, s->arena, &record, NULL) != 0)
		return false;
	effect_of_record(record, &none, s->arena, result);
	record_release(record);
	*run = (struct between_run){record, result};
	return true;
}

/* The run itself, and others of which nothing differs from it. */
static size_t read_like(struct search *s, size_t index, struct between_run *runs)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n && n < ELSEWHERE_RUNS; i++) {
		struct arena scratch = {0};
		const char *key = NULL;
		bool alike =
			i == index || (differ_in_one(&s->heads[i], &s->heads[index], &key, &scratch) &&
					      key == NULL && same_cells(&s->heads[index], &s->heads[i]) > 0);

		arena_release(&scratch);
		if (alike && read_run(s, &s->heads[i], &runs[n]))
			n++;
	}
	return n;
}

static const char *percent(double effect, struct arena *arena)
{
	char text[NUM_SIZE];

	num_significant(stats_percent(effect), 2, text);
	return arena_printf(arena, "%s%s %%", effect >= 0 ? "+" : "", text);
}

static void tell_cells(struct search *s, const struct between *found, struct words *told)
{
	size_t more = 0;

	for (size_t i = 0; i < found->cell_count; i++) {
		const struct between_effect *effect = &found->cells[i].effects[1];

		if (!effect->has_ratio || effect->comparable.code != CODE_SAME)
			continue;
		if (told->n == CELLS_NAMED)
			more++;
		else
			words_addf(told, s->arena, "%s %s%s", found->cells[i].cell,
				percent(effect->c.has_effect ? effect->c.effect : effect->ratio, s->arena),
				effect->c.has_effect && effect->c.answer != ANSWER_CANT_TELL
					? ""
					: " (no verdict: too few runs, or too much noise)");
	}
	if (more > 0)
		words_addf(told, s->arena, "and %zu more cells", more);
}

static bool tell_pair(struct search *s, const struct comparable_fact *asked, const struct pair *pair)
{
	struct between_run *runs = arena_array(s->arena, (size_t)2 * ELSEWHERE_RUNS, sizeof(*runs));
	struct between_side sides[2] = {
		{.name = "a", .runs = runs}, {.name = "b", .runs = runs + ELSEWHERE_RUNS}};
	struct between_options options = {.axis = AXIS_TIME};
	struct between *found = arena_new(s->arena, struct between);
	const struct head *a = &s->heads[pair->a], *b = &s->heads[pair->b];
	struct words told = {0};

	sides[0].run_count = read_like(s, pair->a, runs);
	sides[1].run_count = read_like(s, pair->b, runs + ELSEWHERE_RUNS);
	if (sides[0].run_count == 0 || sides[1].run_count == 0 ||
		between_compare(sides, 2, &options, s->arena, found, NULL) != 0)
		return false;
	tell_cells(s, found, &told);
	if (told.n == 0)
		return false;
	words_addf(s->sentences, s->arena,
		"%s: where it alone changed on %s, from %s to %s, speed changed by: %s (%zu and %zu run%s, "
		"such as %.12s "
		"and %.12s)",
		asked->key, a->entry->host, host_value(a, asked->key), host_value(b, asked->key),
		words_between(&told, ", ", s->arena), sides[0].run_count, sides[1].run_count,
		sides[1].run_count == 1 ? "" : "s", a->entry->id, b->entry->id);
	return true;
}

static bool is_asked(const struct comparable_fact *fact)
{
	return fact->part == FACT_MAY_MATTER && fact->worsens == COMPARABLE_CAVEAT && fact->known_a &&
	       fact->known_b && !is_passing(fact);
}

int elsewhere_find(const struct archive *archive, const struct between *between, size_t side,
	struct arena *arena, struct words *sentences, struct error *e)
{
	const struct comparable_facts *facts = &between->comparable[side].facts;
	struct search s = {.between = between, .side = side, .arena = arena, .sentences = sentences};
	struct archive_entries entries = {0};
	size_t asked = 0;

	for (size_t i = 0; i < facts->n; i++)
		asked += is_asked(&facts->v[i]);
	if (asked == 0)
		return 0;
	if (archive_list(archive, &entries, e) != 0)
		return -1;
	read_heads(&s, &entries);
	find_pairs(&s);
	words_addf(sentences, arena, "looked at the newest %zu records of the two hosts%s%s", s.n,
		s.unreadable > 0 ? arena_printf(arena, "; %zu cannot be read", s.unreadable) : "",
		asked > ELSEWHERE_FACTS ? arena_printf(arena, ", for the first %d facts", ELSEWHERE_FACTS)
					: "");
	asked = 0;
	for (size_t i = 0; i < facts->n && asked < ELSEWHERE_FACTS; i++) {
		const struct pair *pair;

		if (!is_asked(&facts->v[i]))
			continue;
		asked++;
		pair = find_pair(&s, &facts->v[i]);
		if (pair == NULL || !tell_pair(&s, &facts->v[i], pair))
			words_addf(sentences, arena, "%s: no two runs of one machine differ in it alone",
				facts->v[i].key);
	}
	return 0;
}
