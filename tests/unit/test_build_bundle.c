/* Bundles: written, listed by tar, read back, cut, damaged, and made by somebody who means harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "build/build.h"
#include "build/bundle.h"
#include "build/bundle_tar.h"
#include "record_fixture.h"
#include "test_code_tools.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct arena arena;

/* A bundle of one build with two layouts and an input, and a cell that could not be built. */
static struct bundle *make(void)
{
	struct bundle *b = arena_new(&arena, struct bundle);
	struct record *record = fixture_plain(&arena, 2);
	struct error e = {0};

	record->run = "00000000000000000000000000000001";
	record->plan.matrix_name = "m";
	record->plan.matrix_text = "workloads: [w]\n";
	record->plan.seed = "00112233445566778899aabbccddeeff";
	record->plan.settings = (struct measure_settings){.sample_ns = 1000000,
		.layouts_min = 2,
		.layouts_max = 2,
		.rounds_min = 8,
		.rounds_max = 16,
		.precision = 0.01,
		.matters = 0.005,
		.timeout_ns = 1000000000};
	record->workloads = arena_array(&arena, 1, sizeof(*record->workloads));
	record->workload_count = 1;
	record->workloads[0] = (struct record_workload){
		.name = "w", .unit = "lps", .content_hash = HASH, .facts = {.arena = &arena}};
	record->toolchains = arena_array(&arena, 1, sizeof(*record->toolchains));
	record->toolchain_count = 1;
	words_add(&record->toolchains[0].slots, &arena, "gcc");
	record->toolchains[0].facts.arena = &arena;
	facts_set(&record->toolchains[0].facts, "toolchain.family", "gcc", "test");
	for (size_t i = 0; i < 2; i++) {
		struct record_build *build = &record->builds[i];
		char seed[HASH_HEX];

		build->workload = "w";
		build->copies = 1;
		build->cell = arena_printf(&arena, "w/gcc/%s/1", build->variant);
		build->status = i == 0 ? CELL_BUILT : CELL_IMPOSSIBLE;
		build->reason = i == 0 ? NULL : "no static C library";
		build->content_hash = i == 0 ? HASH : NULL;
		if (i > 0)
			continue;
		facts_set(&build->facts, "cell.units", "64", "test");
		build->layouts = arena_array(&arena, 2, sizeof(*build->layouts));
		build->layout_count = 2;
		for (uint32_t k = 0; k < 2; k++) {
			build_layout_seed(HASH, 0, k, seed);
			build->layouts[k] =
				(struct record_layout){.layout = k, .seed = arena_strdup(&arena, seed)};
		}
	}
	b->record = record;
	b->arch = "x86_64";
	b->self = (struct bundle_self){.linked = "static", .flags = "-O2", .needs = {.machine = "x86_64"}};
	b->files = arena_array(&arena, 8, sizeof(*b->files));
	b->workloads = arena_array(&arena, 1, sizeof(*b->workloads));
	b->workloads[0] = (struct bundle_workload){
		.check_units = 10, .check_value = "7", .check_rel = 0.5, .input = "inputs/w", .cpus = 2};
	b->cells = arena_array(&arena, 2, sizeof(*b->cells));
	b->cells[0] = (struct bundle_cell){.check_rel = -1, .needs = {.machine = "x86_64"}};
	b->cells[1] = (struct bundle_cell){.check_rel = 0.25};
	words_add(&b->cells[0].env, &arena, "A=b c");
	tools_write("program", "the program\n");
	tools_write("0-0", "layout 0\n");
	tools_write("0-1", "layout 1, a longer one\n");
	tools_write("input", "");
	assert_int_equal(
		bundle_add_file(b, "inputs/w", arena_strdup(&arena, tools_path("input")), false, &e), 0);
	assert_int_equal(bundle_add_file(b, bundle_program(HASH, &arena),
				 arena_strdup(&arena, tools_path("program")), true, &e),
		0);
	for (uint32_t k = 0; k < 2; k++) {
		char *from = arena_strdup(&arena, tools_path(k == 0 ? "0-0" : "0-1"));

		assert_int_equal(bundle_add_file(b, bundle_layout(HASH, 0, k, &arena), from, true, &e), 0);
		record->builds[0].layouts[k].sha256 = b->files[b->file_count - 1].sha256;
	}
	return b;
}

