"""Files among the accepted studies that are none of them count as nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from ppaurora.parties.site.acceptances import Acceptances
from tests.parties.sample import study

STUDY = study()


@pytest.mark.parametrize("damaged", [b"", b"\xff" * 9, b"[" * 200_000, b'{"id":1}', b"9" * 9000])
def test_a_damaged_acceptance_counts_as_nothing_and_keeps_the_others(
    damaged: bytes, tmp_path: Path
) -> None:
    Acceptances(tmp_path).add(STUDY)
    (tmp_path / "accepted" / f"{'ab' * 32}.json").write_bytes(damaged)
    assert Acceptances(tmp_path).all() == [STUDY]


def test_another_study_under_an_accepted_hash_and_a_link_to_it_count_as_nothing(
    tmp_path: Path,
) -> None:
    Acceptances(tmp_path).add(STUDY)
    [file] = (tmp_path / "accepted").iterdir()
    other = study(id="another")
    Acceptances(tmp_path / "elsewhere").add(other)
    file.with_name(f"{other.hash.hex()}.json").symlink_to(
        tmp_path / "elsewhere" / "accepted" / f"{other.hash.hex()}.json"
    )
    file.write_bytes(other.canonical())
    assert Acceptances(tmp_path).all() == []


def test_many_who_share_a_folder_and_begin_at_once_all_accept(tmp_path: Path) -> None:
    count = 16
    for attempt in range(10):
        state, begin = tmp_path / str(attempt) / "state", Barrier(count)

        def accept(state: Path = state, begin: Barrier = begin) -> None:
            begin.wait()
            Acceptances(state).add(STUDY)

        with ThreadPoolExecutor(count) as pool:
            for done in [pool.submit(accept) for _ in range(count)]:
                done.result()
        assert Acceptances(state).all() == [STUDY]
        assert len([*(state / "accepted").iterdir()]) == 1
