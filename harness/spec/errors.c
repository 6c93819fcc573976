#include "spec/spec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* A file of a million typing errors must not fill the memory with texts about them. */
enum { ERRORS_MAX = 1000, ERROR_TEXT_MAX = 2000 };

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

	if (errors->n > ERRORS_MAX)
		return;
	if (errors->n == ERRORS_MAX) {
		/* the last place there is, so that it sorts behind the others of the file */
		place.line = place.column = UINT32_MAX;
		add(errors, place, "there are more errors than the 1000 shown; mend these first");
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
	if (place->file != NULL && place->line > 0 && place->line != UINT32_MAX)
		buf_addf(out, "%s:%u:%u: ", text_safe(arena, place->file), place->line, place->column);
	else if (place->file != NULL)
		buf_addf(out, "%s: ", text_safe(arena, place->file));
	buf_addf(out, "%s\n", text);
}

char *spec_errors_text(const struct spec_errors *errors)
{
	const struct spec_place **order;
	struct buf out = {0};
	char *text;

	if (errors->n == 0)
		return arena_strdup(errors->arena, "");
	order = arena_array(errors->arena, errors->n, sizeof(*order));
	for (size_t i = 0; i < errors->n; i++)
		order[i] = &errors->v[i].place;
	qsort(order, errors->n, sizeof(*order), by_place);
	for (size_t i = 0; i < errors->n; i++) {
		/* place is the first member of an element */
		size_t at = (size_t)((const char *)order[i] - (const char *)errors->v) / sizeof(*errors->v);

		add_line(&out, errors->arena, order[i], errors->v[at].text);
	}
	text = arena_strdup(errors->arena, buf_text(&out));
	buf_release(&out);
	return text;
}

int spec_errors_to_error(const struct spec_errors *errors, struct error *e)
{
	char *text;

	if (errors->n == 0)
		return 0;
	text = spec_errors_text(errors);
	text[strlen(text) - 1] = '\0'; /* the last line break is the printer's */
	return error_set(e, EXIT_USAGE, "%s", text);
}
