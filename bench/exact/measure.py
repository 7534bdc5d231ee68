"""One case: boon and faiss by turns, then boon's answers against double precision."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import faiss
import numpy as np

from boon import _core
from exact.cases import Case, Vectors
from exact.result import Result

FAISS_VERSION: str = faiss.__version__


def measure(case: Case, threads: int, repeat: int, check: int) -> Result:
    base, queries = case.load()
    flat = (faiss.IndexFlatIP if case.space == "cosine" else faiss.IndexFlatL2)(case.dim)
    flat.add(base)
    faiss.omp_set_num_threads(threads)
    start = time.perf_counter()
    ready = _core.KnnBase(base, case.space, True, threads)
    prepare = time.perf_counter() - start
    fp32 = "floats" if case.batch else "rows"

    def boon(path: str) -> Callable[[Vectors], Any]:
        return lambda part: ready.search(part, case.k, None, threads, path)

    systems = {"faiss": lambda part: flat.search(part, case.k), "boon": boon("automatic"), "fp32": boon(fp32)}
    best = dict.fromkeys(systems, np.inf)
    peak, read = 0.0, np.inf
    for _ in range(repeat + 1):  # the first turn warms up, and counts if it is the best all the same
        peak = max(peak, _core.peak_gflops(0.05))
        start = time.perf_counter()
        base.sum()
        read = min(read, time.perf_counter() - start)
        for name, search in systems.items():
            best[name] = min(best[name], once(search, queries, case.batch))
    wrong, faiss_wrong = compare(ready, flat, queries[:check], case, threads)
    scale = 1e6 / len(queries)
    return Result(
        case, threads, len(queries), best["faiss"] * scale, best["boon"] * scale, best["fp32"] * scale, read * 1e6,
        peak * threads, prepare * 1e3, len(queries[:check]), wrong, faiss_wrong,
    )  # fmt: skip


def once(search: Callable[[Vectors], Any], queries: Vectors, batch: bool) -> float:
    start = time.perf_counter()
    if batch:
        search(queries)
    else:
        for i in range(len(queries)):
            search(queries[i : i + 1])
    return time.perf_counter() - start


def compare(ready: Any, flat: Any, queries: Vectors, case: Case, threads: int) -> tuple[int, int]:
    """Places at which boon's ids, and faiss's, are not those of sums in double precision."""
    truth = ready.search(queries, case.k, None, threads, "plain")[0]
    found = ready.search(queries, case.k, None, threads, "automatic")[0]
    return int((found != truth).sum()), int((flat.search(queries, case.k)[1] != truth).sum())
