# flagstone's build. `make help` lists the targets.
#
# Objects lie in .build/HASH, HASH over compiler and flags, so that sanitizer, coverage and release builds never
# mix. Everything but main.o is one static library; the program and the tests link it.

SHELL = /bin/sh
CC ?= cc
ifeq ($(origin CC),default)
CC = gcc
endif
PREFIX ?= /usr/local
DESTDIR ?=
CFLAGS ?= -O2 -g
WARNINGS = -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wcast-qual

ifeq ($(SAN),1)
MODE_FLAGS = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
ifeq ($(COV),1)
MODE_FLAGS = --coverage -O0
endif

PACKAGES = libgit2 zlib jansson libelf yaml-0.1
# what one name of a compiler means changes with an update
CC_IS := $(shell $(CC) --version 2>/dev/null | head -n 1) $(shell $(CC) -dumpmachine 2>/dev/null)
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
# Decodes x86-64. Wanted, not needed: without it the facts of instruction sets are unknown with that reason.
ZYDIS := $(shell printf '%s\n' '\#include <Zydis/Zydis.h>' '\#if ZYDIS_VERSION_MAJOR(ZYDIS_VERSION) < 4' '\#error too old' '\#endif' | \
	$(CC) -E -x c - >/dev/null 2>&1 && echo 1)
DEFINES = -D_GNU_SOURCE $(if $(ZYDIS),-DHAVE_ZYDIS)
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARNINGS) $(MODE_FLAGS) -Iharness -Iworkloads $(DEFINES) $(PKG_CFLAGS)
LIBS = $(PKG_LIBS) $(if $(ZYDIS),-lZydis) -lm -pthread
# for the flagstone that goes into a bundle, which looks at no repository
STATIC_LIBS := $(shell pkg-config --static --libs $(filter-out libgit2,$(PACKAGES)) 2>/dev/null) -lm -pthread

HASH := $(shell printf '%s' '$(CC) $(CFLAGS) $(MODE_FLAGS) $(CC_IS)' | sha256sum 2>/dev/null | cut -c1-12)
OUT = .build/$(HASH)

