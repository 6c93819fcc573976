#!/usr/bin/env python3
"""An independent model of workloads/matmul: prints the check value after N units (default 100)."""

import sys

ORDER = 48
MASK = 2**64 - 1


def fnv(state, *values):
    for value in values:
        for byte in (value & MASK).to_bytes(8, "little"):
            state = (state ^ byte) * 0x100000001B3 & MASK
    return state


def main(units):
    basis = 0xCBF29CE484222325
    seeds = [fnv(basis, i) for i in range(ORDER * ORDER)]
    left = [seed // 2**24 % 16 - 8 for seed in seeds]
    right = [seed // 2**40 % 16 - 8 for seed in seeds]
    columns = [right[j::ORDER] for j in range(ORDER)]
    product = [0] * (ORDER * ORDER)
    chain = basis
    for unit in range(units):
        left[chain // 2**32 % len(left)] = (chain // 2**20 + unit) % 16 - 8
        rows = [left[i * ORDER : (i + 1) * ORDER] for i in range(ORDER)]
        product = [sum(map(int.__mul__, row, column)) for row in rows for column in columns]
        chain = (chain ^ product[chain // 2**40 % len(product)] & MASK) * 0x100000001B3 & MASK
    print(f"{fnv(basis, units, chain, *product):016x}")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
