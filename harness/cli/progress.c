#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"

static const int64_t terminal_gap_ns = 100000000, plain_gap_ns = 10000000000;

void progress_init(struct progress *progress, bool quiet, bool verbose)
{
	*progress =
		(struct progress){.quiet = quiet, .verbose = verbose, .terminal = terminal_of(STDERR_FILENO)};
	/* a terminal that cannot go back to the line's start gets plain lines; colours stand for what it can */
	if (progress->terminal.is_terminal) {
		const char *term = getenv("TERM");

		progress->terminal.is_terminal = term != NULL && strcmp(term, "dumb") != 0;
	}
}

void progress_clear(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}

static void add_counts(struct buf *out, const struct session_progress *what)
{
	const char *unit = strcmp(what->what, "measure") == 0 ? "round " : "";

	/* a round that is being measured counts as one more than those done */
	if (what->total > 0)
		buf_addf(out, "  %s%zu/%zu", unit, what->done + (unit[0] != '\0' && what->done < what->total),
			what->total);
	if (what->comparisons > 0)
		buf_addf(out, "  %zu of %zu cell%s undecided", what->undecided, what->comparisons,
			text_plural(what->comparisons));
	else if (what->open_cells > 0)
		buf_addf(out, "  %zu cell%s open", what->open_cells, text_plural(what->open_cells));
}

static void add_left(struct buf *out, int64_t left_ns)
{
	int64_t seconds = (left_ns + 500000000) / 1000000000;
	char text[NUM_SIZE];

	if (left_ns < 0)
		return;
	/* whole seconds: finer would flicker, and promise too much */
	num_duration(seconds * 1000000000, text);
	if (seconds < 1)
		buf_adds(out, "  under 1 s left");
	else if (seconds < 60)
		buf_addf(out, "  %lld s left", (long long)seconds);
	else
		buf_addf(out, "  %s left", text);
}

static void draw(struct progress *progress, const struct session_progress *what)
{
	struct buf line = {0}, out = {0};

	text_escape(&line, what->what, strlen(what->what), false);
	add_counts(&line, what);
	add_left(&line, what->left_ns);
	if (progress->terminal.is_terminal) {
		size_t width = progress->terminal.width - 1; /* the last column makes some terminals wrap */

		buf_adds(&out, "\r\033[K");
		buf_add(&out, line.data, line.n < width ? line.n : width);
		progress->drawn = true;
	} else {
		buf_addf(&out, "flagstone: %s\n", buf_text(&line));
	}
	fwrite(out.data, 1, out.n, stderr);
	buf_release(&line);
	buf_release(&out);
}

void progress_tell(void *context, const struct session_progress *what)
{
	struct progress *progress = context;
	int64_t now, gap = progress->terminal.is_terminal ? terminal_gap_ns : plain_gap_ns;
	bool same = strncmp(progress->phase, what->what, sizeof(progress->phase) - 1) == 0;

	if (progress->quiet)
		return;
	now = clock_ns();
	same &= progress->undecided == what->undecided; /* a look settled something: that is news */
	if (same && now - progress->shown_ns < gap && (!progress->verbose || progress->terminal.is_terminal))
		return;
	progress->shown_ns = now;
	progress->undecided = what->undecided;
	snprintf(progress->phase, sizeof(progress->phase), "%s", what->what);
	draw(progress, what);
}

void progress_message(void *context, const char *text)
{
	struct progress *progress = context;

	if (progress->quiet)
		return;
	progress_clear(progress);
	remark_print(text);
}

void progress_detail(void *context, const char *text)
{
	const struct progress *progress = context;

	if (progress->verbose)
		progress_message(context, text);
}

struct session_events progress_events(struct progress *progress)
{
	return (struct session_events){.progress = progress_tell,
		.message = progress_message,
		.detail = progress_detail,
		.context = progress};
}
