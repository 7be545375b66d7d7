"""The subcommands of `ppaurora`, one module for each group."""
