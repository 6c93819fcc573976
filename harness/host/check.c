#include "host/check.h"

#include <stdarg.h>
#include <string.h>

#include "base/num.h"
#include "host/check_list.h"

const char *check_status_text(enum check_status status)
{
	static const char *const texts[] = {"ok", "caveat", "unfit", "unknown"};

	return texts[status];
}

const char *check_verdict_text(enum check_verdict verdict)
{
	static const char *const texts[] = {"fit", "usable", "unfit"};

	return texts[verdict];
}

const char *fact_of(const struct judging *judging, const char *key)
{
	return facts_value(judging->in->facts, key);
}

const char *fact_reason(const struct judging *judging, const char *key)
{
	const struct fact *fact = facts_find(judging->in->facts, key);

	return fact != NULL && fact->value == NULL ? fact->reason : NULL;
}

bool fact_is(const struct judging *judging, const char *key, const char *value)
{
	return text_same(fact_of(judging, key), value);
}

bool fact_number(const struct judging *judging, const char *key, double *value)
{
	const char *text = fact_of(judging, key);

	return text != NULL && num_parse_double(text, value) && *value >= 0;
}

/* How much a status weighs against another one of the same check. */
static int weight(enum check_status status)
{
	static const int weights[] = {
		[CHECK_OK] = 0, [CHECK_UNKNOWN] = 1, [CHECK_CAVEAT] = 2, [CHECK_UNFIT] = 3};

	return weights[status];
}

void judge(struct judging *judging, enum check_status status, const char *fmt, ...)
{
	struct host_check *check = judging->check;
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(judging->arena, fmt, ap);
	va_end(ap);
	check->finding = judging->said ? arena_printf(judging->arena, "%s; %s", check->finding, text) : text;
	if (!judging->said || weight(status) > weight(check->status))
		check->status = status;
	judging->said = true;
}

void judge_unknown(struct judging *judging, const char *key)
{
	const struct fact *fact = facts_find(judging->in->facts, key);

	if (fact == NULL)
		judge(judging, CHECK_UNKNOWN, "%s was not read", key);
	else if (fact->value != NULL)
		judge(judging, CHECK_UNKNOWN, "%s is \"%s\", which says nothing known here", key,
			fact->value);
	else
		judge(judging, CHECK_UNKNOWN, "%s: %s", fact->source != NULL ? fact->source : key,
			fact->reason);
}

void advise(struct judging *judging, const char *command, const char *fmt, ...)
{
	va_list ap;

	if (judging->check->todo != NULL)
		return;
	va_start(ap, fmt);
	judging->check->todo = arena_vprintf(judging->arena, fmt, ap);
	va_end(ap);
	judging->check->command = command;
}

bool is_measured(const struct judging *judging, int cpu)
{
	for (size_t i = 0; i < judging->in->cpus->n; i++)
		if (judging->in->cpus->v[i] == cpu)
			return true;
	return false;
}

static bool any_measured(const struct judging *judging, const struct cpu_list *cpus)
{
	for (size_t i = 0; i < cpus->n; i++)
		if (is_measured(judging, cpus->v[i]))
			return true;
	return cpus->n == 0;
}

size_t fact_values(const struct judging *judging, const char *key, struct cpu_value values[CPU_VALUES])
{
	static const char open[] = " (cpus ";
	const char *at = fact_of(judging, key), *list;
	size_t n = 0;

	while (at != NULL && n < CPU_VALUES) {
		struct cpu_value value = {0};
		size_t length;

		list = strstr(at, open);
		if (list == NULL) {
			value.value = arena_strdup(judging->arena, at);
			values[n++] = value;
			break;
		}
		value.value = arena_strndup(judging->arena, at, (size_t)(list - at));
		list += strlen(open);
		length = strcspn(list, ")");
		if (cpu_list_parse(arena_strndup(judging->arena, list, length), judging->arena, &value.cpus,
			    NULL) == 0 &&
			any_measured(judging, &value.cpus))
			values[n++] = value;
		at = list + length;
		at = text_starts(at, "), ") ? at + 3 : NULL;
	}
	return n;
}

