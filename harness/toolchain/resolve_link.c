#include "toolchain/resolve.h"

#include <string.h>

#include "base/file.h"
#include "code/code.h"

/* What becomes of the flags of a link: the line of the linker that -### prints; tcc: a program that it links. */

static const char *const keys[] = {"resolved.pie", "resolved.static", "resolved.linker"};

static bool is_linker(const char *program)
{
	const char *name = file_name(program);

	return strcmp(name, "collect2") == 0 || strcmp(name, "ld") == 0 || text_starts(name, "ld.") ||
	       text_ends(name, "-ld") || text_glob("*-ld.*", name) || strcmp(name, "lld") == 0 ||
	       strcmp(name, "mold") == 0 || strcmp(name, "gold") == 0;
}

/* The last command of a linker; commands are indented. */
static bool find_line(const char *text, struct arena *arena, struct words *found)
{
	bool any = false;

	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");
		struct words words = {0};

		if (text[0] == ' ' &&
			words_split(&words, arena, arena_strndup(arena, text, length), NULL, NULL) == 0 &&
			words.n > 1 && is_linker(words.v[0])) {
			*found = words;
			any = true;
		}
		text += length + (text[length] == '\n');
	}
	return any;
}

static const char *linker_of(const struct words *line)
{
	const char *name = file_name(line->v[0]);

	for (size_t i = 1; i < line->n; i++)
		if (text_starts(line->v[i], "-fuse-ld="))
			return line->v[i] + strlen("-fuse-ld=");
	if (strcmp(name, "collect2") == 0)
		return "ld";
	if (strstr(name, "ld.") != NULL) /* ld.lld, x86_64-linux-gnu-ld.gold */
		return strstr(name, "ld.") + strlen("ld.");
	return text_ends(name, "-ld") ? "ld" : name;
}

/* "precise contract=... denormals=ieee" with another value of that piece. */
static void set_denormals(struct facts *facts, struct arena *arena, const char *value, const char *source)
{
	static const char piece[] = "denormals=";
	const char *model = facts_value(facts, "resolved.fp_model");
	const char *at = model != NULL ? strstr(model, piece) : NULL;

	if (at == NULL)
		return;
	at += strlen(piece);
	facts_set(facts, "resolved.fp_model",
		arena_printf(arena, "%.*s%s%s", (int)(at - model), model, value, at + strcspn(at, " ")),
		source);
}

bool resolve_link_line(const char *text, struct arena *arena, struct facts *facts)
{
	struct words line = {0};

	if (!find_line(text, arena, &line))
		return false;
	facts_set(facts, keys[0], words_have(&line, "-pie") ? "yes" : "no", "-### of the link");
	facts_set(facts, keys[1], words_have(&line, "-static") ? "yes" : "no", "-### of the link");
	facts_set(facts, keys[2], linker_of(&line), "-### of the link");
	for (size_t i = 1; i < line.n; i++)
		if (strcmp(file_name(line.v[i]), "crtfastmath.o") == 0)
			facts_set(facts, "resolved.start_code", "crtfastmath.o", "-### of the link");
	return true;
}

/* ELF header, e_type: 2 is a program at fixed addresses, 3 a position-independent one (System V ABI). */
static void link_one(const struct toolchain *t, const struct words *ldflags, const struct asker *asker,
	struct facts *facts)
{
	static const char how[] = "a program that it linked";
	struct arena *arena = asker->arena;
	const char *path = file_join(arena, asker->folder, "linked");
	struct words words = {0};
	struct buf text = {0};
	struct code_info info;
	struct error e = {0};
	struct answer answer;

	words_add_all(&words, arena, ldflags);
	words_add(&words, arena, "-o");
	words_add(&words, arena, "linked");
	words_add(&words, arena, "link.c");
	answer = ask_words(asker, &words);
	if (!answer.ok || file_read(path, 64 << 20, &text, &e) != 0 || text.n < 18 ||
		code_read(path, arena, &info, &e) != 0) {
		for (size_t i = 0; i < 2; i++)
			facts_unknown(facts, keys[i], how, answer.ok ? e.text : answer.problem);
	} else {
		const unsigned char type = (unsigned char)text.data[info.little_endian ? 16 : 17];

		facts_set(facts, keys[0], type == 3 ? "yes" : "no", how);
		facts_set(facts, keys[1], info.is_static ? "yes" : "no", how);
	}
	facts_set(facts, keys[2], "built in", t->cc.v[0]);
	buf_release(&text);
}

static void ask_link(const struct toolchain *t, const struct words *ldflags, const struct asker *asker,
	struct facts *facts)
{
	static const char program[] = "int main(void)\n{\n\treturn 0;\n}\n";
	struct arena *arena = asker->arena;
	struct words words = {0};
	struct error e = {0};
	struct answer answer;

	if (file_write_atomic(file_join(arena, asker->folder, "link.c"), program, strlen(program), &e) != 0 ||
		file_write_atomic(file_join(arena, asker->folder, "link.o"), "", 0, &e) != 0) {
		for (size_t i = 0; i < 3; i++)
			facts_unknown(facts, keys[i], asker->folder, e.text);
		return;
	}
	if (t->memory->style == STYLE_TCC) {
		link_one(t, ldflags, asker, facts);
		return;
	}
	words_add_all(&words, arena, ldflags);
	words_add(&words, arena, "-###");
	words_add(&words, arena, "-o");
	words_add(&words, arena, "linked");
	words_add(&words, arena, "link.o");
	answer = ask_words(asker, &words);
	if (answer.ok && resolve_link_line(answer.err, arena, facts))
		return;
	for (size_t i = 0; i < 3; i++)
		facts_unknown(facts, keys[i], "-### of the link",
			answer.ok ? "it prints no command of a linker" : answer.problem);
}

static bool restore(const struct toolchain *t, const char *key, struct facts *facts)
{
	json_t *document = memory_get(t, key);
	const bool known = document != NULL && facts_from_json(facts, document, "the cache", NULL) == 0 &&
			   facts_find(facts, keys[0]) != NULL;

	json_decref(document);
	return known;
}

void toolchain_resolve_link(
	const struct toolchain *t, const struct words *ldflags, struct arena *arena, struct facts *facts)
{
	const struct words *const lists[] = {ldflags, NULL};
	struct facts found = {.arena = arena};
	char key[HASH_HEX];

	memory_key(t, "resolve link", lists, key);
	if (!restore(t, key, &found)) {
		struct error e = {0};
		const char *folder = ask_folder(arena, t->memory->scratch, &e);
		struct asker asker;
		json_t *document;

		found = (struct facts){.arena = arena};
		if (folder == NULL) {
			for (size_t i = 0; i < 3; i++)
				facts_unknown(facts, keys[i], "-### of the link", e.text);
			return;
		}
		asker = memory_asker(t, arena, folder);
		ask_link(t, ldflags, &asker, &found);
		(void)file_remove_tree(folder, NULL);
		document = facts_to_json(&found);
		memory_put(t, key, document);
		json_decref(document);
	}
	facts_copy(facts, &found);
	if (facts_value(&found, "resolved.start_code") != NULL)
		set_denormals(facts, arena, "flush", "-### of the link: crtfastmath.o");
}
