"""Conversion of a study file of an older version.

What is converted are the scores' code, the mode and the bins, which became range and resolution;
the one column of second scores, which became a list of columns; least counts of single statistics,
which became the least cell of the study, the largest of them; and the names of metrics, of which
some had a name of their own in one of the modes. All else is kept as it stands.
"""

from __future__ import annotations

import re
import tomllib

from ppaurora.parties.errors import ConfigurationError

RENAMED = re.compile(r"\b(\w+)_binned\b|\b(auroc|average_precision)_bounds\b")
GONE = re.compile(r"\s*(code|mode|bins)\s*=")
SECOND = re.compile(r"(\s*against\s*=\s*)(\"[^\"]*\"|'[^']*')(?=\s*(?:#.*)?$)")
"""The name of one column of second scores."""
SCORES = re.compile(r"\s*\[scores\]")
METRICS = re.compile(r"\s*names\s*=")
LEAST = re.compile(r"\bleast=([0-9]+)")
OWN_LEAST = re.compile(r"\b(?:roc_curve|pr_curve|calibration):[^\"']*\b(?:least|both_classes)=")
"""A statistic with a least count of its own."""
PARAMETERS = re.compile(r"\b(roc_curve|pr_curve|calibration):([^\"']*)")


def converted(text: str, file: str) -> str:
    """The text of a study file in today's form; one that is not of an older version is refused."""
    try:
        content = tomllib.loads(text)
    except ValueError as error:
        raise ConfigurationError(
            f"{file} is not valid TOML: {error}", advice="Correct that line and try again."
        ) from None
    protocol, scores = content.get("protocol", {}), content.get("scores", {})
    code, mode, bins = scores.get("code"), protocol.get("mode"), protocol.get("bins")
    lines = text.splitlines()
    asked = [line for line in lines if METRICS.match(line)]
    older = any(GONE.match(line) or SECOND.match(line) for line in lines)
    if not older and not any(map(OWN_LEAST.search, asked)):
        raise ConfigurationError(
            f"{file} has no option of an older version",
            advice="Nothing has to be converted; `ppaurora study check` reads it.",
        )
    chosen = []
    if code == "real":
        chosen.append('range = "any"')
    if mode == "grid":
        chosen.append(f'resolution = "bins:{bins or 4096}"')
    found = []
    for line in lines:
        if GONE.match(line):
            continue
        found.append(_renamed(line) if METRICS.match(line) else SECOND.sub(r"\1[\2]", line))
        if SCORES.match(line):
            found += chosen
    if chosen and not any(SCORES.match(line) for line in lines):
        found += ["", "[scores]", *chosen]
    least = [int(count) for line in asked for count in LEAST.findall(line)]
    if least:
        found += ["", "[release]", f"least_cell = {max(least)}"]
    return "\n".join(found) + "\n"


def _renamed(line: str) -> str:
    """The names of statistics as they are today."""
    plain = RENAMED.sub(r"\1\2", line).replace("auroc_bootstrap", "bootstrap")
    return PARAMETERS.sub(_without_least, plain)


def _without_least(asked: re.Match[str]) -> str:
    """A statistic without the parameters that became the study's."""
    gone = ("least=", "both_classes=")
    kept = [one for one in asked[2].split(",") if not one.strip().startswith(gone)]
    return f"{asked[1]}:{','.join(kept)}" if kept else asked[1]
