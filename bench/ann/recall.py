"""Recall by distance: an answer counts if it is as near as the k-th true neighbour, be it that one or an equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ann.system import Vectors

# Distances of the same pair differ in their last bits between two ways of summing; here one way makes them all.
SLACK = 1e-6
ROWS_AT_ONCE = 256


def table(answers: Sequence[Any] | npt.NDArray[Any], k: int) -> npt.NDArray[np.int64]:
    """Answers of any length as an array of shape (queries, k), filled up with -1."""
    ids = np.full((len(answers), k), -1, np.int64)
    for row, answer in enumerate(answers):
        first = np.asarray(answer)[:k].astype(np.int64)
        ids[row, : len(first)] = first
    return ids


def squared_distances(queries: Vectors, base: Vectors, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Of each query to the rows that its row of ids names; infinity where an id names none. Shape as ids."""
    distances = np.full(ids.shape, np.inf, np.float32)
    for start in range(0, len(ids), ROWS_AT_ONCE):
        part = ids[start : start + ROWS_AT_ONCE]
        real = (part >= 0) & (part < len(base))
        difference = base[np.where(real, part, 0)] - queries[start : start + len(part), None, :]
        squares = np.einsum("qkd,qkd->qk", difference, difference)
        distances[start : start + len(part)] = np.where(real, squares, np.inf)
    return distances


def recall(
    answers: Sequence[Any] | npt.NDArray[Any], queries: Vectors, base: Vectors, truth: npt.NDArray[np.int64]
) -> float:
    """The mean share of k that was found. truth: ids of the true neighbours, nearest first, shape (queries, k)."""
    if len(answers) == 0:
        return 0.0
    k = truth.shape[1]
    truth, queries = truth[: len(answers)], queries[: len(answers)]
    worst = squared_distances(queries, base, truth[:, -1:])
    ids = table(answers, k)
    good = squared_distances(queries, base, ids) <= worst * (1 + SLACK)
    return float(np.count_nonzero(good & ~repeated(ids)) / (len(ids) * k))


def repeated(ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Where an id stands in its row for the second time: an answer counts once."""
    order = np.argsort(ids, axis=1, kind="stable")
    ranked = np.take_along_axis(ids, order, axis=1)
    again = np.zeros(ids.shape, np.bool_)
    again[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
    marks = np.empty_like(again)
    np.put_along_axis(marks, order, again, axis=1)
    return marks
