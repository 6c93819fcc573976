#!/usr/bin/env python3
"""An independent model of workloads/lz77: prints the check value after N units (default 100).

It keeps, for each hash, the list of all positions so far, where the C code has chains through arrays.
"""

import sys
from collections import defaultdict
from os.path import commonprefix

MASK = 2**64 - 1
SYLLABLES = b"an bre cho dim er fo gle in ket lo mar nu pri ta ver zi".split()


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


def make_text():
    random = draws(0x7E87B10C2F6A4D39)
    words = []
    for _ in range(128):
        count = 1 + next(random) % 4
        words.append(b"".join([SYLLABLES[next(random) % 16] for _ in range(count)]))
    text = b""
    while len(text) < 8192:
        limit = 1 + next(random) % 128
        text += words[next(random) % limit]
        if len(text) < 8192:
            text += b" " if next(random) % 10 else b"\n"
    return text[:8192]


def find(block, seen, position):
    """The longest match that starts at position, as (length, distance)."""
    ahead = block[position : position + 18]
    if len(ahead) < 3:
        return 0, 0
    options = [
        (len(commonprefix([block[start : start + len(ahead)], ahead])), position - start)
        for start in seen[hash_three(ahead)][-16:]
    ]
    best = max(options, key=lambda option: (option[0], -option[1]), default=(0, 0))
    return best if best[0] >= 3 else (0, 0)


def hash_three(data):
    return int.from_bytes(data[:3], "little") * 2654435761 % 2**32 // 2**22


def compress(block):
    seen = defaultdict(list)
    items = []
    position = 0
    known = 0  # positions below are in seen

    def matches_at(place):
        nonlocal known
        while known < place:
            if known + 3 <= len(block):
                seen[hash_three(block[known : known + 3])].append(known)
            known += 1
        return find(block, seen, place)

    while position < len(block):
        length, distance = matches_at(position)
        if length and (length == 18 or matches_at(position + 1)[0] <= length):
            items.append(bytes([(distance - 1) % 256, (distance - 1) // 256 * 16 + length - 3]))
            position += length
        else:
            items.append(block[position : position + 1])
            position += 1
    coded = b""
    for group in range(0, len(items), 8):
        part = items[group : group + 8]
        coded += bytes([sum(1 << bit for bit, item in enumerate(part) if len(item) == 2)]) + b"".join(part)
    return coded


def main(units):
    basis = 0xCBF29CE484222325
    text = make_text()
    chain = basis
    coded = b""
    for unit in range(units):
        start = chain // 2**32 % 4096
        coded = compress(unit.to_bytes(8, "little") + text[start + 8 : start + 4096])
        chain = fnv(chain, coded[chain // 2**40 % len(coded)].to_bytes(1, "little"))
        chain = fnv(chain, len(coded).to_bytes(8, "little"))
    state = fnv(basis, units.to_bytes(8, "little") + chain.to_bytes(8, "little"))
    print(f"{fnv(state, coded):016x}")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
