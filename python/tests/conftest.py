import numpy as np
import numpy.typing as npt
import pytest

import boon


def nearest(space: str, base: npt.ArrayLike, query: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Distances to all of the base in double precision."""
    b, q = np.asarray(base, np.float64), np.asarray(query, np.float64)
    if space == "l2":
        return ((b - q) ** 2).sum(axis=1)
    if space == "ip":
        return 1 - b @ q
    return 1 - b @ q / (np.linalg.norm(b, axis=1) * np.linalg.norm(q))


def all_find_themselves(index: boon.Index) -> bool:
    return bool(index.check()["healthy"])


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)
