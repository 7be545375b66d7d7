"""`python -m ppaurora` is the command `ppaurora`."""

from ppaurora.parties.main import main

main()
