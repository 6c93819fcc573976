#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"

enum { WIDTH_MIN = 20, WIDTH_MAX = 1000, WIDTH_DEFAULT = 100 };

static unsigned width_of(int fd, bool is_terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = {0};
	uint64_t width = WIDTH_DEFAULT;

	if (is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	else if (columns != NULL && (!num_parse_u64(columns, &width) || width == 0))
		width = WIDTH_DEFAULT;
	return (unsigned)(width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width);
}

static bool says_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0') /* the first that is set decides */
			return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
	}
	return false;
}

struct terminal terminal_of(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct terminal t = {.is_terminal = isatty(fd) == 1, .unicode = says_utf8()};

	t.colour = t.is_terminal && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
		   strcmp(term, "dumb") != 0;
	t.width = width_of(fd, t.is_terminal);
	return t;
}

/* Unlike SIG_IGN, a handler is not handed on to the programs that are started. */
static void on_pipe(int number)
{
	(void)number;
}

void terminal_prepare(void)
{
	struct sigaction action = {.sa_handler = on_pipe, .sa_flags = SA_RESTART};

	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_CANNOT); /* nowhere to say why */
	sigemptyset(&action.sa_mask);
	sigaction(SIGPIPE, &action, NULL);
}

/* The first error of writing; later ones would hide it. */
static int write_errno;

void terminal_print(const struct buf *text)
{
	if (write_errno == 0 && text->n > 0 && fwrite(text->data, 1, text->n, stdout) != text->n)
		write_errno = errno;
}

enum exit_code terminal_finish(enum exit_code code)
{
	struct error e;

	if (fflush(stdout) != 0 && write_errno == 0)
		write_errno = errno;
	if (write_errno == 0 && close(STDOUT_FILENO) != 0 && errno != EBADF)
		write_errno = errno; /* a full disk behind a network shows only here */
	if (write_errno == 0 || write_errno == EPIPE)
		return code;
	error_errno(&e, write_errno, "writing the result to standard output");
	if (write_errno == EBADF)
		error_advice(&e, "it is closed or not open for writing");
	return exit_combine(code, error_print(&e));
}

enum exit_code exit_combine(enum exit_code a, enum exit_code b)
{
	static const enum exit_code order[] = {EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_USAGE, EXIT_CANNOT,
		EXIT_NO, EXIT_CELL_FAILED, EXIT_NOTHING, EXIT_UNDECIDED};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_YES;
}

/* Does a line say FILE:LINE:COLUMN: first? */
static bool has_place(const char *line)
{
	for (const char *p = strchr(line, ':'); p != NULL && *p != '\n'; p = strchr(p + 1, ':')) {
		size_t digits = strspn(p + 1, "0123456789");

		if (digits > 0 && p[1 + digits] == ':') {
			const char *column = p + 2 + digits;
			size_t n = strspn(column, "0123456789");

			if (n > 0 && strncmp(column + n, ": ", 2) == 0)
				return true;
		}
	}
	return false;
}

static void print_stderr(const struct buf *text)
{
	fwrite(text->data, 1, text->n, stderr);
}

/*
 * Lines stay lines. Unless the first says where, "flagstone: " stands before it, and the others are set in: a line
 * break in foreign text cannot make a message of its own.
 */
static void print_lines(const char *text)
{
	bool places = has_place(text);
	struct buf out = {0};

	for (bool first = true; *text != '\0'; first = false) {
		size_t n = strcspn(text, "\n");

		if (!places)
			buf_adds(&out, first ? "flagstone: " : "  ");
		text_escape(&out, text, n, false);
		buf_addc(&out, '\n');
		text += n + (text[n] == '\n');
	}
	print_stderr(&out);
	buf_release(&out);
}

enum exit_code error_print(const struct error *e)
{
	print_lines(e->text[0] != '\0' ? e->text : "failed, and nothing says why");
	return e->code != EXIT_YES ? e->code : EXIT_CANNOT;
}

void remark_print(const char *text)
{
	print_lines(text);
}
