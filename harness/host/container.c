#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "host/probe.h"

/* Markers that engines leave: a file that exists, or a text in the control group's path. */
static const char *marker_file(struct probe *probe, const char **kind)
{
	static const struct {
		const char *path, *kind;
	} files[] = {{"/.dockerenv", "docker"}, {"/run/.containerenv", "podman"},
		{"/var/run/secrets/kubernetes.io", "kubernetes"}, {"/dev/lxd", "lxd"}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (probe_exists(probe, files[i].path)) {
			*kind = files[i].kind;
			return files[i].path;
		}
	return NULL;
}

static const char *group_kind(const char *groups)
{
	static const char *const texts[][2] = {{"/kubepods", "kubernetes"}, {"/docker", "docker"},
		{"/libpod", "podman"}, {"/lxc", "lxc"}, {"/crio-", "cri-o"},
		{"/machine.slice/machine-", "nspawn"}, {"containerd", "containerd"}};

	for (size_t i = 0; groups != NULL && i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *at = strstr(groups, texts[i][0]);

		/* "/system.slice/docker.service" and the like are services of the host */
		if (at != NULL && !text_starts(at + strlen(texts[i][0]), ".service"))
			return texts[i][1];
	}
	return NULL;
}

/* The value of "container=" in the environment of process 1, entries end with NULs; "" when it has none. */
static const char *init_environment(struct probe *probe, const char **reason)
{
	char *full = arena_printf(probe->arena, "%s/proc/1/environ", probe->root);
	const char *name = "container=";
	struct buf bytes = {0};
	struct error e = {0};
	const char *found = "";

	if (file_read(full, 1 << 20, &bytes, &e) != 0) {
		probe_text(probe, "/proc/1/environ", reason);
		buf_release(&bytes);
		return NULL;
	}
	for (size_t at = 0; at < bytes.n; at += strlen(bytes.data + at) + 1)
		if (text_starts(bytes.data + at, name))
			found = arena_strdup(probe->arena, bytes.data + at + strlen(name));
	buf_release(&bytes);
	return found;
}

void probe_container(struct probe *probe)
{
	const char *key = "container.kind";
	const char *kind = NULL;
	const char *reason = NULL;
	const char *path = marker_file(probe, &kind);
	const char *said = probe_text(probe, "/run/systemd/container", NULL);
	const char *group = group_kind(probe_text(probe, "/proc/self/cgroup", NULL));
	const char *environment = init_environment(probe, &reason);
	const char *init = probe_text(probe, "/proc/1/comm", NULL);

	if (path != NULL)
		facts_set(probe->facts, key, kind, path);
	else if (said != NULL && said[0] != '\0')
		facts_set(probe->facts, key, said, "/run/systemd/container");
	else if (environment != NULL && environment[0] != '\0')
		facts_set(probe->facts, key, environment, "/proc/1/environ");
	else if (group != NULL)
		facts_set(probe->facts, key, group, "/proc/self/cgroup");
	else if (environment != NULL)
		facts_set(probe->facts, key, "none", "/proc/1/environ");
	else if (init != NULL && strcmp(init, "systemd") == 0)
		/* which leaves /run/systemd/container, readable by all, whenever it runs in one */
		facts_set(probe->facts, key, "none", "/run/systemd/container");
	else
		facts_unknown(probe->facts, key, "/proc/1/environ",
			arena_printf(probe->arena, "no marker was found, and this file: %s", reason));
}
