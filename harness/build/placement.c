#include "build/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"

enum { LLD_SHUFFLES_SINCE = 13 }; /* by a pattern of sections; before: all, tables of constructors, too */

char *placement_pad_name(enum pad_kind kind, size_t n, struct arena *arena)
{
	static const char *const names[] = {"code", "data", "pad"};

	return arena_printf(arena, "%s-%zu", names[kind], n);
}

/*
 * gcc puts main and constructors into .text.startup, hot and cold code into .text.hot and .text.unlikely, and GNU ld and
 * gold sort all of them ahead of .text: padding in .text alone would not move them. .text.unlikely stands first of all;
 * were the padding ahead in each of them, .text would move by four times its size, which is always a multiple of a
 * cache line. Zeroed memory stands behind .data, so it moves with it.
 */
static const char *const moved[PAD_KINDS][8] = {
	[PAD_CODE] = {".text.unlikely,\"ax\""},
	[PAD_DATA] = {".rodata,\"a\"", ".data,\"aw\""},
	[PAD_BETWEEN] = {".text.startup,\"ax\"", ".text.hot,\"ax\"", ".text,\"ax\"", ".rodata,\"a\"",
		".data.rel.ro,\"aw\"", ".data,\"aw\"", ".bss,\"aw\",%nobits"},
};

char *placement_pad_source(enum pad_kind kind, size_t n, bool elf_sections, struct arena *arena)
{
	struct buf out = {0};
	unsigned size = (unsigned)PAD_SMALLEST << n;
	char *source;

	if (!elf_sections) {
		if (kind != PAD_DATA)
			buf_addf(&out, "\t.text\n\t.skip %u, 0x90\n", size);
		if (kind != PAD_CODE)
			buf_addf(&out, "\t.data\n\t.skip %u\n", size);
	} else {
		for (const char *const *section = moved[kind]; *section != NULL; section++)
			buf_addf(&out, "\t.section %s\n\t.skip %u\n", *section, size);
		buf_adds(&out, "\t.section .note.GNU-stack,\"\"\n");
	}
	source = arena_strdup(arena, buf_text(&out));
	buf_release(&out);
	return source;
}

void placement_linker(const char *answer, struct arena *arena, struct linker *linker)
{
	static const struct {
		const char *says;
		enum linker_kind kind;
	} known[] = {{"GNU ld ", LINKER_GNU}, {"GNU gold ", LINKER_GOLD}, {"LLD ", LINKER_LLD}};

	*linker = (struct linker){.kind = LINKER_OTHER, .name = ""};
	for (const char *line = answer; *line != '\0';) {
		size_t n = strcspn(line, "\n");
		char *text = arena_strndup(arena, line, n);

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			const char *at = strstr(text, known[i].says);

			if (at == NULL)
				continue;
			*linker = (struct linker){.kind = known[i].kind, .name = text};
			if (known[i].kind == LINKER_LLD && atoi(at + 4) < LLD_SHUFFLES_SINCE)
				linker->kind = LINKER_OTHER;
			return;
		}
		line += n + (line[n] == '\n');
	}
}

/* The groups that GNU ld's own script keeps apart, in its order. */
enum group { GROUP_UNLIKELY, GROUP_EXIT, GROUP_STARTUP, GROUP_HOT, GROUP_REST, GROUPS };

static const char *const group_of_pad[GROUPS] = {
	[GROUP_STARTUP] = ".text.startup", [GROUP_HOT] = ".text.hot", [GROUP_REST] = ".text"};

