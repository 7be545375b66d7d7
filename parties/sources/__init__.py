"""Where an owner's list comes from."""
