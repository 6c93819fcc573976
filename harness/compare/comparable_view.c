#include <string.h>

#include "compare/comparable_work.h"

enum { VALUE_SHOWN = 60 /* characters of a value: command lines are long */, HASH_SHOWN = 12 };

static const char *const build_keys[] = {
	[B_CFLAGS] = "build.cflags",
	[B_CXXFLAGS] = "build.cxxflags",
	[B_LDFLAGS] = "build.ldflags",
	[B_ARCH] = "resolved.arch",
	[B_MACHINE] = "code.machine",
	[B_FEATURES] = "resolved.features",
	[B_VECTOR_WIDTH] = "resolved.vector_width",
	[B_OPT_LEVEL] = "resolved.opt_level",
	[B_FP_MODEL] = "resolved.fp_model",
	[B_LTO] = "resolved.lto",
	[B_PGO] = "resolved.pgo",
	[B_SANITIZERS] = "resolved.sanitizers",
	[B_STATIC] = "resolved.static",
	[B_CODE_STATIC] = "code.static",
	[B_TUNE] = "resolved.tune",
	[B_MTUNE] = "resolved.mtune",
	[B_MOVE_MAX] = "resolved.move_max",
	[B_STORE_MAX] = "resolved.store_max",
	[B_CACHE_LINE] = "resolved.cache_line",
	[B_PIE] = "resolved.pie",
	[B_NATIVE] = "resolved.native_requested",
	[B_IGNORED] = "resolved.ignored",
	[B_FEATURES_OTHER] = "resolved.features_other",
	[B_PIC] = "resolved.pic",
	[B_HARDENING] = "resolved.hardening",
	[B_CONFIG_FILES] = "resolved.config_files",
	[B_HIDDEN] = "build.hidden.environment",
	[B_MARCH] = "resolved.march",
	[B_OPTIMIZERS] = "resolved.optimizers.sha256",
	[B_PARAMS] = "resolved.params",
	[B_OBJECTS] = "code.objects_sha256",
	[B_UNPADDED] = "code.objects_unpadded_sha256",
	[B_FILE] = "code.file_sha256",
	[B_FUNCTION_HASH] = "build.function_hash",
	[B_FUNCTIONS] = "build.functions",
	[B_ISA_USED] = "isa.used",
	[B_ISA_BITS] = "isa.vector_bits",
	[B_ENV] = "run.env",
	[B_RUNNER] = "run.runner",
	[B_UNITS] = "cell.units",
};

static const char *const toolchain_keys[] = {
	[T_FAMILY] = "toolchain.family",
	[T_VERSION] = "toolchain.version",
	[T_TARGET] = "toolchain.target",
	[T_CC1] = "toolchain.cc1.sha256",
	[T_DRIVER] = "toolchain.driver.sha256",
	[T_ASSEMBLER] = "toolchain.assembler.version",
	[T_ASSEMBLER_FILE] = "toolchain.assembler.sha256",
	[T_LINKER] = "toolchain.linker.version",
	[T_LINKER_FILE] = "toolchain.linker.sha256",
	[T_LIBC] = "toolchain.libc.version",
	[T_LIBC_FILE] = "toolchain.libc.sha256",
	[T_LIBC_STATIC] = "toolchain.libc_static.sha256",
};

static const char *const libc_keys[] = {
	[L_NAME] = "libc.name", [L_VERSION] = "libc.version", [L_BUILD] = "libc.build"};

const char *comparable_build_key(enum build_fact fact)
{
	return build_keys[fact];
}

const char *comparable_toolchain_key(enum toolchain_fact fact)
{
	return toolchain_keys[fact];
}

static const struct slot_view *slot_of(const struct comparable_view *view, const char *slot)
{
	for (size_t i = 0; i < view->slot_count; i++)
		if (text_same(view->slots[i].slot, slot))
			return &view->slots[i];
	return NULL;
}

