"""What a user writes: the agent's definition, tools, hooks, permissions, inputs. Nothing here runs a session."""
