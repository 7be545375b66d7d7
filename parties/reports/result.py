"""The result as its receivers have it: put together from two shares, saved, shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.errors import DocumentRefused, ProxiesDisagree
from ppaurora.parties.evidence.proof import Proven, check_proofs_agree, proven
from ppaurora.parties.evidence.statement import ServerKeys
from ppaurora.parties.private_file import write_private
from ppaurora.parties.reports.estimate import COLUMNS, Estimate, frame
from ppaurora.parties.reports.files import page_of_text
from ppaurora.parties.reports.html import section_markup
from ppaurora.parties.reports.saved import FORMAT, MOST_LETTERS_OF_RESULT, VERSION
from ppaurora.parties.reports.session_cost import SessionCost, session_cost
from ppaurora.parties.reports.terminal import page_text
from ppaurora.parties.requests.json_document import json_object
from ppaurora.parties.requests.messages import ResultPart
from ppaurora.parties.requests.result_parts import RunPart, at_roles, run_parts
from ppaurora.parties.requests.session_facts import Agreed
from ppaurora.parties.study.rule import absent
from ppaurora.parties.study.runs import StudyRun, holders, runs_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.ledger import Ledger
from ppaurora.protocols.release.values import Released, Table

ROTATED = "rotated_evidence"


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """Every released value, and what was agreed and observed about the computation.

    There is no `cost` where it depends on the data (see the ledger: onlookers). `proof` is what the
    first run proves, and `rotated` is what the others do, in which the roles are rotated.

    `result` is what `Participant.result` returns, here of a simulation:

    >>> {name: str(value) for name, value in result.values.items()}
    {'auroc': '0.8125'}
    >>> result.agreed.samples
    8
    """

    study: Study
    proof: Proven
    cost: SessionCost | None
    fetched: str
    rotated: tuple[Proven, ...] = ()

    @property
    def values(self) -> Mapping[str, Released]:
        """Every released value, by the text that asked for it."""
        return self.proof.values

    @property
    def agreed(self) -> Agreed:
        """The facts on which all three servers agree."""
        return self.proof.agreed

    @property
    def session(self) -> bytes:
        """The session's name."""
        return bytes.fromhex(self.agreed.session)

    @property
    def ledger(self) -> Ledger:
        """The ledger of who has learnt what."""
        return self.proof.ledger

    def __getitem__(self, name: str) -> Estimate:
        """The value under exactly the text that asked for it, in exact decimals."""
        if name not in self.values:
            raise KeyError(f"{name}: this result has {', '.join(self.values)}")
        return Estimate(name, self.values[name])

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each value that is no table."""
        rows = [self[name].row() for name, one in self.values.items() if not isinstance(one, Table)]
        return frame(rows, COLUMNS)

    def __repr__(self) -> str:
        return self.brief_text()

    def _repr_html_(self) -> str:
        """The report as HTML, for notebooks."""
        return self.brief_html()

    def brief_text(self, pooled: Mapping[str, Released] | None = None) -> str:
        """The numbers as a table, as `ppaurora result` prints them."""
        return page_text(page_of_text(self.to_json(), pooled))

    def brief_html(self, pooled: Mapping[str, Released] | None = None) -> str:
        """The warnings, numbers and curves of the report, as HTML for a page of somebody else.

        `pooled` are the values of the pooled data, which only a simulation knows.
        """
        page = page_of_text(self.to_json(), pooled)
        return "".join(map(section_markup, page.sections[:3]))

    @property
    def missing(self) -> list[str]:
        """The study's owners who are not in the result."""
        return absent(self.study, dict(self.agreed.owners))

    @property
    def content(self) -> dict[str, object]:
        """The document as JSON's own types, in the form that `result_schema` publishes."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "values": {text: value.to_json() for text, value in self.values.items()},
            "study": {
                "id": self.study.id,
                "title": self.study.title,
                "hash": self.study.hash.hex(),
            },
            "options": self.study.chosen,
            "session": self.agreed.session,
            "owners": dict(self.agreed.owners),
            "refused": list(self.agreed.refused),
            "missing": self.missing,
            "samples": self.agreed.samples,
            "cost": self.cost.plain() if self.cost else None,
            "ledger": self.ledger.to_json(),
            "software": self.agreed.software,
            "evidence": self.proof.evidence.plain(),
            **_rotated(self.rotated),
            "fetched": self.fetched,
        }

    def to_json(self) -> str:
        """The versioned document that is saved."""
        return json.dumps(self.content, indent=2, ensure_ascii=False) + "\n"

    def save(self, path: Path) -> None:
        """Write the document for its user's eyes alone; once this returns, it is on the disk."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, self.to_json().encode())


def _rotated(proofs: Sequence[Proven]) -> Mapping[str, object]:
    return {ROTATED: [proof.evidence.plain() for proof in proofs]} if proofs else {}


def saved_session(study: Study, path: Path) -> bytes | None:
    """The session whose result of this study is saved at `path`; None if none is."""
    try:
        content = json_object(path.read_text(encoding="utf-8"), MOST_LETTERS_OF_RESULT)
        if content["format"] == FORMAT and content["study"]["hash"] == study.hash.hex():
            return bytes.fromhex(content["session"])
    except (OSError, DocumentRefused, KeyError, TypeError, ValueError):
        pass
    return None


def combine(study: Study, *parts: ResultPart, keys: ServerKeys | None = None) -> Result:
    """Add up what the servers that hold shares have sent, each in the order of `holders`.

    Each run is put together by itself and must be as all three servers have signed it; all runs
    must come to the same. `keys` are those by which the servers may have signed; without them,
    those that the study names.
    """
    runs = runs_of(study)
    handed = [
        run_parts(study, server, one) for server, one in zip(holders(study), parts, strict=True)
    ]
    if any(part.session != parts[0].session for part in parts):
        raise _disagree("do not tell the same about the result")
    held = at_roles(study, handed)
    proofs = [_proof(run, parts[0].session, own, keys) for run, own in zip(runs, held, strict=True)]
    check_proofs_agree(proofs)
    tells = study.options.pipeline.onlookers_learn()
    cost = None if tells else session_cost(runs, held)
    fetched = datetime.now(UTC).isoformat(timespec="seconds")
    return Result(study, proofs[0], cost, fetched, tuple(proofs[1:]))


def _proof(
    run: StudyRun, computation: bytes, held: Mapping[Role, RunPart], keys: ServerKeys | None
) -> Proven:
    """The proof of one run, if both of its proxies report the same about it."""
    facts = [held[role].facts for role in PROXIES]
    agreed, statements = facts[0].agreed, facts[0].statements
    if (agreed, statements) != (facts[1].agreed, facts[1].statements) or (
        agreed.session != run.session(computation).hex()
    ):
        raise _disagree("do not tell the same about the result")
    proof = proven(run, statements, {role: held[role].words for role in PROXIES}, keys)
    if proof.agreed != agreed:
        raise _disagree("tell of the result what the servers have not signed")
    return proof


def _disagree(what: str) -> ProxiesDisagree:
    return ProxiesDisagree(
        f"P0 and P1 {what}, so it is not used",
        advice="Ask their operators to look at their logs, then fetch it again.",
    )
