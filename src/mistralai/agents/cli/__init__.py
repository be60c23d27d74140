"""The `agents` command in a terminal. Nothing of it is imported by the SDK."""
