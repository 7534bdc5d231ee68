"""Random numbers that are the same on every machine and for every version of NumPy.

NumPy promises no fixed stream for its generators, and the sets must not change when it does. These are
counter-based: the value for a counter is SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) started at the seed.
"""

from __future__ import annotations

import numpy as np

HOLD_OUT_SEED = 1
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def splitmix64(seed: int, counters: np.ndarray) -> np.ndarray:
    """The SplitMix64 outputs number `counters` (from 0) of the stream that starts at `seed`, as uint64."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + (counters.astype(np.uint64) + np.uint64(1)) * GOLDEN
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def shuffled(count: int, seed: int) -> np.ndarray:
    """The numbers 0 to count - 1 in random order, as int64."""
    return np.argsort(splitmix64(seed, np.arange(count)), kind="stable")


def held_out(count: int, queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of the queries and of the rest, both in random order, so that any slice is a fair sample."""
    order = shuffled(count, HOLD_OUT_SEED)
    return order[:queries], order[queries:]


def distinct_pairs(count: int, below: int, seed: int) -> np.ndarray:
    """`count` distinct unordered pairs i < j of numbers below `below`, as int64 [count, 2], in the order drawn."""
    if count > below * (below - 1) // 4:
        raise ValueError(f"{count} pairs of {below} numbers are too many to draw at random")
    pairs = np.empty((0, 2), dtype=np.int64)
    drawn = 0
    while len(pairs) < count:
        more = count - len(pairs) + 64
        counters = np.arange(2 * drawn, 2 * (drawn + more))
        fresh = (splitmix64(seed, counters) % np.uint64(below)).astype(np.int64).reshape(more, 2)
        drawn += more
        fresh.sort(axis=1)
        pairs = np.concatenate([pairs, fresh[fresh[:, 0] != fresh[:, 1]]])
        _, first = np.unique(pairs[:, 0] * below + pairs[:, 1], return_index=True)
        pairs = pairs[np.sort(first)]
    return pairs[:count]
