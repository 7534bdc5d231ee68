"""A recall in place of a beam: what calibrations measure, what searches by them reach, what is refused."""

import copy
from pathlib import Path

import numpy as np
import pytest

import boon
from boon import errors


def _clustered(rows: int, seed: int) -> np.ndarray:
    centres = np.random.default_rng(7).normal(size=(30, 16))
    rng = np.random.default_rng(seed)
    return (centres[rng.integers(30, size=rows)] + 0.7 * rng.normal(size=(rows, 16))).astype(np.float32)


def test_a_recall_is_reached_after_a_calibration(tmp_path: Path) -> None:
    index = boon.Index(16, "l2", neighbours=5, build_beam=30)
    index.add(_clustered(5000, 1))
    made = index.calibrate()
    assert made == index.calibrations()[0]
    assert made["k"] == 10 and made["queries"] == 1000 and made["own_rows"] and not made["stale"]
    points = made["points"]
    assert all(a["beam"] < b["beam"] and a["recall"] < b["recall"] for a, b in zip(points, points[1:]))
    assert all(p["recall_min"] <= p["recall"] for p in points)
    queries = _clustered(500, 2)
    truth = index.search(queries, 10, exact=True).ids
    index.save(tmp_path / "a.boon")
    for opened in (index, boon.Index.view(tmp_path / "a.boon"), copy.copy(index)):
        for recall in (0.8, 0.95):
            found = opened.search(queries, 10, recall=recall).ids
            reached = np.mean([len(np.intersect1d(a, b)) for a, b in zip(found, truth)]) / 10
            assert reached >= recall - 0.016  # three deviations of such a mean
    one = index.search(queries[0], 10, recall=0.8).ids
    assert one.tolist() == index.search(queries[:1], 10, recall=0.8).ids[0].tolist()
    found = index.search_range(queries[0], 3.0, recall=0.95).ids
    assert np.isin(found, index.search_range(queries[0], 3.0, exact=True).ids).all()


def test_calibrations_by_queries_of_ones_own(random):
    index = boon.Index(16)
    index.add(_clustered(1000, 1), ids=[str(i) for i in range(1000)])
    made = index.calibrate(_clustered(50, 2).astype(np.float64), k=3, threads=2)
    assert made["queries"] == 50 and not made["own_rows"]
    index.calibrate(sample=20)
    assert [c["k"] for c in index.calibrations()] == [3, 10]
    assert index.calibrate(sample=20, threads=1) == index.calibrate(sample=20, threads=3)
    assert index.calibrate(sample=20, seed=1) != index.calibrate(sample=20)
    index.delete([str(i) for i in range(200)])
    assert index.calibrations()[0]["stale"]
    with pytest.raises(ValueError, match="200 have changed since"):
        index.search(random.normal(size=16), 5, recall=0.9)


def test_a_recall_needs_a_calibration_and_no_beam(random, tmp_path):
    index = boon.Index(16, "l2")
    index.add(random.normal(size=(100, 16)))
    query = random.normal(size=16)
    with pytest.raises(errors.InvalidArgument, match="not calibrated"):
        index.search(query, recall=0.9)
    assert len(index.search(query, recall=0.9, exact=True).ids) == 10
    for call in (index.search, lambda q, **options: index.search_range(q, 1.0, **options)):
        with pytest.raises(TypeError, match="not both"):
            call(query, recall=0.9, beam=64)
        for wrong in (0, 1, -0.1, 1.5, float("nan")):
            with pytest.raises(ValueError, match="between 0 and 1"):
                call(query, recall=wrong)
        for wrong in ("0.9", True):
            with pytest.raises(TypeError, match="recall is of type"):
                call(query, recall=wrong)
    with pytest.raises(ValueError, match="no queries"):
        index.calibrate(np.empty((0, 16)))
    with pytest.raises(ValueError, match="k is 0"):
        index.calibrate(k=0)
    with pytest.raises(ValueError, match="query 1"):
        index.calibrate([[1.0] * 16, [np.nan] * 16])
    with pytest.raises(errors.Cancelled):
        index.calibrate(progress=lambda done, total: False)
    with pytest.raises(ZeroDivisionError):
        index.calibrate(progress=lambda done, total: 1 // 0)
    assert index.calibrations() == []
    seen = []
    index.calibrate(progress=lambda done, total: seen.append((done, total)))
    assert seen and all(done <= total for done, total in seen)
    index.save(tmp_path / "a.boon")
    with pytest.raises(PermissionError):
        boon.Index.view(tmp_path / "a.boon").calibrate()
