"""Where an owner's list lies and how it is read: one file of this package for each source."""
