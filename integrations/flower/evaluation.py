"""The last evaluation of a Flower run: the exact AUROC of all clients beside the averaged one.

Flower averages what the clients' `evaluate` returns. For an accuracy that is right; an AUROC of
all samples is no average of AUROCs, because it also compares the scores of one client with those
of another. Here each client sends its scores and labels in two shares (`client`), and the server,
a receiver of the study, fetches the exact value (`Exact`).
"""

from __future__ import annotations

from pathlib import Path

from flwr.app import ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg
from sklearn.metrics import roc_auc_score

from ppaurora import Labelled, Participant, read

LAST_ROUND = "last-round"
client = ClientApp()
server = ServerApp()


@client.evaluate()
def evaluate(message: Message, context: Context) -> Message:
    """A client: return what Flower averages and, in the last round, send the list in shares."""
    folder = client_folder(context)
    table = scored(message.content["arrays"], folder)
    config = message.content["config"]
    if config["server-round"] == config[LAST_ROUND]:
        with Participant.of(folder / "site.toml") as owner:
            owner.outsource(owner.take(table))
    own = float(roc_auc_score(table.labels, table.scores))
    told = MetricRecord({"auroc": own, "num-examples": len(table)})
    return Message(RecordDict({"metrics": told}), reply_to=message)


def scored(model: ArrayRecord, folder: Path) -> Labelled:
    """Scores and labels of a client's own samples: replace this by your model's."""
    return read(folder / "scores.csv")


def client_folder(context: Context) -> Path:
    """The folder of this client's site file: its own choice, in a simulation the run's."""
    if "folder" in context.node_config:
        return Path(str(context.node_config["folder"]))
    simulated = str(context.run_config["simulated"]).split(",")
    return Path(simulated[int(context.node_config["partition-id"])])


class Exact(FedAvg):
    """FedAvg that adds the value over all clients' samples to the last round's average.

    Any other strategy of Flower takes the same two methods.
    """

    def __init__(self, site: Path, rounds: int, wait: float = 600.0, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.site, self.rounds, self.wait = site, rounds, wait

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> list[Message]:
        """Ask as FedAvg does, and say which round is the last."""
        config[LAST_ROUND] = self.rounds
        return list(super().configure_evaluate(server_round, arrays, config, grid))

    def aggregate_evaluate(self, server_round: int, replies: list[Message]) -> MetricRecord | None:
        """The averages, and in the last round the exact AUROC beside them."""
        replies = list(replies)
        averaged = super().aggregate_evaluate(server_round, replies)
        if server_round < self.rounds:
            return averaged
        failed = sum(reply.has_error() for reply in replies)
        if failed or averaged is None:
            raise ValueError(f"{failed} of {len(replies)} clients have not sent their lists")
        with Participant.of(self.site) as receiver:
            exact = receiver.result(self.wait)["auroc"]
        if exact.value is None:
            raise ValueError(f"The study has no AUROC: {exact.undefined}")
        print(f"AUROC: average of the clients' own {averaged['auroc']:.6f}, exact {exact.value}")
        return MetricRecord({**averaged, "auroc-exact": float(exact.value)})


@server.main()
def main(grid: Grid, context: Context) -> None:
    """Evaluate a finished model; a run that trains starts with its own arrays."""
    config = context.run_config
    rounds, clients = int(config["rounds"]), int(config["clients"])
    strategy = Exact(
        Path(str(config["site"])),
        rounds,
        fraction_train=0.0,
        min_available_nodes=clients,
        min_evaluate_nodes=clients,
    )
    strategy.start(grid, ArrayRecord(), num_rounds=rounds)
