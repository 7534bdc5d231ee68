"""Exact nearest neighbours, by the program boon: `boon truth` compares every row with every query and settles what is
near to a tie in double precision, so the answer depends neither on the processor nor on the number of threads.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np

from .report import DataError

ROOT = Path(__file__).resolve().parents[2]
METRICS = {"euclidean": "l2", "angular": "cosine"}


def nearest(train: np.ndarray, test: np.ndarray, k: int, distance: str) -> tuple[np.ndarray, np.ndarray]:
    """Ids (int32) and distances (float32) of the k nearest `train` rows of each `test` row, both [queries, k].

    `distance` is "euclidean" (not squared) or "angular" (1 - cos). Nearest first; equal distances by lower id.
    Raises ValueError where k exceeds the rows, or a row is zero under "angular"; DataError where boon is not built.
    """
    if distance not in METRICS:
        raise ValueError(f"unknown distance {distance!r}; known: {', '.join(METRICS)}")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        names = [str(Path(folder) / name) for name in ("train.npy", "test.npy", "truth.hdf5")]
        np.save(names[0], train)
        np.save(names[1], test)
        run(["truth", names[0], names[1], "--metric", METRICS[distance], "-k", str(k), "-o", names[2], "--no-vectors"])
        with h5py.File(names[2], "r") as file:
            return file["neighbors"][:], file["distances"][:]


def run(arguments: list[str]) -> None:
    """Runs boon; its progress shows on a terminal. What it refuses is a ValueError."""
    done = subprocess.run([program(), *arguments, "--json"], stdout=subprocess.PIPE, check=False)
    if done.returncode == 0:
        return
    if done.returncode == 130:
        raise KeyboardInterrupt
    try:
        error = json.loads(done.stdout)["error"]
    except (ValueError, KeyError):
        raise DataError(f"boon {arguments[0]} ended with exit code {done.returncode}") from None
    raise (ValueError if error["code"] == "invalid_argument" else DataError)(error["message"])


def program() -> str:
    """The program boon: $BOON_PROGRAM, or what `./dev build` leaves."""
    path = Path(os.environ.get("BOON_PROGRAM") or ROOT / "build" / "release" / "boon")
    if not path.exists():
        raise DataError(f"{path} is not there; ./dev build makes it")
    return str(path)
