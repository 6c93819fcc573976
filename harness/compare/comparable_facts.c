/* What each input of two builds was worth to the row that was chosen: it decided, may matter, or is explained away. */
#include <string.h>

#include "base/buf.h"
#include "compare/comparable_work.h"

static const char same_code[] = "the code came out the same";
static const char not_judged[] = "recorded, not judged";

static bool is_of(const enum build_fact *list, enum build_fact fact)
{
	while (*list != B_COUNT && *list != fact)
		list++;
	return *list == fact && fact != B_COUNT;
}

/* One input: where it differs or is not known, it goes to its part. */
static void input(struct code_pair *p, const char *key, const struct fact *a, const struct fact *b,
	enum facing facing, bool on_axis, bool decides)
{
	struct comparable_facts *facts = &p->out->facts;
	bool unknown = facing == FACING_ONE_UNKNOWN || facing == FACING_BOTH_UNKNOWN;
	unsigned row = p->out->row;

	if (facing == FACING_SAME ||
		(facing == FACING_BOTH_UNKNOWN && (p->code == CODE_SAME || (row != 11 && !decides))))
		return;
	if (p->code == CODE_SAME)
		comparable_add(facts, p->arena, key, a, b, FACT_EXPLAINED, COMPARABLE, same_code);
	else if (on_axis)
		comparable_add(facts, p->arena, key, a, b,
			row >= 8 && row <= 10 && !unknown ? FACT_DECIDES : FACT_EXPLAINED, COMPARABLE,
			comparable_on_axis);
	else if (decides || row == 11)
		comparable_add(facts, p->arena, key, a, b, FACT_DECIDES,
			row == 11 ? COMPARABLE_CAVEAT : p->out->by_row,
			facing == FACING_ONE_UNKNOWN ? comparable_one_side : comparable_off_axis);
	else
		comparable_add(facts, p->arena, key, a, b, FACT_MAY_MATTER, COMPARABLE_CAVEAT,
			unknown ? comparable_one_side : comparable_off_axis);
}

static void list_option(struct code_pair *p, enum build_fact fact, bool *old_a, bool *old_b)
{
	enum build_fact in = comparable_stand_in(p, fact);
	const struct fact *a = p->a->facts[in], *b = p->b->facts[in];
	unsigned row = p->out->row;
	bool on_axis = comparable_option_on_axis(p, fact), differs = p->resolved[fact] == FACING_DIFFERS;
	bool decides = (row == 5 && is_of(comparable_row5, fact) && differs && !on_axis) ||
		       (row == 6 && fact == B_FEATURES) || (row == 7 && fact == B_TUNE);

	if (p->resolved[fact] == FACING_SAME)
		return;
	if ((a == NULL || b == NULL) && !(row == 6 && fact == B_FEATURES)) {
		*old_a = *old_a || a == NULL;
		*old_b = *old_b || b == NULL;
		return;
	}
	input(p, comparable_build_key(in), a, b, p->resolved[fact], on_axis, decides);
}

/* What only counts where both know it. */
static void list_differing(struct code_pair *p, const enum build_fact *list, bool on_axis, bool decides)
{
	for (; *list != B_COUNT; list++) {
		const struct fact *a = p->a->facts[*list], *b = p->b->facts[*list];

		if (comparable_facing(a, b) == FACING_DIFFERS)
			input(p, comparable_build_key(*list), a, b, FACING_DIFFERS, on_axis, decides);
	}
}

/* Fourteen options that an older version did not record are one line. */
static void list_options(struct code_pair *p)
{
	static const struct fact known = {.value = "known"};
	bool old_a = false, old_b = false;

	for (size_t i = 0; comparable_judged[i] != B_COUNT; i++)
		list_option(p, comparable_judged[i], &old_a, &old_b);
	if (old_a || old_b)
		input(p, "resolved options", old_a ? NULL : &known, old_b ? NULL : &known,
			old_a && old_b ? FACING_BOTH_UNKNOWN : FACING_ONE_UNKNOWN,
			comparable_option_on_axis(p, B_COUNT), false);
	list_differing(p, comparable_others, comparable_option_on_axis(p, B_COUNT), false);
	list_differing(p, comparable_hidden, false, p->out->row == 9);
}

/* Names and raw answers: whatever they say, code and resolved options are what is judged. */
static void list_names(struct code_pair *p)
{
	static const enum build_fact names[] = {B_MARCH, B_PARAMS, B_OPTIMIZERS};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct fact *a = p->a->facts[names[i]], *b = p->b->facts[names[i]];

		if (comparable_facing(a, b) == FACING_DIFFERS)
			comparable_add(&p->out->facts, p->arena, comparable_build_key(names[i]), a, b,
				FACT_EXPLAINED, COMPARABLE,
				p->code == CODE_SAME ? same_code
				: names[i] == B_MARCH
					? "only a name: features, tuning, vector width and code are "
					  "judged"
					: not_judged);
	}
}

