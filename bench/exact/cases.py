"""What is searched: drawn rows of several dimensions, and glove100 where it is there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
BATCH = 1000
SINGLE = 50


@dataclass(frozen=True)
class Case:
    data: str
    space: str
    rows: int
    dim: int
    k: int
    batch: bool  # one call for all queries, or one call each

    def load(self) -> tuple[Vectors, Vectors]:
        """Rows and queries."""
        count = BATCH if self.batch else SINGLE
        if self.data != "normal":
            with h5py.File(set_path(self.data), "r") as file:
                base, queries = file["train"][:], file["test"][:count]
            if self.space == "cosine":
                base = base / np.linalg.norm(base, axis=1, keepdims=True)
                queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
            return base.astype(np.float32), queries.astype(np.float32)
        rng = np.random.default_rng(self.dim)
        drawn = rng.standard_normal((self.rows + count, self.dim), dtype=np.float32)
        return drawn[: self.rows], drawn[self.rows :]


def set_path(name: str) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("BOON_DATA") or cache / "boon" / "data") / f"{name}.hdf5"


def all_cases() -> list[Case]:
    cases = [
        Case("normal", "l2", 100_000, dim, k, batch)
        for batch in (True, False)
        for dim in (32, 64, 100, 128, 384, 784)
        for k in (10, 100)
    ]
    for name, space, rows, dim in (("glove100", "cosine", 331_479, 100), ("mnist784", "l2", 60_000, 784)):
        if set_path(name).exists():
            cases += [Case(name, space, rows, dim, 10, batch) for batch in (True, False)]
    return cases


QUICK_CASES = [Case("normal", "l2", 20_000, 64, 10, batch) for batch in (True, False)]
