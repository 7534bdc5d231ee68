"""The descriptions of Debian 12's packages, as the mirrors serve them to apt.

A mirror holds the latest point release and, by their checksums, the lists of some before it. The pinned one is asked
for by its checksum; where no mirror has it any more, the latest stands in, and its number goes on with the texts.
"""

from __future__ import annotations

import dataclasses
import hashlib
import http.client
import lzma
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path

from .cache import file_sha256, replacing
from .report import DataError, notice

CODENAME = "bookworm"
LIST = "main/i18n/Translation-en.xz"
# The second takes over when the distribution leaves the mirrors, years after its last update.
MIRRORS = ["http://deb.debian.org/debian", "http://archive.debian.org/debian"]
TIMEOUT_S = 60


@dataclasses.dataclass(frozen=True)
class Release:
    """A point release: its number ("12.15"), and the SHA-256 that it gives for LIST."""

    version: str
    list_sha256: str


# Of July 2026. Debian 12 is in long-term support since, whose updates go into another archive, so that this may stay
# its last.
PINNED = Release("12.15", "a3d4a0bfd8e9242810b0885eda7c1a6e05dac15b333ddbaab03ba56f2dfa4bf0")


def fetch_list(cache: Path) -> tuple[Release, Path]:
    """The list of the pinned release, else of the latest, in `cache`; fetched if it is not there.

    Raises DataError where no mirror gives one.
    """
    kept = kept_list(cache, PINNED)
    if kept.exists() and file_sha256(kept) == PINNED.list_sha256:
        return PINNED, kept
    failures = []
    for get in (get_pinned, get_latest):
        for mirror in mirrors():
            try:
                release, content = get(f"{mirror}/dists/{CODENAME}")
            except (DataError, OSError, http.client.HTTPException) as error:
                failures.append(f"{mirror}: {error}")
                continue
            kept = kept_list(cache, release)
            kept.parent.mkdir(parents=True, exist_ok=True)
            with replacing(kept) as part:
                part.write_bytes(content)
            return release, kept
    raise DataError("no mirror gave the descriptions of Debian's packages\n" + "\n".join(dict.fromkeys(failures)))


def kept_list(cache: Path, release: Release) -> Path:
    return cache / "packages" / f"debian-{release.version}-Translation-en.xz"


def get_pinned(distribution: str) -> tuple[Release, bytes]:
    """The pinned list from the folder of the distribution on a mirror."""
    by_hash = f"{LIST.rpartition('/')[0]}/by-hash/SHA256/{PINNED.list_sha256}"
    return PINNED, verified(download(f"{distribution}/{by_hash}"), PINNED)


def get_latest(distribution: str) -> tuple[Release, bytes]:
    """The list of the latest point release from the folder of the distribution on a mirror."""
    release = parse_release(download(f"{distribution}/Release").decode())
    return release, verified(download(f"{distribution}/{LIST}"), release)


def verified(content: bytes, release: Release) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != release.list_sha256:
        raise DataError(f"the list fetched has SHA-256 {found}, expected {release.list_sha256}")
    return content


def mirrors() -> list[str]:
    """The mirror that apt on this machine uses for this distribution, if it does, then the public ones."""
    found = []
    if shutil.which("apt-get"):
        wanted = ["Origin: Debian", f"Codename: {CODENAME}", "Component: main"]
        command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", *wanted]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        found = [line.rstrip("/") for line in result.stdout.splitlines() if re.match("https?://", line)]
    return list(dict.fromkeys([*found, *MIRRORS]))


def download(url: str) -> bytes:
    """What `url` serves, through the proxy of the environment where there is one."""
    notice(f"fetching {url}")
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
        return answer.read()


def parse_release(text: str) -> Release:
    """Reads a Release file. Raises DataError if it is of another distribution or does not name the list."""
    fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", text, re.MULTILINE))
    checksum = re.search(rf"^ ([0-9a-f]{{64}}) +\d+ {re.escape(LIST)}$", text, re.MULTILINE)
    if fields.get("Codename") != CODENAME or "Version" not in fields or checksum is None:
        raise DataError(f"not a Release file of Debian {CODENAME} with {LIST}")
    return Release(fields["Version"], checksum[1])


def read_list(path: Path) -> list[tuple[str, str]]:
    """The packages and descriptions of a fetched list; see parse_list."""
    with lzma.open(path) as file:
        return parse_list(file.read().decode())


def parse_list(text: str) -> list[tuple[str, str]]:
    """(package, description) of each entry, in the order of the list.

    A description is one line: "synopsis. The long text", with its line breaks and paragraphs as single spaces.
    """
    entries = []
    for stanza in text.split("\n\n"):
        if not stanza.strip():
            continue
        fields = re.fullmatch(r"(?s)\s*Package: (\S+)\n.*?^Description-en: ?([^\n]*)(.*)", stanza, re.MULTILINE)
        if fields is None:
            raise DataError(f"not an entry of {LIST}: {stanza.strip()[:80]!r}")
        package, synopsis, rest = fields.groups()
        # A line with a full stop alone stands for an empty one.
        words = " ".join(line for line in rest.split("\n") if line != " .").split()
        head = " ".join(synopsis.split())
        entries.append((package, f"{head}. {' '.join(words)}" if words else head))
    return entries


def distinct(entries: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The entries without those whose description stands earlier in the list: variants of a package share one."""
    first: dict[str, str] = {}
    for package, description in entries:
        first.setdefault(description, package)
    return [(package, description) for description, package in first.items()]
