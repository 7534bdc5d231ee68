"""VSAG: HGraph over scalar codes, the best candidates compared again with fp32 vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyvsag

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    def __init__(self, base_quantization: str, max_degree: int, ef_construction: int) -> None:
        self.parameters = {
            "base_quantization_type": base_quantization,
            "max_degree": max_degree,
            "ef_construction": ef_construction,
            "use_reorder": True,
            "precise_quantization_type": "fp32",
        }

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        pyvsag.set_logger_off()
        parameters = {**self.parameters, "build_thread_count": threads}
        # L2 ranks vectors of length 1 as the cosine does.
        about = {"dtype": "float32", "metric_type": "l2", "dim": base.shape[1], "index_param": parameters}
        self.index = pyvsag.Index("hgraph", json.dumps(about))
        self.index.build(base.reshape(-1), np.arange(len(base)), len(base), base.shape[1])

    def set_query(self, ef_search: int) -> None:
        self.parameters_of_search = json.dumps({"hgraph": {"ef_search": ef_search}})

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.knn_search(vector, k, self.parameters_of_search)[0]

    def save(self, folder: Path) -> None:
        self.index.save(str(folder / "index.vsag"))
