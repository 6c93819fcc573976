#include <string.h>
#include <sys/statvfs.h>

#include "host/fitness_probe.h"

/* Which file system the folder that is worked in is on, from /proc/self/mountinfo (proc(5)). */

/* Is `folder` the mount point or below it? mountinfo writes a blank as \040. */
static bool is_below(const char *folder, const char *point)
{
	size_t i = 0;

	for (; *point != '\0'; i++) {
		char c = *point++;

		if (c == '\\' && strspn(point, "01234567") >= 3) {
			c = (char)((point[0] - '0') * 64 + (point[1] - '0') * 8 + (point[2] - '0'));
			point += 3;
		}
		if (folder[i] != c)
			return false;
	}
	return folder[i] == '\0' || folder[i] == '/' || (i > 0 && folder[i - 1] == '/');
}

/* Fields of a line of mountinfo: 5 is the mount point; behind " - " type and device. */
static bool read_mount(char *line, const char **point, const char **type, const char **device)
{
	char *behind = strstr(line, " - "), *save = NULL, *word;

	if (behind == NULL)
		return false;
	*behind = '\0';
	word = strtok_r(line, " ", &save);
	for (int i = 1; i < 5 && word != NULL; i++)
		word = strtok_r(NULL, " ", &save);
	*point = word;
	*type = strtok_r(behind + 3, " ", &save);
	*device = strtok_r(NULL, " ", &save);
	return *point != NULL && *type != NULL;
}

static void set_free(struct probe *probe, const char *folder)
{
	struct statvfs space;

	if (!probe->live)
		facts_unknown(probe->facts, "folder.free_bytes", "statvfs(3)", "only asked of a live system");
	else if (statvfs(folder, &space) != 0)
		facts_unknown(probe->facts, "folder.free_bytes", "statvfs(3)", "the folder does not answer");
	else
		facts_setf(probe->facts, "folder.free_bytes", "statvfs(3)", "%llu",
			(unsigned long long)space.f_bavail * space.f_frsize);
}

void fitness_folder(struct probe *probe, const char *folder)
{
	static const char path[] = "/proc/self/mountinfo";
	const char *reason = "the folder is not known";
	char *text = folder != NULL ? probe_text(probe, path, &reason) : NULL, *save = NULL;
	const char *type = NULL, *device = NULL;
	size_t longest = 0;

	for (char *line = text != NULL ? strtok_r(text, "\n", &save) : NULL; line != NULL;
		line = strtok_r(NULL, "\n", &save)) {
		const char *point, *its_type, *its_device;

		/* of two at one place the later one hides the earlier */
		if (read_mount(line, &point, &its_type, &its_device) && is_below(folder, point) &&
			strlen(point) >= longest) {
			longest = strlen(point);
			type = its_type;
			device = its_device;
		}
	}
	if (text != NULL && type == NULL)
		reason = "no mount point there is above the folder";
	if (type != NULL) {
		facts_set(probe->facts, "folder.filesystem", type, path);
		facts_set(probe->facts, "folder.device", device != NULL ? device : "none", path);
		set_free(probe, folder);
		return;
	}
	facts_unknown(probe->facts, "folder.filesystem", path, reason);
	facts_unknown(probe->facts, "folder.device", path, reason);
	facts_unknown(probe->facts, "folder.free_bytes", path, reason);
}
