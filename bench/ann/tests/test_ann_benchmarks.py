"""bench/ann-benchmarks against a small copy of that project's interface: its runner's calls, and its configuration."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

FOLDER = Path(__file__).resolve().parents[2] / "ann-benchmarks" / "boon"
PLACE = "ann_benchmarks.algorithms"


class BaseANN:
    """The methods that its runner calls, with their defaults."""

    name = ""

    def done(self) -> None: ...

    def get_memory_usage(self) -> float | None:
        return None

    def fit(self, X: np.ndarray[Any, Any]) -> None: ...

    def query(self, q: np.ndarray[Any, Any], n: int) -> Any:
        return []

    def batch_query(self, X: np.ndarray[Any, Any], n: int) -> None: ...

    def get_batch_results(self) -> Any: ...

    def get_additional(self) -> dict[str, Any]:
        return {}

    def __str__(self) -> str:
        return self.name


class Index:
    """Stands in for boon.Index where the package is not installed: exact, with the arguments that the module uses."""

    def __init__(self, dim: int, space: str, *, neighbours: int, build_beam: int) -> None:
        self.space = space

    def add(self, vectors: np.ndarray[Any, Any]) -> None:
        self.base = vectors

    def search(self, queries: Any, k: int, *, beam: int, threads: int = 0) -> Any:
        assert beam >= 1
        rows = np.atleast_2d(queries)
        ids = np.argsort(((rows[:, None] - self.base[None]) ** 2).sum(axis=2), axis=1)[:, :k]
        return types.SimpleNamespace(ids=ids[0] if np.ndim(queries) == 1 else ids)

    def stats(self) -> dict[str, int]:
        return {}

    def close(self) -> None: ...


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    """module.py, loaded where ann-benchmarks would have it; with boon itself if it is installed."""
    if importlib.util.find_spec("boon._core") is None:
        monkeypatch.setitem(sys.modules, "boon", types.SimpleNamespace(Index=Index))
    base: Any = types.ModuleType(f"{PLACE}.base.module")
    base.BaseANN = BaseANN
    for name in ("ann_benchmarks", PLACE, f"{PLACE}.base", f"{PLACE}.boon"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, f"{PLACE}.base.module", base)
    spec = importlib.util.spec_from_file_location(f"{PLACE}.boon.module", FOLDER / "module.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def groups() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(entry, run group) of config.yml."""
    entries = yaml.safe_load((FOLDER / "config.yml").read_text())["float"]["any"]
    return [(entry, group) for entry in entries for group in entry["run_groups"].values()]


def test_configuration_names_the_module() -> None:
    for entry, _ in groups():
        assert entry["module"] == "ann_benchmarks.algorithms.boon"
        assert entry["base_args"] == ["@metric"]
        assert {"constructor", "docker_tag", "name", "disabled"} <= entry.keys()
    assert "FROM ann-benchmarks" in (FOLDER / "Dockerfile").read_text()


@pytest.mark.parametrize("metric", ["angular", "euclidean"])
def test_each_configuration_runs_as_its_runner_would(module: Any, metric: str) -> None:
    draw = np.random.default_rng(0)
    base = draw.standard_normal((200, 8)).astype(np.float32)
    base /= np.linalg.norm(base, axis=1, keepdims=True)
    for entry, group in groups():
        assert group["args"] == {}
        for arguments in group["arg_groups"]:
            algorithm = getattr(module, entry["constructor"])(metric, arguments)
            assert issubclass(type(algorithm), BaseANN)
            algorithm.fit(base)
            for query in itertools.product(*group["query_args"]):
                algorithm.set_query_arguments(*query)
                assert str(query[0]) in str(algorithm)
                answer = algorithm.query(base[7], 10)
                assert len(answer) == 10 and answer[0] == 7
                algorithm.batch_query(base[:5], 10)
                assert [row[0] for row in algorithm.get_batch_results()] == [0, 1, 2, 3, 4]
            assert isinstance(algorithm.get_additional(), dict)
            algorithm.get_memory_usage()
            algorithm.done()


def test_a_metric_that_it_lacks_is_refused(module: Any) -> None:
    with pytest.raises(NotImplementedError, match="hamming"):
        module.Boon("hamming", {})
