#include "session/isa_check.h"

#include <string.h>

#include "base/mem.h"
#include "code/isa.h"
#include "session/run.h"

static bool any_of(
	const struct cpu_list *some, const struct cpu_list *all, struct arena *arena, struct cpu_list *common)
{
	*common = (struct cpu_list){.v = arena_array(arena, some->n, sizeof(*common->v))};
	for (size_t i = 0; i < some->n; i++)
		for (size_t k = 0; k < all->n; k++)
			if (some->v[i] == all->v[k]) {
				common->v[common->n++] = some->v[i];
				break;
			}
	return common->n > 0;
}

/* Of "V (cpus 0-3), W (cpus 4-7)" the value and the CPUs at *at, which goes behind; a value without CPUs is all's. */
static bool next_part(const char **at, struct arena *arena, const char **value, const char **cpus)
{
	static const char mark[] = " (cpus ";
	const char *open = strstr(*at, mark), *close = open != NULL ? strchr(open, ')') : NULL;

	if (**at == '\0')
		return false;
	if (close == NULL) {
		*value = *at;
		*cpus = NULL;
		*at += strlen(*at);
		return true;
	}
	*value = arena_strndup(arena, *at, (size_t)(open - *at));
	open += strlen(mark);
	*cpus = arena_strndup(arena, open, (size_t)(close - open));
	*at = close + 1;
	if (text_starts(*at, ", "))
		*at += 2;
	return true;
}

struct checking {
	struct arena *arena;
	const struct facts *build, *host;
	const char *machine, *kernel;
	struct buf lacking, untold; /* sets */
	const char *first;	    /* set that is lacking */
	const char *without;	    /* CPUs that lack it; NULL: all */
};

static void add(struct buf *list, const char *set)
{
	buf_addf(list, "%s%s", list->n > 0 ? " " : "", set);
}

static bool in_list(const struct buf *list, const char *set)
{
	struct arena arena = {0};
	char *copy = arena_strdup(&arena, buf_text(list)), *save = NULL;
	bool found = false;

	for (char *word = strtok_r(copy, " ", &save); word != NULL && !found;
		word = strtok_r(NULL, " ", &save))
		found = strcmp(word, set) == 0;
	arena_release(&arena);
	return found;
}

/* Each set that the program uses against the flags of some CPUs. cpus NULL: of all. */
static void check_flags(struct checking *c, const char *used, const char *flags, const char *cpus)
{
	char *copy = arena_strdup(c->arena, used), *save = NULL;

	for (char *set = strtok_r(copy, " ", &save); set != NULL; set = strtok_r(NULL, " ", &save)) {
		enum code_isa_has has = code_isa_cpu_has(c->machine, set, flags, c->kernel);

		if (has == ISA_LACKS && !in_list(&c->lacking, set)) {
			add(&c->lacking, set);
			if (c->first == NULL) {
				c->first = arena_strdup(c->arena, set);
				c->without = cpus;
			}
		} else if (has == ISA_UNTOLD && !in_list(&c->untold, set)) {
			add(&c->untold, set);
		}
	}
}

/* What to build for instead, by the machine. */
static const char *advice(const struct checking *c)
{
	if (strcmp(c->machine, "x86_64") == 0)
		return "build it for this CPU (-march=native), or measure it on one that has that";
	return "build it for this CPU (-mcpu=native), or measure it on one that has that";
}

static const char *refusal(const struct checking *c)
{
	const char *example = facts_value(c->build, arena_printf(c->arena, "isa.example.%s", c->first));
	const char *kernel = code_isa_name(c->machine, c->first)->kernel;

	return arena_printf(c->arena,
		"not run: it uses %s, which %s do not have (no %s in /proc/cpuinfo), and would end in SIGILL "
		"at "
		"%s; %s",
		buf_text(&c->lacking),
		c->without != NULL ? arena_printf(c->arena, "CPUs %s", c->without) : "this machine's CPUs",
		kernel, example != NULL ? example : "an instruction that is not known", advice(c));
}

static const char *why_unknown(const struct facts *facts, const char *key)
{
	const struct fact *fact = facts_find(facts, key);

	return fact == NULL ? "not recorded" : fact->reason != NULL ? fact->reason : "not given";
}

static struct isa_answer unclear(const char *reason)
{
	return (struct isa_answer){ISA_UNCLEAR, reason};
}

