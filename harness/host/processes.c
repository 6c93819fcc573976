#include <stdlib.h>
#include <string.h>

#include "host/fitness_probe.h"

/* Which programs run, from /proc/N/comm, and what they and their configuration say. */

static bool is_number(const char *name)
{
	return name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
}

void processes_read(struct probe *probe, struct processes *processes)
{
	struct words entries = {0};
	const char *reason = NULL;

	*processes = (struct processes){0};
	/* mounted with hidepid, /proc shows one's own processes only */
	if (probe_text(probe, "/proc/1/comm", &reason) == NULL) {
		processes->reason = arena_printf(
			probe->arena, "not all processes are seen here (/proc/1/comm: %s)", reason);
		return;
	}
	if (!probe_list(probe, "/proc", &entries, &processes->reason))
		return;
	for (size_t i = 0; i < entries.n; i++) {
		const char *name = is_number(entries.v[i])
					   ? probe_textf(probe, NULL, "/proc/%s/comm", entries.v[i])
					   : NULL;

		if (name != NULL && !words_have(&processes->names, name))
			words_add(&processes->names, probe->arena, name);
	}
}

/* Does a line of rules ask for system calls to be watched? "-a always,exit -F arch=b64 -S open" */
static bool is_syscall_rule(const char *line)
{
	line += strspn(line, " \t");
	return (text_starts(line, "-a ") || text_starts(line, "-A ")) && strstr(line, "never") == NULL &&
	       strstr(line, "-S ") != NULL;
}

/* "-a never,task" is what makes audit cost nothing. */
static bool is_off_rule(const char *line)
{
	line += strspn(line, " \t");
	return text_starts(line, "-a never,task") || text_starts(line, "-a task,never");
}

struct rules {
	unsigned int syscalls;
	bool off, found;
	const char *reason; /* why they are not known; NULL: they are */
};

static void read_rules(struct probe *probe, const char *path, struct rules *rules)
{
	const char *reason = NULL;
	char *text = probe_text(probe, path, &reason);
	char *save = NULL;

	if (text == NULL) {
		if (strcmp(reason, "No such file or directory") != 0 && rules->reason == NULL)
			rules->reason = arena_printf(probe->arena, "%s: %s", path, reason);
		return;
	}
	rules->found = true;
	for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		rules->syscalls += is_syscall_rule(line);
		rules->off |= is_off_rule(line);
	}
}

/* augenrules(8) writes rules.d together into audit.rules, which is what is loaded. */
static void set_rules(struct probe *probe)
{
	static const char path[] = "/etc/audit/audit.rules";
	struct rules rules = {0};

	read_rules(probe, path, &rules);
	if (rules.found && rules.off)
		facts_set(probe->facts, "audit.rules", "0", path);
	else if (rules.found)
		facts_setf(probe->facts, "audit.rules", path, "%u", rules.syscalls);
	else
		facts_unknown(probe->facts, "audit.rules", path,
			rules.reason != NULL ? rules.reason : "No such file or directory");
}

void fitness_audit(struct probe *probe, const struct processes *processes)
{
	if (processes->reason != NULL)
		facts_unknown(probe->facts, "audit.daemon", "/proc/*/comm", processes->reason);
	else
		facts_set(probe->facts, "audit.daemon",
			words_have(&processes->names, "auditd") ? "running" : "not running", "/proc/*/comm");
	set_rules(probe);
}

/* The last value of an apt setting, as `NAME "value";` sets it; NULL: none. */
static const char *apt_setting(struct probe *probe, const struct words *files, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < files->n; i++) {
		const char *text = probe_textf(probe, NULL, "/etc/apt/apt.conf.d/%s", files->v[i]);
		const char *value = text != NULL ? probe_line(probe, text, name) : NULL;

		if (value != NULL && (value = strchr(value, '"')) != NULL)
			found = arena_strndup(probe->arena, value + 1, strcspn(value + 1, "\"\n"));
	}
	return found;
}

/* APT { Periodic { ... } }: the form of several lines, which is not read here. */
static bool apt_nests(struct probe *probe, const struct words *files)
{
	for (size_t i = 0; i < files->n; i++) {
		const char *text = probe_textf(probe, NULL, "/etc/apt/apt.conf.d/%s", files->v[i]);
		const char *at = text != NULL ? strstr(text, "Periodic") : NULL;

		if (at != NULL && at[strlen("Periodic") + strspn(at + strlen("Periodic"), " \t\n")] == '{')
			return true;
	}
	return false;
}

/* apt: whether something is done by itself, of what is configured; false: no such configuration. */
static bool set_apt(struct probe *probe)
{
	static const char folder[] = "/etc/apt/apt.conf.d";
	struct words files = {0};
	const char *enable, *upgrade, *list, *reason = NULL;

	if (!probe_list(probe, folder, &files, &reason)) {
		if (strcmp(reason, "No such file or directory") == 0)
			return false;
		facts_unknown(probe->facts, "updates.automatic", folder, reason);
		return true;
	}
	if (apt_nests(probe, &files)) {
		facts_unknown(probe->facts, "updates.automatic", folder,
			"a file there has APT::Periodic in the form with braces, which is not read here");
		return true;
	}
	enable = apt_setting(probe, &files, "APT::Periodic::Enable");
	upgrade = apt_setting(probe, &files, "APT::Periodic::Unattended-Upgrade");
	list = apt_setting(probe, &files, "APT::Periodic::Update-Package-Lists");
	if (enable != NULL && strcmp(enable, "0") == 0)
		upgrade = list = NULL;
	facts_set(probe->facts, "updates.automatic",
		upgrade != NULL && strcmp(upgrade, "0") != 0 ? "apt installs upgrades by itself"
		: list != NULL && strcmp(list, "0") != 0     ? "apt fetches package lists by itself"
							     : "off",
		folder);
	return true;
}

static bool set_dnf(struct probe *probe)
{
	static const char path[] = "/etc/dnf/automatic.conf";
	const char *text = probe_text(probe, path, NULL);
	const char *apply = text != NULL ? probe_line(probe, text, "apply_updates") : NULL;

	if (text == NULL)
		return false;
	facts_set(probe->facts, "updates.automatic",
		apply != NULL && strstr(apply, "yes") != NULL ? "dnf-automatic installs upgrades by itself"
							      : "off",
		path);
	return true;
}

void fitness_updates(struct probe *probe, const struct processes *processes)
{
	/* names as the kernel cuts them, after 15 letters */
	static const char *const workers[] = {"apt", "apt-get", "aptitude", "apt.systemd.dai", "dpkg", "dnf",
		"dnf5", "dnf-automatic", "yum", "rpm", "zypper", "pacman", "apk", "packagekitd", "updatedb",
		"updatedb.mlocat", "updatedb.plocat", "mandb", "fstrim", "clamscan", "freshclam", "e2scrub",
		"xfs_scrub", "btrfs"};
	struct words found = {0};

	if (!set_apt(probe) && !set_dnf(probe))
		facts_unknown(probe->facts, "updates.automatic",
			"/etc/apt/apt.conf.d, /etc/dnf/automatic.conf",
			"neither exists: how this system updates itself is not known");
	if (processes->reason != NULL) {
		facts_unknown(probe->facts, "updates.running", "/proc/*/comm", processes->reason);
		return;
	}
	for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
		if (words_have(&processes->names, workers[i]))
			words_add(&found, probe->arena, workers[i]);
	facts_set(probe->facts, "updates.running",
		found.n > 0 ? words_between(&found, ", ", probe->arena) : "none", "/proc/*/comm");
}
