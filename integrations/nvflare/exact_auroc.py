"""An NVFLARE task: each site sends its list in shares, and the server shows the exact AUROC.

`Outsource` runs at a site, `ExactAuroc` at NVFLARE's server, as the processor of NVFLARE's own
controller `BroadcastAndProcess`. `exact_auroc_job` makes a job of both. The average of the sites'
own AUROCs, all that the server could compute without ppAURORA, stands beside the exact value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from nvflare.apis.client import Client
from nvflare.apis.dxo import DXO, DataKind, from_shareable
from nvflare.apis.executor import Executor
from nvflare.apis.fl_constant import ReturnCode
from nvflare.apis.fl_context import FLContext
from nvflare.apis.shareable import Shareable, make_reply
from nvflare.apis.signal import Signal
from nvflare.app_common.abstract.response_processor import ResponseProcessor
from nvflare.app_common.workflows.broadcast_and_process import BroadcastAndProcess
from nvflare.job_config.api import FedJob
from sklearn.metrics import roc_auc_score

from ppaurora import Labelled, Participant, read

TASK = "outsource"
FILE = "exact_auroc.json"
SECONDS = 600


class Outsource(Executor):
    """A site's answer to the task: its own AUROC, once its list is sent in shares.

    `folder` is the site's: it has `site.toml` and the scores of the last evaluation.
    """

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder

    def scored(self) -> Labelled:
        """Scores and labels of the site's own samples: replace this by your evaluation's."""
        return read(Path(self.folder, "scores.csv"))

    def execute(
        self, task_name: str, shareable: Shareable, fl_ctx: FLContext, abort_signal: Signal
    ) -> Shareable:
        """Send the list in shares; an error is logged here, and the server hears that it failed."""
        if task_name != TASK:
            return make_reply(ReturnCode.TASK_UNKNOWN)
        try:
            table = self.scored()
            with Participant.of(Path(self.folder, "site.toml")) as owner:
                owner.outsource(owner.take(table))
        except Exception:
            self.log_exception(fl_ctx, "the list is not sent")
            return make_reply(ReturnCode.EXECUTION_EXCEPTION)
        own = float(roc_auc_score(table.labels, table.scores))
        return DXO(DataKind.METRICS, data={"auroc": own, "samples": len(table)}).to_shareable()


class ExactAuroc(ResponseProcessor):
    """The server's part: average what the sites tell, and fetch the exact value beside it.

    `site` is the site file of a receiver of the study, on NVFLARE's server.
    """

    def __init__(self, site: str, wait: int = SECONDS) -> None:
        super().__init__()
        self.site, self.wait = site, wait
        self.told: dict[str, Mapping[str, float]] = {}
        self.failed = False

    def create_task_data(self, task_name: str, fl_ctx: FLContext) -> Shareable:
        """Nothing: the task is its name."""
        self.told, self.failed = {}, False
        return Shareable()

    def process_client_response(
        self, client: Client, task_name: str, response: Shareable, fl_ctx: FLContext
    ) -> bool:
        """Keep what a site tells; without its list there is no result, and the job ends."""
        if response.get_return_code() != ReturnCode.OK:
            self.log_error(fl_ctx, f"{client.name} has not sent its list")
            self.failed = True
            return False
        self.told[client.name] = from_shareable(response).data
        return True

    def final_process(self, fl_ctx: FLContext) -> bool:
        """Log both numbers, and write them into the job's folder.

        NVFLARE calls this after a failure, too: then nothing is waited for.
        """
        if self.failed or not self.told:
            return False
        own = [told["auroc"] for told in self.told.values()]
        averaged = float(np.average(own, weights=[one["samples"] for one in self.told.values()]))
        with Participant.of(Path(self.site)) as receiver:
            exact = receiver.result(self.wait)["auroc"]
        if exact.value is None:
            self.log_error(fl_ctx, f"the study has no AUROC: {exact.undefined}")
            return False
        self.log_info(fl_ctx, f"AUROC: average of the sites' own {averaged}, exact {exact.value}")
        folder = fl_ctx.get_engine().get_workspace().get_run_dir(fl_ctx.get_job_id())
        shown = {"auroc": str(exact.value), "auroc_averaged": averaged, "sites": self.told}
        Path(folder, FILE).write_text(json.dumps(shown), encoding="utf-8")
        return True


def exact_auroc_job(folders: Mapping[str, str], receiver: str) -> FedJob:
    """A job of this one task; a job that trains adds controller and executors to its own.

    `folders` has each site's folder by its name, `receiver` is a site file on the server.
    """
    job = FedJob("exact_auroc", min_clients=len(folders), mandatory_clients=[*folders])
    job.to_server(BroadcastAndProcess(ExactAuroc(receiver), TASK, timeout=SECONDS))
    for name, folder in folders.items():
        job.to(Outsource(folder), name, tasks=[TASK])
    return job
