"""What lies among the accepted studies and is none of them counts as nothing."""

from __future__ import annotations

from pathlib import Path

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
