"""hnswlib's interface (0.8) over boon: `import boon.hnswlib as hnswlib` and existing programs run.

Shapes, dtypes, defaults and the messages of errors are hnswlib's. What differs: files are boon's own, a vector of zeros
or a NaN is refused, a batch is added whole or not at all, and `ef` below k is raised to k.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from boon import _core
from boon.errors import Error, InvalidArgument

__all__ = ["BFIndex", "Index"]

_SPACES = ("l2", "ip", "cosine")
_ATTACHMENT = "hnswlib"
_TOO_FEW = "Cannot return the results in a contiguous 2D array. Probably ef or M is too small"


def _rows(data: npt.ArrayLike, dim: int) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):
        array = np.asarray(data, dtype=np.float32, order="C")
    if array.ndim not in (1, 2):
        raise RuntimeError(
            f"Input vector data wrong shape. Number of dimensions {array.ndim}. Data must be a 1D or 2D array."
        )
    array = np.require(np.atleast_2d(array), np.float32, ["C", "A"])
    if array.shape[1] != dim:
        raise RuntimeError("Wrong dimensionality of the vectors")
    return array


def _labels(ids: Any, rows: int) -> npt.NDArray[np.int64]:
    array = np.asarray(ids)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"labels have dtype {array.dtype}; expected integers")
    if not (array.ndim == 1 and len(array) == rows) and not (array.ndim == 0 and rows == 1):
        raise RuntimeError(f"The input label shape {array.ndim} does not match the input data vector shape {rows}")
    return np.require(array.reshape(-1).astype(np.int64), np.int64, ["C", "A"])


def _load(path: str | os.PathLike[str]) -> _core.Index:
    try:
        return _core.Index.load(os.fsencode(path))
    except FileNotFoundError:
        raise RuntimeError("Cannot open file") from None
    except Error as error:
        raise RuntimeError(str(error)) from error


class _Base:
    """What both kinds of index share: the vectors, and their places by label."""

    def __init__(self, space: str = "l2", dim: int = 0) -> None:
        if space not in _SPACES:
            raise RuntimeError("Space name must be one of l2, ip, or cosine.")
        self.space = space
        self.dim = int(dim)
        self.num_threads = os.cpu_count() or 1
        self._core: _core.Index | None = None
        self._max_elements = 0

    def set_num_threads(self, num_threads: int) -> None:
        self.num_threads = num_threads

    def _threads(self, num_threads: int) -> int:
        return max(1, int(self.num_threads if num_threads <= 0 else num_threads))

    @property
    def _index(self) -> _core.Index:
        if self._core is None:
            raise RuntimeError("The index is not initiated: call init_index or load_index first.")
        return self._core

    def _search(
        self, data: npt.ArrayLike, k: int, beam: int, exact: bool, threads: int, filter: Callable[[int], bool] | None
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
        rows = _rows(data, self.dim)
        if k > len(self._index):
            raise RuntimeError(_TOO_FEW)
        ids, distances, counts = self._index.search(rows, k, max(beam, k), exact, None, threads, filter)
        if any(count < k for count in counts):
            raise RuntimeError(_TOO_FEW)
        return ids.view(np.uint64), distances


class Index(_Base):
    """hnswlib.Index: an HNSW graph. Labels are integers; deleted elements keep their place until they are replaced."""

    def __init__(self, space: str = "l2", dim: int = 0) -> None:
        super().__init__(space, dim)
        self.ef = 10
        self.M = 16
        self.ef_construction = 200
        self._deleted: dict[int, npt.NDArray[np.float32]] = {}
        self._next = 0
        self._replaces = False

    def __repr__(self) -> str:
        return f"<boon.hnswlib.Index(space='{self.space}', dim={self.dim})>"

    @property
    def max_elements(self) -> int:
        return self._max_elements

    @property
    def element_count(self) -> int:
        return 0 if self._core is None else len(self._core) + len(self._deleted)

    def get_max_elements(self) -> int:
        return self.max_elements

    def get_current_count(self) -> int:
        return self.element_count

    def set_ef(self, ef: int) -> None:
        self.ef = ef

    def init_index(
        self,
        max_elements: int,
        M: int = 16,
        ef_construction: int = 200,
        random_seed: int = 100,
        allow_replace_deleted: bool = False,
    ) -> None:
        """An empty index with room for `max_elements`; resize_index() makes more."""
        if self._core is not None:
            raise RuntimeError("The index is already initiated.")
        self._core = _core.Index(
            self.dim, self.space, "hnsw", M, max(ef_construction, M), 0.0, 1.2, random_seed, "none", "fp32"
        )
        self._max_elements = max_elements
        self.M = M
        self.ef_construction = max(ef_construction, M)
        self._replaces = allow_replace_deleted

    def resize_index(self, new_size: int) -> None:
        if new_size < self.element_count:
            raise RuntimeError("Cannot resize, max element is less than the current number of elements")
        self._max_elements = new_size

    def add_items(
        self, data: npt.ArrayLike, ids: Any = None, num_threads: int = -1, replace_deleted: bool = False
    ) -> None:
        """Adds vectors of shape (n, dim). A label that is there gets the new vector."""
        rows = _rows(data, self.dim)
        given = len(rows)
        if replace_deleted and not self._replaces:
            raise RuntimeError("Replacement of deleted elements is disabled in constructor")
        if ids is None:
            labels = np.arange(self._next, self._next + len(rows), dtype=np.int64)
        else:
            labels = _labels(ids, len(rows))
            # Of a label that comes twice the last vector counts.
            _, last = np.unique(labels[::-1], return_index=True)
            keep = np.sort(len(labels) - 1 - last)
            rows, labels = np.ascontiguousarray(rows[keep]), labels[keep]
        listed = labels.tolist()
        if self._replaces and any(i in self._deleted for i in listed):
            raise RuntimeError(
                "Can't use addPoint to update deleted elements if replacement of deleted elements is enabled."
            )
        fresh = [i for i in listed if i not in self._deleted and not self._index.contains(i)]
        freed = [i for i in self._deleted if i not in set(listed)][: len(fresh)] if replace_deleted else []
        if self.element_count + len(fresh) - len(freed) > self._max_elements:
            raise RuntimeError("The number of elements exceeds the specified limit")
        self._index.add(rows, labels, True, self._threads(num_threads), None)
        for label in [*freed, *listed]:
            self._deleted.pop(label, None)
        self._next += given

    def knn_query(
        self, data: npt.ArrayLike, k: int = 1, num_threads: int = -1, filter: Callable[[int], bool] | None = None
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
        """Labels and distances of the k nearest, each of shape (n, k)."""
        return self._search(data, k, self.ef, False, self._threads(num_threads), filter)

    def mark_deleted(self, label: int) -> None:
        """The element is not answered any more; unmark_deleted() brings it back."""
        if label in self._deleted:
            raise RuntimeError("The requested to delete element is already deleted")
        wanted = np.array([label], np.int64)
        vector = self._need(wanted)[0]
        self._index.remove(wanted)
        self._deleted[int(label)] = vector

    def unmark_deleted(self, label: int) -> None:
        if label not in self._deleted:
            if label >= 0 and self._index.contains(int(label)):
                raise RuntimeError("The requested to undelete element is not deleted")
            raise RuntimeError("Label not found")
        self._index.add(self._deleted[label][None, :], np.array([label], np.int64), True, 1, None)
        del self._deleted[label]

    def get_items(self, ids: Any = None, return_type: str = "numpy") -> Any:
        """Vectors as they are held: an array of shape (n, dim), or a list of lists."""
        if return_type not in ("numpy", "list"):
            raise ValueError("return_type should be 'numpy' or 'list'")
        if ids is None:
            return np.empty(0, np.float32) if return_type == "numpy" else []
        wanted = np.asarray(ids, dtype=np.int64)
        if wanted.ndim == 0:
            raise ValueError("get_items accepts a list of indices and returns a list of vectors")
        vectors = self._need(np.ascontiguousarray(wanted))
        return vectors if return_type == "numpy" else vectors.tolist()

    def get_ids_list(self) -> list[int]:
        return [*([] if self._core is None else self._core.ids().tolist()), *self._deleted]

    def _need(self, labels: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        try:
            if len(labels) and int(labels.min()) < 0:
                raise InvalidArgument("negative")
            return self._index.get(labels)
        except Error:
            raise RuntimeError("Label not found") from None

    def save_index(self, path_to_index: str | os.PathLike[str]) -> None:
        labels = list(self._deleted)
        state = {"M": self.M, "max_elements": self._max_elements, "next": self._next, "deleted": labels}
        vectors = b"".join(self._deleted[label].tobytes() for label in labels)
        self._index.attach(_ATTACHMENT, json.dumps(state).encode() + b"\0" + vectors)
        self._index.save(os.fsencode(path_to_index))

    def load_index(
        self, path_to_index: str | os.PathLike[str], max_elements: int = 0, allow_replace_deleted: bool = False
    ) -> None:
        """Reads a file that save_index(), boon.Index.save() or the program `boon` wrote."""
        core = _load(path_to_index)
        if core.dim != self.dim or core.metric != self.space:
            raise RuntimeError(
                f"The file holds vectors of dimension {core.dim} in the space {core.metric}, "
                f"and the index is of dimension {self.dim} in the space {self.space}"
            )
        count, self._deleted = len(core), {}
        head, _, tail = core.attachment(_ATTACHMENT).partition(b"\0")
        state = json.loads(head) if head else {}
        vectors = np.frombuffer(tail, np.float32).reshape(-1, self.dim)
        for label, vector in zip(state.get("deleted", []), vectors):
            self._deleted[int(label)] = vector.copy()
        self._core = core
        self._next = state.get("next", count)
        self._max_elements = max(max_elements, state.get("max_elements", count), count + len(self._deleted))
        self._replaces = allow_replace_deleted
        self.M, self.ef_construction = core.neighbours, core.build_beam

    def index_file_size(self) -> int:
        """Bytes that save_index() would write, but for the head of the file."""
        s = self._index.statistics()
        return int(s["vector_bytes"] + s["graph_bytes"] + 9 * s["live"])

    def __getstate__(self) -> dict[str, Any]:
        from boon.index import Index as Wrapper

        state = dict(self.__dict__)
        state["_core"] = None if self._core is None else Wrapper._wrap(self._core).__reduce__()[1][1]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from boon.index import Index as Wrapper
        from boon.index import _from_bytes

        data = state["_core"]
        self.__dict__.update(state)
        self._core = None if data is None else _from_bytes(Wrapper, data)._index


class BFIndex(_Base):
    """hnswlib.BFIndex: exact search."""

    def init_index(self, max_elements: int) -> None:
        if self._core is not None:
            raise RuntimeError("The index is already initiated.")
        self._core = _core.Index(self.dim, self.space, "exact", 2, 2, 0.0, 1.0, 1, "none", "fp32")
        self._max_elements = max_elements

    def add_items(self, data: npt.ArrayLike, ids: Any = None) -> None:
        rows = _rows(data, self.dim)
        labels = np.arange(len(self._index), len(self._index) + len(rows)) if ids is None else _labels(ids, len(rows))
        _, last = np.unique(labels[::-1], return_index=True)
        keep = np.sort(len(labels) - 1 - last)
        rows, labels = np.ascontiguousarray(rows[keep]), np.ascontiguousarray(labels[keep], np.int64)
        fresh = sum(not self._index.contains(i) for i in labels.tolist())
        if len(self._index) + fresh > self._max_elements:
            raise RuntimeError("The number of elements exceeds the specified limit")
        self._index.add(rows, labels, True, self._threads(-1), None)

    def delete_vector(self, label: int) -> None:
        self._index.remove(np.array([label], np.int64))

    def knn_query(
        self, data: npt.ArrayLike, k: int = 1, num_threads: int = -1, filter: Callable[[int], bool] | None = None
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
        return self._search(data, k, k, True, self._threads(num_threads), filter)

    def get_max_elements(self) -> int:
        return self._max_elements

    def get_current_count(self) -> int:
        return 0 if self._core is None else len(self._core)

    def save_index(self, path_to_index: str | os.PathLike[str]) -> None:
        self._index.save(os.fsencode(path_to_index))

    def load_index(self, path_to_index: str | os.PathLike[str], max_elements: int = 0) -> None:
        self._core = _load(path_to_index)
        self._max_elements = max(max_elements, len(self._core))

    def __repr__(self) -> str:
        return f"<boon.hnswlib.BFIndex(space='{self.space}', dim={self.dim})>"
