"""Experiments that a checkout has, and an installation does not."""

from __future__ import annotations

from typing import Any, Final

from ppaurora.bench.errors import ToolAbsent

EXPERIMENTS = ("tables", "papers", "crossover", "figures", "peers")
"""The commands of `bench/papers` and `bench/peers`."""
ABSENT = "Not installed: the papers' experiments and other programs are in a checkout only."
ANY_ARGUMENTS: Final[dict[str, Any]] = {
    "add_help_option": False,
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
}


def refuse_experiment() -> None:
    """Say in words where the experiments are."""
    raise ToolAbsent(
        "The experiments with the papers' tables and with other programs are not part of the "
        "installed package",
        advice="Get the repository, or unpack the source distribution, and run "
        "`python3 scripts/benchmark.py` there with the same arguments.",
    )
