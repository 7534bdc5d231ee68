"""What the harness asks of a system. An adapter of at most 60 lines in systems/ answers it, boon's as any."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Metric = Literal["cosine", "l2"]
Vectors = npt.NDArray[np.float32]  # shape (n, dim), C order
Vector = npt.NDArray[np.float32]  # shape (dim,)
Ids = Any  # whole numbers, a sequence or an array of shape (k,), for a batch (n, k); libraries differ


class Unavailable(Exception):
    """The system cannot run here; the message says why."""


class System:
    """An index that is built once and then searched. An adapter's class is called Adapter.

    Its arguments are a point of the grid `build` in grids.toml, those of set_query() a point of the grid `query`. Under
    "cosine" all vectors that it sees, queries too, have length 1, so that it may use any measure which ranks alike.
    """

    note = ""  # what a reader of the figures must know about this system

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        """Indexes the rows of base, on so many threads; their ids are their row numbers. Keeps no reference to base."""
        raise NotImplementedError

    def set_query(self, *args: Any, **parameters: Any) -> None:
        """Prepares for queries with these parameters, outside the time that is measured."""
        raise NotImplementedError

    def query(self, vector: Vector, k: int) -> Ids:
        """Ids of the k nearest, found on the calling thread."""
        raise NotImplementedError

    def batch(self, queries: Vectors, k: int, threads: int) -> Ids:
        """The same for each row of queries in one call; None where the library has no such call."""
        return None

    def save(self, folder: Path) -> None:
        """Writes all that a later process needs for searching into a folder that is empty."""
        raise NotImplementedError


def make(adapter: str, parameters: dict[str, Any]) -> System:
    """The system of systems/<adapter>.py."""
    module = importlib.import_module(adapter if "." in adapter else f"ann.systems.{adapter}")
    system: System = module.Adapter(**parameters)
    return system
