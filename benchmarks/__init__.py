"""What a turn, an import and a session cost, beside the least that could do the same; `run` runs all of it."""
