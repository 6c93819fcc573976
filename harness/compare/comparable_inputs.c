/* What went into two builds: source, compiler, flags asked for and what they resolved to, linker, C library. */
#include <string.h>

#include "compare/comparable_work.h"
#include "stats/paired.h"

const enum build_fact comparable_row5[] = {B_ARCH, B_FEATURES, B_VECTOR_WIDTH, B_OPT_LEVEL, B_FP_MODEL, B_LTO,
	B_PGO, B_SANITIZERS, B_STATIC, B_COUNT};
const enum build_fact comparable_judged[] = {B_ARCH, B_FEATURES, B_VECTOR_WIDTH, B_OPT_LEVEL, B_FP_MODEL,
	B_LTO, B_PGO, B_SANITIZERS, B_STATIC, B_TUNE, B_MOVE_MAX, B_STORE_MAX, B_CACHE_LINE, B_PIE, B_COUNT};

const enum build_fact comparable_others[] = {B_FEATURES_OTHER, B_PIC, B_HARDENING, B_COUNT};
const enum build_fact comparable_hidden[] = {B_CONFIG_FILES, B_HIDDEN, B_COUNT};

static bool both_known(const struct code_pair *p, enum build_fact fact)
{
	return comparable_known(p->a->facts[fact]) && comparable_known(p->b->facts[fact]);
}

enum build_fact comparable_stand_in(const struct code_pair *p, enum build_fact fact)
{
	static const struct {
		enum build_fact fact, in;
	} others[] = {{B_ARCH, B_MACHINE}, {B_STATIC, B_CODE_STATIC}, {B_TUNE, B_MTUNE}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].fact == fact && !both_known(p, fact) && both_known(p, others[i].in))
			return others[i].in;
	return fact;
}

/* An architecture is no compiler's answer. */
bool comparable_option_on_axis(const struct code_pair *p, enum build_fact fact)
{
	if (fact == B_ARCH)
		return p->axis == AXIS_FLAGS;
	return p->axis == AXIS_FLAGS || (p->axis == AXIS_COMPILER && p->asked == FACING_SAME);
}

static const struct fact *slot_fact(const struct build_view *build, enum toolchain_fact fact)
{
	return build->slot != NULL ? build->slot->facts[fact] : NULL;
}

static enum facing slot_facing(const struct code_pair *p, enum toolchain_fact fact)
{
	return comparable_facing(slot_fact(p->a, fact), slot_fact(p->b, fact));
}

/* Several facts as one: differs if one does, same if one that is known on both sides is and none is known on one. */
static enum facing together(const enum facing *v, size_t n)
{
	bool same = false, one = false;

	for (size_t i = 0; i < n; i++) {
		if (v[i] == FACING_DIFFERS)
			return FACING_DIFFERS;
		same = same || v[i] == FACING_SAME;
		one = one || v[i] == FACING_ONE_UNKNOWN;
	}
	return one ? FACING_ONE_UNKNOWN : same ? FACING_SAME : FACING_BOTH_UNKNOWN;
}

/* A version that both know is enough; hashes of files make it another one where they differ. */
static enum facing by_version(
	const struct code_pair *p, enum toolchain_fact version, enum toolchain_fact file)
{
	enum facing named = slot_facing(p, version), hashed = slot_facing(p, file);

	if (named == FACING_DIFFERS || hashed == FACING_DIFFERS)
		return FACING_DIFFERS;
	return named == FACING_SAME || hashed == FACING_SAME ? FACING_SAME : named;
}

static enum facing compiler_facing(const struct code_pair *p)
{
	const enum facing hashes[] = {slot_facing(p, T_CC1), slot_facing(p, T_DRIVER)};
	const enum facing names[] = {
		slot_facing(p, T_FAMILY), slot_facing(p, T_VERSION), slot_facing(p, T_TARGET)};
	enum facing named = together(names, 3);

	if (named == FACING_DIFFERS || together(hashes, 2) == FACING_DIFFERS)
		return FACING_DIFFERS;
	return named;
}

/* Flags that were not asked for are absent or empty. */
static enum facing asked_facing(const struct code_pair *p)
{
	static const enum build_fact asked[] = {B_CFLAGS, B_CXXFLAGS, B_LDFLAGS};
	bool known = false;

	for (size_t i = 0; i < 3; i++) {
		const struct fact *a = p->a->facts[asked[i]], *b = p->b->facts[asked[i]];
		const char *x = comparable_known(a) ? a->value : "", *y = comparable_known(b) ? b->value : "";

		if (strcmp(x, y) != 0)
			return FACING_DIFFERS;
		known = known || (comparable_known(a) && comparable_known(b));
	}
	return known ? FACING_SAME : FACING_BOTH_UNKNOWN;
}

static enum facing source_facing(const struct code_pair *p)
{
	const struct record_workload *a = p->a->workload, *b = p->b->workload;
	const char *x = a != NULL ? a->content_hash : NULL, *y = b != NULL ? b->content_hash : NULL;

