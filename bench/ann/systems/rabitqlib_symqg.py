"""rabitqlib: SymphonyQG, a graph whose nodes hold the codes of their neighbours."""

from __future__ import annotations

from pathlib import Path

from rabitqlib import SymqgIndex

from ann.system import Ids, Metric, System, Vector, Vectors
from ann.systems.rabitqlib_padding import pad


class Adapter(System):
    def __init__(self, degree: int, ef_construction: int) -> None:
        self.degree, self.ef_construction = degree, ef_construction

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        base = pad(base)
        self.index = SymqgIndex(base.shape[1], self.degree, "l2")  # ranks vectors of length 1 as the cosine does
        self.index.build(base, self.ef_construction, threads)

    def set_query(self, ef: int) -> None:
        self.ef = ef

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(pad(vector[None]), k, self.ef, 1)[0][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.index.search_batch(pad(queries), k, self.ef, threads)[0]

    def save(self, folder: Path) -> None:
        self.index.save(str(folder / "index"))
