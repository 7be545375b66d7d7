"""The ledger: what each role learns, and what a released number tells."""
