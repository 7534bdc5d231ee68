"""What the figures were measured on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

# Instruction sets that one of the systems has code for.
NOTED_FLAGS = (
    "sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni", "avx512f", "avx512bw", "avx512vl", "avx512_vnni",
    "avx512_vpopcntdq", "avx512_bf16", "avx512_fp16", "amx_int8", "amx_bf16", "neon", "sve",
)  # fmt: skip


def describe() -> dict[str, Any]:
    info = _cpu_info()
    flags = info.get("flags", info.get("Features", "")).split()
    return {
        "cpu": info.get("model name", platform.processor() or "unknown"),
        "model": "/".join(info.get(key, "?") for key in ("cpu family", "model", "stepping")),
        "isa": [flag for flag in NOTED_FLAGS if flag in flags],
        "cores": len(os.sched_getaffinity(0)),
        "caches": _caches(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def version(package: str) -> str | None:
    """Of a package that pip installed; None if it is not there."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def available_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def resident_bytes(peak: bool = False) -> int:
    """Of this process, mapped files included."""
    key = "VmHWM:" if peak else "VmRSS:"
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_info() -> dict[str, str]:
    first = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _caches() -> dict[str, str]:
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        found[f"L{level}{'' if kind == 'Unified' else kind[0].lower()}"] = size
    return found