static void read_slots(struct comparable_view *view, struct arena *arena)
{
	const struct record *record = view->record;
	size_t count = 0;

	for (size_t i = 0; i < record->toolchain_count; i++)
		count += record->toolchains[i].slots.n;
	view->slots = arena_array(arena, count, sizeof(*view->slots));
	for (size_t i = 0; i < record->toolchain_count; i++) {
		const struct record_toolchain *toolchain = &record->toolchains[i];

		for (size_t s = 0; s < toolchain->slots.n; s++) {
			struct slot_view *slot = &view->slots[view->slot_count++];

			slot->slot = toolchain->slots.v[s];
			for (size_t k = 0; k < T_COUNT; k++)
				slot->facts[k] = facts_find(&toolchain->facts, toolchain_keys[k]);
		}
	}
}

/* Builds of a workload or slot stand together, so that the one before mostly has the answer. */
static void read_builds(struct comparable_view *view, struct arena *arena)
{
	const struct record *record = view->record;

	view->builds = arena_array(arena, record->build_count, sizeof(*view->builds));
	for (size_t i = 0; i < record->build_count; i++) {
		struct build_view *build = &view->builds[i];
		const struct build_view *before = i > 0 ? build - 1 : NULL;
		const struct record_build *of = build->build = &record->builds[i];

		build->workload = before != NULL && text_same(before->build->workload, of->workload)
					  ? before->workload
					  : record_workload(record, of->workload);
		build->slot = before != NULL && text_same(before->build->slot, of->slot)
				      ? before->slot
				      : slot_of(view, of->slot);
		for (size_t k = 0; k < B_COUNT; k++)
			build->facts[k] = facts_find(&of->facts, build_keys[k]);
	}
}

static void read_mitigations(struct comparable_view *view, struct arena *arena)
{
	const struct facts *host = &view->record->host;

	view->mitigations = arena_array(arena, host->n, sizeof(*view->mitigations));
	for (size_t i = 0; i < host->n; i++)
		if (text_starts(host->v[i].key, "kernel.mitigation.") && !text_ends(host->v[i].key, ".count"))
			view->mitigations[view->mitigation_count++] = &host->v[i];
}

struct comparable_view *comparable_view_of(const struct record *record, struct arena *arena)
{
	struct comparable_view *view = arena_new(arena, struct comparable_view);
	size_t count = comparable_host_count();

	view->record = record;
	view->host = arena_array(arena, count, sizeof(*view->host));
	for (size_t i = 0; i < count; i++) {
		view->host[i] = facts_find(&record->host, comparable_host_key(i));
		if (view->host[i] == NULL)
			view->host[i] = facts_find(&record->harness, comparable_host_key(i));
	}
	for (size_t i = 0; i < L_COUNT; i++)
		view->libc[i] = facts_find(&record->host, libc_keys[i]);
	view->cpu_flags = facts_find(&record->host, "cpu.flags");
	view->uuid = facts_find(&record->host, "product.uuid_hash");
	view->serial = facts_find(&record->host, "board.serial_hash");
	view->directory = directory_of(record, arena);
	read_mitigations(view, arena);
	read_slots(view, arena);
	read_builds(view, arena);
	return view;
}

const struct record *comparable_record(const struct comparable_view *view)
{
	return view->record;
}

bool comparable_known(const struct fact *fact)
{
	return fact != NULL && fact->value != NULL;
}

enum facing comparable_facing(const struct fact *a, const struct fact *b)
{
	if (!comparable_known(a) || !comparable_known(b))
		return comparable_known(a) || comparable_known(b) ? FACING_ONE_UNKNOWN : FACING_BOTH_UNKNOWN;
	return strcmp(a->value, b->value) == 0 ? FACING_SAME : FACING_DIFFERS;
}

/* other: NULL where it is not known. Where the two begin alike, what is shown begins near the difference. */
static const char *shown_text(const char *key, const char *value, const char *other, struct arena *arena)
{
	size_t limit = text_ends(key, "sha256") || text_ends(key, "_hash") ? HASH_SHOWN : VALUE_SHOWN;
	size_t from = 0;

	if (value[0] == '\0')
		return "nothing";
	if (strlen(value) <= limit)
		return value;
	while (other != NULL && value[from] != '\0' && value[from] == other[from])
		from++;
	/* the same text stays as it begins */
	from = from > limit / 2 && other[from] != value[from] ? from - limit / 4 : 0;
	return arena_printf(arena, "%s%.*s%s", from > 0 ? "..." : "", (int)limit, value + from,
		strlen(value + from) > limit ? "..." : "");
}

