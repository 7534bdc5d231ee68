"""voyager: Spotify's HNSW, a descendant of hnswlib."""

from __future__ import annotations

from pathlib import Path

import voyager

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, M: int, ef_construction: int) -> None:
        self.M, self.ef_construction = M, ef_construction

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        # L2 ranks vectors of length 1 as the cosine does.
        self.index = voyager.Index(
            voyager.Space.Euclidean,
            base.shape[1],
            M=self.M,
            ef_construction=self.ef_construction,
            max_elements=len(base),
        )
        self.index.add_items(base, num_threads=threads)

    def set_query(self, query_ef: int) -> None:
        self.ef = query_ef

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.query(vector, k, 1, self.ef)[0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.index.query(queries, k, threads, self.ef)[0]

    def save(self, folder: Path) -> None:
        self.index.save(str(folder / "index.voyager"))
