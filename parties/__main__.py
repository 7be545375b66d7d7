"""`python -m ppaurora.parties` is `ppaurora`."""

from ppaurora.parties.main import main

main()
