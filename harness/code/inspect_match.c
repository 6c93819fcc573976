#include "code/inspect_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

typedef VEC(const struct inspect_function *) list;

struct matching {
	const struct inspection *a, *b;
	bool comparable; /* have both the same kind of hashes? */
	VEC(struct match) all;
};

static int by_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* By name, those without one last; then by hash, then by address. */
static int by_name(const void *left, const void *right)
{
	const struct inspect_function *a = *(const struct inspect_function *const *)left;
	const struct inspect_function *b = *(const struct inspect_function *const *)right;
	int order;

	if ((a->name == NULL) != (b->name == NULL))
		return a->name == NULL ? 1 : -1;
	order = by_text(a->name, b->name);
	if (order == 0)
		order = by_text(a->hash, b->hash);
	if (order == 0)
		order = by_text(a->exact, b->exact);
	return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static void sort(const struct inspection *from, list *out)
{
	for (size_t i = 0; i < from->function_count; i++)
		vec_push(out, &from->functions[i]);
	if (out->n > 0)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
}

static void add(struct matching *m, const struct inspect_function *a, const struct inspect_function *b)
{
	struct match match = {.a = a, .b = b};

	if (a == NULL || b == NULL)
		match.state = b == NULL ? MATCH_FIRST : MATCH_SECOND;
	else if (!m->comparable || a->hash == NULL || b->hash == NULL)
		match.state = MATCH_UNKNOWN;
	else if (strcmp(a->hash, b->hash) != 0)
		match.state = MATCH_OTHER;
	else if (a->unfollowed + b->unfollowed > 0 && !text_same(a->exact, b->exact))
		match.state = MATCH_ALIKE;
	else
		match.state = MATCH_SAME;
	vec_push(&m->all, match);
}

/* Functions of one name: equal ones first, then the others in their order. */
static void match_group(struct matching *m, const list *a, size_t a_from, size_t a_end, const list *b,
	size_t b_from, size_t b_end)
{
	list left = {0}, right = {0};
	size_t i = a_from, k = b_from;

	while (i < a_end || k < b_end) {
		const int order = i == a_end ? 1 : k == b_end ? -1 : by_text(a->v[i]->hash, b->v[k]->hash);

		if (order == 0)
			add(m, a->v[i++], b->v[k++]);
		else if (order < 0)
			vec_push(&left, a->v[i++]);
		else
			vec_push(&right, b->v[k++]);
	}
	for (size_t n = 0; n < left.n || n < right.n; n++) {
		const bool named = n < left.n ? left.v[n]->name != NULL : right.v[n]->name != NULL;

		/* without names, nothing says that two unlike ones belong together */
		if (named && n < left.n && n < right.n) {
			add(m, left.v[n], right.v[n]);
			continue;
		}
		if (n < left.n)
			add(m, left.v[n], NULL);
		if (n < right.n)
			add(m, NULL, right.v[n]);
	}
	vec_release(&left);
	vec_release(&right);
}

static size_t group_end(const list *in, size_t from)
{
	size_t end = from;

	while (end < in->n && text_same(in->v[end]->name, in->v[from]->name))
		end++;
	return end;
}

static void match_all(struct matching *m)
{
	list a = {0}, b = {0};
	size_t i = 0, k = 0;

	sort(m->a, &a);
	sort(m->b, &b);
	while (i < a.n || k < b.n) {
		size_t a_end = i < a.n ? group_end(&a, i) : i, b_end = k < b.n ? group_end(&b, k) : k;

		if (i < a.n && k < b.n && !text_same(a.v[i]->name, b.v[k]->name)) {
			const bool first = b.v[k]->name == NULL ||
					   (a.v[i]->name != NULL && strcmp(a.v[i]->name, b.v[k]->name) < 0);

			if (first)
				b_end = k;
			else
				a_end = i;
		}
		match_group(m, &a, i, a_end, &b, k, b_end);
		i = a_end;
		k = b_end;
	}
	vec_release(&a);
	vec_release(&b);
}

static uint64_t size_of(const struct match *match)
{
	const uint64_t a = match->a != NULL ? match->a->size : 0, b = match->b != NULL ? match->b->size : 0;

	return a > b ? a : b;
}

static const char *name_of(const struct match *match)
{
	return match->a != NULL ? match->a->name : match->b != NULL ? match->b->name : NULL;
}

static uint64_t address_of(const struct match *match)
{
	return match->a != NULL ? match->a->address : match->b != NULL ? match->b->address : 0;
}

static int by_state(const void *left, const void *right)
{
	static const int ranks[MATCH_STATES] = {
		[MATCH_OTHER] = 0,
		[MATCH_UNKNOWN] = 1,
		[MATCH_FIRST] = 2,
		[MATCH_SECOND] = 3,
		[MATCH_ALIKE] = 4,
		[MATCH_SAME] = 5,
	};
	const struct match *a = left, *b = right;
	int order;

	if (a->state != b->state)
		return ranks[a->state] < ranks[b->state] ? -1 : 1;
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	order = by_text(name_of(a), name_of(b));
	return order != 0 ? order : (address_of(a) > address_of(b)) - (address_of(a) < address_of(b));
}

enum { SECTIONS_MOST = 4096 /* compared by name; more are not */ };

/* The nth section of this name, from 0. */
static const struct inspect_section *find_section(const struct inspection *in, const char *name, size_t nth)
{
	size_t seen = 0;

	for (size_t i = 0; i < in->section_count && i < SECTIONS_MOST; i++)
		if (strcmp(in->sections[i].name, name) == 0 && seen++ == nth)
			return &in->sections[i];
	return NULL;
}

static void match_sections(
	const struct inspection *a, const struct inspection *b, struct arena *arena, struct words *out)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct inspection *from = side == 0 ? a : b, *in = side == 0 ? b : a;

		for (size_t i = 0; i < from->section_count && i < SECTIONS_MOST; i++) {
			const struct inspect_section *section = &from->sections[i], *other;
			size_t nth = 0;

			for (size_t k = 0; k < i; k++)
				nth += strcmp(from->sections[k].name, section->name) == 0;
			other = find_section(in, section->name, nth);
			if (other != NULL && (side == 1 || (other->size == section->size &&
								   text_same(other->hash, section->hash))))
				continue;
			if (!words_have(out, section->name))
				words_add(out, arena, section->name);
		}
	}
}

