"""Systems of the tests: an exact one, and some that crash, hang, raise or cannot run."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from ann.system import Ids, Metric, System, Unavailable, Vector, Vectors


class Adapter(System):
    """Compares with the first `share` of all vectors, so that its recall is about that."""

    def __init__(self, kind: str = "good") -> None:
        self.kind = kind
        if kind == "unavailable":
            raise Unavailable("no such instruction set")

    def build(self, base: Vectors, metric: Metric, threads: int) -> None:
        if self.kind == "crashing":
            print("about to crash", flush=True)  # to stdout, which must not be taken for an answer
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.kind == "hanging":
            time.sleep(3600)
        if self.kind == "raising":
            raise ValueError("bad base")
        self.base = np.array(base)

    def set_query(self, share: float) -> None:
        self.count = max(10, int(share * len(self.base)))

    def query(self, vector: Vector, k: int) -> Ids:
        if self.kind == "crashing-later":
            os._exit(3)
        return np.argsort(((self.base[: self.count] - vector) ** 2).sum(axis=1))[:k]

    def batch(self, queries: Vectors, k: int, threads: int) -> Any:
        return None if threads == 2 else [self.query(query, k) for query in queries]

    def save(self, folder: Path) -> None:
        np.save(folder / "base.npy", self.base)
