"""The examples run, and show what their pages say."""
