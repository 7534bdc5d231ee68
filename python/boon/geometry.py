"""How many dimensions vectors have, and random projections into fewer.

    >>> import boon.geometry, numpy as np
    >>> random = np.random.default_rng(1)
    >>> plane = random.normal(size=(2000, 2)) @ random.normal(size=(2, 50))
    >>> round(boon.geometry.intrinsic_dimension(plane).value)
    2
    >>> boon.geometry.johnson_lindenstrauss_dim(1_000_000, eps=0.5)
    663
    >>> boon.geometry.Projection(50, 10).project(plane).shape
    (2000, 10)

These are the figures of `boon analyze`; docs/notes/geometry.md explains them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boon import _arrays, _core

__all__ = [
    "Dimension",
    "Projection",
    "intrinsic_dimension",
    "johnson_lindenstrauss_dim",
    "johnson_lindenstrauss_eps",
]


class Dimension(NamedTuple):
    """An intrinsic dimension with its 95% interval, and how many points it comes from."""

    value: float
    low: float
    high: float
    points: int


def intrinsic_dimension(
    vectors: npt.ArrayLike,
    estimator: str = "two_nearest",
    *,
    space: str = "l2",
    neighbours: int | None = None,
    discarded: float = 0.1,
    sample: int | None = None,
    seed: int = 1,
    threads: int = 0,
) -> Dimension | None:
    """How many numbers it takes to say where a vector is among its neighbours.

    vectors : shape (n, dim). Rows that equal one before them are looked at once.
    estimator : "two_nearest" (Facco et al., Scientific Reports 7, 2017) goes by the ratio of the distances of the two
        nearest, the smallest scale there is. "maximum_likelihood" (Levina & Bickel, NIPS 2004, averaged as MacKay &
        Ghahramani say) goes by several and has less noise. Both come out low where there are many dimensions.
    space : "l2", or "cosine", which scales vectors to length 1 and leaves those of zeros out.
    neighbours : of "maximum_likelihood", 2 or more; 10 if not given.
    discarded : share of the largest ratios that "two_nearest" leaves out, at least 0 and below 1.
    sample : rows whose neighbours are looked for among all, drawn by `seed`; all rows if not given.
    threads : 0 takes all cores; the result does not depend on them.

    Neighbours are exact: O(sample * n * dim). The interval is a bootstrap over chains of nearest neighbours. None where
    there is no dimension to be seen: fewer than three different vectors, or all of them equally far apart. Raises
    ValueError for a NaN or an infinity, with its row.
    """
    if estimator not in ("two_nearest", "maximum_likelihood"):
        raise ValueError(f"estimator is {estimator!r}; it may be 'two_nearest' or 'maximum_likelihood'")
    if space not in ("l2", "cosine"):
        raise ValueError(f"space is {space!r}; it may be 'l2' or 'cosine'")
    two_nearest = estimator == "two_nearest"
    if neighbours is None:
        neighbours = 2 if two_nearest else 10
    elif two_nearest:
        raise ValueError("two_nearest looks at two neighbours; `neighbours` is for maximum_likelihood")
    if neighbours < 2:
        raise ValueError(f"neighbours is {neighbours}; it may be 2 or more")
    if not 0 <= discarded < 1:
        raise ValueError(f"discarded is {discarded}; it may be from 0 to below 1")
    if sample is not None and sample < 1:
        raise ValueError(f"sample is {sample}; it may be 1 or more")
    rows = _table(vectors)
    if space == "cosine":
        rows = _directions(rows)
        if len(rows) == 0:
            return None
    found = _core.intrinsic_dimension(rows, two_nearest, neighbours, discarded, sample or 0, seed, threads)
    return None if found is None else Dimension(*found)


def johnson_lindenstrauss_dim(points: int, eps: float) -> int:
    """The dimension into which some projection of so many points changes no squared distance by more than the factor
    1 ± eps: 4 ln(points) / (eps²/2 - eps³/3), rounded down, whatever dimension the points have. 0 < eps < 1."""
    return _core.johnson_lindenstrauss_dim(points, eps)


def johnson_lindenstrauss_eps(points: int, target: int) -> float:
    """The least eps for which `target` dimensions suffice; 1 where none below 1 does, so nothing is promised."""
    return _core.johnson_lindenstrauss_eps(points, target)


class Projection:
    """A random linear map from `dim` to `target` dimensions that keeps squared lengths on average; their relative error
    has the standard deviation sqrt(2 / target).

    kind : "gaussian", or "sparse" (Achlioptas, JCSS 66(4), 2003), of whose entries two thirds are 0.
    seed : the same seed gives the same map, bit for bit, on every machine.
    """

    def __init__(self, dim: int, target: int, *, kind: str = "gaussian", seed: int = 1) -> None:
        if kind not in ("gaussian", "sparse"):
            raise ValueError(f"kind is {kind!r}; it may be 'gaussian' or 'sparse'")
        self._projection = _core.Projection(dim, target, kind == "sparse", seed)
        self.dim = dim
        self.target = target
        self.kind = kind
        self.seed = seed

    @property
    def matrix(self) -> npt.NDArray[np.float32]:
        """Shape (dim, target); row i is where unit vector i goes. A copy."""
        return self._projection.matrix()

    def project(self, vectors: npt.ArrayLike, *, threads: int = 1) -> npt.NDArray[np.float32]:
        """Vectors of shape (n, dim) to (n, target), or one of (dim,) to (target,): `vectors @ matrix` in fp32, the same
        bits alone and in a batch. Raises ValueError for a NaN or an infinity, with its row."""
        rows, single = _arrays.rows(vectors, self.dim, "vectors")
        projected = self._projection.project(rows, threads)
        return projected[0] if single else projected

    def __repr__(self) -> str:
        return f"<boon.geometry.Projection: {self.dim} to {self.target} dimensions, {self.kind}, seed={self.seed}>"


def _table(given: npt.ArrayLike) -> npt.NDArray[np.float32]:
    array = np.asarray(given)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"vectors have shape {array.shape}; expected (n, dim)")
    return _arrays.rows(array, array.shape[1], "vectors")[0]


def _directions(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    if not np.isfinite(rows).all():
        return rows  # refused with row and component by who measures
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    directed = lengths > 0
    return np.asarray(rows[directed] / lengths[directed, None], np.float32)
