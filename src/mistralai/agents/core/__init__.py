"""Floor 2: the core. The log, the fold, the loop and the gate, and the ports to what surrounds them."""
