"""The subcommands of `ppaurora`, one module for each group."""

PROGRAM = "ppaurora"
"""What the command is called."""
