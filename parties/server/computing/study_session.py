"""One run at one server: connect to the other two, agree with them, compute.

The proxies read their shares of the uploads and end with shares of the result; the helper knows the
sizes only. A session that breaks is not resumed: P0 starts another one, with another session id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.handshake import Handshake, Terms, shake_hands
from ppaurora.mpc.keys import Identity, PublicKey, fingerprint
from ppaurora.mpc.link import Counters, Endpoint, Limits, Link, endpoints_of, open_links
from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import PAIRS, PROXIES, Role
from ppaurora.mpc.session import Links, open_session
from ppaurora.mpc.shares import Shared
from ppaurora.parties.build import build
from ppaurora.parties.evidence.commitment import blinded
from ppaurora.parties.evidence.exchange import agreed_statements
from ppaurora.parties.requests.session_facts import Agreed, LinkFacts, ServerFacts, SessionFacts
from ppaurora.parties.server.computing.life_signs import SILENT_SECONDS, watched
from ppaurora.parties.server.computing.progress import Progress
from ppaurora.parties.server.computing.session_keys import SessionKeys
from ppaurora.parties.server.keeping.rosters import NO_SHARE, roster_digest, session_fingerprint
from ppaurora.parties.server.keeping.uploads import share_of_run
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from ppaurora.protocols.errors import ListsRefused
from ppaurora.protocols.evaluate import NOTHING_KNOWN, Evaluation, evaluate, helpers_part
from ppaurora.protocols.lists.outsourcing import received
from ppaurora.protocols.lists.verdicts import Verdicts
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import contract_digest

CONNECT_SECONDS = 3.0
"""Seconds for which P0, which starts a session last, waits for the others at the first try."""
LONGEST_CONNECT_SECONDS = 30.0
"""The longest that this becomes after tries in vain, unless servers have more patience."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a run at one server: its share (not at the helper), and public facts.

    A share of the result is its words and then the blind of the commitment to them.
    """

    share: tuple[int, ...]
    about: SessionFacts


def silence_limit(options: Options, limits: Limits) -> float:
    """For how many seconds a peer may give no sign of life.

    Where the helper commits to what it deals, a session that ends between the toss and the openings
    stops the study, so that a server which stands still is waited for as long as for its words.
    """
    return max(SILENT_SECONDS, limits.deadline) if options.covert else SILENT_SECONDS


def new_session_limits(patience: float) -> Limits:
    """The deadlines of one session, for a server that waits `patience` seconds for a peer."""
    return replace(Limits(), deadline=patience, connect=min(CONNECT_SECONDS, patience))


def run_limits(limits: Limits, run: StudyRun, server: Role, tries: int) -> Limits:
    """The limits of one run of a session, after so many `tries` in a row failed to connect.

    P0 begins its own part once both others have said that they have begun theirs. The others begin
    before P0 does and wait as long as for any other word of a peer; so do all three in the runs
    that follow, since one of them may be done with the last run long before another one. Each try
    in vain doubles the time.

    Who is done early waits an hour for the others, in a covert study an hour for each dealing that
    they may have to check.
    """
    first = run.number == 0 and server is Role.P0
    seconds = (limits.connect if first else limits.deadline) * 2 ** min(tries, 10)
    connect = min(seconds, max(LONGEST_CONNECT_SECONDS, limits.deadline))
    options = run.study.options
    dealings = options.dealings if options.covert else 1
    return replace(limits, connect=connect, goodbye=dealings * limits.goodbye)


def compute(
    run: StudyRun,
    server: Role,
    identity: Identity,
    session: bytes,
    roster: Sequence[StoredUpload],
    read_share: Callable[[bytes], bytes],
    *,
    host: str,
    limits: Limits,
    link_caps: Caps,
    options: Options,
    progress: Progress,
    slot: int,
    on_links: Callable[[Mapping[Role, Link]], None],
    given_up: Callable[[], bool],
    audit_head: Callable[[], str],
    keys: SessionKeys,
    computation: bytes,
    threads: int = 1,
    bulk: bool = True,
    checking: Callable[[bool], None] = lambda under_way: None,
    verdicts: Verdicts = NOTHING_KNOWN,
    verdicts_known: str = "",
) -> Outcome:
    """Run the study's protocol at `server`, in the role that it has in this run, on the link ports
    of `slot`.

    `read_share` gives all that this server stores of an upload. `host` is where it waits for its
    peers, `link_caps` says how many connections its link ports take until the peers have come, and
    `bulk` whether they may come with a second one for large bodies.
    `options` are the study's with the conditions of this session, which the handshake binds.
    `on_links` is told the links, so that another thread can declare a peer lost; until there are
    any, `given_up` says that the session is over. `audit_head` gives
    the digest of this server's audit log so far, which it signs with the rest. `keys` are those of
    the three servers in this session, `computation` is the name of all runs together. `checking` is
    told when a check of dealings begins and ends. `verdicts` are those that are known of the
    uploads, and keep what is found; `verdicts_known` names them, so that all three go by the same.
    """
    study, role = run.study, run.role(server)
    sizes = [size for one in roster for size in one.sizes]
    forms = [study.options.pipeline.form(one.samples) for one in roster]
    lengths = [form.numbers for form in forms]
    digests, uploads = [], []
    for one, form in zip(roster, forms, strict=True):
        share = None
        if role in PROXIES:
            share = share_of_run(run, server, read_share(one.upload), form)
        digests.append(NO_SHARE if share is None else sha256(share).digest())
        uploads.append(received(role, share, form))
    publics = {peer: keys[run.place(peer)] for peer in role.others}
    endpoints = run_endpoints(run, server, host, slot, publics)
    terms = Terms(
        study.hash,
        session,
        {
            "software": build(),
            "run": run.title,
            "assurance": options.assurance,
            "dealings": options.dealings,
            "roster": roster_digest(roster),
            "verdicts": verdicts_known,
            "lists": len(roster),
            "samples": sum(sizes),
            "round trip (us)": options.conditions.round_trip_us,
            "megabits a second": options.conditions.megabits,
            **{f"key of {one}": fingerprint(keys[one]) for one in Role},
            **{f"statistic {one.text}": contract_digest(one) for one in study.options.asked},
        },
    )
    dealing = dealing_of(options, role, lengths, sizes, threads, checking, verdicts.known)
    limits = limits.on_network(options.conditions.round_trip_us, options.conditions.megabits)
    watching = ExitStack()

    def agree(links: Mapping[Role, Link]) -> Handshake:
        agreed = shake_hands(role, identity, links, publics, terms, threads)
        on_links(links)
        silent = silence_limit(options, limits)
        watching.enter_context(watched(identity, run, publics, links, silent))
        return dealing.keys(links, agreed)

    with (
        watching,
        open_session(
            role,
            connect=lambda: open_links(
                role,
                identity,
                endpoints,
                session,
                limits=limits,
                caps=link_caps,
                given_up=given_up,
                bulk=bulk,
            ),
            agree=agree,
            lasting_key=identity.lasting_key(session_fingerprint(study, roster, digests)),
            on_phase=progress,
            threads=threads,
        ) as party,
    ):
        with watching.pop_all():
            evaluation = evaluated(party, options, uploads, sizes, verdicts)
            if evaluation.results:
                dealing.confirm()
            agreed = Agreed(
                study=study.hash.hex(),
                session=session.hex(),
                owners=tuple((one.owner, one.samples) for one in roster),
                refused=tuple(roster[index].owner for index in evaluation.refused),
                samples=evaluation.samples,
                software=build(),
                round_trip_us=options.conditions.round_trip_us,
                megabits=options.conditions.megabits,
                folds=tuple(one.folds for one in roster if one.folds),
            )
            released = not party.is_helper and evaluation.results
            held = blinded(_words(study, evaluation)) if released else ()
            statements = agreed_statements(
                party.links, identity, run, role, computation, agreed, held, audit_head(), keys
            )
        tells = study.options.pipeline.onlookers_learn()
        return Outcome(held, SessionFacts(agreed, None if tells else _facts(party), statements))


def run_endpoints(
    run: StudyRun, server: Role, host: str, slot: int, publics: Mapping[Role, PublicKey]
) -> dict[Role, Endpoint]:
    """For each peer of `server`, by its role in this run, where their link is made.

    The ports are those of the servers, so the same one listens in every run.
    """
    study = run.study
    endpoints = endpoints_of(
        server,
        hosts={peer: study.server(peer).host for peer in server.others} | {server: host},
        ports={(low, high): study.server(low).link_port(high, slot) for low, high in PAIRS},
        publics={peer: publics[run.role(peer)] for peer in server.others},
    )
    return {run.role(peer): endpoint for peer, endpoint in endpoints.items()}


def _words(study: Study, evaluation: Evaluation) -> list[int]:
    """This proxy's words of all results, in the study's order."""
    return [int(word) for name in study.options.texts for word in evaluation.results[name].words]


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


class TrustedDealing:
    """The randomness as the helper deals it, which is trusted to follow the protocol."""

    def keys(self, links: Links, agreed: Handshake) -> Handshake:
        """The session keys as the handshake made them."""
        return agreed

    def confirm(self) -> None:
        """Nothing was committed to."""


def dealing_of(
    options: Options,
    role: Role,
    lengths: Sequence[int],
    sizes: Sequence[int],
    threads: int,
    checking: Callable[[bool], None],
    known: Mapping[int, bool],
) -> TrustedDealing | CommittedDealing:
    """Dealing that the options ask for, for uploads of so many words, with lists of these sizes.

    `known` are the verdicts on uploads that are known already, by their places. `checking` is told
    when a check of dealings begins and ends, see `CommittedDealing`.
    """
    if not options.covert:
        return TrustedDealing()
    program = helpers_part(options, lengths, sizes=sizes, verdicts=Verdicts(known))
    return CommittedDealing(role, program, options.dealings, threads=threads, checking=checking)


def evaluated(
    party: Party,
    options: Options,
    uploads: Sequence[Shared],
    sizes: Sequence[int],
    verdicts: Verdicts,
) -> Evaluation:
    """The evaluation; one without results where a covert computation stops at unsound lists."""
    try:
        return evaluate(party, options, uploads, sizes=sizes, verdicts=verdicts)
    except ListsRefused as refusal:
        return Evaluation({}, refusal.refused, 0)