static const char *write_it(struct bundle *b, const char *name)
{
	struct bundle_written written;
	struct error e = {0};
	char *path = arena_strdup(&arena, tools_path(name));

	if (bundle_write(b, path, &arena, &written, &e) != 0)
		fail_msg("%s", e.text);
	return path;
}

/* Into an empty folder; the error's text, NULL: it was read. */
static const char *read_it(const char *path, const char *arch, struct bundle *out)
{
	struct error e = {0};

	tools_run(NULL, "rm -rf into && mkdir into");
	if (bundle_read(path, arch, tools_path("into"), &arena, out, &e) == 0)
		return NULL;
	assert_int_not_equal(e.code, EXIT_YES);
	return arena_strdup(&arena, e.text);
}

static void refused(const char *path, const char *why)
{
	struct bundle b;
	const char *text = read_it(path, "x86_64", &b);

	if (text == NULL)
		fail_msg("%s was read; wanted: %s", path, why);
	else if (strstr(text, why) == NULL)
		fail_msg("\"%s\" does not say: %s", text, why);
}

static int setup(void **state)
{
	return tools_setup(state);
}

static int teardown(void **state)
{
	arena_release(&arena);
	return tools_teardown(state);
}

static void bundle_write__a_bundle__tar_lists_and_unpacks_it(void **state)
{
	struct bundle *b = make();

	(void)state;
	write_it(b, "b.tar.gz");
	assert_string_equal(tools_run(NULL, "tar tzf b.tar.gz"),
		"flagstone-bundle/bundle.json\nflagstone-bundle/inputs/w\nflagstone-bundle/builds/" HASH
		"/program\nflagstone-bundle/builds/" HASH "/layouts/0-0\nflagstone-bundle/builds/" HASH
		"/layouts/0-1");
	assert_string_equal(
		tools_run(NULL, "rm -rf flagstone-bundle; tar xzf b.tar.gz 2>&1; stat -c %a "
				"flagstone-bundle/builds/" HASH "/program flagstone-bundle/inputs/w"),
		"755\n644");
	assert_string_equal(tools_run(NULL, "cat flagstone-bundle/builds/" HASH "/layouts/0-1"),
		"layout 1, a longer one");
	/* the id is what sha256sum says of bundle.json */
	assert_string_equal(
		tools_run(NULL, "sha256sum <flagstone-bundle/bundle.json | cut -d' ' -f1"), b->id);
	/* the same again is the same file: no time, no name of a user is in it */
	tools_run(NULL, "cp b.tar.gz first.tar.gz; sleep 0.01; touch program");
	write_it(make(), "b.tar.gz");
	tools_run(NULL, "cmp b.tar.gz first.tar.gz");
}

static void same_as_made(const struct bundle *b, const struct bundle *made)
{
	assert_string_equal(b->id, made->id);
	assert_string_equal(b->arch, "x86_64");
	assert_string_equal(b->self.linked, "static");
	assert_int_equal(b->file_count, 4);
	assert_string_equal(b->workloads[0].check_value, "7");
	assert_int_equal(b->workloads[0].check_units, 10);
	assert_true(b->workloads[0].check_rel == 0.5);
	assert_string_equal(b->workloads[0].input, "inputs/w");
	assert_int_equal(b->workloads[0].cpus, 2);
	assert_int_equal(b->cells[0].env.n, 1);
	assert_string_equal(b->cells[0].env.v[0], "A=b c");
	assert_true(b->cells[0].check_rel < 0);
	assert_true(b->cells[1].check_rel == 0.25);
	assert_null(b->cells[1].needs.machine);
	assert_string_equal(b->record->plan.matrix_text, "workloads: [w]\n");
	assert_string_equal(facts_value(&b->record->builds[0].facts, "cell.units"), "64");
	assert_string_equal(b->record->builds[1].reason, "no static C library");
	assert_string_equal(
		tools_run(NULL, "cat into/builds/" HASH "/layouts/0-1"), "layout 1, a longer one");
	assert_string_equal(
		tools_run(NULL, "stat -c %a,%s into/builds/" HASH "/program into/inputs/w"), "700,12\n600,0");
	assert_string_equal(tools_run(NULL, "find into -type f | wc -l"), "4");
}

