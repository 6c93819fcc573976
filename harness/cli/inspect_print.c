#include "cli/inspect_print.h"

#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/table.h"
#include "cli/terminal.h"

enum { LABEL = 14, EXAMPLES = 5, MEMBERS = 24, CLAIMS = 4 };

struct printing {
	struct cli *cli;
	struct arena *arena;
	struct buf *out;
	size_t width;
};

static void add_blanks(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_addc(out, ' ');
}

/* "  label         text", broken at blanks, lines after the first one under the text. label "": none. */
static void row(struct printing *p, const char *label, const char *text)
{
	const char *safe = text_safe(p->arena, text);
	const size_t room = p->width > LABEL + 24 ? p->width - LABEL - 3 : 24;

	add_blanks(p->out, 2);
	buf_adds(p->out, label);
	add_blanks(p->out, LABEL - (strlen(label) < LABEL ? strlen(label) : LABEL) + 1);
	while (text_width(safe) > room) {
		size_t cut = 0;

		for (size_t i = 0; (i <= room || cut == 0) && safe[i] != '\0'; i++)
			if (safe[i] == ' ')
				cut = i;
		if (cut == 0)
			break;
		buf_add(p->out, safe, cut);
		buf_addc(p->out, '\n');
		add_blanks(p->out, LABEL + 5);
		safe += cut + 1;
	}
	buf_adds(p->out, safe);
	buf_addc(p->out, '\n');
}

#define rowf(p, label, ...) row((p), (label), arena_printf((p)->arena, __VA_ARGS__))

static const char *grouped(struct arena *arena, uint64_t x)
{
	char text[NUM_SIZE];

	num_grouped(x, text);
	return arena_strdup(arena, text);
}

static void print_runs(struct printing *p, const struct inspection *x, const struct inspect_cpu *cpu)
{
	const char *reason;
	enum inspect_runs runs;

	if (x->type == INSPECT_DEBUG || (x->type == INSPECT_OBJECT && !x->code_yet))
		return;
	runs = inspect_runs(x, cpu, p->arena, &reason);
	if (runs == RUNS_YES)
		row(p, "runs here", "yes: this CPU has all that it uses");
	else
		rowf(p, "runs here", "%s: %s", runs == RUNS_NO ? "no" : "unknown", reason);
}

static void print_sets(struct printing *p, const struct inspection *x)
{
	const struct code_isa *isa = &x->isa;
	const size_t most = p->cli->args.verbose ? SIZE_MAX : EXAMPLES;
	struct words more = {0};
	size_t shown = 0;

	for (size_t i = 0; i < isa->set_count; i++) {
		const struct code_isa_set *set = &isa->sets[i];

		if (set->baseline)
			continue;
		if (shown == most) {
			words_add(&more, p->arena, set->name);
			continue;
		}
		rowf(p, shown == 0 ? "instructions" : "", "%s: %s%s", set->name,
			code_isa_example_text(&set->example, p->arena),
			set->count > 1
				? arena_printf(p->arena, ", and %s more", grouped(p->arena, set->count - 1))
				: "");
		shown++;
	}
	if (shown == 0)
		row(p, "instructions", "only what every CPU of this architecture has");
	if (more.n > 0)
		rowf(p, "", "%s (--verbose shows an instruction of each)",
			words_between(&more, " ", p->arena));
}

static void print_isa(struct printing *p, const struct inspection *x)
{
	const struct code_isa *isa = &x->isa;

	if (isa->unknown != NULL) {
		rowf(p, "instructions", "unknown: %s", isa->unknown);
		return;
	}
	rowf(p, isa->dispatch != NULL ? "uses" : "needs", "%s at the %s%s%s; %s", isa->level,
		isa->dispatch != NULL ? "most" : "least",
		isa->beyond[0] != '\0' ? ", and beyond any level " : "", isa->beyond,
		isa->scalable		? "vectors of a width that the CPU sets"
		: isa->vector_bits == 0 ? "no vectors"
					: arena_printf(p->arena, "vectors of %u bits", isa->vector_bits));
	print_sets(p, x);
	if (isa->dispatch != NULL)
		rowf(p, "", "not all of it is needed: it looks at the CPU itself (%s)", isa->dispatch);
	rowf(p, "decoded", "%.1f %% of %s bytes of code, found by %s%s", 100 * code_isa_share(isa),
		grouped(p->arena, isa->code_bytes), isa->found_by,
		x->info.is_static ? "; a static program holds its C library's code, too" : "");
}

static void print_claims(struct printing *p, const struct inspection *x, bool flags)
{
	const size_t most = p->cli->args.verbose ? SIZE_MAX : CLAIMS;
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < x->claim_count; i++) {
		const struct inspect_claim *claim = &x->claims[i];

		if (claim->flags != flags)
			continue;
		if (shown == most) {
			left++;
			continue;
		}
		row(p, shown > 0 ? "" : flags ? "flags" : "compiler", claim->text);
		if (claim->units > 0)
			rowf(p, "", "  (%s of %zu of %zu sources: %s)", claim->source, claim->units, x->units,
				claim->belief);
		else
			rowf(p, "", "  (%s: %s)", claim->source, claim->belief);
		shown++;
	}
	if (left > 0)
		rowf(p, "", "and %zu more (--verbose)", left);
	if (shown == 0 && !flags)
		row(p, "compiler", "unknown: no .comment and no debug information");
	if (shown == 0 && flags)
		row(p, "flags",
			"unknown: they are written only by gcc -g, clang -grecord-command-line, and "
			"-frecord-gcc-switches");
	if (flags && x->debug_problem != NULL)
		rowf(p, "", "debug information could not all be read: %s", x->debug_problem);
	if (flags && x->silent_units > 0)
		rowf(p, "", "%zu of %zu sources do not say what compiled them", x->silent_units, x->units);
}