	if (x == NULL || y == NULL)
		return x == NULL && y == NULL ? FACING_BOTH_UNKNOWN : FACING_ONE_UNKNOWN;
	return strcmp(x, y) == 0 ? FACING_SAME : FACING_DIFFERS;
}

static bool is_static(const struct build_view *build)
{
	const struct fact *resolved = build->facts[B_STATIC], *linked = build->facts[B_CODE_STATIC];
	const struct fact *fact = comparable_known(linked) ? linked : resolved;

	return comparable_known(fact) && strcmp(fact->value, "yes") == 0;
}

/*
 * The C library that runs: the host's, and that of the toolchain, whose headers and static library are in the code.
 * A static program has its own in it.
 */
static enum facing libc_facing(const struct code_pair *p)
{
	const enum facing dynamic[] = {comparable_facing(p->va->libc[L_NAME], p->vb->libc[L_NAME]),
		comparable_facing(p->va->libc[L_VERSION], p->vb->libc[L_VERSION]),
		comparable_facing(p->va->libc[L_BUILD], p->vb->libc[L_BUILD]), slot_facing(p, T_LIBC),
		slot_facing(p, T_LIBC_FILE)};
	enum facing known = FACING_BOTH_UNKNOWN;

	if (is_static(p->a) && is_static(p->b))
		return p->same_image ? FACING_SAME : by_version(p, T_LIBC, T_LIBC_STATIC);
	for (size_t i = 0; i < sizeof(dynamic) / sizeof(dynamic[0]); i++) {
		if (dynamic[i] == FACING_DIFFERS)
			return FACING_DIFFERS;
		if (dynamic[i] == FACING_SAME && i > 0)
			known = FACING_SAME;
		else if (known != FACING_SAME && dynamic[i] == FACING_ONE_UNKNOWN)
			known = FACING_ONE_UNKNOWN;
	}
	return known;
}

/* tcc takes -march=native and does nothing with it. */
static bool wants_native(const struct build_view *build)
{
	const struct fact *resolved = build->facts[B_NATIVE], *flags = build->facts[B_CFLAGS];
	const struct fact *ignored = build->facts[B_IGNORED];

	if (comparable_known(ignored) && strstr(ignored->value, "=native") != NULL)
		return false;
	if (comparable_known(resolved))
		return strcmp(resolved->value, "yes") == 0;
	return comparable_known(flags) && (strstr(flags->value, "-march=native") != NULL ||
						  strstr(flags->value, "-mcpu=native") != NULL ||
						  strstr(flags->value, "-mtune=native") != NULL);
}

/* Records from before options were resolved in canonical form list other macros, which only one compiler spells alike. */
static bool features_of_one_form(const struct code_pair *p)
{
	bool new_a = p->a->facts[B_OPT_LEVEL] != NULL, new_b = p->b->facts[B_OPT_LEVEL] != NULL;

	return new_a && new_b ? true : !new_a && !new_b && p->compiler == FACING_SAME;
}

static void read_options(struct code_pair *p)
{
	for (size_t i = 0; comparable_judged[i] != B_COUNT; i++) {
		enum build_fact fact = comparable_judged[i], in = comparable_stand_in(p, fact);

		p->resolved[fact] = comparable_facing(p->a->facts[in], p->b->facts[in]);
		if (p->resolved[fact] != FACING_SAME && p->by_request && p->resolved[fact] != FACING_DIFFERS)
			p->resolved[fact] = FACING_SAME;
	}
	/* an older record's list of features, and its widths in the compiler's own words */
	if (!features_of_one_form(p) && !p->by_request) {
		p->resolved[B_FEATURES] = FACING_ONE_UNKNOWN;
		p->resolved[B_VECTOR_WIDTH] = FACING_ONE_UNKNOWN;
	}
	/* the same flags name the same set, unless they say "what this CPU has" */
	if (p->resolved[B_FEATURES] >= FACING_ONE_UNKNOWN && p->asked == FACING_SAME && !p->native &&
		p->resolved[B_ARCH] == FACING_SAME)
		p->resolved[B_FEATURES] = FACING_SAME;
	p->features_known =
		p->resolved[B_FEATURES] == FACING_SAME || p->resolved[B_FEATURES] == FACING_DIFFERS;
}

void comparable_read_pair(struct code_pair *p)
{
	p->source = source_facing(p);
	p->compiler = compiler_facing(p);
	p->asked = asked_facing(p);
	p->assembler = by_version(p, T_ASSEMBLER, T_ASSEMBLER_FILE);
	p->headers = by_version(p, T_LIBC, T_LIBC_FILE);
	p->native = wants_native(p->a) || wants_native(p->b);
	p->by_request = p->compiler == FACING_SAME && p->asked == FACING_SAME && !p->native;
	p->layouts_averaged = p->a->build->layout_count >= STATS_MIN_LAYOUTS &&
			      p->b->build->layout_count >= STATS_MIN_LAYOUTS;
	comparable_read_code(p);
	p->linker = p->same_image ? FACING_SAME : by_version(p, T_LINKER, T_LINKER_FILE);
	p->libc = libc_facing(p);
	read_options(p);
}