static void bundle_read__a_file_and_its_folder__the_same_bundle(void **state)
{
	struct bundle *made = make(), b;
	const char *path = write_it(made, "b.tar.gz");

	(void)state;
	assert_null(read_it(path, "x86_64", &b));
	same_as_made(&b, made);
	record_release(b.record);
	tools_run(NULL, "rm -rf flagstone-bundle && tar xzf b.tar.gz");
	assert_null(read_it(arena_strdup(&arena, tools_path("flagstone-bundle")), "x86_64", &b));
	same_as_made(&b, made);
	record_release(b.record);
}

static void bundle_read__another_architecture__refused_before_anything_is_unpacked(void **state)
{
	struct bundle b;
	const char *text = read_it(write_it(make(), "b.tar.gz"), "riscv64", &b);

	(void)state;
	assert_non_null(text);
	assert_non_null(strstr(text, "holds programs for x86_64, and this machine is riscv64"));
	assert_string_equal(tools_run(NULL, "ls into"), "");
}

static void bundle_read__cut_at_every_byte__refused(void **state)
{
	const char *path = write_it(make(), "b.tar.gz"), *cut = arena_strdup(&arena, tools_path("cut"));
	struct buf bytes = {0};
	struct bundle b;

	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &bytes, NULL), 0);
	assert_true(bytes.n > 1000);
	for (size_t n = 0; n < bytes.n; n++) {
		struct error e = {0};

		tools_write_bytes("cut", bytes.data, n);
		file_remove_tree(tools_path("into"), NULL);
		assert_int_equal(mkdir(tools_path("into"), 0700), 0);
		if (bundle_read(cut, "x86_64", tools_path("into"), &arena, &b, &e) == 0)
			fail_msg("%zu of %zu bytes were taken for a bundle", n, bytes.n);
		assert_true(e.code == EXIT_CANNOT && e.text[0] != '\0');
	}
	buf_release(&bytes);
}

static void bundle_read__any_byte_changed__refused_or_the_same(void **state)
{
	struct bundle *made = make(), b;
	const char *path = write_it(made, "b.tar.gz"), *bad = arena_strdup(&arena, tools_path("bad"));
	struct buf bytes = {0};
	size_t accepted = 0;

	(void)state;
	assert_int_equal(file_read(path, 1 << 20, &bytes, NULL), 0);
	for (size_t i = 0; i < bytes.n; i++) {
		struct error e = {0};

		bytes.data[i] ^= 0x55;
		tools_write_bytes("bad", bytes.data, bytes.n);
		bytes.data[i] ^= 0x55;
		file_remove_tree(tools_path("into"), NULL);
		assert_int_equal(mkdir(tools_path("into"), 0700), 0);
		if (bundle_read(bad, "x86_64", tools_path("into"), &arena, &b, &e) != 0)
			continue;
		/* gzip's time stamp; or a distance in deflate that leads to equal bytes */
		assert_string_equal(b.id, made->id);
		record_release(b.record);
		accepted++;
	}
	assert_true(accepted < 50);
	buf_release(&bytes);
}

static void bundle_read__no_bundle__says_so(void **state)
{
	(void)state;
	refused(tools_path("none"), "none: No such file");
	refused("/dev/null", "neither a bundle's file nor a folder");
	tools_write("text", "workloads: [w]\n");
	refused(tools_path("text"), "not gzip");
	tools_run(NULL, "rm -rf t && mkdir t && echo x >t/a && tar czf other.tar.gz -C t a");
	refused(tools_path("other.tar.gz"), "is no bundle: its first member");
	tools_run(NULL, "mkdir t/flagstone-bundle && echo x >t/flagstone-bundle/x && tar czf other.tar.gz -C "
			"t flagstone-bundle/x");
	refused(tools_path("other.tar.gz"), "is no bundle: its first member");
	refused(tools_path("t"), "bundle.json cannot be read: No such file");
}