/* Goes through the kinds of CPUs that these are of. */
static void check_cpus(struct checking *c, const char *used, const char *flags, const struct cpu_list *cpus)
{
	const char *value, *part;

	for (const char *at = flags; next_part(&at, c->arena, &value, &part);) {
		struct cpu_list list = {0}, common = {0};

		if (part != NULL && cpu_list_parse(part, c->arena, &list, NULL) == 0) {
			if (!any_of(cpus, &list, c->arena, &common))
				continue;
			part = cpu_list_text(&common, c->arena);
		}
		check_flags(c, used, value, part);
	}
}

static struct isa_answer judge(const struct checking *c)
{
	const char *dispatch = facts_value(c->build, "isa.dispatch");

	if (c->lacking.n > 0 && dispatch != NULL && strcmp(dispatch, "no") == 0)
		return (struct isa_answer){ISA_REFUSED, refusal(c)};
	if (c->lacking.n > 0)
		return unclear(arena_printf(c->arena,
			"it holds code with %s, which CPUs here do not have, but looks at the CPU itself "
			"(%s)",
			buf_text(&c->lacking), dispatch != NULL ? dispatch : "unknown"));
	if (c->untold.n > 0)
		return unclear(arena_printf(c->arena,
			"it uses %s, and this kernel does not tell whether the CPU has that",
			buf_text(&c->untold)));
	return (struct isa_answer){ISA_FITS, NULL};
}

struct isa_answer isa_check(
	const struct facts *build, const struct facts *host, const struct cpu_list *cpus, struct arena *arena)
{
	const char *used = facts_value(build, "isa.used"), *flags = facts_value(host, "cpu.flags");
	const char *machine = facts_value(build, "code.machine"), *arch = facts_value(host, "host.arch");
	struct checking c = {.arena = arena, .build = build, .host = host};
	struct isa_answer answer;

	if (used == NULL)
		return unclear(arena_printf(arena, "which instruction sets it uses is unknown (%s)",
			why_unknown(build, "isa.used")));
	if (strcmp(used, "none") == 0)
		return (struct isa_answer){ISA_FITS, NULL};
	if (flags == NULL)
		return unclear(arena_printf(arena, "what the CPUs here have is unknown (cpu.flags: %s)",
			why_unknown(host, "cpu.flags")));
	c.machine = text_same(machine, "x32") ? "x86_64" : machine != NULL ? machine : "";
	if (arch != NULL && strcmp(arch, c.machine) != 0)
		return unclear(
			arena_printf(arena, "it is code of %s, and this machine is %s", c.machine, arch));
	c.kernel = facts_value(host, "kernel.release");
	check_cpus(&c, used, flags, cpus);
	answer = judge(&c);
	buf_release(&c.lacking);
	buf_release(&c.untold);
	return answer;
}

/* A sentence and the cells that it is about, for one note of all. */
struct said {
	const char *text, *first;
	size_t cells;
};

struct saids {
	struct said *v;
	size_t n, cap;
};

static void say(struct saids *saids, const char *text, const char *cell)
{
	for (size_t i = 0; i < saids->n; i++)
		if (strcmp(saids->v[i].text, text) == 0) {
			saids->v[i].cells++;
			return;
		}
	vec_push(saids, (struct said){.text = text, .first = cell, .cells = 1});
}

static void check_cell(struct run *run, size_t cell, struct saids *saids)
{
	const struct record_build *build = &run->record->builds[cell];
	const struct toolchain *toolchain = run->session->plan.cells[cell].slot->toolchain;
	struct isa_answer answer;

	if (build->status != CELL_BUILT && build->status != CELL_MEASURED)
		return;
	if (toolchain != NULL && toolchain->runner.n > 0) {
		say(saids,
			arena_printf(run->arena, "it is run by %s, not by this machine's CPUs",
				toolchain->runner.v[0]),
			build->cell);
		return;
	}
	answer = isa_check(&build->facts, &run->record->host, &run->session->allowed, run->arena);
	if (answer.verdict == ISA_REFUSED)
		run_fail_cell(run, cell, CELL_RUN_FAILED, "run", answer.reason);
	else if (answer.verdict == ISA_UNCLEAR)
		say(saids, answer.reason, build->cell);
}

void run_check_isa(struct run *run)
{
	struct saids saids = {0};

	for (size_t i = 0; i < run->record->build_count; i++)
		check_cell(run, i, &saids);
	for (size_t i = 0; i < saids.n; i++) {
		const struct said *said = &saids.v[i];

		if (said->cells == 1)
			run_note(
				run, "%s was not held against what the CPU has: %s", said->first, said->text);
		else
			run_note(run, "%s and %zu more cell%s were not held against what the CPU has: %s",
				said->first, said->cells - 1, text_plural(said->cells - 1), said->text);
	}
	vec_release(&saids);
}
