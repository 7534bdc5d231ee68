"""boon for ann-benchmarks: this folder goes to ann_benchmarks/algorithms/boon there."""

from __future__ import annotations

from typing import Any

import numpy as np

import boon

from ..base.module import BaseANN

SPACES = {"angular": "cosine", "euclidean": "l2"}


class Boon(BaseANN):
    def __init__(self, metric: str, parameters: dict[str, int]) -> None:
        if metric not in SPACES:
            raise NotImplementedError(f"boon has no metric {metric!r} here; it has {', '.join(SPACES)}")
        self.space = SPACES[metric]
        self.parameters = parameters  # neighbours and build_beam of boon.Index
        self.beam = 64
        self.results: list[np.ndarray] = []
        self.name = self._describe()

    def fit(self, X: np.ndarray) -> None:
        self.index = boon.Index(X.shape[1], self.space, **self.parameters)
        self.index.add(X)

    def set_query_arguments(self, beam: int) -> None:
        self.beam = beam
        self.name = self._describe()

    def query(self, q: np.ndarray, n: int) -> np.ndarray:
        return self.index.search(q, n, beam=self.beam, threads=1).ids

    def batch_query(self, X: np.ndarray, n: int) -> None:
        # A row with fewer than n answers ends in -1.
        self.results = [row[row >= 0] for row in self.index.search(X, n, beam=self.beam).ids]

    def get_batch_results(self) -> list[np.ndarray]:
        return self.results

    def get_additional(self) -> dict[str, Any]:
        return {"index_bytes": self.index.stats().get("total_bytes", 0)}

    def done(self) -> None:
        self.index.close()

    def _describe(self) -> str:
        built = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"boon({built}, beam={self.beam})"
