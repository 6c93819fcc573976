#include "report/report.h"

#include "base/text.h"

struct lister {
	struct buf *out;
	struct arena arena;
};

static void add_heading(struct lister *l, const char *what, const char *name)
{
	buf_addf(l->out, "\n# %s%s%s\n", what, name[0] != '\0' ? " " : "", text_safe(&l->arena, name));
}

static void add_facts(struct lister *l, const struct facts *facts)
{
	for (size_t i = 0; i < facts->n; i++) {
		const struct fact *fact = &facts->v[i];
		const char *source =
			text_safe(&l->arena, fact->source != NULL ? fact->source : "source not recorded");

		buf_addf(l->out, "%s = ", text_safe(&l->arena, fact->key));
		if (fact->value == NULL)
			buf_addf(l->out, "unknown: %s",
				text_safe(&l->arena, fact->reason ? fact->reason : "no reason"));
		else
			buf_adds(l->out,
				fact->value[0] != '\0' ? text_safe(&l->arena, fact->value) : "(none)");
		buf_addf(l->out, "  (%s)\n", source);
	}
}

static void add_part(struct lister *l, const char *what, const char *name, const struct facts *facts)
{
	if (facts->n == 0)
		return;
	add_heading(l, what, name);
	add_facts(l, facts);
}

static void add_sessions(struct lister *l, const struct record *record)
{
	for (size_t i = 0; i < record->session_count; i++)
		add_part(l, "changed in the session of",
			record->sessions[i].started ? record->sessions[i].started : "?",
			&record->sessions[i].changed);
}

void report_facts(const struct record *record, struct buf *out)
{
	struct lister l = {.out = out};

	buf_addf(out, "# record %s\n", record->id[0] != '\0' ? record->id : "without an id yet");
	add_part(&l, "harness", "", &record->harness);
	add_part(&l, "project", "", &record->project);
	add_part(&l, "host", record->host_name != NULL ? record->host_name : "", &record->host);
	add_sessions(&l, record);
	for (size_t i = 0; i < record->toolchain_count; i++)
		add_part(&l, "toolchain", words_join(&record->toolchains[i].slots, &l.arena),
			&record->toolchains[i].facts);
	for (size_t i = 0; i < record->workload_count; i++)
		add_part(&l, "workload", record->workloads[i].name, &record->workloads[i].facts);
	for (size_t i = 0; i < record->build_count; i++)
		add_part(&l, "build", record->builds[i].cell, &record->builds[i].facts);
	arena_release(&l.arena);
}
