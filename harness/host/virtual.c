#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "host/probe.h"

/* How hypervisors name themselves: CPUID leaf 0x40000000, DMI texts, and what we call them. */
struct hypervisor {
	const char *text;
	const char *name;
};
static const struct hypervisor signatures[] = {
	{"KVMKVMKVM", "kvm"},
	{"Linux KVM Hv", "kvm"},
	{"Microsoft Hv", "hyperv"},
	{"VMwareVMware", "vmware"},
	{"XenVMMXenVMM", "xen"},
	{"VBoxVBoxVBox", "virtualbox"},
	{"TCGTCGTCGTCG", "qemu"},
	{"prl hyperv", "parallels"},
	{" lrpepyh vr", "parallels"},
	{"bhyve bhyve ", "bhyve"},
	{"ACRNACRNACRN", "acrn"},
	{"QNXQVMBSQG", "qnx"},
};
static const struct hypervisor dmi_texts[] = {
	{"KVM", "kvm"},
	{"QEMU", "qemu"},
	{"VMware", "vmware"},
	{"VirtualBox", "virtualbox"},
	{"innotek GmbH", "virtualbox"},
	{"Xen", "xen"},
	{"Bochs", "bochs"},
	{"Parallels", "parallels"},
	{"BHYVE", "bhyve"},
	{"Virtual Machine", "hyperv"},
	{"Google Compute Engine", "kvm"},
	{"Amazon EC2", "amazon"},
	{"OpenStack", "kvm"},
	{"Apple Virtualization", "apple"},
};

/* The live CPU's answer; false where it has none. */
static bool ask_cpuid(const struct probe *probe, char signature[13])
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	if (!probe->live || !__get_cpuid(1, &a, &b, &c, &d) || (c & 1u << 31) == 0)
		return false;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
	signature[12] = '\0';
	return true;
#else
	(void)probe;
	(void)signature;
	return false;
#endif
}

static const char *dmi_name(struct probe *probe)
{
	static const char *const keys[] = {"product.name", "product.vendor", "board.vendor", "bios.vendor"};

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		const char *value = facts_value(probe->facts, keys[k]);

		for (size_t i = 0; value != NULL && i < sizeof(dmi_texts) / sizeof(dmi_texts[0]); i++)
			if (strstr(value, dmi_texts[i].text) != NULL)
				return dmi_texts[i].name;
	}
	return NULL;
}

static void answer(struct probe *probe, bool is_virtual, const char *hypervisor, const char *source)
{
	facts_set(probe->facts, "virt.virtual", is_virtual ? "yes" : "no", source);
	if (hypervisor != NULL)
		facts_set(probe->facts, "virt.hypervisor", hypervisor, source);
	else if (!is_virtual)
		facts_set(probe->facts, "virt.hypervisor", "none", source);
	else
		facts_unknown(probe->facts, "virt.hypervisor", source, "the hypervisor does not name itself");
}

static bool ask_signature(struct probe *probe)
{
	const char *source = "CPUID leaf 0x40000000";
	char signature[13] = "";

	if (!ask_cpuid(probe, signature))
		return false;
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
		if (text_starts(signature, signatures[i].text)) {
			answer(probe, true, signatures[i].name, source);
			return true;
		}
	answer(probe, true, signature[0] != '\0' ? text_safe(probe->arena, signature) : dmi_name(probe),
		source);
	return true;
}

/* Xen's own folder exists in its privileged domain too, which measures nearly bare hardware but is still a guest. */
static bool ask_xen(struct probe *probe)
{
	const char *type = probe_text(probe, "/sys/hypervisor/type", NULL);

	if (type == NULL)
		return false;
	answer(probe, true, type, "/sys/hypervisor/type");
	return true;
}

static bool ask_flags(struct probe *probe)
{
	const char *flags = cpuinfo_first(&probe->cpuinfo, "flags");
	bool set;

	if (flags == NULL)
		return false;
	flags = arena_printf(probe->arena, " %s ", flags);
	set = strstr(flags, " hypervisor ") != NULL;
	/* rented bare metal carries the cloud's name in DMI: without the flag the name proves nothing */
	answer(probe, set, set ? dmi_name(probe) : NULL, "/proc/cpuinfo, flag hypervisor");
	return true;
}

/* POWER guests, and Arm ones started with a device tree. */
static bool ask_device_tree(struct probe *probe)
{
	const char *path = "/proc/device-tree/hypervisor/compatible";
	const char *text = probe_text(probe, path, NULL);

	if (text == NULL)
		return false;
	answer(probe, true, strstr(text, "kvm") != NULL ? "kvm" : text, path);
	return true;
}

/* s390 is always divided; a level above the logical partition stands in /proc/sysinfo. */
static bool ask_sysinfo(struct probe *probe)
{
	const char *path = "/proc/sysinfo";
	const char *text = probe_text(probe, path, NULL);
	const char *program;

	if (text == NULL)
		return false;
	program = probe_line(probe, text, "VM00 Control Program:");
	if (program != NULL)
		answer(probe, true,
			strstr(program, "KVM") != NULL	  ? "kvm"
			: strstr(program, "z/VM") != NULL ? "zvm"
							  : program,
			path);
	else if (probe_line(probe, text, "LPAR Number:") != NULL)
		answer(probe, true, "lpar", path);
	else
		answer(probe, false, NULL, path);
	return true;
}

static bool ask_dmi(struct probe *probe)
{
	const char *name = dmi_name(probe);

	if (name == NULL || strcmp(name, "amazon") == 0)
		return false;
	answer(probe, true, name, facts_find(probe->facts, "product.name")->source);
	return true;
}

/*
 * A hypervisor makes the revision up (0x1 under KVM, 0xffffffff under Hyper-V), so that equal numbers there mean
 * nothing. The same numbers without a hypervisor mean that none was read.
 */
static void set_trust(struct probe *probe)
{
	const struct fact *microcode = facts_find(probe->facts, "cpu.microcode");
	const struct fact *is_virtual = facts_find(probe->facts, "virt.virtual");

	if (microcode->value == NULL)
		facts_unknown(probe->facts, "cpu.microcode.trust", microcode->source, microcode->reason);
	else if (is_virtual->value == NULL)
		facts_unknown(probe->facts, "cpu.microcode.trust", is_virtual->source, is_virtual->reason);
	else if (strcmp(is_virtual->value, "yes") == 0)
		facts_set(probe->facts, "cpu.microcode.trust", "untrusted: a hypervisor makes it up",
			is_virtual->source);
	else if (strcmp(microcode->value, "0x0") == 0 || strcmp(microcode->value, "0xffffffff") == 0)
		facts_setf(probe->facts, "cpu.microcode.trust", microcode->source,
			"untrusted: %s is no revision", microcode->value);
	else
		facts_set(probe->facts, "cpu.microcode.trust", "trusted", is_virtual->source);
}

void probe_virtual(struct probe *probe)
{
	static bool (*const questions[])(struct probe *) = {
		ask_xen, ask_signature, ask_flags, ask_device_tree, ask_sysinfo, ask_dmi};
	bool known = false;

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]) && !known; i++)
		known = questions[i](probe);
	if (!known) {
		const char *reason =
			"nothing here tells a virtual machine from a real one on this architecture";

		facts_unknown(probe->facts, "virt.virtual", "/proc/cpuinfo", reason);
		facts_unknown(probe->facts, "virt.hypervisor", "/proc/cpuinfo", reason);
	}
	set_trust(probe);
}
