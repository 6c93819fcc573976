#include "toolchain/identify.h"

#include <string.h>

#include "base/file.h"
#include "toolchain/macros.h"
#include "toolchain/parts.h"

/* Raise it when what is asked here changes. */
static const char *const format = "flagstone toolchain identity 1";

static const char *const empty_program = "int main(void)\n{\n\treturn 0;\n}\n";

static void candidate_key(const struct candidate *c, char key[HASH_HEX])
{
	const struct words *const lists[] = {&c->cc, &c->env, &c->runner};
	struct hash hash;

	hash_init(&hash);
	hash_add_field(&hash, format);
	hash_add_field(&hash, c->real);
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < lists[i]->n; j++)
			hash_add_field(&hash, lists[i]->v[j]);
		hash_add_field(&hash, NULL);
	}
	hash_final_hex(&hash, key);
}

static void words_from_json(struct words *words, struct arena *arena, const json_t *array)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));

		words_add(words, arena, text != NULL ? text : "");
	}
}

static void save(
	const struct finding *f, const char *key, const struct toolchain *t, const struct words *watch)
{
	json_t *document = json_object();

	json_object_set_new(document, "watch", json_safe_words(watch));
	json_object_set_new(document, "stamp", json_safe_string(t->memory->watch));
	json_object_set_new(document, "style", json_integer((json_int_t)t->memory->style));
	json_object_set_new(document, "musl", json_boolean(t->memory->musl));
	json_object_set_new(document, "major", json_integer(t->major));
	json_object_set_new(document, "version", json_safe_string(t->version));
	json_object_set_new(document, "target", json_safe_string(t->target));
	json_object_set_new(document, "arch", json_safe_string(t->arch));
	json_object_set_new(document, "native", json_boolean(t->native));
	json_object_set_new(document, "identity", json_safe_string(t->identity));
	json_object_set_new(document, "facts", facts_to_json(&t->facts));
	cache_store(f->options->cache_folder, key, document);
	json_decref(document);
}

/* Is what the cache has complete, and still true of the files there are? */
static bool restore(struct finding *f, const json_t *document, struct toolchain *t)
{
	const char *identity = json_text(document, "identity", "");
	const int64_t style = json_int(document, "style", -1);
	struct words watch = {0};

	words_from_json(&watch, f->arena, json_object_get(document, "watch"));
	cache_stamp_files(&watch, t->memory->watch);
	if (watch.n == 0 || strcmp(json_text(document, "stamp", ""), t->memory->watch) != 0)
		return false;
	if (strlen(identity) != HASH_HEX - 1 || style < STYLE_GCC || style > STYLE_TCC ||
		facts_from_json(&t->facts, json_object_get(document, "facts"), "the cache", NULL) != 0)
		return false;
	memcpy(t->identity, identity, HASH_HEX);
	t->memory->style = (enum spec_family_style)style;
	t->memory->musl = json_flag(document, "musl", false);
	t->major = (int)json_int(document, "major", 0);
	t->version = arena_strdup(f->arena, json_text(document, "version", ""));
	t->target = arena_strdup(f->arena, json_text(document, "target", ""));
	t->arch = arena_strdup(f->arena, json_text(document, "arch", ""));
	t->native = json_flag(document, "native", false);
	return true;
}

/* A 64-bit x86 kernel mostly runs 32-bit programs, an arm64 one sometimes: only trying tells. */
static bool may_run(const char *arch, const char *host)
{
	if (strcmp(arch, host) == 0)
		return true;
	if (strcmp(host, "x86_64") == 0)
		return strcmp(arch, "i386") == 0 || strcmp(arch, "x32") == 0;
	return strcmp(host, "aarch64") == 0 && strcmp(arch, "arm") == 0;
}

static const char *target_of(const struct asker *asker, const struct toolchain *t)
{
	if (t->memory->style != STYLE_TCC) {
		const struct answer answer = ask(asker, "-dumpmachine", NULL);
		const char *target = answer.ok ? ask_first_line(asker->arena, answer.out) : "";

		/* It becomes a part of slot names. */
		if (text_is_name(target))
			return target;
	}
	return arena_printf(asker->arena, "%s-linux", t->arch);
}

/* Links an empty program and, where it may run, runs it. */
static bool try_program(
	struct finding *f, const struct asker *asker, struct toolchain *t, const char **reason)
{
	const char *host = macros_host_arch(f->arena);
	const char *source = file_join(f->arena, f->folder, "empty.c");
	const char *program = file_join(f->arena, f->folder, "empty");
	struct words command = {0};
	struct asker runner = *asker;
	struct answer answer;
	struct error e = {0};

	if (file_write_atomic(source, empty_program, strlen(empty_program), &e) != 0 ||
		file_remove_tree(program, &e) != 0) {
		*reason = arena_strdup(f->arena, e.text);
		return false;
	}
	answer = ask(asker, "-o", "empty", "empty.c", NULL);
	if (!answer.ok || !file_exists(program)) {
		*reason = arena_printf(f->arena,
			"it cannot link an empty program: %s; is its C library's development "
			"package installed?",
			answer.ok ? "it said it did, but wrote none" : answer.problem);
		return false;
	}
	if (!may_run(t->arch, host))
		return true;
	words_add(&command, f->arena, program);
	runner.command = &command;
	runner.env = NULL;
	answer = ask(&runner, NULL);
	t->native = answer.ok;
	if (!answer.ok && strcmp(t->arch, host) == 0) {
		*reason = arena_printf(f->arena,
			"a program that it linked in %s does not run: %s (if that folder is mounted "
			"noexec, set TMPDIR)",
			f->folder, answer.problem);
		return false;
	}
	return true;
}

