#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "native.h"
#include "sys/process.h"

/* What the code of an object is, by binutils alone. */

enum { SECTION_LIMIT = 1 << 24 };

static int run_tool(struct trust *t, const struct words *argv, struct buf *out, struct error *e)
{
	struct process_options options = {.argv = argv->v, .cpu = -1, .output_limit = 16 << 20};
	struct process_result result = {0};
	int code = 0;

	if (process_run(&options, &result, e) != 0)
		return -1;
	if (!process_ok(&result))
		code = error_set(e, EXIT_CANNOT, "%s: %s: %s", words_join(argv, &t->arena),
			process_describe(&result, &t->arena), buf_text(&result.err));
	else if (out != NULL)
		buf_add(out, result.out.data, result.out.n);
	process_result_release(&result);
	return code;
}

static bool is_code(const char *name)
{
	return text_starts(name, ".text") || text_starts(name, ".rodata");
}

/* Sections of code and constants that are not empty, from lines "  3 .text.walk_sum 0000002a ..." of `objdump -h`. */
static int list_sections(struct trust *t, const struct native_tools *tools, const char *object,
	struct words *names, struct error *e)
{
	struct words argv = {0};
	struct buf text = {0};
	char name[256];
	unsigned long size;

	words_add(&argv, &t->arena, tools->objdump);
	words_add(&argv, &t->arena, "-h");
	words_add(&argv, &t->arena, "-w");
	words_add(&argv, &t->arena, object);
	if (run_tool(t, &argv, &text, e) != 0)
		return -1;
	for (const char *line = buf_text(&text); line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, " %*d %255s %lx", name, &size) == 2 && is_code(name) && size > 0)
			words_add(names, &t->arena, name);
	}
	buf_release(&text);
	return 0;
}

/* Bytes of all these sections, each behind its name and size. */
static int dump_sections(struct trust *t, const struct native_tools *tools, const char *object,
	const struct words *names, struct buf *truth, struct error *e)
{
	struct words argv = {0}, files = {0};

	words_add(&argv, &t->arena, tools->objcopy);
	for (size_t i = 0; i < names->n; i++) {
		words_addf(&files, &t->arena, "%s/section-%zu", t->scratch, i);
		words_addf(&argv, &t->arena, "--dump-section=%s=%s", names->v[i], files.v[i]);
	}
	words_add(&argv, &t->arena, object);
	words_addf(&argv, &t->arena, "%s/copy.o", t->scratch);
	if (run_tool(t, &argv, NULL, e) != 0)
		return -1;
	for (size_t i = 0; i < names->n; i++) {
		struct buf bytes = {0};

		if (file_read(files.v[i], SECTION_LIMIT, &bytes, e) != 0)
			return -1;
		buf_addf(truth, "%s %zu\n", names->v[i], bytes.n);
		buf_add(truth, bytes.data, bytes.n);
		buf_release(&bytes);
		if (file_remove_tree(files.v[i], e) != 0)
			return -1;
	}
	return 0;
}

/* Lines of `objdump -r` below "RELOCATION RECORDS FOR [.text...]:", up to an empty one. */
static int list_relocations(struct trust *t, const struct native_tools *tools, const char *object,
	struct buf *truth, struct error *e)
{
	struct words argv = {0};
	struct buf text = {0};
	char name[256];
	bool wanted = false;

	words_add(&argv, &t->arena, tools->objdump);
	words_add(&argv, &t->arena, "-r");
	words_add(&argv, &t->arena, "-w");
	words_add(&argv, &t->arena, object);
	if (run_tool(t, &argv, &text, e) != 0)
		return -1;
	for (const char *line = buf_text(&text); *line != '\0';) {
		size_t length = strcspn(line, "\n");

		if (sscanf(line, "RELOCATION RECORDS FOR [%255[^]]]", name) == 1)
			wanted = is_code(name);
		else if (length == 0)
			wanted = false;
		if (wanted)
			buf_add(truth, line, length + 1);
		line += length + (line[length] == '\n');
	}
	buf_release(&text);
	return 0;
}

const char *native_truth(
	struct trust *t, const struct native_tools *tools, const char *object, size_t *size, struct error *e)
{
	struct words names = {0};
	struct buf truth = {0};
	char *copy = NULL;

	if (list_sections(t, tools, object, &names, e) == 0) {
		if (names.n == 0)
			error_set(e, EXIT_CANNOT, "%s: objdump sees no code in it", object);
		else if (dump_sections(t, tools, object, &names, &truth, e) == 0 &&
			 list_relocations(t, tools, object, &truth, e) == 0) {
			copy = arena_alloc(&t->arena, truth.n + 1);
			memcpy(copy, buf_text(&truth), truth.n);
			*size = truth.n;
		}
	}
	buf_release(&truth);
	return copy;
}
