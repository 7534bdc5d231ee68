"""Exact nearest neighbours: screened by a float32 matrix product, ranked in float64, proved complete.

Both distances are handled as squared Euclidean: of the rows as they are, or (angular) of the rows scaled to unit
length, where |u - v|^2 / 2 = 1 - cos. A query whose candidates cannot be proved to hold its k nearest is ranked
against every row, so the answer never depends on which BLAS did the screening.
"""

from __future__ import annotations

import numpy as np

from .report import Progress

# Candidates beyond k: enough that the proof fails for few queries, few enough that ranking stays cheap.
SPARE = 30
GROUP = 64
SCREEN_BYTES_MAX = 256 << 20
RANK_BYTES_MAX = 64 << 20


def nearest(train: np.ndarray, test: np.ndarray, k: int, distance: str) -> tuple[np.ndarray, np.ndarray]:
    """Ids (int32) and distances (float32) of the k nearest `train` rows of each `test` row, both [queries, k].

    `distance` is "euclidean" (not squared) or "angular" (1 - cos). Nearest first; equal distances by lower id.
    Raises ValueError where k exceeds the rows, or a row is zero under "angular".
    """
    if k > len(train):
        raise ValueError(f"k = {k} exceeds the {len(train)} rows")
    rows, queries = prepare(train, distance, "train"), prepare(test, distance, "test")
    ids = np.empty((len(queries), k), dtype=np.int32)
    squares = np.empty((len(queries), k))
    candidates = min(k + SPARE, len(rows))
    block = min(SCREEN_BYTES_MAX // (4 * len(rows)), RANK_BYTES_MAX // (8 * candidates * rows.shape[1]))
    block = min(max(1, block), len(queries))
    screen = Screen(rows, block)
    with Progress(f"exact neighbours of {len(queries):,} queries", len(queries)) as progress:
        for start in range(0, len(queries), block):
            part = slice(start, min(start + block, len(queries)))
            chosen, excluded_min = screen.candidates(queries[part], candidates)
            ids[part], squares[part] = rank(rows, queries[part], chosen, k)
            for unproved in np.flatnonzero(squares[part][:, -1] >= excluded_min):
                i = start + unproved
                everything = np.arange(len(rows))[None, :]
                ids[i], squares[i] = rank(rows, queries[i : i + 1], everything, k)
            progress.update(part.stop)
    distances = squares / 2 if distance == "angular" else np.sqrt(squares)
    return ids, distances.astype(np.float32)


def prepare(vectors: np.ndarray, distance: str, name: str) -> np.ndarray:
    """The vectors in float64, scaled to unit length where the distance is angular."""
    vectors = vectors.astype(np.float64)
    if distance == "euclidean":
        return vectors
    if distance != "angular":
        raise ValueError(f"unknown distance {distance!r}; known: euclidean, angular")
    norms = np.sqrt(sum_of_squares(vectors))
    if not norms.all():
        raise ValueError(f"{name} row {np.argmin(norms)} is zero, which has no angle")
    return vectors / norms[:, None]


class Screen:
    """Rows arranged so that one float32 matrix product gives |x|^2 / 2 - q.x, which orders rows as |q - x|^2 does."""

    def __init__(self, rows: np.ndarray, queries_max: int):
        halves = sum_of_squares(rows) / 2
        self.count_ = len(rows)
        self.norm_max_ = np.sqrt(2 * halves.max())
        # Filled up to whole groups with rows that are farther than any other.
        self.columns_ = np.zeros((-(-len(rows) // GROUP) * GROUP, rows.shape[1] + 1), dtype=np.float32)
        self.columns_[: len(rows), :-1] = rows
        self.columns_[:, -1] = np.finfo(np.float32).max
        self.columns_[: len(rows), -1] = halves
        # Kept, since fresh memory for every block costs more than the product itself.
        self.scores_ = np.empty((queries_max, len(self.columns_)), dtype=np.float32)

    def candidates(self, queries: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Ids of the `count` nearest rows by float32 score, and a lower bound of |q - x|^2 over all other rows."""
        if count == self.count_:
            return np.tile(np.arange(count), (len(queries), 1)), np.full(len(queries), np.inf)
        lines = np.concatenate([-queries, np.ones((len(queries), 1))], axis=1).astype(np.float32)
        scores = np.matmul(lines, self.columns_.T, out=self.scores_[: len(queries)])
        chosen, worst_chosen = smallest(scores, count)
        squares = sum_of_squares(queries)
        # A float32 dot product of n terms is off by at most n * 2^-24 times the sum of the terms' magnitudes,
        # whatever its order (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). Eight more
        # terms pay for rounding the inputs.
        terms = queries.shape[1] + 1 + 8
        error = terms * 2.0**-24 * (np.sqrt(squares) * self.norm_max_ + self.norm_max_**2 / 2)
        return chosen, 2 * (worst_chosen.astype(np.float64) - error) + squares


def smallest(scores: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of the `count` smallest scores of each line, in no order, and the greatest of those scores.

    The columns form groups of GROUP, far apart so that their minima are one pass over the memory. No group can hold
    one of the `count` smallest unless its minimum is among the `count` smallest minima, so few are looked into.
    """
    groups = scores.shape[1] // GROUP
    if count < groups:
        minima = scores.reshape(len(scores), GROUP, groups).min(axis=1)
        likely = np.argpartition(minima, count - 1, axis=1)[:, :count]
        columns = (likely[:, :, None] + groups * np.arange(GROUP)).reshape(len(scores), -1)
    else:
        columns = np.tile(np.arange(scores.shape[1]), (len(scores), 1))
    values = np.take_along_axis(scores, columns, axis=1)
    best = np.argpartition(values, count - 1, axis=1)[:, :count]
    return np.take_along_axis(columns, best, axis=1), np.take_along_axis(values, best, axis=1).max(axis=1)


def rank(rows: np.ndarray, queries: np.ndarray, chosen: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the `chosen` ids of each query, the k nearest by (|q - x|^2, id): ids and squared distances."""
    chosen = np.sort(chosen, axis=1)
    squares = sum_of_squares(rows[chosen] - queries[:, None, :])
    order = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(chosen, order, axis=1), np.take_along_axis(squares, order, axis=1)


def sum_of_squares(vectors: np.ndarray) -> np.ndarray:
    """Squared lengths over the last axis, added from the first component to the last.

    NumPy's own sum depends on the width of the machine's vectors; in a fixed order the last bit is the same everywhere.
    """
    total = np.zeros(vectors.shape[:-1])
    for component in np.moveaxis(vectors, -1, 0):
        total += component * component
    return total
