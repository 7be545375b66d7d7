"""Progress: the phase, how far it is, and about how long it still takes."""

from __future__ import annotations

from ppaurora.mpc.party import Phase
from ppaurora.parties.server.computing.progress import Progress
from ppaurora.protocols.options import Options


def test_progress_names_the_phase_and_estimates_the_rest() -> None:
    progress = Progress(b"s" * 16, Options(metrics=("auroc",)), [1000] * 8)
    assert (progress.told().step, progress.told().steps) == (1, 1)
    progress.begin_run(0)
    assert progress.told().phase == "connect"
    progress("check", None)
    progress("check", Phase("check", 5.0, 1.0, 9, 1, 1))
    progress("sort", None)
    progress("sort/inner", None)
    slow = progress.told()
    assert (slow.phase, slow.step, slow.steps) == ("sort", 3, 5)
    assert slow.seconds_left > 5
