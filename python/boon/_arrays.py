"""Arrays as users have them, made into what the compiled part takes: rows of fp32 in C order, ids of int64."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

_ID_MAX = 2**63 - 1
FLOAT32 = np.dtype(np.float32)


def rows(given: npt.ArrayLike, dim: int, what: str) -> tuple[npt.NDArray[np.float32], bool]:
    """`given` as an array of shape (n, dim), and whether it was a single vector of shape (dim,)."""
    array = np.asarray(given)
    # Nothing to convert.
    if array.dtype is FLOAT32 and array.shape[1:] == (dim,) and array.flags.c_contiguous and array.flags.aligned:
        return array, False
    if array.size == 0 and array.ndim == 1:
        return np.empty((0, dim), np.float32), False
    described = f"{what} have shape {array.shape} and dtype {array.dtype}"
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{described}; expected real numbers of shape (n, {dim}) or ({dim},)")
    if array.ndim not in (1, 2) or array.shape[-1] != dim:
        raise ValueError(f"{described}; expected dimension {dim}: (n, {dim}) or ({dim},)")
    with np.errstate(over="ignore"):  # what becomes infinite is named by the index
        converted = np.require(array, np.float32, ["C", "A"])
    return converted.reshape(-1, dim), array.ndim == 1


def labels(given: Any) -> npt.NDArray[np.int64] | list[str]:
    """Ids in the one form or the other: integers from 0 to 2**63 - 1, shape (n,), or strings."""
    array = _as_array(given)
    if array.ndim > 1:
        raise ValueError(f"ids have shape {array.shape}; expected one dimension")
    if array.dtype.kind in "iu":
        return _in_range(array.reshape(-1))
    listed = array.reshape(-1).tolist()
    if all(isinstance(x, str) for x in listed) and listed:
        if "" in listed:
            raise ValueError(f"id {listed.index('')} is an empty string")
        return listed
    if all(isinstance(x, int) and not isinstance(x, bool) for x in listed):  # also where NumPy has no type for them
        return _in_range(listed)
    raise TypeError(f"ids have dtype {array.dtype}; expected integers or strings, of one kind")


def ids(given: Any) -> npt.NDArray[np.int64]:
    """Integer ids."""
    array = labels(given)
    if isinstance(array, list):
        raise TypeError("ids are strings, and the index has integers")
    return array


def names(given: Any) -> list[str]:
    """String ids."""
    listed = labels(given)
    if not isinstance(listed, list):
        if len(listed) == 0:
            return []
        raise TypeError("ids are integers, and the index has strings")
    return listed


def _in_range(given: npt.NDArray[Any] | list[int]) -> npt.NDArray[np.int64]:
    if len(given) == 0:
        return np.empty(0, np.int64)
    lowest, highest = (
        (int(given.min()), int(given.max())) if isinstance(given, np.ndarray) else (min(given), max(given))
    )
    if lowest < 0 or highest > _ID_MAX:
        raise ValueError(f"ids must be from 0 to 2**63 - 1, and one is {lowest if lowest < 0 else highest}")
    return np.require(given, np.int64, ["C", "A"])


def _as_array(given: Any) -> npt.NDArray[Any]:
    if isinstance(given, np.ndarray):
        return given
    if isinstance(given, (str, int, np.generic)):
        given = [given]
    if isinstance(given, (bytes, bytearray)) or not isinstance(given, Iterable):
        raise TypeError(f"ids are of type {type(given).__name__}; expected integers or strings")
    listed = list(given)
    if any(isinstance(x, (list, tuple, np.ndarray)) for x in listed):
        return np.asarray(listed)
    # As objects: NumPy would make strings of a mixture, and floats of large integers.
    array = np.empty(len(listed), object)
    array[:] = [x.item() if isinstance(x, np.generic) else x for x in listed]
    return array


def dtype_name(given: npt.DTypeLike) -> str:
    """The name that the core has for what vectors are held as; NumPy's own are taken too."""
    for dtype, name in ((np.float32, "fp32"), (np.float16, "fp16")):
        if given is dtype or given == np.dtype(dtype).name or (isinstance(given, np.dtype) and given == dtype):
            return name
    return str(given)


def whole(name: str, value: object) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{name} is of type {type(value).__name__}; expected an integer")
    if value < 0:
        raise ValueError(f"{name} is {value} and must not be negative")


def same_length(rows: npt.NDArray[np.float32], ids: Any) -> None:
    if len(rows) != len(ids):
        raise ValueError(f"there are {len(rows)} vectors and {len(ids)} ids")
