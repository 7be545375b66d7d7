"""The committed run: rehearsals, messages, three runs, and servers that cheat."""
