#include "spec/spec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum {
	ERROR_TEXT_MAX = 2000,
	ERROR_ROOM = 512 /* of a struct error, for what callers put before and behind the list */
};

static size_t kept(const struct spec_errors *errors)
{
	return errors->n < SPEC_ERRORS_KEPT ? errors->n : SPEC_ERRORS_KEPT;
}

static void add(struct spec_errors *errors, struct spec_place place, const char *text)
{
	if (errors->n == errors->cap) {
		size_t cap = errors->cap > 0 ? 2 * errors->cap : 16;
		void *v = arena_array(errors->arena, cap, sizeof(*errors->v));

		if (errors->n > 0)
			memcpy(v, errors->v, errors->n * sizeof(*errors->v));
		errors->v = v;
		errors->cap = cap;
	}
	errors->v[errors->n].place = place;
	errors->v[errors->n++].text = text;
}

void spec_error(struct spec_errors *errors, struct spec_place place, const char *fmt, ...)
{
	char *text;
	va_list ap;

	/* a file of a million typing errors must not fill the memory with texts about them */
	if (errors->n >= SPEC_ERRORS_KEPT) {
		errors->n++;
		return;
	}
	va_start(ap, fmt);
	text = arena_vprintf(errors->arena, fmt, ap);
	va_end(ap);
	if (strlen(text) > ERROR_TEXT_MAX)
		memcpy(text + ERROR_TEXT_MAX - 3, "...", 4);
	/* what the file says stands in the text: a line break in it would make a second, forged error */
	add(errors, place, text_safe(errors->arena, text));
}

static int by_place(const void *a, const void *b)
{
	const struct spec_place *p = *(const struct spec_place *const *)a,
				*q = *(const struct spec_place *const *)b;
	int order = strcmp(p->file != NULL ? p->file : "", q->file != NULL ? q->file : "");

	if (order == 0)
		order = (p->line > q->line) - (p->line < q->line);
	if (order == 0)
		order = (p->column > q->column) - (p->column < q->column);
	return order != 0 ? order : (p > q) - (p < q); /* found first, told first */
}

static void add_line(struct buf *out, struct arena *arena, const struct spec_place *place, const char *text)
{
	if (place->file != NULL && place->line > 0)
		buf_addf(out, "%s:%u:%u: ", text_safe(arena, place->file), place->line, place->column);
	else if (place->file != NULL)
		buf_addf(out, "%s: ", text_safe(arena, place->file));
	buf_addf(out, "%s\n", text);
}

/* Appends all that fits into `room` bytes, a line each, and how many are left out. */
static void add_text(const struct spec_errors *errors, size_t room, struct buf *out)
{
	const size_t count = kept(errors);
	const struct spec_place **order = arena_array(errors->arena, count + 1, sizeof(*order));
	size_t told = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = &errors->v[i].place;
	qsort(order, count, sizeof(*order), by_place);
	for (size_t i = 0; i < count; i++) {
		/* place is the first member of an element */
		size_t at = (size_t)((const char *)order[i] - (const char *)errors->v) / sizeof(*errors->v);
		struct buf line = {0};

		add_line(&line, errors->arena, order[i], errors->v[at].text);
		if (out->n + line.n <= room) {
			buf_add(out, line.data, line.n);
			told++;
		} else if (i == 0) {
			buf_addf(out, "%.*s...\n", (int)room - 4, buf_text(&line));
			told++;
			room = 0;
		} else {
			room = 0; /* a shorter one behind would hide that one is missing */
		}
		buf_release(&line);
	}
	if (told < errors->n)
		buf_addf(out, "... and %zu more error%s\n", errors->n - told, text_plural(errors->n - told));
}

char *spec_errors_text(const struct spec_errors *errors)
{
	struct buf out = {0};
	char *text;

	add_text(errors, SIZE_MAX, &out);
	text = arena_strdup(errors->arena, buf_text(&out));
	buf_release(&out);
	return text;
}

int spec_errors_to_error(const struct spec_errors *errors, struct error *e)
{
	struct buf out = {0};

	if (errors->n == 0)
		return 0;
	add_text(errors, sizeof(e->text) - ERROR_ROOM, &out);
	/* the last line break is the printer's */
	error_set(e, EXIT_USAGE, "%.*s", (int)out.n - 1, buf_text(&out));
	buf_release(&out);
	return -1;
}
