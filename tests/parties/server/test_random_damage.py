"""Whatever a disk does to what a proxy keeps: no wrong number, nobody blamed, never stuck."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.requests.status import State
from ppaurora.parties.server.keeping.database import TABLES
from tests.parties.server.offline import STUDY, OfflineStudy, linear, number_of_the_lists

STAGES = ("uploaded", "unsealed", "sealed at P1", "sealed")
PROXIES = (Role.P0, Role.P1)
SESSION = b"s" * 16
RECORDS = "server.sqlite"


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "encrypted"])
def stages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three servers' folders at every stage of a study's life."""
    folder = tmp_path_factory.mktemp("stages")
    with pytest.MonkeyPatch.context() as patch:
        for stage in STAGES:
            world = OfflineStudy(folder / stage, patch, encrypt=request.param)
            world.upload()
            if stage != "uploaded":
                for role in PROXIES:
                    store = world.stores[role]
                    roster = store.stored_uploads(STUDY)
                    words = linear(role, roster, partial(store.read_share, STUDY))
                    store.put_result(STUDY, SESSION, words, "{}", roster)
            if stage in ("sealed at P1", "sealed"):
                world.stores[Role.P1].seal(STUDY, SESSION)
            if stage == "sealed":
                world.stores[Role.P0].seal(STUDY, SESSION)
            world.stop()
    return folder


def started(stage: Path, folder: Path, patch: pytest.MonkeyPatch) -> OfflineStudy:
    """The servers of a copy of this stage."""
    if folder != stage:
        shutil.copytree(stage, folder)
    return OfflineStudy(folder, patch, encrypt=(folder / "secrets-P0").exists())


@pytest.mark.parametrize("stage", STAGES)
def test_servers_that_stop_at_any_stage_end_with_the_number(
    stages: Path, tmp_path: Path, stage: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        world = started(stages / stage, tmp_path / "world", patch)
        world.lead()
        assert world.number() == number_of_the_lists()
        world.stop()


def test_some_random_damages_give_no_wrong_number_and_blame_nobody(
    stages: Path, tmp_path: Path
) -> None:
    for seed in range(8):
        survive_one_damage(stages, tmp_path / str(seed), seed)


@pytest.mark.soak
def test_a_thousand_random_damages_give_no_wrong_number_and_blame_nobody(
    stages: Path, tmp_path: Path
) -> None:
    for seed in range(1000):
        survive_one_damage(stages, tmp_path / "world", seed)
        shutil.rmtree(tmp_path / "world")


def flipped(whole: bytes, place: int) -> bytes:
    """The bytes with the low bit of the word at `place` flipped."""
    return whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]


def words_of(data: bytes, step: int) -> list[int]:
    """The places of the first word, the last one and every so many between them."""
    last = len(data) - len(data) % 8 - 8
    return sorted({*range(0, last, 8 * step), last})


SOME_OR_ALL = pytest.mark.parametrize(
    "step", [6, pytest.param(1, marks=pytest.mark.weekly)], ids=["some words", "all words"]
)


