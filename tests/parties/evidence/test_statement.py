"""Three statements count only if each is signed by its server and all three say the same."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from ppaurora.mpc.errors import CheatingDetected
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DocumentRefused, EvidenceRefused, ProxiesDisagree
from ppaurora.parties.evidence.commitment import blinded, commitment
from ppaurora.parties.evidence.proof import check_proofs_agree, proven, session_ledger, shares_of
from ppaurora.parties.evidence.statement import LinkDigests, Statement, checked, signed_by
from ppaurora.parties.requests.session_facts import Agreed, Signed
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from tests.parties.evidence.session import (
    SERVERS,
    SESSION,
    agreed_on,
    statement,
    statements,
)
from tests.parties.evidence.session import shares_of as shares_for
from tests.parties.sample import KEYS, study

STUDY = study(metrics=("auroc",))
RUN = StudyRun(STUDY)
COVERT = study(metrics=("auroc",), assurance="covert", dealings=4)
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


def signed_by_all(
    signed_study: Study = STUDY, agreed: Agreed = AGREED, **changes: Any
) -> dict[str, Signed]:
    """The statement that all three servers sign, with these changes."""
    return {
        str(role): signed_by(
            SERVERS[role], replace(statement(signed_study, role, agreed, SHARES), **changes)
        )
        for role in Role
    }


@pytest.mark.parametrize("role", list(Role))
def test_servers_that_name_other_keys_than_those_that_signed_are_refused(role: Role) -> None:
    """By one of them, or by all: then who holds the key that is named has not signed."""
    own = statement(STUDY, role, AGREED, SHARES)
    for peer in Role:
        keys = {**own.keys, str(peer): KEYS[6].to_bytes().hex()}
        with pytest.raises(EvidenceRefused, match="do not state the same"):
            checked(with_other(role, replace(own, keys=keys)), RUN)
        with pytest.raises(EvidenceRefused, match="had another one in that session"):
            checked(signed_by_all(keys=keys), RUN)


@pytest.mark.parametrize("shown", [1, 2])
def test_statements_of_one_run_are_none_of_another(shown: int) -> None:
    """Otherwise the same wrong run could be shown three times, as if all runs had agreed."""
    in_run = {
        str(role): signed_by(
            SERVERS[StudyRun(COVERT, shown).place(role)],
            replace(
                statement(COVERT, role, agreed_on(COVERT), SHARES, shown),
                run=0,
            ),
        )
        for role in Role
    }
    with pytest.raises(EvidenceRefused, match="not of run"):
        checked(in_run, StudyRun(COVERT, shown))


@pytest.mark.parametrize(
    "changes",
    [
        {"run": 1},
        {"computation": "00" * 16},
        {"computation": "s"},
        {"shares": {}},
        {"shares": {"P0": "", "P1": "", "helper": ""}},
    ],
)
def test_what_all_three_sign_of_another_place_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(EvidenceRefused, match="not of run 1 of 1"):
        checked(signed_by_all(**changes), RUN)


def test_a_run_keeps_its_number_though_its_session_is_the_right_one() -> None:
    run = StudyRun(COVERT, 1)
    agreed = agreed_on(COVERT, session=run.session(SESSION).hex())
    honest = statements(COVERT, agreed, SHARES, 1, SESSION)
    assert checked(honest, run)
    renumbered = {
        str(role): signed_by(
            SERVERS[run.place(role)],
            replace(statement(COVERT, role, agreed, SHARES, 1, SESSION), run=2),
        )
        for role in Role
    }
    with pytest.raises(EvidenceRefused, match="not of run 2 of 3"):
        checked(renumbered, run)


def test_a_result_of_another_study_is_none_of_this_one() -> None:
    """Of the same servers and lists, with the same options: only the question is another."""
    other = study(metrics=("auroc",), id="another")
    with pytest.raises(ProxiesDisagree, match="not about this study"):
        proven(RUN, signed_by_all(agreed=replace(AGREED, study=other.hash.hex())), SHARES)


@pytest.mark.parametrize("word", [-1, 1 << 64])
def test_a_number_that_is_no_word_is_refused_before_it_is_packed(word: int) -> None:
    with pytest.raises(DocumentRefused, match="no word"):
        proven(RUN, SIGNED, {**SHARES, Role.P0: (word, *SHARES[Role.P0][1:])})


def test_statements_of_the_older_form_are_refused_by_what_they_do_not_bind() -> None:
    content = json.loads(SIGNED["P1"].text)
    content["share"] = content.pop("shares")["P1"]
    text = json.dumps(content)
    older = Signed(text, SERVERS[Role.P1].sign(b"whatever it was").hex())
    with pytest.raises(EvidenceRefused, match="do not bind the shares") as refused:
        checked({**SIGNED, "P1": older}, RUN)
    assert "Fetch the result again" in refused.value.advice


def test_runs_that_differ_in_a_word_or_in_their_lists_are_no_one_result() -> None:
    proof = proven(RUN, SIGNED, SHARES)
    with pytest.raises(CheatingDetected, match="do not give the same result"):
        check_proofs_agree([proof, proof, replace(proof, words=(proof.words[0] ^ 1,))])
    for agreed in (
        replace(AGREED, owners=(("ann", 30), ("ben", 19))),
        replace(AGREED, refused=("ben",)),
        replace(AGREED, samples=49),
    ):
        with pytest.raises(CheatingDetected, match="do not accept the same lists"):
            check_proofs_agree([proof, proof, replace(proof, agreed=agreed)])


def test_runs_that_are_signed_by_different_keys_are_no_one_result() -> None:
    proof = proven(RUN, SIGNED, SHARES)
    check_proofs_agree([proof, proof, proof])
    other = replace(proof, keys={**proof.keys, Role.P1: KEYS[6]})
    with pytest.raises(EvidenceRefused, match="signed by different keys"):
        check_proofs_agree([proof, proof, other])


def test_no_claim_is_made_of_a_sort_that_p0_chooses_also_where_it_was_the_network() -> None:
    """It may have had a session before that shuffled, read what is opened there, and broken off."""
    chosen = study(metrics=("auroc",), merge="auto")
    ledgers = [session_ledger(chosen, agreed_on(chosen, round_trip_us=us)) for us in (1, 1_000_000)]
    assert [one.public.options["merge"] for one in ledgers] == ["network", "shuffled"]
    for one in ledgers:
        assert one.deviation.startswith("nothing is claimed")
    agreed = study(metrics=("auroc",), merge="network")
    claimed = session_ledger(agreed, agreed_on(agreed, round_trip_us=1)).deviation
    assert claimed.startswith("one server that sends anything it likes")
