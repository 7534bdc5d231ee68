"""PyNNDescent: a neighbour graph made by descent, compiled by Numba."""

from __future__ import annotations

import pickle
from pathlib import Path

import numba
import numpy as np
from pynndescent import NNDescent

from ann.system import Ids, Metric, System, Vector, Vectors


class Adapter(System):
    note = "compiled before its time to build is taken"

    def __init__(self, n_neighbors: int, diversify_prob: float) -> None:
        self.n_neighbors, self.diversify_prob = n_neighbors, diversify_prob
        few = np.random.default_rng(0).standard_normal((1000, 16)).astype(np.float32)
        self.build(few, "l2", numba.config.NUMBA_NUM_THREADS)
        self.set_query(0.1)
        self.query(few[0], 10)

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        self.index = NNDescent(
            np.array(base),  # it keeps what it is given
            metric="euclidean",  # ranks vectors of length 1 as the cosine does
            n_neighbors=self.n_neighbors,
            diversify_prob=self.diversify_prob,
            n_jobs=threads,
        )
        self.index.prepare()

    def set_query(self, epsilon: float) -> None:
        self.epsilon = epsilon
        numba.set_num_threads(1)

    def query(self, vector: Vector, k: int) -> Ids:
        return self.index.query(vector[None], k=k, epsilon=self.epsilon)[0][0]

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        numba.set_num_threads(threads)
        return self.index.query(queries, k=k, epsilon=self.epsilon)[0]

    def save(self, folder: Path) -> None:
        with (folder / "index.pickle").open("wb") as file:
            pickle.dump(self.index, file)
