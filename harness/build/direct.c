#include "build/direct.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "code/code.h"
#include "sys/process.h"

enum { ANSWER_LIMIT = 256 * 1024 };
static const char canonical[] = "direct/program";

/* Options of the linker that only concern link-time optimisation; their objects are final here. */
static size_t lto_words(const struct words *argv, size_t i)
{
	if (strcmp(argv->v[i], "-plugin") == 0)
		return 2;
	return text_starts(argv->v[i], "-plugin-opt=") || text_starts(argv->v[i], "-flto");
}

static size_t find_run(const struct words *words, const struct words *run)
{
	for (size_t i = 0; i + run->n <= words->n; i++) {
		size_t k = 0;

		while (k < run->n && strcmp(words->v[i + k], run->v[k]) == 0)
			k++;
		if (k == run->n)
			return i;
	}
	return SIZE_MAX;
}

/* The line of -### that has the objects, as words. */
static bool linker_line(
	const char *text, const struct words *objects, struct arena *arena, struct words *line)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		char *one = arena_strndup(arena, text, n);

		*line = (struct words){0};
		if (strstr(one, objects->v[0]) != NULL && words_split(line, arena, one, NULL, NULL) == 0 &&
			find_run(line, objects) != SIZE_MAX &&
			strcmp(file_name(line->v[0]), "lto-wrapper") != 0)
			return true;
		text += n + (text[n] == '\n');
	}
	return false;
}

static bool no(struct direct_link *link, const char *reason)
{
	link->usable = false;
	link->reason = reason;
	return false;
}

bool direct_parse(const char *text, const char *linker, const struct words *objects, const char *output,
	struct arena *arena, struct direct_link *link)
{
	struct words line;
	size_t first, written = SIZE_MAX;

	*link = (struct direct_link){0};
	if (!linker_line(text, objects, arena, &line))
		return no(link, "the driver's answer to -### has no command with all objects in a row");
	first = find_run(&line, objects);
	for (size_t i = 0; i + 1 < line.n; i++) {
		if (text_starts(line.v[i], "-fuse-ld"))
			return no(link, "another linker is chosen by -fuse-ld");
		if (strcmp(line.v[i], "-o") == 0 && strcmp(line.v[i + 1], output) == 0)
			written = i + 1;
	}
	if (written == SIZE_MAX)
		return no(link, "the driver's answer to -### does not name the output");
	if (strcmp(file_name(line.v[0]), "collect2") == 0) {
		if (linker == NULL)
			return no(link, "the linker behind collect2 is not known");
		line.v[0] = arena_strdup(arena, linker);
	}
	for (size_t i = 0; i < line.n; i++) {
		size_t skip = lto_words(&line, i);

		if (i == first)
			link->objects = link->argv.n;
		if (i == written)
			link->output = link->argv.n;
		if (skip > 0)
			i += skip - 1;
		else if (i != written && (i < first || i >= first + objects->n))
			words_add(&link->argv, arena, line.v[i]);
	}
	link->usable = true;
	return true;
}

void direct_command(const struct direct_link *link, const struct words *options, const struct words *objects,
	const char *output, struct arena *arena, struct words *argv)
{
	for (size_t i = 0; i <= link->argv.n; i++) {
		if (i == link->output)
			words_add(argv, arena, output);
		if (i == link->objects) {
			if (options != NULL)
				words_add_all(argv, arena, options);
			words_add_all(argv, arena, objects);
		}
		if (i < link->argv.n)
			words_add(argv, arena, link->argv.v[i]);
	}
}

/* Runs a command of the driver that only talks; NULL: it says nothing of use. -1: interrupted. */
static int ask(struct builder *builder, const struct build *build, const struct words *argv,
	const char **answer, struct error *e)
{
	struct arena *arena = builder->arena;
	struct words env = builder_environment(builder, build->toolchain);
	struct process_options options = {.argv = argv->v,
		.folder = build->folder,
		.env = process_clean_env(arena, env.v),
		.merge = true,
		.output_limit = ANSWER_LIMIT,
		.timeout_ns = builder->options.timeout_ns,
		.cpu = -1};
	struct process_result result = {0};

	if (process_run(&options, &result, e) != 0)
		return -1;
	*answer = process_ok(&result) && result.out_bytes == result.out.n
			  ? arena_strdup(arena, buf_text(&result.out))
			  : NULL;
	process_result_release(&result);
	return 0;
}

/* Which linker, and how the driver would call it. */
static int ask_driver(
	struct builder *builder, const struct build *build, struct direct_link *link, struct error *e)
{
	struct arena *arena = builder->arena;
	struct shared_objects *shared = builder_shared(builder, build, e);
	struct placement nothing = {.order = NULL};
	struct words command = {0}, version = {0}, objects = {0};
	const char *answer;

	recipe_link(build, shared, NULL, canonical, arena, &command);
	words_add(&command, arena, "-###");
	recipe_objects(build, shared, NULL, arena, &objects);
	if (ask(builder, build, &command, &answer, e) != 0)
		return -1;
	if (answer == NULL)
		no(link, "the driver does not answer to -###");
	else
		direct_parse(answer, facts_value(&build->toolchain->facts, "toolchain.linker.path"), &objects,
			canonical, arena, link);
	words_add(&nothing.options, arena, "--version");
	recipe_link(build, shared, &nothing, canonical, arena, &version);
	if (ask(builder, build, &version, &answer, e) != 0)
		return -1;
	placement_linker(answer != NULL ? answer : "", arena, &link->linker);
	return 0;
}

/* What a driver said to one set of words. */
struct link_answer {
	const char *key;
	struct direct_link link;
};

