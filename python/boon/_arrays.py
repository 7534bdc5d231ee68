"""Arrays as users have them, made into what the compiled part takes: rows of fp32 in C order, ids of int64."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

_ID_MAX = 2**63 - 1


def rows(given: npt.ArrayLike, dim: int, what: str) -> tuple[npt.NDArray[np.float32], bool]:
    """`given` as an array of shape (n, dim), and whether it was a single vector of shape (dim,)."""
    array = np.asarray(given)
    if array.dtype == np.float32 and array.ndim == 2 and array.flags.c_contiguous and array.flags.aligned:
        if array.shape[1] == dim and array.dtype.isnative:
            return array, False
    if array.size == 0 and array.ndim == 1:
        return np.empty((0, dim), np.float32), False
    described = f"{what} have shape {array.shape} and dtype {array.dtype}"
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{described}; expected real numbers of shape (n, {dim}) or ({dim},)")
    if array.ndim not in (1, 2) or array.shape[-1] != dim:
        raise ValueError(f"{described}; the index has dimension {dim}, so expected (n, {dim}) or ({dim},)")
    with np.errstate(over="ignore"):  # what becomes infinite is named by the index
        converted = np.require(array, np.float32, ["C", "A"])
    return converted.reshape(-1, dim), array.ndim == 1


def is_text(given: Any) -> bool:
    """Whether ids are strings."""
    array = _as_ids(given)
    return array.dtype.kind == "U" or (array.dtype.kind == "O" and array.size > 0 and all(isinstance(x, str) for x in array.flat))


def names(given: Any) -> list[str]:
    """String ids as a list."""
    array = _as_ids(given)
    if array.ndim > 1:
        raise ValueError(f"ids have shape {array.shape}; expected one dimension")
    result = [str(name) for name in array.reshape(-1)]
    if "" in result:
        raise ValueError(f"id {result.index('')} is an empty string")
    return result


def ids(given: Any) -> npt.NDArray[np.int64]:
    """Integer ids, 0 to 2**63 - 1, as an array of shape (n,)."""
    array = _as_ids(given)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind == "O" and all(isinstance(x, int) and not isinstance(x, bool) for x in array.flat):
        raise ValueError(f"ids must be from 0 to 2**63 - 1, and one is {max(array.flat, key=abs)}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"ids have dtype {array.dtype}; expected integers or strings")
    if array.ndim > 1:
        raise ValueError(f"ids have shape {array.shape}; expected one dimension")
    array = array.reshape(-1)
    if int(array.min()) < 0 or int(array.max()) > _ID_MAX:
        worst = int(array.min()) if int(array.min()) < 0 else int(array.max())
        raise ValueError(f"ids must be from 0 to 2**63 - 1, and one is {worst}")
    return np.require(array, np.int64, ["C", "A"])


def _as_ids(given: Any) -> npt.NDArray[Any]:
    if isinstance(given, np.ndarray):
        return given
    if isinstance(given, (str, int, np.generic)):
        return np.asarray(given)
    if isinstance(given, (bytes, bytearray)) or not isinstance(given, Iterable):
        raise TypeError(f"ids are of type {type(given).__name__}; expected integers or strings")
    listed = list(given)
    # NumPy would make strings of a mixture.
    if any(isinstance(x, str) for x in listed) and not all(isinstance(x, str) for x in listed):
        raise TypeError("ids are integers and strings; expected one kind")
    return np.asarray(listed)
