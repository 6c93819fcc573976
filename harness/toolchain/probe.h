/*
 * probe.h - what a toolchain can do here: its C++ compiler and ar, link-time optimization, static links, empty
 * assembly, object order, -march values. Each is tried for real, by compiling, linking and running; answered once
 * for each identity.
 */
#ifndef FLAGSTONE_TOOLCHAIN_PROBE_H
#define FLAGSTONE_TOOLCHAIN_PROBE_H

#include "toolchain/identify.h"

/* Fills cxx, cxx_reason, ar and, with options->probe, the answers and their facts. */
void probe(struct finding *f, struct toolchain *t);

/* The parts of probe(), in tools.c: needs names. */
void probe_tools(struct finding *f, struct toolchain *t);

#endif
