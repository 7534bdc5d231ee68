"""Strings that stand for ids. Stored as the attachment "names" of an index file (docs/formats/index.md), which the
program `boon` reads and writes too."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from boon.errors import Corrupted, NotFound

ATTACHMENT = "names"


class Names:
    """A table from ids, counted from 0, to names and back. An empty name is a free id."""

    def __init__(self, table: Iterable[str] = ()) -> None:
        self._table = list(table)
        self._ids = {name: i for i, name in enumerate(self._table) if name}
        self._free = {i for i, name in enumerate(self._table) if not name}

    @classmethod
    def parse(cls, data: bytes) -> Names:
        try:
            count = int(np.frombuffer(data, "<u8", 1)[0])
            offsets = np.frombuffer(data, "<u4", count + 1, 8).tolist()
            text = data[12 + 4 * count :]
            if offsets[0] != 0 or offsets[-1] != len(text) or any(a > b for a, b in zip(offsets, offsets[1:])):
                raise ValueError("offsets")
            return cls(text[a:b].decode("utf-8", "surrogateescape") for a, b in zip(offsets, offsets[1:]))
        except ValueError as error:
            raise Corrupted(f"the names of the index are damaged: {error}") from None

    def serialise(self) -> bytes:
        encoded = [name.encode("utf-8", "surrogateescape") for name in self._table]
        offsets = np.zeros(len(encoded) + 1, np.uint64)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        if int(offsets[-1]) >= 2**32:
            raise ValueError("the names together are longer than 4 GiB")
        head: bytes = np.array([len(encoded)], "<u8").tobytes() + offsets.astype("<u4").tobytes()
        return head + b"".join(encoded)

    def __len__(self) -> int:
        return len(self._ids)

    def find(self, name: str) -> int | None:
        return self._ids.get(name)

    def need(self, names: Iterable[str]) -> npt.NDArray[np.int64]:
        """Ids of names; NotFound names the first that is not there."""
        found = []
        for name in names:
            if name not in self._ids:
                raise NotFound(f"{name!r} is not in the index")
            found.append(self._ids[name])
        return np.array(found, np.int64)

    def of(self, i: int) -> str:
        return self._table[i]

    def choose(self, names: list[str]) -> npt.NDArray[np.int64]:
        """An id for each name: its own, else one that is free. Changes nothing."""
        free = iter(sorted(self._free))
        fresh = iter(range(len(self._table), len(self._table) + len(names)))
        chosen = [self._ids[n] if n in self._ids else next(free, None) for n in names]
        return np.array([next(fresh) if i is None else i for i in chosen], np.int64)

    def set(self, ids: Iterable[int], names: Iterable[str]) -> None:
        for i, name in zip(ids, names):
            if i >= len(self._table):
                self._free.update(range(len(self._table), i))
                self._table.extend([""] * (i + 1 - len(self._table)))
            self._free.discard(i)
            self._table[i] = name
            self._ids[name] = i

    def erase(self, ids: Iterable[int]) -> None:
        for i in ids:
            self._ids.pop(self._table[i], None)
            self._table[i] = ""
            self._free.add(i)

    def label(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
        """Names for ids of any shape; None for -1."""
        labels = np.empty(ids.size, object)
        labels[:] = [self._table[i] if i >= 0 else None for i in ids.reshape(-1).tolist()]
        return labels.reshape(ids.shape)