static void list_asked(struct code_pair *p)
{
	static const enum build_fact asked[] = {B_CFLAGS, B_CXXFLAGS, B_LDFLAGS};
	static const struct fact none = {.value = ""};

	for (size_t i = 0; i < 3; i++) {
		const struct fact *a = p->a->facts[asked[i]], *b = p->b->facts[asked[i]];
		const char *x = comparable_known(a) ? a->value : "", *y = comparable_known(b) ? b->value : "";

		if (strcmp(x, y) != 0)
			input(p, comparable_build_key(asked[i]), comparable_known(a) ? a : &none,
				comparable_known(b) ? b : &none, FACING_DIFFERS, p->axis == AXIS_FLAGS,
				false);
	}
	if (p->asked == FACING_BOTH_UNKNOWN)
		input(p, "build.cflags", p->a->facts[B_CFLAGS], p->b->facts[B_CFLAGS], FACING_BOTH_UNKNOWN,
			false, false);
}

static const struct fact *slot_fact(const struct build_view *build, enum toolchain_fact fact)
{
	return build->slot != NULL ? build->slot->facts[fact] : NULL;
}

/* A part of the toolchain: its version, else its file where that alone differs. */
static void list_part(struct code_pair *p, enum toolchain_fact version, enum toolchain_fact file,
	enum facing facing, bool decides)
{
	const struct fact *a = slot_fact(p->a, version), *b = slot_fact(p->b, version);
	enum toolchain_fact shown = version;

	if (facing == FACING_DIFFERS && comparable_facing(a, b) != FACING_DIFFERS) {
		a = slot_fact(p->a, file);
		b = slot_fact(p->b, file);
		shown = file;
	}
	input(p, comparable_toolchain_key(shown), a, b, facing, p->axis == AXIS_COMPILER, decides);
}

static void list_compiler(struct code_pair *p)
{
	static const enum toolchain_fact parts[] = {T_FAMILY, T_VERSION, T_TARGET, T_CC1, T_DRIVER};
	bool seven = p->out->row == 7, differs = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct fact *a = slot_fact(p->a, parts[i]), *b = slot_fact(p->b, parts[i]);
		enum facing facing = comparable_facing(a, b);

		/* where the version differs, so do the files */
		if (facing == FACING_DIFFERS && (parts[i] < T_CC1 || !differs)) {
			input(p, comparable_toolchain_key(parts[i]), a, b, facing, p->axis == AXIS_COMPILER,
				seven);
			differs = true;
		} else if (facing == FACING_ONE_UNKNOWN && parts[i] <= T_VERSION) {
			input(p, comparable_toolchain_key(parts[i]), a, b, facing, p->axis == AXIS_COMPILER,
				false);
		}
	}
	if (p->compiler == FACING_BOTH_UNKNOWN)
		input(p, "toolchain.version", NULL, NULL, FACING_BOTH_UNKNOWN, p->axis == AXIS_COMPILER,
			false);
	if (p->assembler == FACING_DIFFERS)
		list_part(p, T_ASSEMBLER, T_ASSEMBLER_FILE, p->assembler, false);
}

static void list_source(struct code_pair *p)
{
	const struct record_workload *a = p->a->workload, *b = p->b->workload;
	const char *x = a != NULL ? a->content_hash : NULL, *y = b != NULL ? b->content_hash : NULL;
	struct fact left = {.value = x}, right = {.value = y};

	input(p, "workload.content_hash", x != NULL ? &left : NULL, y != NULL ? &right : NULL, p->source,
		p->axis == AXIS_SOURCE, false);
}

static void list_linker(struct code_pair *p, enum fact_part part, enum comparability worsens)
{
	const struct fact *a = slot_fact(p->a, T_LINKER), *b = slot_fact(p->b, T_LINKER);
	enum toolchain_fact fact = comparable_facing(a, b) == FACING_SAME ? T_LINKER_FILE : T_LINKER;

	if (p->linker != FACING_SAME && p->axis == AXIS_COMPILER && p->code != CODE_SAME)
		list_part(p, T_LINKER, T_LINKER_FILE, p->linker, false);
	else if (p->linker != FACING_SAME && (p->code == CODE_SAME || p->linker != FACING_BOTH_UNKNOWN))
		comparable_add(&p->out->facts, p->arena, comparable_toolchain_key(fact),
			slot_fact(p->a, fact), slot_fact(p->b, fact), part, worsens,
			p->linker == FACING_DIFFERS ? "it places code and chooses what is linked"
						    : "not known to be the same");
	else if (p->same_image && comparable_facing(a, b) == FACING_DIFFERS)
		comparable_add(&p->out->facts, p->arena, comparable_toolchain_key(T_LINKER), a, b,
			FACT_EXPLAINED, COMPARABLE, same_code);
}

static void list_libc(struct code_pair *p, enum fact_part part, enum comparability worsens)
{
	const struct fact *a = p->va->libc[L_VERSION], *b = p->vb->libc[L_VERSION];

	if (comparable_facing(a, b) == FACING_DIFFERS || p->libc != FACING_DIFFERS)
		comparable_add(&p->out->facts, p->arena, "libc.version", a, b, part, worsens,
			p->libc == FACING_DIFFERS ? "the program calls it" : "not known to be the same");
	else if (comparable_facing(p->va->libc[L_BUILD], p->vb->libc[L_BUILD]) == FACING_DIFFERS)
		comparable_add(&p->out->facts, p->arena, "libc.build", p->va->libc[L_BUILD],
			p->vb->libc[L_BUILD], part, worsens, "the program calls it");
	else
		comparable_add(&p->out->facts, p->arena, "toolchain.libc.sha256",
			slot_fact(p->a, T_LIBC_FILE), slot_fact(p->b, T_LIBC_FILE), part, worsens,
			"the program calls it");
}

