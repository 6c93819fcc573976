/*
 * toolchain.h - compilers found on this machine: discovered, identified by what they are, probed once, asked
 * what options mean here.
 *
 * Discovery looks through PATH for the names of the families (toolchains/FAMILY.yaml) and at the toolchains a
 * user names (toolchains/NAME.yaml). However many names point to it, each distinct real compiler is kept once.
 * A program called gcc that is clang is a clang: family and version come from predefined macros, never from
 * names or banners. Wrappers (ccache, sccache, distcc, icecc) are seen through: the real compiler is called
 * instead, and the fact toolchain.wrapper names what stood before it.
 */
#ifndef FLAGSTONE_TOOLCHAIN_TOOLCHAIN_H
#define FLAGSTONE_TOOLCHAIN_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "record/fact.h"
#include "spec/spec.h"

struct toolchain_memory;

enum tri { TRI_UNKNOWN, TRI_NO, TRI_YES };

struct toolchain {
	const char
		*family; /* "gcc", "clang", "tcc", "musl-gcc", "cross-gcc": the family it turned out to be */
	const struct spec_family *spec;
	const struct spec_toolchain *user; /* NULL: found in PATH */
	struct words names; /* every program name or path that leads to it, e.g. gcc, gcc-12, cc */
	struct words slots; /* slot names that mean it: gcc, gcc-12, mine, FAMILY-MAJOR[-TARGET] */
	struct words cc,
		cxx; /* argv of the real compiler, absolute path first; cxx n == 0: none, see cxx_reason */
	const char *cxx_reason;
	struct words env;    /* of its compile commands, NAME=VALUE, beyond process_clean_env() */
	struct words runner; /* argv to run its programs by (cross); n == 0: run directly */
	int major;
	const char *version; /* "12.2.0" */
	const char *target;  /* "x86_64-linux-gnu" */
	const char *arch;    /* "x86_64", "aarch64", ... of the target */
	bool native;	     /* can its programs run here without a runner */
	char identity
		[HASH_HEX]; /* over everything that makes it what it is: macros, version, target, hashes of driver,
				    cc1 or backend, linker, assembler, C library */
	struct facts facts; /* toolchain.family, .version, .target, .driver.path, .driver.sha256, .cc1.path,
				    .cc1.sha256, .linker.*, .assembler.*, .libc.*, .wrapper, .lto, .static, ... */
	/* probes: answered once, cached by identity; the reason says why not */
	enum tri lto, static_libc, gnu_asm;
	const char *lto_reason, *static_reason, *gnu_asm_reason;
	const char *ar; /* the ar that goes with it (gcc-ar, llvm-ar, ar), an absolute path, or NULL */
	bool shuffle_with_objects; /* can object order and padding objects be used for layouts */
	const char *own_slot;	   /* the one name that `all` calls it by */
	struct toolchain_memory
		*memory; /* answers so far, the cache's folder, time limit: of this folder only */
};

/* A slot name that the matrix used and what it means. */
struct toolchain_slot {
	const char *name;
	const struct toolchain *toolchain; /* NULL: there is none whose programs could run here */
	const char *reason; /* why not: "no gcc-9 in PATH (looked through ...); there is gcc-12" */
	const char *brief;  /* the same in a few words, for each cell: "no gcc-9 in PATH" */
	const struct toolchain
		*idle; /* a cross compiler without a runner: it is there, but toolchain is NULL */
};

/* A name under which something should be, but does not work: a user's toolchain, a broken gcc-9, a gcc that is clang. */
struct toolchain_failure {
	const char *name;
	const char *reason;
};

struct toolchains {
	struct toolchain **v; /* sorted by family, major, target */
	size_t n;
	struct words notes; /* sentences: a wrapper seen through, a name that is no compiler, a broken one */
	struct toolchain_failure *failures;
	size_t failure_count;
	const char *path; /* the folders that were looked through, joined by ':' */
};

struct toolchain_options {
	const char
		*path; /* PATH to look for compilers in; NULL: the environment's. They run with the latter */
	const char
		*cache_folder; /* answers by identity, file hashes by their stamp (cache.h); NULL: no cache */
	const char *scratch;   /* folder for probe files; NULL: TMPDIR */
	const char
		*cpu; /* what -march=native depends on; NULL: from /proc/cpuinfo. Another text: asked anew */
	int64_t timeout_ns; /* of one question; 0: 10 s */
	bool probe;	    /* false: identify only, the probes' answers stay TRI_UNKNOWN */
};

