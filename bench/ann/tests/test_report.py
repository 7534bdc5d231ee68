from __future__ import annotations

import json
from pathlib import Path

from ann import machine, report, tables
from ann.grid import Contender
from ann.store import Entry, Store

CONTENDERS = [Contender(name, name, "numpy", {"M": [16]}, {"ef": [10, 100]}) for name in ("boon", "hnswlib", "broken")]


def stored(folder: Path) -> Store:
    store = Store(folder)
    for system, speed in (("boon", 2000.0), ("hnswlib", 1000.0)):
        passes = {
            "ef=10": [{"queries": 100, "seconds": 100 / speed, "cpu_seconds": 1, "recall": 0.85}],
            "ef=100": [{"queries": 100, "seconds": s / speed, "cpu_seconds": 1, "recall": 0.95} for s in (1000, 1200)],
        }
        store.write(
            Entry(
                "small", system, "numpy", "1.0", {"M": 16}, "tuned", build_seconds={"1": 2.5, "2": 1.25},
                memory_bytes=1_000_000, disk_bytes=500_000, chosen=list(passes), passes={"single": passes},
                machine=machine.describe(), run=RUN,
            )
        )  # fmt: skip
    store.write(
        Entry(
            "small",
            "broken",
            "numpy",
            "1.0",
            {"M": 16},
            "failed",
            "killed by SIGILL",
            machine=machine.describe(),
            run=RUN,
        )
    )
    return store


RUN = {
    "at": "2026-01-02T03:04:05+00:00",
    "command": "./dev bench ann --data small",
    "commit": "abc1234",
    "quick": False,
    "shape": [1000, 8],
    "queries": 100,
}


def test_the_best_pass_counts(tmp_path: Path) -> None:
    boon = next(row for row in tables.rows(stored(tmp_path).entries("small")) if row.system == "boon")
    assert boon.qps("single", 0.95) == 200
    assert boon.qps("single", 0.99) is None


def test_report_from_stored_results(tmp_path: Path) -> None:
    files = report.write(
        stored(tmp_path / "store"), ["small"], CONTENDERS, tmp_path / "out", tmp_path / "docs" / "b.md"
    )
    assert all(file.stat().st_size > 0 for file in files)
    assert {file.name for file in files} == {"ann.json", "ann.md", "b.md", "small-single.png", "small-single.svg"}
    page = (tmp_path / "docs" / "b.md").read_text()
    assert "| **boon** | 632 | 200 | – | 2.00 | 2.00 | – |" in page
    assert "| one query a call, one thread | 0.95 | 200 | hnswlib 100 | 2.00 | 2.00 |" in page
    assert "| **boon** | `M=16` | 2.5 | 1.2 | 1 (31.25) | 0 (15.62) |" in page
    assert "- broken (M=16): killed by SIGILL" in page
    assert "![small, single](../out/small-single.svg)" in page
    assert "`./dev bench ann --data small`; boon at commit abc1234" in page
    numbers = json.loads((tmp_path / "out" / "ann.json").read_text())["data"][0]
    assert numbers["not_measured"] == [{"system": "broken (M=16)", "reason": "killed by SIGILL"}]
    assert [system["system"] for system in numbers["systems"]] == ["boon", "hnswlib"]


def test_a_peer_ahead_is_named_and_the_ratio_is_below_one(tmp_path: Path) -> None:
    store = stored(tmp_path)
    ahead = store.entries("small")[0]
    assert ahead.system == "boon"
    ahead.passes["single"]["ef=100"][0]["seconds"] = 100.0
    ahead.passes["single"]["ef=100"].pop()
    store.write(ahead)
    table = tables.against_table(tables.rows(store.entries("small")))
    assert "| one query a call, one thread | 0.95 | 1 | hnswlib 100 | 0.01 | 0.01 |" in table


def test_a_set_without_results_is_said_to_be_so(tmp_path: Path) -> None:
    report.write(Store(tmp_path / "none"), ["small"], CONTENDERS, tmp_path / "out", tmp_path / "b.md")
    assert "Not measured yet." in (tmp_path / "b.md").read_text()


def test_a_page_keeps_what_it_says_beside_the_report(tmp_path: Path) -> None:
    page = tmp_path / "b.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    page.write_text(report.merged(page, "new\n"))
    assert page.read_text() == f"before\n{report.BEGIN}\nnew\n{report.END}\nafter\n"
    assert report.merged(page, "newer") == f"before\n{report.BEGIN}\nnewer\n{report.END}\nafter\n"
    assert report.merged(tmp_path / "none.md", "new") == "new"
