"""Facts for the operators of a server: logs, counts, health, clock, descriptors."""
