#include "cli/inspect_native.h"

#include <string.h>

#include "base/mem.h"
#include "cli/common.h"
#include "cli/table.h"
#include "session/session.h"
#include "toolchain/native.h"

enum { LINE_WIDTH = 100, PROBE_LEVELS = 2 };

struct inspection {
	struct cli *cli;
	struct arena *arena;
	struct session session;
	struct toolchains more; /* those that words name by a path or command */
	const struct toolchain **toolchains;
	const char **labels;
	struct native *natives;
	size_t n;
	struct buf out;
};

static const char *fact(const struct native *native, const char *key)
{
	const char *value = facts_value(&native->resolved.facts, key);

	return value != NULL ? value : "?";
}

/* --- which toolchains --- */

static void add(struct inspection *x, const struct toolchain *toolchain, const char *label)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->toolchains[i] == toolchain)
			return;
	x->labels[x->n] = label;
	x->toolchains[x->n++] = toolchain;
}

/* A compiler that no name in PATH leads to is looked at as if toolchains/ had a file with this command. */
static int add_command(struct inspection *x, const char *word, struct error *e)
{
	struct spec_project project = x->session.project;
	struct toolchain_options options = {.cache_folder = x->session.cache_folder};
	struct spec_toolchain user = {.name = word};
	struct toolchain_slot slot;
	struct toolchains *found = arena_new(x->arena, struct toolchains);
	const char *prefix = arena_printf(x->arena, "toolchains/%s.yaml: ", word);

	if (words_split(&user.cc, x->arena, word, NULL, e) != 0 || user.cc.n == 0)
		return -1;
	project.toolchains = arena_array(x->arena, 1, sizeof(*project.toolchains));
	project.toolchains[0] = user;
	project.toolchain_count = 1;
	if (toolchains_find(&project, &options, x->arena, found, e) != 0)
		return -1;
	slot = toolchains_slot(found, &project, word, x->arena);
	for (size_t i = 0; i < found->failure_count && slot.toolchain == NULL; i++) {
		const char *reason = found->failures[i].reason;

		if (strcmp(found->failures[i].name, word) == 0)
			return error_set(e, EXIT_CANNOT, "%s: %s", word,
				text_starts(reason, prefix) ? reason + strlen(prefix) : reason);
	}
	if (slot.toolchain == NULL)
		return error_set(e, EXIT_CANNOT, "%s: %s", word, slot.reason);
	add(x, slot.toolchain, word);
	return 0;
}

static int add_word(struct inspection *x, const char *word, struct error *e)
{
	struct toolchain_slot slot;

	if (strchr(word, '/') != NULL || strchr(word, ' ') != NULL)
		return add_command(x, word, e);
	slot = toolchains_slot(&x->session.toolchains, &x->session.project, word, x->arena);
	if (slot.toolchain == NULL)
		return error_set(e, EXIT_CANNOT, "%s", slot.reason);
	add(x, slot.toolchain, slot.toolchain->own_slot);
	return 0;
}

static int choose(struct inspection *x, struct error *e)
{
	const struct toolchains *found = &x->session.toolchains;
	const struct words *words = &x->cli->args.words;
	const size_t most = found->n + words->n;

	x->toolchains = arena_array(x->arena, most + 1, sizeof(*x->toolchains));
	x->labels = arena_array(x->arena, most + 1, sizeof(*x->labels));
	for (size_t i = 0; i < words->n; i++)
		if (add_word(x, words->v[i], e) != 0)
			return -1;
	for (size_t i = 0; i < found->n && words->n == 0; i++)
		if (found->v[i]->native)
			add(x, found->v[i], found->v[i]->own_slot);
	if (x->n == 0)
		return error_set(e, EXIT_CANNOT,
			"no compiler that makes programs for this machine was found in PATH=%s; install gcc "
			"or clang",
			found->path);
	return 0;
}

/* --- text --- */