/*
 * Finds all. A compiler that cannot be asked, or that cannot link an empty program, is left out with a note. User
 * toolchains that do not work are kept out too, with the reason in notes; slots that name them get it. Each
 * failing program is asked once. What is found lives in the arena. Fails only where no folder to ask in can be made.
 *
 * A second start with the same cache asks nobody: answers hold as long as no file they rest on and no folder of
 * PATH has changed. Failures are not kept.
 */
int toolchains_find(const struct spec_project *project, const struct toolchain_options *options,
	struct arena *arena, struct toolchains *found, struct error *e);
/*
 * What a slot name means: `gcc` the default gcc of PATH, `gcc-12` that major, `mine` toolchains/mine.yaml,
 * `FAMILY-MAJOR-TARGET`, a cross compiler's program name. Never fails: reason in the slot, with the nearest match.
 * Where the gcc of PATH is really clang, `gcc` is nothing: the reason says so.
 */
struct toolchain_slot toolchains_slot(const struct toolchains *found, const struct spec_project *project,
	const char *name, struct arena *arena);
/*
 * The slots of `toolchains: [all]`: one for each distinct compiler that makes native programs. FAMILY-MAJOR; where
 * two share it, the one that FAMILY-MAJOR leads to in PATH has it, the others FAMILY-VERSION, or with six digits
 * of their identity behind it; toolchains that only a user names have the user's name.
 */
void toolchains_all_slots(const struct toolchains *found, struct arena *arena, struct words *names);

enum flag_answer {
	FLAG_TAKEN,   /* silently */
	FLAG_WARNED,  /* exit 0 and a warning about it */
	FLAG_REFUSED, /* error */
	FLAG_IGNORED /* taken, but known to do nothing here (said by the compiler, or nothing resolved differs) */
};
struct flag_probe {
	enum flag_answer answer;
	const char *text; /* what the compiler said, first lines; "" when nothing */
};
/*
 * Does it take these flags together: compiles an empty program with them, and links it with ldflags unless that is
 * NULL. Answered once for each set. A refused -march value comes with the version it needs, or with -mcpu=native
 * on arm. FLAG_IGNORED: clang's "unused", "not supported" and the like; what `tcc -Wunsupported` names, and -O for
 * tcc, which has no optimizer; -Wno-X where -WX is unknown to gcc.
 */
struct flag_probe toolchain_probe_flags(const struct toolchain *toolchain, const struct words *cflags,
	const struct words *ldflags, struct arena *arena);

