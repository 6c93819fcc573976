#include <string.h>

#include "cli/common.h"
#include "cli/inspect_print.h"

static void set(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_safe_string(text));
}

static void set_size(json_t *object, const char *key, uint64_t x)
{
	json_object_set_new(object, key, json_integer((json_int_t)x));
}

static json_t *claims(const struct inspection *x)
{
	json_t *array = json_array();

	for (size_t i = 0; i < x->claim_count; i++) {
		const struct inspect_claim *claim = &x->claims[i];
		json_t *object = json_object();

		set(object, "of", claim->flags ? "flags" : "compiler");
		set(object, "text", claim->text);
		set(object, "source", claim->source);
		json_object_set_new(object, "units",
			claim->units > 0 ? json_integer((json_int_t)claim->units) : json_null());
		set(object, "belief", claim->belief);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *sets(const struct code_isa *isa)
{
	json_t *array = json_array();

	for (size_t i = 0; i < isa->set_count; i++) {
		const struct code_isa_set *set_of = &isa->sets[i];
		json_t *object = json_object();

		set(object, "name", set_of->name);
		json_object_set_new(object, "baseline", json_boolean(set_of->baseline));
		set(object, "level", set_of->level);
		set_size(object, "count", set_of->count);
		set(object, "function", set_of->example.function);
		set(object, "section", set_of->example.section);
		set_size(object, "address", set_of->example.address & INT64_MAX);
		set(object, "instruction", set_of->example.text);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *isa_json(const struct code_isa *isa)
{
	json_t *object = json_object();

	set(object, "unknown", isa->unknown);
	set(object, "level", isa->level);
	set(object, "beyond", isa->beyond);
	json_object_set_new(
		object, "vector_bits", isa->unknown == NULL ? json_integer(isa->vector_bits) : json_null());
	json_object_set_new(object, "scalable", json_boolean(isa->scalable));
	set(object, "dispatch", isa->dispatch);
	json_object_set_new(object, "decoded_share",
		isa->unknown == NULL ? json_safe_real(code_isa_share(isa)) : json_null());
	set(object, "found_by", isa->found_by);
	json_object_set_new(object, "sets", sets(isa));
	return object;
}

static json_t *function_json(const struct inspect_function *function, bool linked)
{
	json_t *object = json_object();

	set(object, "name", function->name);
	json_object_set_new(object, "address",
		linked ? json_integer((json_int_t)(function->address & INT64_MAX)) : json_null());
	set_size(object, "size", function->size & INT64_MAX);
	set(object, "hash", function->hash);
	set_size(object, "unfollowed", function->unfollowed);
	return object;
}

static json_t *functions(const struct inspection *x)
{
	json_t *array = json_array();

	for (size_t i = 0; i < x->function_count; i++)
		json_array_append_new(array, function_json(&x->functions[i], x->type != INSPECT_OBJECT));
	return array;
}

static json_t *sections(const struct inspection *x)
{
	json_t *array = json_array();

	for (size_t i = 0; i < x->section_count; i++) {
		json_t *object = json_object();

		set(object, "name", x->sections[i].name);
		set_size(object, "size", x->sections[i].size & INT64_MAX);
		set(object, "hash", x->sections[i].hash);
		json_object_set_new(object, "code", json_boolean(x->sections[i].code));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *runs_json(struct cli *cli, const struct inspection *x, const struct inspect_cpu *cpu)
{
	static const char *const words[] = {[RUNS_YES] = "yes", [RUNS_NO] = "no", [RUNS_UNKNOWN] = "unknown"};
	json_t *object = json_object();
	const char *reason;

	set(object, "answer", words[inspect_runs(x, cpu, &cli->arena, &reason)]);
	set(object, "reason", reason);
	return object;
}

static void set_hashes(json_t *object, const struct inspection *x)
{
	const bool is_object = x->type == INSPECT_OBJECT;
	const char *hash = !is_object ? x->info.code_hash : x->hash_unknown == NULL ? x->objects_hash : NULL;

	set(object, "code_hash", hash);
	set(object, "code_hash_unknown", is_object ? x->hash_unknown : NULL);
	set(object, "unpadded_hash", is_object && x->unpadded_unknown == NULL ? x->unpadded_hash : NULL);
	set(object, "unpadded_hash_unknown",
		is_object ? x->unpadded_unknown : "padding is told from code in objects only");
	set(object, "file_hash", x->info.file_hash);
}

static json_t *file_json(struct cli *cli, const struct inspection *x, const struct inspect_cpu *cpu)
{
	static const char *const types[] = {[INSPECT_PROGRAM] = "program",
		[INSPECT_LIBRARY] = "library",
		[INSPECT_OBJECT] = "object",
		[INSPECT_DEBUG] = "debug"};
	const struct code_info *info = &x->info;
	json_t *object = json_object();

	set(object, "path", x->path);
	set(object, "type", types[x->type]);
	set(object, "what", x->what);
	set(object, "machine", info->machine);
	set_size(object, "bits", info->bits);
	json_object_set_new(object, "little_endian", json_boolean(info->little_endian));
	json_object_set_new(object, "pie", x->type == INSPECT_PROGRAM ? json_boolean(x->pie) : json_null());
	json_object_set_new(
		object, "static", x->type == INSPECT_PROGRAM ? json_boolean(info->is_static) : json_null());
	json_object_set_new(object, "stripped", json_boolean(x->stripped));
	json_object_set_new(object, "debug", json_boolean(x->debug));
	json_object_set_new(object, "intermediate", json_boolean(x->intermediate));
	json_object_set_new(object, "runs_here", runs_json(cli, x, cpu));
	json_object_set_new(object, "isa", isa_json(&x->isa));
	json_object_set_new(object, "claims", claims(x));
	set_size(object, "units", x->units);
	set_size(object, "silent_units", x->silent_units);
	set(object, "debug_problem", x->debug_problem);
	set(object, "interpreter", info->interpreter);
	json_object_set_new(object, "libraries", json_safe_words(&info->needed));
	set(object, "build_id", info->build_id);
	set_hashes(object, x);
	set_size(object, "text_bytes", info->text_bytes);
	set_size(object, "rodata_bytes", info->rodata_bytes);
	set_size(object, "data_bytes", info->data_bytes);
	set_size(object, "bss_bytes", info->bss_bytes);
	set_size(object, "file_bytes", info->file_bytes);
	set_size(object, "code_bytes", x->code_bytes);
	set_size(object, "covered_bytes", x->covered_bytes);
	set(object, "functions_found_by", x->found_by);
	set(object, "functions_unknown", x->functions_unknown);
	json_object_set_new(object, "functions", functions(x));
	json_object_set_new(object, "sections", sections(x));
	return object;
}

static json_t *match_json(const struct match_result *result)
{
	static const char *const verdicts[] = {[VERDICT_SAME_FILE] = "same-file",
		[VERDICT_SAME_CODE] = "same-code",
		[VERDICT_SAME_PLACED] = "same-placed",
		[VERDICT_SAME_PADDING] = "same-padding",
		[VERDICT_OTHER] = "other",
		[VERDICT_UNSURE] = "unsure"};
	static const char *const states[] = {[MATCH_SAME] = "same",
		[MATCH_ALIKE] = "alike",
		[MATCH_OTHER] = "other",
		[MATCH_UNKNOWN] = "unknown",
		[MATCH_FIRST] = "first",
		[MATCH_SECOND] = "second"};
	json_t *object = json_object(), *array = json_array();

	for (size_t i = 0; i < result->n; i++) {
		const struct match *match = &result->v[i];
		json_t *one = json_object();

		set(one, "name", match->a != NULL ? match->a->name : match->b->name);
		set(one, "state", states[match->state]);
		json_object_set_new(one, "size_first",
			match->a != NULL ? json_integer((json_int_t)(match->a->size & INT64_MAX))
					 : json_null());
		json_object_set_new(one, "size_second",
			match->b != NULL ? json_integer((json_int_t)(match->b->size & INT64_MAX))
					 : json_null());
		json_array_append_new(array, one);
	}
	set(object, "verdict", verdicts[result->verdict]);
	set(object, "why", result->why);
	json_object_set_new(object, "functions", array);
	json_object_set_new(object, "sections", json_safe_words(&result->sections));
	return object;
}

json_t *inspect_json(struct cli *cli, const struct inspected *given, size_t count,
	const struct inspect_cpu *cpu, const struct match_result *match)
{
	json_t *root = json_object(), *files = json_array(), *archives = json_array();

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < given[i].n; k++)
			json_array_append_new(files, file_json(cli, &given[i].v[k], cpu));
		if (given[i].archive) {
			json_t *object = json_object();

			set(object, "path", given[i].path);
			set_size(object, "objects", given[i].n);
			set_size(object, "others", given[i].others);
			json_object_set_new(object, "not_read", json_safe_words(&given[i].broken));
			json_array_append_new(archives, object);
		}
	}
	set(root, "schema", "flagstone.inspection/1");
	json_object_set_new(root, "files", files);
	json_object_set_new(root, "archives", archives);
	json_object_set_new(root, "comparison", match != NULL ? match_json(match) : json_null());
	return root;
}
