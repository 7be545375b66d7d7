"""Three statements count only if each is signed by its server and all three say the same."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused
from ppaurora.parties.evidence.commitment import blinded, commitment
from ppaurora.parties.evidence.proof import proven, shares_of
from ppaurora.parties.evidence.statement import LinkDigests, Statement, checked, signed_by
from ppaurora.parties.requests.session_facts import Signed
from ppaurora.parties.study.runs import StudyRun
from tests.parties.evidence.session import (
    SERVERS,
    SESSION,
    agreed_on,
    statement,
    statements,
)
from tests.parties.evidence.session import shares_of as shares_for
from tests.parties.sample import study

STUDY = study(metrics=("auroc",))
RUN = StudyRun(STUDY)
AGREED, SHARES = agreed_on(STUDY), shares_for([8250])
SIGNED = statements(STUDY, AGREED, SHARES)


def with_other(role: Role, other: Statement, signer: Role | None = None) -> dict[str, Signed]:
    """The three statements, one of them another one."""
    return {**SIGNED, str(role): signed_by(SERVERS[role if signer is None else signer], other)}


def test_three_statements_that_agree_prove_the_values_and_are_kept() -> None:
    [found] = {tuple(one.shares.items()) for one in checked(SIGNED, RUN).values()}
    assert [name for name, _ in found] == ["P0", "P1"]
    proof = proven(RUN, SIGNED, SHARES)
    assert str(proof.values["auroc"]) == "0.8250"
    assert proof.agreed == AGREED
    assert shares_of(proof.evidence) == SHARES
    assert proof.evidence.statements == SIGNED


@pytest.mark.parametrize("role", list(Role))
def test_a_statement_that_is_missing_changed_or_signed_by_another_key_is_refused(
    role: Role,
) -> None:
    own = statement(STUDY, role, AGREED, SHARES)
    text = SIGNED[str(role)].text
    missing = {name: one for name, one in SIGNED.items() if name != str(role)}
    with pytest.raises(EvidenceRefused, match=f"no statement of {role}"):
        checked(missing, RUN)
    for other in (
        with_other(role, own, signer=role.others[0]),
        {**SIGNED, str(role): replace(SIGNED[str(role)], text=text.replace("50", "51"))},
        {**SIGNED, str(role): replace(SIGNED[str(role)], signature="")},
        {**SIGNED, str(role): replace(SIGNED[str(role)], signature="no hexadecimal")},
    ):
        with pytest.raises(EvidenceRefused, match=f"{role} is not signed by its key"):
            checked(other, RUN)


@pytest.mark.parametrize("role", [Role.P1, Role.HELPER])
def test_servers_that_do_not_say_the_same_are_named(role: Role) -> None:
    own = statement(STUDY, role, AGREED, SHARES)
    for other in (
        replace(own, agreed=agreed_on(STUDY, samples=51)),
        replace(own, agreed=agreed_on(STUDY, refused=("ben",))),
        replace(own, ledger="00" * 32),
    ):
        with pytest.raises(EvidenceRefused, match=f"P0 and {role} do not state the same"):
            checked(with_other(role, other), RUN)
    with pytest.raises(EvidenceRefused, match="its two links"):
        checked(with_other(role, replace(own, links={})), RUN)
    with pytest.raises(EvidenceRefused, match="is one of P0"):
        checked(with_other(role, replace(own, server="P0")), RUN)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("peer", list(Role))
def test_ends_of_a_link_with_different_digests_are_named(role: Role, peer: Role) -> None:
    if role is peer:
        return
    own = statement(STUDY, role, AGREED, SHARES)
    right = own.links[str(peer)]
    low, high = sorted((role, peer))
    for wrong in (replace(right, sent="00"), replace(right, received="00"), LinkDigests("", "")):
        other = replace(own, links={**own.links, str(peer): wrong})
        with pytest.raises(EvidenceRefused, match=f"{low} and {high} do not have the same digests"):
            checked(with_other(role, other), RUN)


def test_a_statement_that_is_signed_and_is_none_is_refused() -> None:
    class Other(Statement):
        def to_json(self) -> str:
            return "[]"

    own = statement(STUDY, Role.P1, AGREED, SHARES)
    other = Other(**{field.name: getattr(own, field.name) for field in fields(own)})
    with pytest.raises(EvidenceRefused, match="P1 cannot be read"):
        checked(with_other(Role.P1, other), RUN)


@pytest.mark.parametrize("role", [Role.P0, Role.P1])
def test_any_changed_word_of_a_share_or_its_blind_is_refused(role: Role) -> None:
    for place, word in enumerate(SHARES[role]):
        changed = (*SHARES[role][:place], word ^ 1, *SHARES[role][place + 1 :])
        with pytest.raises(
            EvidenceRefused, match=f"share of {role} is not the one to which all three"
        ):
            proven(RUN, SIGNED, {**SHARES, role: changed})


def test_another_ledger_than_the_studys_is_refused() -> None:
    other = {
        str(role): signed_by(
            SERVERS[role], replace(statement(STUDY, role, AGREED, SHARES), ledger="00" * 32)
        )
        for role in Role
    }
    with pytest.raises(EvidenceRefused, match="another ledger"):
        proven(RUN, other, SHARES)


def test_a_commitment_binds_study_session_role_words_and_a_fresh_blind() -> None:
    words = blinded((1, 2))
    found = {
        commitment(STUDY.hash, SESSION, Role.P0, words),
        commitment(bytes(32), SESSION, Role.P0, words),
        commitment(STUDY.hash, bytes(16), Role.P0, words),
        commitment(STUDY.hash, SESSION, Role.P1, words),
        commitment(STUDY.hash, SESSION, Role.P0, blinded((1, 2))),
        commitment(STUDY.hash, SESSION, Role.P0, (2, 1, *words[2:])),
    }
    assert len(found) == 6
    assert words[:2] == (1, 2)
