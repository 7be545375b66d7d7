"""`ppaurora study end`: each operator deletes what a study has left, and it never comes back."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.evidence.audit_chain import entries
from ppaurora.parties.requests.status import State
from ppaurora.parties.server.keeping.database import TABLES
from ppaurora.parties.server.keeping.ended_studies import EndedStudies
from ppaurora.parties.server.keeping.new_version import close_before
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.endings import ENDED, Endings
from ppaurora.parties.study.study import ParticipantEntry, Study
from tests.parties.server.answering.test_studies import await_told, with_folder
from tests.parties.server.answering.test_studies import put as put_file
from tests.parties.server.stored import DATA, SESSION, STUDY, opened, put, upload
from tests.parties.world import World, generated

OTHER = replace(STUDY, id="another")


def rows(store: Store) -> dict[str, int]:
    """The number of rows of each table, but for the head of the audit log, which stays."""
    return {table: len(store._db.rows(table)) for table in TABLES if table != "audit_head"}


def names(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}


def ended(store: Store, tmp_path: Path) -> EndedStudies:
    return EndedStudies(store, Acceptances(tmp_path / "state"))


def fill(store: Store, study: Study = STUDY) -> None:
    """Something of the study in every kind of record that a server keeps."""
    put(store, upload())
    put(store, upload("ben", 2))
    store.withdraw(STUDY, "ben", [b"e" * 16])
    put(store, upload("ben", 3))
    store.requests.make(study.hash, store.stored_uploads(study))
    store.rosters.use(study, store.stored_uploads(study))
    store.halts.add(study, SESSION, "the runs differ")
    store.halts.checking(study, b"c" * 16, True)
    store.put_result(study, SESSION, [1, 2], "{}", store.stored_uploads(study))
    store.revocations.note_done(study.hash, "KEY")
    store.verdicts.begin(study, b"v" * 16)
    store.verdicts.keep(
        study, b"w" * 16, 0, {one.upload: True for one in store.stored_uploads(study)}
    )


@pytest.mark.parametrize("encrypt", [False, True])
def test_nothing_of_an_ended_study_is_left_but_its_lines_in_the_audit_log(
    tmp_path: Path, encrypt: bool
) -> None:
    store = opened(tmp_path, encrypt=encrypt)
    Acceptances(tmp_path / "state").add(STUDY)
    empty = rows(store), names(tmp_path)
    fill(store)
    share = next((tmp_path / "state" / "shares").rglob("*.*"))
    store.register(OTHER)
    before = rows(store)
    ended(store, tmp_path).end(STUDY)
    left = rows(store)
    assert left["studies"] == 1
    assert {table: count for table, count in left.items() if count} == {
        "studies": 1,
    }
    assert sum(before.values()) > 10
    assert not share.exists()
    hash = STUDY.hash.hex()
    assert names(tmp_path) == empty[1] - {f"state/accepted/{hash}.json"} | {
        f"state/ended/{hash}.json"
    }
    with (tmp_path / "state" / "audit.jsonl").open("rb") as file:
        last = list(entries(file))[-1]
    assert (last.event, last.facts["study"]) == ("study ended", STUDY.id)
    assert share.name.encode() not in b"".join(
        path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )


def test_other_studies_keep_what_they_have(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.register(OTHER)
    kept = store.begin(OTHER, upload())
    store.append(OTHER, kept, 0, DATA)
    store.commit(OTHER, kept)
    fill(store)
    ended(store, tmp_path).end(STUDY)
    assert store.read_share(OTHER, kept.upload) == DATA
    assert [one.owner for one in store.uploads(OTHER)] == ["ann"]


@pytest.mark.parametrize("crash", ["marked", "rows", "files"])
def test_a_crash_at_any_moment_leaves_an_ended_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash: str
) -> None:
    store = opened(tmp_path, encrypt=True)
    Acceptances(tmp_path / "state").add(STUDY)
    fill(store)
    if crash == "marked":
        Endings(tmp_path / "state").add(STUDY)
    else:

        class Killed(BaseException):
            pass

        def killed(*_: object) -> None:
            raise Killed

        place = "erase" if crash == "rows" else "forget"
        owner = type(store._files) if crash == "rows" else Acceptances
        with monkeypatch.context() as patch:
            patch.setattr(owner, place, killed)
            with pytest.raises(Killed):
                ended(store, tmp_path).end(STUDY)
    store.close()
    again = Store(tmp_path / "state", secrets=tmp_path / "secrets", encrypt=True)
    assert ended(again, tmp_path).why_not(STUDY).startswith(ENDED)
    assert not any(rows(again).values())
    assert not list((tmp_path / "state" / "shares").iterdir())
    assert not list((tmp_path / "secrets").glob("*.key"))
    assert not list((tmp_path / "state" / "accepted").iterdir())


def test_a_study_that_is_computed_is_ended_only_if_that_is_broken_off(tmp_path: Path) -> None:
    store = opened(tmp_path)
    fill(store)
    busy, broken_off = {STUDY.hash}, []
    studies = EndedStudies(
        store,
        Acceptances(tmp_path / "state"),
        lambda study: study.hash in busy,
        lambda study: broken_off.append(study.id),
    )
    with pytest.raises(PolicyRefusal, match="is being computed at this moment"):
        studies.end(STUDY)
    assert store.uploads(STUDY)
    studies.end(STUDY, break_off=True)
    assert broken_off == [STUDY.id]
    # what the session still wants to keep is not kept
    with pytest.raises(PolicyRefusal, match=ENDED):
        store.put_result(STUDY, SESSION, [1], "{}")
    store.halts.checking(STUDY, SESSION, True)
    busy.clear()
    studies.look()
    assert not any(rows(store).values())


def test_with_the_last_version_of_a_study_go_all_before(tmp_path: Path) -> None:
    store = opened(tmp_path)
    accepted = Acceptances(tmp_path / "state")
    accepted.add(STUDY)
    put(store, upload())
    dora = ParticipantEntry("dora", Identity.from_private(bytes([9]) * 64).public)
    more = (*STUDY.participants, dora)
    later = replace(STUDY, participants=more, follows=STUDY.hash.hex())
    close_before(store, STUDY, later)
    with pytest.raises(ConfigurationError, match="another version"):
        ended(store, tmp_path).end(STUDY)
    assert store.uploads(STUDY)
    ended(store, tmp_path).end(later)
    assert not any(rows(store).values())
    assert not list((tmp_path / "state" / "shares").iterdir())
    assert accepted.all() == []
    assert ended(store, tmp_path).why_not(STUDY)


def test_nobody_takes_part_again_by_accident(tmp_path: Path) -> None:
    endings = Endings(tmp_path)
    endings.add(STUDY)
    with pytest.raises(PolicyRefusal, match=ENDED):
        Endings(tmp_path).check(STUDY)
    with pytest.raises(PolicyRefusal, match=f"the id {STUDY.id} was ended here"):
        endings.check(replace(STUDY, title="The same in other words"))
    endings.check(OTHER)


# -- three real servers ----------------------------------------------------------------------------


def end(world: World, name: str, file: str, *more: str) -> str:
    done = world.run("study", "end", file, f"--site={name}.toml", "--yes", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def events(world: World, role: Role) -> list[str]:
    with (world.folder / f"state-{role}" / "audit.jsonl").open("rb") as file:
        return [one.event for one in entries(file)]


def refused(action: Callable[[], object], match: str) -> None:
    with pytest.raises(PolicyRefusal, match=match):
        action()


@pytest.mark.zeromq
def test_three_operators_end_a_study_each_by_itself_while_another_one_is_computed(
    tmp_path: Path,
) -> None:
    with World(tmp_path) as world:
        second = replace(world.study, id="second")
        with_folder(world, world.study, second)
        world.start()
        world.upload("ann", "ben")
        file = "studies/trial.toml"
        asked = world.run("study", "end", file, "--site=P1.toml")
        assert (asked.returncode, "--yes" in asked.stderr) == (4, True)
        # one whose server runs, one whose server does not, and one that has lost its file
        assert world.study.hash.hex() in end(world, "P1", file)
        world.kill(Role.HELPER)
        end(world, "helper", file)
        world.start(Role.HELPER)
        with world.owner("cleo") as cleo:
            refused(partial(cleo.outsource, world.tables["cleo"]), f"P1: {ENDED}")
            told = cleo.status()
        assert told["P0"].sentence.startswith("waiting")
        assert [ENDED in told[name].sentence for name in ("P1", "helper")] == [True, True]
        kept = shutil.copy(tmp_path / file, tmp_path / "kept.toml")
        (tmp_path / file).unlink()
        await_told(world, world.study, "paused by its operator", Role.P0)
        end(world, "P0", Path(kept).name)
        for role in Role:
            state = tmp_path / f"state-{role}"
            assert "was ended here by its operator" in world.status(role).sentence
            assert not (state / "shares" / world.study.hash.hex()[:32]).exists()
            assert not (state / "accepted" / f"{world.study.hash.hex()}.json").exists()
            assert events(world, role).count("study ended") == 1

        # it does not come back: neither the file, nor the same in other words, nor a restart
        put_file(world, world.study)
        world.kill(Role.P0)
        world.start(Role.P0)
        await_told(world, world.study, ENDED, *Role)
        done = world.run("study", "accept", "studies/trial.toml", "--site=P0.toml", "--yes")
        assert (done.returncode, ENDED in done.stderr) == (4, True)

        world.upload_patiently(second, 30)
        with world.take_part("ann", second) as ann:
            assert ann.result(wait=60).values == world.pooled()


@pytest.mark.zeromq
def test_a_computation_is_broken_off_on_request_only(tmp_path: Path) -> None:
    with World(tmp_path, patience=10.0) as world:
        with_folder(world, world.study)
        world.tables = {name: generated(30_000, place) for place, name in enumerate(world.tables)}
        world.start()
        world.upload()
        world.await_steps(Role.P1)
        world.signal(Role.HELPER, signal.SIGSTOP)  # so that the session lasts
        file = "studies/trial.toml"
        done = world.run("study", "end", file, "--site=P1.toml", "--yes")
        assert (done.returncode, "is being computed at this moment" in done.stderr) == (4, True)
        assert world.status(Role.P1).state is State.COMPUTING
        assert not Endings(tmp_path / "state-P1").all()
        end(world, "P1", file, "--break-off")
        world.await_log(Role.P1, "session failed")
        world.await_log(Role.P0, "session failed")
        world.signal(Role.HELPER, signal.SIGCONT)
        assert ENDED in world.status(Role.P1).sentence
        world.kill(Role.P1)
        with contextlib.closing(Store(tmp_path / "state-P1")) as store:
            assert not any(rows(store).values())


@pytest.mark.zeromq
def test_an_owner_ends_a_study_and_keeps_what_was_spent(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        state = next(tmp_path.glob("state-participant*"))
        budget = state / "privacy-budget.json"
        budget.write_text(json.dumps({"spent": {}}))
        assert list(state.glob("*.secret"))
        end(world, "ann", "study.toml")
        assert not list(state.glob("*.secret"))
        assert not list((state / "accepted").iterdir())
        assert budget.exists()
        done = world.outsource("ann")
        assert (done.returncode, ENDED in done.stderr) == (4, True)
        # what the servers have is still hers to take back
        assert [one.owner for one in world.status(Role.P0, "ben").uploads] == ["ann"]
        done = world.run("outsource", "--withdraw", "--site=ann.toml", "--yes")
        assert done.returncode == 0, done.stderr
        assert not world.status(Role.P0, "ben").uploads