const char *ghz_text(struct arena *arena, double khz)
{
	return arena_printf(arena, "%.2f GHz", khz / 1e6);
}

const char *bytes_text(struct arena *arena, double bytes)
{
	const double mib = 1024.0 * 1024;

	return bytes >= 1024 * mib ? arena_printf(arena, "%.1f GiB", bytes / mib / 1024)
				   : arena_printf(arena, "%.0f MiB", bytes / mib);
}

static void add_reads(
	const struct check_kind *kind, const struct host_checks_input *input, struct host_check *check)
{
	for (size_t i = 0; i < CHECK_READS && kind->reads[i] != NULL; i++) {
		const struct fact *fact = facts_find(input->facts, kind->reads[i]);

		check->reads[check->read_count++] =
			fact != NULL ? *fact
				     : (struct fact){.key = kind->reads[i], .reason = "it was not read"};
	}
}

static void add_checks(const struct check_kind *kinds, const struct host_checks_input *input,
	struct arena *arena, struct host_checks *checks)
{
	for (const struct check_kind *kind = kinds; kind->id != NULL; kind++) {
		struct host_check *check = &checks->v[checks->n];
		struct judging judging = {.in = input, .check = check, .arena = arena};

		if (kind->judge == judge_noise && input->measured == NULL && input->unmeasured == NULL)
			continue;
		*check = (struct host_check){.id = kind->id,
			.title = kind->title,
			.status = CHECK_UNKNOWN,
			.decides = kind->decides,
			.finding = "nothing that was read says it",
			.why = kind->why};
		add_reads(kind, input, check);
		kind->judge(&judging);
		checks->n++;
	}
}

static size_t count_kinds(const struct check_kind *kinds)
{
	size_t n = 0;

	while (kinds[n].id != NULL)
		n++;
	return n;
}

/* Does it count for the verdict? */
static bool counts(const struct host_check *check, enum check_status status)
{
	return check->status == status && (status != CHECK_UNKNOWN || check->decides);
}

const char *host_checks_named(const struct host_checks *checks, enum check_status status, struct arena *arena)
{
	struct words names = {0};

	for (size_t i = 0; i < checks->n; i++)
		if (counts(&checks->v[i], status))
			words_add(&names, arena, checks->v[i].id);
	return names.n > 0 ? words_between(&names, ", ", arena) : NULL;
}

static void set_verdict(struct host_checks *checks, struct arena *arena)
{
	const char *unfit = host_checks_named(checks, CHECK_UNFIT, arena);
	const char *caveats = host_checks_named(checks, CHECK_CAVEAT, arena);
	const char *unknown = host_checks_named(checks, CHECK_UNKNOWN, arena);
	size_t open = 0;

	for (size_t i = 0; i < checks->n; i++)
		open += checks->v[i].status == CHECK_UNKNOWN;
	checks->verdict = unfit != NULL			       ? VERDICT_UNFIT
			  : caveats != NULL || unknown != NULL ? VERDICT_USABLE
							       : VERDICT_FIT;
	if (unfit != NULL)
		checks->line = arena_printf(arena, "unfit: %s%s%s", unfit,
			caveats != NULL ? "; caveats besides: " : "", caveats != NULL ? caveats : "");
	else if (checks->verdict == VERDICT_USABLE)
		checks->line = arena_printf(arena, "usable with these caveats: %s%s%s%s",
			caveats != NULL ? caveats : "", caveats != NULL && unknown != NULL ? "; " : "",
			unknown != NULL ? "not known: " : "", unknown != NULL ? unknown : "");
	else if (open > 0)
		checks->line = arena_printf(arena, "fit; %zu check%s that %s not decide could not be made",
			open, text_plural(open), open == 1 ? "does" : "do");
	else
		checks->line = "fit";
}

void host_checks_make(const struct host_checks_input *input, struct arena *arena, struct host_checks *checks)
{
	static const struct check_kind *const lists[] = {
		checks_moment, checks_frequency, checks_cpu, checks_memory, checks_kernel};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		n += count_kinds(lists[i]);
	*checks = (struct host_checks){.v = arena_array(arena, n, sizeof(*checks->v))};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		add_checks(lists[i], input, arena, checks);
	set_verdict(checks, arena);
}
