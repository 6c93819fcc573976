#include "toolchain/probe.h"

#include <string.h>

#include "base/file.h"
#include "code/code.h"
#include "toolchain/memory.h"

/* What the probes are written in; main is 0 only when both files were linked together and are right. */
static const struct {
	const char *name, *text;
} sources[] = {
	{"main.c", "int flagstone_part(int);\n"
		   "int flagstone_first(void)\n{\n\treturn 20;\n}\n"
		   "int main(void)\n{\n\treturn flagstone_part(flagstone_first()) - 42;\n}\n"},
	{"part.c", "int flagstone_part(int x)\n{\n\treturn 2 * x + 2;\n}\n"},
	{"order.c", "int flagstone_part(int);\n"
		    "int flagstone_first(int x)\n{\n\treturn 3 * x;\n}\n"
		    "int main(void)\n{\n"
		    "\treturn (unsigned long)flagstone_first < (unsigned long)flagstone_part;\n}\n"},
	{"asm.c", "int main(void)\n{\n\tint x = 0;\n\t__asm__ volatile(\"\" : \"+r\"(x) : : \"memory\");\n"
		  "\treturn x;\n}\n"},
};

struct probing {
	struct arena *arena;
	struct toolchain *t;
	struct asker asker;
};

static const char *path_of(const struct probing *p, const char *name)
{
	return file_join(p->arena, p->asker.folder, name);
}

/* Runs one of its programs; NULL when it went well, else why not. */
static const char *run(const struct probing *p, const char *name)
{
	struct words command = {0};
	struct asker asker = p->asker;
	struct answer answer;

	words_add_all(&command, p->arena, &p->t->runner);
	words_add(&command, p->arena, path_of(p, name));
	asker.command = &command;
	asker.env = NULL;
	answer = ask(&asker, NULL);
	return answer.ok ? NULL
			 : arena_printf(p->arena, "the program does not run right: %s", answer.problem);
}

static bool can_run(const struct toolchain *t)
{
	return t->native || t->runner.n > 0;
}

/* Link-time optimization through an archive, as static libraries of real programs go. NULL: it works. */
static const char *try_lto(const struct probing *p)
{
	struct toolchain *t = p->t;
	struct words ar = {0};
	struct asker archiver = p->asker;
	struct error e = {0};
	struct answer answer;
	bool intermediate;

	if (t->memory->style == STYLE_TCC)
		return "tcc has no link-time optimization: it takes -flto and ignores it";
	if (t->ar == NULL)
		return "there is no ar to put its objects into a library with: install binutils";
	answer = ask(&p->asker, "-O2", "-flto", "-c", "part.c", "-o", "lto-part.o", NULL);
	if (answer.ok)
		answer = ask(&p->asker, "-O2", "-flto", "-c", "main.c", "-o", "lto-main.o", NULL);
	if (!answer.ok)
		return arena_printf(p->arena, "it does not compile with -flto: %s", answer.problem);
	if (code_is_intermediate(path_of(p, "lto-part.o"), &intermediate, &e) != 0)
		return arena_strdup(p->arena, e.text);
	if (!intermediate)
		return "it takes -flto, but writes ordinary objects";
	words_add(&ar, p->arena, t->ar);
	archiver.command = &ar;
	answer = ask(&archiver, "rcs", "lto.a", "lto-part.o", NULL);
	if (!answer.ok)
		return arena_printf(
			p->arena, "%s makes no library of its objects: %s", t->ar, answer.problem);
	answer = ask(&p->asker, "-O2", "-flto", "-o", "lto", "lto-main.o", "lto.a", NULL);
	if (!answer.ok)
		return arena_printf(p->arena, "it does not link with -flto (library made by %s): %s", t->ar,
			answer.problem);
	return can_run(t) ? run(p, "lto") : NULL;
}

static const char *try_static(const struct probing *p)
{
	const struct answer answer =
		ask(&p->asker, "-O2", "-static", "-o", "static", "main.c", "part.c", NULL);
	struct code_info info;
	struct error e = {0};

	if (!answer.ok)
		return arena_printf(p->arena, "it does not link with -static: %s%s", answer.problem,
			strstr(answer.err, "-lc") != NULL ? "; the static C library is missing" : "");
	if (code_read(path_of(p, "static"), p->arena, &info, &e) != 0)
		return arena_strdup(p->arena, e.text);
	if (!info.is_static)
		return "it takes -static, but links a dynamic program";
	return can_run(p->t) ? run(p, "static") : NULL;
}

