"""Floor 5: the handles. `Agent`, `Session`, `Turn` and what their methods are made of."""
