"""How many dealings a helper may be asked to commit to."""

from __future__ import annotations

FEWEST_DEALINGS, MOST_DEALINGS = 2, 64
