"""NGT with quantized neighbours (QG). The graph is made by a program of NGT's, which its package lacks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import ngtpy

from ann.system import Ids, Metric, System, Unavailable, Vector, Vectors


class Adapter(System):
    def __init__(self, edges: int, outdegree: int, indegree: int) -> None:
        self.edges, self.outdegree, self.indegree = edges, outdegree, indegree
        if not shutil.which("qbg"):
            raise Unavailable("ngt's package has no program qbg, without which no quantized graph can be made")

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        # L2 ranks vectors of length 1 as the cosine does.
        ngtpy.create("anng", base.shape[1], self.edges, distance_type="L2", object_type="Float")
        index = ngtpy.Index("anng")
        index.batch_insert(base, num_threads=threads)
        index.save()
        index.close()
        optimizer = ngtpy.Optimizer(num_of_outgoings=self.outdegree, num_of_incomings=self.indegree)
        optimizer.execute("anng", "onng")
        subprocess.run(["qbg", "create-qg", "onng"], check=True)
        subprocess.run(["qbg", "build-qg", "-M6", "-ib", "-I400", "-Gz", "-Pn", "onng"], check=True)
        self.index = ngtpy.QuantizedIndex("onng")
        self.index.set_with_distance(False)

    def set_query(self, result_expansion: float, epsilon: float) -> None:
        self.index.set(epsilon=epsilon, result_expansion=result_expansion)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.search(vector, k)

    def save(self, folder: Path) -> None:
        shutil.copytree("onng", folder / "onng")
