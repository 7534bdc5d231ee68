"""Sets of vectors as HDF5 in the layout of ann-benchmarks, with a checksum of what they say.

Data sets train, test (float32), neighbors (int32), distances (float32); attributes distance, type, dimension,
point_type. What a row stands for is there too, in UTF-8 strings of variable length: `words`, or `texts` and `packages`;
for the queries `test_words` and so on.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import h5py
import numpy as np

from .cache import replacing


def write(
    path: Path,
    arrays: dict[str, np.ndarray | list[str]],
    distance: str,
    source: str,
    origin: dict[str, str] | None = None,
) -> None:
    """Writes the file whole or not at all.

    `distance` is "angular" or "euclidean", `source` a line on the origin; what `origin` says of it for programs to read
    becomes attributes.
    """
    with replacing(path) as part, h5py.File(part, "w") as file:
        for name, values in arrays.items():
            if isinstance(values, list):
                file.create_dataset(name, data=values, dtype=h5py.string_dtype("utf-8"))
            else:
                file.create_dataset(name, data=values)
        file.attrs["type"] = "dense"
        file.attrs["distance"] = distance
        file.attrs["dimension"] = arrays["train"].shape[1]
        file.attrs["point_type"] = "float"
        file.attrs["source"] = source
        file.attrs.update(origin or {})
        file.attrs["content_sha256"] = content_sha256(arrays)


def read(path: Path) -> dict[str, np.ndarray | list[str]]:
    """All data sets of a file, strings as lists. Raises OSError if it is not a whole HDF5 file."""
    with h5py.File(path, "r") as file:
        return {
            name: list(data.asstr()[:]) if h5py.check_string_dtype(data.dtype) else data[:]
            for name, data in file.items()
        }


def read_attributes(path: Path) -> dict[str, object]:
    """The attributes of a file. Raises OSError if it is not a whole HDF5 file."""
    with h5py.File(path, "r") as file:
        return dict(file.attrs)


def content_sha256(arrays: dict[str, np.ndarray | list[str]]) -> str:
    """SHA-256 over names, types, shapes and values; of the content, since the container's bytes may vary."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        values = arrays[name]
        if isinstance(values, list):
            digest.update(f"{name} utf-8 {len(values)}\n".encode())
            digest.update("".join(f"{value}\n" for value in values).encode())
        else:
            little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
            digest.update(f"{name} {little.dtype.str} {list(little.shape)}\n".encode())
            digest.update(little.data)
    return digest.hexdigest()
