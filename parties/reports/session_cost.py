"""The cost of a computation, from the measurements of its servers in each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ppaurora.mpc.committed import RUNS
from ppaurora.mpc.party import Phase
from ppaurora.mpc.printable import printable
from ppaurora.mpc.role import PAIRS, PROXIES, Role
from ppaurora.parties.errors import DocumentRefused
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.requests.result_parts import RunPart
from ppaurora.parties.requests.session_facts import LinkFacts, ServerFacts
from ppaurora.parties.study.runs import StudyRun

MOST_COUNTED = 1 << 56
"""Hops, frames and bytes of one run, at one server."""
LONGEST_SECONDS = 1e9
MOST_PHASES, MOST_LETTERS = 10_000, 100


@dataclass(frozen=True, slots=True)
class SessionCost(JsonDocument):
    """The cost of all runs together; servers and links are named by their roles in the study.

    Every link's bytes are counted once. Hops and seconds are the larger of both proxies' in each
    run, added up. `phases` has those of the proxies, one run after the other.
    """

    bytes: int
    hops: int
    seconds: float
    links: Mapping[str, LinkFacts]
    phases: Mapping[str, tuple[Phase, ...]]


def session_cost(runs: Sequence[StudyRun], held: Sequence[Mapping[Role, RunPart]]) -> SessionCost:
    """The cost of a computation; `held` has what both proxies of each run tell."""
    hops, seconds = 0, 0.0
    links: dict[str, LinkFacts] = {}
    phases: dict[str, tuple[Phase, ...]] = {}
    for run, own in zip(runs, held, strict=True):
        measured = {role: _server(run, role, own[role]) for role in PROXIES}
        hops += max(one.hops for one in measured.values())
        seconds += max(one.seconds for one in measured.values())
        for role, one in measured.items():
            name = str(run.place(role))
            phases[name] = (*phases.get(name, ()), *one.phases)
        # P0 sees two of the three links, P1 the third
        for low, high in PAIRS:
            name, sent = _between(run, low, high), _link(measured[low], high)
            so_far = links.get(name, LinkFacts(0, 0))
            links[name] = LinkFacts(so_far.bytes + sent.bytes, so_far.frames + sent.frames)
    return SessionCost(
        sum(link.bytes for link in links.values()), hops, round(seconds, 3), links, phases
    )


def cost_told(content: object) -> SessionCost:
    """The cost that a saved result tells; raises `DocumentRefused` if no session can have it."""
    cost = SessionCost.of_plain(content)
    links = {f"{low}-{high}" for low, high in PAIRS}
    phases = [one for several in cost.phases.values() for one in several]
    counts = [cost.bytes, cost.hops, *(n for link in cost.links.values() for n in _counts(link))]
    counts += [n for phase in phases for n in (phase.hops, phase.bytes_sent, phase.bytes_received)]
    spans = [
        cost.seconds,
        *(span for phase in phases for span in (phase.seconds, phase.cpu_seconds)),
    ]
    if (
        not cost.links.keys() <= links
        or not cost.phases.keys() <= {str(role) for role in Role}
        or len(phases) > MOST_PHASES
        or any(phase.name != printable(phase.name, MOST_LETTERS) for phase in phases)
        or max(counts) > len(links) * RUNS * MOST_COUNTED
        or not 0 <= min(spans) <= max(spans) <= RUNS * LONGEST_SECONDS
    ):
        raise DocumentRefused("The cost that the document tells is not one of a session")
    return cost


def _counts(link: LinkFacts) -> tuple[int, int]:
    return link.bytes, link.frames


def _between(run: StudyRun, low: Role, high: Role) -> str:
    first, second = sorted(map(run.place, (low, high)))
    return f"{first}-{second}"


def _server(run: StudyRun, role: Role, handed: RunPart) -> ServerFacts:
    """The measurements of a proxy, if they are possible and a file can hold their sums."""
    facts, name = handed.facts.server, run.place(role)
    if facts is None:
        raise DocumentRefused(f"{name} tells nothing about what the session took")
    links, phases = facts.links.values(), facts.phases
    counts = [facts.hops, *(count for link in links for count in (link.bytes, link.frames))]
    counts += [
        count for phase in phases for count in (phase.hops, phase.bytes_sent, phase.bytes_received)
    ]
    spans = [
        facts.seconds,
        *(span for phase in phases for span in (phase.seconds, phase.cpu_seconds)),
    ]
    if max(counts) > MOST_COUNTED or not 0 <= min(spans) <= max(spans) <= LONGEST_SECONDS:
        raise DocumentRefused(
            f"{name} tells figures of the session that cannot be",
            advice=f"Ask the operator of {name} why; until then its part is not used.",
        )
    return facts


def _link(facts: ServerFacts, peer: Role) -> LinkFacts:
    if str(peer) not in facts.links:
        raise DocumentRefused(f"A proxy tells nothing about its link to {peer}")
    return facts.links[str(peer)]
