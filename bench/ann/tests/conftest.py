from __future__ import annotations

import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from ann import data
from ann.grid import Contender
from ann.progress import Progress
from ann.session import Options, Session
from ann.store import Store

ROWS, QUERIES, DIM = 300, 60, 8


@pytest.fixture
def hdf5(tmp_path: Path) -> Path:
    """A small set in the layout of ann-benchmarks, with its truth."""
    draw = np.random.default_rng(1)
    base = draw.standard_normal((ROWS, DIM)).astype(np.float32)
    queries = draw.standard_normal((QUERIES, DIM)).astype(np.float32)
    distances = np.linalg.norm(queries[:, None] - base[None], axis=2)
    file = tmp_path / "small.hdf5"
    with h5py.File(file, "w") as out:
        out["train"], out["test"] = base, queries
        out["neighbors"] = np.argsort(distances, axis=1)[:, :20].astype(np.int32)
        out["distances"] = np.sort(distances, axis=1)[:, :20].astype(np.float32)
        out.attrs["distance"] = "euclidean"
    return file


class Bench:
    """A run of the harness over systems of tests/systems.py, in a folder of the test's own."""

    def __init__(self, folder: Path, file: Path) -> None:
        self.folder = folder
        self.arrays = data.prepare(file, folder / "data")
        self.store = Store(folder / "results")

    def contender(self, kind: str) -> Contender:
        name = "boon" if kind == "good" else kind
        return Contender(name, "ann.tests.systems", "numpy", {"kind": [kind]}, {"share": [0.5, 0.8, 1.0]})

    def run(self, *kinds: str, seconds: float = 60, **options: object) -> None:
        chosen = Options(**{"rounds": 2, "build_limit_s": 1.0, "reserve_bytes": 0, **options})  # type: ignore[arg-type]
        session = Session(
            data.open_folder(self.arrays),
            self.arrays,
            self.store,
            self.folder / "work",
            chosen,
            Progress(),
            time.monotonic() + seconds,
        )
        session.run([self.contender(kind) for kind in kinds])


@pytest.fixture
def bench(tmp_path: Path, hdf5: Path) -> Bench:
    return Bench(tmp_path, hdf5)
