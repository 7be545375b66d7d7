"""Tests mirror the rooms that they test."""
