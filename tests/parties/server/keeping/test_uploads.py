"""A stored upload holds the server's share of each run, and gives it back."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.words import Words
from ppaurora.parties.participant.prepared import Prepared, shared
from ppaurora.parties.server.keeping.uploads import share_of_run, stored_bytes
from ppaurora.parties.study.runs import StudyRun, holders, runs_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import SEED_BYTES, UploadForm, received
from tests.parties.sample import study

WORDS = np.array([9, 8, 5, 5, 1], np.uint64)
FORM = UploadForm.of_words(WORDS.size)


def prepared(of: Study) -> Prepared:
    seeds = [bytes([run.number + 1]) * SEED_BYTES for run in runs_of(of)]
    return shared(b"u" * 16, WORDS.size, WORDS, FORM, seeds, ())


@pytest.mark.parametrize(
    "of", [study(), study(assurance="covert", merge="network")], ids=["one", "three"]
)
def test_each_run_finds_its_shares_in_what_the_servers_store(of: Study) -> None:
    parts = prepared(of).parts
    assert tuple(parts) == holders(of)
    for server, data in parts.items():
        assert len(data) == stored_bytes(of, server, FORM)
    for run in runs_of(of):
        shares = [_share(run, role, parts) for role in PROXIES]
        assert (shares[0] + shares[1]).tolist() == WORDS.tolist()
    assert prepared(of).size == sum(map(len, parts.values()))


def test_the_shares_of_two_runs_have_nothing_in_common() -> None:
    parts = prepared(study(assurance="covert", merge="network")).parts
    runs = runs_of(study(assurance="covert", merge="network"))
    words = [word for run in runs for role in PROXIES for word in _share(run, role, parts).tolist()]
    assert len(set(words)) == len(words)


def _share(run: StudyRun, role: Role, parts: dict[Role, bytes]) -> Words:
    server = run.place(role)
    data = share_of_run(run, server, parts[server], FORM)
    return received(role, data, FORM).words
