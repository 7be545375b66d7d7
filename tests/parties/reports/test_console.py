"""Text for a terminal is shown as it is."""

from __future__ import annotations

import pytest

from ppaurora.parties.reports.console import err


def test_square_brackets_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    err().print("the study needs range = [0, 20] under [scores].")
    assert "[scores]" in capsys.readouterr().err
