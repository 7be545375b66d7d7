"""Keys in force of a study: the newest, the older ones for a while, no revoked one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from ppaurora.mpc.keys import Identity, PublicKey, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.study.key_statements import Statement, changed, revoked
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from tests.parties.sample import study

STUDY = study()
P0, P1, HELPER, ANN, BEN, READER = (Identity.from_private(bytes([n]) * 64) for n in range(1, 7))
NEW, NEWER, OTHER = (Identity.generate() for _ in range(3))
MADE = date(2026, 11, 22)
WITHIN, AFTER, LATER = date(2026, 12, 22), date(2026, 12, 23), date(2027, 6, 1)


def in_force(*statements: Statement, day: date = WITHIN, refused: tuple[str, ...] = ()):  # type: ignore[no-untyped-def]
    return KeysInForce(KeyStatements.of(statements, refused), day)


def whole(name: Identity) -> bytes:
    return name.public.exchange


def test_without_statements_each_key_stands_for_itself() -> None:
    keys = KeysInForce()
    assert keys.accepted(ANN.public) == (ANN.public,)
    assert keys.role_of(STUDY, P1.public) is Role.P1
    assert keys.holder(STUDY, whole(NEW)) is None
    assert keys.warnings(STUDY) == []
    with pytest.raises(KeyFault, match="is not in study sepsis-1"):
        keys.check_own(STUDY, NEW.public)


def test_within_the_overlap_both_keys_stand_for_the_owner_and_afterwards_the_new_one() -> None:
    change = changed(ANN, NEW, MADE, 30)
    keys = in_force(change)
    assert keys.accepted(ANN.public) == (NEW.public, ANN.public)
    for identity in (ANN, NEW):
        holder = keys.holder(STUDY, whole(identity))
        assert holder is not None
        assert (holder.named, holder.refusal) == (ANN.public, "")
        keys.check_own(STUDY, identity.public)
    keys = in_force(change, day=AFTER)
    assert keys.accepted(ANN.public) == (NEW.public,)
    holder = keys.holder(STUDY, whole(ANN))
    assert holder is not None
    assert "accepted until 2026-12-22" in holder.refusal
    assert fingerprint(NEW.public) in holder.refusal
    with pytest.raises(KeyFault, match="accepted until 2026-12-22"):
        keys.check_own(STUDY, ANN.public)


def test_a_change_of_a_server_is_one_of_the_server_that_the_study_names() -> None:
    keys = in_force(changed(P1, NEW, MADE, 30))
    assert keys.role_of(STUDY, NEW.public) is Role.P1
    assert keys.of_server(STUDY, Role.P1) == (NEW.public, P1.public)
    assert keys.ever_of_servers(STUDY)[Role.P1] == (P1.public, NEW.public)


def test_changes_of_changed_keys_lead_on() -> None:
    first, second = changed(ANN, NEW, MADE, 30), changed(NEW, NEWER, WITHIN, 30)
    for order in ((first, second), (second, first), (first, second, first)):
        assert in_force(*order).accepted(ANN.public) == (NEWER.public, NEW.public, ANN.public)
    assert in_force(first, second, day=AFTER).accepted(ANN.public) == (NEWER.public, NEW.public)
    assert in_force(first, second, day=LATER).accepted(ANN.public) == (NEWER.public,)
    assert in_force(second).accepted(ANN.public) == (ANN.public,)


def test_two_changes_that_contradict_each_other_are_refused() -> None:
    for two in (
        (changed(ANN, NEW, MADE, 30), changed(ANN, OTHER, MADE, 30)),
        (changed(ANN, NEW, MADE, 30), changed(ANN, NEW, MADE, 31)),
        (changed(ANN, NEW, MADE, 30), changed(BEN, NEW, MADE, 30)),
    ):
        with pytest.raises(ConfigurationError, match="contradict each other") as caught:
            in_force(*two)
        assert "telephone" in caught.value.advice


def test_changes_in_a_circle_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="takes its own place"):
        in_force(
            changed(ANN, NEW, MADE, 9), changed(NEW, NEWER, MADE, 9), changed(NEWER, ANN, MADE, 9)
        )


def test_nobody_takes_another_partys_key_or_half_of_it() -> None:
    to_ben = in_force(changed(ANN, BEN, MADE, 30))
    with pytest.raises(ConfigurationError, match="two parties"):
        to_ben.check(STUDY)
    # the half that a connection shows is P0's; only the other one signs
    mixed = Identity.from_private(P0.private_bytes()[:32] + NEW.private_bytes()[32:])
    with pytest.raises(ConfigurationError, match="share a half"):
        in_force(changed(ANN, mixed, MADE, 30)).check(STUDY)


def test_a_key_that_the_study_names_stays_its_own_partys() -> None:
    mixed = Identity.from_private(BEN.private_bytes()[:32] + NEW.private_bytes()[32:])
    holder = in_force(changed(ANN, mixed, MADE, 30)).holder(STUDY, whole(BEN))
    assert holder is not None
    assert holder.named == holder.key == BEN.public


def test_a_revoked_key_is_refused_and_the_one_that_took_its_place_is_not() -> None:
    keys = in_force(changed(ANN, NEW, MADE, 30), revoked(ANN))
    assert keys.accepted(ANN.public) == (NEW.public,)
    holder = keys.holder(STUDY, whole(ANN))
    assert holder is not None
    assert "revoked by its holder" in holder.refusal
    assert keys.warnings(STUDY) == []
    alone = in_force(revoked(P0))
    with pytest.raises(KeyFault, match="revoked by its holder"):
        alone.of_server(STUDY, Role.P0)
    assert any("P0" in one and "revoked" in one for one in alone.warnings(STUDY))


def test_a_site_refuses_a_key_by_itself() -> None:
    keys = in_force(refused=(fingerprint(ANN.public),))
    assert keys.accepted(ANN.public) == ()
    assert keys.is_revoked(ANN.public)
    with pytest.raises(KeyFault, match=r"site.toml"):
        keys.check_own(STUDY, ANN.public)


def test_an_expired_key_is_refused_and_told_of_before() -> None:
    def dated(public: PublicKey) -> PublicKey:
        return replace(public, good_until=MADE)

    old = STUDY.participants
    dying = replace(STUDY, participants=(replace(old[0], public=dated(ANN.public)), *old[1:]))
    assert KeysInForce(day=date(2026, 8, 1)).warnings(dying) == []
    assert "in 90 days" in KeysInForce(day=date(2026, 8, 24)).warnings(dying)[0]
    KeysInForce(day=MADE).check_own(dying, ANN.public)
    with pytest.raises(KeyFault, match="was good until 2026-11-22"):
        KeysInForce(day=WITHIN).check_own(dying, ANN.public)
    assert in_force(changed(ANN, NEW, MADE, 30)).accepted(dated(ANN.public)) == (NEW.public,)


def test_the_servers_of_a_session_must_know_each_others_changes() -> None:
    publics = {Role.P0: P0.public, Role.HELPER: NEW.public}
    assert KeysInForce().disagreement(STUDY, {Role.P0: P0.public}) == ""
    assert "nothing is known here" in KeysInForce().disagreement(STUDY, publics)
    change = changed(HELPER, NEW, MADE, 30)
    assert in_force(change).disagreement(STUDY, publics) == ""
    old = {Role.HELPER: HELPER.public}
    assert in_force(change).disagreement(STUDY, old) == ""
    assert "has taken its place" in in_force(change, day=AFTER).disagreement(STUDY, old)
