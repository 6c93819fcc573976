/*
 * bench_decode - how fast machine code is decoded for its instruction sets: a large program of this system, from opening
 * the file to the answer.
 * figures: decode
 *
 * Prints NAME<tab>VALUE<tab>UNIT<tab>LIMIT: MB of code a second of CPU time, at least. It is one thread that waits for
 * nothing but the page cache.
 */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "code/isa.h"

enum { REPEATS = 5, LEAST = 25 };

/* The largest of some files that most systems have. */
static const char *find_large(void)
{
	static const char *const paths[] = {"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", "/usr/bin/gdb",
		"/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "/usr/bin/python3", "/usr/bin/git", "/bin/bash",
		"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib64/libc.so.6", "/proc/self/exe"};
	const char *largest = NULL;
	struct stat st;
	off_t most = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (stat(paths[i], &st) == 0 && st.st_size > most && st.st_size < (64 << 20)) {
			largest = paths[i];
			most = st.st_size;
		}
	return largest;
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
	const char *path = find_large();
	double best = 0;

	for (int i = 0; i < REPEATS; i++) {
		struct arena arena = {0};
		struct error e = {0};
		struct code_isa isa;
		double begin = cpu_s(), rate;

		if (path == NULL || code_isa(path, NULL, &arena, &isa, &e) != 0 || isa.unknown != NULL) {
			fprintf(stderr, "decode: %s: %s\n", path != NULL ? path : "no program",
				e.text[0] != '\0' ? e.text : isa.unknown);
			return 1;
		}
		rate = (double)isa.decoded_bytes / (cpu_s() - begin) / 1e6;
		if (rate > best)
			best = rate;
		if (i == 0)
			fprintf(stderr, "decode: %s, %.1f MB of code\n", path,
				(double)isa.decoded_bytes / 1e6);
		arena_release(&arena);
	}
	printf("decode\t%.1f\tMB/s\t%d\n", best, LEAST);
	return best < LEAST;
}
