"""Errors of a run say which server is meant."""

from __future__ import annotations

import pytest

from ppaurora.mpc.errors import PeerLost
from ppaurora.parties.server.computing.runner import told_of_servers
from ppaurora.parties.study.runs import runs_of
from tests.parties.sample import study


def test_an_error_of_a_rotated_run_names_the_server_and_says_who_is_who() -> None:
    run = runs_of(study(assurance="covert", merge="network"))[1]
    with pytest.raises(PeerLost) as lost, told_of_servers(run):
        raise PeerLost("P1 is gone", peer="P1")
    assert lost.value.peer == "helper"
    told = "P1 is gone [run 2 of 3, in which P1 is P0, helper is P1, P0 is helper]"
    assert str(lost.value) == f"{told} (peer helper)"


def test_an_error_of_the_only_run_stays_as_it_is() -> None:
    with pytest.raises(PeerLost) as lost, told_of_servers(runs_of(study())[0]):
        raise PeerLost("P1 is gone", peer="P1")
    assert str(lost.value) == "P1 is gone (peer P1)"