/* --- the tar file changed by hand --- */

struct tar {
	struct buf bytes;
};

static struct tar unzip(const char *path)
{
	struct tar tar = {0};

	(void)path;
	tools_run(NULL, "gzip -dc b.tar.gz >b.tar");
	assert_int_equal(file_read(tools_path("b.tar"), 1 << 22, &tar.bytes, NULL), 0);
	return tar;
}

/* The header of the n-th member. */
static size_t member(const struct tar *tar, size_t n)
{
	size_t at = 0;

	while (n-- > 0) {
		size_t size = (size_t)strtoull(tar->bytes.data + at + 124, NULL, 8);

		at += 512 + (size + 511) / 512 * 512;
	}
	return at;
}

static void fix_checksum(char *header)
{
	unsigned sum = 0;

	memset(header + 148, ' ', 8);
	for (size_t i = 0; i < 512; i++)
		sum += (unsigned char)header[i];
	snprintf(header + 148, 8, "%06o", sum);
}

static const char *zip(struct tar *tar)
{
	assert_int_equal(file_write_atomic(tools_path("h.tar"), tar->bytes.data, tar->bytes.n, NULL), 0);
	tools_run(NULL, "gzip -nc h.tar >h.tar.gz");
	buf_release(&tar->bytes);
	return tools_path("h.tar.gz");
}

/* The third member (a program) under another name and of another type. */
static void refused_as(const char *name, char type, const char *why)
{
	struct tar tar = unzip("b.tar.gz");
	char *header = tar.bytes.data + member(&tar, 2);

	if (name != NULL) {
		memset(header, 0, 100);
		memset(header + 345, 0, 155);
		memcpy(header, name, strlen(name));
	}
	header[156] = type;
	fix_checksum(header);
	refused(zip(&tar), why);
}

static void bundle_read__hostile_members__refused_with_the_reason(void **state)
{
	struct tar tar;
	char *header;

	(void)state;
	write_it(make(), "b.tar.gz");
	refused_as("flagstone-bundle/../../evil", '0', "goes up (..)");
	refused_as("../evil", '0', "goes up (..)");
	refused_as("/tmp/evil", '0', "begins at the root");
	refused_as("flagstone-bundle/builds//x", '0', "has an empty part");
	refused_as("flagstone-bundle/builds/.hidden", '0', "begins with a dot");
	refused_as("flagstone-bundle/builds/a b", '0', "has a character");
	refused_as("flagstone-bundle/builds/unknown", '0', "is not listed in bundle.json");
	refused_as("flagstone-bundle/inputs/w", '0', "is there twice");
	refused_as("flagstone-bundle/bundle.json", '0', "is there twice");
	refused_as("flagstone-bundle/builds/" HASH "/layouts/0-0", '0',
		"stands where builds/" HASH "/program should be");
	refused_as(NULL, '1', "is a hard link");
	refused_as(NULL, '2', "is a symbolic link");
	refused_as(NULL, '3', "is a device");
	refused_as(NULL, '5', "is a folder");
	refused_as(NULL, '6', "is a named pipe");
	refused_as(NULL, 'x', "is an extended header");
	refused_as(NULL, 'L', "is a long name");
	refused_as(NULL, 'Z', "is of an unknown kind");
	tar = unzip("b.tar.gz");
	header = tar.bytes.data + member(&tar, 2);
	memcpy(header + 124, "77777777777", 11);
	fix_checksum(header);
	refused(zip(&tar), "has 8589934591 bytes, and should have 12");
	tar = unzip("b.tar.gz");
	header = tar.bytes.data + member(&tar, 2);
	memcpy(header + 124, "\x80\0\0\0\0\0\0\0\0\0\0\1", 12);
	fix_checksum(header);
	refused(zip(&tar), "has a size that is no number");
	tar = unzip("b.tar.gz");
	tar.bytes.data[member(&tar, 2) + 512] ^= 1;
	refused(zip(&tar), "another SHA-256");
	tar = unzip("b.tar.gz");
	tar.bytes.data[member(&tar, 2) + 300] ^= 1;
	refused(zip(&tar), "has a header that is damaged");
	tar = unzip("b.tar.gz");
	buf_add(&tar.bytes, "x", 1);
	refused(zip(&tar), "has bytes behind its end");
	tar = unzip("b.tar.gz");
	memset(tar.bytes.data + member(&tar, 3), 0, tar.bytes.n - member(&tar, 3));
	refused(zip(&tar), "layouts/0-0 is missing");
	tar = unzip("b.tar.gz");
	memcpy(tar.bytes.data + member(&tar, 0) + 124, "00777777777", 11); /* 128 MiB - 1 */
	fix_checksum(tar.bytes.data);
	refused(zip(&tar), "more than the 67108864 allowed");
}

