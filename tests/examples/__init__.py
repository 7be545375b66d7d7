"""The examples run: always the notebook, those in R and for Flower where these are installed."""

import os

ALL_EXAMPLES = "PPAURORA_EXAMPLES" in os.environ
"""Set by scripts/examples.py, which leaves none out."""
