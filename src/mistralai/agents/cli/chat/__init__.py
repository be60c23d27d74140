"""`agents chat`: a conversation with an agent at a terminal, or over pipes."""
