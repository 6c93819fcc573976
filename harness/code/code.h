/*
 * code.h - what machine code came out: ELF files through libelf.
 *
 * Sources: System V ABI (ELF), the x86 psABI's .note.gnu.property (x86 ISA needed and used), GNU build-id note.
 */
#ifndef FLAGSTONE_CODE_CODE_H
#define FLAGSTONE_CODE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "record/fact.h"

struct code_info {
	const char *machine; /* "x86_64", "aarch64", "riscv64", ... or "machine 243" */
	uint32_t bits;	     /* 32 or 64 */
	bool little_endian;
	bool executable;	 /* ET_EXEC or ET_DYN with an entry; false: object or library */
	bool is_static;		 /* no interpreter and no needed libraries */
	const char *interpreter; /* NULL: none */
	struct words needed;	 /* DT_NEEDED */
	const char *build_id;	 /* hex, NULL: none */
	const char *compiler;	 /* .comment, joined by "; ", NULL: none */
	uint64_t text_bytes, rodata_bytes, data_bytes, bss_bytes,
		file_bytes;	  /* sums over allocated sections */
	char code_hash[HASH_HEX]; /* see code_read */
	char file_hash[HASH_HEX];
	const char *isa; /* .note.gnu.property, needed and used: "x86-64-baseline x86-64-v2", NULL: no note */
};

/*
 * Reads an ELF file. code_hash: SHA-256 over name, size and bytes of every allocated section of code, constants
 * or writable data (.data, .data.rel.ro, .tdata, .init_array, ...), name and size of those that begin as zeroes
 * (.bss, .tbss), in the order of addresses, and over the dynamic relocations by section, offset and symbol name
 * (which function is called). Left out: notes (build-id), the dynamic linker's name and tables (.got, .dynamic,
 * symbol tables), unwinding tables (.eh_frame), and the bytes of data that the dynamic linker fills by a
 * relocation with addend. So two links of equal code and data placed equally have equal hashes, and a program
 * that computes with another number in a variable has another one. Errors: not ELF, cut, inconsistent. Never
 * crashes on hostile files.
 */
int code_read(const char *path, struct arena *arena, struct code_info *info, struct error *e);
/*
 * Adds the facts size.{text,rodata,data,bss,file}_bytes, code.{machine,bits,static,interpreter,needed,build_id,
 * compiler,sha256,file_sha256} and isa.levels (of the linker's note).
 */
void code_facts(const struct code_info *info, struct facts *facts);

/*
 * The code of the object files that a build makes from its sources, before any layout (under LTO: those that
 * link-time optimisation made): SHA-256 over the same kinds of sections as code_read() takes and their relocations
 * against symbol names, of each object in order. Debug information, the build's folder and the source's name do not
 * count; strings that hold them (__FILE__, assert()) are read-only data, and do. Returns 0; -1 when an object's code is
 * yet to be made (LTO intermediate form, "fat" objects too) or it is not ELF: the error says which.
 */
int code_hash_objects(const char *const *paths, size_t count, char hash[HASH_HEX], struct error *e);
/*
 * The same without the padding between functions and ahead of jumps' targets (padding.h): two builds that are unlike
 * here differ in code or data, two that are equal here and unlike there only in where their code stands. Errors, beside
 * those above: no decoder for the machine (x86 without Zydis; others than x86 and AArch64), no symbol table.
 */
int code_hash_unpadded(const char *const *paths, size_t count, char hash[HASH_HEX], struct error *e);
/* Rises when the same objects get other hashes. */
#define CODE_OBJECTS_HASH "1"

/*
 * Does an object hold a compiler's intermediate form for link-time optimization: gcc's .gnu.lto_ sections (slim
 * or fat), LLVM bitcode as a file or a section? -1: it is neither ELF nor bitcode.
 */
int code_is_intermediate(const char *path, bool *intermediate, struct error *e);
/* Adds the names of an ELF file's sections of code that are not empty, in their order. */
int code_sections(const char *path, struct arena *arena, struct words *names, struct error *e);
/* Address of a function symbol in a linked file; -1 when it is not there. For tests and layouts' proof. */
int code_symbol(const char *path, const char *name, uint64_t *address, uint64_t *size, struct error *e);

#endif
