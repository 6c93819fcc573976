#!/usr/bin/env python3
"""An independent model of workloads/strsort: prints the check value after N units (default 100)."""

import sys

MASK = 2**64 - 1
SYLLABLES = b"al ber co dun el fa gor is ka lin mo ner qua ro sta ul".split()


def fnv(state, data):
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 & MASK
    return state


def draws(state):
    """xorshift64*, the upper half of each product."""
    while True:
        state ^= state >> 12
        state ^= state << 25 & MASK
        state ^= state >> 27
        yield (state * 0x2545F4914F6CDD1D & MASK) >> 32


def main(units):
    basis = 0xCBF29CE484222325
    random = draws(0x5EED0F57A9510E5D)
    strings = []
    for _ in range(512):
        count = 2 + next(random) % 4
        stem = b"".join([SYLLABLES[next(random) % 16] for _ in range(count)])
        strings.append(bytearray(stem + bytes([97 + next(random) % 26])))
    chain = basis
    order = []
    for unit in range(units):
        draw = (chain // 2**32 + unit) % 2**32
        strings[draw % 512][-1] = 97 + draw // 2**9 % 26
        # by content alone: the order in which equal strings come cannot be seen
        order = sorted(bytes(string) for string in strings)
        chain = (fnv(chain, order[chain // 2**40 % 512] + b"\0") ^ unit) * 0x100000001B3 & MASK
    state = fnv(basis, units.to_bytes(8, "little") + chain.to_bytes(8, "little"))
    print(f"{fnv(state, b''.join(string + bytes(1) for string in order)):016x}")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
