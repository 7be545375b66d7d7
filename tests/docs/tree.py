"""The project's own files, as the tests of its pages read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
FOLDERS = ("mpc", "protocols", "parties", "bench", "tests", "scripts", "docs", "integrations")
KINDS = (".py", ".md", ".toml")


def texts() -> Iterator[tuple[str, str]]:
    """Every source file and page by its path below the top folder, with its text."""
    paths = [path for path in HOME.iterdir() if path.is_file()]
    for folder in FOLDERS:
        paths += (HOME / folder).rglob("*")
    for path in sorted(paths):
        if path.suffix in KINDS:
            yield path.relative_to(HOME).as_posix(), path.read_text(encoding="utf-8")


def page(name: str) -> str:
    """The text of a page, by its path below the top folder."""
    return (HOME / name).read_text(encoding="utf-8")
