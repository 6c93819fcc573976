#include "base/json.h"
#include "report/doctor.h"
#include "report/result_json.h"

json_t *report_read_json(const struct fact *fact)
{
	json_t *object = json_object();

	json_object_set_new(object, "key", json_safe_string(fact->key));
	json_object_set_new(object, "value", json_safe_string(fact->value));
	json_object_set_new(object, "unknown", json_safe_string(fact->value == NULL ? fact->reason : NULL));
	json_object_set_new(object, "source", json_safe_string(fact->source));
	return object;
}

static json_t *check_json(const struct host_check *check)
{
	json_t *object = json_object();
	json_t *reads = json_array();

	for (size_t i = 0; i < check->read_count; i++)
		json_array_append_new(reads, report_read_json(&check->reads[i]));
	json_object_set_new(object, "id", json_string(check->id));
	json_object_set_new(object, "title", json_string(check->title));
	json_object_set_new(object, "status", json_string(check_status_text(check->status)));
	json_object_set_new(object, "decides", json_boolean(check->decides));
	json_object_set_new(object, "finding", json_safe_string(check->finding));
	json_object_set_new(object, "read", reads);
	json_object_set_new(object, "why", json_safe_string(check->why));
	json_object_set_new(object, "todo", json_safe_string(check->todo));
	json_object_set_new(object, "command", json_safe_string(check->command));
	return object;
}

static json_t *noise_json(const struct host_noise *noise)
{
	json_t *object = json_object();

	json_object_set_new(object, "median_ns", json_safe_real(noise->median_ns));
	json_object_set_new(object, "p01", json_safe_real(noise->p01));
	json_object_set_new(object, "q25", json_safe_real(noise->q25));
	json_object_set_new(object, "q75", json_safe_real(noise->q75));
	json_object_set_new(object, "p99", json_safe_real(noise->p99));
	json_object_set_new(object, "disturbed_percent", json_safe_real(100 * noise->marked));
	return object;
}

static json_t *measured_json(const struct host_measured *m)
{
	json_t *object = json_object();

	json_object_set_new(object, "word", json_string(host_noise_text(host_noise_word(m))));
	json_object_set_new(object, "seconds", json_safe_real(m->seconds));
	json_object_set_new(object, "pairs", json_integer((json_int_t)m->readings));
	json_object_set_new(object, "dep", noise_json(&m->dep));
	json_object_set_new(object, "wide", noise_json(&m->wide));
	json_object_set_new(object, "clock_ns", json_safe_real(m->clock_ns));
	result_json_number(object, "steal_percent", m->steal_percent >= 0, m->steal_percent);
	result_json_number(object, "interrupts_per_s", m->interrupts_per_s >= 0, m->interrupts_per_s);
	result_json_number(object, "throttles", m->throttles >= 0, m->throttles);
	result_json_number(object, "bandwidth_bytes_per_s", m->bandwidth > 0, m->bandwidth);
	json_object_set_new(object, "no_bandwidth", json_safe_string(m->no_bandwidth));
	return object;
}

void report_doctor_json(const struct fitness *fitness, struct buf *out)
{
	struct arena arena = {0};
	json_t *root = json_object();
	json_t *checks = json_array();

	for (size_t i = 0; i < fitness->checks.n; i++)
		json_array_append_new(checks, check_json(&fitness->checks.v[i]));
	json_object_set_new(root, "schema", json_string("flagstone.doctor/1"));
	json_object_set_new(root, "verdict", json_string(check_verdict_text(fitness->checks.verdict)));
	json_object_set_new(root, "line", json_safe_string(fitness->checks.line));
	json_object_set_new(root, "cpus", json_safe_string(cpu_list_text(&fitness->cpus, &arena)));
	json_object_set_new(
		root, "measured", fitness->is_measured ? measured_json(&fitness->measured) : json_null());
	json_object_set_new(root, "unmeasured",
		fitness->is_measured
			? json_null()
			: json_safe_string(fitness->unmeasured != NULL ? fitness->unmeasured
								       : "it was not asked for"));
	json_object_set_new(root, "checks", checks);
	result_json_print(root, out);
	arena_release(&arena);
}
