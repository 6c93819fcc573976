#include <string.h>

#include "base/mem.h"
#include "cli/command.h"

const struct command *const commands[] = {&cmd_run, &cmd_build, &cmd_plan, &cmd_list, &cmd_show, &cmd_compare,
	&cmd_exec, &cmd_reproduce, &cmd_archive, &cmd_inspect, &cmd_doctor, &cmd_tune, &cmd_restore,
	&cmd_version, &cmd_help, NULL};

const struct command *command_find(const char *name, struct arena *arena, struct error *e)
{
	VEC(const char *) names = {0};
	struct words list = {0};
	const char *nearest;

	for (size_t i = 0; commands[i] != NULL; i++) {
		if (strcmp(commands[i]->name, name) == 0) {
			vec_release(&names);
			return commands[i];
		}
		vec_push(&names, commands[i]->name);
		words_add(&list, arena, commands[i]->name);
	}
	nearest = text_nearest(name, names.v, names.n);
	vec_release(&names);
	error_set(e, EXIT_USAGE, "there is no command \"%s\"", name);
	if (nearest != NULL)
		error_advice(e, "did you mean %s?", nearest);
	error_advice(e, "there are: %s", words_join(&list, arena));
	return NULL;
}
