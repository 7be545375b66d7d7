"""The part of a result that a server hands out: its share of each run in which it is a proxy.

    words = share of one run, share of the next, ..     each as long as the others
    about = facts of one run, facts of the next, ..     a line each

So the one run of a semi-honest study has its words and its facts as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DocumentRefused
from ppaurora.parties.requests.messages import ResultPart
from ppaurora.parties.requests.session_facts import SessionFacts
from ppaurora.parties.study.runs import holders, proxy_runs, runs_of
from ppaurora.parties.study.study import Study


@dataclass(frozen=True, slots=True)
class RunPart:
    """A proxy's share of one run's result with its blind, and what it tells about the run."""

    words: tuple[int, ...] = field(repr=False)
    facts: SessionFacts


def together(shares: Sequence[RunPart]) -> tuple[tuple[int, ...], str]:
    """The words and the text in which a server keeps its shares of several runs."""
    words = tuple(word for share in shares for word in share.words)
    return words, "\n".join(share.facts.to_json() for share in shares)


def run_parts(study: Study, server: Role, part: ResultPart) -> list[RunPart]:
    """The shares in what `server` hands out, one of each run in which it is a proxy."""
    count = len(proxy_runs(study, server))
    lines = part.about.split("\n")
    if len(lines) != count or len(part.words) % count:
        raise DocumentRefused(f"{server} hands out shares of another number of runs than {count}")
    try:
        facts = [SessionFacts.from_json(line) for line in lines]
    except DocumentRefused as error:
        raise DocumentRefused(
            f"{server} tells of the session what cannot be read: {error}"
        ) from None
    size = len(part.words) // count
    shares = [part.words[place * size : (place + 1) * size] for place in range(count)]
    return [RunPart(*one) for one in zip(shares, facts, strict=True)]


def at_roles(study: Study, handed: Sequence[Sequence[RunPart]]) -> list[dict[Role, RunPart]]:
    """For each of the study's runs the parts that its two proxies handed out, by their roles.

    `handed` lists, for each server that was a proxy in a run, its parts of these runs in order.
    """
    held: list[dict[Role, RunPart]] = [{} for _ in runs_of(study)]
    for server, own in zip(holders(study), handed, strict=True):
        for run, one in zip(proxy_runs(study, server), own, strict=True):
            held[run.number][run.role(server)] = one
    return held
