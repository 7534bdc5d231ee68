from __future__ import annotations

import os

import pytest

from ann.process import Process
from ann.store import Entry
from ann.tests.conftest import Bench


def entry(bench: Bench, kind: str) -> Entry:
    contender = bench.contender(kind)
    found = bench.store.read("small", contender.name, contender.builds()[0])
    assert found is not None
    return found


def test_a_system_is_built_tuned_and_measured(bench: Bench) -> None:
    bench.run("good")
    good = entry(bench, "good")
    assert good.status == "tuned"
    assert good.build_seconds.keys() == {"1", "2"}
    assert good.disk_bytes is not None and good.disk_bytes > 0
    assert len(good.tune) == 3
    assert max(good.best_points("single")).recall == 1.0
    assert good.rounds() == 2
    assert good.passes.keys() == {"single", "batch1"}, "a batch on two threads is absent"


def test_a_crash_is_a_recorded_reason_and_others_go_on(bench: Bench) -> None:
    bench.run("crashing", "good")
    assert entry(bench, "crashing").status == "failed"
    assert entry(bench, "crashing").reason == "killed by SIGSEGV while building (about to crash)"
    assert entry(bench, "good").rounds() == 2


def test_a_hang_is_ended_and_recorded(bench: Bench) -> None:
    bench.run("hanging")
    assert entry(bench, "hanging").reason == "not done with building after 1 s"


def test_a_crash_in_a_search_is_recorded(bench: Bench) -> None:
    bench.run("crashing-later")
    assert "ended with exit code 3 while searching" in entry(bench, "crashing-later").reason


def test_an_exception_is_recorded(bench: Bench) -> None:
    bench.run("raising")
    assert entry(bench, "raising").reason == "ValueError: bad base while building"


def test_what_cannot_run_here_is_listed_with_its_reason(bench: Bench) -> None:
    bench.run("unavailable")
    assert entry(bench, "unavailable").status == "unavailable"
    assert entry(bench, "unavailable").reason == "no such instruction set"


def test_what_is_there_is_not_measured_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run("good", "crashing")
    before = entry(bench, "good")

    def refuse(*_: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(Process, "__init__", refuse)
    bench.run("good", "crashing")
    assert entry(bench, "good") == before


def test_again_measures_anew(bench: Bench) -> None:
    bench.run("good", rounds=1)
    bench.run("good", rounds=1, again=("all",))
    assert entry(bench, "good").rounds() == 1
    bench.run("good", rounds=3)
    assert entry(bench, "good").rounds() == 3, "missing rounds are added"


def test_a_run_stopped_between_rounds_goes_on(bench: Bench) -> None:
    bench.run("good", rounds=1)
    tuned = entry(bench, "good").tune
    bench.run("good", rounds=2)
    assert entry(bench, "good").tune == tuned
    assert entry(bench, "good").rounds() == 2


def test_without_time_nothing_is_started(bench: Bench) -> None:
    bench.run("good", seconds=-1)
    assert bench.store.entries("small") == []


def test_no_process_is_left(bench: Bench) -> None:
    bench.run("good", "hanging")
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
