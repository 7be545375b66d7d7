"""Text of the other side is shown without its control characters, and not endlessly."""

from ppaurora.mpc.printable import printable


def test_control_characters_are_replaced_and_letters_stay() -> None:
    assert printable("Zoë\x1b[2J\n\u202e", 20) == "Zoë?[2J??"


def test_a_long_text_is_cut() -> None:
    assert printable("x" * 1000, 60) == "x" * 60
    assert printable("", 60) == ""