static void set_identity(struct toolchain *t, const char *macros, const struct parts *parts)
{
	const struct words *const lists[] = {&parts->identity, &t->env, &t->runner};
	struct hash hash;
	char hex[HASH_HEX];

	macros_hash(parts->asker->arena, macros, hex);
	facts_set(&t->facts, "toolchain.macros.sha256", hex, "-dM -E");
	hash_init(&hash);
	hash_add_field(&hash, format);
	hash_add_field(&hash, hex);
	hash_add_field(&hash, t->version);
	hash_add_field(&hash, t->target);
	/* Words behind the program are a part of what it is: `gcc -m32`. */
	for (size_t i = 1; i < t->cc.n; i++)
		hash_add_field(&hash, t->cc.v[i]);
	hash_add_field(&hash, NULL);
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < lists[i]->n; j++)
			hash_add_field(&hash, lists[i]->v[j]);
		hash_add_field(&hash, NULL);
	}
	hash_final_hex(&hash, t->identity);
}

static void describe(struct finding *f, struct toolchain *t, const char *macros)
{
	const char *banner = macros_value(f->arena, macros, "__VERSION__");

	facts_set(&t->facts, "toolchain.version", t->version, "-dM -E");
	if (banner != NULL)
		facts_set(&t->facts, "toolchain.banner", banner, "__VERSION__");
	facts_set(&t->facts, "toolchain.target", t->target,
		t->memory->style == STYLE_TCC ? "-dM -E" : "-dumpmachine");
	facts_set(&t->facts, "toolchain.arch", t->arch, "-dM -E");
	facts_set(&t->facts, "toolchain.cc", words_join(&t->cc, f->arena), "PATH, toolchains/*.yaml");
	if (t->env.n > 0)
		facts_set(&t->facts, "toolchain.env", words_join(&t->env, f->arena), "toolchains/*.yaml");
	if (t->runner.n > 0)
		facts_set(
			&t->facts, "toolchain.runner", words_join(&t->runner, f->arena), "toolchains/*.yaml");
}

static bool ask_it(struct finding *f, const struct candidate *c, struct toolchain *t, struct words *watch,
	const char **reason)
{
	const struct asker asker = memory_asker(t, f->arena, f->folder);
	const struct answer macros = ask(&asker, "-E", "-dM", "-x", "c", "/dev/null", NULL);
	struct parts parts = {.asker = &asker, .cache = &f->cache, .facts = &t->facts, .driver = c->real};
	struct code_info linked;
	struct error e = {0};

	if (!macros.ok) {
		*reason = arena_printf(f->arena, "it does not list its macros: %s", macros.problem);
		return false;
	}
	if (!macros_identify(f->arena, macros.out, &t->memory->style, &t->major, &t->version)) {
		*reason = "its macros are not those of gcc, clang or tcc";
		return false;
	}
	t->arch = macros_arch(f->arena, macros.out);
	t->target = target_of(&asker, t);
	if (!try_program(f, &asker, t, reason))
		return false;
	if (code_read(file_join(f->arena, f->folder, "empty"), f->arena, &linked, &e) != 0) {
		*reason = arena_strdup(f->arena, e.text);
		return false;
	}
	describe(f, t, macros.out);
	parts.style = t->memory->style;
	parts.native = t->native;
	parts.linked = &linked;
	parts_find(&parts);
	parts_find_libc(&parts);
	t->memory->musl = parts.musl;
	*watch = parts.watch;
	cache_stamp_files(watch, t->memory->watch);
	set_identity(t, macros.out, &parts);
	return true;
}

static struct toolchain *new_toolchain(const struct finding *f, const struct candidate *c)
{
	struct toolchain *t = arena_new(f->arena, struct toolchain);

	t->memory = arena_new(f->arena, struct toolchain_memory);
	*t->memory = (struct toolchain_memory){.arena = f->arena,
		.cache_folder = f->options->cache_folder,
		.scratch = f->options->scratch,
		.cpu = f->cpu,
		.timeout_ns = f->timeout_ns};
	t->facts.arena = f->arena;
	t->cc = c->cc;
	t->env = c->env;
	t->runner = c->runner;
	t->user = c->user;
	return t;
}

struct toolchain *identify(struct finding *f, const struct candidate *c, const char **reason)
{
	struct toolchain *t = new_toolchain(f, c);
	struct words watch = {0};
	char key[HASH_HEX];
	json_t *document;

	candidate_key(c, key);
	document = cache_load(f->options->cache_folder, key);
	if (document != NULL && restore(f, document, t)) {
		json_decref(document);
		return t;
	}
	json_decref(document);
	t = new_toolchain(f, c);
	if (!ask_it(f, c, t, &watch, reason))
		return NULL;
	save(f, key, t, &watch);
	return t;
}
