"""Results forged by whoever holds one key of one server, with the file that a receiver saved.

The three servers of the sample study have changed their keys twice: the study names the first ones,
the session ran with the second ones, and today the third ones are in force. A forger has one of the
nine. It changes what it likes in the document and signs that server's statements anew.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import PAIRS, PROXIES, Role
from ppaurora.parties.evidence.commitment import commitment
from ppaurora.parties.evidence.proof import Evidence, proven, shares_of
from ppaurora.parties.evidence.statement import DOMAIN
from ppaurora.parties.reports.result import ROTATED, Result
from ppaurora.parties.reports.session_cost import SessionCost
from ppaurora.parties.requests.session_facts import LinkFacts
from ppaurora.parties.study.key_statements import KeyChange, changed
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from ppaurora.parties.study.runs import StudyRun, runs_of
from ppaurora.parties.study.study import Study
from tests.parties.evidence import session
from tests.parties.sample import study

FIRST, SECOND, THIRD = (
    {role: Identity.from_private(bytes([16 * number + role + 1]) * 64) for role in Role}
    for number in range(3)
)
IN_SESSION = SECOND
CHANGES: tuple[KeyChange, ...] = tuple(
    changed(old[role], new[role], date(2026, 11, 1 + at), 5)
    for at, (old, new) in enumerate(((FIRST, SECOND), (SECOND, THIRD)))
    for role in Role
)
KEYS = KeysInForce(KeyStatements.of(CHANGES))
WORDS = (8250,)
BETTER = 1750
"""The number that a forger adds to the first word: 0.8250 becomes 1.0000."""
SEMI_HONEST = study(metrics=("auroc",))
OTHER = study(metrics=("auroc",), id="other")
COVERT = study(metrics=("auroc",), assurance="covert", dealings=2, merge="network")

Document = dict[str, Any]


@contextmanager
def _signing_with(keys: Mapping[Role, Identity]) -> Iterator[None]:
    before = dict(session.SERVERS)
    session.SERVERS.update(keys)
    try:
        yield
    finally:
        session.SERVERS.update(before)


def saved(of: Study, name: bytes = session.SESSION) -> Document:
    """The document of an honest session of this name."""
    proofs = []
    with _signing_with(IN_SESSION):
        for run in runs_of(of):
            agreed = session.agreed_on(of, session=run.session(name).hex())
            shares = session.shares_of(WORDS)
            signed = session.statements(of, agreed, shares, run.number, name)
            proofs.append(proven(run, signed, shares, KEYS.ever_of_servers(of)))
    links = {f"{low}-{high}": LinkFacts(1, 1) for low, high in PAIRS}
    cost = SessionCost(3, 5, 0.5, links, {"P0": (), "P1": ()})
    result = Result(of, proofs[0], cost, "2026-11-23T23:00:00+00:00", tuple(proofs[1:]))
    return json.loads(result.to_json())  # type: ignore[no-any-return]


DOCUMENTS = {one.hash: saved(one) for one in (SEMI_HONEST, COVERT)}
OF_ANOTHER_SESSION = {one.hash: saved(one, b"t" * 16) for one in (SEMI_HONEST, COVERT)}
OF_ANOTHER_STUDY = saved(OTHER)


@dataclass(frozen=True, slots=True)
class Forger:
    """Whoever holds one key of `server`: that of the session, or one before or after it."""

    server: Role
    key: Identity
    which: str

    @property
    def name(self) -> str:
        return f"{self.server}, {self.which} key"

    def signs(self, text: str) -> dict[str, str]:
        return {"text": text, "signature": self.key.sign(DOMAIN + text.encode()).hex()}

    def sign_anew(self, document: Document, of: Study, change: Callable[..., None]) -> None:
        """Change this server's statement of every run, and sign it anew.

        `change` is given the run, the statement, and the run's evidence.
        """
        for run, evidence in zip(runs_of(of), evidences(document), strict=True):
            role = str(run.role(self.server))
            statement = json.loads(evidence["statements"][role]["text"])
            change(run, statement, evidence)
            text = json.dumps(statement, sort_keys=True)
            evidence["statements"][role] = self.signs(text)


FORGERS = [
    Forger(role, keys[role], which)
    for role in Role
    for which, keys in (("named", FIRST), ("session's", SECOND), ("newest", THIRD))
]


def evidences(document: Document) -> list[Document]:
    """The evidence of every run."""
    return [document["evidence"], *document.get(ROTATED, [])]


def leaves(content: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each text, number and truth value."""
    if isinstance(content, dict):
        return [one for name, inner in content.items() for one in leaves(inner, (*way, name))]
    if isinstance(content, list):
        return [one for at, inner in enumerate(content) for one in leaves(inner, (*way, at))]
    return [way]


