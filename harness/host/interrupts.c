#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "host/fitness_probe.h"

/* /proc/interrupts: a column for each CPU that is online, a line for each interrupt. */

static const char PATH[] = "/proc/interrupts";

/* Columns of the CPUs asked for. */
struct columns {
	bool *wanted;
	int *cpus;
	size_t n;
};

/* "           CPU0       CPU2" */
static void read_header(
	struct probe *probe, const char *line, const struct cpu_list *cpus, struct columns *columns)
{
	size_t length = strcspn(line, "\n"), cap = length / 4 + 1;

	columns->wanted = arena_array(probe->arena, cap, sizeof(*columns->wanted));
	columns->cpus = arena_array(probe->arena, cap, sizeof(*columns->cpus));
	columns->n = 0;
	for (const char *at = line;
		(at = strstr(at, "CPU")) != NULL && at < line + length && columns->n < cap; at += 3) {
		int cpu = (int)strtol(at + 3, NULL, 10);

		columns->cpus[columns->n] = cpu;
		for (size_t i = 0; i < cpus->n; i++)
			columns->wanted[columns->n] |= cpus->v[i] == cpu;
		columns->n++;
	}
}

/* A line: its label, its counts, what stands behind them. */
struct line {
	const char *label;
	size_t label_length;
	double wanted; /* counts of the columns asked for */
	double all;
	double most; /* in one of those columns, and its CPU */
	int most_cpu;
	const char *name; /* the last word; "" when there is none */
	size_t name_length;
};

static void read_name(const char *at, struct line *line)
{
	size_t length = strcspn(at, "\n");

	while (length > 0 && isspace((unsigned char)at[length - 1]))
		length--;
	line->name = at + length;
	while (line->name > at && !isspace((unsigned char)line->name[-1]))
		line->name--;
	line->name_length = (size_t)(at + length - line->name);
}

static bool read_line(const char *text, const struct columns *columns, struct line *line)
{
	const char *at = text + strspn(text, " ");
	size_t length = strcspn(at, ":\n");

	if (at[length] != ':')
		return false;
	*line = (struct line){.label = at, .label_length = length, .most = -1, .most_cpu = -1};
	at += length + 1;
	for (size_t i = 0; i < columns->n; i++) {
		double count = 0;

		at += strspn(at, " ");
		if (!isdigit((unsigned char)*at))
			break; /* ERR and MIS have one count for all */
		while (isdigit((unsigned char)*at))
			count = 10 * count + (*at++ - '0');
		line->all += count;
		if (!columns->wanted[i])
			continue;
		line->wanted += count;
		if (count > line->most) {
			line->most = count;
			line->most_cpu = columns->cpus[i];
		}
	}
	read_name(at, line);
	return true;
}

static bool name_ends(const struct line *line, const char *end)
{
	size_t n = strlen(end);

	return line->name_length >= n && memcmp(line->name + line->name_length - n, end, n) == 0;
}

/* Numbered, and neither a CPU's own timer nor a call between CPUs, which Arm, POWER and RISC-V number too. */
static bool is_device(const struct line *line)
{
	for (size_t i = 0; i < line->label_length; i++)
		if (!isdigit((unsigned char)line->label[i]))
			return false;
	return line->label_length > 0 && !name_ends(line, "timer") && !name_ends(line, "IPI");
}

static bool is_label(const struct line *line, const char *label)
{
	return line->label_length == strlen(label) && memcmp(line->label, label, line->label_length) == 0;
}

struct totals {
	double devices;
	double machine_checks, thermal; /* of all CPUs; -1: no such line */
	struct line busiest;
	bool any_wanted; /* is one of the CPUs asked for listed? */
};

static bool read_totals(
	struct probe *probe, const struct cpu_list *cpus, struct totals *totals, const char **reason)
{
	const char *text = probe_text(probe, PATH, reason);
	struct columns columns;
	struct line line;

	*totals = (struct totals){.machine_checks = -1, .thermal = -1, .busiest = {.most = -1}};
	if (text == NULL)
		return false;
	read_header(probe, text, cpus, &columns);
	for (size_t i = 0; i < columns.n; i++)
		totals->any_wanted |= columns.wanted[i];
	for (const char *at = strchr(text, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
		if (!read_line(at + 1, &columns, &line))
			continue;
		if (is_label(&line, "MCE"))
			totals->machine_checks = line.all;
		if (is_label(&line, "TRM"))
			totals->thermal = line.all;
		if (!is_device(&line))
			continue;
		totals->devices += line.wanted;
		if (line.most > totals->busiest.most)
			totals->busiest = line;
	}
	if (!totals->any_wanted)
		*reason = "it has no column for the CPUs to be measured on";
	return totals->any_wanted;
}

double interrupts_of_devices(struct probe *probe, const struct cpu_list *cpus)
{
	const char *reason = NULL;
	struct totals totals;

	return read_totals(probe, cpus, &totals, &reason) ? totals.devices : -1;
}

static void set_count(struct probe *probe, const char *key, double count, const char *line)
{
	if (count >= 0)
		facts_setf(probe->facts, key, PATH, "%.0f", count);
	else
		facts_unknown(probe->facts, key, PATH, arena_printf(probe->arena, "it has no line %s", line));
}

void fitness_interrupts(struct probe *probe, const struct host_fitness_input *input)
{
	static const char *const keys[] = {"interrupts.device_per_s", "interrupts.busiest",
		"interrupts.machine_checks", "interrupts.thermal"};
	const char *uptime = facts_value(probe->facts, "uptime_s");
	double seconds = uptime != NULL ? strtod(uptime, NULL) : 0;
	const char *reason = NULL;
	struct totals totals;

	if (!read_totals(probe, input->cpus, &totals, &reason)) {
		for (size_t i = 0; i < 4; i++)
			facts_unknown(probe->facts, keys[i], PATH, reason);
		return;
	}
	set_count(probe, keys[2], totals.machine_checks, "MCE");
	set_count(probe, keys[3], totals.thermal, "TRM");
	if (seconds < 1) {
		facts_unknown(probe->facts, keys[0], PATH, "the time since boot is unknown");
		facts_unknown(probe->facts, keys[1], PATH, "the time since boot is unknown");
		return;
	}
	facts_setf(probe->facts, keys[0], PATH, "%.1f", totals.devices / seconds);
	if (totals.busiest.most > 0)
		facts_setf(probe->facts, keys[1], PATH, "%.*s (interrupt %.*s) on CPU %d: %.1f/s",
			(int)totals.busiest.name_length, totals.busiest.name,
			(int)totals.busiest.label_length, totals.busiest.label, totals.busiest.most_cpu,
			totals.busiest.most / seconds);
	else
		facts_set(probe->facts, keys[1], "none", PATH);
}
