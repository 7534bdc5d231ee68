"""faiss: IndexHNSWFlat."""

from __future__ import annotations

from pathlib import Path

import faiss

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, M: int, efConstruction: int) -> None:
        self.M, self.ef_construction = M, efConstruction

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        faiss.omp_set_num_threads(threads)
        self.index = faiss.IndexHNSWFlat(base.shape[1], self.M)  # L2 ranks vectors of length 1 as the cosine does
        self.index.hnsw.efConstruction = self.ef_construction
        self.index.add(base)

    def set_query(self, efSearch: int) -> None:
        self.index.hnsw.efSearch = efSearch
        faiss.omp_set_num_threads(1)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector[None], k)[1][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        faiss.omp_set_num_threads(threads)
        return self.index.search(queries, k)[1]

    def save(self, folder: Path) -> None:
        faiss.write_index(self.index, str(folder / "index.faiss"))