static const char *try_asm(const struct probing *p)
{
	const struct answer answer = ask(&p->asker, "-O2", "-o", "asm", "asm.c", NULL);

	if (!answer.ok)
		return arena_printf(p->arena, "it does not compile GNU assembly: %s", answer.problem);
	return can_run(p->t) ? run(p, "asm") : NULL;
}

/* Which of the two functions comes first, by the symbol table of a program that cannot run here: 0, 1; -1: unknown. */
static int order_by_symbols(const struct probing *p, const char *name)
{
	uint64_t first, part, size;

	if (code_symbol(path_of(p, name), "flagstone_first", &first, &size, NULL) != 0 ||
		code_symbol(path_of(p, name), "flagstone_part", &part, &size, NULL) != 0)
		return -1;
	return first < part;
}

/* The same as the program itself says; tcc writes no symbol table. */
static int order_by_run(const struct probing *p, const char *name)
{
	const char *problem = run(p, name);

	if (problem == NULL)
		return 0;
	return strstr(problem, "exit code 1") != NULL ? 1 : -1;
}

/* Does the order of objects decide where their code goes? */
static bool try_order(const struct probing *p)
{
	int order[2];

	if (!ask(&p->asker, "-O2", "-c", "order.c", "-o", "order.o", NULL).ok ||
		!ask(&p->asker, "-O2", "-c", "part.c", "-o", "part.o", NULL).ok ||
		!ask(&p->asker, "-o", "order0", "order.o", "part.o", NULL).ok ||
		!ask(&p->asker, "-o", "order1", "part.o", "order.o", NULL).ok)
		return false;
	for (int i = 0; i < 2; i++) {
		const char *name = i == 0 ? "order0" : "order1";

		order[i] = can_run(p->t) ? order_by_run(p, name) : order_by_symbols(p, name);
	}
	return order[0] >= 0 && order[1] >= 0 && order[0] != order[1];
}

/* Compilers that refuse a -march value list those they take: "valid ... are: a b c" or "a, b, c". */
static void ask_march(const struct probing *p)
{
	const char *key = "toolchain.march_values";
	const char *source = "-march=flagstone-none";
	struct words values = {0};
	struct answer answer;
	const char *list;

	if (p->t->memory->style == STYLE_TCC) {
		facts_unknown(&p->t->facts, key, source, "tcc takes any -march and ignores it");
		return;
	}
	answer = ask(&p->asker, source, "-c", "part.c", "-o", "march.o", NULL);
	list = strstr(answer.err, "valid");
	list = list != NULL ? strstr(list, "are: ") : NULL;
	if (answer.ok || list == NULL) {
		facts_unknown(&p->t->facts, key, source, "it does not list the values it takes");
		return;
	}
	for (list += 5; *list != '\0' && *list != '\n' && *list != ';';) {
		const size_t length = strcspn(list, ", \n;");

		if (length > 0)
			words_add(&values, p->arena, arena_strndup(p->arena, list, length));
		list += length + strspn(list + length, ", ");
	}
	facts_set(&p->t->facts, key, words_join(&values, p->arena), source);
}

static enum tri tri_of(const char *problem)
{
	return problem == NULL ? TRI_YES : TRI_NO;
}

static const char *try_all(struct probing *p)
{
	struct error e = {0};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (file_write_atomic(
			    path_of(p, sources[i].name), sources[i].text, strlen(sources[i].text), &e) != 0)
			return arena_strdup(p->arena, e.text);
	p->t->lto_reason = try_lto(p);
	p->t->lto = tri_of(p->t->lto_reason);
	p->t->static_reason = try_static(p);
	p->t->static_libc = tri_of(p->t->static_reason);
	p->t->gnu_asm_reason = try_asm(p);
	p->t->gnu_asm = tri_of(p->t->gnu_asm_reason);
	p->t->shuffle_with_objects = try_order(p);
	ask_march(p);
	return NULL;
}

/* The members of struct toolchain that a probe answers. */
struct tri_member {
	const char *key;
	enum tri *answer;
	const char **reason;
};

enum { TRI_MEMBERS = 3 };

static void tri_members(struct toolchain *t, struct tri_member members[TRI_MEMBERS])
{
	members[0] = (struct tri_member){"lto", &t->lto, &t->lto_reason};
	members[1] = (struct tri_member){"static", &t->static_libc, &t->static_reason};
	members[2] = (struct tri_member){"gnu_asm", &t->gnu_asm, &t->gnu_asm_reason};
}

