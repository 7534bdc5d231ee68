"""faiss: HNSW over 8-bit codes, the best candidates compared again with fp32 vectors."""

from __future__ import annotations

from pathlib import Path

import faiss

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, M: int, efConstruction: int) -> None:
        self.M, self.ef_construction = M, efConstruction

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        faiss.omp_set_num_threads(threads)
        self.coded = faiss.IndexHNSWSQ(base.shape[1], faiss.ScalarQuantizer.QT_8bit, self.M)
        self.coded.hnsw.efConstruction = self.ef_construction
        self.index = faiss.IndexRefineFlat(self.coded)
        self.index.train(base)
        self.index.add(base)

    def set_query(self, k_factor: float, efSearch: int) -> None:
        self.index.k_factor = k_factor
        self.coded.hnsw.efSearch = efSearch
        faiss.omp_set_num_threads(1)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector[None], k)[1][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        faiss.omp_set_num_threads(threads)
        return self.index.search(queries, k)[1]

    def save(self, folder: Path) -> None:
        faiss.write_index(self.index, str(folder / "index.faiss"))
