#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(char *text, size_t size, int length)
{
	if (length >= 0 && (size_t)length >= size)
		memcpy(text + size - 4, "...", 4);
}

int error_set(struct error *e, enum exit_code code, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -1;
	e->code = code;
	va_start(ap, fmt);
	mark_cut(e->text, sizeof(e->text), vsnprintf(e->text, sizeof(e->text), fmt, ap));
	va_end(ap);
	return -1;
}

int error_errno(struct error *e, int errnum, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return error_set(e, EXIT_CANNOT, "%s: %s", text, strerror(errnum));
}

int error_context(struct error *e, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	char old[sizeof(e->text)];
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(old, e->text, sizeof(old));
	return error_set(e, e->code, "%s: %s", text, old);
}

int error_advice(struct error *e, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	char old[sizeof(e->text)];
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(old, e->text, sizeof(old));
	return error_set(e, e->code, "%s; %s", old, text);
}
