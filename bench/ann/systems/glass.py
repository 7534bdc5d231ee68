"""Glass (pyglass): HNSW over scalar codes, with or without a comparison of the best with fp32 vectors."""

from __future__ import annotations

import shutil
from pathlib import Path

import glass

from ann.system import Ids, Metric, System, Vector, Vectors

GRAPH = "graph.glass"


class Adapter(System):
    note = "disk: the graph alone, the library writes no more; its own tuning of prefetches is in the time to build"

    def __init__(self, R: int, L: int, codes: str) -> None:
        self.R, self.L = R, L
        self.codes, _, self.refine = codes.partition("+")

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        glass.set_num_threads(threads)
        # L2 ranks vectors of length 1 as the cosine does.
        graph = glass.Index("HNSW", "L2", "SQ8U", R=self.R, L=self.L).build(base)
        graph.save(GRAPH)  # the searcher empties it
        self.searcher = glass.Searcher(graph, base, "L2", self.codes, self.refine)
        self.searcher.set_ef(64)
        self.searcher.optimize(1)

    def set_query(self, ef: int) -> None:
        glass.set_num_threads(1)
        self.searcher.set_ef(ef)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.searcher.search(vector, k)[0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.searcher.batch_search(queries, k, threads)[0]

    def save(self, folder: Path) -> None:
        shutil.move(GRAPH, folder / GRAPH)
