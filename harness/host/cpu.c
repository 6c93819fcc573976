#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/mem.h"
#include "host/probe.h"

static const char CPUINFO[] = "/proc/cpuinfo";

/* Which line of /proc/cpuinfo holds which fact, by the kernel's ways of writing it; NULL: it has none. */
enum dialect { X86, ARM, POWER, S390, RISCV, OTHER };
struct dialect_keys {
	const char *vendor, *model_name, *family, *model, *stepping, *microcode, *flags, *bugs;
};
static const struct dialect_keys dialects[] = {
	[X86] = {"vendor_id", "model name", "cpu family", "model", "stepping", "microcode", "flags", "bugs"},
	[ARM] = {NULL, "model name", "CPU implementer", "CPU part", NULL, NULL, "Features", NULL},
	[POWER] = {NULL, "cpu", NULL, NULL, "revision", NULL, NULL, NULL},
	[S390] = {"vendor_id", NULL, "machine", "version", NULL, NULL, "features", NULL},
	[RISCV] = {"mvendorid", "uarch", "mvendorid", "marchid", "mimpid", NULL, "isa", NULL},
	[OTHER] = {"vendor_id", "model name", "CPU Family", "cpu model", NULL, NULL, "Features", NULL},
};

/* Codes are of the Arm Main ID Register: implementers and parts as listed in the Arm manuals of each core. */
struct code_name {
	const char *code;
	const char *name;
};
static const struct code_name arm_implementers[] = {{"0x41", "ARM"}, {"0x42", "Broadcom"}, {"0x43", "Cavium"},
	{"0x46", "Fujitsu"}, {"0x48", "HiSilicon"}, {"0x4e", "NVIDIA"}, {"0x50", "APM"}, {"0x51", "Qualcomm"},
	{"0x53", "Samsung"}, {"0x61", "Apple"}, {"0x6d", "Microsoft"}, {"0xc0", "Ampere"}};
static const struct code_name arm_parts[] = {{"0xd03", "Cortex-A53"}, {"0xd04", "Cortex-A35"},
	{"0xd05", "Cortex-A55"}, {"0xd07", "Cortex-A57"}, {"0xd08", "Cortex-A72"}, {"0xd09", "Cortex-A73"},
	{"0xd0a", "Cortex-A75"}, {"0xd0b", "Cortex-A76"}, {"0xd0c", "Neoverse-N1"}, {"0xd0d", "Cortex-A77"},
	{"0xd40", "Neoverse-V1"}, {"0xd41", "Cortex-A78"}, {"0xd44", "Cortex-X1"}, {"0xd46", "Cortex-A510"},
	{"0xd47", "Cortex-A710"}, {"0xd48", "Cortex-X2"}, {"0xd49", "Neoverse-N2"}, {"0xd4f", "Neoverse-V2"},
	{"0xc07", "Cortex-A7"}, {"0xc08", "Cortex-A8"}, {"0xc09", "Cortex-A9"}, {"0xc0f", "Cortex-A15"}};
static const struct code_name s390_machines[] = {{"2817", "z196"}, {"2818", "z114"}, {"2827", "zEC12"},
	{"2828", "zBC12"}, {"2964", "z13"}, {"2965", "z13s"}, {"3906", "z14"}, {"3907", "z14 ZR1"},
	{"8561", "z15"}, {"8562", "z15 T02"}, {"3931", "z16"}, {"3932", "z16 A02"}};

static const char *named(const struct code_name *table, size_t count, const char *code)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].code, code) == 0)
			return table[i].name;
	return NULL;
}
#define NAMED(table, code) named((table), sizeof(table) / sizeof((table)[0]), (code))

static enum dialect dialect_of(const struct cpuinfo *info)
{
	if (cpuinfo_first(info, "CPU implementer") != NULL)
		return ARM;
	if (cpuinfo_first(info, "cpu family") != NULL && cpuinfo_first(info, "flags") != NULL)
		return X86;
	if (cpuinfo_first(info, "revision") != NULL && cpuinfo_first(info, "cpu") != NULL)
		return POWER;
	if (cpuinfo_first(info, "machine") != NULL && cpuinfo_first(info, "bogomips per cpu") != NULL)
		return S390;
	if (cpuinfo_first(info, "hart") != NULL || cpuinfo_first(info, "isa") != NULL)
		return RISCV;
	return OTHER;
}

