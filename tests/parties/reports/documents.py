"""Result documents for reports: one with every kind of value, and one from people who mean harm."""

from __future__ import annotations

import copy
from typing import Any

from ppaurora.protocols.release.values import Decision, Interval, Scalar, Table

HOSTILE = "<script>alert(1)</script>\"'>&<img src=x onerror=y>\x1b[2J\u202e\x00=1+1"
SHOWN = "<script>alert(1)</script>\"'>&<img src=x onerror=y>?[2J??=1+1"

ROC = Table(
    ("fpr", "tpr", "tpr_lower", "tpr_upper"),
    (("0.0", "0.1", "0.0", "0.2"), ("0.5", "0.8", "0.7", "0.9"), ("1.0", "1.0", "1.0", "1.0")),
)
PR = Table(("recall", "precision"), (("1.0", "0.3"), ("0.5", "0.6"), ("0.0", None)))
CALIBRATION = Table(
    ("mean_score", "observed", "count"), (("0.2", "0.1", "40"), ("0.8", "0.7", "25"))
)
RATES = Table(
    ("threshold", "sensitivity", "specificity"), (("-1.5", "1.0", "0.2"), ("2", "0.4", "0.9"))
)
BENEFIT = Table(("threshold", "net_benefit"), (("0.1", "0.2"), ("0.4", "-0.05")))
TOP = Table(("k", "precision"), (("10", "0.9"), ("20", "0.85")))


def document() -> dict[str, Any]:
    """A valid result document with every kind of value and of table."""
    phase = {
        "name": "sort", "seconds": 0.25, "cpu_seconds": 0.1, "hops": 4, "bytes_sent": 9,
        "bytes_received": 9,
    }  # fmt: skip
    values = {
        "auroc": Scalar("0.8250"),
        "auroc_ci": Interval("0.8250", "0.7901", "0.8599"),
        "auroc_ci:method=delong": Interval("1.0000", "1.0000", "1.0000", note="take newcombe"),
        "auroc_above:than=0.7": Decision(rejected=True),
        "compared": Interval("-0.0100", "-0.0500", "0.0300", z="2.209"),
        "auroc_folds:empty=skip": Interval("0.8100", "0.7700", "0.8500", skipped=1),
        "average_precision": Scalar(undefined="there are no positives"),
        "roc_curve:points=2": ROC,
        "pr_curve": PR,
        "rates": RATES,
        "decision_curve": BENEFIT,
        "precision_at_top:k=10/20": TOP,
        "calibration": CALIBRATION,
    }
    return copy.deepcopy(
        {
            "format": "ppaurora result",
            "version": 4,
            "values": {name: value.to_json() for name, value in values.items()},
            "study": {"id": "sepsis-1", "title": "Sepsis, three hospitals", "hash": "ab" * 32},
            "options": {
                "scores": {
                    "resolution": "full", "range": [0, 1], "direction": "lower",
                    "positive": "ill", "negative": "well",
                },
                "metrics": {"names": ["auroc"], "decimals": 4},
                "protocol": {
                    "merge": "network", "delta": 1, "ties": "compare",
                    "assurance": "semi-honest",
                },
                "release": {"least_cell": 5},
                "rule": {
                    "least_owners": 2, "least_samples": 100, "start": "complete",
                    "keep_days": 30.0, "least_list": 20, "most_share": 0.8, "most_samples": 0,
                },
            },
            "session": "cd" * 16,
            "owners": {"ann": 30, "ben": 20, "dora": 25},
            "refused": ["dora"],
            "missing": ["cleo"],
            "samples": 50,
            "cost": {
                "bytes": 1_500_000, "hops": 5, "seconds": 0.5,
                "links": {"P0-P1": {"bytes": 1000, "frames": 1}},
                "phases": {"P0": [phase], "P1": []},
            },
            "ledger": {
                "assumption": "all follow the protocol",
                "deviation": "nothing is claimed against others",
                "public": {},
                "learns": {
                    "P0": ["the number of samples of each list"], "P1": [], "helper": [],
                    "receivers": ["auroc"], "owners": [], "onlookers": [],
                },
                "summary": "Receivers can work out much.",
                "warnings": ["few samples tell much"],
            },
            "software": "0.1.0",
            "evidence": {
                "statements": {
                    name: {"text": "{}", "signature": "ef" * 64} for name in ("P0", "P1", "helper")
                },
                "shares": {"P0": "01" * 8, "P1": "02" * 8},
            },
            "fetched": "2026-01-02T03:04:05+00:00",
        }
    )  # fmt: skip


def hostile() -> dict[str, Any]:
    """The same document with an evil text wherever somebody may write one."""
    evil = document()
    evil["study"].update(id=HOSTILE, title=HOSTILE, hash=HOSTILE)
    evil["values"][HOSTILE] = {
        "kind": "table", "columns": ["fpr", "tpr"], "rows": [["0", "1"]], "undefined": None,
        "withheld": None,
    }  # fmt: skip
    evil["values"]["other"] = {
        "kind": "table", "columns": [HOSTILE, "b"], "rows": [["0", "1"]], "undefined": None,
        "withheld": None,
    }  # fmt: skip
    evil["values"]["gone"] = {
        "kind": "scalar",
        "value": None,
        "undefined": HOSTILE,
        "withheld": None,
    }
    evil["options"]["scores"] = dict.fromkeys(("code", "direction", "positive"), HOSTILE)
    evil["options"]["rule"] = {HOSTILE: HOSTILE}
    evil["owners"] = {HOSTILE: 50}
    evil["refused"] = [HOSTILE]
    evil["missing"] = [f"{HOSTILE}, too"]
    evil["ledger"]["learns"][HOSTILE] = [HOSTILE]
    evil["ledger"].update(assumption=HOSTILE, warnings=[HOSTILE])
    evil["cost"]["links"] = {HOSTILE: {"bytes": 1, "frames": 1}}
    evil.update(session=HOSTILE, software=HOSTILE, fetched=HOSTILE)
    return evil


def figures() -> dict[str, Any]:
    """A valid result document whose tables are forest plots and rates with their limits."""
    found = document()
    limits = ("auroc", "auroc_lower", "auroc_upper")
    rates = ("threshold", "ppv", "ppv_lower", "ppv_upper")
    classes = (("malignant", "0.9132"), ("a rather long name of a class", "0.7711"), ("none", None))
    values = {
        "auroc_ci": Interval("0.8250", "0.7901", "0.8599"),
        "bootstrap": Table(limits, (("0.8250", "0.7800", "0.8700"),)),
        "bootstrap:unit=cluster": Table(limits, (("0.8250", "0.7100", "0.9000"),)),
        "bootstrap:of=ppv:at=0.5/0.7": Table(
            rates, (("0.5", "0.6", "0.5", "0.7"), ("0.7", "0.8", "0.6", "0.9"))
        ),
        "ppv:at=0.5,level=0.95": Table(rates, (("0.5", "0.6", "0.5", "0.7"),)),
        "auroc_classes": Table(("class", "auroc"), classes, undefined="a class is missing"),
        "auroc_multiclass": Scalar("0.8415"),
        "idi": Table(
            ("model", "against", "idi"), (("score", "old", "0.0412"), ("score", "older", "-0.01"))
        ),
    }
    found["values"] = {name: value.to_json() for name, value in values.items()}
    return found
