from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from ann import data
from ann.tests.conftest import QUERIES, ROWS


def test_arrays_are_those_of_the_file(hdf5: Path, tmp_path: Path) -> None:
    opened = data.open_folder(data.prepare(hdf5, tmp_path / "data"))
    with h5py.File(hdf5) as file:
        assert (opened.base == file["train"][:]).all()
        assert (opened.truth == file["neighbors"][:, :10]).all()
    assert opened.metric == "l2"


def test_a_cut_set_gets_its_own_truth(hdf5: Path, tmp_path: Path) -> None:
    opened = data.open_folder(data.prepare(hdf5, tmp_path / "data", rows=50))
    assert opened.name == "small-50"
    assert opened.base.shape[0] == 50
    assert opened.truth.max() < 50


def test_under_cosine_lengths_are_one(hdf5: Path, tmp_path: Path) -> None:
    with h5py.File(hdf5, "r+") as file:
        file.attrs["distance"] = "angular"
    opened = data.open_folder(data.prepare(hdf5, tmp_path / "data", rows=ROWS))
    assert np.allclose(np.linalg.norm(opened.base, axis=1), 1)


def test_tuning_queries_are_not_reported(hdf5: Path, tmp_path: Path) -> None:
    opened = data.open_folder(data.prepare(hdf5, tmp_path / "data"))
    tuning, reported = opened.part("tune")[0], opened.part("report")[0]
    assert len(tuning) + len(reported) == QUERIES
    assert not (tuning[:, None] == reported[None]).all(axis=2).any()
    assert len(opened.part("report", 5)[0]) == 5


def test_wrong_truth_is_refused(hdf5: Path, tmp_path: Path) -> None:
    with h5py.File(hdf5, "r+") as file:
        file["neighbors"][:] = file["neighbors"][:][:, ::-1]
    with pytest.raises(ValueError, match="not in the order of their distances"):
        data.prepare(hdf5, tmp_path / "data")
