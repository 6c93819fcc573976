#include "spec/matrix.h"

#include <string.h>

/* First parts of GNU target triplets: what a compiler's target begins with. */
static const char *const arches[] = {"x86_64", "i386", "i486", "i586", "i686", "aarch64", "arm", "riscv64",
	"riscv32", "powerpc64le", "powerpc64", "powerpc", "s390x", "loongarch64", "mips64el", "mips64",
	"mipsel", "mips", "sparc64", "alpha", "hppa", "m68k", NULL};

static const struct key check_keys[] = {
	{.name = "rel",
		.type = KEY_DOUBLE,
		.offset = offsetof(struct spec_variant, check_rel),
		.required = true,
		.min = 0,
		.max = 1},
};

static const struct key variant_keys[] = {
	{.name = "cflags", .type = KEY_FLAGS, .offset = offsetof(struct spec_variant, cflags)},
	{.name = "cxxflags", .type = KEY_FLAGS, .offset = offsetof(struct spec_variant, cxxflags)},
	{.name = "ldflags", .type = KEY_FLAGS, .offset = offsetof(struct spec_variant, ldflags)},
	{.name = "env", .type = KEY_ENV, .offset = offsetof(struct spec_variant, env)},
	{.name = "arch",
		.type = KEY_CHOICE,
		.offset = offsetof(struct spec_variant, arch),
		.choices = arches,
		.form = "the machine of a target, such as x86_64 or aarch64"},
	{.name = "only",
		.type = KEY_PLACED,
		.offset = offsetof(struct spec_variant, only),
		.form = "a list of families or slots, such as [gcc, clang-14]"},
	{.name = "check", .type = KEY_MAP, .keys = check_keys, .key_count = 1},
};

static void check_only(struct reader *reader, const struct spec_words *only)
{
	for (size_t i = 0; i < only->n; i++)
		if (!text_is_name(only->v[i].text))
			spec_error(reader->errors, only->v[i].place,
				"`only`: expected the name of a family or slot, found the text `%s`",
				only->v[i].text);
}

struct spec_variant *matrix_read_flag_sets(
	struct reader *reader, const struct node *node, const char *what, size_t *count)
{
	struct spec_variant *sets = arena_array(reader->arena, node->n, sizeof(*sets));
	const char *of = arena_printf(reader->arena, "the name of a %s", what);
	const char *one = arena_printf(reader->arena, "a %s", what);

	*count = 0;
	for (size_t i = 0; i < node->n; i++) {
		const char *name = read_name(reader, node->keys[i], of);
		struct spec_variant *set = &sets[*count];

		if (name != NULL && strcmp(name, "none") == 0)
			spec_error(reader->errors, node->keys[i]->place,
				"the name `none` is reserved for cells on which flags do not act; choose "
				"another");
		*set = (struct spec_variant){
			.name = name != NULL ? name : "", .place = node->keys[i]->place, .check_rel = -1};
		read_map(reader, node->items[i], one, KEYS(variant_keys), set);
		check_only(reader, &set->only);
		*count += name != NULL;
	}
	read_refuse_case_twins(reader, node);
	return sets;
}

void matrix_read_variants(struct reader *reader, const struct key *key, const struct node *node, void *matrix)
{
	struct spec_matrix *m = matrix;

	if (node->kind != NODE_MAP || node->n == 0) {
		read_expected(
			reader, key->name, node, node->kind == NODE_MAP ? "at least one variant" : key->form);
		return;
	}
	m->variants = matrix_read_flag_sets(reader, node, "variant", &m->variant_count);
}
