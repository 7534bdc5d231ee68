"""boon: HNSW over fp32, or bytes where L2 vectors are whole numbers."""

from __future__ import annotations

from pathlib import Path

import boon
from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, neighbours: int, build_beam: int) -> None:
        self.neighbours, self.build_beam = neighbours, build_beam

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        self.index = boon.Index(base.shape[1], metric, neighbours=self.neighbours, build_beam=self.build_beam)
        self.index.add(base, threads=threads)

    def set_query(self, beam: int) -> None:
        self.beam = beam

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector, k, beam=self.beam, threads=1).ids

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.index.search(queries, k, beam=self.beam, threads=threads).ids

    def save(self, folder: Path) -> None:
        self.index.save(folder / "index.boon")
