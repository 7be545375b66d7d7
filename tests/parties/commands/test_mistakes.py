"""The likeliest mistakes of a user: one clear sentence, what to do next, and the right exit code.

Nothing of it goes to stdout, and there is never a traceback.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ppaurora.mpc.role import Role
from tests.parties.world import World, on_request, with_options

pytestmark = pytest.mark.zeromq


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with World(tmp_path_factory.mktemp("mistakes"), change=on_request) as made:
        made.start()
        yield made


def told(world: World, code: int, *arguments: str) -> str:
    """The sentence on stderr of a command that fails with this exit code."""
    done = world.run(*arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ppaurora: ")
    assert last.endswith((".", "?"))
    return last


def outsourcing(world: World, code: int, text: str, *arguments: str) -> str:
    (world.folder / "list.csv").write_text(text)
    return told(world, code, "outsource", "list.csv", "--site=ann.toml", "--yes", *arguments)


def test_a_wrong_file(world: World) -> None:
    sentence = told(world, 3, "outsource", "scors.csv", "--yes", "--site=ann.toml")
    assert "There is no file scors.csv" in sentence
    assert "Check the path" in sentence


def test_a_missing_column(world: World) -> None:
    sentence = outsourcing(world, 3, "risk,label\n0.5,1\n0.25,0\n")
    assert 'no column "score"; it has: risk, label' in sentence
    assert "--score COLUMN" in sentence


def test_a_comparison_of_one_score_in_a_simulation(world: World) -> None:
    (world.folder / "one.csv").write_text("score,label\n0.5,1\n0.25,0\n")
    sentence = told(world, 2, "simulate", "one.csv", "--metric=auroc_difference")
    assert sentence.startswith("ppaurora: scores.against is missing")
    assert "--against COLUMN" in sentence


def test_words_as_labels(world: World) -> None:
    sentence = outsourcing(world, 3, "score,label\n0.5,yes\n0.25,no\n")
    assert 'column "label": a label that is neither of the study\'s two classes' in sentence
    assert "rows 1, 2" in sentence
    assert "--positive WORD --negative WORD" in sentence


def test_scores_out_of_range(world: World) -> None:
    sentence = outsourcing(world, 3, "score,label\n0.5,1\n-1.5,0\n")
    assert "between 0 and 1 in row 2 (line 3)" in sentence
    assert "range = [0, 20]" in sentence


def test_one_class_only(world: World) -> None:
    sentence = outsourcing(world, 3, "score,label\n0.5,1\n0.25,1\n")
    assert "All labels of this list are of one class" in sentence
    assert "--one-class" in sentence


def test_a_wrong_server_address(world: World) -> None:
    p0 = replace(world.study.server(Role.P0), host="p0.invalid")
    servers = (p0, *world.study.servers[1:])
    world.write_study("address.toml", replace(world.study, servers=servers))
    sentence = told(
        world, 5, "outsource", "ann.csv", "--yes", "--site=ann.toml", "--study=address.toml"
    )
    assert "P0 of study trial at p0.invalid:" in sentence
    assert "host name is unknown" in sentence
    assert "Check the address in study.toml" in sentence


def test_a_server_that_is_not_running(world: World) -> None:
    world.kill(Role.P0)
    try:
        sentence = told(world, 5, "outsource", "ann.csv", "--yes", "--site=ann.toml")
    finally:
        world.start(Role.P0)
    assert "P0 of study trial at 127.0.0.1:" in sentence
    assert "is not running, or listens on another port" in sentence
    assert "ask its operator" in sentence


def test_another_program_at_the_servers_address(world: World) -> None:
    p0 = world.study.server(Role.P0)
    swapped = replace(p0, port=world.study.server(Role.P1).port)
    servers = (swapped, replace(world.study.server(Role.P1), port=p0.port), world.study.servers[2])
    world.write_study("swapped.toml", replace(world.study, servers=servers))
    sentence = told(
        world, 5, "outsource", "ann.csv", "--yes", "--site=ann.toml", "--study=swapped.toml"
    )
    assert "is not P0 of study trial with the key" in sentence
    assert "Compare the address and this fingerprint" in sentence


def test_a_wrong_key(world: World) -> None:
    world.add_owner("eve")
    sentence = told(world, 5, "outsource", "ann.csv", "--yes", "--site=eve.toml")
    assert "is not in study trial" in sentence
    assert "ppaurora keys show" in sentence


def test_a_key_that_others_can_read(world: World) -> None:
    key = world.folder / "ann.key"
    key.chmod(0o644)
    try:
        sentence = told(world, 5, "status", "--site=ann.toml")
    finally:
        key.chmod(0o600)
    assert "can be read by others" in sentence
    assert "chmod 600" in sentence


def test_a_clashing_study(world: World) -> None:
    world.write_study("other.toml", with_options(world.study, decimals=6))
    sentence = told(
        world, 5, "outsource", "ann.csv", "--yes", "--site=ann.toml", "--study=other.toml"
    )
    assert "P0 has another version of study trial than yours" in sentence
    assert "metrics.decimals" in sentence
    assert "Agree on one study.toml" in sentence


def test_an_option_that_does_not_exist(world: World) -> None:
    text = (world.folder / "study.toml").read_text().replace("decimals", "decimal")
    (world.folder / "misspelt.toml").write_text(text)
    sentence = told(world, 2, "study", "check", "misspelt.toml")
    assert 'metrics.decimal is not a known option. Did you mean "decimals"?' in sentence


def test_what_the_sites_policy_forbids(world: World) -> None:
    world.write_site(
        "ben", more="[policy]\nleast_own_samples = 1000\nmetrics = ['auroc', 'average_precision']\n"
    )
    sentence = told(world, 4, "outsource", "ben.csv", "--yes", "--site=ben.toml")
    assert "at least 1000 samples, this one has 50" in sentence
    assert "Nothing was sent" in sentence
    world.write_site("ben")


def test_uploading_twice_and_asking_too_early(world: World) -> None:
    first = world.outsource("ann")
    assert first.returncode == 0, first.stderr
    again = world.outsource("ann")
    assert again.returncode == 0, again.stderr
    other = outsourcing(world, 4, "score,label\n0.5,1\n0.25,0\n")
    assert "Other data of this owner is stored already" in other
    assert "--withdraw" in other
    early = told(world, 4, "result", "--site=ann.toml")
    assert "There is no result yet: waiting: 1 of at least 2 owners has uploaded" in early
    assert "--wait" in early
    early = told(world, 4, "compute", "--site=ann.toml")
    assert "cannot start yet: 1 of at least 2 owners" in early


def test_checking_only_sends_nothing(world: World) -> None:
    checked = world.outsource("cleo", "--check-only")
    assert (checked.returncode, checked.stdout) == (0, "")
    assert "nothing was sent" in checked.stderr
    with world.owner("cleo") as owner:
        uploads = owner.status()["P0"].uploads
    assert "cleo" not in [one.owner for one in uploads]


def test_a_place_that_cannot_be_written(world: World) -> None:
    (world.folder / "taken").write_text("a file where a folder should be")
    sentence = told(world, 2, "keys", "new", "taken/ann.key")
    assert "(taken" in sentence
    assert "Check that this place exists" in sentence
    (world.folder / "full").mkdir()
    sentence = told(world, 2, "simulate", "ann.csv", "--keep=full")
    assert "full exists already and is left alone" in sentence
    assert "another folder for --keep" in sentence


def test_sending_without_a_terminal_needs_a_yes(world: World) -> None:
    sentence = told(world, 4, "outsource", "cleo.csv", "--site=cleo.toml")
    assert "Nobody can be asked here" in sentence
    assert "--yes" in sentence
    with world.owner("cleo") as owner:
        uploads = owner.status()["P0"].uploads
    assert "cleo" not in [one.owner for one in uploads]


def test_withdrawing_says_whether_there_was_anything(world: World) -> None:
    assert world.outsource("ben").returncode == 0
    for sentence in ("both proxies have deleted your upload", "there was nothing to withdraw"):
        done = world.run("outsource", "--withdraw", "--site=ben.toml")
        assert done.returncode == 0, done.stderr
        assert sentence in done.stderr


def test_the_exit_code_of_a_status_tells_how_the_study_stands(world: World) -> None:
    assert world.run("status", "--site=ann.toml").returncode == 10
    world.kill(Role.HELPER)
    try:
        told_without = world.run("status", "--site=ann.toml", "--format=json")
    finally:
        world.start(Role.HELPER)
    assert told_without.returncode == 5
    assert json.loads(told_without.stdout)["helper"]["state"] == "not-answering"
