"""Vectors in fewer bytes.

    >>> import boon.codec, numpy as np
    >>> x = np.random.default_rng(1).normal(size=(1000, 64)).astype(np.float32)
    >>> c = boon.codec.encode("nvfp4", x)
    >>> c.codes.shape, c.scales.shape, c.vector_scales.shape
    ((1000, 32), (1000, 4), (1000,))
    >>> int(np.argmin(c.score(x[7], "l2")))
    7

fp32, bf16 and fp16 keep floats; u8 keeps whole numbers from 0 to 255 without loss; int8 takes a byte a component, nvfp4
about .56, rabitq1 (Gao & Long, arXiv:2405.12497) a bit. Before rabitq1, rotate vectors and queries where components
differ much in size.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boon import _arrays, _core

__all__ = ["Encoded", "decode", "encode", "names"]


def names() -> list[str]:
    """The codecs there are."""
    return _core.codec_names()


class Encoded:
    """Vectors as a codec holds them; made by `encode()`.

    records : uint8, shape (n, bytes of a record): lengths, scales and codes, as index files hold them.
    """

    def __init__(self, codec: _core.Codec, records: npt.NDArray[np.uint8]) -> None:
        self._codec = codec
        self.records = records

    @property
    def name(self) -> str:
        """Of the codec: u8 where int8 was asked for and all components are whole numbers from 0 to 255."""
        return self._codec.name

    @property
    def dim(self) -> int:
        """Components of a vector."""
        return self._codec.dim

    @property
    def nbytes(self) -> int:
        """Bytes of all records."""
        return self.records.nbytes

    @property
    def codes(self) -> npt.NDArray[np.uint8]:
        """The codes, shape (n, bytes of a vector's codes); a view. nvfp4: component 2i is the low nibble of byte i."""
        first = self._codec.codes_offset
        return self.records[:, first : first + self._codec.codes_bytes]

    @property
    def scales(self) -> npt.NDArray[np.uint8]:
        """One scale a block of 16, e4m3, shape (n, blocks), of nvfp4; shape (n, 0) of others; a view."""
        first = self._codec.codes_offset + self._codec.codes_bytes
        return self.records[:, first : first + self._codec.block_scales]

    @property
    def vector_scales(self) -> npt.NDArray[np.float32]:
        """What each decoded vector is multiplied by, shape (n,)."""
        return self._codec.scales(self.records)

    def decode(self) -> npt.NDArray[np.float32]:
        """The vectors, as far as they were kept: shape (n, dim)."""
        return self._codec.decode(self.records)

    def score(self, query: npt.ArrayLike, space: str = "ip") -> npt.NDArray[np.float32]:
        """Estimates, from the codes as they are, of how far a query is from each vector; smaller is nearer.

        query : shape (dim,) or (m, dim).
        space : "l2" (squared Euclidean), "cosine" (1 - cos) or "ip" (minus the inner product).

        Returns shape (n,), or (m, n).
        """
        queries, single = _arrays.rows(query, self.dim, "queries")
        scores = self._codec.score(self.records, queries, str(space))
        return scores[0] if single else scores

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, rows: slice | npt.NDArray[np.bool_] | npt.NDArray[np.integer]) -> Encoded:
        """Some of the vectors: a slice, a mask, or row numbers."""
        return Encoded(self._codec, np.ascontiguousarray(self.records[rows].reshape(-1, self.records.shape[1])))

    def __repr__(self) -> str:
        return f"<boon.codec.Encoded: {len(self):,} vectors, dim={self.dim}, {self.name}, {self.nbytes:,} bytes>"


def encode(name: str, vectors: npt.ArrayLike) -> Encoded:
    """Vectors of shape (n, dim), or one of shape (dim,), in the form of a codec, one of `names()`.

    The centre of rabitq1 is the vectors' mean. Raises ValueError where a component is NaN, infinite, or nothing that
    the codec holds, with its row.
    """
    array = np.asarray(vectors)
    if array.ndim not in (1, 2) or array.shape[-1] == 0:
        raise ValueError(f"vectors have shape {array.shape}; expected (n, dim) or (dim,)")
    rows, _ = _arrays.rows(array, array.shape[-1], "vectors")
    fitted, centre = _core.fit_codec(str(name), rows)
    codec = _core.Codec(fitted, rows.shape[1], centre)
    return Encoded(codec, codec.encode(rows))


def decode(encoded: Encoded) -> npt.NDArray[np.float32]:
    """The vectors, as far as they were kept: shape (n, dim)."""
    return encoded.decode()
