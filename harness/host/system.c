#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "host/probe.h"

/* os-release(5): NAME=value with shell quoting; the first of both files counts. */
static void set_os(struct probe *probe)
{
	static const struct {
		const char *key, *name;
	} lines[] = {{"os.id", "ID="}, {"os.name", "NAME="}, {"os.version", "VERSION_ID="}};
	const char *path = "/etc/os-release";
	const char *reason = NULL;
	const char *text = probe_text(probe, path, &reason);

	if (text == NULL) {
		path = "/usr/lib/os-release";
		text = probe_text(probe, path, NULL);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *value = text != NULL ? probe_line(probe, text, lines[i].name) : NULL;
		struct words words = {0};

		if (text == NULL)
			facts_unknown(probe->facts, lines[i].key, "/etc/os-release", reason);
		else if (value == NULL)
			facts_unknown(probe->facts, lines[i].key, path,
				arena_printf(probe->arena, "it has no line \"%s\"", lines[i].name));
		else if (words_split(&words, probe->arena, value, NULL, NULL) == 0 && words.n == 1)
			facts_set(probe->facts, lines[i].key, words.v[0], path);
		else
			facts_set(probe->facts, lines[i].key, value, path);
	}
}

/* Debian's folder for an architecture's libraries. */
static const char *multiarch(const char *arch)
{
	if (strcmp(arch, "ppc64le") == 0)
		return "powerpc64le";
	if (strcmp(arch, "i686") == 0)
		return "i386";
	return arch;
}

/* "GNU C Library (Debian GLIBC 2.36-9+deb12u10) stable release version 2.36." stands in the library itself. */
static char *glibc_banner(struct probe *probe, const char *path)
{
	const char *start = "GNU C Library (";
	char *full = arena_printf(probe->arena, "%s%s", probe->root, path);
	struct buf bytes = {0};
	char *banner = NULL;
	const char *at;

	if (file_read(full, 64 << 20, &bytes, NULL) == 0) {
		at = memmem(bytes.data, bytes.n, start, strlen(start));
		if (at != NULL)
			banner = arena_strndup(probe->arena, at, strcspn(at, "\n"));
	}
	buf_release(&bytes);
	return banner;
}

static void set_glibc(struct probe *probe, const char *path, const char *banner)
{
	const char *version = strstr(banner, "release version ");

	facts_set(probe->facts, "libc.name", "glibc", path);
	if (version != NULL) {
		version += strlen("release version ");
		facts_setf(probe->facts, "libc.version", path, "%.*s", (int)strspn(version, "0123456789."),
			version);
	}
	facts_set(probe->facts, "libc.build", banner, path);
}

/*
 * What is loaded here comes first: it is the one that this program, and what it starts, run with. A flagstone that is
 * linked statically (AT_BASE of getauxval(3): no dynamic linker) only knows its own, which is nobody else's.
 */
static void ask_libc(struct probe *probe)
{
	char text[128] = "";
	char *blank;

	if (!probe->live || getauxval(AT_BASE) == 0 || confstr(_CS_GNU_LIBC_VERSION, text, sizeof(text)) == 0)
		return;
	blank = strchr(text, ' ');
	if (blank == NULL)
		return;
	*blank = '\0';
	facts_set(probe->facts, "libc.name", text, "confstr(_CS_GNU_LIBC_VERSION)");
	facts_set(probe->facts, "libc.version", blank + 1, "confstr(_CS_GNU_LIBC_VERSION)");
}

static void strip_full_stop(struct facts *facts)
{
	const struct fact *version = facts_find(facts, "libc.version");
	size_t length = version != NULL && version->value != NULL ? strlen(version->value) : 0;

	if (length > 0 && version->value[length - 1] == '.')
		facts_setf(facts, "libc.version", version->source, "%.*s", (int)length - 1, version->value);
}

static void set_libc(struct probe *probe)
{
	const char *arch = facts_value(probe->facts, "host.arch");
	const char *reason = "no C library in the usual folders";
	const char *paths[5] = {
		NULL, "/lib64/libc.so.6", "/usr/lib64/libc.so.6", "/usr/lib/libc.so.6", "/lib/libc.so.6"};
	const char *musl;

	if (arch == NULL)
		arch = "unknown";
	paths[0] = arena_printf(probe->arena, "/lib/%s-linux-gnu/libc.so.6", multiarch(arch));
	musl = arena_printf(probe->arena, "/lib/ld-musl-%s.so.1", arch);
	facts_unknown(probe->facts, "libc.name", "/lib", reason);
	facts_unknown(probe->facts, "libc.version", "/lib", reason);
	facts_unknown(probe->facts, "libc.build", "/lib", reason);
	for (size_t i = 0; i < 5; i++) {
		const char *banner = glibc_banner(probe, paths[i]);

		if (banner != NULL) {
			set_glibc(probe, paths[i], banner);
			break;
		}
	}
	if (facts_value(probe->facts, "libc.name") == NULL && probe_exists(probe, musl)) {
		facts_set(probe->facts, "libc.name", "musl", musl);
		facts_unknown(
			probe->facts, "libc.version", musl, "musl says its version only when it is run");
	}
	strip_full_stop(probe->facts);
	ask_libc(probe);
}

static void set_power(struct probe *probe)
{
	const char *folder = "/sys/class/power_supply";
	struct words names = {0};
	const char *reason = NULL;
	const char *found = NULL;

	if (!probe_list(probe, folder, &names, &reason)) {
		facts_unknown(probe->facts, "power.source", folder, reason);
		return;
	}
	for (size_t i = 0; i < names.n; i++) {
		const char *type = probe_textf(probe, NULL, "%s/%s/type", folder, names.v[i]);
		const char *online = probe_textf(probe, NULL, "%s/%s/online", folder, names.v[i]);

		if (type == NULL || online == NULL ||
			(strcmp(type, "Mains") != 0 && strcmp(type, "USB") != 0))
			continue;
		if (strcmp(online, "1") == 0)
			found = "mains";
		else if (found == NULL && strcmp(type, "Mains") == 0)
			found = "battery";
	}
	if (found != NULL)
		facts_set(probe->facts, "power.source", found, folder);
	else
		facts_unknown(
			probe->facts, "power.source", folder, "no supply there says whether it is connected");
}

void probe_system(struct probe *probe)
{
	set_os(probe);
	set_libc(probe);
	set_power(probe);
	probe_file(probe, "power.profile", "/sys/firmware/acpi/platform_profile");
	probe_file(probe, "host.hostname", "/proc/sys/kernel/hostname");
	probe_file(probe, "boot.id", "/proc/sys/kernel/random/boot_id");
}