static json_t *to_json(struct toolchain *t)
{
	struct tri_member members[TRI_MEMBERS];
	json_t *document = json_object(), *cxx = json_array(), *answers = json_object(),
	       *reasons = json_object();

	tri_members(t, members);
	for (size_t i = 0; i < t->cxx.n; i++)
		json_array_append_new(cxx, json_safe_string(t->cxx.v[i]));
	for (size_t i = 0; i < TRI_MEMBERS; i++) {
		json_object_set_new(answers, members[i].key, json_integer((json_int_t)*members[i].answer));
		json_object_set_new(reasons, members[i].key, json_safe_string(*members[i].reason));
	}
	json_object_set_new(document, "cxx", cxx);
	json_object_set_new(document, "cxx_reason", json_safe_string(t->cxx_reason));
	json_object_set_new(document, "ar", json_safe_string(t->ar));
	json_object_set_new(document, "answers", answers);
	json_object_set_new(document, "reasons", reasons);
	json_object_set_new(document, "order", json_boolean(t->shuffle_with_objects));
	json_object_set_new(document, "facts", facts_to_json(&t->facts));
	return document;
}

static const char *text_of(struct arena *arena, const json_t *object, const char *key)
{
	const char *text = json_text(object, key, NULL);

	return text != NULL ? arena_strdup(arena, text) : NULL;
}

static bool from_json(struct toolchain *t, struct arena *arena, const json_t *document)
{
	const json_t *cxx = json_object_get(document, "cxx");
	struct tri_member members[TRI_MEMBERS];

	tri_members(t, members);
	if (!json_is_array(cxx) ||
		facts_from_json(&t->facts, json_object_get(document, "facts"), "cache", NULL) != 0)
		return false;
	for (size_t i = 0; i < json_array_size(cxx); i++) {
		const char *word = json_string_value(json_array_get(cxx, i));

		words_add(&t->cxx, arena, word != NULL ? word : "");
	}
	for (size_t i = 0; i < TRI_MEMBERS; i++) {
		const int64_t answer =
			json_int(json_object_get(document, "answers"), members[i].key, TRI_UNKNOWN);

		*members[i].answer = answer == TRI_YES ? TRI_YES : answer == TRI_NO ? TRI_NO : TRI_UNKNOWN;
		*members[i].reason = text_of(arena, json_object_get(document, "reasons"), members[i].key);
	}
	t->cxx_reason = text_of(arena, document, "cxx_reason");
	t->ar = text_of(arena, document, "ar");
	t->shuffle_with_objects = json_flag(document, "order", false);
	return true;
}

static void set_facts(struct toolchain *t)
{
	struct tri_member members[TRI_MEMBERS];

	tri_members(t, members);
	for (size_t i = 0; i < TRI_MEMBERS; i++) {
		const char *key = arena_printf(t->facts.arena, "toolchain.%s", members[i].key);

		facts_set(&t->facts, key, *members[i].answer == TRI_YES ? "yes" : "no",
			"compiled, linked and run");
		if (*members[i].reason != NULL)
			facts_set(&t->facts, arena_printf(t->facts.arena, "%s_reason", key),
				*members[i].reason, "compiled, linked and run");
	}
	if (t->cxx.n > 0)
		facts_set(&t->facts, "toolchain.cxx", words_join(&t->cxx, t->facts.arena),
			"beside the C compiler");
	else
		facts_unknown(&t->facts, "toolchain.cxx", "beside the C compiler", t->cxx_reason);
	if (t->ar != NULL)
		facts_set(&t->facts, "toolchain.ar.path", t->ar, "beside the C compiler");
}

void probe(struct finding *f, struct toolchain *t)
{
	struct probing p = {.arena = f->arena, .t = t, .asker = memory_asker(t, f->arena, f->folder)};
	const struct spec_toolchain *user = t->memory->cxx_user;
	const struct words none = {0};
	const struct words *const lists[] = {&t->names, user != NULL ? &user->cxx : &none, NULL};
	char key[HASH_HEX];
	json_t *document;

	memory_key(t, f->options->probe ? "probe" : "tools", lists, key);
	document = memory_get(t, key);
	if (document != NULL && from_json(t, f->arena, document)) {
		json_decref(document);
		return;
	}
	json_decref(document);
	probe_tools(f, t);
	if (f->options->probe) {
		const char *problem = try_all(&p);

		if (problem != NULL) {
			t->lto_reason = t->static_reason = t->gnu_asm_reason = problem;
			return;
		}
		set_facts(t);
	}
	document = to_json(t);
	memory_put(t, key, document);
	json_decref(document);
}
