#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "session/session.h"
#include "trust.h"

/* A run of one of the matrices in tests/trust/matrices, by the session that `flagstone run` has. */

#define RUN_WORD    "-DTRUST_RUN=0"
#define MATRIX_SIZE 65536

struct watch {
	const struct trust_wish *wish;
};

static void on_progress(void *context, const struct session_progress *progress)
{
	const struct watch *watch = context;

	if (watch->wish->at_round != NULL && strcmp(progress->what, "measure") == 0)
		watch->wish->at_round(watch->wish->context, progress->done, progress->total);
}

static void on_message(void *context, const char *text)
{
	const struct watch *watch = context;

	fprintf(stderr, "trust: %s: %s\n", watch->wish->part, text);
}

/* The matrix with a number of this run's own in its flags, so that its layouts are fresh draws. */
static char *matrix_text(struct trust *t, const struct trust_wish *wish, struct error *e)
{
	const char *path = arena_printf(&t->arena, "%s/tests/trust/matrices/%s.yaml", t->top, wish->matrix);
	struct buf text = {0}, out = {0};
	char hex[33], *copy = NULL;
	const char *at, *next;

	if (wish->draw != NULL)
		snprintf(hex, sizeof(hex), "%s", wish->draw);
	else
		rng_fresh_hex(hex);
	if (file_read(path, MATRIX_SIZE, &text, e) != 0)
		return NULL;
	for (at = buf_text(&text); (next = strstr(at, RUN_WORD)) != NULL; at = next + strlen(RUN_WORD)) {
		buf_add(&out, at, (size_t)(next - at));
		buf_addf(&out, "-DTRUST_RUN=0x%.12s", hex);
	}
	buf_adds(&out, at);
	copy = arena_strdup(&t->arena, buf_text(&out));
	buf_release(&text);
	buf_release(&out);
	return copy;
}

static struct session_options options_of(struct trust *t, const struct trust_wish *wish, const char *text)
{
	return (struct session_options){.project = arena_printf(&t->arena, "%s/tests/trust", t->top),
		.installed = t->top,
		.archive = arena_printf(&t->arena, "%s/archive", t->scratch),
		.matrix = wish->matrix,
		.matrix_text = text,
		.rounds_min = wish->rounds_max > 0 ? wish->rounds_min : t->size.rounds,
		.rounds_max = wish->rounds_max > 0 ? wish->rounds_max : t->size.rounds,
		.layouts = t->size.layouts,
		.sample_ns = t->size.sample_ns,
		.budget_ns = wish->budget_ns,
		.aa = wish->aa,
		.probe = true,
		.lock_wait_ns = 600000000000};
}

static int keep(struct trust *t, const struct trust_wish *wish, const struct session *session,
	const struct session_outcome *outcome, int64_t begin_ns, struct error *e)
{
	struct record *trust = t->record;
	const struct record *run = outcome->record;

	if (run == NULL || outcome->code != EXIT_YES)
		return error_set(e, outcome->code == EXIT_YES ? EXIT_CANNOT : outcome->code,
			"%s: the run ended with code %d%s%s", wish->part, (int)outcome->code,
			outcome->reason != NULL ? ": " : "", outcome->reason != NULL ? outcome->reason : "");
	if (trust->session_count == 0) {
		trust->host_name = session->host_name;
		trust->host = run->host;
		trust->project = run->project;
		facts_copy(&trust->harness, &run->harness);
	}
	trust_append(trust, run, wish->part, wish->number, begin_ns - t->begin_ns);
	return 0;
}

int trust_measure(struct trust *t, const struct trust_wish *wish, struct error *e)
{
	struct watch watch = {.wish = wish};
	struct session_events events = {.progress = on_progress, .message = on_message, .context = &watch};
	char *text = matrix_text(t, wish, e);
	struct session_options options;
	struct session_outcome outcome = {0};
	struct session session;
	int64_t begin_ns = clock_ns();
	int result = -1;

	if (text == NULL)
		return -1;
	fprintf(stderr, "trust: %s, run %u (%.0f s so far)\n", wish->part, wish->number + 1,
		(double)(begin_ns - t->begin_ns) / 1e9);
	options = options_of(t, wish, text);
	if (t->size.one_workload)
		words_add(&options.only, &t->arena, wish->first);
	if (session_open(&session, &options, &events, &t->arena, e) == 0 &&
		session_run(&session, NULL, &outcome, e) == 0)
		result = keep(t, wish, &session, &outcome, begin_ns, e);
	if (outcome.record != NULL)
		record_release(outcome.record);
	session_close(&session);
	return result;
}
