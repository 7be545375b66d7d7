"""Sources of owners' lists: one file of this package for each kind of source."""
