"""Results and status, on a terminal and as documents."""