static void bundle_read__folder_with_links__refused(void **state)
{
	(void)state;
	write_it(make(), "b.tar.gz");
	tools_run(NULL, "rm -rf flagstone-bundle && tar xzf b.tar.gz && cd flagstone-bundle/builds/" HASH
			" && mv program /"
			"/$PWD/p2 && ln -s p2 program");
	refused(tools_path("flagstone-bundle"), "/program is a symbolic link");
	tools_run(NULL, "rm -rf flagstone-bundle && tar xzf b.tar.gz && cd flagstone-bundle && mv builds b2 "
			"&& ln -s b2 builds");
	refused(tools_path("flagstone-bundle"), "/program");
	tools_run(NULL, "rm -rf flagstone-bundle && tar xzf b.tar.gz && cd flagstone-bundle/builds/" HASH
			" && rm program && mkfifo program");
	refused(tools_path("flagstone-bundle"), "is no regular file");
	tools_run(NULL, "rm -rf flagstone-bundle && tar xzf b.tar.gz && echo >>flagstone-bundle/builds/" HASH
			"/program");
	refused(tools_path("flagstone-bundle"), "has 13 bytes, and should have 12");
	tools_run(NULL, "rm -rf flagstone-bundle && tar xzf b.tar.gz && printf 'The' | dd "
			"of=flagstone-bundle/builds/" HASH "/program conv=notrunc 2>/dev/null");
	refused(tools_path("flagstone-bundle"), "another SHA-256");
}

/* --- bundle.json --- */

static void manifest_refused(const char *text, const char *from, const char *to, const char *why)
{
	struct buf changed = {0};
	const char *at = strstr(text, from);
	struct bundle b;
	struct error e = {0};

	if (at == NULL)
		fail_msg("no \"%s\" in bundle.json", from);
	buf_add(&changed, text, (size_t)(at - text));
	buf_adds(&changed, to);
	buf_adds(&changed, at + strlen(from));
	if (bundle_manifest_read(changed.data, changed.n, "x", &arena, &b, &e) == 0)
		fail_msg("\"%s\" for \"%s\" was taken", to, from);
	if (strstr(e.text, why) == NULL)
		fail_msg("\"%s\" does not say: %s", e.text, why);
	buf_release(&changed);
}

