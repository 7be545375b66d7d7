"""Three real processes: a whole computation, a failure, and what is left of them."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.evaluation import measured, outsourced
from ppaurora.bench.measure.run import run
from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Means, ServerNetwork
from ppaurora.mpc.role import Role
from ppaurora.protocols.options import Options

pytestmark = pytest.mark.zeromq

HERE = networks.one_host(networks.LOOPBACK, Means.LOOPBACK)
SHAPED = networks.one_host(ServerNetwork("4 ms", 4e-3), Means.SHAPER)


@pytest.mark.parametrize(
    ("plain", "options"),
    [
        (False, Options(metrics=("auroc",))),
        pytest.param(
            *(True, Options(metrics=("auroc_differs", "auroc"), against=("second",))),
            marks=pytest.mark.weekly,
        ),
    ],
)
def test_a_study_is_computed_and_found_exact(plain: bool, options: Options) -> None:
    heard: list[str] = []
    with outsourced((20, 30), options, ties=True) as study:
        figures = measured(HERE, study, options, plain=plain, check=True, on_phase=heard.append)
    assert figures["correct"]
    assert {"upload", "check", "sort", "ties", "statistics"} <= set(heard)
    assert figures["hops"] > 0
    assert figures["bytes"] == sum(party["bytes"] for party in figures["parties"].values())
    outermost = [phase for phase in figures["phases"] if "/" not in phase["name"]]
    in_phases = sum(phase["bytes"] for phase in outermost)
    # with the headers of what is computed, without what keeps the links going
    assert 0 < figures["payload_bytes"] < in_phases < figures["bytes"]


def test_every_hop_takes_the_delay() -> None:
    options = Options(metrics=("auroc_no_ties",))
    with outsourced((4, 4), options, ties=False) as study:
        figures = measured(SHAPED, study, options)
    assert figures["correct"]
    assert figures["seconds"] >= 0.95 * figures["hops"] * SHAPED.network.delay


def test_a_failing_party_is_named_and_none_is_left() -> None:
    with pytest.raises(RunFailed, match="KeyError"):
        run(HERE, {"job": "no such job"})


def test_the_helper_holds_no_result() -> None:
    options = Options(metrics=("auroc",))
    with outsourced((5, 5), options, ties=True) as study:
        job = {
            "job": "evaluation",
            "uploads": str(study.folder),
            "sizes": [5, 5],
            "options": asdict(options),
            "check": False,
        }
        done = run(HERE, job)
    assert done.answer(Role.HELPER)["words"] == {"auroc": None}
