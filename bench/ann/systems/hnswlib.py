"""hnswlib: the HNSW that others are compared with, over fp32."""

from __future__ import annotations

from pathlib import Path

import hnswlib

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, M: int, ef_construction: int) -> None:
        self.M, self.ef_construction = M, ef_construction

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        # Its "cosine" would scale each query again; for vectors of length 1 "ip" ranks alike and is faster.
        self.index = hnswlib.Index("ip" if metric == "cosine" else "l2", base.shape[1])
        self.index.init_index(len(base), M=self.M, ef_construction=self.ef_construction)
        self.index.add_items(base, num_threads=threads)

    def set_query(self, ef: int) -> None:
        self.index.set_ef(ef)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.knn_query(vector, k, num_threads=1)[0][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.index.knn_query(queries, k, num_threads=threads)[0]

    def save(self, folder: Path) -> None:
        self.index.save_index(str(folder / "index"))
