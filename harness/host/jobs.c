#include <string.h>
#include <time.h>

#include "host/due.h"
#include "host/fitness_probe.h"

/* What cron and systemd will begin within the hour. */

/* Due ones so far, and what was not understood. */
struct jobs {
	struct probe *probe;
	int64_t now_s;
	struct words due;
	const char *unread; /* the first file or line that was not understood; NULL: none */
};

enum { NAMED = 6, COMMAND_LENGTH = 60 };

static void add_due(struct jobs *jobs, const char *what, int64_t at_s)
{
	int64_t minutes = (at_s - jobs->now_s + 59) / 60;

	if (at_s >= jobs->now_s && at_s - jobs->now_s <= HOST_DUE_S)
		words_addf(&jobs->due, jobs->probe->arena, "%s in %lld min", what, (long long)minutes);
}

/* The first of due ones are named; none and not all understood is unknown. */
static void set_due(struct jobs *jobs, const char *key, const char *source)
{
	struct facts *facts = jobs->probe->facts;
	struct words named = {0};

	for (size_t i = 0; i < jobs->due.n && i < NAMED; i++)
		words_add(&named, jobs->probe->arena, jobs->due.v[i]);
	if (jobs->due.n > NAMED)
		words_addf(&named, jobs->probe->arena, "%zu more", jobs->due.n - NAMED);
	if (jobs->due.n > 0)
		facts_set(facts, key, words_between(&named, ", ", jobs->probe->arena), source);
	else if (jobs->unread != NULL)
		facts_unknown(facts, key, source, jobs->unread);
	else
		facts_set(facts, key, "none", source);
}

/* Debian's hourly line runs a folder's scripts, of which there are mostly none. */
static bool runs_nothing(struct jobs *jobs, const char *command)
{
	const char *at = strstr(command, "/etc/cron.");
	struct words names = {0};
	char *folder;

	if (at == NULL || strstr(command, "run-parts") == NULL)
		return false;
	folder = arena_strndup(jobs->probe->arena, at, strcspn(at, " ;)\"'"));
	if (!probe_list(jobs->probe, folder, &names, NULL))
		return false;
	for (size_t i = 0; i < names.n; i++)
		if (strchr(names.v[i], '.') == NULL)
			return false;
	return true;
}

static void read_crontab(struct jobs *jobs, const char *path, bool has_user)
{
	struct arena *arena = jobs->probe->arena;
	const char *reason = NULL;
	char *text = probe_text(jobs->probe, path, &reason), *save = NULL;
	unsigned int number = 0;

	if (text == NULL) {
		if (strcmp(reason, "No such file or directory") != 0 && jobs->unread == NULL)
			jobs->unread = arena_printf(arena, "%s: %s", path, reason);
		return;
	}
	/* lines are counted with the empty ones, so not by strtok */
	for (char *line = text; line != NULL; line = save) {
		struct cron_entry entry;
		enum cron_kind kind;
		int64_t at;

		number++;
		save = strchr(line, '\n');
		if (save != NULL)
			*save++ = '\0';
		kind = cron_parse(line, has_user, &entry);
		if (kind == CRON_UNKNOWN && jobs->unread == NULL)
			jobs->unread = arena_printf(
				arena, "%s, line %u is no crontab line known here", path, number);
		if (kind != CRON_ENTRY || runs_nothing(jobs, entry.command))
			continue;
		at = cron_next(&entry, jobs->now_s);
		if (at >= 0)
			add_due(jobs,
				arena_printf(arena, "\"%.*s\" (%s)", COMMAND_LENGTH, entry.command, path),
				at);
	}
}

/* Editors' and package managers' left-overs, which cron skips: names with a dot or a tilde. */
static bool is_crontab_name(const char *name)
{
	return strchr(name, '.') == NULL && strchr(name, '~') == NULL;
}

static void read_crontabs(struct jobs *jobs, const char *folder, bool has_user)
{
	struct words names = {0};
	const char *reason = NULL;

	if (!probe_list(jobs->probe, folder, &names, &reason)) {
		if (strcmp(reason, "No such file or directory") != 0 && jobs->unread == NULL)
			jobs->unread = arena_printf(jobs->probe->arena, "%s: %s", folder, reason);
		return;
	}
	for (size_t i = 0; i < names.n; i++) {
		char *path = arena_printf(jobs->probe->arena, "%s/%s", folder, names.v[i]);

		/* /var/spool/cron holds the crontabs, or the folder of them */
		if (is_crontab_name(names.v[i]) && strcmp(path, "/var/spool/cron/crontabs") != 0 &&
			strcmp(path, "/var/spool/cron/lastrun") != 0)
			read_crontab(jobs, path, has_user);
	}
}

static void set_cron(struct probe *probe, int64_t now_s, const struct processes *processes)
{
	static const char *const daemons[] = {"cron", "crond", "fcron", "dcron", "bcron-sched"};
	static const char source[] = "/etc/crontab, /etc/cron.d, /var/spool/cron";
	struct jobs jobs = {.probe = probe, .now_s = now_s};
	bool runs = false;

	for (size_t i = 0; i < sizeof(daemons) / sizeof(daemons[0]); i++)
		runs |= words_have(&processes->names, daemons[i]);
	if (processes->reason == NULL && !runs) {
		facts_set(probe->facts, "due.cron", "none: no cron runs", "/proc/*/comm");
		return;
	}
	read_crontab(&jobs, "/etc/crontab", true);
	read_crontabs(&jobs, "/etc/cron.d", true);
	read_crontabs(&jobs, "/var/spool/cron/crontabs", false);
	read_crontabs(&jobs, "/var/spool/cron", false);
	/* a crontab that nobody may be there to read is no answer */
	if (processes->reason != NULL && jobs.due.n == 0 && jobs.unread == NULL)
		jobs.unread = processes->reason;
	set_due(&jobs, "due.cron", source);
}

static void set_timers(struct probe *probe, const struct host_fitness_input *input)
{
	static const char source[] = "systemctl list-timers";
	struct jobs jobs = {.probe = probe, .now_s = input->now_s};
	char *text, *save = NULL;

	if (input->timers == NULL) {
		facts_unknown(probe->facts, "due.timers", source,
			input->timers_reason != NULL ? input->timers_reason : "systemctl was not asked");
		return;
	}
	text = arena_strdup(probe->arena, input->timers);
	for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		const char *unit = NULL;
		int64_t at = 0;
		enum timer_kind kind = timer_parse(line, probe->arena, &at, &unit);

		if (kind == TIMER_DUE)
			add_due(&jobs, unit, at);
		else if (kind == TIMER_UNKNOWN && jobs.unread == NULL)
			jobs.unread = arena_printf(
				probe->arena, "a line of its output is of no known form: %.60s", line);
	}
	set_due(&jobs, "due.timers", source);
}

void fitness_jobs(
	struct probe *probe, const struct host_fitness_input *input, const struct processes *processes)
{
	set_cron(probe, input->now_s, processes);
	set_timers(probe, input);
}
