"""`python -m ppaurora` is the command `ppaurora`."""

from ppaurora.parties.commands.main import main

main()
