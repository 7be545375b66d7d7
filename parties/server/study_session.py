"""One session at one server: connect to the other two, agree with them, compute.

The proxies read their shares of the uploads and end with shares of the result; the helper knows the
sizes only. A session that breaks is not resumed: P0 starts another one, with another session id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version

from ppaurora.mpc.handshake import Terms, shake_hands
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Counters, Limits, Link, endpoints_of, open_links
from ppaurora.mpc.link.places import Caps
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.mpc.session import open_session
from ppaurora.parties.evidence.commitment import blinded
from ppaurora.parties.evidence.exchange import agreed_statements
from ppaurora.parties.requests.session_facts import Agreed, LinkFacts, ServerFacts, SessionFacts
from ppaurora.parties.server.life_signs import watched
from ppaurora.parties.server.occasion import NO_SHARE, occasion, roster_digest
from ppaurora.parties.server.progress import Progress
from ppaurora.parties.study.holding import Holding
from ppaurora.parties.study.study import Study
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.lists.outsourcing import received
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import contract_digest

__all__ = ["Outcome", "compute", "new_session_limits", "software"]

CONNECT_SECONDS = 3.0
"""How long to wait for a peer: all three servers were told to connect at the same moment."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one server holds after a session: its share (not at the helper), and public facts.

    A share of the result is its words and then the blind of the commitment to them.
    """

    share: tuple[int, ...]
    about: SessionFacts


def software() -> str:
    """The version of this program, which all three servers must share."""
    try:
        return version("ppaurora")
    except PackageNotFoundError:
        return "unknown"


def new_session_limits(patience: float) -> Limits:
    """The deadlines of one session, for a server that waits `patience` seconds for a peer."""
    return replace(Limits(), deadline=patience, connect=min(CONNECT_SECONDS, patience))


def compute(
    study: Study,
    role: Role,
    identity: Identity,
    session: bytes,
    roster: Sequence[Holding],
    read_share: Callable[[bytes], bytes],
    *,
    host: str,
    limits: Limits,
    strangers: Caps,
    options: Options,
    progress: Progress,
    on_links: Callable[[Mapping[Role, Link]], None],
    audit_head: Callable[[], str],
    threads: int = 1,
    bulk: bool = True,
) -> Outcome:
    """Run the study's protocol at `role`; `host` is where this server waits for its peers.

    `strangers` says how many connections its link ports take until the peers have come, and `bulk`
    whether they may come with a second one for large bodies.
    `options` are the study's with the conditions of this session, which the handshake binds.
    `on_links` is told the links, so that another thread can declare a peer lost. `audit_head` gives
    the digest of this server's audit log so far, which it signs with the rest.
    """
    sizes = [size for one in roster for size in one.sizes]
    words = study.options.pipeline.words
    digests, uploads = [], []
    for one in roster:
        share = None if role is Role.HELPER else read_share(one.upload)
        digests.append(NO_SHARE if share is None else sha256(share).digest())
        uploads.append(received(role, share, words(one.samples)))
    publics = {peer: study.server(peer).public for peer in role.others}
    endpoints = endpoints_of(
        role,
        hosts={peer: study.server(peer).host for peer in role.others} | {role: host},
        ports={(low, high): study.server(low).link_port(high) for low, high in PAIRS},
        publics=publics,
    )
    terms = Terms(
        study.hash,
        session,
        {
            "software": software(),
            "roster": roster_digest(roster),
            "lists": len(roster),
            "samples": sum(sizes),
            "round trip (us)": options.conditions.round_trip_us,
            "megabits a second": options.conditions.megabits,
            **{f"statistic {one.text}": contract_digest(one) for one in study.options.statistics},
        },
    )
    with open_session(
        role,
        connect=lambda: open_links(
            role, identity, endpoints, session, limits=limits, strangers=strangers, bulk=bulk
        ),
        agree=lambda links: shake_hands(role, identity, links, publics, terms),
        lasting_key=identity.lasting_key(occasion(study, roster, digests)),
        on_phase=progress,
        threads=threads,
    ) as party:
        on_links(party.links)
        with watched(identity, study, party.links):
            evaluation = evaluate(party, options, uploads, sizes=sizes)
            agreed = Agreed(
                study=study.hash.hex(),
                session=session.hex(),
                owners=tuple((one.owner, one.samples) for one in roster),
                refused=tuple(roster[index].owner for index in evaluation.refused),
                samples=evaluation.samples,
                software=software(),
                round_trip_us=options.conditions.round_trip_us,
                megabits=options.conditions.megabits,
                folds=tuple(one.folds for one in roster if one.folds),
            )
            held = () if party.is_helper else blinded(_words(study, evaluation))
            statements = agreed_statements(
                party.links, identity, study, role, agreed, held, audit_head()
            )
        tells = study.options.pipeline.onlookers_learn()
        return Outcome(held, SessionFacts(agreed, None if tells else _facts(party), statements))


def _words(study: Study, evaluation: Evaluation) -> list[int]:
    """This proxy's words of all results, in the study's order."""
    return [int(word) for name in study.options.metrics for word in evaluation.results[name].words]


def _facts(party: Party) -> ServerFacts:
    return ServerFacts(
        links={
            str(peer): LinkFacts(_bytes(link.counters), _frames(link.counters), link.bulk)
            for peer, link in party.links.items()
        },
        hops=party.hops,
        seconds=round(sum(p.seconds for p in party.phases if "/" not in p.name), 3),
        phases=tuple(
            replace(phase, seconds=round(phase.seconds, 4), cpu_seconds=round(phase.cpu_seconds, 4))
            for phase in party.phases
        ),
    )


def _bytes(moved: Counters) -> int:
    """Everything on the link, both ways: payload, headers, and what keeps the link going."""
    return sum(count for name, count in asdict(moved).items() if "bytes" in name)


def _frames(moved: Counters) -> int:
    return moved.frames_sent + moved.frames_received
