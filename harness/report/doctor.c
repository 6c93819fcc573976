#include "report/doctor.h"

#include <string.h>

#include "base/num.h"
#include "report/terminal_text.h"

struct shown {
	const struct report_options *options;
	struct arena *arena;
	struct buf *out;
};

enum { ID_WIDTH = 13, STATUS_WIDTH = 8, INDENT = 2 };

static void add_text(const struct shown *s, const char *text)
{
	buf_adds(s->out, terminal_text(text, s->options->unicode, s->arena));
}

/* A paragraph that begins with a word: "why: ...", lines after the first set in. */
static void add_paragraph(const struct shown *s, const char *word, const char *text)
{
	struct report_options narrower = *s->options;

	narrower.width = terminal_width(s->options) - INDENT;
	buf_addf(s->out, "%*s", INDENT, "");
	terminal_paragraph(arena_printf(s->arena, "%s: %s", word, text), &narrower, s->out);
}

static const char *fact_text(const struct shown *s, const struct fact *fact)
{
	const char *source = fact->source != NULL ? fact->source : "not read";

	if (fact->value == NULL)
		return arena_printf(s->arena, "%s unknown: %s (%s)", fact->key,
			fact->reason != NULL ? fact->reason : "no reason", source);
	return arena_printf(
		s->arena, "%s = %s (%s)", fact->key, fact->value[0] != '\0' ? fact->value : "none", source);
}

static void add_reads(const struct shown *s, const struct host_check *check)
{
	struct words reads = {0};

	for (size_t i = 0; i < check->read_count; i++)
		words_add(&reads, s->arena, fact_text(s, &check->reads[i]));
	if (reads.n > 0)
		add_paragraph(s, "read", words_between(&reads, "; ", s->arena));
}

/* The status, the check's name and what was found, in one line however long. */
static void add_head(const struct shown *s, const struct host_check *check)
{
	static const char *const colours[] = {
		[CHECK_OK] = "32", [CHECK_CAVEAT] = "33", [CHECK_UNFIT] = "31", [CHECK_UNKNOWN] = "36"};
	const char *status = check_status_text(check->status);

	if (s->options->colour)
		buf_addf(s->out, "\033[%sm%-*s\033[0m", colours[check->status], STATUS_WIDTH, status);
	else
		buf_addf(s->out, "%-*s", STATUS_WIDTH, status);
	buf_addf(s->out, "%-*s ", ID_WIDTH, check->id);
	add_text(s, check->finding);
	buf_addc(s->out, '\n');
}

static void add_check(const struct shown *s, const struct host_check *check)
{
	bool details = s->options->verbose || check->status == CHECK_CAVEAT || check->status == CHECK_UNFIT;

	add_head(s, check);
	if (!details)
		return;
	add_reads(s, check);
	add_paragraph(s, "why", check->why);
	if (check->todo != NULL)
		add_paragraph(s, "do", check->todo);
	if (check->command != NULL) {
		buf_adds(s->out, "  $ ");
		add_text(s, check->command);
		buf_addc(s->out, '\n');
	}
}

static void add_noise(const struct shown *s, const char *name, const struct host_noise *noise)
{
	buf_addf(s->out, "  %-28s %8.2f %7.1f %7.1f %7.1f %7.1f %9.2f\n", name, noise->median_ns / 1000,
		100 * (noise->p01 - 1), 100 * (noise->q25 - 1), 100 * (noise->q75 - 1),
		100 * (noise->p99 - 1), 100 * noise->marked);
}

static void add_measured(const struct shown *s, const struct fitness *fitness)
{
	const struct host_measured *m = &fitness->measured;
	char pairs[NUM_SIZE];

	num_grouped(m->readings, pairs);
	buf_addf(s->out, "\nmeasured: %s; %.1f s on CPU%s %s, %s pairs of canaries\n",
		host_noise_text(host_noise_word(m)), m->seconds, text_plural(m->cpus),
		cpu_list_text(&fitness->cpus, s->arena), pairs);
	buf_addf(s->out, "  %-28s %8s %31s %9s\n", "", "median", "from it in %, at percentile", "disturbed");
	/* the micro sign is one column and two bytes, and printf counts bytes */
	buf_addf(s->out, "  %-28s %*s %7s %7s %7s %7s %9s\n", "canary", s->options->unicode ? 9 : 8,
		s->options->unicode ? "µs" : "us", "1", "25", "75", "99", "%");
	add_noise(s, "one chain (frequency)", &m->dep);
	add_noise(s, "wide mix (core and cache)", &m->wide);
	buf_addf(s->out, "  clock %.0f ns a reading", m->clock_ns);
	if (m->bandwidth > 0)
		buf_addf(s->out, "; memory %.1f GB/s read by all CPUs", m->bandwidth / 1e9);
	if (m->steal_percent >= 0)
		buf_addf(s->out, "; steal %.1f %%", m->steal_percent);
	if (m->interrupts_per_s >= 0)
		buf_addf(s->out, "; %.0f device interrupts/s", m->interrupts_per_s);
	buf_adds(s->out, "\n");
}

void report_doctor(const struct fitness *fitness, const struct report_options *options, struct buf *out)
{
	static const enum check_status order[] = {CHECK_UNFIT, CHECK_CAVEAT, CHECK_UNKNOWN, CHECK_OK};
	struct arena arena = {0};
	struct shown shown = {.options = options, .arena = &arena, .out = out};
	const struct host_checks *checks = &fitness->checks;

	add_text(&shown, checks->line);
	buf_addc(out, '\n');
	if (!options->quiet && fitness->is_measured)
		add_measured(&shown, fitness);
	for (size_t k = 0; !options->quiet && k < sizeof(order) / sizeof(order[0]); k++) {
		bool first = true;

		for (size_t i = 0; i < checks->n; i++) {
			if (checks->v[i].status != order[k])
				continue;
			if (first)
				buf_addc(out, '\n');
			first = false;
			add_check(&shown, &checks->v[i]);
		}
	}
	arena_release(&arena);
}
