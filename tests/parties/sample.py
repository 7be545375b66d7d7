"""A valid study to start from, for tests that need no servers."""

from __future__ import annotations

from dataclasses import fields, replace

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.other_scores import OtherScores
from ppaurora.parties.study.study import ParticipantEntry, Rule, Scores, ServerEntry, Study
from ppaurora.protocols.options import Options

KEYS = [Identity.from_private(bytes([number]) * 64).public for number in range(1, 8)]


def study(**changes: object) -> Study:
    """A valid study, with these fields, or fields of its options, changed."""
    chosen = {one.name: changes.pop(one.name) for one in fields(Options) if one.name in changes}
    if "against" in chosen:
        changes.setdefault("extra", (OtherScores(names=chosen["against"]),))  # type: ignore[arg-type]
    plain = Study(
        id="sepsis-1",
        title='A "quoted" title, äöü',
        options=Options(**{"metrics": ("auroc", "aupr"), **chosen}),  # type: ignore[arg-type]
        scores=Scores(),
        rule=Rule(least_owners=2),
        servers=(
            ServerEntry(Role.P0, "one", KEYS[0], "p0.example.org", 7100, (7101, 7102)),
            ServerEntry(Role.P1, "two", KEYS[1], "p1.example.org", 7100, (7101,)),
            ServerEntry(Role.HELPER, "three", KEYS[2], "helper.example.org", 7100, ()),
        ),
        participants=(
            ParticipantEntry("ann", KEYS[3]),
            ParticipantEntry("ben", KEYS[4], receives=False),
            ParticipantEntry("reader", KEYS[5], uploads=False),
        ),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]