static void bundle_manifest_read__contradictions__each_is_told(void **state)
{
	struct buf out = {0};
	struct bundle *made = make(), b;
	struct error e = {0};
	const char *text;

	(void)state;
	bundle_manifest_write(made, &out);
	text = buf_text(&out);
	assert_int_equal(bundle_manifest_read(text, out.n, "x", &arena, &b, &e), 0);
	record_release(b.record);
	manifest_refused(text, "flagstone.bundle/1", "flagstone.bundle/2", "made by a newer flagstone");
	manifest_refused(text, "flagstone.bundle/1", "flagstone.record/1", "not of the schema");
	manifest_refused(text, "\"path\": \"inputs/w\"", "\"path\": \"../w\"", "goes up (..)");
	manifest_refused(text, "\"path\": \"inputs/w\"", "\"path\": \"/w\"", "begins at the root");
	manifest_refused(
		text, "\"path\": \"inputs/w\"", "\"path\": \"builds/" HASH "/program\"", "is listed twice");
	manifest_refused(text, "\"bytes\": 12", "\"bytes\": 2000000000", "is not allowed");
	manifest_refused(text, "\"bytes\": 12", "\"bytes\": -1", "is not allowed");
	manifest_refused(
		text, "\"input\": \"inputs/w\"", "\"input\": \"inputs/v\"", "is not among its files");
	manifest_refused(
		text, "\"check_units\": 10", "\"check_units\": -10", "workloads[0] is not that of w");
	manifest_refused(text, "\"cpus\": 2", "\"cpus\": 0", "workloads[0] is not that of w");
	manifest_refused(text, "/layouts/0-1\"", "/layouts/0-7\"", "is not among its files");
	manifest_refused(text, "\"layout\": 1", "\"layout\": 0", "its layouts are not in order");
	manifest_refused(text, "\"layout\": 1", "\"layout\": 99999", "its layouts are not in order");
	manifest_refused(
		text, "\"cell\": \"w/gcc/O2/1\"", "\"cell\": \"w/gcc/O2/2\"", "cells[0] is not that of");
	manifest_refused(text, "\"content_hash\": \"" HASH "\",\n        \"code_hash\"",
		"\"content_hash\": \"../../" HASH "\",\n        \"code_hash\"", "is not 64 hex digits");
	manifest_refused(text, "\"kind\": \"run\"", "\"kind\": \"trust\"", "not the head of a run");
	manifest_refused(text, "\"kind\": \"run\"", "\"kind\": \"x\"", "none of run, accept");
	manifest_refused(text, "\"host_name\": \"x86", "\"host_name\": \"../x86", "has no host");
	manifest_refused(text, "\"sample_ns\": 1000000", "\"sample_ns\": 0", "make no sense");
	manifest_refused(text, "\"rounds_max\": 16", "\"rounds_max\": 4", "make no sense");
	manifest_refused(text, "\"arch\"", "\"arc\"", "arch or flagstone are missing");
	manifest_refused(text, "\"record\"", "\"recor\"", "record is missing");
	buf_release(&out);
}

static void bundle_manifest_read__cut_at_every_byte__refused(void **state)
{
	struct buf out = {0};
	struct bundle b;

	(void)state;
	bundle_manifest_write(make(), &out);
	for (size_t n = 0; n < out.n - 2; n += n < 64 ? 1 : 7) {
		struct error e = {0};

		assert_int_equal(bundle_manifest_read(out.data, n, "x", &arena, &b, &e), -1);
		assert_int_equal(e.code == EXIT_YES, 0);
	}
	buf_release(&out);
}

/* --- writing --- */

static void bundle_write__something_else_stands_there__left_alone(void **state)
{
	struct bundle_written written;
	struct error e = {0};
	char *path = arena_strdup(&arena, tools_path("matrix.yaml"));

	(void)state;
	tools_write("matrix.yaml", "workloads: [w]\n");
	assert_int_equal(bundle_write(make(), path, &arena, &written, &e), -1);
	assert_int_equal(e.code, EXIT_USAGE);
	assert_non_null(strstr(e.text, "is there and is no bundle"));
	assert_string_equal(tools_run(NULL, "cat matrix.yaml; ls | grep -c matrix"), "workloads: [w]\n1");
	assert_int_equal(bundle_write(make(), "/dev/full", &arena, &written, &e), -1);
	assert_non_null(strstr(e.text, "is no regular file"));
	assert_int_equal(bundle_write(make(), tools_folder, &arena, &written, &e), -1);
	assert_non_null(strstr(e.text, "is no regular file"));
	path = arena_strdup(&arena, tools_path("none/b"));
	assert_int_equal(bundle_write(make(), path, &arena, &written, &e), -1);
	assert_non_null(strstr(e.text, "No such file or directory"));
	assert_int_equal(e.code, EXIT_CANNOT);
}

