#include "cli/bundle_print.h"

#include <string.h>

#include "base/num.h"
#include "cli/common.h"
#include "cli/table.h"

static void add_size(struct buf *out, uint64_t bytes)
{
	num_quantity(out, (double)bytes, (double)bytes, "B");
}

/* Cells that are not in it, each with the reason. */
static void add_missing(const struct session *session, struct buf *out)
{
	struct table table;
	size_t missing = 0;

	table_init(&table, session->arena, 2);
	for (size_t i = 0; i < session->plan.cell_count; i++) {
		const struct build *build = &session->builds[i];
		bool impossible = session->plan.cells[i].reason != NULL;

		if (build->ok)
			continue;
		missing++;
		table_add(&table, session->plan.cells[i].name);
		table_addf(&table, "%s: %s", impossible ? "cannot exist here" : "failed",
			impossible ? session->plan.cells[i].reason : build->reason);
	}
	if (missing == 0)
		return;
	buf_addf(out, "not in it:\n");
	table_write(&table, out);
}

static void add_needs(const struct session_bundle_made *made, struct buf *out)
{
	const struct bundle *bundle = &made->bundle;
	const char *own = code_needs_highest(&bundle->self.needs, "GLIBC_", bundle->record->arena);

	buf_addf(out, "there it takes Linux on %s", bundle->arch);
	if (made->glibc != NULL)
		buf_addf(out, "; glibc %s or newer for programs that are not static", made->glibc);
	if (made->musl)
		buf_adds(out, "; musl for programs of musl-gcc that are not static");
	if (strcmp(bundle->self.linked, "static") == 0)
		buf_adds(out, "; nothing for flagstone itself, which is in it, static\n");
	else
		buf_addf(out,
			"; glibc %s or newer for flagstone itself, which is in it with its libraries (%s)\n",
			own != NULL ? own : "of this version", bundle->self.reason);
	if (bundle->self.flags != NULL && (strstr(bundle->self.flags, "-march=") != NULL ||
						  strstr(bundle->self.flags, "-mcpu=") != NULL))
		buf_addf(out,
			"flagstone itself was compiled with %s: it needs a CPU that has what this means\n",
			bundle->self.flags);
}

/* How much of the work that a sample does is known from earlier runs. */
static void add_units(const struct session_bundle_made *made, struct buf *out)
{
	const struct record *record = made->bundle.record;
	size_t known = 0;

	for (size_t i = 0; i < record->build_count; i++)
		known += record->builds[i].status == CELL_BUILT &&
			 facts_value(&record->builds[i].facts, "cell.units") != NULL;
	if (known == made->cells)
		buf_adds(out, "units of work: those of this machine's newest records\n");
	else
		buf_addf(out,
			"units of work: %zu of %zu cells have none from a record of this machine; the target "
			"finds its "
			"own (run the matrix here first, so that both machines do the same work)\n",
			made->cells - known, made->cells);
}

void bundle_print(const struct session *session, const struct session_bundle_made *made)
{
	struct buf out = {0}, file = {0};

	if (made->path != NULL) {
		text_quote(&file, made->path);
		buf_addf(&out, "bundle %s: ", made->path);
		add_size(&out, made->written.bytes);
		buf_adds(&out, ", unpacked ");
		add_size(&out, made->written.unpacked);
		buf_addf(&out, "\nid %s\nmatrix %s: %zu cell%s, %zu program%s\n", made->bundle.id,
			session->matrix.name, made->cells, text_plural(made->cells), made->programs,
			text_plural(made->programs));
	}
	add_missing(session, &out);
	if (made->path != NULL) {
		add_units(made, &out);
		add_needs(made, &out);
		buf_addf(&out,
			"run it there with\n  flagstone run --bundle %s\nor, where there is no flagstone,\n  "
			"tar xzf %s && "
			"./" BUNDLE_FOLDER "/run.sh\n",
			buf_text(&file), buf_text(&file));
	}
	terminal_print(&out);
	buf_release(&file);
	buf_release(&out);
}

json_t *bundle_json(const struct session_bundle_made *made)
{
	const struct bundle *bundle = &made->bundle;
	json_t *object;

	if (made->path == NULL)
		return json_null();
	object = json_object();
	json_object_set_new(object, "path", json_safe_string(made->path));
	json_object_set_new(object, "id", json_string(bundle->id));
	json_object_set_new(object, "size_bytes", json_integer((json_int_t)made->written.bytes));
	json_object_set_new(object, "unpacked_bytes", json_integer((json_int_t)made->written.unpacked));
	json_object_set_new(object, "arch", json_safe_string(bundle->arch));
	json_object_set_new(object, "cells", json_integer((json_int_t)made->cells));
	json_object_set_new(object, "programs", json_integer((json_int_t)made->programs));
	json_object_set_new(object, "glibc", json_safe_string(made->glibc));
	json_object_set_new(object, "musl", json_boolean(made->musl));
	json_object_set_new(object, "flagstone", json_safe_string(bundle->self.linked));
	json_object_set_new(object, "flagstone_reason", json_safe_string(bundle->self.reason));
	return object;
}