/* Names of sections of constants and data among these; NULL: none is. */
static const char *other_data(const struct inspection *a, const struct inspection *b,
	const struct words *sections, struct arena *arena)
{
	struct words names = {0};

	for (size_t i = 0; i < sections->n; i++) {
		const struct inspect_section *one = find_section(a, sections->v[i], 0);
		const struct inspect_section *other = find_section(b, sections->v[i], 0);

		if (!(one != NULL ? one : other)->code)
			words_add(&names, arena, sections->v[i]);
	}
	return names.n > 0 ? words_between(&names, ", ", arena) : NULL;
}

static enum match_verdict judge_objects(
	const struct inspection *a, const struct inspection *b, struct arena *arena, const char **why)
{
	if (a->hash_unknown != NULL || b->hash_unknown != NULL) {
		*why = a->hash_unknown != NULL ? a->hash_unknown : b->hash_unknown;
		return VERDICT_UNSURE;
	}
	if (strcmp(a->objects_hash, b->objects_hash) == 0) {
		*why = "code, constants, data and relocations have one hash";
		return VERDICT_SAME_CODE;
	}
	if (a->unpadded_unknown != NULL || b->unpadded_unknown != NULL) {
		*why = arena_printf(arena,
			"their hashes differ; whether in more than padding is not known: %s",
			a->unpadded_unknown != NULL ? a->unpadded_unknown : b->unpadded_unknown);
		return VERDICT_OTHER;
	}
	if (strcmp(a->unpadded_hash, b->unpadded_hash) == 0) {
		*why = "only the padding between and within functions differs";
		return VERDICT_SAME_PADDING;
	}
	*why = "code, constants, data or relocations differ in more than padding";
	return VERDICT_OTHER;
}