@SOME_OR_ALL
def test_no_flipped_low_bit_of_any_stored_word_ever_gives_a_number(
    stages: Path, tmp_path: Path, step: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        world = started(stages / "uploaded", tmp_path / "world", patch)
        for role in PROXIES:
            shares = sorted((world.folder / str(role) / "shares").rglob("*.*"))
            keys = sorted((world.folder / f"secrets-{role}").glob("*.key"))
            for path in [*shares, *keys]:
                for place in words_of(path.read_bytes(), step):
                    path.write_bytes(flipped(path.read_bytes(), place))
                    world.lead(1)
                    assert world.number() is None
                    assert len(world.stores[role].damaged(STUDY)) == 1
                    world.upload()
        world.lead()
        assert world.number() == number_of_the_lists()


@SOME_OR_ALL
def test_no_flipped_low_bit_of_a_word_of_a_result_ever_gives_another_number(
    stages: Path, tmp_path: Path, step: int
) -> None:
    for role in PROXIES:
        with contextlib.closing(sqlite3.connect(stages / "sealed" / str(role) / RECORDS)) as file:
            ((words,),) = file.execute("SELECT words FROM results").fetchall()
        keys = sorted((stages / "sealed" / f"secrets-{role}").glob("*.key"))
        for place in words_of(words, step):
            hit = flipped(words, place)
            survive_in_result(stages, tmp_path / f"{role}-{place}", role, hit, None)
        for key in keys:
            for place in words_of(key.read_bytes(), step):
                hit = flipped(key.read_bytes(), place)
                survive_in_result(stages, tmp_path / f"{role}-key-{place}", role, hit, key.name)


def survive_in_result(stages: Path, folder: Path, role: Role, hit: bytes, key: str | None) -> None:
    """These words of the result, or its key, at one proxy: before and after the uploads go."""
    for stage in ("unsealed", "sealed"):
        place = folder / stage
        shutil.copytree(stages / stage, place)
        if key is not None:
            (place / f"secrets-{role}" / key).write_bytes(hit)
        else:
            with contextlib.closing(sqlite3.connect(place / str(role) / RECORDS)) as file:
                file.execute("UPDATE results SET words = ?", (hit,))
                file.commit()
        with pytest.MonkeyPatch.context() as patch:
            world = started(place, place, patch)
            world.lead()
            computed_again = number_of_the_lists() if stage == "unsealed" else None
            assert world.number() == computed_again
            world.stop()


def survive_one_damage(stages: Path, folder: Path, seed: int) -> None:
    """Damage something, start the servers, let them go on, upload again: right, or told."""
    dice = random.Random(seed)
    stage, victim = dice.choice(STAGES), dice.choice(PROXIES)
    shutil.copytree(stages / stage, folder)
    hit = damage_something(folder, victim, dice)
    place = f"seed {seed}: {stage}, {victim}, {hit}"
    expected = number_of_the_lists()
    with pytest.MonkeyPatch.context() as patch:
        world = started(folder, folder, patch)
        world.lead()
        assert world.number() in (None, expected), place
        blamed = {name for role in PROXIES for name in world.stores[role].damaged(STUDY)}
        assert len(blamed) <= 1, place
        world.upload()
        world.lead()
        number = world.number()
        told = [world.status(role) for role in PROXIES]
        assert not any("unsound" in note.text for one in told for note in one.notes), place
        if number is None:
            ended = [one.detail for one in told if one.state is State.OVER]
            assert any("damaged" in detail for detail in ended), (place, told)
            assert stage in ("sealed at P1", "sealed"), (place, told)
        else:
            assert number == expected, place
        world.stop()


def damage_something(folder: Path, victim: Role, dice: random.Random) -> str:
    """Damage a share file or secret, a row or the file of records; returns what was done."""
    state = folder / str(victim)
    shares = sorted((state / "shares").rglob("*.*"))
    keys = sorted((folder / f"secrets-{victim}").glob("*"))
    kinds = ["share", "share"] * bool(shares) + ["key", "key"] * bool(keys) + ["row", "row", "file"]
    kind = dice.choice(kinds)
    if kind == "share":
        return damage_file(dice.choice(shares), dice)
    if kind == "key":
        return damage_file(dice.choice(keys), dice)
    if kind == "file":
        return damage_file(state / RECORDS, dice)
    return damage_row(state / RECORDS, dice)


def damage_file(path: Path, dice: random.Random) -> str:
    data = bytearray(path.read_bytes())
    how = dice.choice(["flip", "flips", "cut", "remove", "zero"])
    if how == "remove":
        path.unlink()
    elif how == "cut":
        path.write_bytes(data[: dice.randrange(len(data))])
    elif how == "zero":
        begin = dice.randrange(len(data))
        path.write_bytes(data[:begin] + bytes(len(data[begin : begin + 512])) + data[begin + 512 :])
    else:
        for _ in range(1 if how == "flip" else 20):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        path.write_bytes(data)
    return f"{how} {path.suffix}"


def damage_row(path: Path, dice: random.Random) -> str:
    with contextlib.closing(sqlite3.connect(path)) as database:
        filled = [
            table for table in TABLES if database.execute(f"SELECT 1 FROM {table}").fetchone()
        ]
        table = dice.choice(filled)
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        number, *values = dice.choice(database.execute(f"SELECT rowid, * FROM {table}").fetchall())
        column = dice.randrange(len(columns) + 1)
        if column == len(columns):
            database.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))
            database.commit()
            return f"delete from {table}"
        value = values[column]
        if isinstance(value, bytes | str):
            data = bytearray(value.encode() if isinstance(value, str) else value)
            if data:
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(7)
            changed: object = bytes(data) if isinstance(value, bytes) else data.decode()
        else:
            changed = value + dice.choice([-1, 1])
        query = f"UPDATE {table} SET {columns[column]} = ? WHERE rowid = ?"
        database.execute(query, (changed, number))
        database.commit()
        return f"change {table}.{columns[column]}"
