from __future__ import annotations

import pytest

from ann import grid

CONTENDERS = grid.read()


def test_boon_has_no_larger_grid_than_any_peer() -> None:
    ours = CONTENDERS["boon"]
    for peer in CONTENDERS.values():
        assert ours.points() <= peer.points(), peer.name


def test_each_system_has_an_adapter_of_at_most_60_lines() -> None:
    folder = grid.GRIDS.parent / "systems"
    for contender in CONTENDERS.values():
        assert len((folder / f"{contender.adapter}.py").read_text().splitlines()) <= 60, contender.name


def test_the_quick_build_has_the_parameters_of_the_others() -> None:
    for contender in CONTENDERS.values():
        assert contender.quick.keys() == contender.build.keys(), contender.name


def test_sweeps_rise_in_the_last_parameter() -> None:
    contender = grid.Contender("x", "x", "x", {}, {"a": [1, 2], "b": [3, 4]})
    assert contender.sweeps() == [[{"a": 1, "b": 3}, {"a": 1, "b": 4}], [{"a": 2, "b": 3}, {"a": 2, "b": 4}]]
    for peer in CONTENDERS.values():
        *_, values = peer.query.values()
        assert values == sorted(values), peer.name


def test_selection_by_name_package_and_all() -> None:
    def names(peers: str) -> list[str]:
        return [c.name for c in grid.select(peers, CONTENDERS)]

    assert names("none") == ["boon"]
    assert names("hnswlib") == ["boon", "hnswlib"]
    assert names("faiss-cpu") == ["boon", "faiss-hnsw", "faiss-hnsw-sq8", "faiss-ivfpq"]
    assert names("all") == list(CONTENDERS)
    with pytest.raises(ValueError, match="no system is called 'nobody'"):
        names("nobody")
