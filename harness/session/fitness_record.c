#include "session/fitness.h"
#include "session/run.h"

void run_describe_fitness(struct run *run)
{
	const struct session *session = run->session;
	/* what compilers and samples write goes below the cache and the project; copies of files to the latter */
	struct fitness_options options = {.host = &session->host,
		.cpus = &session->pin_order,
		.folder = session->project_folder,
		.in_run = true};
	struct fitness fitness;
	struct error e = {0};

	if (fitness_read(&fitness, &options, run->arena, &e) == 0)
		fitness_facts(&fitness, &run->record->host);
	else
		facts_unknown(&run->record->host, "doctor.verdict", "flagstone doctor", e.text);
}
