"""AUROC of the pooled data by scikit-learn, in the clear: the floor below every private way.

Run as `sklearn_auroc.py PLAN`; prints its figures as one line of JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text())
    with np.load(plan["data"]) as data:
        keys = np.concatenate([data[name] for name in sorted(data.files)])
    scores, labels = (keys >> 1).view(np.float64), keys & 1
    began, cpu = time.perf_counter(), time.process_time()
    value = float(roc_auc_score(labels, scores))
    figures = {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - cpu,
        "bytes_sent": 0,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "values": [value],
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
