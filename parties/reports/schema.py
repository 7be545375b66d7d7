"""The published schema of a result document, for those who read it by program."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["result_schema"]


def result_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) that every saved result keeps.

    >>> result_schema()["title"]
    'ppAURORA result, version 3'
    """
    text = (files("ppaurora.parties.reports") / "result.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
