"""faiss: inverted lists of 4-bit product codes read by FastScan, the best compared again with fp32 vectors."""

from __future__ import annotations

from pathlib import Path

import faiss

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, nlist: int) -> None:
        self.nlist = nlist

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        faiss.omp_set_num_threads(threads)
        dim = base.shape[1]
        self.index = faiss.index_factory(dim, f"IVF{self.nlist},PQ{dim // 2}x4fs,RFlat")
        self.lists = faiss.extract_index_ivf(self.index)
        self.index.train(base)
        self.index.add(base)

    def set_query(self, k_factor: float, nprobe: int) -> None:
        self.index.k_factor = k_factor
        self.lists.nprobe = nprobe
        faiss.omp_set_num_threads(1)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector[None], k)[1][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        faiss.omp_set_num_threads(threads)
        return self.index.search(queries, k)[1]

    def save(self, folder: Path) -> None:
        faiss.write_index(self.index, str(folder / "index.faiss"))