/* Words in order and each once: kernels differ in the order, CPUs do not. */
static char *sorted_words(struct probe *probe, const char *text)
{
	char *copy = arena_strdup(probe->arena, text);
	struct words words = {0};
	struct words distinct = {0};
	char *save = NULL;

	for (char *word = strtok_r(copy, " \t", &save); word != NULL; word = strtok_r(NULL, " \t", &save))
		words_add(&words, probe->arena, word);
	if (words.n > 0)
		qsort(words.v, words.n, sizeof(*words.v), text_compare);
	for (size_t i = 0; i < words.n; i++)
		if (i == 0 || strcmp(words.v[i], words.v[i - 1]) != 0)
			words_add(&distinct, probe->arena, words.v[i]);
	return words_join(&distinct, probe->arena);
}

static void set_spread(struct probe *probe, const char *key, const char *line_key)
{
	struct spread spread = {0};

	if (line_key != NULL)
		cpuinfo_spread(probe, line_key, &spread);
	if (spread.n > 0)
		facts_set(probe->facts, key, spread_text(&spread, probe), CPUINFO);
	else if (probe->cpuinfo.reason != NULL)
		facts_unknown(probe->facts, key, CPUINFO, probe->cpuinfo.reason);
	else if (line_key != NULL)
		facts_unknown(probe->facts, key, CPUINFO,
			arena_printf(probe->arena, "it has no line \"%s\"", line_key));
	else
		facts_unknown(probe->facts, key, CPUINFO, "it does not tell this on this architecture");
}

static void set_words(struct probe *probe, const char *key, const char *line_key)
{
	struct spread spread = {0};

	if (line_key != NULL)
		for (size_t i = 0; i < probe->cpuinfo.n; i++) {
			const struct cpuinfo_line *line = &probe->cpuinfo.v[i];

			/* some hundred words a CPU: sort only what differs from the CPU before */
			if (strcmp(line->key, line_key) != 0)
				continue;
			spread_add(&spread, probe, line->value, line->cpu);
		}
	for (size_t i = 0; i < spread.n; i++)
		spread.v[i].value = sorted_words(probe, spread.v[i].value);
	if (spread.n > 0)
		facts_set(probe->facts, key, spread_text(&spread, probe), CPUINFO);
	else
		set_spread(probe, key, line_key);
}

/* For each CPU the name of its code; the code itself where the table has no name. */
static void name_codes(struct probe *probe, const char *key, const char *line_key,
	const struct code_name *table, size_t count)
{
	struct spread codes = {0};

	cpuinfo_spread(probe, line_key, &codes);
	for (size_t i = 0; i < codes.n; i++) {
		const char *name = named(table, count, codes.v[i].value);

		if (name != NULL)
			codes.v[i].value = name;
	}
	if (codes.n > 0)
		facts_set(probe->facts, key, spread_text(&codes, probe), CPUINFO);
}

static void add_arm(struct probe *probe)
{
	struct spread steppings = {0};
	const char *variant = NULL;

	name_codes(probe, "cpu.vendor", "CPU implementer", arm_implementers,
		sizeof(arm_implementers) / sizeof(arm_implementers[0]));
	/* arm64 kernels print no model name; only Arm's own part numbers are in the table */
	if (facts_value(probe->facts, "cpu.model_name") == NULL &&
		strcmp(cpuinfo_first(&probe->cpuinfo, "CPU implementer"), "0x41") == 0)
		name_codes(probe, "cpu.model_name", "CPU part", arm_parts,
			sizeof(arm_parts) / sizeof(arm_parts[0]));
	for (size_t i = 0; i < probe->cpuinfo.n; i++) {
		const struct cpuinfo_line *line = &probe->cpuinfo.v[i];

		if (strcmp(line->key, "CPU variant") == 0)
			variant = line->value;
		else if (strcmp(line->key, "CPU revision") == 0 && variant != NULL)
			spread_add(&steppings, probe,
				arena_printf(
					probe->arena, "r%lup%s", strtoul(variant, NULL, 16), line->value),
				line->cpu);
	}
	if (steppings.n > 0)
		facts_set(probe->facts, "cpu.stepping", spread_text(&steppings, probe), CPUINFO);
}

/* "2.2 (pvr 004e 1202)": the processor version register's two halves. */
static void add_power(struct probe *probe)
{
	const char *revision = cpuinfo_first(&probe->cpuinfo, "revision");
	const char *pvr = revision != NULL ? strstr(revision, "(pvr ") : NULL;

	facts_unknown(probe->facts, "cpu.vendor", CPUINFO, "it does not tell this on this architecture");
	if (pvr == NULL || strlen(pvr) < 14)
		return;
	facts_setf(probe->facts, "cpu.family", CPUINFO, "%.4s", pvr + 5);
	facts_setf(probe->facts, "cpu.model", CPUINFO, "%.4s", pvr + 10);
}

