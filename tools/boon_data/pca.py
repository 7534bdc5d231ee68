"""Principal components whose every bit is the same on every machine.

A BLAS adds in an order of its own, so a plain PCA differs in its last bits from one machine to the next, and so would
the checksum of whatever is made from it. Here each matrix product is of numbers on a grid, coarse enough that
every partial sum fits the 53 bits of a double: it is exact, so its order does not matter. Between them stands
an eigendecomposition, whose last bits do differ (about 1e-14); rounding the axes to multiples of 2^-20 drops them.
"""

from __future__ import annotations

import numpy as np

COVARIANCE_GRID = 2.0**14
PROJECTION_GRID = 2.0**20


def principal_components(vectors: np.ndarray, dimension: int) -> np.ndarray:
    """The vectors, centred, in their first `dimension` principal components; float32 [rows, dimension].

    Each axis points where its largest component is positive. Raises ValueError where exactness is not assured.
    """
    axes = principal_axes(vectors, dimension)
    fine = np.rint(vectors.astype(np.float64) * PROJECTION_GRID) / PROJECTION_GRID
    mean = np.rint(fine.sum(axis=0) / len(fine) * PROJECTION_GRID) / PROJECTION_GRID
    centred = fine - mean
    require_exact(np.abs(centred).max() * PROJECTION_GRID**2 * vectors.shape[1])
    return (centred @ axes).astype(np.float32)


def principal_axes(vectors: np.ndarray, dimension: int) -> np.ndarray:
    """The axes as columns, [vector dimension, dimension], of greatest variance first, on the projection grid."""
    coarse = np.rint(vectors.astype(np.float64) * COVARIANCE_GRID)
    require_exact(np.abs(coarse).max() ** 2 * len(coarse))
    total = coarse.sum(axis=0)
    scatter = coarse.T @ coarse - np.outer(total, total) / len(coarse)
    _, eigenvectors = np.linalg.eigh(scatter)
    axes = eigenvectors[:, ::-1][:, :dimension]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None, :], axis=0)
    return np.rint(axes * np.sign(largest) * PROJECTION_GRID) / PROJECTION_GRID


def require_exact(sum_max: float) -> None:
    """Raises ValueError if integers that add up to as much as `sum_max` might be rounded."""
    if sum_max >= 2.0**53:
        raise ValueError(f"a sum may reach {sum_max:.3g}, beyond the 2^53 up to which doubles are exact")