def changed_at(content: Any, way: tuple[Any, ...]) -> None:
    """Put another value of the same type there."""
    for step in way[:-1]:
        content = content[step]
    value = content[way[-1]]
    if isinstance(value, bool) or value is None:
        content[way[-1]] = value is not True
    elif isinstance(value, int | float):
        content[way[-1]] = value + 1
    else:
        content[way[-1]] = value[:-1] + ("1" if value[-1:] != "1" else "2")


# -- what a forger does ----------------------------------------------------------------------------


def _shifted(run: StudyRun, evidence: Document, role: Role, by: int) -> str:
    """Add to the first word of a share, in the document; the commitment that fits then."""
    found = Evidence.of_plain(evidence)
    first, *rest = shares_of(found)[role]
    words = ((first + by) % 2**64, *rest)
    evidence["shares"][str(role)] = b"".join(word.to_bytes(8, "big") for word in words).hex()
    at = bytes.fromhex(json.loads(found.statements["P0"].text)["agreed"]["session"])
    return commitment(run.study.hash, at, role, words)


def _better(document: Document) -> None:
    value = document["values"]["auroc"]
    value["value"] = f"{float(value['value']) + BETTER / 10**4:.4f}"


def shifts_shares(forger: Forger, of: Study) -> Iterator[tuple[str, Document]]:
    """A share shifted in every run where that helps, with a new commitment, or with the old one."""
    for commits in (True, False):
        for own in (True, False):
            document = copy.deepcopy(DOCUMENTS[of.hash])

            def change(
                run: StudyRun,
                statement: Any,
                evidence: Any,
                own: bool = own,
                commits: bool = commits,
            ) -> None:
                role = run.role(forger.server)
                role = role if role in PROXIES else Role.P0
                role = role if own else PROXIES[1 - PROXIES.index(role)]
                fitting = _shifted(run, evidence, role, BETTER)
                if commits:
                    statement["shares"][str(role)] = fitting

            forger.sign_anew(document, of, change)
            _better(document)
            yield f"shares shifted, own {own}, committed {commits}", document


def states_another_key(forger: Forger, of: Study) -> Iterator[tuple[str, Document]]:
    """Shifted shares, and a statement that names the forger's key as that of the session."""
    document = copy.deepcopy(DOCUMENTS[of.hash])

    def change(run: StudyRun, statement: Any, evidence: Any) -> None:
        role = run.role(forger.server)
        statement["keys"][str(role)] = forger.key.public.to_bytes().hex()
        shifted = role if role in PROXIES else Role.P0
        statement["shares"][str(shifted)] = _shifted(run, evidence, shifted, BETTER)

    forger.sign_anew(document, of, change)
    _better(document)
    yield "another key named", document


