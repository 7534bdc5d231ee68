"""usearch: HNSW over fp32, or over bytes to which this adapter scales vectors and queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from usearch.index import Index

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, dtype: str, connectivity: int, expansion_add: int) -> None:
        self.dtype, self.connectivity, self.expansion_add = dtype, connectivity, expansion_add
        if dtype == "i8":
            # usearch's own cast scales each vector by its length, which spoils L2.
            self.note = "vectors and queries become bytes by one factor; a query's conversion is in its time"

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        self.scale = np.float32(127 / np.abs(base).max())
        self.index = Index(
            ndim=base.shape[1],
            metric="cos" if metric == "cosine" else "l2sq",
            dtype=self.dtype,
            connectivity=self.connectivity,
            expansion_add=self.expansion_add,
        )
        self.index.add(np.arange(len(base)), self.cast(base), threads=threads)

    def cast(self, vectors: Vectors) -> npt.NDArray[Any]:
        if self.dtype != "i8":
            return vectors
        scaled: npt.NDArray[Any] = np.rint(vectors * self.scale).clip(-127, 127)
        return scaled.astype(np.int8)

    def set_query(self, expansion_search: int) -> None:
        self.index.expansion_search = expansion_search

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(self.cast(vector), k, threads=1).keys

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        return self.index.search(self.cast(queries), k, threads=threads).keys

    def save(self, folder: Path) -> None:
        self.index.save(str(folder / "index.usearch"))
