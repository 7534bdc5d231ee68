"""boon.knn against NumPy in double precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import boon

SPACES = ["cosine", "l2", "ip"]


def truth(base: npt.NDArray[Any], queries: npt.NDArray[Any], k: int, space: str) -> tuple[Any, Any]:
    base, queries = base.astype(np.float64), queries.astype(np.float64)
    if space == "cosine":
        base = base / np.linalg.norm(base, axis=1, keepdims=True)
        queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    if space == "ip":
        distances = 1 - queries @ base.T
    else:
        distances = np.array([((base - q) ** 2).sum(axis=1) for q in queries])
        if space == "cosine":
            distances /= 2
    ids = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return ids, np.take_along_axis(distances, ids, axis=1)


def points(rows: int, dim: int, seed: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, dim)).astype(np.float32)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("dim", [1, 7, 64, 100])
def test_equals_double_precision(space: str, dim: int) -> None:
    base, queries = points(900, dim, 1), points(70, dim, 2)
    ids, distances = boon.knn(base, queries, 10, space=space)
    expected_ids, expected = truth(base, queries, 10, space)
    assert ids.dtype == np.int64 and distances.dtype == np.float32 and ids.shape == (70, 10)
    # In one dimension all cosines are 1 or -1, and what NumPy rounds decides among equals.
    if not (space == "cosine" and dim == 1):
        np.testing.assert_array_equal(ids, expected_ids)
    np.testing.assert_allclose(distances, expected, rtol=1e-5, atol=1e-7)


def test_one_query_has_one_row() -> None:
    base = points(50, 4, 3)
    result = boon.knn(base, base[7], 3, space="l2")
    assert result.ids.shape == (3,) and result.ids[0] == 7 and result.distances[0] == 0
    assert boon.knn(base, base[7].tolist(), 100).ids.shape == (50,)


def test_short_rows_are_padded() -> None:
    base = points(3, 4, 4)
    ids, distances = boon.knn(base, points(2, 4, 5), 5, space="l2")
    assert (ids[:, 3:] == -1).all() and np.isinf(distances[:, 3:]).all()
    assert (np.sort(ids[:, :3], axis=1) == [0, 1, 2]).all()


def test_equal_distances_are_in_the_order_of_rows() -> None:
    ids, _ = boon.knn(np.ones((300, 5)), np.ones((40, 5)), 100, space="l2")
    np.testing.assert_array_equal(ids, np.tile(np.arange(100), (40, 1)))


@pytest.mark.parametrize("space", SPACES)
def test_forms_of_arrays_give_the_same(space: str) -> None:
    whole = np.random.default_rng(6).integers(1, 200, (200, 12)).astype(np.uint8)
    queries = whole[:40].astype(np.float32)
    expected = boon.knn(whole.astype(np.float32), queries, 5, space=space)
    wide = np.zeros((200, 20), np.float32)
    wide[:, 3:15] = whole
    forms: list[Any] = [
        whole, whole.astype(np.float64), whole.astype(np.float16), whole.astype(">f4"), whole.astype(np.int32),
        np.asfortranarray(whole.astype(np.float32)), wide[:, 3:15], whole.tolist(), np.repeat(whole, 2, axis=0)[::2],
        whole[::-1][::-1],
    ]  # fmt: skip
    for form in forms:
        ids, distances = boon.knn(form, queries, 5, space=space)
        np.testing.assert_array_equal(ids, expected.ids)
        np.testing.assert_array_equal(distances, expected.distances)


def test_mapped_from_disk(tmp_path: Path) -> None:
    base = points(500, 16, 7)
    np.save(tmp_path / "base.npy", base)
    mapped = np.load(tmp_path / "base.npy", mmap_mode="r")
    expected = boon.knn(base, base[:50], 4, space="l2")
    found = boon.knn(mapped, base[:50], 4, space="l2")
    np.testing.assert_array_equal(found.ids, expected.ids)


@pytest.mark.parametrize("space", ["l2", "cosine", "ip"])
def test_float16_is_read_where_it_lies(space: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    base = rng.normal(size=(500, 24)).astype(np.float16)
    queries = rng.normal(size=(70, 24)).astype(np.float32)
    np.save(tmp_path / "base.npy", base)
    mapped = np.load(tmp_path / "base.npy", mmap_mode="r")
    apart = np.full((500, 30), np.nan, np.float16)
    apart[:, :24] = base
    expected = boon.knn(base.astype(np.float32), queries, 10, space=space)
    for form in (base, mapped, apart[:, :24]):
        for count in (1, 70):
            found = boon.knn(form, queries[:count], 10, space=space)
            np.testing.assert_array_equal(found.ids, expected.ids[:count])
            np.testing.assert_array_equal(found.distances, expected.distances[:count])
    swapped = boon.knn(base.astype(">f2"), queries, 10, space=space)
    np.testing.assert_array_equal(swapped.ids, expected.ids)
    numbers = rng.integers(1, 60000, (200, 24)).astype(np.uint16)  # words of 16 bits, and no halves
    wide = boon.knn(numbers.astype(np.float32), queries, 10, space=space)
    np.testing.assert_array_equal(boon.knn(numbers, queries, 10, space=space).ids, wide.ids)
    for bad in (np.nan, np.inf):
        broken = base.copy()
        broken[321, 7] = bad
        with pytest.raises(ValueError, match="base row 321, component 7"):
            boon.knn(broken, queries, 10, space=space)
    broken[321] = 0
    if space == "cosine":
        with pytest.raises(ValueError, match="base row 321 is a vector of zeros"):
            boon.knn(broken, queries, 10, space=space)


def test_filter_by_mask_and_by_rows() -> None:
    base, queries = points(333, 8, 8), points(20, 8, 9)
    mask = np.arange(333) % 3 == 0
    for filter in (mask, np.flatnonzero(mask), [*np.flatnonzero(mask).tolist(), 9999]):
        ids, _ = boon.knn(base, queries, 6, space="l2", filter=filter)
        expected, _ = truth(base[mask], queries, 6, "l2")
        np.testing.assert_array_equal(ids, expected * 3)
    assert (boon.knn(base, queries, 2, filter=np.zeros(333, bool)).ids == -1).all()
    with pytest.raises(ValueError, match=r"\(3,\).*\(333,\)"):
        boon.knn(base, queries, 2, filter=np.ones(3, bool))


def test_threads_give_the_same_answers() -> None:
    base, queries = points(2000, 20, 10), points(2500, 20, 11)
    one = boon.knn(base, queries, 10, threads=1)
    three = boon.knn(base, queries, 10, threads=3)
    np.testing.assert_array_equal(one.ids, three.ids)
    np.testing.assert_array_equal(one.distances, three.distances)


def test_empty_base_and_no_queries() -> None:
    assert (boon.knn(np.empty((0, 4), np.float32), points(2, 4, 1), 3).ids == -1).all()
    assert boon.knn(points(5, 4, 1), np.empty((0, 4), np.float32), 3).ids.shape == (0, 3)
    assert boon.knn(np.empty((0, 4), np.float32), points(1, 4, 1)[0], 3).ids.shape == (0,)


def test_bad_input_is_named() -> None:
    base = points(9, 4, 12)
    broken = base.copy()
    broken[5, 2] = np.nan
    with pytest.raises(ValueError, match="base row 5, component 2 is NaN"):
        boon.knn(broken, base, 2)
    with pytest.raises(ValueError, match="query 5, component 2 is NaN"):
        boon.knn(base, broken, 2)
    broken[5] = 0
    with pytest.raises(ValueError, match="base row 5 is a vector of zeros"):
        boon.knn(broken, base, 2)
    assert boon.knn(broken, base, 2, space="l2").ids.shape == (9, 2)
    with pytest.raises(ValueError, match="k is 0"):
        boon.knn(base, base, 0)
    with pytest.raises(TypeError, match="k is of type float"):
        boon.knn(base, base, 2.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"\(9, 3\)"):
        boon.knn(base, base[:, :3], 2)
    with pytest.raises(ValueError, match="l7"):
        boon.knn(base, base, 2, space="l7")
    with pytest.raises(TypeError, match="complex"):
        boon.knn(base.astype(complex), base, 2)
    with pytest.raises(ValueError, match=r"\(4,\)"):
        boon.knn(base[0], base, 2)
