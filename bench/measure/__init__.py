"""Measuring: jobs, runs, reports, and what became slower."""