static bool is_or_below(const char *name, const char *section)
{
	size_t n = strlen(section);

	return strncmp(name, section, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

static enum group group_of(const char *name)
{
	static const char *const names[] = {".text.unlikely", ".text.exit", ".text.startup", ".text.hot"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_or_below(name, names[i]))
			return (enum group)i;
	return text_ends(name, "_unlikely") ? GROUP_UNLIKELY : GROUP_REST;
}

/* No wildcard and nothing that ends a name in a linker's script. */
static bool is_plain(const char *text, const char *more)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";

	for (; *text != '\0'; text++)
		if (strchr(letters, *text) == NULL && strchr(more, *text) == NULL)
			return false;
	return true;
}

static bool can_move(const char *section)
{
	return is_or_below(section, ".text") && !is_or_below(section, ".text.sorted") &&
	       is_plain(section, "-@");
}

/* One line of an order. */
struct entry {
	enum group group;
	const char *text;
};

struct entries {
	struct entry *v;
	size_t n, cap;
};

static void add_entry(struct entries *entries, enum group group, const char *text)
{
	vec_push(entries, (struct entry){group, text});
}

/*
 * Objects in the build's folder by their name there; shared ones lie elsewhere, under names that are theirs alone. GNU
 * ld would load a file that a script names before all others, which would undo the order of data: so each is a pattern
 * that fits it alone.
 */
static void add_functions(const struct placement_parts *parts, struct arena *arena, struct entries *entries)
{
	for (size_t i = 0; i < parts->objects->n; i++) {
		const char *object = parts->objects->v[i];
		bool shared = object[0] == '/';

		if (!shared && !is_plain(object, "-+/ "))
			continue;
		for (size_t k = 0; k < parts->sections[i].n; k++) {
			const char *section = parts->sections[i].v[k];

			if (!can_move(section))
				continue;
			add_entry(entries, group_of(section),
				parts->linker == LINKER_GOLD ? section
				: shared ? arena_printf(arena, "*/%s(%s)", file_name(object), section)
					 : arena_printf(
						   arena, "\"[%c]%s\"(%s)", object[0], object + 1, section));
		}
	}
}

static void add_pads(const uint32_t *pads, size_t n, struct arena *arena, struct entries *entries)
{
	bool used[GROUPS] = {false};
	size_t functions = entries->n;

	for (size_t i = 0; i < functions; i++)
		used[entries->v[i].group] = true;
	for (size_t i = 0; i < n; i++)
		for (int group = 0; group < GROUPS; group++)
			if (used[group] && group_of_pad[group] != NULL)
				add_entry(entries, (enum group)group,
					arena_printf(arena, "*/pad-%u.o(%s)", pads[i], group_of_pad[group]));
}

static void write_entries(const struct entries *entries, const char *indent, struct rng *rng, struct buf *out)
{
	uint32_t *order = mem_alloc_array(entries->n, sizeof(*order));

	for (size_t i = 0; i < entries->n; i++)
		order[i] = (uint32_t)i;
	rng_shuffle(rng, order, entries->n);
	for (int group = 0; group < GROUPS; group++)
		for (size_t i = 0; i < entries->n; i++)
			if (entries->v[order[i]].group == (enum group)group)
				buf_addf(out, "%s%s\n", indent, entries->v[order[i]].text);
	mem_free(order);
}

/* Pieces of padding among the objects. */
struct between {
	uint32_t pads[PAD_COUNT];
	size_t n;
};

static void order_functions(const struct placement_parts *parts, const struct between *between,
	struct rng *rng, struct arena *arena, struct placement *out)
{
	struct entries entries = {0};
	struct buf text = {0};

	add_functions(parts, arena, &entries);
	if (entries.n > 0 && parts->linker == LINKER_GNU) {
		add_pads(between->pads, between->n, arena, &entries);
		buf_adds(&text, "SECTIONS\n{\n\t.text.flagstone :\n\t{\n\t\t*/code-?.o(.text.unlikely)\n");
		write_entries(&entries, "\t\t", rng, &text);
		buf_adds(&text, "\t}\n}\nINSERT BEFORE .text;\n");
		words_addf(&out->options, arena, "--script=%s", parts->order_file);
	} else if (entries.n > 0) {
		write_entries(&entries, "", rng, &text);
		words_addf(&out->options, arena, "--section-ordering-file=%s", parts->order_file);
	}
	if (entries.n > 0)
		out->order = arena_strdup(arena, buf_text(&text));
	buf_release(&text);
	vec_release(&entries);
}

static void add_pad(const struct placement_parts *parts, enum pad_kind kind, size_t n, struct arena *arena,
	struct words *objects)
{
	words_addf(objects, arena, "%s/%s.o", parts->pads, placement_pad_name(kind, n, arena));
}

static void order_objects(const struct placement_parts *parts, const struct between *between, struct rng *rng,
	struct arena *arena, struct words *objects)
{
	size_t count = parts->objects->n;
	uint32_t *order = arena_array(arena, count, sizeof(*order));
	size_t before[PAD_COUNT];

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	rng_shuffle(rng, order, count);
	for (size_t k = 0; k < between->n; k++)
		before[k] = (size_t)rng_below(rng, count + 1);
	for (size_t i = 0; i <= count; i++) {
		for (size_t k = 0; k < between->n; k++)
			if (before[k] == i)
				add_pad(parts, PAD_BETWEEN, between->pads[k], arena, objects);
		if (i < count)
			words_add(objects, arena, parts->objects->v[order[i]]);
	}
}

void placement_draw(
	const struct placement_parts *parts, const char *seed, struct arena *arena, struct placement *out)
{
	uint64_t coins[PAD_KINDS];
	struct between between = {.n = 0};
	uint32_t shuffle;
	struct rng rng;

	*out = (struct placement){.order = NULL};
	rng_seed_text(&rng, seed);
	for (size_t kind = 0; kind < PAD_KINDS; kind++)
		coins[kind] = rng_below(&rng, 1U << PAD_COUNT);
	for (size_t n = 0; n < PAD_COUNT; n++) {
		if (coins[PAD_CODE] >> n & 1)
			add_pad(parts, PAD_CODE, n, arena, &out->objects);
		if (coins[PAD_DATA] >> n & 1)
			add_pad(parts, PAD_DATA, n, arena, &out->objects);
		if (coins[PAD_BETWEEN] >> n & 1)
			between.pads[between.n++] = (uint32_t)n;
	}
	rng_shuffle(&rng, between.pads, between.n);
	order_objects(parts, &between, &rng, arena, &out->objects);
	shuffle = 1 + (uint32_t)rng_below(&rng, INT32_MAX); /* LLD's 0 is another order each time */
	if (parts->linker == LINKER_LLD)
		words_addf(&out->options, arena, "--shuffle-sections=.text*=%u", shuffle);
	else if (parts->linker != LINKER_OTHER)
		order_functions(parts, &between, &rng, arena, out);
}
