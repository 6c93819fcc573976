#include "spec/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

struct number {
	double x; /* for the bounds */
	double low;
	uint64_t u, low_u;
	int64_t ns;
};

static bool parse(enum key_type type, const char *text, struct number *n)
{
	bool ok = false;

	n->low = 0;
	switch (type) {
	case KEY_U64:
	case KEY_U32:
		ok = num_parse_u64(text, &n->u);
		n->x = (double)n->u;
		break;
	case KEY_SIZE:
		ok = num_parse_size(text, &n->u);
		n->x = (double)n->u;
		break;
	case KEY_DURATION:
		ok = num_parse_duration(text, &n->ns);
		n->x = (double)n->ns;
		break;
	case KEY_PERCENT:
		ok = num_parse_percent(text, &n->x);
		break;
	case KEY_RANGE:
		ok = num_parse_range(text, &n->low_u, &n->u);
		n->x = (double)n->u;
		break;
	default:
		ok = num_parse_double(text, &n->x);
	}
	n->low = type == KEY_RANGE ? (double)n->low_u : n->x;
	return ok;
}

static const char *form_of(enum key_type type)
{
	switch (type) {
	case KEY_U64:
	case KEY_U32:
		return "a whole number, such as 16";
	case KEY_SIZE:
		return "a size, such as 512M or 4G";
	case KEY_DURATION:
		return "a duration, such as 300us, 5ms, 1.5s, 20m or 2h";
	case KEY_PERCENT:
		return "a percentage, such as 0.5%";
	case KEY_RANGE:
		return "a whole number or a range, such as 16 or 16..64";
	default:
		return "a number, such as 1.5 or 1e-9";
	}
}

/* A bound as one would write it. */
static void bound_text(enum key_type type, double x, char text[NUM_SIZE])
{
	char *blank;

	if (type == KEY_DURATION) {
		num_duration((int64_t)x, text);
		for (blank = text; *blank != '\0'; blank++) /* 1.00 ms: shown as 1 ms */
			if (strncmp(blank, ".00 ", 4) == 0)
				memmove(blank, blank + 3, strlen(blank + 3) + 1);
	} else if (type == KEY_SIZE) {
		size_t unit = 0;

		for (; unit < 4 && x >= 1024 && x == 1024 * (double)(int64_t)(x / 1024); unit++)
			x /= 1024;
		snprintf(text, NUM_SIZE, "%.0f%.1s", x, &"\0KMGT"[unit]);
	} else if (type == KEY_PERCENT) {
		snprintf(text, NUM_SIZE, "%g%%", 100 * x);
	} else if (x <= 0x1p53 && x == (double)(int64_t)x) {
		snprintf(text, NUM_SIZE, "%lld", (long long)x);
	} else {
		snprintf(text, NUM_SIZE, "%g", x);
	}
}

static bool in_bounds(
	struct reader *reader, const struct key *key, const struct node *node, const struct number *n)
{
	char low[NUM_SIZE], high[NUM_SIZE];

	if (key->max <= key->min || (n->low >= key->min && n->x <= key->max))
		return true;
	bound_text(key->type, key->min, low);
	bound_text(key->type, key->max, high);
	spec_error(reader->errors, node->place, "`%s`: %.60s is not within %s and %s", key->name, node->text,
		low, high);
	return false;
}

void read_number(struct reader *reader, const struct key *key, const struct node *node, void *field)
{
	struct number n = {0};
	const char *form = key->form != NULL ? key->form : form_of(key->type);

	if (node->kind != NODE_TEXT || node_is_null(node) || !parse(key->type, node->text, &n)) {
		read_expected(reader, key->name, node, form);
		return;
	}
	if (!in_bounds(reader, key, node, &n))
		return;
	switch (key->type) {
	case KEY_U64:
	case KEY_SIZE:
		*(uint64_t *)field = n.u;
		break;
	case KEY_U32:
		*(uint32_t *)field = (uint32_t)n.u;
		break;
	case KEY_DURATION:
		*(int64_t *)field = n.ns;
		break;
	case KEY_RANGE:
		((uint32_t *)field)[0] = (uint32_t)n.low_u;
		((uint32_t *)field)[1] = (uint32_t)n.u;
		break;
	default:
		*(double *)field = n.x;
	}
}
