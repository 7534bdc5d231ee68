"""Exact search beside faiss's IndexFlat: the same rows, the same queries, by turns in one process, the best of several.

boon is measured as it chooses itself, and in fp32 alone. Its fp32 speed is also told as a share of what the processor
could do at most, measured between the turns. Answers are compared with sums in double precision.
"""

from __future__ import annotations

import os

# Threads of faiss that wait by spinning would take the processor from whatever is measured next. Set before it is read.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import argparse
import shlex
import sys
from pathlib import Path

from exact.cases import QUICK_CASES, Case, all_cases
from exact.measure import FAISS_VERSION, measure
from exact.report import write
from exact.result import Result

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench exact", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="two small cases, in less than a minute")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, with commas between (default: 1,2)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="turns; the best counts (default: 5)")
    parser.add_argument("--check", type=int, default=100, metavar="N", help="queries of a case that are checked")
    parser.add_argument("--output", type=Path, help="folder for the results (default: bench/results)")
    arguments = parser.parse_args()
    output = arguments.output or (ROOT / "build" / "bench" / "exact" if arguments.quick else ROOT / "bench" / "results")
    cases: list[Case] = QUICK_CASES if arguments.quick else all_cases()
    results: list[Result] = []
    for case in cases:
        for threads in map(int, arguments.threads.split(",")):
            results.append(measure(case, threads, arguments.repeat, arguments.check))
            print(results[-1].line(), flush=True)
    write(results, output, "./dev bench exact " + shlex.join(sys.argv[1:]), FAISS_VERSION)
    wrong = sum(result.wrong for result in results)
    if wrong:
        print(f"{wrong} answers of boon differ from those in double precision", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
