"""Numbers on the way to a result: ratios before their division."""