/* All that the answer depends on: builds whose links differ in the objects' names alone share it. */
static const char *question(struct builder *builder, const struct build *build, struct error *e)
{
	struct words words = {0};
	struct placement nothing = {.order = NULL};

	words_add(&words, builder->arena, build->toolchain->identity);
	recipe_link(build, builder_shared(builder, build, e), &nothing, canonical, builder->arena, &words);
	return words_join(&words, builder->arena);
}

static int find_answer(
	struct builder *builder, const struct build *build, struct direct_link *link, struct error *e)
{
	struct link_answer answer;

	if (build->toolchain->spec->style == STYLE_TCC) {
		no(link, "tcc links itself");
		link->linker.name = "";
		return 0;
	}
	answer.key = question(builder, build, e);
	for (size_t i = 0; i < builder->answer_count; i++) {
		if (strcmp(builder->answers[i].key, answer.key) == 0) {
			*link = builder->answers[i].link;
			return 0;
		}
	}
	if (ask_driver(builder, build, link, e) != 0)
		return -1;
	answer.link = *link;
	if (builder->answer_count == builder->answer_cap) {
		builder->answer_cap = mem_grown(builder->answer_cap, builder->answer_count + 1);
		builder->answers =
			mem_resize(builder->answers, builder->answer_cap, sizeof(*builder->answers));
	}
	builder->answers[builder->answer_count++] = answer;
	return 0;
}

/* The link that leaves the objects of link-time optimisation in BUILD/direct. */
static void plan_lto(struct builder *builder, struct build *build, struct job *job, struct error *e)
{
	struct arena *arena = builder->arena;

	recipe_link(build, builder_shared(builder, build, e), NULL, canonical, arena, &job->argv);
	if (build->toolchain->spec->style == STYLE_CLANG)
		words_add(&job->argv, arena, "-Wl,-plugin-opt=obj-path=direct/lto.o");
	else
		words_add(&job->argv, arena, "-save-temps");
	job->folder = build->folder;
	job->env = builder_environment(builder, build->toolchain);
	job->output = canonical;
}

static void take_lto_objects(
	const struct build *build, const struct job *job, struct arena *arena, struct direct_link *link)
{
	struct words names = {0};

	if (!job->ok || file_list(file_join(arena, build->folder, "direct"), arena, &names, NULL) != 0) {
		no(link, "the objects of link-time optimisation cannot be had");
		return;
	}
	for (size_t i = 0; i < names.n; i++)
		if (text_glob("program.ltrans*.ltrans.o", names.v[i]) || text_glob("lto.o*", names.v[i]))
			words_addf(&link->lto_objects, arena, "direct/%s", names.v[i]);
	if (link->lto_objects.n == 0)
		no(link, "link-time optimisation left no object");
}

static int make_lto_objects(struct builder *builder, struct build *const *builds, struct direct_link *links,
	size_t count, struct error *e)
{
	struct arena *arena = builder->arena;
	struct jobs_options options = builder_jobs(builder, "link", 0);
	struct job *jobs = arena_array(arena, count, sizeof(*jobs));
	size_t *from = arena_array(arena, count, sizeof(*from));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!links[i].usable || !recipe_is_lto(builds[i]))
			continue;
		from[n] = i;
		plan_lto(builder, builds[i], &jobs[n++], e);
	}
	if (n > 0 && jobs_run(jobs, n, &options, arena, e) != 0)
		return -1;
	for (size_t k = 0; k < n; k++)
		take_lto_objects(builds[from[k]], &jobs[k], arena, &links[from[k]]);
	return 0;
}

/* Is the program that the linker made the one that the driver made? */
static bool same_program(const struct build *build, bool lto, struct arena *arena)
{
	char *ours = file_join(arena, build->folder, canonical);
	char first[HASH_HEX], second[HASH_HEX];
	struct code_info info = {0};

	if (lto)
		return build->code_hash != NULL && code_read(ours, arena, &info, NULL) == 0 &&
		       strcmp(info.code_hash, build->code_hash) == 0;
	return hash_file_hex(ours, first, NULL) == 0 && hash_file_hex(build->binary, second, NULL) == 0 &&
	       strcmp(first, second) == 0;
}

static int compare(struct builder *builder, struct build *const *builds, struct direct_link *links,
	size_t count, struct error *e)
{
	struct arena *arena = builder->arena;
	struct jobs_options options = builder_jobs(builder, "link", 0);
	struct job *jobs = arena_array(arena, count, sizeof(*jobs));
	size_t *from = arena_array(arena, count, sizeof(*from));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct words objects = {0};

		if (!links[i].usable)
			continue;
		from[n] = i;
		recipe_objects(builds[i], builder_shared(builder, builds[i], e), &links[i].lto_objects, arena,
			&objects);
		direct_command(&links[i], NULL, &objects, canonical, arena, &jobs[n].argv);
		jobs[n].folder = builds[i]->folder;
		jobs[n].env = builder_environment(builder, builds[i]->toolchain);
		jobs[n++].output = canonical;
	}
	if (n > 0 && jobs_run(jobs, n, &options, arena, e) != 0)
		return -1;
	for (size_t k = 0; k < n; k++) {
		size_t i = from[k];

		if (!jobs[k].ok || !same_program(builds[i], links[i].lto_objects.n > 0, arena))
			no(&links[i],
				"called directly, the linker makes another program than the driver does");
	}
	return 0;
}

int direct_prepare(struct builder *builder, struct build *const *builds, struct direct_link *links,
	size_t count, struct error *e)
{
	for (size_t i = 0; i < count; i++)
		if (file_make_folders(file_join(builder->arena, builds[i]->folder, "direct"), e) != 0 ||
			find_answer(builder, builds[i], &links[i], e) != 0)
			return -1;
	return make_lto_objects(builder, builds, links, count, e) != 0 ||
			       compare(builder, builds, links, count, e) != 0
		       ? -1
		       : 0;
}