static void add_s390(struct probe *probe)
{
	const char *machine = cpuinfo_first(&probe->cpuinfo, "machine");
	const char *name = machine != NULL ? NAMED(s390_machines, machine) : NULL;

	if (name != NULL)
		facts_setf(probe->facts, "cpu.model_name", CPUINFO, "IBM %s (%s)", name, machine);
	else if (machine != NULL)
		facts_setf(probe->facts, "cpu.model_name", CPUINFO, "IBM machine type %s", machine);
}

/* cpuinfo never names the architecture: a recorded tree of an older kernel is told by what it writes there. */
static const char *inferred_arch(struct probe *probe, enum dialect dialect)
{
	const char *flags = cpuinfo_first(&probe->cpuinfo, "flags");
	const char *version = cpuinfo_first(&probe->cpuinfo, "CPU architecture");
	const char *isa = cpuinfo_first(&probe->cpuinfo, "isa");

	switch (dialect) {
	case X86:
		return flags != NULL && strstr(flags, " lm ") != NULL ? "x86_64" : "i686";
	case ARM:
		return version != NULL && (version[0] == '8' || strcmp(version, "AArch64") == 0) ? "aarch64"
												 : "arm";
	case POWER:
		return "ppc64";
	case S390:
		return "s390x";
	case RISCV:
		return isa != NULL && text_starts(isa, "rv32") ? "riscv32" : "riscv64";
	case OTHER:
		break;
	}
	return NULL;
}

static void set_arch(struct probe *probe, enum dialect dialect)
{
	const char *arch = inferred_arch(probe, dialect);
	struct utsname names;

	if (probe_file(probe, "host.arch", "/proc/sys/kernel/arch"))
		return;
	if (probe->live && uname(&names) == 0)
		facts_set(probe->facts, "host.arch", names.machine, "uname(2)");
	else if (arch != NULL)
		facts_set(probe->facts, "host.arch", arch, "the form of /proc/cpuinfo");
}

static void set_count(struct probe *probe)
{
	if (probe->online.n == 0) {
		facts_unknown(probe->facts, "cpu.online", probe->online_source,
			"neither it nor /proc/cpuinfo lists CPUs");
		facts_unknown(probe->facts, "cpu.count", probe->online_source,
			"neither it nor /proc/cpuinfo lists CPUs");
		return;
	}
	facts_set(probe->facts, "cpu.online", cpu_list_text(&probe->online, probe->arena),
		probe->online_source);
	facts_setf(probe->facts, "cpu.count", probe->online_source, "%zu", probe->online.n);
}

/* Intel's hybrid processors have one performance-counter device a kind of core, the others a single one. */
static void set_hybrid(struct probe *probe)
{
	const char *core = probe_text(probe, "/sys/devices/cpu_core/cpus", NULL);
	const char *atom = probe_text(probe, "/sys/devices/cpu_atom/cpus", NULL);

	if (core != NULL && atom != NULL)
		facts_setf(probe->facts, "cpu.hybrid",
			"/sys/devices/cpu_core/cpus, /sys/devices/cpu_atom/cpus",
			"core (cpus %s), atom (cpus %s)", core, atom);
	else if (probe_exists(probe, "/sys/devices/cpu"))
		facts_set(probe->facts, "cpu.hybrid", "no", "/sys/devices/cpu");
	else
		facts_unknown(probe->facts, "cpu.hybrid", "/sys/devices/cpu_core/cpus",
			"neither it nor /sys/devices/cpu exists");
}

void probe_cpu(struct probe *probe)
{
	static const struct probe_entry lists[] = {
		{"cpu.offline", "/sys/devices/system/cpu/offline"},
		{"cpu.possible", "/sys/devices/system/cpu/possible"},
		{"cpu.present", "/sys/devices/system/cpu/present"},
		{"cpu.isolated", "/sys/devices/system/cpu/isolated"},
		{"cpu.nohz_full", "/sys/devices/system/cpu/nohz_full"},
	};
	enum dialect dialect;
	const struct dialect_keys *keys;

	cpuinfo_read(probe);
	dialect = dialect_of(&probe->cpuinfo);
	keys = &dialects[dialect];
	set_arch(probe, dialect);
	set_spread(probe, "cpu.vendor", keys->vendor);
	set_spread(probe, "cpu.model_name", keys->model_name);
	set_spread(probe, "cpu.family", keys->family);
	set_spread(probe, "cpu.model", keys->model);
	set_spread(probe, "cpu.stepping", keys->stepping);
	set_spread(probe, "cpu.microcode", keys->microcode);
	set_words(probe, "cpu.flags", keys->flags);
	set_words(probe, "cpu.bugs", keys->bugs);
	if (dialect == ARM)
		add_arm(probe);
	else if (dialect == POWER)
		add_power(probe);
	else if (dialect == S390)
		add_s390(probe);
	set_count(probe);
	probe_files(probe, lists, sizeof(lists) / sizeof(lists[0]));
	set_hybrid(probe);
}
