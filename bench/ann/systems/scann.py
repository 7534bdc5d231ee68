"""ScaNN: a tree of partitions, anisotropic 4-bit product codes, the best compared again with fp32 vectors."""

from __future__ import annotations

from pathlib import Path

import scann

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, leaves: int, threshold: float) -> None:
        self.leaves, self.threshold = leaves, threshold

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        measure = "dot_product" if metric == "cosine" else "squared_l2"
        builder = scann.scann_ops_pybind.builder(base, 10, measure).set_n_training_threads(threads)
        builder = builder.tree(self.leaves, 10, training_sample_size=250_000)
        # Anisotropic codes are for dot products; under L2 the threshold is not used.
        threshold = self.threshold if metric == "cosine" else float("nan")
        self.index = builder.score_ah(2, anisotropic_quantization_threshold=threshold).reorder(100).build()

    def set_query(self, reorder: int, leaves_to_search: int) -> None:
        self.reorder, self.searched = reorder, leaves_to_search

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector, k, self.reorder, self.searched)[0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        if threads == 1:
            return self.index.search_batched(queries, k, self.reorder, self.searched)[0]
        self.index.set_num_threads(threads)
        return self.index.search_batched_parallel(queries, k, self.reorder, self.searched)[0]

    def save(self, folder: Path) -> None:
        self.index.serialize(str(folder))
