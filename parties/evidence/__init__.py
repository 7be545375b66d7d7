"""Evidence: statements that the three servers sign about a session, and their verification."""
