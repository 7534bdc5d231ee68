"""rabitqlib: HNSW over RaBitQ codes."""

from __future__ import annotations

from pathlib import Path

from rabitqlib import HnswIndex, RaBitQKMeans

from ann.system import Ids, Metric, System, Vector, Vectors
from ann.systems.rabitqlib_padding import pad

CLUSTERS = 16  # as in the library's own examples


class Adapter(System):
    def __init__(self, M: int, ef_construction: int, nbits: int) -> None:
        self.M, self.ef_construction, self.nbits = M, ef_construction, nbits

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        base = pad(base)
        dim = base.shape[1]
        means = RaBitQKMeans(dim, CLUSTERS, num_threads=threads)
        means.train(base)
        self.index = HnswIndex(dim, len(base), self.M, self.ef_construction, self.nbits, "l2")
        self.index.build(base, means.centroids, means.assignments, threads)

    def set_query(self, ef: int) -> None:
        self.ef = ef

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(pad(vector[None]), k, self.ef, 1)[0][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.index.search(pad(queries), k, self.ef, threads)[0]

    def save(self, folder: Path) -> None:
        self.index.save(str(folder / "index"))
