"""Sessions at one server: P0 leads them, each server reserves and runs them."""
