"""Roles of the servers in each run of a study, and the names of the runs' sessions."""

from __future__ import annotations

from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.study.runs import StudyRun, holders, proxy_runs, runs_of
from tests.parties.sample import KEYS, study

PLAIN = study()
COVERT = study(assurance="covert", merge="network")
SESSION = b"s" * 16


def test_a_semi_honest_study_has_one_run_with_the_roles_of_its_file() -> None:
    (run,) = runs_of(PLAIN)
    assert [run.place(role) for role in Role] == [run.role(role) for role in Role] == list(Role)
    assert holders(PLAIN) == PROXIES
    assert run.session(SESSION) == SESSION


def test_in_a_covert_study_every_server_plays_every_role_once() -> None:
    p0, p1, helper = Role
    servers = [tuple(run.place(role) for role in Role) for run in runs_of(COVERT)]
    assert servers == [(p0, p1, helper), (p1, helper, p0), (helper, p0, p1)]
    for run in runs_of(COVERT):
        assert [run.role(run.place(role)) for role in Role] == list(Role)
        assert [run.server(role).public for role in Role] == [
            KEYS[run.place(role)] for role in Role
        ]
    assert holders(COVERT) == tuple(Role)


def test_a_server_is_a_proxy_in_two_of_three_runs() -> None:
    numbers = {server: [run.number for run in proxy_runs(COVERT, server)] for server in Role}
    assert numbers == {Role.P0: [0, 2], Role.P1: [0, 1], Role.HELPER: [1, 2]}


def test_the_sessions_of_the_runs_have_names_of_their_own() -> None:
    names = [run.session(one) for run in runs_of(COVERT) for one in (SESSION, b"t" * 16)]
    assert len(set(names)) == 6
    assert {len(name) for name in names} == {16}
    assert StudyRun(COVERT).session(SESSION) == SESSION
