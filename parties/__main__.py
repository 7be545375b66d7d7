"""`python -m parties` is `ppaurora`."""

from parties.main import main

main()