/* Words that the first list has and the second has not, so that two long lists differ visibly. */
static const char *only_words(const char *list, const char *other, struct arena *arena)
{
	struct buf out = {0};
	size_t count = 0;
	const char *text;

	for (const char *at = list; *at != '\0';) {
		size_t n = strcspn(at, " ");
		bool found = n == 0;

		for (const char *in = other; !found && *in != '\0'; in += *in == ' ') {
			size_t m = strcspn(in, " ");

			found = m == n && memcmp(at, in, n) == 0;
			in += m;
		}
		if (!found && count++ < 4)
			buf_addf(&out, "%s%.*s", count > 1 ? " " : "", (int)n, at);
		at += n + (at[n] == ' ');
	}
	if (count > 4)
		buf_addf(&out, " and %zu more", count - 4);
	text = count == 0 ? "nothing beyond it" : arena_printf(arena, "with %s", buf_text(&out));
	buf_release(&out);
	return text;
}

static const char *shown(
	const char *key, const struct fact *fact, const struct fact *other, struct arena *arena)
{
	if (!comparable_known(fact))
		return arena_printf(arena, "unknown (%s)",
			fact == NULL	       ? "not recorded"
			: fact->reason != NULL ? fact->reason
					       : "no reason was recorded");
	if (comparable_known(other) && strlen(fact->value) > VALUE_SHOWN &&
		strchr(fact->value, ' ') != NULL &&
		(text_ends(key, "features") || text_ends(key, "flags") || text_ends(key, "used") ||
			text_ends(key, "fp_model") || text_ends(key, "features_other")))
		return only_words(fact->value, other->value, arena);
	return shown_text(key, fact->value, comparable_known(other) ? other->value : NULL, arena);
}

static struct comparable_fact *add(struct comparable_facts *facts, struct arena *arena)
{
	if (facts->n == facts->cap) {
		size_t cap = facts->cap == 0 ? 8 : 2 * facts->cap;
		struct comparable_fact *v = arena_array(arena, cap, sizeof(*v));

		if (facts->n > 0)
			memcpy(v, facts->v, facts->n * sizeof(*v));
		facts->v = v;
		facts->cap = cap;
	}
	return &facts->v[facts->n++];
}

struct comparable_fact *comparable_add(struct comparable_facts *facts, struct arena *arena, const char *key,
	const struct fact *a, const struct fact *b, enum fact_part part, enum comparability worsens,
	const char *why)
{
	struct comparable_fact *fact = add(facts, arena);

	*fact = (struct comparable_fact){.key = key,
		.a = shown(key, a, b, arena),
		.b = shown(key, b, a, arena),
		.known_a = comparable_known(a),
		.known_b = comparable_known(b),
		.part = part,
		.worsens = worsens,
		.why = why};
	return fact;
}

struct comparable_fact *comparable_add_text(struct comparable_facts *facts, struct arena *arena,
	const char *key, const char *a, const char *b, enum fact_part part, enum comparability worsens,
	const char *why)
{
	struct fact left = {.key = key, .value = a}, right = {.key = key, .value = b};

	return comparable_add(
		facts, arena, key, a != NULL ? &left : NULL, b != NULL ? &right : NULL, part, worsens, why);
}

const char *comparable_fact_text(const struct comparable_fact *fact, struct arena *arena)
{
	if (strcmp(fact->a, fact->b) == 0)
		return arena_printf(arena, "%s: %s on both sides", fact->key, fact->a);
	return arena_printf(arena, "%s: %s against %s", fact->key, fact->a, fact->b);
}

const char comparable_off_axis[] = "it differs off the axis";
const char comparable_one_side[] = "known on one side only";
const char comparable_on_axis[] = "it is on the axis";

bool comparable_why_is_plain(const struct comparable_fact *fact)
{
	return fact->why == comparable_off_axis || fact->why == comparable_one_side;
}

void comparable_add_caveat(struct words *caveats, const struct comparable_fact *fact, struct arena *arena)
{
	const char *text = comparable_fact_text(fact, arena);

	if (comparable_why_is_plain(fact))
		words_add(caveats, arena, text);
	else
		words_addf(caveats, arena, "%s (%s)", text, fact->why);
}
