#!/usr/bin/env python3
"""An independent model of workloads/bytecode: prints the check value after N units (default 100).

It has no interpreter: it computes what the program in program.c is meant to compute.
"""

import sys

MASK = 2**64 - 1
PRIMES = [n for n in range(2, 256) if all(n % d for d in range(2, n))]


def fnv(state, *values):
    for value in values:
        for byte in value.to_bytes(8, "little"):
            state = (state ^ byte) * 0x100000001B3 & MASK
    return state


def largest_factor(n):
    return 0 if n < 2 or n in PRIMES else max(p for p in PRIMES if n % p == 0)


def collatz_steps(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


def sorted_draws(n):
    draws = []
    for _ in range(48):
        n ^= n << 13 & 0xFFFFFFFF
        n ^= n >> 17
        n ^= n << 5 & 0xFFFFFFFF
        draws.append(n >> 20)
    return sorted(draws)


def main(units):
    basis = 0xCBF29CE484222325
    chain = basis
    draws = [0] * 48
    for unit in range(units):
        given = (chain // 2**24 + unit) % 2**32
        draws = sorted_draws(given | 1)
        result = 0
        for part in [len(PRIMES), collatz_steps(given % 2**16 | 1), *draws, 55]:
            result = (33 * result + part) % 2**32
        chain = (chain ^ result) * 0x100000001B3 & MASK
    sieve = [largest_factor(n) for n in range(256)] if units else [0] * 256
    print(f"{fnv(basis, units, chain, *sieve, *draws):016x}")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
