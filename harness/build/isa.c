#include "build/isa.h"

#include <string.h>

#include "base/file.h"
#include "build/functions.h"
#include "build/recipe.h"
#include "code/code.h"
#include "code/functions.h"
#include "code/isa.h"

static const char static_lto[] = "link-time optimisation makes the code at the link, and in a static program "
				 "it cannot be told from the C "
				 "library's";

/* Facts of what was decoded; text: why it could not be. */
static void set(const struct code_isa *isa, int result, const struct error *why, struct facts *facts)
{
	if (result != 0)
		code_isa_facts_unknown(facts, why->text);
	else
		code_isa_facts(isa, facts);
}

static void decode_objects(const struct words *objects, const char *program, struct facts *facts)
{
	struct error why = {0};
	struct code_isa isa;
	int result = code_isa_objects(
		(const char *const *)objects->v, objects->n, program, facts->arena, &isa, &why);

	set(&isa, result, &why, facts);
}

/* The program without the driver's functions. */
static void decode_program(const char *program, const char *driver, struct facts *facts)
{
	struct code_functions functions = {0};
	struct words names = {0};
	const struct code_isa_options options = {.without = &names};
	struct code_info info = {0};
	struct error why = {0};
	struct code_isa isa;
	int result = code_read(program, facts->arena, &info, &why);

	if (result == 0 && info.is_static) {
		code_isa_facts_unknown(facts, static_lto);
		return;
	}
	if (result == 0)
		result = code_functions(&driver, 1, NULL, facts->arena, &functions, &why);
	for (size_t i = 0; i < functions.n; i++)
		words_add(&names, facts->arena, functions.v[i].name);
	if (result == 0)
		result = code_isa(program, &options, facts->arena, &isa, &why);
	set(&isa, result, &why, facts);
}

/* Of an earlier decoding, which another one may not find. */
static void drop_examples(struct facts *facts)
{
	size_t kept = 0;

	for (size_t i = 0; i < facts->n; i++)
		if (!text_starts(facts->v[i].key, "isa.example."))
			facts->v[kept++] = facts->v[i];
	facts->n = kept;
}

void build_isa(const struct build *build, const char *folder, const char *driver, struct facts *facts)
{
	struct arena *arena = facts->arena;
	const char *program = file_join(arena, folder, "program");
	struct words objects = {0};
	struct error why = {0};
	bool lto = false;

	drop_examples(facts);
	for (size_t i = 0; i < build->workload->sources.n; i++) {
		bool intermediate = false;

		words_add(&objects, arena,
			file_join(
				arena, folder, recipe_object(arena, i, build->workload->sources.v[i].text)));
		if (code_is_intermediate(objects.v[i], &intermediate, &why) != 0) {
			code_isa_facts_unknown(facts, why.text);
			return;
		}
		lto |= intermediate;
	}
	if (lto)
		decode_program(program, driver, facts);
	else
		decode_objects(&objects, program, facts);
}

static bool is_lto(const struct build *build, struct arena *arena)
{
	for (size_t i = 0; i < build->workload->sources.n; i++) {
		const char *name = recipe_object(arena, i, build->workload->sources.v[i].text);
		bool intermediate = false;

		if (code_is_intermediate(file_join(arena, build->folder, name), &intermediate, NULL) == 0 &&
			intermediate)
			return true;
	}
	return false;
}

void build_isa_linked(const struct build *build, struct facts *facts)
{
	struct words objects = {0};

	if (!is_lto(build, facts->arena) || build_code_objects(build, facts->arena, &objects) != NULL)
		return;
	drop_examples(facts);
	decode_objects(&objects, build->binary, facts);
}

bool build_isa_is_current(const struct facts *facts)
{
	const struct fact *used = facts_find(facts, "isa.used");

	return used != NULL && text_same(used->source, code_isa_source());
}