LIB_SOURCES := $(sort $(filter-out harness/helpers/%,$(wildcard harness/*/*.c)))
LIB_OBJECTS = $(LIB_SOURCES:%.c=$(OUT)/%.o)
BASE_OBJECTS = $(filter $(OUT)/harness/base/%,$(LIB_OBJECTS))
HELPERS := $(patsubst harness/helpers/%.c,%,$(wildcard harness/helpers/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))
UNIT_PROGRAMS = $(UNIT_SOURCES:%.c=$(OUT)/%)
BENCH_SOURCES := $(sort $(wildcard tests/bench/bench_*.c))
BENCH_PROGRAMS = $(BENCH_SOURCES:%.c=$(OUT)/%)
TRUST_OBJECTS := $(patsubst %.c,$(OUT)/%.o,$(sort $(wildcard tests/trust/*.c)))
RINGS ?= unit cli pipeline

.PHONY: all deps quick check check-unit check-compilers soak bench trust install uninstall lint coverage fuzz clean help program programs tests-built FORCE
.SUFFIXES:
.DELETE_ON_ERROR:

# The compile goals are reached through a second make, since pkg-config's answers are read before deps ran.
all: deps
	@$(MAKE) --no-print-directory program

program: programs
	@ln -sfn $(OUT)/flagstone flagstone

programs: $(OUT)/flagstone $(HELPERS:%=$(OUT)/%) $(OUT)/static.log

deps:
	@sh tests/deps.sh build

$(OUT)/libflagstone.a: $(LIB_OBJECTS)
	@rm -f $@
	@ar rcs $@ $(LIB_OBJECTS)

$(OUT)/libbase.a: $(BASE_OBJECTS)
	@rm -f $@
	@ar rcs $@ $(BASE_OBJECTS)

$(OUT)/flagstone: $(OUT)/harness/main.o $(OUT)/libflagstone.a
	$(CC) $(CFLAGS) $(MODE_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(HELPERS:%=$(OUT)/%): $(OUT)/%: $(OUT)/harness/helpers/%.o $(OUT)/libbase.a
	$(CC) $(CFLAGS) $(MODE_FLAGS) $(LDFLAGS) -Wl,--gc-sections -o $@ $^ -lz -ljansson -lm

# flagstone-static and spawner-static, for bundles. Where a library has no archive to link from there are none, and a
# bundle gets the dynamic ones with their libraries; static.log says why.
# It decodes nothing either: distributions have no archive of Zydis.
ZYDIS_USERS := $(shell grep -l HAVE_ZYDIS harness/code/*.c)
STATIC_OBJECTS = $(OUT)/harness/sys/without_git/git.o $(ZYDIS_USERS:%.c=$(OUT)/without_zydis/%.o) \
	$(filter-out $(OUT)/harness/sys/git.o $(OUT)/harness/sys/git_export.o $(ZYDIS_USERS:%.c=$(OUT)/%.o),$(LIB_OBJECTS))
$(OUT)/without_zydis/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -UHAVE_ZYDIS -MD -MP -c -o $@ $<

$(OUT)/static.log: $(OUT)/harness/main.o $(STATIC_OBJECTS) $(OUT)/harness/helpers/spawner.o $(OUT)/libbase.a
	@rm -f $(OUT)/flagstone-static $(OUT)/spawner-static
	@{ $(CC) $(CFLAGS) $(MODE_FLAGS) $(LDFLAGS) -static -s -o $(OUT)/flagstone-static $(OUT)/harness/main.o \
		$(STATIC_OBJECTS) $(STATIC_LIBS) && \
	$(CC) $(CFLAGS) $(MODE_FLAGS) $(LDFLAGS) -static -s -Wl,--gc-sections -o $(OUT)/spawner-static \
		$(OUT)/harness/helpers/spawner.o $(OUT)/libbase.a -lz -ljansson -lm && \
	$(OUT)/flagstone-static version; } >$@ 2>&1 || rm -f $(OUT)/flagstone-static $(OUT)/spawner-static

# the tests' own code is run once: optimising it takes longer than it saves
$(OUT)/tests/unit/%.o: UNOPTIMIZED = -O0
$(OUT)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(UNOPTIMIZED) $(BUILT) -MD -MP -c -o $@ $<

# What version.c tells of this build. Written anew only when it changed, so that a commit compiles one file. A
# source folder inside of a foreign repository is not at that one's commit.
$(OUT)/built.h: FORCE
	@mkdir -p $(@D)
	@quoted() { sed 's/[\\"]/\\&/g; s/.*/"&"/'; }; \
	{ \
		echo "#define FLAGSTONE_VERSION $$({ cat .version 2>/dev/null || echo unknown; } | head -n 1 | quoted)"; \
		if [ "$$(git rev-parse --show-cdup 2>/dev/null || echo none)" = '' ] && commit=$$(git rev-parse -q --verify HEAD); then \
			echo "#define FLAGSTONE_COMMIT \"$$commit\""; \
			dirt=$$(git status --porcelain -- . ':!archive' | head -n 1); \
			echo "#define FLAGSTONE_DIRTY \"$$([ -n "$$dirt" ] && echo yes || echo no)\""; \
		fi; \
		echo "#define FLAGSTONE_CC $$($(CC) --version | head -n 1 | quoted)"; \
		printf '#define FLAGSTONE_CFLAGS %s\n' "$$(printf '%s\n' '$(subst ','\'',$(strip $(CFLAGS) $(MODE_FLAGS)))' | quoted)"; \
	} >$@.$$$$ && if cmp -s $@.$$$$ $@; then rm -f $@.$$$$; else mv $@.$$$$ $@; fi

FORCE:

# What was compiled with Zydis or without it is made again when that changed.
$(OUT)/zydis: FORCE
	@mkdir -p $(@D)
	@echo '$(ZYDIS)' | cmp -s - $@ || echo '$(ZYDIS)' >$@
$(ZYDIS_USERS:%.c=$(OUT)/%.o): $(OUT)/zydis

$(OUT)/harness/base/version.o: $(OUT)/built.h
$(OUT)/harness/base/version.o: BUILT = -include $(OUT)/built.h

$(UNIT_PROGRAMS) $(BENCH_PROGRAMS): $(OUT)/%: $(OUT)/%.o $(OUT)/libflagstone.a
	$(CC) $(CFLAGS) $(MODE_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(OUT)/tests/trust/trust: $(TRUST_OBJECTS) $(OUT)/libflagstone.a
	$(CC) $(CFLAGS) $(MODE_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

tests-built: program $(UNIT_PROGRAMS) $(OUT)/tests/trust/trust

quick: all
	./flagstone run quick

check:
	@sh tests/deps.sh check
	@$(MAKE) --no-print-directory -j$$(nproc 2>/dev/null || echo 2) tests-built
	@OUT='$(OUT)' sh tests/run.sh $(RINGS)

check-unit:
	@$(MAKE) --no-print-directory check RINGS=unit

# installs compilers beside the default ones
check-compilers:
	@sh tests/deps.sh check
	@sh tests/deps.sh compilers
	@$(MAKE) --no-print-directory -j$$(nproc 2>/dev/null || echo 2) tests-built
	@OUT='$(OUT)' sh tests/run.sh compilers

soak:
	@$(MAKE) --no-print-directory check RINGS=soak

bench:
	@sh tests/deps.sh check
	@$(MAKE) --no-print-directory -j$$(nproc 2>/dev/null || echo 2) program $(BENCH_PROGRAMS)
	@OUT='$(OUT)' ONLY='$(ONLY)' sh tests/bench/bench.sh

trust:
	@sh tests/deps.sh check
	@$(MAKE) --no-print-directory -j$$(nproc 2>/dev/null || echo 2) program $(OUT)/tests/trust/trust
	@FLAGSTONE_LIBEXEC='$(CURDIR)/$(OUT)' ONLY='$(ONLY)' TRUST='$(TRUST)' TRUST_PAIR='$(TRUST_PAIR)' \
		$(OUT)/tests/trust/trust $(if $(TRUST_FROM),--from '$(TRUST_FROM)') $(if $(MARKDOWN),--markdown)

lint:
	@sh tests/deps.sh lint
	@$(MAKE) --no-print-directory program
	@ALL_CFLAGS="$(subst ",\",$(ALL_CFLAGS))" sh tests/lint.sh

coverage:
	@$(MAKE) --no-print-directory check COV=1 CC=gcc
	@sh tests/coverage.sh

fuzz:
	@sh tests/deps.sh lint
	@sh tests/fuzz/fuzz.sh

DATA = $(DESTDIR)$(PREFIX)/share/flagstone
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/flagstone $(DATA)/matrices $(DATA)/toolchains \
		$(DATA)/workloads $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 755 $(OUT)/flagstone $(DESTDIR)$(PREFIX)/bin/flagstone
	for helper in $(HELPERS); do install -m 755 $(OUT)/$$helper $(DESTDIR)$(PREFIX)/libexec/flagstone/ || exit 1; done
	for program in flagstone-static spawner-static; do [ ! -f $(OUT)/$$program ] || \
		install -m 755 $(OUT)/$$program $(DESTDIR)$(PREFIX)/libexec/flagstone/ || exit 1; done
	install -m 644 matrices/*.yaml $(DATA)/matrices/
	install -m 644 toolchains/*.yaml $(DATA)/toolchains/
	for folder in workloads/*/; do \
		install -d $(DATA)/$$folder && install -m 644 $$folder* $(DATA)/$$folder || exit 1; done
	install -m 644 harness/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 harness/man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7/

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/flagstone $(patsubst harness/man/%,$(DESTDIR)$(PREFIX)/share/man/man1/%,$(wildcard harness/man/*.1)) \
		$(patsubst harness/man/%,$(DESTDIR)$(PREFIX)/share/man/man7/%,$(wildcard harness/man/*.7))
	rm -rf $(DESTDIR)$(PREFIX)/libexec/flagstone $(DATA)

clean:
	rm -rf .build flagstone

help:
	@echo 'make quick      install what is missing, build, run matrices/quick.yaml, print the table, archive it'
	@echo 'make soak       long tests: all compilers and linkers there are, adaptive runs of a minute'
	@echo 'make check      every test (RINGS="unit cli pipeline"; SAN=1: under sanitizers; CC=clang)'
	@echo 'make check-compilers  install gcc 11, 12 and clang 13 to 19, and hold their builds against each other (15 minutes)'
	@echo 'make all        install what is missing and build ./flagstone'
	@echo 'make deps       only find and install what the build needs'
	@echo 'make bench      speed of flagstone itself, as ratios (ONLY=NAME for one figure)'
	@echo 'make trust      are the verdicts right here? (40 minutes; TRUST=short: 8; ONLY=NAME; TRUST_PAIR=60s)'
	@echo 'make lint       clang-tidy, cppcheck, shellcheck, clang-format, layers, headers'
	@echo 'make coverage   tests with coverage; fuzz: fuzzers of the readers'
	@echo 'make install    to PREFIX (/usr/local), below DESTDIR; uninstall removes it'
	@echo 'make clean      remove .build and ./flagstone'

-include $(LIB_OBJECTS:.o=.d) $(OUT)/harness/sys/without_git/git.d $(ZYDIS_USERS:%.c=$(OUT)/without_zydis/%.d) $(OUT)/harness/main.d $(HELPERS:%=$(OUT)/harness/helpers/%.d) \
	$(UNIT_PROGRAMS:=.d) $(BENCH_PROGRAMS:=.d) $(TRUST_OBJECTS:.o=.d)
