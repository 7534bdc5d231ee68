"""The process that holds one system: does commands from stdin, lines of JSON, one at a time and answers each.

What libraries print goes to stderr, whatever they print it to; the harness keeps it as the log of this process.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ann import data, machine
from ann.recall import recall
from ann.system import System, Unavailable, Vectors, make

WARM_UP_QUERIES = 100
CLOCK_EVERY = 64  # queries between two looks at the clock

Reply = dict[str, Any]


class Worker:
    def __init__(self, folder: Path, adapter: str, parameters: dict[str, Any]) -> None:
        self.cpus = sorted(os.sched_getaffinity(0))
        self.set = data.open_folder(folder)
        self.system: System = make(adapter, parameters)

    def build(self, threads: int, save: str | None = None) -> Reply:
        """Builds on so many threads: seconds, bytes on disk, bytes by which this process grew, now and at most."""
        self.pin(threads)
        # Every page of the data is resident before, so that none counts as the index's.
        float(sum(np.sum(part) for part in (self.set.base, self.set.queries)))
        settle()
        before = machine.resident_bytes()
        start = time.perf_counter()
        self.system.build(self.set.base, self.set.metric, threads)
        seconds = time.perf_counter() - start
        peak = machine.resident_bytes(peak=True)
        settle()
        reply: Reply = {
            "seconds": seconds,
            "memory_bytes": machine.resident_bytes() - before,
            "peak_bytes": peak - before,
            "note": self.system.note,
        }
        if save:
            folder = Path(save)
            folder.mkdir(parents=True, exist_ok=True)
            self.system.save(folder)
            reply["disk_bytes"] = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
        return reply

    def run(self, mode: str, part: str, query: dict[str, Any], most: int = 0, limit_s: float = 0) -> Reply:
        """One pass over the queries of a part, "tune" or "report": how many, seconds, processor seconds, recall.

        mode: "single" asks one query a call; "batch1" and "batch2" ask all in one call on one or two threads. limit_s
        ends a pass of single queries early. {"absent": true} where the library has no call for many queries.
        """
        queries, truth = self.set.part(part, most)
        threads = 2 if mode == "batch2" else 1
        self.pin(threads)
        self.system.set_query(**query)
        gc.collect()
        gc.disable()
        try:
            if mode == "single":
                answers, seconds, cpu = self.single(queries, limit_s)
            else:
                self.system.batch(queries[:WARM_UP_QUERIES], data.K, threads)
                answers, seconds, cpu = timed(lambda: self.system.batch(queries, data.K, threads))
        finally:
            gc.enable()
        if answers is None:
            return {"absent": True}
        return {
            "queries": len(answers),
            "seconds": seconds,
            "cpu_seconds": cpu,
            "recall": recall(answers, queries, self.set.base, truth),
        }

    def single(self, queries: Vectors, limit_s: float) -> tuple[Any, float, float]:
        rows = list(queries)
        query = self.system.query
        for row in rows[:WARM_UP_QUERIES]:
            query(row, data.K)
        deadline = time.perf_counter() + limit_s if limit_s else float("inf")

        def ask() -> list[Any]:
            answers: list[Any] = []
            for number, row in enumerate(rows):
                if number % CLOCK_EVERY == 0 and time.perf_counter() > deadline and answers:
                    break
                answers.append(query(row, data.K))
            return answers

        return timed(ask)

    def pin(self, threads: int) -> None:
        """Holds all threads of this process to as many processors as it may use, whatever pools a library keeps."""
        for thread in Path("/proc/self/task").iterdir():
            try:
                os.sched_setaffinity(int(thread.name), self.cpus[-threads:])
            except ProcessLookupError:
                continue


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    cpu, start = time.process_time(), time.perf_counter()
    result = work()
    return result, time.perf_counter() - start, time.process_time() - cpu


def settle() -> None:
    """Gives freed memory back to the system, so that what is resident is in use."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    worker: Worker | None = None
    for line in sys.stdin:
        command = json.loads(line)
        verb = command.pop("do")
        try:
            if verb == "open":
                worker = Worker(Path(command["folder"]), command["adapter"], command["parameters"])
                reply: Reply = {}
            elif worker is None:
                raise RuntimeError(f"{verb} before open")
            else:
                reply = worker.build(**command) if verb == "build" else worker.run(**command)
        except (Unavailable, ImportError) as error:
            reply = {"unavailable": str(error)}
        except Exception as error:  # a peer may raise anything; the harness records it
            reply = {"error": f"{type(error).__name__}: {error}"[:500]}
        answers.write(json.dumps(reply) + "\n")


if __name__ == "__main__":
    main()