/*
 * What options mean here: facts, canonical across versions and between gcc and clang, so that equal values mean the
 * same. Each is also in the facts of the build (record_build.facts). "Judged" ones decide whether two builds may be
 * compared; each of those is always there, as a value or unknown with the reason.
 *
 * key			  value
 * resolved.arch	  judged: x86_64, i386, x32, aarch64, arm, riscv64, ... (macros.h)
 * resolved.features	  judged: macros of the instruction sets that a compiler uses by itself in plain C, canonical
 *			  (features.h), sorted, parted by blanks: "__AVX2__ __AVX__ __BMI__ ..."; "" none
 * resolved.features_other  may matter: the rest (only intrinsics and inline assembly use them: __SGX__, __PKU__, AMX);
 *			  older compilers do not know all of them
 * resolved.tune	  judged: the CPU whose costs are in force, one name for each ("nehalem" for corei7): generic,
 *			  haswell, x86-64-v2 (clang tunes for what is behind -march unless -mtune says other), ...;
 *			  "none" where the compiler has no tuning (tcc)
 * resolved.vector_width  judged: widest vector, in bits, that the vectoriser takes for loops over floats and ints under
 *			  these flags: 128, 256, 512; "scalable" (SVE, RVV); "none"
 * resolved.move_max, resolved.store_max  judged: widest register, in bits, by which 64 bytes of known size are copied,
 *			  set: 128, 256, 512, "scalable"; "general": general registers
 * resolved.cache_line	  judged: bytes (gcc's l1-cache-line-size); "tune": the compiler has no such parameter, tune and
 *			  version decide
 * resolved.opt_level	  judged: O0 O1 O2 O3 Os Oz Og Ofast; "none": the compiler has no optimiser (tcc)
 * resolved.fp_model	  judged: "precise" or "fast" (fast: values may change: finite, associative, reciprocal or unsigned
 *			  zeros), then pieces in this order: " contract=off|on|fast finite=no|yes associative=no|yes
 *			  reciprocal=no|yes zeros=signed|unsigned errno=yes|no traps=yes|no rounding=nearest|any
 *			  denormals=ieee|flush|..." and " evaluation=1|2" where __FLT_EVAL_METHOD__ is not 0. flush: the
 *			  link adds start code that sets the CPU to flush them to zero (crtfastmath.o)
 * resolved.lto		  judged: none, full, thin
 * resolved.pgo		  judged: none, generate, use, auto (sampled profile)
 * resolved.sanitizers	  judged: "none", or names sorted, parted by commas: "address,undefined"
 * resolved.pie		  judged: is the program position-independent: yes, no (link line)
 * resolved.static	  judged: is it linked statically: yes, no (link line)
 * resolved.native_requested  yes: the -march, -mcpu or -mtune in force is native, whoever said it (flags, toolchain's
 *			  command, specs, configuration file); no. A later -march= takes back an earlier native
 * resolved.native_is_generic  only where native was asked for by -march or -mcpu: yes: it became a baseline model
 * resolved.march, .mtune, .mcpu  names, recorded and not judged: the compiler's own words; absent: do not apply
 * resolved.pic		  may matter: no, pic, pie: what code the compiler makes (judged by the code itself)
 * resolved.hardening	  may matter: "ssp=none|weak|strong|all cet=N fortify=N" (defaults that distributions change)
 * resolved.linker	  may matter: the linker that the link line names: ld, lld, gold, mold, ...
 * resolved.start_code	  recorded: start code that the link line adds for fast math: crtfastmath.o; absent: none
 * resolved.ignored	  only tcc: flags of these that it takes and that change nothing, as written: "-march=x86-64-v3 -O3"
 * resolved.config_files  hidden input: specs and configuration files that the compiler read: "PATH SHA256 ..."; "" none
 * resolved.params	  recorded: --param of the compiler's command (cache sizes of native)
 * resolved.cc1, .target_options, .target_options.sha256, .optimizers.sha256, .macros.sha256  recorded: raw answers
 *
 * And of the build, beside them (hidden.h): build.hidden.environment: variables of flagstone's own environment that
 * would act on compilers, "NAME=VALUE ..." quoted as for a shell; none of them is passed on; "" none.
 */
struct resolved {
	char hash[HASH_HEX];		  /* over all of it: equal hashes mean the same question was asked */
	const char *march, *mtune, *mcpu; /* resolved values, NULL: does not apply */
	bool native_is_generic;		  /* -march=native resolved to a baseline model: warn */
	struct facts facts;		  /* as above; .params are no part of the hash: code decides */
};
/*
 * Asks -Q --help= (gcc), -### (gcc, clang), -dM -E, and compiles four small functions with the flags of the machine (-m...)
 * at -O3; tcc: macros, and code with and without each flag. All but pie, static and linker, which toolchain_resolve_link() tells. Returns 0, or -1 when the
 * compiler refuses the flags (its words in the error). Answered once for each toolchain, flags and CPU.
 */
int toolchain_resolve(const struct toolchain *toolchain, const struct words *cflags, struct arena *arena,
	struct resolved *resolved, struct error *e);
/*
 * What the driver makes of the flags of a link: sets resolved.pie, .static, .linker in `facts`, and in resolved.fp_model
 * the piece denormals where start code for it is linked. Unknown with the reason where the compiler does not tell.
 */
void toolchain_resolve_link(const struct toolchain *toolchain, const struct words *ldflags,
	struct arena *arena, struct facts *facts);

/* Flags of `all` that match the family's ABI list: what the driver gets too; LTO flags never do. */
void toolchain_abi_flags(
	const struct toolchain *toolchain, const struct words *all, struct arena *arena, struct words *abi);
/* Do these flags ask for LTO: -flto or -flto=..., in the family's list, and no -fno-lto behind it? */
bool toolchain_flags_lto(const struct toolchain *toolchain, const struct words *flags);
/* Is any of the flags -static (or -static-pie)? */
bool toolchain_flags_static(const struct words *flags);
/* Is the last -march=, -mcpu= or -mtune= of them native? An earlier native is taken back by a later value. */
bool toolchain_flags_native(const struct words *flags);

#endif
