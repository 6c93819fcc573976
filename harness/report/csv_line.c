#include "report/csv_line.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"

static void next_field(struct csv *csv)
{
	if (csv->begun)
		buf_addc(csv->out, ',');
	csv->begun = true;
}

/* Numbers are not written by this function, so a minus sign there is safe. */
void csv_text(struct csv *csv, const char *text)
{
	const char *safe = text_safe(&csv->arena, text != NULL ? text : "");
	const char *guard = *safe != '\0' && strchr("=+-@", *safe) != NULL ? "'" : "";

	next_field(csv);
	if (strpbrk(safe, ",\"") == NULL && *guard == '\0') {
		buf_adds(csv->out, safe);
		return;
	}
	buf_addf(csv->out, "\"%s", guard);
	for (const char *p = safe; *p != '\0'; p++)
		buf_addf(csv->out, *p == '"' ? "\"%c" : "%c", *p);
	buf_addc(csv->out, '"');
}

void csv_number(struct csv *csv, bool known, double x)
{
	next_field(csv);
	if (known)
		json_add_double(csv->out, x);
}

void csv_p(struct csv *csv, bool compared, bool has_p, double p)
{
	if (compared && !has_p)
		csv_text(csv, "n/a");
	else
		csv_number(csv, compared, p);
}

void csv_count(struct csv *csv, bool known, size_t n)
{
	next_field(csv);
	if (known)
		buf_addf(csv->out, "%zu", n);
}

void csv_end(struct csv *csv)
{
	buf_adds(csv->out, "\r\n");
	csv->begun = false;
}

void csv_header(struct csv *csv, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		csv_text(csv, names[i]);
	csv_end(csv);
}