static void add_table(struct inspection *x)
{
	static const char *const heads[] = {"toolchain", "version", "native is", "tuned for", "vectors",
		"copies", "fills", "cache line", "level"};
	static const char *const keys[] = {"resolved.tune", "resolved.vector_width", "resolved.move_max",
		"resolved.store_max", "resolved.cache_line"};
	struct table table;

	table_init(&table, x->arena, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table_add(&table, heads[i]);
	for (size_t i = 0; i < x->n; i++) {
		const struct native *native = &x->natives[i];
		const char *name =
			native->resolved.march != NULL ? native->resolved.march : native->resolved.mcpu;

		if (native->reason != NULL)
			continue;
		table_add(&table, x->labels[i]);
		table_add(&table, x->toolchains[i]->version);
		table_add(&table, name != NULL ? name : "?");
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			table_add(&table, fact(native, keys[k]));
		if (native->level == NULL)
			table_add(&table, "");
		else if (native->beyond.n == 0)
			table_add(&table, native->level);
		else
			table_addf(&table, "%s + %zu", native->level, native->beyond.n);
	}
	if (table.cells.n > table.columns)
		table_write(&table, &x->out);
	for (size_t i = 0; i < x->n; i++)
		if (x->natives[i].reason != NULL)
			buf_addf(&x->out, "%s: %s\n", text_safe(x->arena, x->labels[i]),
				text_safe(x->arena, x->natives[i].reason));
}

/* Words with blanks between, broken at the width; each line begins with `indent` blanks. */
static void add_wrapped(struct inspection *x, const struct words *words, size_t indent)
{
	size_t column = 0;

	for (size_t i = 0; i < words->n; i++) {
		const char *word = text_safe(x->arena, words->v[i]);
		const size_t width = strlen(word);

		if (column > 0 && column + 1 + width > LINE_WIDTH) {
			buf_adds(&x->out, "\n");
			column = 0;
		}
		if (column == 0) {
			buf_addf(&x->out, "%*s%s", (int)indent, "", word);
			column = indent + width;
		} else {
			buf_addf(&x->out, " %s", word);
			column += 1 + width;
		}
	}
	buf_adds(&x->out, "\n");
}

static const char *tried_text(const struct inspection *x, const struct native *native)
{
	struct words some = {0};

	if (native->tried == NATIVE_UNTRIED)
		return arena_printf(x->arena, "not tried: %s",
			native->tried_reason != NULL ? native->tried_reason : "no reason was kept");
	if (native->tried == NATIVE_SAME)
		return arena_printf(x->arena, "tried: the same code in all %zu functions at -O2 and -O3%s",
			native->functions, native->with_cache_sizes ? ", but only with the cache sizes" : "");
	for (size_t i = 0; i < native->differing.n && i < 3; i++)
		words_add(&some, x->arena, native->differing.v[i]);
	return arena_printf(x->arena, "tried: NOT the same code in %zu of %zu functions: %s%s",
		native->differing.n, PROBE_LEVELS * native->functions, words_between(&some, ", ", x->arena),
		native->differing.n > some.n ? ", ..." : "");
}

static bool same_answer(const struct inspection *x, size_t i, size_t k)
{
	const struct native *a = &x->natives[i], *b = &x->natives[k];

	return b->reason == NULL && strcmp(tried_text(x, a), tried_text(x, b)) == 0 &&
	       strcmp(words_join(&a->command, x->arena), words_join(&b->command, x->arena)) == 0;
}

/* Once for all that it is the same for. */
static void add_commands(struct inspection *x)
{
	buf_adds(&x->out, "\nThe same in so many words:\n");
	for (size_t i = 0; i < x->n; i++) {
		const struct native *native = &x->natives[i];
		struct words labels = {0};
		bool said = false;

		if (native->reason != NULL)
			continue;
		for (size_t k = 0; k < x->n; k++) {
			if (!same_answer(x, i, k))
				continue;
			said |= k < i;
			words_add(&labels, x->arena, x->labels[k]);
		}
		if (said)
			continue;
		buf_addf(&x->out, "  %s (%s)\n", text_safe(x->arena, words_between(&labels, ", ", x->arena)),
			text_safe(x->arena, tried_text(x, native)));
		if (native->command.n > 0)
			add_wrapped(x, &native->command, 4);
	}
}

/* Features beyond the level that every one of them has. */
static struct words shared_beyond(const struct inspection *x)
{
	struct words shared = {0};
	bool first = true;

	for (size_t i = 0; i < x->n; i++) {
		struct words kept = {0};

		if (x->natives[i].reason != NULL)
			continue;
		for (size_t k = 0; k < x->natives[i].beyond.n; k++)
			if (first || words_have(&shared, x->natives[i].beyond.v[k]))
				words_add(&kept, x->arena, x->natives[i].beyond.v[k]);
		shared = kept;
		first = false;
	}
	return shared;
}

static struct words own_beyond(const struct inspection *x, size_t index, const struct words *shared)
{
	const struct words *all = &x->natives[index].beyond;
	struct words own = {0};

	for (size_t k = 0; k < all->n; k++)
		if (!words_have(shared, all->v[k]))
			words_add(&own, x->arena, all->v[k]);
	return own;
}

static void add_features(struct inspection *x)
{
	const struct words shared = shared_beyond(x);

	if (shared.n > 0) {
		buf_adds(&x->out, "\nBeyond the level:\n");
		add_wrapped(x, &shared, 2);
	}
	for (size_t i = 0; i < x->n; i++) {
		const struct words own = own_beyond(x, i, &shared);

		if (own.n == 0)
			continue;
		buf_addf(&x->out, "  and to %s:\n", text_safe(x->arena, x->labels[i]));
		add_wrapped(x, &own, 4);
	}
}

/* What is not the same to all that answered, in words. */
static const char *differences(const struct inspection *x, size_t *answered)
{
	static const struct {
		const char *key, *what;
	} facts[] = {{"resolved.tune", "tuning"}, {"resolved.vector_width", "vectors"},
		{"resolved.move_max", "copies"}, {"resolved.store_max", "fills"},
		{"resolved.features", "features that code uses by itself"}};
	struct words differing = {0};

	*answered = 0;
	for (size_t i = 0; i < x->n; i++)
		*answered += x->natives[i].reason == NULL;
	for (size_t k = 0; k < sizeof(facts) / sizeof(facts[0]); k++) {
		const char *seen = NULL;

		for (size_t i = 0; i < x->n; i++) {
			const char *value = fact(&x->natives[i], facts[k].key);

			if (x->natives[i].reason != NULL)
				continue;
			if (seen != NULL && strcmp(seen, value) != 0) {
				words_add(&differing, x->arena, facts[k].what);
				break;
			}
			seen = value;
		}
	}
	return differing.n > 0 ? words_between(&differing, ", ", x->arena) : NULL;
}

static void add_advice(struct inspection *x)
{
	const char *why, *common = native_common(x->natives, x->n, x->arena, &why), *differing;
	size_t answered;

	differing = differences(x, &answered);
	buf_addc(&x->out, '\n');
	if (answered > 1 && differing != NULL)
		buf_addf(&x->out, "Native is not the same to all of them: they differ in %s.\n", differing);
	else if (answered > 1)
		buf_adds(&x->out, "To all of them native means the same tuning, widths and features.\n");
	if (common != NULL)
		buf_addf(&x->out, "To compare across machines and compilers build with %s, which %s.\n",
			common, answered > 1 ? "all of them take" : "it takes");
	else if (answered > 0)
		buf_addf(&x->out, "To compare across machines and compilers, write the words above: %s.\n",
			text_safe(x->arena, why));
}

/* --- JSON --- */

static json_t *native_json(const struct inspection *x, size_t i)
{
	static const char *const tried[] = {
		[NATIVE_UNTRIED] = "untried", [NATIVE_SAME] = "same", [NATIVE_DIFFERS] = "differs"};
	const struct native *native = &x->natives[i];
	json_t *object = json_object();

	json_object_set_new(object, "toolchain", json_safe_string(x->labels[i]));
	json_object_set_new(object, "family", json_safe_string(x->toolchains[i]->family));
	json_object_set_new(object, "version", json_safe_string(x->toolchains[i]->version));
	json_object_set_new(object, "identity", json_safe_string(x->toolchains[i]->identity));
	json_object_set_new(object, "flag", json_safe_string(native->flag));
	json_object_set_new(object, "reason", json_safe_string(native->reason));
	json_object_set_new(object, "level", json_safe_string(native->level));
	json_object_set_new(object, "beyond", json_safe_words(&native->beyond));
	json_object_set_new(object, "explicit", json_safe_words(&native->command));
	json_object_set_new(object, "tried", json_string(tried[native->tried]));
	json_object_set_new(object, "tried_reason", json_safe_string(native->tried_reason));
	json_object_set_new(object, "functions", json_integer((json_int_t)native->functions));
	json_object_set_new(object, "differing", json_safe_words(&native->differing));
	json_object_set_new(object, "with_cache_sizes", json_boolean(native->with_cache_sizes));
	json_object_set_new(object, "facts", facts_to_json(&native->resolved.facts));
	return object;
}

static void print_json(struct inspection *x)
{
	json_t *root = json_object(), *list = json_array();
	const char *why, *common = native_common(x->natives, x->n, x->arena, &why);

	json_object_set_new(root, "schema", json_string("flagstone.native/1"));
	for (size_t i = 0; i < x->n; i++)
		json_array_append_new(list, native_json(x, i));
	json_object_set_new(root, "toolchains", list);
	json_object_set_new(root, "common", json_safe_string(common));
	json_object_set_new(root, "common_reason", json_safe_string(why));
	common_print_json(root);
}

static enum exit_code inspect(struct inspection *x)
{
	bool answered = false;

	x->natives = arena_array(x->arena, x->n, sizeof(*x->natives));
	for (size_t i = 0; i < x->n; i++) {
		native_ask(x->toolchains[i], x->arena, &x->natives[i]);
		answered |= x->natives[i].reason == NULL;
	}
	if (x->cli->args.json) {
		print_json(x);
	} else {
		add_table(x);
		if (answered) {
			add_features(x);
			add_commands(x);
			add_advice(x);
		}
		terminal_print(&x->out);
		buf_release(&x->out);
	}
	return answered ? EXIT_YES : EXIT_CANNOT;
}

enum exit_code inspect_native(struct cli *cli)
{
	struct inspection x = {.cli = cli, .arena = &cli->arena};
	enum exit_code code = EXIT_YES;
	struct error e = {0};

	if (common_open(cli, NULL, false, NULL, &x.session, &code) != 0)
		return code;
	code = choose(&x, &e) == 0 ? inspect(&x) : error_print(&e);
	session_close(&x.session);
	return code;
}
