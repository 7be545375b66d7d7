"""Sessions that break off again and again are repeated ever more slowly."""

from __future__ import annotations

from ppaurora.parties.server.computing.leader import LONGEST_PAUSE, LONGEST_PAUSE_OF_SESSIONS, Pause


def waits(pause: Pause) -> float:
    pause.postpone(0.0, longer=True)
    return pause.until


def test_a_server_that_does_not_answer_is_asked_again_every_few_seconds() -> None:
    pause = Pause()
    assert max(waits(pause) for _ in range(50)) <= 1.3 * LONGEST_PAUSE


def test_broken_sessions_are_repeated_soon_at_first_and_after_minutes_in_the_end() -> None:
    pause = Pause()
    pauses = []
    for _ in range(40):
        pause.broken_sessions += 1
        pauses.append(waits(pause))
    assert max(pauses[:3]) < 4
    assert min(pauses[12:]) >= 0.7 * LONGEST_PAUSE_OF_SESSIONS > 120
    assert sum(pauses[:16]) > 20 * 60


def test_an_upload_in_between_does_not_forget_the_broken_sessions() -> None:
    pause = Pause(broken_sessions=12, seconds=0.3)
    assert waits(pause) >= 0.7 * LONGEST_PAUSE_OF_SESSIONS
