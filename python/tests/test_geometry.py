"""boon.geometry against scikit-dimension, scikit-learn, and sets of known dimension."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import boon.geometry
from boon.geometry import Projection, intrinsic_dimension, johnson_lindenstrauss_dim, johnson_lindenstrauss_eps

Points = npt.NDArray[np.float32]


def oracle(name: str) -> Any:
    """A package to compare with; without it the test is skipped, which pytest lists at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"NOT COMPARED: {name} is not installed (python/requirements-test.txt)")


def ball(n: int, dim: int, seed: int = 1) -> Points:
    """Uniform in the ball of radius 1."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, dim))
    radius = random.uniform(size=n) ** (1 / dim)
    return (x * (radius / np.linalg.norm(x, axis=1))[:, None]).astype(np.float32)


def torus(n: int, seed: int = 1) -> Points:
    """Without borders: a product of four circles in R^8, turned into R^30."""
    random = np.random.default_rng(seed)
    angles = random.uniform(0, 2 * np.pi, size=(n, 4))
    turn = np.linalg.qr(random.normal(size=(30, 30)))[0][:8]
    return (np.concatenate([np.cos(angles), np.sin(angles)], axis=1) @ turn).astype(np.float32)


SETS = {
    "ball of 2": ball(1000, 2),
    "ball of 10": ball(1000, 10),
    "ball of 60": ball(500, 60),
    "torus": torus(1000),
    "normal": np.random.default_rng(2).normal(size=(1000, 20)).astype(np.float32),
    "uneven": (np.random.default_rng(3).normal(size=(1000, 5)) * [1, 2, 4, 8, 16]).astype(np.float32),
}


@pytest.mark.parametrize("name", SETS)
def test_two_nearest_is_that_of_scikit_dimension(name: str) -> None:
    skdim = oracle("skdim.id")
    for discarded in (0.1, 0.3):
        found = intrinsic_dimension(SETS[name], discarded=discarded)
        expected = skdim.TwoNN(discard_fraction=discarded).fit(SETS[name].astype(np.float64)).dimension_
        assert found is not None
        assert found.value == pytest.approx(expected, rel=1e-4)
        assert found.low < found.value < found.high
        assert found.points == len(SETS[name])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("neighbours", [5, 10, 20])
def test_maximum_likelihood_is_that_of_scikit_dimension(name: str, neighbours: int) -> None:
    skdim = oracle("skdim.id")
    found = intrinsic_dimension(SETS[name], "maximum_likelihood", neighbours=neighbours)
    expected = skdim.MLE().fit(SETS[name].astype(np.float64), n_neighbors=neighbours, comb="mle").dimension_
    assert found is not None
    assert found.value == pytest.approx(expected, rel=1e-4)
    assert found.low < found.value < found.high


def test_the_dimension_of_the_lemma_is_that_of_scikit_learn() -> None:
    sklearn = oracle("sklearn.random_projection")
    for points in (2, 10, 1000, 56_463, 10**6, 10**9):
        for eps in (0.01, 0.1, 0.3, 0.5, 0.9, 0.999):
            target = johnson_lindenstrauss_dim(points, eps)
            assert target == sklearn.johnson_lindenstrauss_min_dim(points, eps=eps)
            assert johnson_lindenstrauss_eps(points, target + 1) <= eps + 1e-9
    assert johnson_lindenstrauss_eps(1000, 20) == 1


@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_projections_change_distances_as_those_of_scikit_learn_do(kind: str) -> None:
    sklearn = oracle("sklearn.random_projection")
    stats = oracle("scipy.stats")
    x, target = SETS["ball of 60"], 40

    def ratios(projected: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        # Pairs that share no point, so that what two ratios of one projection share is the map alone.
        def lengths(y: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
            return ((y[0::2].astype(np.float64) - y[1::2]) ** 2).sum(axis=1)

        return lengths(projected) / lengths(x)

    ours, theirs = [], []
    for seed in range(20):
        ours.append(ratios(Projection(60, target, kind=kind, seed=seed).project(x)))
        if kind == "sparse":
            other = sklearn.SparseRandomProjection(target, density=1 / 3, dense_output=True, random_state=seed)
        else:
            other = sklearn.GaussianRandomProjection(target, random_state=seed)
        theirs.append(ratios(other.fit_transform(x)))
    mine, other_ratios = np.concatenate(ours), np.concatenate(theirs)
    assert mine.mean() == pytest.approx(1, abs=0.02)
    assert mine.std() == pytest.approx(np.sqrt(2 / target), rel=0.05)
    assert mine.std() == pytest.approx(other_ratios.std(), rel=0.05)
    assert stats.ks_2samp(mine, other_ratios).statistic < 0.05


def test_a_projection_keeps_what_the_lemma_promises() -> None:
    x = SETS["normal"][:300]
    target = johnson_lindenstrauss_dim(300, 0.4) + 1
    y = Projection(20, target).project(x)

    def squares(rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        gram = rows.astype(np.float64) @ rows.T.astype(np.float64)
        return np.diag(gram)[:, None] + np.diag(gram)[None, :] - 2 * gram

    apart = ~np.eye(300, dtype=bool)
    assert np.abs(squares(y)[apart] / squares(x)[apart] - 1).max() < 0.4


def test_a_projection_is_its_matrix() -> None:
    x = SETS["normal"]
    for kind in ("gaussian", "sparse"):
        projection = Projection(20, 7, kind=kind, seed=3)
        matrix = projection.matrix
        assert matrix.shape == (20, 7) and matrix.dtype == np.float32
        np.testing.assert_allclose(projection.project(x), x @ matrix, atol=1e-5)
        assert np.array_equal(projection.project(x, threads=2)[5], projection.project(x[5]))
        assert np.array_equal(Projection(20, 7, kind=kind, seed=3).matrix, matrix)
        assert not np.array_equal(Projection(20, 7, kind=kind, seed=4).matrix, matrix)
    entries = np.unique(Projection(300, 100, kind="sparse").matrix)
    np.testing.assert_allclose(entries, [-np.sqrt(3 / 100), 0, np.sqrt(3 / 100)], rtol=1e-6)
    assert "20 to 7 dimensions" in repr(projection)


def test_known_dimensions() -> None:
    for dim in (1, 2, 4, 8):
        for estimator in ("two_nearest", "maximum_likelihood"):
            found = intrinsic_dimension(ball(4000, dim), estimator)
            assert found is not None
            assert found.value == pytest.approx(dim, rel=0.12), estimator
    round_trip = intrinsic_dimension(torus(3000))
    assert round_trip is not None
    assert round_trip.low < 4 < round_trip.high


def test_directions_have_a_dimension_less() -> None:
    x = np.random.default_rng(5).normal(size=(3000, 3))
    x[:10] = 0
    found = intrinsic_dimension(x * np.random.default_rng(6).uniform(1, 9, size=(3000, 1)), space="cosine")
    assert found is not None
    assert found.value == pytest.approx(2, rel=0.1)
    assert found.points <= 2990
    assert intrinsic_dimension(np.zeros((9, 3)), space="cosine") is None


def test_samples_and_seeds() -> None:
    x = SETS["normal"]
    some = intrinsic_dimension(x, sample=200, seed=1, threads=1)
    assert some is not None and some.points == 200
    assert intrinsic_dimension(x, sample=200, seed=1, threads=2) == some
    assert intrinsic_dimension(x, sample=200, seed=2) != some


def test_copies_are_looked_at_once() -> None:
    x = SETS["torus"]
    assert intrinsic_dimension(np.concatenate([x, x[::2]])) == intrinsic_dimension(x)
    assert intrinsic_dimension(np.ones((50, 3))) is None
    assert intrinsic_dimension(np.eye(4)) is None  # all equally far apart
    assert intrinsic_dimension(np.eye(2)) is None


def test_refusals_name_what_is_wrong() -> None:
    x = np.ones((5, 3), np.float32)
    bad = x.copy()
    bad[3, 1] = np.nan
    for space in ("l2", "cosine"):
        with pytest.raises(ValueError, match="row 3, component 1 is NaN"):
            intrinsic_dimension(bad, space=space)
    with pytest.raises(ValueError, match="row 3, component 1 is NaN"):
        Projection(3, 2).project(bad)
    for arguments, message in [
        ({"estimator": "guess"}, "estimator is 'guess'"),
        ({"space": "ip"}, "space is 'ip'"),
        ({"neighbours": 5}, "for maximum_likelihood"),
        ({"estimator": "maximum_likelihood", "neighbours": 1}, "neighbours is 1"),
        ({"discarded": 1.0}, "discarded is 1.0"),
        ({"sample": 0}, "sample is 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            intrinsic_dimension(x, **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        intrinsic_dimension([1, 2, 3])
    with pytest.raises(ValueError, match="0 rows"):
        intrinsic_dimension(np.empty((0, 3)))
    with pytest.raises(ValueError, match="eps is 1"):
        johnson_lindenstrauss_dim(10, 1)
    with pytest.raises(ValueError, match="target"):
        Projection(3, 0)
    with pytest.raises(ValueError, match="kind is 'dense'"):
        Projection(3, 2, kind="dense")
    assert set(boon.geometry.__all__) >= {"intrinsic_dimension", "Projection"}
