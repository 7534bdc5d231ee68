"""What was measured of a case."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from exact.cases import Case


@dataclass(frozen=True)
class Result:
    case: Case
    threads: int
    queries: int
    faiss_us: float  # a query, as all of these
    boon_us: float
    fp32_us: float
    plain_read_us: float  # the time a plain read of the rows takes
    peak_gflops: float  # of all threads
    prepare_ms: float  # what boon makes of the rows before it searches
    checked: int
    wrong: int  # answers of boon at another rank or place than in double precision
    faiss_wrong: int

    def gflops(self, us: float) -> float:
        return 2e-3 * self.case.rows * self.case.dim / us

    def line(self) -> str:
        case = self.case
        how = "batch " if case.batch else "single"
        return (
            f"{case.data:8} d={case.dim:<4} k={case.k:<4} {how} threads={self.threads}  faiss {self.faiss_us:9.1f} µs"
            f"  boon {self.boon_us:8.1f} µs, {self.faiss_us / self.boon_us:5.2f} x"
            f"  fp32 alone {self.faiss_us / self.fp32_us:5.2f} x, {self.gflops(self.fp32_us) / self.peak_gflops:4.0%}"
            f" of peak;  wrong {self.wrong}, faiss {self.faiss_wrong} of {self.checked * case.k}"
        )

    def record(self) -> dict[str, Any]:
        return asdict(self)