def changes_statements(forger: Forger, of: Study) -> Iterator[tuple[str, Document]]:
    """Every field of the statements, with the document's own entry changed alike."""
    first = json.loads(DOCUMENTS[of.hash]["evidence"]["statements"][str(forger.server)]["text"])
    for way in leaves(first):
        if way == ("audit",) and forger.which == "session's":
            continue  # a server says itself what its own log is; see the test of that
        document = copy.deepcopy(DOCUMENTS[of.hash])

        def change(run: StudyRun, statement: Any, _: Any, way: tuple[Any, ...] = way) -> None:
            if way in leaves(statement):
                changed_at(statement, way)

        forger.sign_anew(document, of, change)
        for told in ("samples", "session", "software"):
            if way == ("agreed", told):
                changed_at(document, (told,))
        if way[:2] == ("agreed", "owners"):
            changed_at(document, ("owners", next(iter(document["owners"]))))
        yield f"statement's {'.'.join(map(str, way))}", document


def changes_the_document(forger: Forger, of: Study) -> Iterator[tuple[str, Document]]:
    """Every signed entry of the document, with the statement signed anew as it was."""
    honest = DOCUMENTS[of.hash]
    for way in leaves(honest):
        if way[0] in ("cost", "fetched", "evidence", ROTATED):
            continue
        document = copy.deepcopy(honest)
        changed_at(document, way)
        forger.sign_anew(document, of, lambda *_: None)
        yield f"document's {'.'.join(map(str, way))}", document


def takes_from_elsewhere(forger: Forger, of: Study) -> Iterator[tuple[str, Document]]:
    """Its statements and shares of another session or study, signed as they were, or anew."""
    others = {"session": OF_ANOTHER_SESSION[of.hash]}
    if of is SEMI_HONEST:
        others["study"] = OF_ANOTHER_STUDY
    for name, other in others.items():
        for anew in (False, True):
            document = copy.deepcopy(DOCUMENTS[of.hash])
            for run, ours, theirs in zip(
                runs_of(of), evidences(document), evidences(other), strict=True
            ):
                role = str(run.role(forger.server))
                taken = theirs["statements"][role]
                ours["statements"][role] = forger.signs(taken["text"]) if anew else taken
                if role in theirs["shares"]:
                    ours["shares"][role] = theirs["shares"][role]
            yield f"of another {name}, signed anew {anew}", document
    if of is COVERT:
        for place in (1, 2):
            document = copy.deepcopy(DOCUMENTS[of.hash])
            first, *rest = evidences(document)
            document["evidence"], rest[place - 1] = rest[place - 1], first
            document[ROTATED] = rest
            forger.sign_anew(document, of, lambda *_: None)
            yield f"run 1 and run {place + 1} exchanged", document
            document = copy.deepcopy(DOCUMENTS[of.hash])
            runs = evidences(document)
            role = str(StudyRun(of, place).role(forger.server))
            text = runs[0]["statements"][str(forger.server)]["text"]
            runs[place]["statements"][role] = forger.signs(text)
            yield f"its statement of run 1 in run {place + 1}", document


def goes_back_to_the_older_form(forger: Forger, of: Study) -> Iterator[tuple[str, Document]]:
    """Shifted shares under statements that name the own share only, as they were made before."""
    document = copy.deepcopy(DOCUMENTS[of.hash])

    def change(run: StudyRun, statement: Any, evidence: Any) -> None:
        role = run.role(forger.server)
        shifted = role if role in PROXIES else Role.P0
        fitting = _shifted(run, evidence, shifted, BETTER)
        for name in ("computation", "run", "keys", "shares"):
            del statement[name]
        statement["share"] = fitting if role is shifted else ""

    forger.sign_anew(document, of, change)
    _better(document)
    yield "statement of the older form", document
    document = copy.deepcopy(document)
    document["version"] = 2
    yield "document of the older form", document


WAYS = (
    shifts_shares,
    states_another_key,
    changes_statements,
    changes_the_document,
    takes_from_elsewhere,
    goes_back_to_the_older_form,
)


def forgeries() -> Iterator[tuple[str, Study, Forger, Document]]:
    """Every result that these forgers make; those of one way follow each other."""
    for way in WAYS:
        for of in (SEMI_HONEST, COVERT):
            for forger in FORGERS:
                for name, document in way(forger, of):
                    kind = "covert" if of is COVERT else "semi-honest"
                    yield f"{name} ({kind}; {forger.name})", of, forger, document
