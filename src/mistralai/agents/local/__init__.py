"""Floor 4: the local place. Sessions that live in this process, in the runtime of one event loop."""
