"""Test vectors of everything that travels, for programs in other languages.

    .venv/bin/python -m tests.vectors.make           name the files that differ from the code
    .venv/bin/python -m tests.vectors.make --write   write them anew

docs/PROTOCOL.md describes what they hold. Every key, nonce and seed in them is fixed and public.
Bytes are hexadecimal digits, and so are words, 16 digits each, the highest first. What has to be
refused stands beside the reason, in words for people.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.vectors.cases import Vectors
from tests.vectors.of_keys_and_studies import keys, studies
from tests.vectors.of_links import frame, hello
from tests.vectors.of_requests import requests
from tests.vectors.of_results import result, statement
from tests.vectors.of_uploads import uploads

FOLDER = Path(__file__).resolve().parent
FILES: Mapping[str, Callable[[], Vectors]] = {
    "keys": keys,
    "frame": frame,
    "hello": hello,
    "study": studies,
    "requests": requests,
    "shares": uploads,
    "statement": statement,
    "result": result,
}


def text_of(name: str) -> str:
    """The text of a file of vectors as the code makes it now."""
    return json.dumps(FILES[name](), indent=1, ensure_ascii=True) + "\n"


def main() -> int:
    """The exit code: 1 if a file differs from the code and is not written."""
    writes = sys.argv[1:] == ["--write"]
    differing = 0
    for name in FILES:
        path, text = FOLDER / f"{name}.json", text_of(name)
        if not path.exists() or path.read_text(encoding="ascii") != text:
            print(path.relative_to(FOLDER.parents[1]))
            differing += 1
            if writes:
                path.write_text(text, encoding="ascii")
    return int(differing > 0 and not writes)


if __name__ == "__main__":
    sys.exit(main())
