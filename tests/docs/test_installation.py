"""No page and no message installs ppAURORA from an index: no index has a package of ours."""

from __future__ import annotations

import re
from subprocess import run

import pytest

from tests.docs.tree import HOME

FROM_AN_INDEX = re.compile(r"pip3? install[^`\n]*[\s\"']ppaurora(?![\w/])", re.IGNORECASE)


def tracked() -> list[str]:
    """The files of the repository that are no pictures or recordings."""
    listed = run(["git", "ls-files"], cwd=HOME, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if not name.endswith((".png", ".svg"))]


def test_ppaurora_is_installed_from_a_clone_wherever_it_is_installed() -> None:
    names = [name for name in tracked() if name != "tests/docs/test_installation.py"]
    assert "docs/PYTHON.md" in names
    assert "integrations/flower/README.md" in names
    found = {
        name: line
        for name in names
        if (HOME / name).is_file()
        for line in (HOME / name).read_text(encoding="utf-8", errors="ignore").splitlines()
        if FROM_AN_INDEX.search(line)
    }
    assert found == {}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("pip install flwr ppaurora", True),
        ('pip install "ppaurora[ops]"', True),
        ("/opt/ppaurora/bin/pip install .", False),
        ('pip install ".[ops]" in the clone of ppaurora/ppaurora', False),
    ],
)
def test_the_search_finds_what_an_index_would_be_asked_for(line: str, wrong: bool) -> None:
    assert bool(FROM_AN_INDEX.search(line)) is wrong
