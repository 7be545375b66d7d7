"""The final evaluation of a Flower run: the exact AUROC of all clients beside the averaged one.

Flower averages what the clients' `evaluate` returns. For an accuracy that is right; an AUROC of
all samples is no average of AUROCs, because it also compares the scores of one client with those
of another. Here each client sends its scores and labels in two shares (`evaluate`), and the
server's strategy, a receiver of the study, fetches the exact value (`exact_auroc`):

    FedAvg(evaluate_metrics_aggr_fn=exact_auroc(Path("site.toml")))

A study is computed once: let the clients evaluate in this way in the last round only. Run this file
to see both numbers, with three servers and three clients on this machine:

    python3 -m pip install flwr .        # in a clone of this repository
    python examples/flower_evaluation.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from flwr.app import Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp.strategy import FedAvg
from flwr.serverapp.strategy.strategy_utils import aggregate_metricrecords
from flwr.supercore.task_identity import TaskIdentity

from ppaurora import Labelled, Options, Participant
from ppaurora.parties.simulation.simulate import served

Aggregate = Callable[[list[RecordDict], str], MetricRecord]
WEIGHT = "num-examples"

app = ClientApp()


@app.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    """A client: send the list in shares, and return what Flower would average."""
    scores, labels = scored(str(context.node_config["data"]))
    with Participant.of(Path(str(context.node_config["site"]))) as owner:
        owner.outsource(Labelled(scores, labels))
    told = MetricRecord({"auroc": local_auroc(scores, labels), WEIGHT: len(labels)})
    return Message(RecordDict({"metrics": told}), reply_to=message)


def exact_auroc(site: Path, wait: float = 600.0) -> Aggregate:
    """The server's hook: the value over all clients' samples, beside the average of theirs."""

    def aggregated(replies: list[RecordDict], weighted_by: str) -> MetricRecord:
        averaged = aggregate_metricrecords(replies, weighted_by)
        with Participant.of(site) as receiver:
            value = receiver.result(wait)["auroc"].value
        if value is None:
            return averaged
        return MetricRecord({"auroc": float(value), "auroc-averaged": averaged["auroc"]})

    return aggregated


def scored(path: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels of a client's own samples; a real client asks its model for the scores."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, 0], table[:, 1].astype(np.uint8)


def local_auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Of all pairs of a positive and a negative sample: how many are in order, ties by half."""
    positive, negative = scores[labels == 1, None], scores[labels == 0]
    return float(np.mean(positive > negative) + np.mean(positive == negative) / 2)


def hospitals() -> list[Labelled]:
    """Three lists; the scores of each hospital lie higher than those of the one before."""
    rng = np.random.default_rng(7)
    lists = []
    for shift, size, prevalence in ((0.0, 300, 0.1), (0.15, 200, 0.3), (0.3, 100, 0.6)):
        labels = (rng.random(size) < prevalence).astype(np.uint8)
        scores = np.round(np.clip(rng.normal(0.3 + shift + 0.12 * labels, 0.1), 0, 1), 3)
        lists.append(Labelled(scores, labels))
    return lists


def main() -> MetricRecord | None:
    """One evaluation by Flower's own client app and strategy, over servers on this machine.

    The messages go from call to call here; in a federation Flower's processes carry them, and set
    the identity that this function sets.
    """
    TaskIdentity.run_id, TaskIdentity.task_id, TaskIdentity.node_id = 1, 1, 0
    lists = hospitals()
    with (
        tempfile.TemporaryDirectory() as folder,
        served(lists, Options(metrics=("auroc",), decimals=6), Path(folder)),
    ):
        replies = []
        for number in range(1, len(lists) + 1):
            files = Path(folder, f"owner-{number}")
            node = {"site": f"{files}.toml", "data": f"{files}.csv"}
            context = Context(1, number, node, RecordDict(), {})
            asked = Message(RecordDict(), dst_node_id=number, message_type="evaluate")
            replies.append(app(asked, context))
        receiver = Path(folder, "owner-1.toml")
        strategy = FedAvg(evaluate_metrics_aggr_fn=exact_auroc(receiver), weighted_by_key=WEIGHT)
        return strategy.aggregate_evaluate(1, replies)


if __name__ == "__main__":
    print(main())