static void print_functions(struct printing *p, const struct inspection *x)
{
	if (x->functions_unknown != NULL && x->function_count == 0)
		rowf(p, "functions", "unknown: %s", x->functions_unknown);
	else
		rowf(p, "functions", "%zu, found by %s: %.1f %% of the code%s%s", x->function_count,
			x->found_by,
			x->code_bytes > 0 ? 100.0 * (double)x->covered_bytes / (double)x->code_bytes : 0.0,
			x->functions_unknown != NULL ? "; without hashes: " : "",
			x->functions_unknown != NULL ? x->functions_unknown : "");
}

static void print_hashes(struct printing *p, const struct inspection *x)
{
	if (x->type != INSPECT_OBJECT) {
		rowf(p, "code hash", "%s (code, constants and data as they lie)", x->info.code_hash);
	} else if (x->hash_unknown != NULL) {
		rowf(p, "code hash", "unknown: %s", x->hash_unknown);
	} else {
		row(p, "code hash", x->objects_hash);
		if (x->unpadded_unknown != NULL)
			rowf(p, "  unpadded", "unknown: %s", x->unpadded_unknown);
		else
			row(p, "  unpadded", x->unpadded_hash);
	}
	row(p, "file sha256", x->info.file_hash);
}

static void print_one(struct printing *p, const struct inspection *x, const struct inspect_cpu *cpu)
{
	const struct code_info *info = &x->info;

	buf_addf(p->out, "%s: %s\n", text_safe(p->arena, x->path), x->what);
	rowf(p, "machine", "%s, %u bit%s", info->machine, info->bits,
		info->little_endian ? "" : ", big-endian");
	print_runs(p, x, cpu);
	if (x->type != INSPECT_DEBUG)
		print_isa(p, x);
	print_claims(p, x, false);
	print_claims(p, x, true);
	if (x->type == INSPECT_PROGRAM || x->type == INSPECT_LIBRARY)
		rowf(p, "libraries", "%s%s%s",
			info->needed.n > 0 ? words_between(&info->needed, " ", p->arena) : "none",
			info->interpreter != NULL ? "; started by " : "",
			info->interpreter != NULL ? info->interpreter : "");
	if (x->type != INSPECT_OBJECT)
		row(p, "build-id", info->build_id != NULL ? info->build_id : "none");
	if (x->type != INSPECT_DEBUG)
		print_functions(p, x);
	rowf(p, "sizes", "code %s, constants %s, data %s, zeroes %s; file %s bytes",
		grouped(p->arena, info->text_bytes), grouped(p->arena, info->rodata_bytes),
		grouped(p->arena, info->data_bytes), grouped(p->arena, info->bss_bytes),
		grouped(p->arena, info->file_bytes));
	print_hashes(p, x);
}

static void print_archive(struct printing *p, const struct inspected *given)
{
	const size_t most = p->cli->args.verbose ? SIZE_MAX : MEMBERS;
	struct table table;

	buf_addf(p->out, "%s: archive of %zu object%s", text_safe(p->arena, given->path), given->n,
		text_plural(given->n));
	if (given->others > 0)
		buf_addf(p->out, " and %zu other member%s", given->others, text_plural(given->others));
	buf_addc(p->out, '\n');
	table_init(&table, p->arena, 6);
	table.right[1] = table.right[2] = true;
	for (size_t i = 0; i < given->n && i < most; i++) {
		const struct inspection *x = &given->v[i];
		const char *open = strrchr(x->path, '(');

		table_addf(&table, "  %.*s", open != NULL ? (int)(strlen(open) - 2) : 0,
			open != NULL ? open + 1 : "");
		table_addf(&table, "%s bytes", grouped(p->arena, x->info.text_bytes));
		table_addf(&table, "%zu function%s", x->function_count, text_plural(x->function_count));
		table_add(&table, x->isa.unknown != NULL ? "instructions unknown" : x->isa.level);
		table_add(&table, x->isa.unknown != NULL ? "" : x->isa.used);
		table_addf(&table, "%s %.16s", x->hash_unknown != NULL ? "no code hash" : "code",
			x->hash_unknown != NULL ? "" : x->objects_hash);
	}
	table_write(&table, p->out);
	if (given->n > most)
		buf_addf(p->out, "  and %zu more (--verbose)\n", given->n - most);
	for (size_t i = 0; i < given->broken.n; i++)
		buf_addf(p->out, "  not read: %s\n", text_safe(p->arena, given->broken.v[i]));
	if (given->n > 0)
		print_claims(p, &given->v[0], false);
	buf_addf(p->out, "  one member alone: ar x %s, then flagstone inspect MEMBER\n",
		text_safe(p->arena, given->path));
}

void inspect_print(
	struct cli *cli, const struct inspected *given, const struct inspect_cpu *cpu, struct buf *out)
{
	struct printing p = {
		.cli = cli, .arena = &cli->arena, .out = out, .width = terminal_of(STDOUT_FILENO).width};

	if (given->archive)
		print_archive(&p, given);
	else
		print_one(&p, &given->v[0], cpu);
}
