"""`ppaurora simulate`: what it says when it is interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.parties.commands import simulation
from ppaurora.parties.errors import Interrupted


@pytest.mark.parametrize(
    ("kept", "what", "advice"),
    [
        (None, "Nothing is left of it", "The same command begins anew."),
        ("kept", "What there was is left in", "begins anew, with another --keep."),
    ],
)
def test_an_interruption_says_what_is_left_and_how_to_begin_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str | None, what: str, advice: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "simulate", interrupted)
    with pytest.raises(Interrupted, match="the three servers were stopped") as caught:
        simulation.simulate_command([tmp_path / "list.csv"], keep=tmp_path / kept if kept else None)
    assert what in caught.value.what
    assert caught.value.advice.endswith(advice)
