"""A public grid of scores: how many samples of each class lie in each of its bins."""
