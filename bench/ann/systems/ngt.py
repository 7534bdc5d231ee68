"""NGT: its graph over fp32 (ANNG), searched within a growing radius."""

from __future__ import annotations

import shutil
from pathlib import Path

import ngtpy

from ann.system import Ids, Metric, System, Vector, Vectors

PLACE = "anng"


class Adapter(System):
    def __init__(self, edges: int) -> None:
        self.edges = edges

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        # L2 ranks vectors of length 1 as the cosine does.
        ngtpy.create(PLACE, base.shape[1], self.edges, distance_type="L2", object_type="Float")
        index = ngtpy.Index(PLACE)
        index.batch_insert(base, num_threads=threads)
        index.save()
        index.close()
        self.index = ngtpy.Index(PLACE, read_only=True)

    def set_query(self, edge_size: int, epsilon: float) -> None:
        self.index.set(epsilon=epsilon, edge_size=edge_size)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector, k, with_distance=False)

    def save(self, folder: Path) -> None:
        shutil.copytree(PLACE, folder / PLACE)
