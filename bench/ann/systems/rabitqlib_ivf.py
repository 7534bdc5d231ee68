"""rabitqlib: inverted lists of RaBitQ codes; nbits = 32 keeps the vectors and compares candidates with them."""

from __future__ import annotations

from pathlib import Path

from rabitqlib import FinalAssignmentMode, IvfIndex, RaBitQKMeans

from ann.system import Ids, Metric, System, Vector, Vectors
from ann.systems.rabitqlib_padding import pad


class Adapter(System):
    def __init__(self, clusters: int, nbits: int) -> None:
        self.clusters, self.nbits = clusters, nbits

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        base = pad(base)
        dim = base.shape[1]
        means = RaBitQKMeans(dim, self.clusters, num_threads=threads, final_assignment=FinalAssignmentMode.Exact)
        means.train(base)
        self.index = IvfIndex(dim, len(base), self.clusters, self.nbits, "l2")
        self.index.build(base, means.centroids, means.assignments, threads)

    def set_query(self, nprobe: int) -> None:
        self.nprobe = nprobe

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(pad(vector[None]), k, self.nprobe, num_threads=1)[0][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.index.search(pad(queries), k, self.nprobe, num_threads=threads)[0]

    def save(self, folder: Path) -> None:
        self.index.save(str(folder / "index"))
