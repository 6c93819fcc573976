#include "code/isa.h"

#include <math.h>

double code_isa_share(const struct code_isa *isa)
{
	return isa->code_bytes > 0 ? (double)isa->decoded_bytes / (double)isa->code_bytes : 0;
}

const char *code_isa_example_text(const struct code_isa_example *example, struct arena *arena)
{
	if (example->function != NULL)
		return arena_printf(arena, "%s in %s+0x%llx", example->text, example->function,
			(unsigned long long)example->offset);
	return arena_printf(arena, "%s at 0x%llx of %s", example->text, (unsigned long long)example->address,
		example->section);
}

static const char *const keys[] = {
	"isa.used", "isa.vector_bits", "isa.level", "isa.beyond", "isa.decoded_share", "isa.dispatch"};

void code_isa_facts_unknown(struct facts *facts, const char *reason)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		facts_unknown(facts, keys[i], code_isa_source(), reason);
}

static void set_vectors(const struct code_isa *isa, struct facts *facts)
{
	const char *key = "isa.vector_bits", *source = code_isa_source();

	if (!isa->scalable)
		facts_setf(facts, key, source, "%u", isa->vector_bits);
	else if (isa->vector_bits == 0)
		facts_set(facts, key, "scalable", source);
	else
		facts_setf(facts, key, source, "%u and scalable", isa->vector_bits);
}

void code_isa_facts(const struct code_isa *isa, struct facts *facts)
{
	const char *source = code_isa_source();

	if (isa->unknown != NULL) {
		code_isa_facts_unknown(facts, isa->unknown);
		return;
	}
	facts_set(facts, "isa.used", isa->used[0] != '\0' ? isa->used : "none", source);
	set_vectors(isa, facts);
	facts_set(facts, "isa.level", isa->level, source);
	facts_set(facts, "isa.beyond", isa->beyond[0] != '\0' ? isa->beyond : "none", source);
	facts_setf(facts, "isa.decoded_share", source, "%.10g", floor(1000 * code_isa_share(isa)) / 1000);
	facts_set(facts, "isa.dispatch", isa->dispatch != NULL ? isa->dispatch : "no", source);
	for (size_t i = 0; i < isa->set_count; i++)
		if (!isa->sets[i].baseline)
			facts_set(facts, arena_printf(facts->arena, "isa.example.%s", isa->sets[i].name),
				code_isa_example_text(&isa->sets[i].example, facts->arena), source);
}
