#include "compare/select.h"

#include "compare/directory.h"

void select_cells(const struct record *record, struct result *result, const struct words *patterns)
{
	if (patterns == NULL || patterns->n == 0)
		return;
	for (size_t i = 0; i < result->cell_count; i++)
		result->cells[i].hidden = !directory_wants(patterns, record->builds[i].cell);
	for (size_t i = 0; i < result->comparison_count; i++) {
		struct comparison *c = &result->comparisons[i];

		c->hidden =
			c->b >= record->build_count || !directory_wants(patterns, record->builds[c->b].cell);
		if (!c->hidden && c->a < record->build_count)
			result->cells[c->a].hidden = false;
	}
	for (size_t i = 0; i < result->cell_count; i++)
		result->selected |= result->cells[i].hidden;
}
