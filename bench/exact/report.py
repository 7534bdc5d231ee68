"""Results as JSON and as a Markdown table."""

from __future__ import annotations

import json
from pathlib import Path

from ann.machine import describe
from exact.result import Result


def write(results: list[Result], folder: Path, command: str, faiss: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    machine = describe()
    record = {
        "command": command,
        "machine": machine,
        "faiss": faiss,
        "results": [result.record() for result in results],
    }
    (folder / "exact.json").write_text(json.dumps(record, indent=1) + "\n")
    (folder / "exact.md").write_text(page(results, command, faiss, machine["cpu"], machine["isa"]))


def page(results: list[Result], command: str, faiss: str, cpu: str, isa: list[str]) -> str:
    lines = [
        "# Exact search beside faiss",
        "",
        f"Written by `{command.strip()}`; faiss-cpu {faiss}, IndexFlat. {cpu}: {' '.join(isa)}. Times are of a",
        "query, the best of several turns. “normal” is 100,000 drawn rows under L2. “fp32” is boon without its copy of",
        "the rows in 8 bits; its share is of the fp32 peak (batches), or of the speed of a plain read by NumPy (single",
        "queries). Wrong answers are counted against sums in double precision.",
        "",
        "| data | d | k | threads | faiss, µs | boon, µs | boon / faiss | fp32 / faiss | fp32, share "
        "| wrong, faiss | wrong, boon |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for batch in (True, False):
        chosen = [result for result in results if result.case.batch == batch]
        for r in chosen:
            share = r.gflops(r.fp32_us) / r.peak_gflops if batch else r.plain_read_us / r.fp32_us
            how = f"{r.queries} at once" if batch else "one a call"
            cells = [
                f"{r.case.data}, {how}", r.case.dim, r.case.k, r.threads, f"{r.faiss_us:,.1f}", f"{r.boon_us:,.1f}",
                f"{r.faiss_us / r.boon_us:.2f}", f"{r.faiss_us / r.fp32_us:.2f}", f"{share:.0%}",
                f"{r.faiss_wrong} of {r.checked * r.case.k}", r.wrong,
            ]  # fmt: skip
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"
