"""Data sets as the harness hands them to a system: arrays in files of their own, mapped, so that they cost no memory.

Made once from an HDF5 file in the layout of ann-benchmarks (train, test, neighbors, distances; attribute distance).
Under cosine the vectors are scaled to length 1. The first queries tune, the others are reported.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import numpy.typing as npt

from ann.recall import squared_distances
from ann.system import Metric, Vectors

K = 10
TUNING_QUERIES = 1000
QUICK_ROWS = 50_000
METRICS: dict[str, Metric] = {"angular": "cosine", "euclidean": "l2"}


@dataclass(frozen=True)
class DataSet:
    name: str
    metric: Metric
    base: Vectors
    queries: Vectors
    truth: npt.NDArray[np.int64]  # ids of the K nearest, nearest first

    def part(self, which: str, most: int = 0) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """Queries and their truth: which is "tune" or "report", most > 0 caps how many."""
        tuning = min(TUNING_QUERIES, len(self.queries) // 2)
        start, end = (0, tuning) if which == "tune" else (tuning, len(self.queries))
        if most:
            end = min(end, start + most)
        return self.queries[start:end], self.truth[start:end]


def open_folder(folder: Path) -> DataSet:
    """Maps what prepare() wrote. Pages are private: a system that writes to its input spoils only its own."""
    about = json.loads((folder / "about.json").read_text())
    base, queries, truth = (
        np.asarray(np.load(folder / f"{part}.npy", mmap_mode="c")) for part in ("base", "queries", "truth")
    )
    return DataSet(about["name"], about["metric"], base, queries, truth)


def cached_file(name: str) -> Path:
    """Where tools/data.py leaves a set; a path names itself."""
    if name.endswith(".hdf5"):
        return Path(name)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "boon" / "data"
    return Path(os.environ.get("BOON_DATA") or cache) / f"{name}.hdf5"


def prepare(file: Path, folder: Path, rows: int = 0) -> Path:
    """Writes base, queries and truth into a folder under `folder` and returns it; rows > 0 keeps only the first ones.

    A set that was cut gets its truth from an exact search. Raises ValueError if the file's own truth does not hold.
    """
    name = file.stem if not rows else f"{file.stem}-{rows}"
    target = folder / name
    stamp = f"{file.resolve()} {file.stat().st_size} {int(file.stat().st_mtime)}"
    about = target / "about.json"
    if about.exists() and json.loads(about.read_text())["stamp"] == stamp:
        return target
    with h5py.File(file) as opened:
        distance = str(opened.attrs["distance"])
        if distance not in METRICS:
            raise ValueError(f"{file}: the distance is {distance!r}; expected one of {', '.join(METRICS)}")
        metric = METRICS[distance]
        base = opened["train"][: rows or None].astype(np.float32)
        queries = opened["test"][:].astype(np.float32)
        truth = opened["neighbors"][:, :K].astype(np.int64)
    if metric == "cosine":
        scale_to_one(base, file)
        scale_to_one(queries, file)
    if rows:
        truth = exact(base, queries, K)
    elif not np.all(np.diff(squared_distances(queries, base, truth), axis=1) >= -1e-3):
        raise ValueError(f"{file}: neighbors are not in the order of their distances")
    target.mkdir(parents=True, exist_ok=True)
    for part, array in (("base", base), ("queries", queries), ("truth", truth)):
        np.save(target / f"{part}.npy", array)
    about.write_text(json.dumps({"name": name, "metric": metric, "stamp": stamp}))
    return target


def scale_to_one(vectors: Vectors, file: Path) -> None:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(lengths > 0):
        raise ValueError(f"{file}: row {int(np.argmin(lengths))} is zero and has no direction")
    vectors /= lengths


def exact(base: Vectors, queries: Vectors, k: int, at_once: int = 500) -> npt.NDArray[np.int64]:
    """The k nearest of each query by comparing with all; nearest first."""
    found = np.empty((len(queries), k), np.int64)
    norms = np.einsum("nd,nd->n", base, base)
    for start in range(0, len(queries), at_once):
        part = queries[start : start + at_once]
        # A few more than k are compared again by differences: the expansion of the square rounds.
        near = np.argpartition(norms - 2 * part @ base.T, min(2 * k, len(base) - 1), axis=1)[:, : 2 * k]
        order = np.argsort(squared_distances(part, base, near), axis=1, kind="stable")[:, :k]
        found[start : start + len(part)] = np.take_along_axis(near, order, axis=1)
    return found
