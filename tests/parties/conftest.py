"""What trials with many processes need on a busy machine."""

from __future__ import annotations

import pytest

from ppaurora.parties.simulation import processes


@pytest.fixture
def patient_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers may take long to start: that is not what these trials try."""
    monkeypatch.setattr(processes, "START_SECONDS", 10 * processes.START_SECONDS)
