#!/usr/bin/env python3
"""Independent models of tests/trust/workloads: prints the check values after N units (default 2) of 1000 steps."""

import sys

STEPS = 1000


def integer(units):
    state = 0x9E3779B97F4A7C15
    for _ in range(units * STEPS * 128):
        state = (state ^ state << 13) & 2**64 - 1
        state ^= state >> 7
        state = (state ^ state << 17) & 2**64 - 1
    return f"{state:016x}"


def memory(units):
    lines = list(range(8192))
    random = 1
    for i in range(8191, 0, -1):
        random = (random * 1664525 + 1013904223) % 2**32
        k = (random >> 8) % i
        lines[i], lines[k] = lines[k], lines[i]
    at = seen = 0
    for _ in range(units):
        for _ in range(STEPS * 64):
            at = lines[at]
        seen = (seen * 31 + at) % 2**32
    return str(seen)


def interpreter(units):
    mask = 2**32 - 1
    r = [1 + i for i in range(8)]
    cells = [i * 7919 for i in range(64)]
    for _ in range(units * STEPS):
        for _ in range(16):
            r[0] = r[0] + r[1] + 13 & mask
            r[1] = r[1] * (r[0] | 1) & mask
            r[1] ^= r[1] >> 15
            r[2] = cells[r[1] % 64]
            r[2] ^= r[0]
            r[1] = r[1] + r[2] + 5 & mask
            r[0] ^= r[0] >> 11
            cells[r[0] % 64] = r[1]
    return f"{r[0]:08x}{r[1]:08x}"


def main(units):
    print("trust-integer", integer(units))
    print("trust-memory", memory(units))
    print("trust-interpreter", interpreter(units))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
