"""The study: the file that all parties share, what it allows, and when it may start."""