static enum match_verdict judge_functions(const struct inspection *a, const struct inspection *b,
	const struct match_result *result, struct arena *arena, const char **why)
{
	const size_t differ =
		result->counts[MATCH_OTHER] + result->counts[MATCH_FIRST] + result->counts[MATCH_SECOND];
	const size_t unknown = result->counts[MATCH_UNKNOWN];
	const char *data;

	if (unknown > 0 || result->n == 0) {
		const char *reason =
			a->functions_unknown != NULL ? a->functions_unknown : b->functions_unknown;

		*why = arena_printf(arena, "functions could not be compared: %s",
			reason != NULL ? reason : "they have no hash");
		return differ > 0 ? VERDICT_OTHER : VERDICT_UNSURE;
	}
	if (differ > 0) {
		*why = arena_printf(arena, "%zu function%s differ%s", differ, text_plural(differ),
			differ == 1 ? "s" : "");
		return VERDICT_OTHER;
	}
	if (!text_same(a->rest, b->rest)) {
		*why = "all functions are the same, but code outside of functions (start files, assembler) "
		       "differs";
		return VERDICT_UNSURE;
	}
	data = other_data(a, b, &result->sections, arena);
	if (data != NULL) {
		*why = arena_printf(arena,
			"all functions are the same, but %s hold%s other bytes, perhaps only in another "
			"order",
			data, strchr(data, ',') == NULL ? "s" : "");
		return VERDICT_UNSURE;
	}
	if (result->counts[MATCH_ALIKE] > 0) {
		*why = arena_printf(arena,
			"functions are the same as far as can be told; %zu refer to what has no name",
			result->counts[MATCH_ALIKE]);
		return VERDICT_UNSURE;
	}
	*why = "every function is the same, and so are constants and data; they stand elsewhere";
	return VERDICT_SAME_PLACED;
}

static enum match_verdict judge(const struct inspection *a, const struct inspection *b,
	const struct match_result *result, struct arena *arena, const char **why)
{
	const bool object = a->type == INSPECT_OBJECT;

	if (strcmp(a->info.file_hash, b->info.file_hash) == 0) {
		*why = "the files are equal byte by byte";
		return VERDICT_SAME_FILE;
	}
	if (strcmp(a->info.machine, b->info.machine) != 0) {
		*why = arena_printf(
			arena, "one is for %s, the other for %s", a->info.machine, b->info.machine);
		return VERDICT_OTHER;
	}
	if (object != (b->type == INSPECT_OBJECT) || a->type == INSPECT_DEBUG || b->type == INSPECT_DEBUG) {
		*why = "they are of unlike kinds, so that their functions' hashes cannot be compared";
		return VERDICT_UNSURE;
	}
	if (object)
		return judge_objects(a, b, arena, why);
	if (strcmp(a->info.code_hash, b->info.code_hash) == 0) {
		*why = "code, constants and data have one hash and stand at the same places";
		return VERDICT_SAME_CODE;
	}
	if (a->stripped != b->stripped) {
		*why = arena_printf(arena,
			"%s is stripped: without names its functions cannot be held against the other's",
			a->stripped ? "the first" : "the second");
		return VERDICT_UNSURE;
	}
	return judge_functions(a, b, result, arena, why);
}

void inspect_match(
	const struct inspection *a, const struct inspection *b, struct arena *arena, struct match_result *out)
{
	struct matching m = {.a = a,
		.b = b,
		.comparable = (a->type == INSPECT_OBJECT) == (b->type == INSPECT_OBJECT) &&
			      strcmp(a->info.machine, b->info.machine) == 0};

	*out = (struct match_result){0};
	match_all(&m);
	if (m.all.n > 0)
		qsort(m.all.v, m.all.n, sizeof(*m.all.v), by_state);
	out->v = arena_array(arena, m.all.n, sizeof(*out->v));
	out->n = m.all.n;
	for (size_t i = 0; i < m.all.n; i++) {
		out->v[i] = m.all.v[i];
		out->counts[m.all.v[i].state]++;
	}
	vec_release(&m.all);
	match_sections(a, b, arena, &out->sections);
	out->verdict = judge(a, b, out, arena, &out->why);
	/* one by one they say nothing that the whole does not, or the other way round: names are missing on one side */
	if (out->verdict == VERDICT_SAME_FILE || out->verdict == VERDICT_SAME_CODE ||
		a->stripped != b->stripped) {
		out->n = 0;
		memset(out->counts, 0, sizeof(out->counts));
	}
}

const char *match_verdict_text(enum match_verdict verdict)
{
	static const char *const texts[] = {
		[VERDICT_SAME_FILE] = "same file",
		[VERDICT_SAME_CODE] = "same code",
		[VERDICT_SAME_PLACED] = "same code, placed otherwise",
		[VERDICT_SAME_PADDING] = "same code but for padding",
		[VERDICT_OTHER] = "other code",
		[VERDICT_UNSURE] = "can't tell",
	};

	return texts[verdict];
}

const char *match_state_text(enum match_state state)
{
	static const char *const texts[] = {
		[MATCH_SAME] = "same",
		[MATCH_ALIKE] = "same but for addresses",
		[MATCH_OTHER] = "other",
		[MATCH_UNKNOWN] = "unknown",
		[MATCH_FIRST] = "only in the first",
		[MATCH_SECOND] = "only in the second",
	};

	return texts[state];
}
