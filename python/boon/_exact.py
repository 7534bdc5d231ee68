"""Exact nearest neighbours in arrays, with nothing built and nothing kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boon import _arrays, _core
from boon.index import SearchResult


def knn(
    base: npt.ArrayLike,
    queries: npt.ArrayLike,
    k: int = 10,
    *,
    space: str = "cosine",
    filter: npt.ArrayLike | None = None,
    threads: int = 0,
) -> SearchResult:
    """The k nearest rows of `base` to one query or to each of many, by comparing them all.

    base : shape (n, dim). An array of float32 or float16, or of uint8 under "l2", is read where it lies, also one that
        is mapped from disk (numpy.load with mmap_mode="r"); other types are converted first.
    queries : shape (dim,) or (m, dim).
    k : answers to each query.
    space : "cosine" (1 - cos), "l2" (squared Euclidean) or "ip" (1 - inner product). Smaller is nearer.
    filter : which rows may be answered: a mask of shape (n,), or row numbers.
    threads : 0 takes all cores.

    Returns (ids, distances), ids being row numbers: arrays of shape (k,), or as many as there are, for one query; of
    shape (m, k) for m, where rows with fewer answers end in -1 and infinity. The answer is exact: ranked by the
    distance in double precision, equal distances by row number, on any processor and any number of threads.

    Raises ValueError for a NaN, an infinity, a vector of zeros under cosine, dimensions that differ, or k = 0.
    """
    rows = _base(base, space)
    dim = rows.shape[1]
    asked, single = _arrays.rows(queries, dim, "queries")
    for name, value in (("k", k), ("threads", threads)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise TypeError(f"{name} is of type {type(value).__name__}; expected an integer")
    if k < 1:
        raise ValueError(f"k is {k}; ask for at least one answer")
    if threads < 0:
        raise ValueError(f"threads is {threads} and must not be negative")
    allowed = None if filter is None else _bitmap(filter, len(rows))
    width = min(int(k), len(rows)) if single else int(k)
    prepared = _core.KnnBase(rows, str(space), len(asked) > 1, int(threads))
    ids, distances, count = prepared.search(asked, width, allowed, int(threads), "automatic")
    return SearchResult(ids[0, :count], distances[0, :count]) if single else SearchResult(ids, distances)


def _base(given: npt.ArrayLike, space: str) -> npt.NDArray[Any]:
    array = np.asarray(given)
    described = f"base has shape {array.shape} and dtype {array.dtype}"
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{described}; expected real numbers of shape (n, dim)")
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{described}; expected (n, dim)")
    as_it_lies = array.dtype.isnative and array.flags.aligned and _rows_apart(array)
    if as_it_lies and (array.dtype in (np.float32, np.float16) or (array.dtype == np.uint8 and space == "l2")):
        return array
    with np.errstate(over="ignore"):  # what becomes infinite is named
        return np.require(array, np.float32, ["C", "A"])


def _rows_apart(array: npt.NDArray[Any]) -> bool:
    """Components follow each other and rows do not overlap."""
    step, component = array.strides
    whole = array.shape[1] == 1 or component == array.itemsize
    return whole and (len(array) < 2 or (step >= array.shape[1] * array.itemsize and step % array.itemsize == 0))


def _bitmap(given: npt.ArrayLike, count: int) -> npt.NDArray[np.uint64]:
    """Bit r % 64 of word r / 64 for each row r that may be answered."""
    array = np.asarray(given)
    if array.dtype == np.bool_:
        if array.shape != (count,):
            raise ValueError(f"the filter is a mask of shape {array.shape}; expected ({count},), one for each row")
        mask = array
    else:
        rows = _arrays.ids(given)
        mask = np.zeros(count, np.bool_)
        mask[rows[rows < count]] = True
    bits = np.zeros(-(-count // 64) * 8, np.uint8)
    packed = np.packbits(mask, bitorder="little")
    bits[: len(packed)] = packed
    return bits.view("<u8").astype(np.uint64, copy=False)
