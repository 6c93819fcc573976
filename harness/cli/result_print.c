#include "cli/result_print.h"

#include <unistd.h>

#include "compare/select.h"
#include "report/report.h"
#include "report/trust.h"

void result_add(struct cli *cli, const struct record *record, const char *path, enum format format,
	struct result *result, struct buf *out)
{
	struct terminal terminal = terminal_of(STDOUT_FILENO);
	struct report_options options = {.width = terminal.width,
		.colour = terminal.colour,
		.unicode = terminal.unicode,
		.verbose = cli->args.verbose,
		.quiet = cli->args.quiet,
		.path = path,
		.where = common_where(cli, &cli->arena),
		.only = &cli->args.session.only};
	struct effect_options effect = {.no_same_code = cli->args.session.aa, .where = options.where};

	effect_of_record(record, &effect, &cli->arena, result);
	select_cells(record, result, options.only);
	switch (format) {
	case FORMAT_TERMINAL:
		if (report_is_trust(record))
			report_trust(record, &options, false, out);
		else
			report_terminal(record, result, &options, out);
		break;
	case FORMAT_JSON:
		report_json(record, result, &options, out);
		break;
	case FORMAT_CSV:
		report_csv(record, result, out);
		break;
	case FORMAT_MARKDOWN:
		if (report_is_trust(record))
			report_trust(record, &options, true, out);
		else
			report_markdown(record, result, &options, out);
		break;
	}
}
