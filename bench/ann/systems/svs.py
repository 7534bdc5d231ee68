"""Intel's Scalable Vector Search: Vamana over fp32, or over its LVQ codes of 8 or of 4 and 8 bits."""

from __future__ import annotations

import os
from pathlib import Path

import svs

from ann.system import Ids, Metric, System, Vector, Vectors

CODES = {"lvq8": (8, 0), "lvq4x8": (4, 8)}


class Adapter(System):
    def __init__(self, data: str, degree: int, window: int) -> None:
        self.data, self.degree, self.window = data, degree, window

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        parameters = svs.VamanaBuildParameters(alpha=1.2, graph_max_degree=self.degree, window_size=self.window)
        source = base
        if self.data in CODES:
            svs.write_vecs(base, "base.fvecs")  # codes are made from a file only
            file = svs.VectorDataLoader("base.fvecs", svs.DataType.float32, base.shape[1])
            primary, residual = CODES[self.data]
            source = svs.LVQLoader(file, primary=primary, residual=residual)
        # L2 ranks vectors of length 1 as the cosine does.
        self.index = svs.Vamana.build(parameters, source, svs.DistanceType.L2, num_threads=threads)
        if self.data in CODES:
            os.remove("base.fvecs")

    def set_query(self, search_window_size: int) -> None:
        self.index.num_threads = 1
        self.index.search_window_size = search_window_size

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector, k)[0][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        self.index.num_threads = threads
        return self.index.search(queries, k)[0]

    def save(self, folder: Path) -> None:
        self.index.save(*(str(folder / part) for part in ("config", "graph", "data")))
