"""Analyses: questions that a study answers, each with the statistics that answer it."""
