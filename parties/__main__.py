"""`python -m ppaurora.parties` is `ppaurora`."""

from ppaurora.parties.commands.main import main

main()
