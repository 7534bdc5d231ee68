"""annoy: a forest of random hyperplanes."""

from __future__ import annotations

from pathlib import Path

from annoy import AnnoyIndex

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, n_trees: int) -> None:
        self.n_trees = n_trees

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        self.index = AnnoyIndex(base.shape[1], "euclidean")  # ranks vectors of length 1 as the cosine does
        for row, vector in enumerate(base):
            self.index.add_item(row, vector)
        self.index.build(self.n_trees, n_jobs=threads)

    def set_query(self, search_k: int) -> None:
        self.search_k = search_k

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.get_nns_by_vector(vector, k, search_k=self.search_k)

    def save(self, folder: Path) -> None:
        self.index.save(str(folder / "index.ann"))
