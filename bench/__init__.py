"""The benchmark: the papers' experiments, this system's own figures, and others beside it."""
