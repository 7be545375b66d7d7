"""The examples run: always the notebook, others where R, Flower and Node.js are installed."""

import os

ALL_EXAMPLES = "PPAURORA_EXAMPLES" in os.environ
"""Set by scripts/examples.py, which leaves none out."""
