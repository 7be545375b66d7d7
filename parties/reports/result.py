"""The result as its receivers have it: put together from two shares, saved, shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ppaurora.mpc.role import Role
from ppaurora.mpc.sharing import reconstruct
from ppaurora.parties.errors import DocumentRefused, ProxiesDisagree
from ppaurora.parties.requests.messages import ResultPart
from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Released

__all__ = ["Result", "combine"]

FORMAT = "ppaurora result"
VERSION = 2


@dataclass(frozen=True, slots=True)
class Result:
    """Every released value, and what was agreed and observed about the computation."""

    session: bytes
    values: dict[str, Released]
    content: dict[str, Any]

    def to_json(self) -> str:
        """The versioned document that is saved."""
        return json.dumps(self.content, indent=2, ensure_ascii=False) + "\n"

    def save(self, path: Path) -> None:
        """Write the document beside its place first, so that no half of it is ever seen."""
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_text(self.to_json(), encoding="utf-8")
        beside.replace(path)


def combine(study: Study, first: ResultPart, second: ResultPart) -> Result:
    """Add the two proxies' shares, which must be of one session and tell the same about it."""
    about = [_about(part) for part in (first, second)]
    agreed = about[0]["agreed"]
    count = sum(one.words(study.options.decimals) for one in study.options.statistics)
    if (
        agreed != about[1]["agreed"]
        or agreed.get("study") != study.hash.hex()
        or agreed.get("session") != first.session.hex()
        or first.session != second.session
        or not len(first.words) == len(second.words) == count
    ):
        raise ProxiesDisagree(
            "P0 and P1 do not tell the same about the result, so it is not used",
            advice="Ask their operators to look at their logs, then fetch it again.",
        )
    words = reconstruct(_words(first), _words(second))
    values = _values(study.options, words.tolist(), agreed["samples"])
    return Result(first.session, values, _content(study, values, agreed, about))


def _values(options: Options, words: list[int], samples: int) -> dict[str, Released]:
    """Each statistic's words, read by itself."""
    values = {}
    rest = iter(words)
    for text, one in zip(options.metrics, options.statistics, strict=True):
        own = list(islice(rest, one.words(options.decimals)))
        values[text] = one.released(own, options.decimals) if samples else one.nothing()
    return values


def _about(part: ResultPart) -> dict[str, Any]:
    try:
        about = json.loads(part.about)
        if isinstance(about["agreed"], dict) and isinstance(about["server"], dict):
            return dict(about)
    except (ValueError, KeyError, TypeError):
        pass
    raise DocumentRefused("A proxy sends a result that cannot be read")


def _words(part: ResultPart) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    if any(word >= 1 << 64 for word in part.words):
        raise DocumentRefused("A proxy sends a share that is no word")
    return np.array(part.words, np.uint64)


def _content(
    study: Study,
    values: dict[str, Released],
    agreed: dict[str, Any],
    about: list[dict[str, Any]],
) -> dict[str, Any]:
    owners = {str(name): int(samples) for name, samples in agreed["owners"]}
    refused = [str(name) for name in agreed["refused"]]
    names = list(owners)
    return {
        "format": FORMAT,
        "version": VERSION,
        "values": {text: value.to_json() for text, value in values.items()},
        "study": {"id": study.id, "title": study.title, "hash": study.hash.hex()},
        "options": {
            "decimals": study.options.decimals,
            "merge": study.options.merge,
            "delta": study.options.delta,
            "ties": study.options.ties,
            "scores": study.content()["scores"],
            "rule": study.content()["rule"],
        },
        "session": agreed["session"],
        "owners": owners,
        "refused": refused,
        "samples": agreed["samples"],
        "cost": _cost(about),
        "ledger": ledger(
            study.options, list(owners.values()), refused=[names.index(one) for one in refused]
        ).to_json(),
        "software": agreed["software"],
        "fetched": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _cost(about: list[dict[str, Any]]) -> dict[str, Any]:
    """Every link once: P0 sees two of the three, P1 the third."""
    p0, p1 = (one["server"] for one in about)
    links = {
        "P0-P1": p0["links"][str(Role.P1)],
        "P0-helper": p0["links"][str(Role.HELPER)],
        "P1-helper": p1["links"][str(Role.HELPER)],
    }
    return {
        "bytes": sum(link["bytes"] for link in links.values()),
        "hops": max(p0["hops"], p1["hops"]),
        "seconds": max(p0["seconds"], p1["seconds"]),
        "links": links,
        "phases": {"P0": p0["phases"], "P1": p1["phases"]},
    }