static void bundle_write__a_program_changes_meanwhile__told_and_nothing_left(void **state)
{
	struct bundle *b = make();
	struct bundle_written written;
	struct error e = {0};

	(void)state;
	tools_run(NULL, "rm -f b.tar.gz*");
	tools_write("program", "The program\n");
	assert_int_equal(
		bundle_write(b, arena_strdup(&arena, tools_path("b.tar.gz")), &arena, &written, &e), -1);
	assert_non_null(strstr(e.text, "changed while it was packed"));
	assert_string_equal(tools_run(NULL, "ls | grep -c b.tar.gz || true"), "0");
}

static void bundle_write__no_room__error_old_bundle_stays_nothing_left(void **state)
{
	struct rlimit old, low;
	struct bundle_written written;
	struct error e = {0};
	const char *path = write_it(make(), "b.tar.gz");
	char before[HASH_HEX], after[HASH_HEX];
	struct bundle *b = make();
	int result;

	(void)state;
	assert_int_equal(hash_file_hex(path, before, NULL), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	low = old;
	low.rlim_cur = 700;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &low);
	result = bundle_write(b, path, &arena, &written, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(result, -1);
	assert_int_equal(e.code, EXIT_CANNOT);
	assert_non_null(strstr(e.text, "File too large"));
	assert_int_equal(hash_file_hex(path, after, NULL), 0);
	assert_string_equal(before, after);
	assert_string_equal(tools_run(NULL, "ls | grep -c 'b.tar.gz'"), "1");
}

/* --- headers --- */

static void tar_write_header__long_names__as_tar_reads_them(void **state)
{
	char name[300], block[TAR_BLOCK], zeroes[2 * TAR_BLOCK] = {0};
	struct tar_entry back;
	struct buf file = {0};

	(void)state;
	memset(name, 'a', sizeof(name));
	name[150] = '/';
	name[251] = '\0'; /* a prefix of 150, a name of 100 */
	assert_true(tar_write_header(block, &(struct tar_entry){name, 0, true}));
	assert_null(tar_read_header(block, &arena, &back));
	assert_string_equal(back.name, name);
	assert_true(back.program);
	buf_add(&file, block, sizeof(block));
	buf_add(&file, zeroes, sizeof(zeroes));
	assert_int_equal(file_write_atomic(tools_path("n.tar"), file.data, file.n, NULL), 0);
	assert_string_equal(tools_run(NULL, "tar tf n.tar"), name);
	buf_release(&file);
	name[251] = 'a';
	name[252] = '\0';
	assert_false(tar_write_header(block, &(struct tar_entry){name, 0, false}));
	assert_false(tar_write_header(block, &(struct tar_entry){"", 0, false}));
	assert_true(tar_write_header(block, &(struct tar_entry){"x", tar_most_bytes, false}));
	assert_null(tar_read_header(block, &arena, &back));
	assert_int_equal(back.bytes, tar_most_bytes);
	assert_false(back.program);
	assert_false(tar_write_header(block, &(struct tar_entry){"x", tar_most_bytes + 1, false}));
	assert_int_equal(tar_padding(0), 0);
	assert_int_equal(tar_padding(1), 511);
	assert_int_equal(tar_padding(512), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bundle_write__a_bundle__tar_lists_and_unpacks_it),
		cmocka_unit_test(bundle_read__a_file_and_its_folder__the_same_bundle),
		cmocka_unit_test(bundle_read__another_architecture__refused_before_anything_is_unpacked),
		cmocka_unit_test(bundle_read__cut_at_every_byte__refused),
		cmocka_unit_test(bundle_read__any_byte_changed__refused_or_the_same),
		cmocka_unit_test(bundle_read__no_bundle__says_so),
		cmocka_unit_test(bundle_read__hostile_members__refused_with_the_reason),
		cmocka_unit_test(bundle_read__folder_with_links__refused),
		cmocka_unit_test(bundle_manifest_read__contradictions__each_is_told),
		cmocka_unit_test(bundle_manifest_read__cut_at_every_byte__refused),
		cmocka_unit_test(bundle_write__something_else_stands_there__left_alone),
		cmocka_unit_test(bundle_write__a_program_changes_meanwhile__told_and_nothing_left),
		cmocka_unit_test(bundle_write__no_room__error_old_bundle_stays_nothing_left),
		cmocka_unit_test(tar_write_header__long_names__as_tar_reads_them),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
