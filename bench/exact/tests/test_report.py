"""The table says what was measured."""

from __future__ import annotations

import json
from pathlib import Path

from exact.cases import Case
from exact.report import page, write
from exact.result import Result

RESULT = Result(
    case=Case("normal", "l2", 100_000, 64, 10, True), threads=2, queries=1000, faiss_us=400.0, boon_us=100.0,
    fp32_us=200.0, plain_read_us=50.0, peak_gflops=128.0, prepare_ms=9.0, checked=100, wrong=0, faiss_wrong=3,
)  # fmt: skip


def test_ratios_and_shares() -> None:
    row = page([RESULT], "./dev bench exact ", "1.15", "a processor", ["avx2"]).splitlines()[-1]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        "normal, 1000 at once", "64", "10", "2", "400.0", "100.0", "4.00", "2.00", "50%", "3 of 1000", "0",
    ]  # fmt: skip


def test_json_holds_the_cases(tmp_path: Path) -> None:
    write([RESULT], tmp_path, "./dev bench exact", "1.15")
    stored = json.loads((tmp_path / "exact.json").read_text())["results"][0]
    assert stored["case"]["dim"] == 64 and stored["boon_us"] == 100.0
