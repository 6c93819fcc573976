#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/functions.h"
#include "compare/sources.h"

enum {
	MOST = 4096
}; /* looked at: a record of ours has fewer, and a foreign one may give all the same name */

/* A function while its like is looked for. */
struct entry {
	const struct record_function *function;
	size_t key; /* characters of its name that count */
	bool done;
};

struct list {
	struct entry *v;
	size_t n;
};

struct matching {
	struct list a, b;
	VEC(struct source_function) differ, only_a, only_b;
	struct source_functions *out;
};

static int order_keys(const struct entry *a, const struct entry *b)
{
	size_t shorter = a->key < b->key ? a->key : b->key;
	int order = memcmp(a->function->name, b->function->name, shorter);

	return order != 0 ? order : (a->key > b->key) - (a->key < b->key);
}

static int by_key(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = order_keys(a, b);

	if (order == 0)
		order = strcmp(a->function->name, b->function->name);
	return order != 0 ? order : (a->function > b->function) - (a->function < b->function);
}

static bool same_hash(const struct record_function *a, const struct record_function *b)
{
	return a->hash != NULL && b->hash != NULL && strcmp(a->hash, b->hash) == 0;
}

static void take(struct matching *m, struct entry *a, struct entry *b)
{
	const struct record_function *left = a->function, *right = b->function;

	a->done = b->done = true;
	if (same_hash(left, right))
		m->out->same++;
	else if (left->size == right->size && (left->hash == NULL || right->hash == NULL))
		m->out->unread++;
	else
		vec_push(&m->differ,
			(struct source_function){left->name, right->name, left->size, right->size});
}

/* Pairs those of one key: first by their code, since two functions of other files may have one name. */
static void pair_group(struct matching *m, struct list a, struct list b)
{
	for (int by_code = 1; by_code >= 0; by_code--)
		for (size_t i = 0; i < a.n; i++)
			for (size_t k = 0; k < b.n && !a.v[i].done; k++)
				if (!b.v[k].done && (!by_code || same_hash(a.v[i].function, b.v[k].function)))
					take(m, &a.v[i], &b.v[k]);
}

static size_t group_end(const struct list *list, size_t at)
{
	size_t end = at;

	while (end < list->n && order_keys(&list->v[at], &list->v[end]) == 0)
		end++;
	return end;
}

/* Pairs what is not done yet and has equal keys. */
static void pair_all(struct matching *m)
{
	size_t i = 0, k = 0;

	if (m->a.n == 0 || m->b.n == 0)
		return;
	qsort(m->a.v, m->a.n, sizeof(*m->a.v), by_key);
	qsort(m->b.v, m->b.n, sizeof(*m->b.v), by_key);
	while (i < m->a.n && k < m->b.n) {
		int order = order_keys(&m->a.v[i], &m->b.v[k]);
		size_t i_end = group_end(&m->a, i), k_end = group_end(&m->b, k);

		if (order == 0)
			pair_group(m, (struct list){m->a.v + i, i_end - i},
				(struct list){m->b.v + k, k_end - k});
		if (order <= 0)
			i = i_end;
		if (order >= 0)
			k = k_end;
	}
}

static struct list list_of(const struct record_build *build)
{
	size_t n = build->function_count < MOST ? build->function_count : MOST;
	struct list list = {mem_alloc_array(n, sizeof(struct entry)), n};

	for (size_t i = 0; i < list.n; i++)
		list.v[i] = (struct entry){
			.function = &build->functions[i], .key = strlen(build->functions[i].name)};
	return list;
}

static void use_base_names(struct list *list)
{
	for (size_t i = 0; i < list->n; i++)
		list->v[i].key = code_function_base(list->v[i].function->name);
}

/* How many functions the build has; the record may list only the largest. */
static size_t count_of(const struct record_build *build)
{
	const char *text = facts_value(&build->facts, "build.functions");
	size_t count = text != NULL ? (size_t)strtoull(text, NULL, 10) : 0;

	return count > build->function_count ? count : build->function_count;
}

static const char *reason_of(const struct record_build *build)
{
	const struct fact *fact = facts_find(&build->facts, "build.functions");

	if (fact != NULL && fact->value != NULL)
		return NULL;
	if (fact != NULL && fact->reason != NULL)
		return fact->reason;
	if (build->status == CELL_IMPOSSIBLE || build->status == CELL_BUILD_FAILED)
		return build->reason != NULL ? build->reason : "it was not built";
	return "the record was made before functions were kept";
}

static const char *why_unknown(
	const struct record_build *a, const struct record_build *b, struct arena *arena)
{
	const char *way_a = facts_value(&a->facts, "build.function_hash");
	const char *way_b = facts_value(&b->facts, "build.function_hash");

	if (reason_of(a) != NULL)
		return reason_of(a);
	if (reason_of(b) != NULL)
		return reason_of(b);
	if (!text_same(way_a, way_b))
		return arena_printf(arena, "the two records hash functions in different ways (%s and %s)",
			way_a != NULL ? way_a : "not said", way_b != NULL ? way_b : "not said");
	return NULL;
}

static int by_size(const void *left, const void *right)
{
	const struct source_function *a = left, *b = right;
	uint64_t of_a = a->size_a > a->size_b ? a->size_a : a->size_b;
	uint64_t of_b = b->size_a > b->size_b ? b->size_a : b->size_b;

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return strcmp(a->a != NULL ? a->a : a->b, b->a != NULL ? b->a : b->b);
}

static struct source_function *keep(struct source_function *v, size_t n, struct arena *arena)
{
	struct source_function *out = arena_array(arena, n, sizeof(*out));

	if (n > 0) {
		qsort(v, n, sizeof(*v), by_size);
		memcpy(out, v, n * sizeof(*v));
	}
	return out;
}

/* Those that the other side does not have; where its list was cut, it may still have them. */
static void add_rest(struct matching *m, const struct list *list, bool other_cut)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct record_function *function = list->v[i].function;

		if (list->v[i].done)
			continue;
		if (other_cut)
			m->out->untold++;
		else if (list == &m->a)
			vec_push(&m->only_a,
				(struct source_function){function->name, NULL, function->size, 0});
		else
			vec_push(&m->only_b,
				(struct source_function){NULL, function->name, 0, function->size});
	}
}

void sources_functions(const struct record_build *a, const struct record_build *b, struct arena *arena,
	struct source_functions *out)
{
	struct matching m = {.out = out};

	*out = (struct source_functions){.reason = why_unknown(a, b, arena)};
	if (out->reason != NULL)
		return;
	out->count_a = count_of(a);
	out->count_b = count_of(b);
	m.a = list_of(a);
	m.b = list_of(b);
	pair_all(&m);
	use_base_names(&m.a);
	use_base_names(&m.b);
	pair_all(&m);
	add_rest(&m, &m.a, out->count_b > m.b.n);
	add_rest(&m, &m.b, out->count_a > m.a.n);
	out->differ_count = m.differ.n;
	out->only_a_count = m.only_a.n;
	out->only_b_count = m.only_b.n;
	out->differ = keep(m.differ.v, m.differ.n, arena);
	out->only_a = keep(m.only_a.v, m.only_a.n, arena);
	out->only_b = keep(m.only_b.v, m.only_b.n, arena);
	vec_release(&m.differ);
	vec_release(&m.only_a);
	vec_release(&m.only_b);
	mem_free(m.a.v);
	mem_free(m.b.v);
}
