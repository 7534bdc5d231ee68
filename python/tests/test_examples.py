"""The examples run and say what they should."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAID = {
    "quickstart.py": ["nearest to vector 17: [17", "from the file: <boon.Index: 10,000 vectors"],
    "word_analogies.py": [
        "man is to king as woman is to queen",
        "paris is to france as tokyo is to japan",
        "near to ocean:",
    ],
    "filtered_search.py": ["by mask:", "of three:"],
}


def test_all_are_here():
    assert {file.name for file in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_example(name):
    ended = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    for text in SAID[name]:
        assert text in ended.stdout
