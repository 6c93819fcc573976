#include "code/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "code/code.h"
#include "code/unit.h"

/* Names of the functions that a linked file has. */
struct names {
	const char **v;
	size_t n, cap;
};

struct collecting {
	struct arena *arena;
	VEC(struct record_function) all;
	struct names shared; /* weak ones taken: the linker keeps the first object's */
};

static bool have(const struct names *names, const char *name)
{
	return names->n > 0 && bsearch(&name, names->v, names->n, sizeof(*names->v), text_compare) != NULL;
}

static int by_size(const void *left, const void *right)
{
	const struct record_function *a = left, *b = right;
	int order;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order != 0 ? order : strcmp(a->hash != NULL ? a->hash : "", b->hash != NULL ? b->hash : "");
}

static int overlapping(const struct unit *unit, struct error *e)
{
	return error_set(e, EXIT_CANNOT,
		"reading the functions of %s: it is damaged: functions or constants overlap many times; "
		"build it again",
		unit->image->path);
}

/* Functions of one object; those of earlier objects stand before `earlier`. */
static int add_unit(struct collecting *c, struct unit *unit, struct error *e)
{
	struct names fresh = {0};

	for (size_t i = 1; i < unit->symbol_count; i++) {
		const struct unit_symbol *symbol = &unit->symbols[i];
		struct record_function function = {.size = symbol->size};
		char hex[17];

		if (!unit_is_function(unit, symbol) ||
			(symbol->bind == STB_WEAK && have(&c->shared, symbol->name)))
			continue;
		function.name = arena_strdup(c->arena, symbol->name);
		if (unit_hash_function(unit, symbol, hex))
			function.hash = arena_strdup(c->arena, hex);
		if (unit->work > unit->work_limit) {
			vec_release(&fresh);
			return overlapping(unit, e);
		}
		if (symbol->bind == STB_WEAK)
			vec_push(&fresh, function.name);
		vec_push(&c->all, function);
	}
	for (size_t i = 0; i < fresh.n; i++)
		vec_push(&c->shared, fresh.v[i]);
	if (c->shared.n > 0)
		qsort(c->shared.v, c->shared.n, sizeof(*c->shared.v), text_compare);
	vec_release(&fresh);
	return 0;
}

static int add_object(struct collecting *c, const char *path, struct error *e)
{
	struct arena arena = {0};
	struct image image;
	struct unit unit;
	bool intermediate = false;
	int result;

	if (code_is_intermediate(path, &intermediate, e) != 0)
		return -1;
	if (intermediate)
		return error_set(e, EXIT_CANNOT,
			"reading the functions of %s: it holds the compiler's intermediate form (LTO), its "
			"code is made at the link",
			path);
	if (image_open(path, &arena, &image, e) != 0) {
		arena_release(&arena);
		return -1;
	}
	result = unit_open(&image, &unit, e);
	if (result == 0) {
		result = add_unit(c, &unit, e);
		unit_release(&unit);
	}
	image_close(&image);
	arena_release(&arena);
	return result;
}

static void add_names(const struct image *image, const struct image_section *table, struct names *names,
	struct arena *arena)
{
	Elf_Data *data = elf_getdata(table->scn, NULL);
	GElf_Sym symbol;

	for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
		const unsigned type = GELF_ST_TYPE(symbol.st_info);
		const char *name = elf_strptr(image->elf, table->header.sh_link, symbol.st_name);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
			name != NULL)
			vec_push(names, arena_strdup(arena, name));
	}
}

/* All functions of a linked file; none when it was stripped. */
static int read_names(const char *program, struct arena *arena, struct names *names, struct error *e)
{
	struct image image;

	if (image_open(program, arena, &image, e) != 0)
		return -1;
	for (size_t i = 1; i < image.section_count; i++)
		if (image.sections[i].header.sh_type == SHT_SYMTAB && image.sections[i].bytes != NULL)
			add_names(&image, &image.sections[i], names, arena);
	image_close(&image);
	if (names->n > 0)
		qsort(names->v, names->n, sizeof(*names->v), text_compare);
	return 0;
}

static int keep_linked(struct collecting *c, const char *program, struct error *e)
{
	struct arena arena = {0};
	struct names names = {0};
	size_t kept = 0;
	int result = read_names(program, &arena, &names, e);

	for (size_t i = 0; i < c->all.n && names.n > 0; i++)
		if (have(&names, c->all.v[i].name))
			c->all.v[kept++] = c->all.v[i];
	if (names.n > 0)
		c->all.n = kept;
	vec_release(&names);
	arena_release(&arena);
	return result;
}

int code_functions(const char *const *paths, size_t count, const char *program, struct arena *arena,
	struct code_functions *out, struct error *e)
{
	struct collecting c = {.arena = arena};
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++)
		result = add_object(&c, paths[i], e);
	if (result == 0 && program != NULL)
		result = keep_linked(&c, program, e);
	if (result == 0) {
		if (c.all.n > 0)
			qsort(c.all.v, c.all.n, sizeof(*c.all.v), by_size);
		out->v = arena_array(arena, c.all.n, sizeof(*out->v));
		out->n = c.all.n;
		if (c.all.n > 0)
			memcpy(out->v, c.all.v, c.all.n * sizeof(*out->v));
	}
	vec_release(&c.all);
	vec_release(&c.shared);
	return result;
}

/* Suffixes of compilers' copies and parts; each may be followed by a number. */
static bool is_suffix(const char *at, size_t *length)
{
	static const char *const marks[] = {".constprop", ".isra", ".part", ".cold", ".lto_priv", ".llvm",
		".localalias", ".specialized", ".resume", ".destroy", ".cleanup", ".simdclone"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t n = strlen(marks[i]);

		if (!text_starts(at, marks[i]))
			continue;
		if (at[n] == '.' && at[n + 1] >= '0' && at[n + 1] <= '9')
			n += 1 + strspn(at + n + 1, "0123456789");
		if (at[n] != '\0' && at[n] != '.')
			continue;
		*length = n;
		return true;
	}
	return false;
}

/* Do only suffixes stand here to the end? */
static bool all_suffixes(const char *at)
{
	size_t n;

	while (*at != '\0') {
		if (!is_suffix(at, &n))
			return false;
		at += n;
	}
	return true;
}

size_t code_function_base(const char *name)
{
	for (const char *at = strchr(name, '.'); at != NULL; at = strchr(at + 1, '.'))
		if (at != name && all_suffixes(at))
			return (size_t)(at - name);
	return strlen(name);
}
