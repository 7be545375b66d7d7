"""Masks that are the same in every retry, and the limits of the links of a session."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.link.link_proxy import LINK_CAPS
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import Links
from ppaurora.mpc.streams import StreamFamily
from ppaurora.parties.server.computing import study_session
from ppaurora.parties.server.computing.progress import Progress
from ppaurora.parties.server.computing.session_keys import named_keys
from ppaurora.parties.server.keeping.rosters import session_fingerprint
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from ppaurora.protocols.ranking.ties import LASTING_NAME, equal_dummies
from ppaurora.protocols.sorting.sort import Conditions
from tests.parties.sample import study

P1 = Identity.from_private(bytes([2]) * 64)
ROSTER = (StoredUpload("ann", b"a" * 16, 60), StoredUpload("ben", b"b" * 16, 40))
SHARES = (b"share of ann", b"share of ben")
COUNT = 10_000_000


def u(
    of: Study | None = None,
    roster: tuple[StoredUpload, ...] = ROSTER,
    shares: tuple[bytes, ...] = SHARES,
    *,
    identity: Identity = P1,
    count: int = COUNT,
) -> int:
    """The equal dummies that P1 draws in a session."""
    key = identity.lasting_key(
        session_fingerprint(of or study(), roster, [sha256(one).digest() for one in shares])
    )
    return equal_dummies(StreamFamily(key).open(LASTING_NAME), count)


def test_five_sessions_over_the_same_uploads_draw_the_same_number() -> None:
    assert len({u() for _ in range(5)}) == 1


def test_another_upload_study_or_server_draws_another_number() -> None:
    renamed = (replace(ROSTER[0], upload=b"c" * 16), ROSTER[1])
    others = [
        u(),
        u(of=study(id="sepsis-2")),
        u(roster=renamed),
        u(shares=(b"other content under the same name", SHARES[1])),
        u(roster=ROSTER[:1], shares=SHARES[:1]),
        u(identity=Identity.generate()),
    ]
    assert len(set(others)) == len(others)


def test_the_number_is_uniform_over_studies() -> None:
    """Chi-square with 15 degrees of freedom below 44.3: a sound generator fails 1 in 10,000.

    The studies are fixed, so the outcome is the same in every run.
    """
    base = study()
    numbers = [u(of=replace(base, id=f"study-{place}"), count=15) for place in range(1600)]
    observed = np.bincount(numbers, minlength=16)
    assert observed.size == 16
    assert ((observed - 100) ** 2 / 100).sum() < 44.3


class Connected(Exception):
    """Raised in place of links."""


@pytest.mark.parametrize("conditions", [Conditions(200), Conditions(10_000), Conditions(0, 10_000)])
def test_links_have_the_limits_of_the_network_between_the_servers(
    monkeypatch: pytest.MonkeyPatch, conditions: Conditions
) -> None:
    asked = []

    def connecting(*_: object, limits: Limits, **__: object) -> Links:
        asked.append(limits)
        raise Connected

    monkeypatch.setattr(study_session, "open_links", connecting)
    of, limits = study(), Limits(deadline=7.0)
    options = replace(of.options, conditions=conditions)
    with pytest.raises(Connected):
        study_session.compute(
            StudyRun(of),
            Role.HELPER,
            Identity.generate(),
            b"s" * 16,
            ROSTER,
            lambda upload: b"",
            host="127.0.0.1",
            limits=limits,
            link_caps=LINK_CAPS,
            options=options,
            progress=Progress(b"s" * 16, options, [60, 40]),
            slot=0,
            on_links=lambda links: None,
            given_up=lambda: False,
            audit_head=lambda: "",
            keys=named_keys(of),
            computation=b"s" * 16,
        )
    assert asked == [limits.on_network(conditions.round_trip_us, conditions.megabits)]
    assert (asked[0].bulk_after < Limits().bulk_after) is (conditions.round_trip_us < 10_000)
