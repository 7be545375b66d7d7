"""The subcommands of `ppaurora`, one module for each group."""

PROGRAM = "ppaurora"
"""The command's name."""