/* Linker and C library: what decides between the rows of equal code. */
static void list_around(struct code_pair *p)
{
	bool three = p->out->row == 3 || (p->out->row == 1 && p->libc != FACING_SAME);
	enum comparability worsens = p->out->row == 1 || p->out->row == 2 ? COMPARABLE : COMPARABLE_CAVEAT;
	enum fact_part part = three ? FACT_DECIDES : worsens == COMPARABLE ? FACT_EXPLAINED : FACT_MAY_MATTER;

	list_linker(p, part, worsens);
	if (p->libc != FACING_SAME)
		list_libc(p, part, worsens);
}

static const char *code_why(const struct code_pair *p)
{
	static const char *const whys[] = {[CODE_SAME] = "the same code",
		[CODE_UNPADDED] = "the same code when padding is dropped",
		[CODE_OTHER] = "other code",
		[CODE_UNKNOWN] = "whether the code is the same is not known"};

	return p->code == CODE_OTHER && (p->out->row == 8 || p->out->row == 10)
		       ? "other code, as the axis would have it"
		       : whys[p->code];
}

/* What the code decoded to. */
static void list_isa(struct code_pair *p)
{
	bool bars = p->out->by_row == INCOMPARABLE;

	for (enum build_fact isa = B_ISA_USED; isa <= B_ISA_BITS && p->code == CODE_OTHER; isa++)
		if (comparable_facing(p->a->facts[isa], p->b->facts[isa]) == FACING_DIFFERS)
			comparable_add(&p->out->facts, p->arena, comparable_build_key(isa), p->a->facts[isa],
				p->b->facts[isa], bars ? FACT_DECIDES : FACT_EXPLAINED,
				bars ? INCOMPARABLE : COMPARABLE, "found in the code");
}

/* The code itself: on which evidence it is the same, or not. */
static void list_code(struct code_pair *p)
{
	const struct record_build *a = p->a->build, *b = p->b->build;
	enum build_fact fact = p->same_file && comparable_known(p->a->facts[B_FILE]) ? B_FILE : B_OBJECTS;
	const struct fact *x = p->a->facts[fact], *y = p->b->facts[fact];
	bool on_axis = p->out->row == 8 || p->out->row == 10,
	     objects = comparable_known(x) && comparable_known(y);
	enum comparability worsens = p->code == CODE_SAME || on_axis ? COMPARABLE : p->out->by_row;
	enum fact_part part = on_axis ? FACT_EXPLAINED : FACT_DECIDES;

	if (p->same_file && a->build_id != NULL && text_same(a->build_id, b->build_id))
		comparable_add_text(&p->out->facts, p->arena, "build_id", a->build_id, b->build_id, part,
			COMPARABLE, "the same file");
	else
		comparable_add_text(&p->out->facts, p->arena,
			objects ? comparable_build_key(fact) : "code_hash", objects ? x->value : a->code_hash,
			objects ? y->value : b->code_hash, part, worsens, code_why(p));
	list_isa(p);
}

/* "gcc 12.2.0: cooperlake, tuned for generic, 512-bit vectors" */
static const char *native_answer(const struct build_view *build, struct arena *arena)
{
	const struct fact *family = slot_fact(build, T_FAMILY), *version = slot_fact(build, T_VERSION);
	const struct fact *march = build->facts[B_MARCH], *tune = build->facts[B_TUNE];
	const struct fact *width = build->facts[B_VECTOR_WIDTH];
	struct buf out = {0};
	const char *text;

	if (!comparable_known(tune))
		tune = build->facts[B_MTUNE];
	buf_addf(&out, "%s%s%s: ", comparable_known(family) ? family->value : "the compiler",
		comparable_known(version) ? " " : "", comparable_known(version) ? version->value : "");
	if (!comparable_known(march) && !comparable_known(tune) && !comparable_known(width))
		buf_adds(&out, "its answer was not recorded");
	else
		buf_adds(&out, comparable_known(march) ? march->value : "no name");
	if (comparable_known(tune))
		buf_addf(&out, ", tuned for %s", tune->value);
	if (comparable_known(width))
		buf_addf(&out, ", %s%s vectors", width->value,
			width->value[strspn(width->value, "0123456789")] == '\0' ? "-bit" : "");
	text = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return text;
}

void comparable_list_facts(struct code_pair *p)
{
	list_compiler(p);
	list_options(p);
	list_asked(p);
	list_source(p);
	list_around(p);
	list_code(p);
	list_names(p);
	if (p->native && p->code != CODE_SAME) {
		p->out->native_a = native_answer(p->a, p->arena);
		p->out->native_b = native_answer(p->b, p->arena);
	}
}
